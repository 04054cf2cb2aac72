"""Results as small tables in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpumetrics.results import Result

__all__ = ["notebook_html"]


def notebook_html(result: Result) -> str:
    """Return a result as HTML for a notebook's cell."""
    return f"<pre>{escape(str(result))}</pre>"
