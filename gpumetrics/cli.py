"""The command line: ``gpumetrics`` with its subcommands, each of which is a module of `gpumetrics.commands`."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import sys
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
CLOSED_PIPE = 141  # 128 + SIGPIPE


class _Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{self.prog}: error: {message} (see {self.prog} --help)")
        raise SystemExit(BAD_INPUT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process if not given.

    Returns
    -------
    int
        0 good; 1 a gate missed, or no backend works; 2 bad input; 130 interrupted; 141 nobody reads the output.
    """
    _never_fail_to_encode()
    try:
        try:
            code = _run(argv)
        finally:
            if sys.stdout is not None:  # None: closed by whoever started us
                sys.stdout.flush()
    except BrokenPipeError:  # the reader went away, as in `| head`: nothing is left to say
        _silence_stdout()
        return CLOSED_PIPE
    except OSError as error:  # as on a full disk
        _silence_stdout()
        _complain(f"gpumetrics: error: the output cannot be written ({error.strerror or error})")
        return BAD_INPUT
    except KeyboardInterrupt:
        _complain("gpumetrics: interrupted")
        return INTERRUPTED
    return code


def _silence_stdout() -> None:
    # What could not be written is still buffered, and would be tried again at exit.
    with contextlib.suppress(OSError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str] | None) -> int:
    words = _joined(sys.argv[1:] if argv is None else argv)
    args = _parsed(words)
    args.command_line = shlex.join(["gpumetrics", *words])
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # type: ignore[assignment]  # it takes the details as they come
            code: int = args.run(args)
    except Exception as error:  # a user of the command line gets a sentence, never a traceback
        if _of_the_output(error):
            raise
        from gpumetrics.commands.console import one_line

        _complain(f"gpumetrics {args.command}: error: {one_line(error)}")
        return BAD_INPUT
    return code


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments; the subcommand itself complains of those that it does not know."""
    parser, commands = _parser()
    args, unknown = parser.parse_known_args(words)
    if unknown:
        import difflib
        import re

        command: argparse.ArgumentParser = commands.choices[args.command]
        near = difflib.get_close_matches(unknown[0], re.findall(r"--[a-z-]+", command.format_usage()), n=1)
        command.error(f"unrecognized arguments: {' '.join(unknown)}{f'; did you mean {near[0]}?' if near else ''}")
    return args


def _of_the_output(error: Exception) -> bool:
    """Whether it is a failed write to a stream: the system gives a number then, and no name of a file."""
    return isinstance(error, OSError) and error.errno is not None and error.filename is None


def _joined(argv: Sequence[str]) -> list[str]:
    """Join labels that begin with a minus, such as -1e3, to their option: argparse would take them for options."""
    out: list[str] = []
    for word in argv:
        if out and out[-1] in {"--noise-label", "--exclude"} and word.startswith("-") and not word.startswith("--"):
            out[-1] += f"={word}"
        else:
            out.append(word)
    return out


def _parser() -> tuple[argparse.ArgumentParser, Any]:
    from gpumetrics import __version__
    from gpumetrics.commands import compare, demo, doctor, estimate, evaluate, plan, sweep, tags

    parser = _Parser(
        prog="gpumetrics",
        description="Score clusterings (silhouette, Calinski-Harabasz, Davies-Bouldin, known classes) and tag sets.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"gpumetrics {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for command in (evaluate, compare, sweep, estimate, tags, plan, demo, doctor):
        command.add_parser(commands)
    return parser, commands


def _never_fail_to_encode() -> None:
    # A label that the terminal cannot show is printed as \uXXXX; the command does not end over it.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _show_warning(message: Warning | str, *_details: object) -> None:
    from gpumetrics.commands.console import printable

    _complain(f"gpumetrics: warning: {printable(str(message))}")


def _complain(line: str) -> None:
    if sys.stderr is None:  # closed by whoever started us; print would take None for standard output
        return
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
