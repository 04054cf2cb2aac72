"""JSON that every parser takes."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["strict_json"]


def strict_json(data: dict[str, Any], indent: int | None = 2) -> str:
    """Write JSON in which infinity and nan are null, with a reason beside them under ``<key>_reason``.

    Examples
    --------
    >>> from gpumetrics.text.json_text import strict_json
    >>> print(strict_json({"a": 1.5, "b": float("inf")}))
    {
      "a": 1.5,
      "b": null,
      "b_reason": "the value is infinite"
    }
    """
    return json.dumps(_without_special(data), indent=indent, allow_nan=False, ensure_ascii=True)


def _without_special(data: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            out[key] = _without_special(value)
            continue
        if isinstance(value, list) and value and isinstance(value[0], dict):
            out[key] = [_without_special(item) for item in value]
            continue
        kinds = {_special(v) for v in (value if isinstance(value, list) else [value])} - {""}
        out[key] = _null(value) if kinds else value
        if kinds and f"{key}_reason" not in data:
            out[f"{key}_reason"] = f"the value is {' or '.join(sorted(kinds))}"
    return out


def _special(value: Any) -> str:
    if not isinstance(value, float) or math.isfinite(value):
        return ""
    return "undefined" if math.isnan(value) else "infinite"


def _null(value: Any) -> Any:
    if isinstance(value, list):
        return [None if _special(v) else v for v in value]
    return None
