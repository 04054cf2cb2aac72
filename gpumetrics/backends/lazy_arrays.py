"""Dask's collections: how they are told from arrays in memory, which takes no import of Dask."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["dask_kind", "is_dask", "refuse_dask"]

KINDS = {"DataFrame": "dataframe", "Delayed": "delayed value"}


def is_dask(*arrays: Any) -> bool:
    """Whether one of them is a collection of Dask's; one can exist only where Dask is loaded already."""
    base = sys.modules.get("dask.base")
    return base is not None and any(base.is_dask_collection(array) for array in arrays)


def dask_kind(array: Any) -> str:
    """Return the word for a collection of Dask's: "array", "dataframe", "series", "index", "bag", "delayed value"."""
    name = type(array).__name__
    return KINDS.get(name, name.lower())


def refuse_dask(array: Any, name: str) -> None:
    """Raise for a collection of Dask's, which NumPy would download as a whole.

    The doors of features and labels call it: what takes Dask's collections has turned off before.

    Raises
    ------
    TypeError
    """
    if is_dask(array):
        msg = (
            f"{name} is a Dask {dask_kind(array)}, and this function takes arrays in memory only: pass "
            f"{name}.compute() if it fits there, or call what runs on Dask, such as silhouette_score, "
            "silhouette_estimate, davies_bouldin_score, adjusted_rand_score or f1_score (docs/dask.md has them all)."
        )
        raise TypeError(msg)
