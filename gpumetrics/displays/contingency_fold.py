"""A contingency table of any size made small enough to be looked at: ordered by a matching, the rest added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.label_arrays import class_values
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.validation import Labels, noise_mask

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["MOST_SHOWN", "Folded", "fold"]

MOST_SHOWN = 40  # clusters, and classes


@dataclass(eq=False, kw_only=True)
class Folded:
    """Counts of rows by cluster and class.

    Parameters
    ----------
    counts : ndarray of shape (n_rows, n_columns), int64
        Rows of the data by cluster and class, as drawn; all of them are in it.
    clusters, classes : list
        Labels of the clusters and the classes drawn. `counts` has further rows for the others, and for noise, and a
        further column for other classes.
    places : ndarray of shape (n_clusters_drawn,), int64
        Place of each of these clusters among all of them, in the order of their labels, noise left out.
    matched : int
        So many clusters and classes, the first ones, are matched.
    n_clusters, n_classes : int
        In all, without noise.
    has_noise : bool
        Whether the last row of `counts` is noise.
    """

    counts: Array
    clusters: list[Any]
    classes: list[Any]
    places: Array
    matched: int
    n_clusters: int
    n_classes: int
    has_noise: bool = False


def fold(labels_true: Any, labels_pred: Any, noise_label: Any, most: int) -> dict[str, Any]:
    """Count rows by cluster and class, and keep the most important of both: the fields of `Folded`.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
    noise_label : label or None
    most : int
        Rows and columns at most, those for the rest included; noise has one more.

    Raises
    ------
    ValueError
        If `most` is below 2, and as in `Contingency.from_clusterings`.
    """
    if most < 2:
        msg = f"most must be 2 or more, got {most!r}"
        raise ValueError(msg)
    table = Contingency.from_clusterings(labels_true, labels_pred)
    row_classes, col_classes = table.known_classes()
    noise = _place_of(col_classes, table.col_margins, noise_label)
    real = np.flatnonzero(np.arange(table.n_clusters) != noise)
    clusters = _largest(real, table.col_margins, most)
    classes = _classes_of(table, clusters, most)
    counts = _added_up(table, clusters, classes, noise)
    rows, columns, matched = _order(counts[: len(clusters), : len(classes)])
    clusters, classes = clusters[rows], classes[columns]
    return {
        "counts": _added_up(table, clusters, classes, noise),
        "clusters": list(class_values(col_classes[clusters])),
        "classes": list(class_values(row_classes[classes])),
        "places": np.searchsorted(real, clusters),
        "matched": matched,
        "n_clusters": len(real),
        "n_classes": table.n_classes,
        "has_noise": noise >= 0,
    }


def _place_of(classes: Array, sizes: Array, noise_label: Any) -> int:
    """Return the place of the noise label among the labels; -1 if it is not there."""
    mask = noise_mask(Labels(np.arange(len(classes)), classes, sizes), noise_label)
    return -1 if mask is None else int(np.flatnonzero(mask)[0])


def _largest(which: Array, sizes: Array, most: int) -> Array:
    """Return the largest of these, all of them if they are not more than `most`; else there is room for a rest."""
    order = which[np.argsort(-sizes[which], kind="stable")]
    return order if len(order) <= most else order[: most - 1]


def _classes_of(table: Contingency, clusters: Array, most: int) -> Array:
    """Return the classes of which these clusters have the most rows, then the largest of the others."""
    order = np.lexsort((table.rows, -table.counts, table.cols))
    first = np.searchsorted(table.cols[order], clusters)
    held = table.rows[order[first]]
    by_size = np.argsort(-table.row_margins, kind="stable")
    wanted = np.array(list(dict.fromkeys([*held.tolist(), *by_size.tolist()])), dtype=np.int64)
    return wanted if len(wanted) <= most else wanted[: most - 1]


def _added_up(table: Contingency, clusters: Array, classes: Array, noise: int) -> Array:
    """Return the counts of these clusters and classes, then a row and a column of the rest, then a row of noise."""
    n_rest = table.n_clusters - len(clusters) - (noise >= 0)
    rest_row, rest_column = len(clusters), len(classes)
    row_of = np.full(table.n_clusters, rest_row)
    row_of[clusters] = np.arange(len(clusters))
    if noise >= 0:
        row_of[noise] = rest_row + (n_rest > 0)
    column_of = np.full(table.n_classes, rest_column)
    column_of[classes] = np.arange(len(classes))
    shape = rest_row + (n_rest > 0) + (noise >= 0), rest_column + (table.n_classes > len(classes))
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (row_of[table.cols], column_of[table.rows]), table.counts)
    return counts


def _order(counts: Array) -> tuple[Array, Array, int]:
    """Return the order of rows and columns, matched ones first, the largest pair of all at the top; and how many are.

    Those that are not matched follow by size.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(counts, maximize=True)
    held = counts[rows, columns]
    best = np.argsort(-held, kind="stable")[: np.count_nonzero(held)]
    rows, columns = rows[best], columns[best]
    return _others_last(rows, counts.sum(axis=1)), _others_last(columns, counts.sum(axis=0)), len(best)


def _others_last(first: Array, sizes: Array) -> Array:
    order = np.argsort(-sizes, kind="stable")
    return np.concatenate([first, order[~np.isin(order, first)]])
