"""Checks of arguments that several scores share, with scikit-learn's messages."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "check_array_like",
    "check_average",
    "check_beta",
    "check_boolean",
    "check_choice",
    "check_count",
    "check_pos_label",
    "check_undefined",
    "check_warn_for",
]

AVERAGES = ("micro", "macro", "samples", "weighted", "binary")


def check_array_like(value: Any, name: str, function: str, *, sparse: bool = False, optional: bool = False) -> None:
    """Raise unless the value is an array, a column, a table or a sequence other than text.

    Parameters
    ----------
    value : object
    name, function : str
        Of the argument, and of the public function.
    sparse : bool
        Whether a sparse matrix will do.
    optional : bool
        Whether None will do.
    """
    array = any(hasattr(value, attribute) for attribute in ("__len__", "shape", "__array__"))
    if array and not isinstance(value, str | bytes) and (sparse or not hasattr(value, "tocsr")):
        return
    if not (optional and value is None):
        wanted = "an array-like" + " or a sparse array or matrix" * sparse + " or None" * optional
        _refuse(name, function, wanted, value)


def check_average(average: Any, function: str) -> None:
    """Raise unless the average is one of scikit-learn's five, or None."""
    check_choice(average, AVERAGES, "average", function)


def check_choice(value: Any, choices: Sequence[str], name: str, function: str) -> None:
    """Raise unless the value is one of these strings, or None."""
    if value is not None and not (isinstance(value, str) and value in choices):
        _refuse(name, function, f"a str among {{{', '.join(map(repr, choices))}}} or None", value)


def check_boolean(value: Any, name: str, function: str) -> None:
    """Raise unless the value is True or False."""
    if not isinstance(value, bool | np.bool_):
        _refuse(name, function, "an instance of 'bool' or an instance of 'numpy.bool'", value)


def check_pos_label(pos_label: Any, function: str) -> None:
    """Raise unless the positive class is a number, a string, a boolean or None."""
    if pos_label is not None and not isinstance(pos_label, Real | str | np.bool_):
        kinds = "an instance of 'float', an instance of 'str', an instance of 'bool' or an instance of 'numpy.bool'"
        _refuse("pos_label", function, f"{kinds} or None", pos_label)


def check_beta(beta: Any, function: str) -> float:
    """Return beta as a float, or raise unless it is a number of at least 0; infinity is one."""
    if not isinstance(beta, Real) or not float(beta) >= 0:
        _refuse("beta", function, "a float in the range [0.0, inf]", beta)
    return float(beta)


def check_warn_for(warn_for: Any, function: str) -> None:
    """Raise unless the names of scores come in a list, tuple or set."""
    if not isinstance(warn_for, list | tuple | set):
        kinds = "an instance of 'list', an instance of 'tuple' or an instance of 'set'"
        _refuse("warn_for", function, kinds, warn_for)


def check_count(value: Any, name: str, function: str) -> None:
    """Raise unless the value is an integer of at least 0."""
    if not isinstance(value, Integral) or value < 0:
        _refuse(name, function, "an int in the range [0, inf)", value)


def check_undefined(value: Any, name: str, function: str) -> float:
    """Return the value that stands for an undefined kappa: a number from -1 to 1, or nan."""
    number = float(value) if isinstance(value, Real) else math.inf
    if not (math.isnan(number) or -1 <= number <= 1):
        _refuse(name, function, "a float in the range [-1.0, 1.0] or numpy.nan", value)
    return number


def _refuse(name: str, function: str, wanted: str, value: Any) -> None:
    msg = f"The {name!r} parameter of {function} must be {wanted}. Got {value!r} instead."
    raise ValueError(msg)
