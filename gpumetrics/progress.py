"""Progress of long work, by tqdm where it is installed and wanted."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from gpumetrics.config import current
from gpumetrics.exceptions import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress"]


@contextlib.contextmanager
def progress(total: int, unit: str, *, long_work: bool) -> Iterator[Callable[[int], Any]]:
    """Show a bar while the block runs; what it yields is called with the number of units that are done.

    The setting ``progress`` decides: True or False, or None for a bar if the work is long and stderr is a terminal.
    The bar vanishes at the end, also of an error or an interrupt.
    """
    wish = current().progress
    if wish is False or (wish is None and not (long_work and sys.stderr.isatty())):
        yield _nothing
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if wish:
            warn('progress=True needs tqdm: pip install "gpumetrics[progress]"')
        yield _nothing
        return
    with tqdm(total=total, unit=unit, leave=False) as bar:
        yield bar.update


def _nothing(_: int) -> None:
    return
