"""What the cells of a text file spell: numbers, names, labels, or a missing value."""

from __future__ import annotations

import math
import re

import numpy as np

__all__ = ["INTEGER", "MISSING", "is_missing", "is_name", "is_number", "typed_labels"]

INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE)
# As integers are printed. Of "007" and "7", both may be labels.
_PLAIN_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,99}")
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
# The spellings that pandas reads as a missing value.
MISSING = {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"}
MISSING |= {"NA", "NULL", "NaN", "None", "n/a", "nan", "null", "NAN", "NaT"}
_MISSING_WORDS = {word.casefold() for word in MISSING}


def is_number(text: str) -> bool:
    """Whether the text is a number as files spell them: never Python's own forms such as 1_000.

    Examples
    --------
    >>> from gpumetrics.sources.cells import is_number
    >>> [is_number(text) for text in ("-1.5e3", "nan", "1_0", "0x1f", "")]
    [True, True, False, False, False]
    """
    return _NUMBER.fullmatch(text) is not None


def is_missing(text: str) -> bool:
    """Whether the text stands for a missing value: empty, or one of the spellings that pandas reads so."""
    return text in MISSING


def is_name(text: str) -> bool:
    """Whether the text can name a column: it has a letter, and is more than numbers and words for a missing value."""
    words = text.split()
    return any(c.isalpha() for c in text) and not all(is_number(w) or w.casefold() in _MISSING_WORDS for w in words)


def typed_labels(cells: list[str]) -> np.ndarray:
    """Return labels as numbers where no two different spellings become one number, else as text.

    Integers are exact at any size: int64, else uint64, else Python's own in an array of objects.

    Examples
    --------
    >>> from gpumetrics.sources.cells import typed_labels
    >>> typed_labels(["-1", "10"]), typed_labels(["1e1", "10"]), typed_labels(["0.5", "1"])
    (array([-1, 10]), array(['1e1', '10'], dtype='<U3'), array([0.5, 1. ]))
    """
    distinct = set(cells)
    if all(_PLAIN_INTEGER.fullmatch(cell) for cell in distinct):
        return _integers([int(cell) for cell in cells])
    if all(map(is_number, distinct)) and _float_keeps(distinct):
        return np.array(cells).astype(np.float64)
    return np.array(cells)


def _integers(values: list[int]) -> np.ndarray:
    low, high = min(values), max(values)
    if low >= -(2**63) and high < 2**63:
        return np.array(values, dtype=np.int64)
    if low >= 0 and high < 2**64:
        return np.array(values, dtype=np.uint64)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _float_keeps(distinct: set[str]) -> bool:
    """Whether these numbers are as many, and as large, when they are floats."""
    values = {cell: float(cell) for cell in distinct}
    if len(set(values.values())) < len(distinct):
        return False
    for cell, value in values.items():
        if _LEADING_ZERO.match(cell) or (math.isinf(value) and "inf" not in cell.lower()):
            return False
        if INTEGER.fullmatch(cell) and abs(value) >= 2.0**53:
            return False
    return True
