"""What a flat view of clustered rows holds: few points as they are, many as counts; centres, and marked rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.clustering.fitted import n_rows
from gpumetrics.displays.embedding_cells import cells_of
from gpumetrics.evaluation.samples import ClusterRows
from gpumetrics.evaluation.stratified import random_source, strata_of, stratified_rows
from gpumetrics.features import check_features
from gpumetrics.validation import check_consistent_length, encode_labels, noise_mask

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.displays.embedding_cells import Cells
    from gpumetrics.types import Array
    from gpumetrics.validation import Labels

__all__ = ["FlatView", "MarkedRows", "Points", "flat_view"]

MOST_POINTS = 2_000  # rows that are drawn one by one
MOST_ROWS = 100_000  # rows that the histogram is made of
MOST_MARKED = 60  # rows of a kind
CLEAR = 0.001  # share of the rows from which a cluster's centre is always within the frame
EXPONENT = 300  # of 2: beyond it coordinates are scaled, since their squares leave float64


class Points(NamedTuple):
    """Rows one by one.

    Attributes
    ----------
    coordinates : ndarray of shape (n_points, 2), float64
    codes : ndarray of shape (n_points,), int64
        The cluster of each point; -1 for noise.
    """

    coordinates: Array
    codes: Array


class MarkedRows(NamedTuple):
    """Rows with a marker of their own.

    Attributes
    ----------
    rows : ndarray of shape (n_marked,), int64
        Their numbers in X.
    points : ndarray of shape (n_marked, 2), float64
    n_chosen : int
        Rows that were to be marked.
    """

    rows: Array
    points: Array
    n_chosen: int


@dataclass(eq=False, kw_only=True)
class FlatView:
    """Coordinates in two dimensions, as points or as counts, and whose they are.

    Coordinates are those of X (of the sampled rows' mean, along principal axes), unless they are so large or small
    that they are scaled by a power of two.

    Parameters
    ----------
    clusters : ndarray of shape (n_clusters,)
        Labels, noise left out.
    sizes : ndarray of shape (n_clusters,), int64
        Rows of each cluster, drawn or not.
    centres : ndarray of shape (n_clusters, 2), float64
        Mean of each cluster's drawn rows; nan where there are none.
    n_samples, n_noise, n_drawn : int
        Rows in all, those that are noise, and those that are drawn or counted.
    n_features : int
        Columns of X; 0 where coordinates were given.
    shares : ndarray of shape (2,), or None
        Share of the variance along each axis; None where coordinates were given.
    frame : ndarray of shape (4,), float64
        The least and the largest coordinate that is shown, of the first axis and of the second.
    n_outside : int
        Drawn rows that lie outside the frame.
    points : Points or None
        Up to 2,000 rows one by one.
    cells : Cells or None
        Counts of drawn rows, where there are more.
    representatives, ambiguous : MarkedRows or None
    """

    clusters: Array
    sizes: Array
    centres: Array
    n_samples: int
    n_noise: int
    n_drawn: int
    n_features: int
    shares: Array | None
    frame: Array
    n_outside: int
    points: Points | None = None
    cells: Cells | None = None
    representatives: MarkedRows | None = None
    ambiguous: MarkedRows | None = None


def flat_view(
    X: Any, labels: Any, coordinates: Any, noise_label: Any, marked: dict[str, Any], random_state: Any
) -> dict[str, Any]:
    """Compute the fields of a `FlatView`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Read only where there are no coordinates.
    labels : array-like of shape (n_samples,)
    coordinates : array-like of shape (n_samples, 2) or None
    noise_label : label or None
    marked : dict of str to ClusterRows or None
        By the name of the argument.
    random_state : int, Generator, RandomState or None

    Raises
    ------
    ValueError
        For coordinates that are not two finite numbers for each row; what `check_features` and `encode_labels` refuse.
    TypeError
        If what is to be marked is no ClusterRows.
    """
    source = random_source(random_state)
    with on_device_of(X=X, labels=labels, coordinates=coordinates):
        encoded = encode_labels(labels)
        numbers = {name: _row_numbers(name, chosen, encoded) for name, chosen in marked.items()}
        read, facts = _reader(X, coordinates, encoded.n_samples, source)
        noise = noise_mask(encoded, noise_label)
        noise_code = None if noise is None else int(encoded.codes[int(noise.argmax())])
        rows = _drawn(encoded, source)
        codes = as_host(encoded.codes[beside(rows, encoded.codes)])
        read_once = read(np.concatenate([rows, *numbers.values()]))
    classes, sizes = encoded.classes, encoded.counts
    if noise_code is not None:
        codes = np.where(codes == noise_code, -1, codes - (codes > noise_code))
        classes, sizes = np.delete(classes, noise_code), np.delete(sizes, noise_code)
    points, *others = np.split(_workable(read_once), np.cumsum([len(rows), *map(len, numbers.values())])[:-1])
    found: dict[str, Any] = {
        name: None if marked[name] is None else MarkedRows(number, other, len(marked[name]))
        for (name, number), other in zip(numbers.items(), others, strict=True)
    }
    n, n_noise = encoded.n_samples, encoded.n_samples - int(sizes.sum())
    found |= {"clusters": classes, "sizes": sizes, "n_samples": n, "n_noise": n_noise, "n_drawn": len(rows)}
    return found | facts | _shown(points, codes, sizes >= CLEAR * n)


def _shown(points: Array, codes: Array, clear: Array) -> dict[str, Any]:
    """Return the fields about the drawn rows; `clear` marks the clusters that are to be within the frame."""
    centres = _centres(points, codes, len(clear))
    frame = _frame(points, centres[clear])
    inside = ((points >= frame[::2]) & (points <= frame[1::2])).all(axis=1)
    found = {"centres": centres, "frame": frame, "n_outside": int((~inside).sum())}
    if len(points) <= MOST_POINTS:
        return found | {"points": Points(points, codes)}
    return found | {"cells": cells_of(points[inside], codes[inside], len(clear), frame)}


def _row_numbers(name: str, chosen: Any, encoded: Labels) -> Array:
    """Return the rows to mark: of very many the first choices of the largest clusters."""
    if chosen is None:
        return np.empty(0, dtype=np.int64)
    if not isinstance(chosen, ClusterRows):
        msg = f"{name} must be what gpumetrics.{name}(X, labels) returns, or None, got {type(chosen).__name__}."
        raise TypeError(msg)
    rows, n = chosen.table["row"], encoded.n_samples
    if len(rows) and int(rows.max()) >= n:
        msg = f"{name} must be of the same X: it has row {int(rows.max())}, and there are {n} rows."
        raise ValueError(msg)
    if len(rows) <= MOST_MARKED:
        return rows
    place = np.concatenate([np.arange(len(mine)) for mine in chosen.by_cluster.values()])
    sizes = encoded.counts[as_host(encoded.codes[beside(rows, encoded.codes)])]
    return rows[np.lexsort((-sizes, place))[:MOST_MARKED]]


def _reader(X: Any, coordinates: Any, n: int, source: Any) -> tuple[Callable[[Array], Array], dict[str, Any]]:
    """Return what gives the coordinates of rows by their numbers, and what is to be said of the axes."""
    if coordinates is not None:
        given = check_features(coordinates, name="coordinates").plain()
        check_consistent_length(given.n_samples, n if X is None else n_rows(X), n)
        if given.n_features != 2:
            msg = f"coordinates must have two columns, got {given.n_features}."
            raise ValueError(msg)
        return lambda rows: as_host(given.subset(rows).rows(slice(None))), {"n_features": 0, "shares": None}
    from gpumetrics.statistics.principal_axes import principal_axes

    features = check_features(X, accept_sparse=True)
    check_consistent_length(features.n_samples, n)
    found = principal_axes(features, choose(features.data).ops, source)
    facts = {"n_features": features.n_features, "shares": found.shares}
    return lambda rows: found.project(features.subset(rows)), facts


def _drawn(encoded: Labels, source: Any) -> Array:
    """Return the rows that are drawn: all, or a random sample in which no cluster that it has room for is missing."""
    n = encoded.n_samples
    if n <= MOST_ROWS:
        return np.arange(n)
    stratum = strata_of(encoded.counts, MOST_ROWS)
    counts = np.bincount(stratum, weights=encoded.counts).astype(np.int64)
    return stratified_rows(beside(stratum, encoded.codes)[encoded.codes], counts, MOST_ROWS, source)


def _workable(points: Array) -> Array:
    """Scale coordinates whose squares leave float64, which a plot cannot be made of."""
    exponent = int(np.frexp(np.abs(points).max())[1])
    return np.ldexp(points, -exponent) if abs(exponent) > EXPONENT else points


def _centres(points: Array, codes: Array, k: int) -> Array:
    member = codes >= 0
    n = np.bincount(codes[member], minlength=k)
    with np.errstate(invalid="ignore"):
        sums = [np.bincount(codes[member], points[member, axis], k) for axis in (0, 1)]
        return np.stack(sums, axis=1) / n[:, None]


def _frame(points: Array, centres: Array) -> Array:
    """Return the part of the plane to show: some rows far out must not press all others into one spot."""
    first, last = np.quantile(points, [0.01, 0.99], axis=0)
    reach = (last - first) / 2
    low, high = first - reach, last + reach
    narrow = reach == 0
    low, high = np.where(narrow, -np.inf, low), np.where(narrow, np.inf, high)
    low, high = np.maximum(low, points.min(axis=0)), np.minimum(high, points.max(axis=0))
    low = np.fmin(low, np.fmin.reduce(centres, axis=0, initial=np.inf))  # which pass over centres that are nan
    high = np.fmax(high, np.fmax.reduce(centres, axis=0, initial=-np.inf))
    margin = 0.03 * (high - low)
    largest = max(float((high - low).max()), float(np.abs([low, high]).max()) * 1e-6, 1e-300)
    margin = np.where(margin == 0, 0.1 * largest, margin)
    return np.stack([low - margin, high + margin], axis=1).ravel()
