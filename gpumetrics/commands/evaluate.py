"""``gpumetrics evaluate``: score the clustering in two files."""

from __future__ import annotations

import argparse
import math
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

from gpumetrics.commands.options import (
    add_distance_options,
    add_report_options,
    add_settings,
    check_length,
    check_report_options,
    column_notes,
    feature_table,
    noise_label,
    report_samples,
    under_settings,
    write_clustering,
)
from gpumetrics.commands.spelling import in_options, with_options

if TYPE_CHECKING:
    from gpumetrics.evaluation.clustering_report import ClusteringReport

__all__ = ["add_parser", "run"]

EPILOG = """\
Files are .npy, .npz, .csv, .parquet, .arrow, .feather, .zarr, .h5 or .h5ad, or FOLDER/ of files of one of these kinds,
in natural order of their names. FILE.npz:KEY, FILE.h5:/PATH, FILE.zarr:PATH, FILE.h5ad:obsm/X_pca and
FILE.h5ad:obs/leiden name one array of several, FILE.csv:COLUMN or FILE.parquet:COLUMN one column; FOLDER:NAME names
it in each file.
Features that take half of --working-memory or more are not read whole: .npy is mapped, .npz and .csv have to fit, all
others are read chunk by chunk; metrics over all pairs of rows read them from a temporary copy on disk (TMPDIR).
Of a table with headings all columns are features but those that hold labels of the same command; --columns and --drop
choose among them, and a note says which were used.

The first line of a .csv file of features is a heading if every cell is a name (neither a number nor missing), or
if the cells count 0,1,2,... as pandas writes them (two columns at least). In a .csv file of labels a name is a
heading over numbers; over words, only a usual one (label, cluster, class, ...) that does not come again. Any other
first line is data. Rows are never dropped to make lengths agree: --header-features and --header-labels say how
the first line is meant. An unnamed first column under a heading, and pandas' index columns in .parquet, are left
out, and a line on standard error says so.
Labels in .csv are numbers unless two spellings (1e1 and 10) would become the same number: they are text then.
Text that stands for a missing value (nan, NA, null, None, an empty cell) is no label.

exit codes: 0 good; 1 a gate was missed or its score is undefined; 2 bad input (one line on standard error)

examples:
  gpumetrics evaluate embeddings.npy labels.npy
  gpumetrics evaluate embeddings.npy labels.csv --labels-true truth.csv --metric cosine
  gpumetrics evaluate embeddings.npy labels.npy --json --fail-under silhouette=0.4
  gpumetrics evaluate embeddings.npy labels.npy --report report.html --samples texts.csv:text
  gpumetrics evaluate embeddings.npy labels.npy --fail-over davies_bouldin=1.2 --fail-over noise_fraction=0.2
"""


