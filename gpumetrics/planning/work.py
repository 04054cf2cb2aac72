"""What each metric has to do: operations, bytes that are read and moved, and memory, in formulas over the sizes.

n rows of d features in k clusters, b bytes an entry, w workers with n / w rows each, m queries. docs/scaling.md has the
same formulas in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpumetrics.backends.tiling import panel_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.planning.problem import Problem

__all__ = ["OF_LABELS", "TITLES", "Work", "gpu_pair_features", "works_of"]

TITLES = {
    "silhouette_closed_form": "silhouette, closed form",
    "silhouette_pairs": "silhouette, all pairs",
    "silhouette_estimate": "silhouette, estimate",
    "calinski_harabasz": "Calinski-Harabasz",
    "davies_bouldin": "Davies-Bouldin",
    "contingency": "contingency family",
    "label_counts": "F1, Jaccard, counts",
}
OF_LABELS = {"contingency", "label_counts"}  # which take no X
LABEL = 8  # bytes of a code: int64, as everything that is as long as n
GPU_ROW = 70  # bytes of a row on a GPU beside its features, whatever is computed (docs/gpu.md)
GPU_TILE = 8192  # rows of a tile there
CELL = 24  # bytes of a cell of a contingency table: row, column, count
TABLES = 4  # of k x d float64 at once: anchors, shifts, sums, and the centroids of a product
DIFFERENCE = 3  # operations for a feature of a pair where there is no product: difference, size or square, sum


@dataclass(frozen=True)
class Work:
    """The work for one metric, the same in sum on any number of workers but for what they exchange.

    Attributes
    ----------
    name : str
        A key of `TITLES`.
    product : float
        Multiplications and additions of matrix products (of differences, where the metric has no product).
    double : bool
        Whether these are float64.
    other : float
        Other operations.
    once : float
        Operations of products of float64 that one worker does alone, whatever the number of workers.
    read : float
        Bytes that are read of X, or of labels.
    temporary : float
        Bytes that a GPU writes to its memory and reads again.
    state : float
        Bytes that pass each link of the tree in which workers merge their statistics and hand them back.
    exchanged : float
        Bytes that would move if every row met another worker once.
    row_bytes : float
        Memory for each row of a worker, beside its features.
    tables : float
        Memory of a worker whatever its rows.
    streams : bool
        Whether rows and labels may pass in batches, with nothing kept of them (`gpumetrics.streaming`).
    """

    name: str
    product: float
    double: bool
    other: float
    read: float
    once: float = 0.0
    temporary: float = 0.0
    state: float = 0.0
    exchanged: float = 0.0
    row_bytes: float = LABEL
    tables: float = 0.0
    streams: bool = True

    @property
    def flops(self) -> float:
        return self.product + self.other + self.once

    def moved(self, n_workers: int) -> float:
        """Bytes between workers: a tree has one link less than workers, and of two workers one sends its rows."""
        return (n_workers - 1) * (self.state + self.exchanged / 2)

    def memory(self, problem: Problem, n_workers: int) -> float:
        """Bytes that a worker needs beside its part of X."""
        return problem.n_samples / n_workers * self.row_bytes + self._least(problem)

    def streaming_memory(self, problem: Problem, n_workers: int) -> float:
        """Bytes that a worker needs if its rows pass in pieces."""
        return self._least(problem) if self.streams else self.memory(problem, n_workers)

    def _least(self, problem: Problem) -> float:
        return self.tables + problem.working_memory * 2**20


def works_of(problem: Problem, n_workers: int, *, on_gpu: bool) -> list[Work]:
    """Return the work for each metric that these rows can have, on so many workers."""
    silhouettes = [_closed_form] if problem.closed_form else [_pairs, _estimate]
    every: list[Callable[[Problem, int, bool], Work]] = [
        *silhouettes,
        _calinski_harabasz,
        _davies_bouldin,
        _contingency,
        _label_counts,
    ]
    return [one(problem, n_workers, on_gpu) for one in every]


def gpu_pair_features(problem: Problem) -> float:
    """Features of a pair on a GPU by which its time grows: more for a tile's other work, and for differences."""
    from gpumetrics.clustering.cost import GPU_DIFFERENCE, GPU_PAIR

    return (1 if problem.name == "euclidean" else GPU_DIFFERENCE) * problem.n_features + GPU_PAIR


def _pass(problem: Problem) -> float:
    """Bytes that a pass of a GPU over X leaves in its memory: a block as float64, written and read."""
    return problem.entries * 16


def _state(problem: Problem) -> float:
    """Bytes of the moments: two numbers an entry of the centroids (anchor and shift), and three a cluster."""
    return 8.0 * problem.n_clusters * (2 * problem.n_features + 3)


