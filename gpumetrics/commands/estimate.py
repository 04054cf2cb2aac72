"""``gpumetrics estimate``: the silhouette of the clustering in two files, with its error, from some of the rows."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gpumetrics.commands.options import (
    add_distance_options,
    add_settings,
    column_notes,
    features_and_labelings,
    under_settings,
)
from gpumetrics.commands.spelling import in_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.clustering.silhouette_estimate import Estimate

__all__ = ["add_parser", "run"]

EPILOG = """\
Files are as in gpumetrics evaluate. Several LABELS, or a table with one clustering in each column, are estimated from
the same rows, as in gpumetrics compare.

Each sampled row is held against all rows, so that the estimate is unbiased; --references pps holds it against a sample
of each cluster, for tables that are too large to be read for every row. --tol asks more rows until the interval
reaches no further than that to each side.

exit codes: 0 good; 2 bad input (one line on standard error)

examples:
  gpumetrics estimate embeddings.npy labels.npy
  gpumetrics estimate embeddings.npy labels.npy --tol 0.005 --confidence 0.99
  gpumetrics estimate embeddings.npy kmeans.npy ward.npy --n-queries 5000 --json
"""


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    from gpumetrics.commands.console import a_number, a_whole_number

    parser = commands.add_parser(
        "estimate",
        help="estimate the silhouette of large data, with its error",
        description="Estimate the mean silhouette: FEATURES has one row per sample, LABELS one cluster label per row.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("features", metavar="FEATURES", help="table of numbers, rows are samples")
    parser.add_argument(
        "labels", metavar="LABELS", nargs="+", help="one cluster label per row, or a column of them each"
    )
    add_distance_options(parser)
    parser.add_argument(
        "--n-queries",
        type=a_whole_number,
        metavar="N",
        help="rows to ask (default: 2000); with --tol, in the first round (default: 500)",
    )
    parser.add_argument("--tol", type=a_number, metavar="X", help="ask rows until the interval is within X")
    parser.add_argument(
        "--confidence", type=a_number, default=0.95, metavar="P", help="level of the interval (default: %(default)s)"
    )
    parser.add_argument(
        "--no-stratify", action="store_true", help="draw from all rows at once rather than cluster by cluster"
    )
    parser.add_argument(
        "--references", choices=("pps",), help="hold rows against a sample of each cluster, drawn by size"
    )
    parser.add_argument(
        "--n-references", type=a_whole_number, metavar="N", help="rows of that sample in each cluster (default: 256)"
    )
    add_settings(parser, modes=False)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    from dataclasses import replace

    from gpumetrics.text.json_text import strict_json

    with under_settings(args):
        found, notes = _estimate(args)
    if not isinstance(found, dict):
        found = replace(found, notes=(*found.notes, *notes))
        print(strict_json(found.to_dict()) if args.json else found)
    elif args.json:
        several = {str(name): estimate.to_dict() for name, estimate in found.items()}
        print(strict_json({"labelings": several} | ({"notes": notes} if notes else {})))
    else:
        print(_table(found, notes))
    return 0


def _estimate(args: argparse.Namespace) -> tuple[Estimate | dict[Any, Estimate], list[str]]:
    """Return the estimate, or one for each of several labelings, and what is to be said of the columns."""
    from gpumetrics.clustering.silhouette_estimate import silhouette_estimate
    from gpumetrics.commands.console import one_line

    table, several, noise = features_and_labelings(args)
    try:
        found = silhouette_estimate(
            table.data,
            several if len(several) > 1 else next(iter(several.values())),
            metric=args.metric,
            noise_label=noise,
            n_queries=args.n_queries,
            tol=args.tol,
            confidence=args.confidence,
            stratify=not args.no_stratify,
            references=args.references,
            n_references=args.n_references,
            random_state=args.random_state,
        )
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{in_options(one_line(error))} (X: {args.features}, labels: {', '.join(args.labels)})"
        ) from error
    notes = list(column_notes(args, table).values())
    return found, notes  # type: ignore[return-value]  # never a list, since labelings have names here


def _table(found: Mapping[Any, Estimate], remarks: list[str]) -> str:
    """Return a line for each labeling, and what is to be kept in mind of any."""
    import math

    from gpumetrics.text.layout import align, wrapped

    first = next(iter(found.values()))
    exact = all(estimate.exact for estimate in found.values() if not math.isnan(estimate.value))
    how = "exact" if exact else "estimated from the same rows"
    head = f"Silhouettes (metric {first.metric}, higher is better), {how}"
    rows: list[tuple[str, ...]] = [
        ("labeling", "K", "silhouette", "std. error", f"{100 * first.confidence:g} % interval", "rows asked")
    ]
    for name, estimate in found.items():
        low, high = estimate.interval
        cells = ("undefined", "-", "-")
        if not math.isnan(estimate.value):
            cells = (f"{estimate.value:.4f}", f"{estimate.stderr:.4f}", f"{low:.4f} to {high:.4f}")
        asked = f"{estimate.n_queries:,} of {estimate.n_samples:,}"
        rows.append((str(name), f"{estimate.n_clusters:,}", *cells, asked))
    notes = [f"- {name}: {note}" for name, estimate in found.items() for note in estimate.notes]
    notes += [f"- {remark}" for remark in remarks]
    return "\n".join([head, align(rows, right={1, 2, 3, 4, 5}), *(wrapped(note, "  ") for note in notes)])
