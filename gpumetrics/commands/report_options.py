"""The options that write a result as an HTML page, which are checked before hours of work are spent."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from gpumetrics.evaluation.clustering_report import ClusteringReport

__all__ = ["add_report_options", "check_report_options", "report_samples", "say_written", "write_clustering"]

NEEDED = {"jinja2": "jinja2", "matplotlib": "matplotlib"}  # modules of a page


def add_report_options(parser: argparse.ArgumentParser, *, samples: str = "") -> None:
    """Add --report and --lang; and --samples, if its help says what the samples are."""
    from gpumetrics.text.messages import LANGUAGES

    parser.add_argument(
        "--report", metavar="FILE.html", type=Path, help="also write the result as one HTML page, with plots"
    )
    if samples:
        parser.add_argument("--samples", metavar="FILE[:COLUMN]", help=f"for --report: {samples}")
    parser.add_argument("--lang", choices=LANGUAGES, help="language of the page of --report (default: en)")


def check_report_options(args: argparse.Namespace) -> None:
    """Raise ValueError if the page cannot be written, or if options ask for something of a page that is not wanted."""
    if args.report is None:
        for name in ("samples", "lang"):
            if getattr(args, name, None) is not None:
                raise ValueError(f"--{name} says how the page of --report is written: give --report FILE.html too")
        return
    target, real = args.report, Path(os.path.realpath(args.report))
    folder = real.parent
    if target.suffix.lower() not in {".html", ".htm"}:
        raise ValueError(f"--report writes an HTML page: name it so that it ends in .html, got {str(target)!r}")
    if target.is_dir():
        raise ValueError(f"--report {target}: is a folder; name a file in it")
    if not folder.is_dir():
        raise ValueError(f"--report {target}: there is no folder {folder}; create it first")
    if real.exists() and not os.access(real, os.W_OK):
        raise ValueError(f"--report {target}: the file cannot be written to")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"--report {target}: the folder {folder} cannot be written to")
    missing = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise ValueError(f'--report needs {" and ".join(missing)}: pip install "gpumetrics[report]"')


def report_samples(args: argparse.Namespace, n_rows: int) -> Any:
    """Return what --samples names, one text or picture for each row; None if it is not given."""
    from gpumetrics.sources.texts import read_samples

    return None if args.samples is None else read_samples(args.samples, n_rows)


def write_clustering(
    args: argparse.Namespace, report: ClusteringReport, *, told: Mapping[str, str] | None = None, **given: Any
) -> None:
    """Write the page of a clustering report, with the command that repeats it; `given` is as in `save_html`."""
    from gpumetrics.pages.clustering_page import page_of
    from gpumetrics.pages.render import write

    page = page_of(report, **given, lang=args.lang or "en", told=told, command=args.command_line)
    say_written(write(page, args.report))


def say_written(path: Path) -> None:
    """Say where the page is; on standard error, since standard output may be JSON."""
    print(f"report written to {path}", file=sys.stderr)
