"""Distances to and between centroids on the CPU: thin matrix products, and differences where a product is inexact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.numpy_moments import threads_for
from gpumetrics.backends.numpy_tiles import replace_small
from gpumetrics.backends.threads import one_blas_thread, spans, thread_map
from gpumetrics.features import BLOCK

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array

CLOSE = 0.5e-4  # share of the norms below which a squared distance comes from the difference itself
COINCIDENT = 4 * np.finfo(np.float64).eps


def centroid_means(
    features: Features,
    codes: Array,
    sizes: Array,
    anchor: Array,
    shift: Array,
    extra: Array,
    weight: float,
    floor: float,
) -> tuple[Array, Array]:
    """Mean distances of each row in closed form: to the other members of its cluster, and to the nearest other.

    The mean distance to all members of a cluster is ``weight * |x - centroid|^2 + extra``.

    Parameters
    ----------
    features : Features
    codes : ndarray of shape (n_samples,), int64
        The row's own cluster.
    sizes : ndarray of shape (n_clusters,), int64
    anchor, shift : ndarray of shape (n_clusters, n_features), float64
        Centroids, as `cluster_means` gives them.
    extra : ndarray of shape (n_clusters,), float64
    weight : float
    floor : float
        Squared distances up to this are 0: they are the rounding of the rows.

    Returns
    -------
    own, nearest : ndarray of shape (n_samples,), float64
    """
    share = sizes / np.maximum(sizes - 1, 1)  # the mean over all members counts the row itself, at distance 0
    k, d = anchor.shape
    base = anchor.mean(axis=0)
    centre = (anchor - base) + shift
    norms, minus_twice = np.vecdot(centre, centre), -2 * centre
    own, nearest = np.empty(features.n_samples), np.full(features.n_samples, np.inf)
    columns = spans(k, 1024)

    def one(block: slice) -> None:
        raw, mine = features.rows(block), codes[block]
        x = raw - base if base.any() else raw
        x_norms = np.vecdot(x, x)
        for part in columns:
            squares = x @ minus_twice[part].T
            squares += x_norms[:, None]
            squares += norms[part]
            limit = CLOSE * float(x_norms.max() + norms[part].max())
            _mend(squares, max(limit, 2 * floor), raw, anchor[part], shift[part], floor)
            squares *= weight
            squares += extra[part]
            here = np.flatnonzero((mine >= part.start) & (mine < part.stop))
            at = here, mine[here] - part.start
            own[block.start + here] = squares[at] * share[mine[here]]
            squares[at] = np.inf
            np.minimum(nearest[block], squares.min(axis=1), out=nearest[block])

    step = max(1, BLOCK // max(d, min(k, 1024)))
    thread_map(one, spans(features.n_samples, step), threads=threads_for(features, 1 + k // 16))
    return own, nearest


def _mend(squares: Array, limit: float, rows: Array, anchor: Array, shift: Array, floor: float) -> None:
    def direct(i: Array, c: Array) -> Array:
        difference = (rows[i] - anchor[c]) - shift[c]
        out: Array = np.vecdot(difference, difference)
        out[out <= floor] = 0
        return out

    replace_small(squares, limit, direct, rows.shape[1])


def worst_partners(anchor: Array, shift: Array, spread: Array, rms: Array) -> tuple[Array, Array, Array]:
    """Each cluster's most similar other, by Davies and Bouldin's R, and the one with the nearest centroid.

    Parameters
    ----------
    anchor, shift : ndarray of shape (n_clusters, n_features), float64
        Centroids, as `cluster_means` gives them.
    spread, rms : ndarray of shape (n_clusters,), float64
        Mean, and root mean square, of the members' distances to their centroid.

    Returns
    -------
    ratio : ndarray of shape (n_clusters,), float64
        Largest R; inf where centroids coincide, nan where neither cluster has any spread either.
    partner, nearest : ndarray of shape (n_clusters,), int64
    """
    k = len(anchor)
    centre = (anchor - anchor.mean(axis=0)) + shift
    norms = np.vecdot(centre, centre)
    ratio = np.empty(k)
    partner, nearest = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)

    def one(rows: slice) -> None:
        gaps = _gaps(anchor, shift, centre, norms, rms, rows)
        at = np.arange(len(gaps)), np.arange(rows.start, rows.stop)
        gaps[at] = np.inf
        nearest[rows] = np.argmin(gaps, axis=1)
        similarity = _similarity(gaps, spread, rows)
        similarity[at] = -np.inf
        partner[rows] = np.argmax(similarity, axis=1)  # nan counts as the largest
        ratio[rows] = similarity[at[0], partner[rows]]

    blocks = spans(k, max(1, (1 << 20) // k))
    thread_map(one, blocks, threads=None if len(blocks) > 1 else 1)
    return ratio, partner, nearest


def similarities(anchor: Array, shift: Array, spread: Array, rms: Array) -> Array:
    """Davies and Bouldin's R of every pair, (n_clusters, n_clusters) float64, zero on the diagonal."""
    every = slice(0, len(anchor))
    centre = (anchor - anchor.mean(axis=0)) + shift
    with one_blas_thread():
        gaps = _gaps(anchor, shift, centre, np.vecdot(centre, centre), rms, every)
    out = _similarity(gaps, spread, every)
    np.fill_diagonal(out, 0.0)
    return out


def _similarity(gaps: Array, spread: Array, rows: slice) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        out: Array = (spread[rows, None] + spread) / gaps
    return out


def _gaps(anchor: Array, shift: Array, centre: Array, norms: Array, rms: Array, rows: slice) -> Array:
    """Distances between some centroids and all; 0 within the rounding of the two means, since they coincide then.

    `centre` is the centroids about a common point, `norms` their squared lengths.
    """
    squares = (centre[rows] * -2) @ centre.T
    squares += norms[rows, None]
    squares += norms
    here_anchor, here_shift = anchor[rows], shift[rows]

    def direct(i: Array, j: Array) -> Array:
        difference = (here_anchor[i] - anchor[j]) + (here_shift[i] - shift[j])
        out: Array = np.vecdot(difference, difference)
        return out

    replace_small(squares, CLOSE * float(norms[rows].max() + norms.max()), direct, anchor.shape[1])
    gaps: Array = np.sqrt(squares, out=squares)
    gaps[gaps <= COINCIDENT * (rms[rows, None] + rms)] = 0.0
    return gaps
