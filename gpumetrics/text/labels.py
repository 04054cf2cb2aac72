"""Labels, and signs, in print: labels on one line, short where that loses nothing, and different where they are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.types import Array

__all__ = [
    "arrows",
    "cut_at_the_end",
    "cut_in_the_middle",
    "json_value",
    "label_text",
    "on_one_line",
    "printer",
    "quoted_if_blank",
]

WIDTHS = (18, 24, 32, 40)  # the first at which all labels differ is taken


def label_text(label: Any) -> str:
    """Return a label as text; dates in ISO 8601, without the zeros of finer units.

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics.text.labels import label_text
    >>> label_text(np.datetime64("2024-05-01T00:00:00.000000000")), label_text(7)
    ('2024-05-01', '7')
    """
    if isinstance(label, np.datetime64):
        return str(np.datetime_as_string(label, unit="auto"))
    return str(label)


def json_value(value: Any) -> Any:
    """Return a value, or the entries of a list or array, as types that JSON knows; dates as ISO 8601 text."""
    if isinstance(value, np.ndarray):
        value = list(value) if value.dtype.kind in "mM" else value.tolist()
    if isinstance(value, list):
        return [json_value(entry) for entry in value]
    if isinstance(value, np.datetime64 | np.timedelta64):
        return label_text(value)
    if isinstance(value, np.generic):
        value = value.item()
    # A message is plain text in JSON; so is what JSON does not know.
    return value if value is None or isinstance(value, bool | int | float) else label_text(value)


def on_one_line(text: str) -> str:
    """Return the text with line ends and all else that cannot be printed escaped as Python escapes it."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def quoted_if_blank(text: str) -> str:
    """Return a text; one without any letter in double quotes, so that it is seen."""
    return text if text.strip() else f'"{text}"'


def cut_at_the_end(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters: the beginning of a longer one."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def cut_in_the_middle(text: str, width: int) -> str:
    """Return a text of at most `width` characters: the beginning and the end of a longer one."""
    if len(text) <= width:
        return text
    head = (width - 2) // 2
    return f"{text[:head]}...{text[len(text) - (width - 3 - head) :]}"


def arrows() -> dict[str, str]:
    """Return the signs for "higher is better" and "lower is better" that standard output can encode."""
    signs = {"higher": "\N{UPWARDS ARROW}", "lower": "\N{DOWNWARDS ARROW}"}
    try:
        "".join(signs.values()).encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return {"higher": "(higher)", "lower": "(lower)"}
    return signs


def printer(labels: Array) -> Callable[[Any], str]:
    """Return what prints one of these labels: cut in the middle only if the labels still differ, else in full.

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics.text.labels import printer
    >>> labels = np.array(["customers of the first shop", "customers of the second shop"])
    >>> [printer(labels)(label) for label in labels]
    ['customer...st shop', 'customer...nd shop']
    """
    texts = {on_one_line(label_text(label)) for label in labels} if labels.dtype.kind in "UTO" else set()
    long = [text for text in texts if len(text) > WIDTHS[0]]
    width = next((w for w in WIDTHS if _all_differ(texts, long, w)), max(map(len, texts), default=0))
    width = width if texts else WIDTHS[-1]  # numbers and dates are never cut
    return lambda label: quoted_if_blank(cut_in_the_middle(on_one_line(label_text(label)), width))


def _all_differ(texts: set[str], long: list[str], width: int) -> bool:
    cut = {cut_in_the_middle(text, width) for text in long}
    return len(cut) == len(long) and not any(c in texts for c in cut if c not in long)
