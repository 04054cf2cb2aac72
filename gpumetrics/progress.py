"""Progress of long work, by tqdm where it is installed and wanted; and what an interrupt leaves behind: nothing."""

from __future__ import annotations

import contextlib
import sys
import traceback
import warnings
from typing import TYPE_CHECKING, Any

from gpumetrics.config import current
from gpumetrics.exceptions import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress"]


@contextlib.contextmanager
def progress(total: int, unit: str, *, long_work: bool) -> Iterator[Callable[[int], Any]]:
    """Show a bar while the block runs; what it yields is called with the number of units that are done.

    The setting ``progress`` decides: True or False, or None for a bar if the work is long and somebody watches, at a
    terminal or in a notebook. The bar has the rate and the time that is left, and vanishes at the end, also of an
    error or an interrupt. An interrupt says how far the work had come, and lets go of what the work held in memory:
    notebooks keep the last traceback, and with it every array of its frames.
    """
    finished = 0
    with _bar(total, unit, long_work=long_work) as update:

        def done(n: int) -> None:
            nonlocal finished
            finished += n
            update(n)

        try:
            yield done
        except KeyboardInterrupt as interrupt:
            traceback.clear_frames(interrupt.__traceback__)
            if not interrupt.args:
                units = unit if total == 1 else f"{unit}es" if unit.endswith("ch") else f"{unit}s"
                interrupt.args = (f"interrupted at {finished:,} of {total:,} {units}; nothing is kept of them",)
            raise


@contextlib.contextmanager
def _bar(total: int, unit: str, *, long_work: bool) -> Iterator[Callable[[int], Any]]:
    wish = current().progress
    if wish is False or (wish is None and not (long_work and _watched())):
        yield _nothing
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text: no need to say so
            from tqdm.auto import tqdm
    except ImportError:
        if wish:
            warn('progress=True needs tqdm: pip install "gpumetrics[progress]"')
        yield _nothing
        return
    with tqdm(total=total, unit=unit, leave=False) as bar:
        yield bar.update


def _watched() -> bool:
    """Whether somebody may see a bar: standard error is a terminal, or this is a notebook's kernel."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _nothing(_: int) -> None:
    return
