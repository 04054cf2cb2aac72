"""Tags and lists of tags, as they were given and as messages name them."""

from __future__ import annotations

from collections import Counter
from reprlib import Repr
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["as_list", "class_list", "named", "plain_tag", "repeated", "shown"]

MOST_NAMED = 5  # tags that a message names
SHORT = Repr()
SHORT.maxstring = SHORT.maxother = 60


def as_list(values: Any) -> list[Any]:
    """Return a vector, column or other iterable as a list of Python's values; dates stay NumPy's."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        return list(values)
    for method in ("to_pylist", "to_list", "tolist"):  # of Arrow, of dataframes, of arrays
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def plain_tag(tag: Any) -> Any:
    """Return a tag of NumPy's as Python's; dates and all others as they are."""
    return tag.item() if isinstance(tag, np.number | np.str_) and not isinstance(tag, np.timedelta64) else tag


def class_list(classes: Any) -> list[Any]:
    """Return the classes as a list of Python's values.

    Raises
    ------
    ValueError
        If they have no order, or not one dimension.
    """
    unordered = isinstance(classes, str | bytes | set | frozenset | dict)
    if unordered or not hasattr(classes, "__iter__") or getattr(classes, "ndim", 1) != 1:
        msg = f"classes must be a list or array of tags, in the order of the columns, got {shown(classes)}."
        raise ValueError(msg)
    return list(map(plain_tag, as_list(classes)))


def repeated(values: list[Any]) -> list[Any]:
    """Return the values that stand in a list more than once."""
    return [value for value, times in Counter(values).items() if times > 1]


def named(tags: Sequence[Any]) -> str:
    """Return the first of some tags for a message."""
    words = ", ".join(map(shown, tags[:MOST_NAMED]))
    return said("{words} and {n:,} more", words=words, n=len(tags) - MOST_NAMED) if len(tags) > MOST_NAMED else words


def shown(value: Any) -> str:
    """Return a value for a message, cut short and on one line."""
    text = SHORT.repr(plain_tag(value))
    return text if isinstance(value, str) else " ".join(text.split())
