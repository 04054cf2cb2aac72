"""A strict stand-in for the part of CuPy that the package uses, over NumPy.

``install()`` makes ``import cupy`` give it. `control` holds what tests set and read.
"""

from .control import control
from .memory import RaceError
from .modules import MODULES, cupy, cupyx, install, installed, uninstall
from .streams import current_stream, state

__all__ = [
    "MODULES",
    "RaceError",
    "control",
    "cupy",
    "cupyx",
    "current_stream",
    "install",
    "installed",
    "state",
    "uninstall",
]