class Gate(NamedTuple):
    """A bound that a score must keep."""

    metric: str
    kind: str  # "fail_under" or "fail_over"
    threshold: float

    def passed(self, value: float) -> bool:
        """Whether the value keeps the bound; an undefined one does not."""
        return value >= self.threshold if self.kind == "fail_under" else value <= self.threshold


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    parser = commands.add_parser(
        "evaluate",
        help="score the clustering in two files",
        description="Score a clustering: FEATURES has one row per sample, LABELS one cluster label per row.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("features", metavar="FEATURES", help="table of numbers, rows are samples")
    parser.add_argument("labels", metavar="LABELS", help="one cluster label per row")
    parser.add_argument("--labels-true", "--truth", metavar="FILE", help="known classes, for the agreement scores")
    add_distance_options(parser)
    add_settings(parser, headings="see below")
    _add_gates(parser)
    add_report_options(parser, samples="a text or picture for each row: .txt, .csv, .parquet, .npy or .npz")
    names = textwrap.fill(", ".join(_gate_names()), 108, initial_indent="  ", subsequent_indent="  ")
    parser.epilog = f"scores for gates:\n{names}\n\n{EPILOG}"
    parser.set_defaults(run=run)


def _add_gates(parser: argparse.ArgumentParser) -> None:
    for side in ("under", "over"):
        parser.add_argument(
            f"--fail-{side}",
            action="append",
            default=[],
            metavar="SCORE=X",
            help=f"exit 1 if the score is {side} X, or undefined; may be repeated",
        )


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    gates = [_gate(text, "fail_under") for text in args.fail_under]
    gates += [_gate(text, "fail_over") for text in args.fail_over]
    _check_gates(gates, args)
    check_report_options(args)
    with under_settings(args):
        report, samples = _evaluate(args)
        _show(report, gates, as_json=args.json)
        if args.report is not None:
            write_clustering(args, report, told=_files(args), samples=samples)
    return 0 if all(g.passed(_value(report, g.metric)) for g in gates) else 1


def _files(args: argparse.Namespace) -> dict[str, str]:
    files = {
        "features": args.features,
        "file of the labels": args.labels,
        "classes": args.labels_true,
        "file of the samples": args.samples,
    }
    return {what: name for what, name in files.items() if name is not None}


def _gate_names() -> list[str]:
    from gpumetrics.evaluation.score_facts import SCORES

    return [*SCORES, "noise_fraction"]


def _gate(text: str, kind: str) -> Gate:
    from gpumetrics.commands.console import a_number

    option = "--" + kind.replace("_", "-")
    name, equals, number = text.partition("=")
    if not equals:
        raise ValueError(f"{option} takes SCORE=NUMBER, as in {option} silhouette=0.4; got {text!r}")
    if name not in _gate_names():
        raise ValueError(f"{option} knows no score {name!r}; the scores are {', '.join(_gate_names())}")
    try:
        threshold = a_number(number)
    except ValueError:
        threshold = math.nan
    if not math.isfinite(threshold):
        raise ValueError(f"{option} {name} needs a finite number, got {number!r}")
    return Gate(name, kind, threshold)


def _check_gates(gates: list[Gate], args: argparse.Namespace) -> None:
    """Refuse gates over scores that this call will not compute."""
    from gpumetrics.evaluation.score_facts import EXTERNAL

    external = {facts.name for facts in EXTERNAL}
    for gate in gates:
        if gate.metric in external and args.labels_true is None:
            raise ValueError(f"a gate over {gate.metric} needs --labels-true")
        if gate.metric.startswith("silhouette") and args.silhouette == "skip":
            raise ValueError(f"a gate over {gate.metric} cannot go with --silhouette skip")


def _evaluate(args: argparse.Namespace) -> tuple[ClusteringReport, Any]:
    from gpumetrics.evaluation.evaluate import evaluate_clustering
    from gpumetrics.sources.files import read_labels

    table = feature_table(args, args.labels, args.labels_true, args.samples)
    samples = report_samples(args, len(table.data))
    labels = read_labels(args.labels, header=args.header_labels)
    truth = None if args.labels_true is None else read_labels(args.labels_true, header=args.header_labels)
    for name, column in ((args.labels, labels), (args.labels_true, truth)):
        if column is not None:
            check_length(args, len(table.data), name, len(column))
    try:
        report = evaluate_clustering(
            table.data,
            labels,
            labels_true=truth,
            metric=args.metric,
            noise_label=noise_label(args.noise_label, labels),
            silhouette=args.silhouette,
            random_state=args.random_state,
        )
    except (ValueError, TypeError) as error:
        from gpumetrics.commands.console import one_line

        files = f"X: {args.features}, y: {args.labels}"
        files += "" if truth is None else f", labels_true: {args.labels_true}"
        raise ValueError(f"{in_options(one_line(error))} ({files})") from error
    return with_options(report, column_notes(args, table)), samples


def _value(report: ClusteringReport, name: str) -> float:
    return report.noise_fraction if name == "noise_fraction" else report.scores[name]


def _show(report: ClusteringReport, gates: list[Gate], *, as_json: bool) -> None:
    from gpumetrics.text.json_text import strict_json

    if as_json:
        data = report.to_dict()
        if gates:
            data["gates"] = [_gate_record(report, gate) for gate in gates]
        print(strict_json(data))
        return
    print(report)
    if gates:
        print("\nGates")
        for gate in gates:
            print(f"  {_gate_line(gate, _value(report, gate.metric))}")


def _gate_record(report: ClusteringReport, gate: Gate) -> dict[str, Any]:
    value = _value(report, gate.metric)
    return {
        "score": gate.metric,
        "rule": gate.kind,
        "threshold": gate.threshold,
        "value": value,
        "passed": gate.passed(value),
    }


def _gate_line(gate: Gate, value: float) -> str:
    limit = f"at least {gate.threshold:g}" if gate.kind == "fail_under" else f"at most {gate.threshold:g}"
    if math.isnan(value):
        return f"missed  {gate.metric} is undefined; {limit} asked"
    return f"{'kept  ' if gate.passed(value) else 'missed'}  {gate.metric} is {value:.6g}; {limit} asked"