def _tables(problem: Problem) -> float:
    return TABLES * 8.0 * problem.n_clusters * problem.n_features


def _closed_form(problem: Problem, n_workers: int, on_gpu: bool) -> Work:  # noqa: ARG001, FBT001
    n, k = float(problem.n_samples), problem.n_clusters
    return Work(
        "silhouette_closed_form",
        product=2 * problem.entries * k,
        double=True,
        other=14 * problem.entries + 6 * n * k,
        read=3 * problem.data_bytes,
        temporary=3 * _pass(problem) + 16 * n * k,
        state=2 * _state(problem) + 16.0 * k,
        row_bytes=GPU_ROW if on_gpu else 5 * LABEL,
        tables=_tables(problem),
    )


def _pairs(problem: Problem, n_workers: int, on_gpu: bool) -> Work:  # noqa: FBT001
    n, k = float(problem.n_samples), problem.n_clusters
    pairs, per_feature = n * n / 2, 2 if problem.name == "euclidean" else DIFFERENCE
    rows = GPU_TILE if on_gpu else panel_rows(8 * (problem.n_features + 2), problem.working_memory)
    # A check, and each block against all later ones: of what a worker holds, half of them on average.
    reads = 1 + max(1.0, (n / n_workers / rows + 1) / 2)
    return Work(
        "silhouette_pairs",
        product=per_feature * pairs * problem.n_features,
        double=problem.double,
        other=8 * pairs,
        read=reads * problem.data_bytes,
        temporary=_pass(problem),
        # A worker that takes another's rows sends back their sums by cluster, and they are kept until all are there.
        exchanged=problem.data_bytes + 8 * n * k,
        row_bytes=(GPU_ROW if on_gpu else 5 * LABEL) + (8 * k if n_workers > 1 else 0),
        streams=False,
    )


def _estimate(problem: Problem, n_workers: int, on_gpu: bool) -> Work:  # noqa: ARG001, FBT001
    n, m = float(problem.n_samples), float(problem.n_queries)
    per_feature = 2 if problem.name == "euclidean" else DIFFERENCE
    return Work(
        "silhouette_estimate",
        product=per_feature * n * m * problem.n_features,
        double=problem.double,
        other=8 * n * m,
        read=2 * problem.data_bytes,
        temporary=_pass(problem),
        state=m * (problem.n_features * problem.itemsize + 8.0 * problem.n_clusters),
        row_bytes=GPU_ROW if on_gpu else 4 * LABEL,
        tables=8 * m * problem.n_features,
        streams=False,
    )


def _calinski_harabasz(problem: Problem, n_workers: int, on_gpu: bool) -> Work:  # noqa: ARG001, FBT001
    return Work(
        "calinski_harabasz",
        product=0.0,
        double=True,
        other=6 * problem.entries,
        read=2 * problem.data_bytes,
        temporary=2 * _pass(problem),
        state=_state(problem),
        row_bytes=GPU_ROW if on_gpu else 2 * LABEL,
        tables=_tables(problem),
    )


def _davies_bouldin(problem: Problem, n_workers: int, on_gpu: bool) -> Work:  # noqa: ARG001, FBT001
    k = float(problem.n_clusters)
    return Work(
        "davies_bouldin",
        product=0.0,
        double=True,
        other=10 * problem.entries,
        read=3 * problem.data_bytes,
        once=2 * k * k * problem.n_features,
        temporary=3 * _pass(problem),
        state=2 * _state(problem) + 16 * k,
        row_bytes=GPU_ROW if on_gpu else 2 * LABEL,
        tables=_tables(problem),
    )


def _contingency(problem: Problem, n_workers: int, on_gpu: bool) -> Work:  # noqa: ARG001, FBT001
    """Two labelings of k labels each, in as many cells as there can be."""
    n = float(problem.n_samples)
    cells = min(n / n_workers, float(problem.n_clusters) ** 2)
    return Work(
        "contingency",
        product=0.0,
        double=True,
        other=4 * n,
        read=2 * LABEL * n,
        temporary=8 * LABEL * n,
        state=CELL * cells,
        row_bytes=4 * LABEL,
        tables=CELL * cells,
    )


def _label_counts(problem: Problem, n_workers: int, on_gpu: bool) -> Work:  # noqa: ARG001, FBT001
    n, k = float(problem.n_samples), float(problem.n_clusters)
    return Work(
        "label_counts",
        product=0.0,
        double=True,
        other=4 * n,
        read=2 * LABEL * n,
        temporary=4 * LABEL * n,
        state=4 * LABEL * k,
        row_bytes=4 * LABEL,
        tables=4 * LABEL * k,
    )
