"""Options that the subcommands share, and what is read by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.commands.report_options import (
    add_report_options,
    check_report_options,
    report_samples,
    say_written,
    write_clustering,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    import numpy as np

    from gpumetrics.sources.feature_columns import FeatureTable

__all__ = [
    "add_distance_options",
    "add_report_options",
    "add_settings",
    "check_length",
    "check_report_options",
    "column_notes",
    "feature_table",
    "features_and_labelings",
    "noise_label",
    "numbered",
    "one_noise_label",
    "report_samples",
    "say_written",
    "under_settings",
    "write_clustering",
]


def add_distance_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how the silhouette is meant."""
    parser.add_argument("--metric", default="euclidean", help="distance of the silhouette (default: %(default)s)")
    parser.add_argument(
        "--noise-label",
        default="-1",
        metavar="LABEL",
        help="label of noise, or none; str:none is the text none (default: %(default)s)",
    )


def add_settings(
    parser: argparse.ArgumentParser, *, headings: str = "see gpumetrics evaluate --help", modes: bool = True
) -> None:
    """Add the options that say how files are read, where to compute, and what to print.

    Parameters
    ----------
    parser : ArgumentParser
    headings : str
        Where the help tells what is taken for a heading.
    modes : bool
        Whether the silhouette may be exact or an estimate.
    """
    from gpumetrics.commands.console import a_number, a_whole_number

    for kind in ("features", "labels"):
        parser.add_argument(
            f"--header-{kind}",
            choices=("auto", "yes", "no"),
            default="auto",
            help=f"whether .csv files of {kind} begin with a heading (auto: {headings})",
        )
    for option, what in (("columns", "the features are these columns"), ("drop", "columns that are no features")):
        parser.add_argument(
            f"--{option}",
            type=_names,
            action="extend",
            default=[],
            metavar="NAME,...",
            help=f"{what}, of FEATURES in a .csv with a heading, a .parquet or an .arrow",
        )
    parser.add_argument("--backend", choices=("auto", "numpy", "cupy"), help="where to compute")
    parser.add_argument(
        "--working-memory",
        type=a_number,
        metavar="MIB",
        help="MiB that temporary arrays may take (default: 1024)",
    )
    if modes:
        parser.add_argument(
            "--silhouette",
            choices=("auto", "exact", "estimate", "skip"),
            default="auto",
            help="auto: exact where that takes under about a minute, else an estimate (default: %(default)s)",
        )
    parser.add_argument(
        "--random-state",
        type=a_whole_number,
        metavar="N",
        default=0,
        help="seed of an estimate (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON rather than text")


def _names(text: str) -> list[str]:
    """Read names as a line of a .csv file has them: one that holds a comma stands in double quotes."""
    import csv
    from argparse import ArgumentTypeError

    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not all(names) or not names:
        raise ArgumentTypeError(f"takes names with commas between them, got {text!r}")
    return names


def under_settings(args: argparse.Namespace) -> Any:
    """Return the context in which the settings of the command line hold."""
    from gpumetrics.config import config_context

    settings = {"backend": args.backend, "working_memory": args.working_memory}
    return config_context(**{name: value for name, value in settings.items() if value is not None})


def check_length(args: argparse.Namespace, n_rows: int, spec: str, n_labels: int, *, column: str = "") -> None:
    """Raise ValueError unless there is one label per row; where a heading may be the reason, it says what to try.

    `column` is the labels' column of a table that has several labelings.
    """
    from gpumetrics.sources.files import heading_hint

    if n_labels == n_rows:
        return
    hints = (
        heading_hint(args.features, args.header_features, labels=False, rows=n_rows, wanted=n_labels),
        heading_hint(spec, args.header_labels, labels=True, rows=n_labels, wanted=n_rows, table=bool(column)),
    )
    message = (
        f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_labels}] "
        f"(rows of {args.features}, labels of {spec}{column and f', column {column}'})"
    )
    raise ValueError("; ".join([message, *filter(None, hints)]))


