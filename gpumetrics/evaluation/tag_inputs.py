"""The door of `evaluate_tags`: tag sets and indicator matrices, brought to the same documents and tags."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_places import is_cudf
from gpumetrics.backends.interop import host_array, is_device_array
from gpumetrics.classification.sides import column_names, is_sparse
from gpumetrics.classification.tag_sets import TagSets, Vocabulary, kind_of, read_tag_sets
from gpumetrics.classification.tags import encode_sides, named
from gpumetrics.evaluation.tag_matrices import read_cells

if TYPE_CHECKING:
    from gpumetrics.classification.tags import EncodedTags

__all__ = ["read_tags"]

NESTED = (list, tuple)


def read_tags(y_true: Any, y_pred: Any, settings: dict[str, Any], notes: dict[str, str]) -> EncodedTags:
    """Encode both sides, of whatever form; what was done to make them comparable goes into `notes`.

    Parameters
    ----------
    y_true, y_pred : tag sets or matrices
    settings : dict
        ``classes``, ``unknown`` and ``exclude``.
    notes : dict

    Raises
    ------
    ValueError, TypeError
        As in `evaluate_tags`.
    """
    y_pred = _rows_in_order(y_true, y_pred, notes)
    sides = {"y_true": y_true, "y_pred": y_pred}
    nested = [name for name, side in sides.items() if _is_nested_matrix(side)]
    if nested and all(name in nested or _is_matrix(side) for name, side in sides.items()):
        sides |= {name: np.array(sides[name]) for name in nested}
        notes["nested_lists"] = (
            "The lists are all of one length and hold only 0 and 1: they were read as rows of an indicator matrix. "
            "Tags that are called 0 and 1 come as sets."
        )
    matrices = {name for name, side in sides.items() if _is_matrix(side)}
    names = {name: column_names(side) for name, side in sides.items() if name in matrices}
    _check_names(names, notes)
    vocabulary, classes = Vocabulary(), settings["classes"]
    found = {}
    for name, side in sorted(sides.items(), key=lambda item: item[0] in matrices):  # tags show what scores are
        if name in matrices:
            found[name] = _read_matrix(side, name, names, classes, vocabulary)
        else:
            found[name] = read_tag_sets(side, name, vocabulary)
    return encode_sides(
        found["y_true"],
        found["y_pred"],
        vocabulary,
        classes=classes,
        unknown=settings["unknown"],
        exclude=settings["exclude"],
        in_order=len(matrices) == 2,
    )


def _is_matrix(values: Any) -> bool:
    """Whether it is an indicator matrix, or means to be one: not a sequence of documents."""
    if is_sparse(values) or column_names(values) is not None:
        return True
    if is_device_array(values):
        return not is_cudf(values)  # one column: of lists
    array = values if isinstance(values, np.ndarray) else None
    if array is None and not isinstance(values, list | tuple):
        foreign = host_array(values)
        array = None if foreign is None else foreign[0]
    return array is not None and array.ndim > 1 and array.dtype.kind in "biufc"


def _is_nested_matrix(values: Any) -> bool:
    """Whether lists hold 0 and 1 only and are of one length, above 1, as scikit-learn takes matrices."""
    if not isinstance(values, NESTED) or not values or not isinstance(values[0], NESTED) or len(values[0]) < 2:
        return False
    try:
        if not set(values[0]) <= {0, 1} or not all(isinstance(row, NESTED) for row in values):
            return False
        return set(map(len, values)) == {len(values[0])} and set(chain.from_iterable(values)) <= {0, 1}
    except TypeError:  # an entry that cannot be hashed
        return False


def _check_names(names: dict[str, list[Any] | None], notes: dict[str, str]) -> None:
    """Refuse columns of different names; say so where they are compared by name, or cannot be."""
    for name, columns in names.items():
        if columns and len(set(columns)) < len(columns):
            twice = [column for at, column in enumerate(columns) if column in columns[:at]]
            msg = f"{name} has more than one column of the name {named(twice)}."
            raise ValueError(msg)
    if len(names) < 2:
        return
    ours, theirs = names["y_true"], names["y_pred"]
    if ours and theirs and ours != theirs:
        in_both = set(ours) & set(theirs)
        lacking, extra = ([column for column in side if column not in in_both] for side in (ours, theirs))
        if lacking or extra:
            parts = [f"y_pred has no {named(lacking)}"] * bool(lacking) + [f"y_true has no {named(extra)}"] * bool(
                extra
            )
            msg = (
                f"The columns of y_true and y_pred have different names: {'; '.join(parts)}. Columns are compared by "
                "name, never by position: give both the same ones."
            )
            raise ValueError(msg)
        notes["columns"] = (
            "The columns of y_pred stand in another order than those of y_true: they were compared by their names."
        )
    elif bool(ours) != bool(theirs):
        named_side, bare = ("y_true", "y_pred") if ours else ("y_pred", "y_true")
        notes["columns"] = (
            f"Only the columns of {named_side} have names; those of {bare} were taken to be the same, in the "
            "same order."
        )


def _read_matrix(
    matrix: Any, name: str, names: dict[str, list[Any] | None], classes: Any, vocabulary: Vocabulary
) -> TagSets:
    cells = read_cells(matrix, name)
    columns = names[name] or next((other for other in names.values() if other), None)
    if columns is None:
        columns = list(range(cells.n_columns)) if classes is None else list(classes)
        if classes is None and len(names) < 2:
            msg = f"{name} is a matrix without names of columns, and the other side has tags: give classes."
            raise ValueError(msg)
    if cells.n_columns != len(columns):
        msg = f"{name} has {cells.n_columns} columns, but there are {len(columns)} tags: {named(columns)}."
        raise ValueError(msg)
    if (
        vocabulary
        and len(names) == 2
        and classes is None
        and not any(names.values())
        and len(vocabulary) != len(columns)
    ):
        msg = (
            "Multi-label binary indicator input with different numbers of labels: y_true has "
            f"{len(vocabulary)} columns, y_pred {len(columns)}."
        )
        raise ValueError(msg)
    codes = np.fromiter(map(vocabulary.__getitem__, columns), dtype=np.int32, count=len(columns))
    return TagSets(cells.indptr, codes.take(cells.indices), cells.labelled, codes, kind_of(set(map(type, columns))))


def _rows_in_order(y_true: Any, y_pred: Any, notes: dict[str, str]) -> Any:
    """Return y_pred with its rows in the order of y_true, where pandas' index has both in different orders."""
    ours, theirs = (_index(y) for y in (y_true, y_pred))
    if ours is None or theirs is None or len(ours) != len(theirs) or ours.equals(theirs):
        return y_pred
    if ours.is_unique and theirs.is_unique and ours.isin(theirs).all():
        notes["rows"] = (
            "The rows of y_pred stand in another order than those of y_true: they were compared by their index."
        )
        return y_pred.reindex(ours)
    notes["rows"] = "The indices of y_true and y_pred differ: the rows were compared by position."
    return y_pred


def _index(values: Any) -> Any:
    """The index of a pandas Series or DataFrame; None for everything else."""
    return values.index if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "iloc") else None
