"""``gpumetrics compare``: compare the clusterings in several files or columns."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gpumetrics.commands.options import (
    add_distance_options,
    add_report_options,
    add_settings,
    check_length,
    check_report_options,
    column_notes,
    features_and_labelings,
    say_written,
    under_settings,
)
from gpumetrics.commands.spelling import in_options, with_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.choosing.comparison import Comparison

__all__ = [
    "add_comparison_options",
    "add_parser",
    "comparison_options",
    "full_reports",
    "run",
    "write_report",
]

EPILOG = """\
Files are as in gpumetrics evaluate; its --help tells what is taken for a heading. LABELS are files of one clustering
each, named by the file, or tables with one in each column (of .npz: one in each array), named by the column;
FILE.csv:COLUMN names one. Columns of a table that are named here are left out of FEATURES, if they are in its file.
Names that are whole numbers, and the numbers of clusters too, are read as K.

exit codes: 0 good; 2 bad input (one line on standard error)

examples:
  gpumetrics compare embeddings.npy kmeans.npy dbscan.npy
  gpumetrics compare embeddings.npy sweep.npz --labels-true truth.csv --metric cosine
  gpumetrics compare table.csv table.csv:kmeans table.csv:dbscan --json
  gpumetrics compare embeddings.npy kmeans.npy dbscan.npy --report comparison.html --lang ko
"""


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    parser = commands.add_parser(
        "compare",
        help="compare several clusterings of the same data",
        description="Compare clusterings: FEATURES has one row per sample, LABELS one cluster label per row for each.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("features", metavar="FEATURES", help="table of numbers, rows are samples")
    parser.add_argument(
        "labels", metavar="LABELS", nargs="+", help="one cluster label per row, or a column of them each"
    )
    add_comparison_options(parser)
    parser.set_defaults(run=run)


def add_comparison_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `compare` and `sweep` share."""
    from gpumetrics.commands.console import a_whole_number

    parser.add_argument("--labels-true", "--truth", metavar="FILE", help="known classes, for the scores against them")
    add_distance_options(parser)
    parser.add_argument(
        "--scores",
        metavar="SCORE,...",
        help="scores that choose (default: silhouette,calinski_harabasz,davies_bouldin; also density_validity)",
    )
    parser.add_argument(
        "--narrow", type=a_whole_number, metavar="N", help="only the N best by Calinski-Harabasz get a silhouette"
    )
    add_settings(parser)
    add_report_options(parser)


def comparison_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of `compare_labelings` and `sweep` that the options give."""
    options: dict[str, Any] = {name: getattr(args, name) for name in ("metric", "silhouette", "random_state")}
    if args.scores is not None:
        options["scores"] = [name.strip() for name in args.scores.split(",")]
    if args.narrow is not None:
        options["narrow"] = args.narrow
    return options


def full_reports(args: argparse.Namespace, specs: list[str]) -> str:
    """Return the commands that write the full report of each of some labelings."""
    import shlex

    options = _as_given(args)
    commands = [
        [
            "gpumetrics",
            "evaluate",
            args.features,
            spec,
            *options,
            *_drop_others(args, spec),
            "--report",
            f"choice-{at}.html",
        ]
        for at, spec in enumerate(specs, start=1)
    ]
    return "\n".join(map(shlex.join, commands))


def _as_given(args: argparse.Namespace) -> list[str]:
    """Return the options that change what is read and how it is scored, and the language, where they were given."""
    defaults = {
        "metric": "euclidean",
        "noise_label": "-1",
        "silhouette": "auto",
        "random_state": 0,
        "labels_true": None,
        "header_features": "auto",
        "header_labels": "auto",
        "backend": None,
        "working_memory": None,
        "lang": None,
    }
    given = {name: getattr(args, name) for name, default in defaults.items() if getattr(args, name) != default}
    words = [(name, f"{value:g}" if isinstance(value, float) else str(value)) for name, value in given.items()]
    words += [(name, _quoted(column)) for name in ("columns", "drop") for column in getattr(args, name)]
    return [word for name, value in words for word in (f"--{name.replace('_', '-')}", value)]


def _drop_others(args: argparse.Namespace, spec: str) -> list[str]:
    """Leave out the columns of the other labelings, which were no features here; `evaluate` knows of its own only."""
    from gpumetrics.sources.files import columns_of_same_file

    labels = args.labels if isinstance(getattr(args, "labels", None), list) else []
    own = set(columns_of_same_file(args.features, spec, args.labels_true))
    others = [name for name in columns_of_same_file(args.features, *labels) if name not in own and not args.columns]
    return [word for name in others for word in ("--drop", _quoted(name))]


def _quoted(column: str) -> str:
    return f'"{column}"' if "," in column else column


def write_report(
    args: argparse.Namespace,
    comparison: Comparison,
    columns: Mapping[str, str],
    *,
    further: str,
    told: Mapping[str, str] | None = None,
) -> None:
    """Write the page."""
    from gpumetrics.pages.comparison_page import page_of
    from gpumetrics.pages.render import write

    lang = args.lang or "en"
    files = {"features": args.features} | ({"classes": args.labels_true} if args.labels_true else {})
    page = page_of(
        with_options(comparison, columns),
        lang=lang,
        told={**files, **(told or {})},
        command=args.command_line,
        further=further,
    )
    say_written(write(page, args.report))


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    from gpumetrics.text.json_text import strict_json

    check_report_options(args)
    with under_settings(args):
        comparison, columns = _compare(args)
        shown = with_options(comparison, columns)
        print(strict_json(shown.to_dict()) if args.json else shown)
        if args.report is not None:
            specs = [_spec(str(name), args) for name in comparison.choices()]
            write_report(args, comparison, columns, further=full_reports(args, list(filter(None, specs))))
    return 0


def _spec(name: str, args: argparse.Namespace) -> str:
    """Return a labeling as `evaluate` takes it; empty for a column of an array, which it cannot take."""
    from pathlib import Path

    from gpumetrics.sources.label_tables import read_labelings

    for spec in args.labels:
        if name in {spec, Path(spec).stem} or spec.endswith(f":{name}"):
            return str(spec)
        if name.startswith(f"{spec}:"):
            return name
    tables = (spec for spec in args.labels if name in read_labelings([spec], header=args.header_labels))
    spec = next(tables)
    return "" if spec.lower().endswith(".npy") else f"{spec}:{name}"


def _compare(args: argparse.Namespace) -> tuple[Comparison, dict[str, str]]:
    """Return the comparison, and what is to be said of the columns."""
    from gpumetrics.choosing.compare import compare_labelings
    from gpumetrics.commands.console import one_line
    from gpumetrics.sources.files import read_labels

    options = comparison_options(args)
    table, labelings, noise = features_and_labelings(args, args.labels_true)
    truth = None if args.labels_true is None else read_labels(args.labels_true, header=args.header_labels)
    if truth is not None:
        check_length(args, len(table.data), args.labels_true, len(truth))
    try:
        found = compare_labelings(table.data, labelings, labels_true=truth, noise_label=noise, **options)
    except (ValueError, TypeError) as error:
        files = f"X: {args.features}, labels: {', '.join(args.labels)}"
        raise ValueError(f"{in_options(one_line(error))} ({files})") from error
    return found, column_notes(args, table)
