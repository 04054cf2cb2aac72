"""The door of `evaluate_tags`: tag sets and indicator matrices, brought to the same documents and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_places import is_cudf
from gpumetrics.backends.interop import host_array, is_device_array
from gpumetrics.classification.sides import is_sparse
from gpumetrics.classification.tag_columns import FlatLists, eager
from gpumetrics.classification.tag_names import named, repeated
from gpumetrics.classification.tag_rows import indicator_rows
from gpumetrics.classification.tag_sets import TagSets, Vocabulary, coded_tags, flat_documents, kind_of
from gpumetrics.classification.tags import encode_sides
from gpumetrics.evaluation.tags.matrices import Cells, headings, read_cells
from gpumetrics.evaluation.tags.words import plural
from gpumetrics.text.messages import enumerated, said

if TYPE_CHECKING:
    from gpumetrics.classification.tag_encoding import EncodedTags

__all__ = ["read_tags", "rows_in_order"]


def rows_in_order(y_true: Any, **others: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Bring the rows of other arguments to the order of y_true's, where pandas' index has both in different orders.

    Parameters
    ----------
    y_true : any
    **others : any
        By the names of the arguments.

    Returns
    -------
    others : dict
        As they were given, or in the order of y_true.
    notes : dict of str to str
        What was moved, and where the indices differ.
    """
    notes: dict[str, str] = {}
    ours = _index(y_true)
    for name, other in others.items():
        theirs = _index(other)
        if ours is None or theirs is None or len(ours) != len(theirs) or ours.equals(theirs):
            continue
        key = "rows" if name == "y_pred" else f"rows_{name}"
        if ours.is_unique and theirs.is_unique and ours.isin(theirs).all():
            others[name] = other.iloc[theirs.get_indexer(ours)]
            notes[key] = said(
                "The rows of {name} stand in another order than those of y_true: they were compared by their index.",
                name=name,
            )
        else:
            notes[key] = said("The indices of y_true and {name} differ: the rows were compared by position.", name=name)
    return others, notes


def _index(values: Any) -> Any:
    """The index of a pandas Series or DataFrame; None for everything else."""
    return values.index if type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "iloc") else None


def read_tags(
    y_true: Any, y_pred: Any, *, classes: list[Any] | None, unknown: str, exclude: list[Any]
) -> tuple[EncodedTags, dict[str, str]]:
    """Encode both sides, of whatever form.

    Parameters
    ----------
    y_true, y_pred : tag sets or matrices
    classes, unknown, exclude
        As in `evaluate_tags`.

    Returns
    -------
    tags : EncodedTags
    notes : dict of str to str
        What was done to make the sides comparable.

    Raises
    ------
    ValueError, TypeError
        As in `evaluate_tags`.
    """
    given = {"y_true": eager(y_true, "y_true"), "y_pred": eager(y_pred, "y_pred")}
    documents = {name: flat_documents(side, name) for name, side in given.items() if not _is_matrix(side)}
    rows = indicator_rows(documents, n_matrices=2 - len(documents))
    sides = given | documents | rows  # what is not FlatLists by now is a matrix
    notes = _note_on_rows(list(rows))
    vocabulary = Vocabulary()
    n_matrices = sum(not isinstance(side, FlatLists) for side in sides.values())
    if n_matrices == 0:
        coded = {name: coded_tags(side, name, vocabulary) for name, side in sides.items()}
    elif n_matrices == 1:
        coded = _matrix_and_documents(sides, classes, vocabulary)
    else:
        names = {name: headings(side) for name, side in sides.items()}
        notes |= _compare_names(names["y_true"], names["y_pred"])
        coded = _two_matrices(sides, names, classes, vocabulary)
        classes = list(vocabulary) if classes is None else classes  # in the order of y_true
    tags = encode_sides(coded["y_true"], coded["y_pred"], vocabulary, classes=classes, unknown=unknown, exclude=exclude)
    return tags, notes


def _is_matrix(values: Any) -> bool:
    """Whether it is an indicator matrix, or means to be one: not a sequence of documents."""
    if is_sparse(values) or headings(values):
        return True
    if is_device_array(values):
        return not is_cudf(values)  # one column: of lists
    array = values if isinstance(values, np.ndarray) else None
    if array is None and not isinstance(values, list | tuple):
        foreign = host_array(values)
        array = None if foreign is None else foreign[0]
    return array is not None and array.ndim > 1 and array.dtype.kind in "biufc"


