"""A page as one HTML file that needs nothing else: style, script, plots and pictures stand in it."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from gpumetrics.output_files import check_path, write_whole
from gpumetrics.pages import model
from gpumetrics.text.messages import said, translated

if TYPE_CHECKING:
    import os

    from gpumetrics.pages.model import Cell, Page, Sample

__all__ = ["check_writable", "html_of", "write"]

PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")
KINDS = {kind: kind.__name__.lower() for kind in get_args(model.Block)}
# What no page may hold: control characters, halves of surrogate pairs, what is no character. Each is one sign then.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def html_of(page: Page) -> str:
    """Return a page as HTML.

    The same page gives the same text. Every text is escaped; what is not escaped are the plots, which `svg_of` made,
    and pictures, which must be data URIs.

    Raises
    ------
    ImportError
        If jinja2 is not installed.
    ValueError
        For a language that there is none of, or a picture that is no data URI of a PNG, JPEG, GIF or WebP.

    Examples
    --------
    >>> from gpumetrics.pages.model import Page, Paragraph
    >>> from gpumetrics.pages.render import html_of
    >>> "<p>1 &lt; 2</p>" in html_of(Page("Numbers", "", "en", [Paragraph("1 < 2")], []))
    True
    """
    template = _environment(page.lang).get_template("page.html.j2")
    style, script = _asset("page.css"), _asset("page.js")
    policy = {"style": _hash(style), "script": _hash(script)}
    html: str = template.render(page=page, style=style, script=script, policy=policy)
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", html)


def check_writable(path: str | os.PathLike[str], lang: str) -> None:
    """Raise, before the work for a page is done, what would keep `write` from writing it.

    Raises
    ------
    ImportError
        If jinja2 or matplotlib is not installed.
    ValueError
        For a language that there is none of.
    FileNotFoundError, IsADirectoryError, PermissionError
        As `write` does.
    """
    from gpumetrics.pages.figures import plotting

    _environment(lang)
    plotting()
    check_path(path)


def write(page: Page, path: str | os.PathLike[str]) -> Path:
    """Write a page to a file, which is either complete or as it was before, and keeps its mode.

    Returns
    -------
    Path
        The path as given.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, PermissionError
        If the folder is missing, the path is a folder, or the file or its folder cannot be written to.
    """
    write_whole(path, html_of(page).encode())
    return Path(path)


@functools.cache
def _environment(lang: str) -> Any:
    """Return Jinja's environment for a language: everything is escaped, and a name that is not there is an error."""
    try:
        import jinja2
    except ImportError as error:
        msg = 'a page needs jinja2: pip install "gpumetrics[report]"'
        raise ImportError(msg) from error
    translated("", lang)  # raises for a language that there is none of
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "t": functools.partial(translated, lang=lang),
        "kind": _kind,
        "number": _number,
        "picture": _picture,
    }
    environment.globals["said"] = said
    return environment


def _asset(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what the page's policy says of its own style or script; no other runs."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _kind(block: model.Block) -> str:
    kind: str | None = KINDS.get(type(block))
    if kind is None:
        msg = f"a page is made of {', '.join(found.__name__ for found in KINDS)}, got {type(block).__name__}"
        raise TypeError(msg)
    return kind


def _number(cell: Cell) -> str:
    """Return the number that a cell sorts by, as JavaScript reads it."""
    return "" if cell.sort is None else repr(float(cell.sort)).replace("inf", "Infinity")


def _picture(sample: Sample) -> str:
    if not PICTURE.fullmatch(sample.image):
        rule = "a data URI of a PNG, JPEG, GIF or WebP in base64"
        msg = f"the picture of row {sample.row} must be {rule}, got {sample.image[:40]!r}"
        raise ValueError(msg)
    return sample.image
