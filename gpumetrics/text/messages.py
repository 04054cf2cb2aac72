"""Sentences that can be said in another language: each keeps the template it was made from, and the values in it."""

from __future__ import annotations

import functools
import json
import string
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["LANGUAGES", "Message", "counted", "enumerated", "fields_of", "joined", "said", "translated"]

LANGUAGES = ("en", "ko")
FOLDERS = {"ko": "korean"}  # of the catalogues: JSON files from English templates to those of the language


class Message(str):
    """English text that remembers how it was made; everywhere else a plain string.

    Attributes
    ----------
    template : str
        As `str.format` takes it; the key in the catalogues.
    values : dict
        What stands in its fields: numbers, names, other messages.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Any]


def said(template: str, /, **values: Any) -> Message:
    """Return a template filled with values, as English text that `translated` can say in another language.

    Examples
    --------
    >>> from gpumetrics.text.messages import said
    >>> said("{share:.1f} % of the rows are noise.", share=12.34)
    '12.3 % of the rows are noise.'
    """
    message = Message(template.format(**values))
    message.template, message.values = template, values
    return message


def joined(parts: Iterable[str], between: str = " ") -> Message:
    """Return parts one after the other, empty ones left out; each is translated by itself."""
    kept = [part for part in parts if part]
    return said(between.join(f"{{part{at}}}" for at in range(len(kept))), **{f"part{i}": p for i, p in enumerate(kept)})


def enumerated(words: Iterable[str]) -> Message:
    """Return words as they stand in a sentence: "a, b and c"."""
    *first, last = words
    return said("{first} and {last}", first=joined(first, ", "), last=last) if first else joined([last])


def counted(number: float, one: str, more: str) -> Message:
    """Return one of two templates with ``{n}``, the number: ``counted(3, "{n:,} row", "{n:,} rows")`` is "3 rows"."""
    return said(one if number == 1 else more, n=number)


def translated(text: str, lang: str) -> str:
    """Return a message, or a text that stands in the catalogue as it is, in another language.

    What is in no catalogue, such as what a user gave, stays as it is.
    """
    if lang == "en":
        return str(text)
    if not isinstance(text, Message):
        return _catalogue(lang).get(text, text)
    values = {
        name: translated(value, lang) if isinstance(value, Message) else value for name, value in text.values.items()
    }
    return _catalogue(lang).get(text.template, text.template).format(**values)


def fields_of(template: str) -> set[str]:
    """Return the names of a template's fields."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@functools.cache
def _catalogue(lang: str) -> dict[str, str]:
    if lang not in FOLDERS:
        msg = f"lang must be one of {LANGUAGES}, got {lang!r}"
        raise ValueError(msg)
    found: dict[str, str] = {}
    for file in sorted(files(__package__).joinpath(FOLDERS[lang]).iterdir(), key=lambda path: path.name):
        if file.name.endswith(".json"):
            found |= json.loads(file.read_text(encoding="utf-8"))
    return found
