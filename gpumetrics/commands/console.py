"""What the subcommands share: numbers as they are typed, and errors on one line."""

from __future__ import annotations

__all__ = ["a_number", "a_whole_number", "one_line", "printable"]


def a_number(text: str) -> float:
    """Read a number of the command line; ValueError unless it is spelled as in files (1_000 is not)."""
    from gpumetrics.sources.cells import is_number

    if not is_number(text):
        raise ValueError(f"{text!r} is not a number")
    return float(text)


def a_whole_number(text: str) -> int:
    """Read a whole number of the command line; ValueError unless it has digits only, and perhaps a sign."""
    from gpumetrics.sources.cells import INTEGER

    if not INTEGER.fullmatch(text):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def one_line(error: BaseException) -> str:
    """Return an error's message on a single line, as `printable`; its type where it has none."""
    return printable(str(error)) or type(error).__name__


def printable(text: str) -> str:
    """Return a text on one line, with what could steer a terminal escaped: names in files may hold anything."""
    from gpumetrics.text.labels import on_one_line

    return on_one_line(" ".join(text.split()))
