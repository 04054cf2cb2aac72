"""Names that people gave to clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpumetrics.label_arrays import plain, unwrap
from gpumetrics.text.labels import on_one_line

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["names_by_code"]


def names_by_code(names: Any, classes: Array) -> dict[int, str]:
    """Return names under the places of their labels in `classes`; what has no letter is no name.

    Raises
    ------
    ValueError
        If they are not a dict of label to name, or of the label of no cluster.
    """
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        msg = f"names must be a dict of label to name, got {type(names).__name__}"
        raise ValueError(msg)  # noqa: TRY004  (as for every other argument)
    code = {plain(label): at for at, label in enumerate(classes)}
    out: dict[int, str] = {}
    for label, name in names.items():
        at = code.get(plain(unwrap(label)))
        if at is None:
            msg = f"names has {on_one_line(repr(label))}, which is the label of no cluster"
            raise ValueError(msg)
        if name is not None and str(name).strip():
            out[at] = str(name).strip()
    return out