def feature_table(args: argparse.Namespace, *labels: str | None) -> FeatureTable:
    """Read FEATURES; columns of its file that hold labels of this command are left out.

    ValueError where labels are the very table that the features are.
    """
    from gpumetrics.sources.feature_columns import Choice
    from gpumetrics.sources.files import columns_of_same_file, is_same_table, read_feature_table

    for spec in filter(None, labels):
        if is_same_table(args.features, spec):
            hint = "name the column of a table, as in table.csv:label, or give another file"
            raise ValueError(f"{spec} is given as features and as labels: {hint}")

    of_labels = columns_of_same_file(args.features, *labels)
    choice = Choice(labels=of_labels, drop=args.drop, columns=args.columns)
    return read_feature_table(args.features, choice, header=args.header_features)


def column_notes(args: argparse.Namespace, table: FeatureTable) -> dict[str, str]:
    """Return what is to be said of the columns; a matrix of distances has no features that outweigh others."""
    return table.notes(scale=args.metric != "precomputed")


def features_and_labelings(
    args: argparse.Namespace, labels_true: str | None = None
) -> tuple[FeatureTable, dict[Any, np.ndarray], Any]:
    """Read FEATURES and the labelings in LABELS; return them with the noise label, as the labelings have it."""
    from gpumetrics.sources.label_tables import read_labelings

    table = feature_table(args, *args.labels, labels_true)
    labelings = read_labelings(args.labels, header=args.header_labels)
    for name, labels in labelings.items():
        spec, column = _place(name, args.labels)
        check_length(args, len(table.data), spec, len(labels), column=column)
    labelings, noise = one_noise_label(args.noise_label, labelings)
    return table, numbered(labelings), noise


def _place(name: str, specs: list[str]) -> tuple[str, str]:
    """Return the file that a labeling is from, as it was given, and the column if the file has several."""
    from pathlib import Path

    whole = next((spec for spec in specs if name in {spec, Path(spec).stem}), None)
    if whole is not None:
        return whole, ""
    return next((spec for spec in specs if name.startswith(f"{spec}:")), specs[0] if len(specs) == 1 else name), name


def noise_label(text: str, labels: np.ndarray) -> Any:
    """Read the noise label as the type that the labels have."""
    if text.lower() == "none":
        return None
    kind, first = labels.dtype.kind, labels.flat[0] if labels.size else None
    numbers = kind in "biuf" or (kind == "O" and not isinstance(first, str))
    if text.startswith("str:"):
        if numbers:
            raise ValueError(f"--noise-label {text!r} asks for a text, but the labels are numbers")
        return text.removeprefix("str:")
    return _numeric_label(text, labels.dtype, first) if numbers else text


def _numeric_label(text: str, dtype: np.dtype[Any], first: Any) -> Any:
    """Read a number as exactly as the labels hold it."""
    from decimal import Decimal

    from gpumetrics.commands.console import a_number, a_whole_number

    if dtype.kind == "b" and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    try:
        return a_whole_number(text)
    except ValueError:
        pass
    try:
        number = a_number(text)
    except ValueError:
        raise ValueError(f"--noise-label {text!r} is not a number, but the labels are numbers") from None
    if isinstance(first, Decimal):
        return Decimal(text)
    # 0.1 among float32 labels is the float32 that is nearest to 0.1.
    return dtype.type(number).item() if dtype.kind == "f" else number


def numbered(labelings: Mapping[str, np.ndarray]) -> dict[Any, np.ndarray]:
    """Return the labelings, with their names as numbers if all of them are."""
    if all(name.isascii() and name.isdigit() and str(int(name)) == name for name in labelings):
        return {int(name): labels for name, labels in labelings.items()}
    return dict(labelings)


def one_noise_label(text: str, labelings: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], Any]:
    """Read the noise label as the labelings have it; where some are numbers and some text, it becomes one for all."""
    read = {name: noise_label(text, labels) for name, labels in labelings.items()}
    kinds = {type(label) for label in read.values()}
    if len(kinds) < 2:
        return dict(labelings), next(iter(read.values()))
    common = next(label for label in read.values() if not isinstance(label, str))
    out = {}
    for name, labels in labelings.items():
        noise = labels == read[name]
        out[name] = labels
        if noise.any() and isinstance(read[name], str):
            out[name] = labels.astype(object)
            out[name][noise] = common
    return out, common
