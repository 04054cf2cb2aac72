"""Density-based clustering validation (DBCV): a score that can judge clusters of any shape."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import array_module
from gpumetrics.clustering.density_validity_blocks import Apart, values_of
from gpumetrics.clustering.density_validity_checks import check_options, check_symmetric
from gpumetrics.clustering.density_validity_result import DensityValidity
from gpumetrics.clustering.density_validity_tree import core_values, lightest_edges, spanning_trees
from gpumetrics.clustering.inputs import ClusteredData, check_clustered
from gpumetrics.distance_metrics import Metric
from gpumetrics.exceptions import warn_undefined
from gpumetrics.label_arrays import as_objects
from gpumetrics.progress import progress
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.clustering.density_validity_blocks import Values
    from gpumetrics.types import Array

__all__ = ["DensityValidity", "density_validity"]

PACK = 128  # rows up to which clusters share the steps
LONG = 2e8  # pairs of rows from which work is long enough for a progress bar


@overload
def density_validity(
    X: Any,
    labels: Any,
    *,
    metric: str = "euclidean",
    noise_label: Any = -1,
    per_cluster: Literal[False] = False,
    dimension: float | None = None,
    ties: str = "rows",
) -> float: ...


@overload
def density_validity(
    X: Any,
    labels: Any,
    *,
    metric: str = "euclidean",
    noise_label: Any = -1,
    per_cluster: Literal[True],
    dimension: float | None = None,
    ties: str = "rows",
) -> DensityValidity: ...


def density_validity(
    X: Any,
    labels: Any,
    *,
    metric: str = "euclidean",
    noise_label: Any = -1,
    per_cluster: bool = False,
    dimension: float | None = None,
    ties: str = "rows",
) -> float | DensityValidity:
    """Density-based validity (DBCV): whether clusters are denser inside than the gaps between them.

    For clusters of any shape, such as those of DBSCAN and HDBSCAN, which silhouette, Davies-Bouldin and
    Calinski-Harabasz cannot judge: these reward round clusters. Each cluster is joined by the minimum spanning tree
    of its rows. Its sparseness is the largest internal edge of the tree; its separation is the smallest mutual
    reachability to an inner row of another cluster, where inner rows are those with two edges or more. Its validity is
    (separation - sparseness) / max(separation, sparseness), and the score is the mean over the rows.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, of any numeric dtype and layout; or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    metric : str, default="euclidean"
        "euclidean", "sqeuclidean" (which the code of the paper's authors takes), "cosine", "manhattan", "chebyshev",
        their aliases, or "precomputed" for any other: a dense, symmetric matrix.
    noise_label : label, default=-1
        Rows with this label are noise: in no cluster, but counted. None if there is no noise.
    per_cluster : bool, default=False
        Whether to return the parts of every cluster too.
    dimension : float, optional
        The exponent of the core distance; the number of features if it is None. "precomputed" needs it.
    ties : {"rows", "density"}, default="rows"
        Which of many minimum spanning trees is taken; see Notes. "rows" gives the values of hdbscan's
        ``validity_index``, which depend on the order of the rows; those of "density" do not.

    Returns
    -------
    float, or DensityValidity if `per_cluster`
        From -1 to 1; higher is better. It compares clusterings of the same data only. nan, with a warning, if there
        are fewer than two clusters of two rows or more.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes, an unknown metric or rule; for distances that are negative or not symmetric,
        or come without `dimension`.
    TypeError
        For distances in a sparse matrix; for "chebyshev" of sparse rows.

    Notes
    -----
    O(n_c^2 d) for each cluster, in one pass for the densities and little more than one for its tree, and one pass over
    the inner rows of all clusters. All pairs are computed in tiles, in float64 and about a row of the tile: no table of
    pairs exists, and memory follows ``working_memory``. On a GPU the call waits for every pass; it never takes X to
    the host.

    The core distance of a row is the power mean of its distances to the others of its cluster, with the power -d. As
    it tends to, it is 0 for a row that another row of its cluster equals. (hdbscan leaves zero distances out, as if
    the other row were infinitely far.) A cluster of one row has no density: it counts as noise does, with validity 0.
    A tree without internal edges, which small clusters have, counts with its largest edge; one without inner rows, a
    cluster of two, with all its rows; both as in the authors' code (hdbscan takes the first row only). A cluster of
    sparseness and separation 0 has validity 0.

    **The tree is not unique.** Most edges weigh as much as the core distance of their sparser end, so that a row may
    hang on any of many others, and which one it is decides which rows and edges are inner ones. Libraries take the
    tree that their algorithm meets first, and so does ``ties="rows"``: a row hangs on the first row that it may.
    Shuffling the rows moves that score of two moons between 0.14 and 0.50. With ``ties="density"`` a row hangs on the
    densest row that it may, whatever the order of the rows; rows of equal density come in the order of their
    coordinates. Weights that agree in 11 digits count as equal (for hdbscan those that agree in 5 digits or differ by
    less than 1e-8, so that it gives other values for data of tiny numbers).

    References
    ----------
    D. Moulavi, P. A. Jaskowiak, R. J. G. B. Campello, A. Zimek and J. Sander (2014), "Density-based clustering
    validation", Proceedings of the 2014 SIAM International Conference on Data Mining, 839-847.

    Examples
    --------
    >>> from gpumetrics import density_validity
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [50.0]]
    >>> round(density_validity(X, [0, 0, 0, 0, 1, 1, 1, 1, -1]), 4)
    0.7704
    """
    checked = check_options(metric, dimension, ties)
    with on_device_of(X=X, labels=labels):
        # All pairs are computed whatever the metric: closed forms and their cost do not matter here.
        door = checked if checked.name == "precomputed" else Metric("euclidean")
        data = check_clustered(X, labels, noise_label, metric=door, check_number=False)
        if checked.name == "precomputed":
            check_symmetric(data.features)
        exponent = float(data.features.n_features if dimension is None else dimension)
        result = _validity(data, checked, exponent, ties)
    if result.reason:
        warn_undefined(said("The density validity is nan: {reason}.", reason=result.reason))
    return result if per_cluster else result.score


class _Inside(NamedTuple):
    """What is inside clusters: their inner rows, in the order of the clusters, and the sparseness of each, a value."""

    rows: Array
    core: Array
    cluster: Array
    sparseness: Array


def _validity(data: ClusteredData, metric: Metric, exponent: float, ties: str) -> DensityValidity:
    sizes, classes = data.sizes, data.labels.classes
    sparseness, separation, nearest = np.full((3, len(sizes)), np.nan)
    power = factor = 1.0
    kept = np.flatnonzero(sizes > 1)
    if len(kept):
        values = values_of(metric, data.features, array_module(data.codes))
        power, factor = values.power, values.factor
        inside = _insides(values, data, exponent * power, ties)
        sparseness[kept] = inside.sparseness
        if len(kept) > 1:
            separation[kept], nearest[kept] = _separations(values, inside)
    reason = _why_undefined(sizes, data.n_given)
    validity = _formula(sparseness, separation, power)
    validity[sizes == 1] = 0.0
    with np.errstate(over="ignore", under="ignore"):
        sparseness, separation = (factor * number**power for number in (sparseness, separation))
    return DensityValidity(
        score=math.nan if reason else float(validity @ sizes) / data.n_given,
        labels=classes,
        sizes=sizes,
        validity=validity,
        sparseness=sparseness,
        separation=separation,
        nearest=as_objects([None if np.isnan(at) else classes[int(at)] for at in nearest]),
        n_samples=data.n_given,
        n_noise=data.n_given - int(sizes.sum()),
        metric=metric.name,
        dimension=exponent,
        ties=ties,
        reason=reason,
    )


def _why_undefined(sizes: Array, n_given: int) -> str:
    count = int(np.count_nonzero(sizes > 1))
    if count > 1:
        return ""
    if not len(sizes):
        return said("all {n:,} rows are noise", n=n_given) if n_given > 1 else said("the only row is noise")
    if not count:
        return said("every cluster is a single row, which has no density")
    return said("there is one cluster of more than one row, and a separation takes two")


def _formula(sparseness: Array, separation: Array, power: float) -> Array:
    """(separation - sparseness) / the larger, of values; as a ratio, since their powers might overflow."""
    larger, smaller = np.maximum(separation, sparseness), np.minimum(separation, sparseness)
    with np.errstate(invalid="ignore"):
        ratio = np.where(larger == 0, 1.0, smaller / larger) ** power
    out: Array = np.sign(separation - sparseness) * (1.0 - ratio)
    return out


def _insides(values: Values, data: ClusteredData, exponent: float, ties: str) -> _Inside:
    """Return what is inside the clusters of more than one row."""
    xp, sizes = values.xp, data.sizes
    order = xp.argsort(data.codes, kind="stable")
    ends = np.concatenate([[0], np.cumsum(sizes)])
    packs = _packs(sizes)
    out = []
    with progress(len(packs), "batch", long_work=sum(float(sizes[pack].sum()) ** 2 for pack in packs) > LONG) as done:
        for pack in packs:
            rows = order[xp.asarray(np.concatenate([np.arange(ends[at], ends[at + 1]) for at in pack]))]
            some = values if len(pack) == 1 else Apart(values, data.codes)
            inside = _inside(some, rows, sizes[pack], exponent, ties)
            out.append(inside._replace(cluster=pack[inside.cluster]))
            done(1)
    rows, core = (xp.concatenate(parts) for parts in ([part.rows for part in out], [part.core for part in out]))
    cluster, sparseness = (np.concatenate([part[at] for part in out]) for at in (2, 3))
    return _Inside(rows, core, cluster, sparseness)


def _packs(sizes: Array) -> list[Array]:
    """Group the clusters of more than one row: small ones together, since each step costs more than their pairs."""
    clusters = np.flatnonzero(sizes > 1)
    packs, rows = [0], 0
    for at, size in enumerate(sizes[clusters].tolist()):
        rows += size
        if rows > PACK and at > packs[-1]:
            packs.append(at)
            rows = size
    return np.split(clusters, packs[1:])


def _inside(values: Values, rows: Array, sizes: Array, exponent: float, ties: str) -> _Inside:
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    core = core_values(values, rows, exponent, np.repeat(sizes - 1, sizes))
    if ties == "density":
        order = _by_density(values, rows, core, cluster)
        rows, core = rows[order], core[order]
    tree = spanning_trees(values, rows, core, cluster)
    inner = tree.degrees(len(rows)) > 1
    # A tree without inner edges counts with all its edges, one without inner rows with all its rows.
    internal = inner[tree.left] & inner[tree.right]
    internal |= ~np.isin(cluster[tree.left], cluster[tree.left[internal]])
    inner |= ~np.isin(cluster, cluster[inner])
    sparseness = np.zeros(len(sizes))
    np.maximum.at(sparseness, cluster[tree.left[internal]], tree.weight[internal])
    at = values.xp.asarray(np.flatnonzero(inner))
    return _Inside(rows[at], core[at], cluster[inner], sparseness)


def _by_density(values: Values, rows: Array, core: Array, cluster: Array) -> Array:
    """Order the rows of a cluster from the densest on; equal ones by what they hold, not by where they stand in X."""
    xp = values.xp
    of = xp.asarray(cluster, dtype=np.float64)
    order: Array = xp.lexsort(xp.stack([core, of]))
    same = core[order][1:] == core[order][:-1]
    if not same.any():
        return order
    end = xp.zeros(1, dtype=bool)
    tied = order[xp.concatenate([same, end]) | xp.concatenate([end, same])]
    key = xp.zeros(len(rows))
    key[tied] = values.keys(rows[tied])
    return xp.lexsort(xp.stack([key, core, of]))  # type: ignore[no-any-return]


def _separations(values: Values, inside: _Inside) -> tuple[Array, Array]:
    """Smallest mutual reachability of each cluster's inner rows to another's, as a value, and that other."""
    xp, cluster = values.xp, inside.cluster
    weight, partner = lightest_edges(values, inside.rows, inside.core, xp.asarray(cluster), xp.arange(len(cluster)))
    order = np.lexsort((weight, cluster))  # the lightest of each cluster comes first
    best = order[np.flatnonzero(np.diff(cluster, prepend=-1))]
    return weight[best], cluster[partner[best]]
