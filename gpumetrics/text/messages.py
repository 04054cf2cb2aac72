"""Sentences that can be said in another language: each keeps the template it was made from, and the values in it."""

from __future__ import annotations

import functools
import string
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["LANGUAGES", "Message", "counted", "enumerated", "fields_of", "joined", "said", "translated", "with_commas"]

LANGUAGES = ("en", "ko")
FOLDERS = {"ko": "korean"}  # of the catalogues: JSON files from English templates to those of the language


class Message(str):
    """English text that remembers how it was made; everywhere else a plain string.

    What is made of it by `str`, an f-string, ``+`` or a method is plain, and stays English.

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

    def __new__(cls, template: str, values: Mapping[str, Any]) -> Self:
        """Fill the template."""
        message = super().__new__(cls, template.format(**values))
        message.template, message.values = template, values
        return message

    def __reduce__(self) -> tuple[type[Message], tuple[str, Mapping[str, Any]]]:
        return Message, (self.template, self.values)


def said(template: str, /, **values: Any) -> Message:
    """Return a template filled with values, as English text that `translated` can say in another language.

    Examples
    --------
    >>> from gpumetrics.text.messages import said
    >>> said("{share:.1f} % of the rows are noise.", share=12.34)
    '12.3 % of the rows are noise.'
    """
    return Message(template, values)


def joined(parts: Iterable[str], between: str = " ") -> Message:
    """Return parts one after the other, empty ones left out; each is translated by itself."""
    return _in_a_row([part for part in parts if part], between)


def with_commas(words: Iterable[str]) -> Message:
    """Return words as a list: "a, b, c"; empty ones keep their place."""
    return _in_a_row(list(words), ", ")


def enumerated(words: Iterable[str]) -> Message:
    """Return words as they stand in a sentence: "a, b and c"; empty ones keep their place."""
    *first, last = words
    return said("{first} and {last}", first=with_commas(first), last=last) if first else with_commas([last])


def counted(number: float, one: str, more: str, /, **values: Any) -> Message:
    """Return one of two templates, filled with values and ``{n}``, the number.

    Examples
    --------
    >>> from gpumetrics.text.messages import counted
    >>> [counted(n, "{n:,} row is noise", "{n:,} rows are noise") for n in (1, 2_000)]
    ['1 row is noise', '2,000 rows are noise']
    """
    return said(one if number == 1 else more, n=number, **values)


def translated(text: str, lang: str) -> str:
    """Return a message, or a text that stands in the catalogue as it is, in another language.

    What is in no catalogue, such as what a user gave, stays as it is.

    Raises
    ------
    ValueError
        If `lang` is none of `LANGUAGES`.
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


def _in_a_row(parts: list[str], between: str) -> Message:
    between = between.replace("{", "{{").replace("}", "}}")
    places = between.join(f"{{part{at}}}" for at in range(len(parts)))
    return said(places, **{f"part{at}": part for at, part in enumerate(parts)})


@functools.cache
def _catalogue(lang: str) -> dict[str, str]:
    import json
    from importlib.resources import files

    if lang not in FOLDERS:
        msg = f"lang must be one of {LANGUAGES}, got {lang!r}"
        raise ValueError(msg)
    found: dict[str, str] = {}
    for file in sorted(files(__package__).joinpath(FOLDERS[lang]).iterdir(), key=lambda path: path.name):
        if file.name.endswith(".json"):
            found |= json.loads(file.read_text(encoding="utf-8"))
    return found
