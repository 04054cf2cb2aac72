"""What the subcommands share: numbers as they are typed, and errors on one line."""

from __future__ import annotations

__all__ = ["a_number", "a_whole_number", "one_line"]


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
    """Return an error's message on a single line; its type where it has none."""
    text = " ".join(str(error).split())
    return text or type(error).__name__
