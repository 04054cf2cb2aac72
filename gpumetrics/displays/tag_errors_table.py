"""The lines of a plot of tag errors: the tags with most errors, and one for all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["TagErrorLines", "error_lines"]

MOST_TAGS = 30  # tags with a line of their own


@dataclass(eq=False, kw_only=True)
class TagErrorLines:
    """Scores and errors of tags, the one with most errors first.

    Parameters
    ----------
    labels : ndarray of shape (n_shown,)
        Tags.
    places : ndarray of shape (n_shown,), int64
        Where they stand among all tags.
    precision, recall : ndarray of float64, shape (n_lines,)
        nan where undefined. Here and below there is one line more than tags where tags are folded: that of all others
        together.
    support, missed, invented : ndarray of shape (n_lines,)
        True tags, false negatives and false positives; weighted if the documents are.
    n_others : int
        Tags in the last line; 0 where there is none.
    n_labels, n_documents : int
        All tags, and the documents that were scored.
    """

    labels: Array
    places: Array
    precision: Array
    recall: Array
    support: Array
    missed: Array
    invented: Array
    n_others: int
    n_labels: int
    n_documents: int


def error_lines(table: dict[str, Array], n_documents: int) -> dict[str, Any]:
    """Compute the fields of `TagErrorLines`.

    Parameters
    ----------
    table : dict of str to ndarray of shape (n_labels,)
        ``TagReport.per_label``.
    n_documents : int
    """
    missed, invented = table["false_negatives"], table["false_positives"]
    order = np.lexsort((-table["support"], -(missed + invented)))  # stable: of equal ones the first
    shown, others = order[:MOST_TAGS], order[MOST_TAGS:]
    if len(others) == 1:  # whose own line takes no more room
        shown, others = order, others[:0]
    columns = {"support": table["support"], "missed": missed, "invented": invented}
    columns |= {name: table[name] for name in ("precision", "recall")}
    fields: dict[str, Any] = {name: column[shown] for name, column in columns.items()}
    if len(others):
        right, lost, made = (float(column[others].sum()) for column in (table["true_positives"], missed, invented))
        together = {
            "precision": right / (right + made) if right + made else np.nan,
            "recall": right / (right + lost) if right + lost else np.nan,
            **{name: columns[name][others].sum() for name in ("support", "missed", "invented")},
        }
        fields = {name: np.append(column, together[name]) for name, column in fields.items()}
    named = {"labels": table["label"][shown], "places": shown, "n_others": len(others)}
    return fields | named | {"n_labels": len(order), "n_documents": n_documents}
