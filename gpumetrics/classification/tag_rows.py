"""Documents that are no tag sets but rows of an indicator matrix, in lists or in a column of lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.classification.tag_columns import FlatLists
    from gpumetrics.types import Array

__all__ = ["CellRows", "indicator_rows", "refuse_rows"]

CELLS: set[Any] = {0, 1}
TEXT_CELLS: set[Any] = {"0", "1"}


class CellRows(NamedTuple):
    """Rows of zeros and ones.

    Attributes
    ----------
    cells : ndarray of bool, shape (n_labelled, n_columns)
    labelled : ndarray of bool, shape (n_documents,), or None
    certain : bool
        Whether they came as an array; or there are several, and one has a value twice: as tags, 0 and 1 would stand in
        a document once.
    """

    cells: Array
    labelled: Array | None
    certain: bool


def indicator_rows(sides: Mapping[str, FlatLists], n_matrices: int = 0) -> dict[str, CellRows]:
    """Find the sides whose documents are all of one length, above 1 in lists, and hold only 0 and 1, in order.

    As tag sets nearly all of them were equal, whatever their cells. Lists beside tags must repeat a value in a row.

    Parameters
    ----------
    sides : mapping of str to FlatLists
        By the names of the arguments.
    n_matrices : int, default=0
        How many other sides are matrices.

    Raises
    ------
    ValueError
        If the cells are text.
    """
    found = {name: rows for name, side in sides.items() if (rows := _rows_of_cells(side, name)) is not None}
    if len(found) + n_matrices > 1:
        return found
    return {name: rows for name, rows in found.items() if rows.certain}


def refuse_rows(sides: Mapping[str, FlatLists]) -> None:
    """Raise for rows of an indicator matrix where only tag sets are taken."""
    for name in indicator_rows(sides):
        msg = (
            f"{name} is a matrix already, not sets of tags: its documents are all of one length and hold only 0 and "
            f"1. Give np.array({name}) to the scores, or to evaluate_tags; tags that are called 0 and 1 come as sets."
        )
        raise ValueError(msg)


def _rows_of_cells(side: FlatLists, name: str) -> CellRows | None:
    lengths = side.lengths if side.labelled is None else side.lengths[side.labelled]
    width = int(lengths[0]) if len(lengths) else 0
    if side.form == "sets" or width < (1 if side.form == "array" else 2) or bool((lengths != width).any()):
        return None
    if not _only_cells(side.tags[:width]) or not _only_cells(side.tags):
        return None
    text = isinstance(side.tags[0], str)
    cells = (np.array(side.tags) == ("1" if text else 1)).reshape(-1, width)
    repeats = len(cells) > 1 and (width > 2 or bool((cells[:, :1] == cells[:, 1:]).any()))
    certain = side.form == "array" or repeats
    if text and certain:
        msg = f"{name} holds rows of the text '0' and '1': make an indicator matrix of numbers of them."
        raise ValueError(msg)
    return None if text else CellRows(cells, side.labelled, certain)


def _only_cells(values: list[Any]) -> bool:
    try:
        distinct = set(values)
    except TypeError:  # an entry that cannot be hashed
        return False
    return distinct <= CELLS or distinct <= TEXT_CELLS
