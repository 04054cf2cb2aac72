"""What no implementation can do without, bare: the products, the passes over the data, the sorts.

Each limit is given as one or more forms of the same work (BLAS's own threads; a part per core); the fastest counts.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .clock import Side
from .peers.peer import one_blas_thread

TILE = 1024  # rows and columns of a tile of the product of all pairs
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def limit_sides(job, args, ours):
    """The forms of a case's limit as sides, on the arguments as our own side gets them."""
    if job.case.limit == "none":
        return {}
    common = {"given": ours.given, "synchronize": ours.synchronize}
    forms = LIMITS[job.case.limit](job, ours).items()
    return {("limit", form): Side(call, args, around=around, **common) for form, (call, around) in forms}


def _on_device(job):
    return job.backend != "numpy"


def _spread(call, parts):
    """Do something for each part, the parts shared out to the cores."""
    with ThreadPoolExecutor(CORES) as pool:
        for _ in pool.map(call, parts):
            pass


def _two_ways(job, ours, plain, parts):
    """A call by BLAS's own threads, and its parts on all cores with one BLAS thread each."""
    forms = {"plain": (plain, ours.around)}
    if not _on_device(job):
        forms["a part per core"] = (parts, one_blas_thread)
    return forms


def _half_gemm(job, ours):
    """The upper triangle of X @ X.T, in tiles."""
    n = job.shape.n
    tile = TILE if not _on_device(job) else 8 * TILE
    tiles = [(i, j) for i in range(0, n, tile) for j in range(i, n, tile)]

    def one(X, ij):
        return X[ij[0] : ij[0] + tile] @ X[ij[1] : ij[1] + tile].T

    def plain(X, _labels):
        for ij in tiles:
            one(X, ij)

    return _two_ways(job, ours, plain, lambda X, _labels: _spread(lambda ij: one(X, ij), tiles))


def _pieces(array):
    """A flat array in so many parts that all cores are busy."""
    return np.array_split(array.reshape(-1), 4 * CORES)


def _read(job, ours):
    """Every argument is read once."""

    def plain(*args):
        for array in args:
            array.max()

    def parts(*args):
        for array in args:
            _spread(np.max, [piece for piece in _pieces(array) if piece.size])

    return _two_ways(job, ours, plain, parts)


def _read_stored(_job, ours):
    """The stored entries of sparse matrices are read once."""
    return {"plain": (lambda *args: [array.max() for part in args for array in (part.data, part.indices)], ours.around)}


def _read_and_product(job, ours):
    """X is read once, and multiplied with k rows."""
    k = job.shape.k

    def plain(X, _labels):
        X.max()
        X @ X[:k].T

    def parts(X, _labels):
        centres = X[:k].T.copy()
        _spread(lambda piece: (piece.max(), piece @ centres), np.array_split(X, 4 * CORES))

    return _two_ways(job, ours, plain, parts)


def _sorted_features(job, ours):
    """Each feature is sorted."""

    def parts(X, _labels):
        _spread(np.sort, np.ascontiguousarray(X.T))

    return _two_ways(job, ours, lambda X, _labels: X.T.copy().sort(axis=1), parts)


def _counted(job, ours):
    """One pass over the labels, which are codes already: how often each pair of them stands."""
    k = job.shape.k

    def counted(*labels):
        joint = labels[0] if len(labels) == 1 else labels[0] * k + labels[1]
        return (np if isinstance(joint, np.ndarray) else _cupy()).bincount(joint)

    return {"plain": (counted, ours.around)}


def _sorted_labels(job, ours):
    """Each labeling is sorted."""

    def plain(*labels):
        for part in labels:
            part.sort()

    return _two_ways(job, ours, plain, lambda *labels: _spread(lambda part: part.sort(), labels))


def _one_silhouette(_job, ours):
    """Ours, of one labeling."""
    import gpumetrics as gm  # noqa: PLC0415

    return {"plain": (lambda X, labelings: gm.silhouette_score(X, labelings[len(labelings) // 2]), ours.around)}


def _cupy():
    import cupy  # noqa: PLC0415

    return cupy


LIMITS = {
    "half GEMM": _half_gemm,
    "one pass over X": lambda job, ours: _without_labels(_read(job, ours)),
    "one pass over X and the thin product": _read_and_product,
    "one sort of each feature": _sorted_features,
    "one pass over the labels": _counted,
    "one sort of the labels": _sorted_labels,
    "one pass over the tags": _read,
    "one pass over what is stored": _read_stored,
    "one silhouette": _one_silhouette,
}


def _without_labels(forms):
    return {name: (lambda X, _labels, call=call: call(X), around) for name, (call, around) in forms.items()}
