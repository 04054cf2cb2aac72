"""Settings: which backend, how much memory, which precision, whether to show progress."""

from __future__ import annotations

import contextlib
import contextvars
import os
from dataclasses import asdict, dataclass, fields, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["config_context", "get_config", "set_config"]

BACKENDS = ("auto", "numpy", "cupy")
PRECISIONS = ("exact", "fast")


@dataclass(frozen=True)
class Config:
    """The settings in force; `set_config` documents them."""

    backend: str = "auto"
    working_memory: float = 1024.0
    precision: str = "exact"
    progress: bool | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            msg = f"backend must be one of {BACKENDS}, got {self.backend!r}"
            raise ValueError(msg)
        memory: Any = self.working_memory
        if isinstance(memory, bool) or not isinstance(memory, Real) or not 0 < float(memory) < float("inf"):
            msg = f"working_memory must be a positive number of MiB, got {memory!r}"
            raise ValueError(msg)
        if self.precision not in PRECISIONS:
            msg = f"precision must be one of {PRECISIONS}, got {self.precision!r}"
            raise ValueError(msg)
        if self.progress is not None and not isinstance(self.progress, bool):
            msg = f"progress must be True, False or None (bars for long work on a terminal), got {self.progress!r}"
            raise ValueError(msg)


def _from_environment() -> Config:
    backend = os.environ.get("GPUMETRICS_BACKEND", "").strip().lower() or "auto"
    if backend not in BACKENDS:
        # Raised at the first use rather than at import: an import must not fail over a setting.
        msg = f"the environment variable GPUMETRICS_BACKEND must be one of {BACKENDS}, got {backend!r}"
        raise ValueError(msg)
    return Config(backend=backend)


_default: Config | None = None  # process-wide; read from the environment at first use
_override: contextvars.ContextVar[Config | None] = contextvars.ContextVar("gpumetrics_config", default=None)


def current() -> Config:
    """Return the settings in force here: the innermost `config_context`, else the process-wide ones."""
    global _default  # noqa: PLW0603  (one process-wide default is the point)
    config = _override.get()
    if config is not None:
        return config
    if _default is None:
        _default = _from_environment()
    return _default


def get_config() -> dict[str, Any]:
    """Return the settings in force as a dict.

    Returns
    -------
    dict
        Keys ``backend``, ``working_memory`` (MiB), ``precision`` and ``progress``; see `set_config`.

    Examples
    --------
    >>> import gpumetrics
    >>> sorted(gpumetrics.get_config())
    ['backend', 'precision', 'progress', 'working_memory']
    """
    return asdict(current())


def set_config(**settings: Any) -> None:
    """Set the process-wide settings, for all threads.

    Parameters
    ----------
    backend : {"auto", "numpy", "cupy"}
        Where host arrays are computed; arrays on a GPU are computed there. ``"auto"`` takes the GPU if one can be
        used and the CPU would need seconds. ``"cupy"`` raises where no GPU can be used; it never falls back. The
        environment variable ``GPUMETRICS_BACKEND`` gives the start value.
    working_memory : float
        MiB that temporary arrays may take, on the host or the GPU, 1024 at the start. Results change with it by
        rounding only.
    precision : {"exact", "fast"}
        ``"fast"`` lets a GPU round float32 rows to TF32 (10 bits) in the products of Euclidean distances: a distance
        is then off by up to about a thousandth of the rows' distances to the centre of their tile. The CPU and all
        else ignore it.
    progress : bool or None
        Progress bars (needs tqdm). None: for long work, on a terminal.

    Raises
    ------
    ValueError
        For a value that a setting cannot have.
    TypeError
        For a setting that does not exist.

    Examples
    --------
    >>> import gpumetrics
    >>> gpumetrics.set_config(working_memory=1024)
    """
    global _default  # noqa: PLW0603
    _check_names(settings)
    base = _default if _default is not None else _from_environment()
    _default = replace(base, **settings)


@contextlib.contextmanager
def config_context(**settings: Any) -> Iterator[None]:
    """Override settings inside a ``with`` block, for this thread or task only.

    Parameters
    ----------
    **settings
        As in `set_config`.

    Raises
    ------
    ValueError, TypeError
        As in `set_config`.

    Examples
    --------
    >>> import gpumetrics
    >>> with gpumetrics.config_context(working_memory=64):
    ...     gpumetrics.get_config()["working_memory"]
    64
    """
    _check_names(settings)
    token = _override.set(replace(current(), **settings))
    try:
        yield
    finally:
        _override.reset(token)


def _check_names(settings: dict[str, Any]) -> None:
    known = [f.name for f in fields(Config)]
    unknown = sorted(set(settings) - set(known))
    if unknown:
        msg = f"unknown setting {unknown[0]!r}; the settings are {', '.join(known)}"
        raise TypeError(msg)
