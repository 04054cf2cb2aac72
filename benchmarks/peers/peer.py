"""What a peer is: a library that may be installed, and how its functions are called."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.clock import Side, nothing

if TYPE_CHECKING:
    from collections.abc import Callable


class CannotError(Exception):
    """A peer has nothing for a case; the message says why."""


@contextlib.contextmanager
def one_blas_thread():
    """Hold BLAS at one thread inside of the block."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    with threadpool_limits(1, user_api="blas"):
        yield


@dataclass(frozen=True)
class Peer:
    """A library, or a device of it.

    `call(case, shape)` gives the function for a case, on the case's arguments as `given` has made them of host arrays,
    or raises CannotError. `one_thread` is a context in which its products run on one thread. `device_peak()` gives MiB
    of its device's memory that were in use at most, where it can tell.
    """

    name: str
    modules: tuple[str, ...]
    call: Callable
    device: str = "cpu"
    given: Callable[[list], list] = list
    around: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext
    one_thread: Callable[[], contextlib.AbstractContextManager] | None = one_blas_thread
    synchronize: Callable[[], None] = nothing
    device_peak: Callable[[], float] | None = None
    usable: Callable[[], str] = str  # why not, although it is installed; an empty text where it is

    @functools.cache  # noqa: B019  (peers live as long as the program)
    def version(self):
        """Its version, or None, and why it cannot be used here, or an empty text."""
        try:
            library, *_ = (importlib.import_module(module) for module in self.modules)
        except ImportError as error:
            return None, f"not installed ({error})"
        except Exception as error:  # noqa: BLE001  (libraries that do not find a GPU raise all kinds)
            return None, f"it cannot be imported: {type(error).__name__}: {error}"
        why = self.usable()
        return (None, why) if why else (installed_version(self.name.split(",")[0], library), "")

    def side(self, job, args):
        """The side to be timed, or CannotError."""
        return Side(self.call(job.case, job.shape), args, self.given, self.around, self.synchronize)


def installed_version(distribution, library):
    """Version of a distribution; where it goes by another name, what the library itself says."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return getattr(library, "__version__", "?")


def without_euclidean(keywords):
    """The distance of a case, and its other keywords."""
    others = dict(keywords)
    return others.pop("metric", "euclidean"), others