def _note_on_rows(names: list[str]) -> dict[str, str]:
    if not names:
        return {}
    text = said(
        "The lists of {names} are all of one length and hold only 0 and 1: they were read as rows of an indicator "
        "matrix. Tags that are called 0 and 1 come as sets.",
        names=enumerated(names),
    )
    return {"nested_lists": text}


def _matrix_and_documents(
    sides: dict[str, Any], classes: list[Any] | None, vocabulary: Vocabulary
) -> dict[str, TagSets]:
    """Code the tags of one side, and the matrix on the other, whose columns need names."""
    (name,) = (name for name, side in sides.items() if not isinstance(side, FlatLists))
    (other,) = sides.keys() - {name}
    names = headings(sides[name])
    _refuse_repeated(names, name)
    columns = names or classes
    coded = {other: coded_tags(sides[other], other, vocabulary)}  # before the matrix: it shows what scores are
    if not columns:
        msg = (
            f"{name} is a matrix of zeros and ones without names of columns, and the other side has tags: give classes."
        )
        raise ValueError(msg)
    coded[name] = _coded_cells(read_cells(sides[name], name), columns, name, vocabulary)
    return coded


def _two_matrices(
    sides: dict[str, Any], names: dict[str, list[Any]], classes: list[Any] | None, vocabulary: Vocabulary
) -> dict[str, TagSets]:
    """Code two matrices; columns without names are those of the other side, else the classes, else numbers."""
    cells = {name: read_cells(side, name) for name, side in sides.items()}
    columns = names["y_true"] or names["y_pred"] or classes
    if columns is None:
        ours, theirs = (cells[name].n_columns for name in ("y_true", "y_pred"))
        if ours != theirs:
            msg = (
                "Multi-label binary indicator input with different numbers of labels: y_true has "
                f"{ours} columns, y_pred {theirs}."
            )
            raise ValueError(msg)
        columns = list(range(ours))
    return {name: _coded_cells(cells[name], names[name] or columns, name, vocabulary) for name in ("y_true", "y_pred")}


def _coded_cells(cells: Cells, columns: list[Any], name: str, vocabulary: Vocabulary) -> TagSets:
    if cells.n_columns != len(columns):
        tags = f"there {'is' if len(columns) == 1 else 'are'} {plural(len(columns), 'tag')}"
        msg = f"{name} has {plural(cells.n_columns, 'column')}, but {tags}: {named(columns)}."
        raise ValueError(msg)
    codes = np.fromiter(map(vocabulary.__getitem__, columns), dtype=np.int32, count=len(columns))
    return TagSets(cells.indptr, codes.take(cells.indices), cells.labelled, codes, kind_of(set(map(type, columns))))


def _compare_names(ours: list[Any], theirs: list[Any]) -> dict[str, str]:
    """Refuse columns of different names; return a note where they are compared by name, or cannot be."""
    _refuse_repeated(ours, "y_true")
    _refuse_repeated(theirs, "y_pred")
    if ours == theirs:
        return {}
    if not ours or not theirs:
        with_names, bare = ("y_true", "y_pred") if ours else ("y_pred", "y_true")
        note = said(
            "Only the columns of {named} have names; those of {other} were taken to be the same, in that order.",
            named=with_names,
            other=bare,
        )
        return {"columns": note}
    lacking, extra = _only_in_first(ours, theirs), _only_in_first(theirs, ours)
    if lacking or extra:
        parts = [f"{name} has no {named(some)}" for name, some in (("y_pred", lacking), ("y_true", extra)) if some]
        msg = (
            f"The columns of y_true and y_pred have different names: {'; '.join(parts)}. Columns are compared by name, "
            "never by position: give both the same ones."
        )
        raise ValueError(msg)
    note = said("The columns of y_pred stand in another order than those of y_true: they were compared by their names.")
    return {"columns": note}


def _only_in_first(columns: list[Any], others: list[Any]) -> list[Any]:
    in_others = set(others)
    return [column for column in columns if column not in in_others]


def _refuse_repeated(columns: list[Any], name: str) -> None:
    if len(set(columns)) < len(columns):
        msg = f"{name} has more than one column of the name {named(repeated(columns))}."
        raise ValueError(msg)
