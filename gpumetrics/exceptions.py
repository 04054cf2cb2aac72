"""Warnings and errors of the package, and the classes of scikit-learn that it shares."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any

__all__ = ["BackendError", "DataConversionWarning", "UndefinedMetricWarning"]  # noqa: F822  (by __getattr__)


class BackendError(RuntimeError):
    """The backend that was asked for cannot run here; the message says why and what to install."""


class _OwnUndefinedMetricWarning(UserWarning):
    """A metric is undefined for this input (used where scikit-learn is not installed)."""


class _OwnDataConversionWarning(UserWarning):
    """The input was converted on the way in (used where scikit-learn is not installed)."""


@functools.cache
def _shared(name: str) -> type[Warning]:
    """scikit-learn's class of that name, so that a filter written for it works; our own without scikit-learn."""
    try:
        from sklearn import exceptions
    except ImportError:
        return _OwnUndefinedMetricWarning if name == "UndefinedMetricWarning" else _OwnDataConversionWarning
    return getattr(exceptions, name)  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    # Looked up at first use: importing this package must not import scikit-learn.
    if name in {"UndefinedMetricWarning", "DataConversionWarning"}:
        return _shared(name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's that led here: the first frame outside this package."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  (the documented way to the caller's frame)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)


def warn_undefined(message: str) -> None:
    """Warn that a metric is undefined, with scikit-learn's class where there is one."""
    warn(message, _shared("UndefinedMetricWarning"))


def warn_conversion(message: str) -> None:
    """Warn that data was converted, with scikit-learn's class where there is one."""
    warn(message, _shared("DataConversionWarning"))
