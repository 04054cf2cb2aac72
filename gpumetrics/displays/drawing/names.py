"""Users' names, short enough for an axis."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gpumetrics.text.labels import cut_in_the_middle, label_text, on_one_line, quoted_if_blank

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["short_names"]


def short_names(labels: Iterable[Any], most: int = 24) -> list[str]:
    """Return labels on one line each, of at most `most` characters.

    What is longer is cut in the middle, and ends in its place among the labels if another one would look the same.
    What would not be seen at all stands in quotation marks.

    Parameters
    ----------
    labels : iterable
    most : int, default=24

    Returns
    -------
    list of str

    Examples
    --------
    >>> from gpumetrics.displays.drawing.names import short_names
    >>> short_names(["customers of the first shop", "customers of the second shop", 3], most=20)
    ['customers...rst shop', 'customers...ond shop', '3']
    >>> short_names(["a" * 50 + "b" + "c" * 50, "a" * 50 + "d" + "c" * 50], most=20)
    ['aaaaaaaaaaaa... (#0)', 'aaaaaaaaaaaa... (#1)']
    """
    texts = [quoted_if_blank(on_one_line(label_text(label))) for label in labels]
    cut = [cut_in_the_middle(text, most) for text in texts]
    twice = {text for text, times in Counter(cut).items() if times > 1}
    return [
        _numbered(text, at, most) if len(text) > most and short in twice else short
        for at, (text, short) in enumerate(zip(texts, cut, strict=True))
    ]


def _numbered(text: str, at: int, most: int) -> str:
    end = f"... (#{at})"
    return text[: max(0, most - len(end))] + end
