"""``gpumetrics tags``: score the predicted tag sets in two files."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpumetrics.evaluation.tag_report import TagReport

__all__ = ["add_parser", "run"]

EPILOG = """\
Files have a document in each line: of .jsonl files a list of tags, ["refund", "delivery"], or an object with the list
under "tags" (or "labels", or --field) and perhaps an "id" and a "text". [] is a document without tags; null one that
nobody has labelled, which is left out and counted. Where both files have ids, documents are matched by them.
Of .csv files the cells of a line are its tags: a blank line is a document without tags, and null (NA, None, nan)
alone on a line one that is not labelled. A .csv file whose first line names tags over zeros and ones is an
indicator table; its columns are matched by name.
Tags are the same only if they are spelled the same: settle case and spaces before. In .jsonl files 1 and "1" differ.

exit codes: 0 good; 2 bad input (one line on standard error)

examples:
  gpumetrics tags truth.jsonl predicted.jsonl
  gpumetrics tags truth.jsonl predicted.jsonl --zero-division 1 --exclude other --exclude test --json
"""


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    from gpumetrics.commands.console import a_number, a_whole_number

    parser = commands.add_parser(
        "tags",
        help="score the predicted tag sets in two files",
        description="Score predicted tag sets: TRUE and PRED have the tags of the same documents, one document a line.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("true", metavar="TRUE", help="the true tags of each document")
    parser.add_argument("pred", metavar="PRED", help="the predicted tags of each document")
    parser.add_argument("--format", choices=("jsonl", "csv"), help="of both files (default: by the ending of each)")
    parser.add_argument("--field", metavar="KEY", help="key of the tags in JSON objects (default: tags or labels)")
    parser.add_argument(
        "--zero-division",
        choices=("warn", "0", "1", "nan"),
        default="warn",
        help="what 0/0 is, as for a document without any tags; nan: left out of means (default: %(default)s)",
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="TAG", help="take this tag out of both sides; may be repeated"
    )
    parser.add_argument("--classes", metavar="FILE", help="text file of all tags, one a line")
    parser.add_argument(
        "--unknown",
        choices=("extend", "ignore", "raise"),
        default="extend",
        help="what becomes of tags that are not in --classes (default: %(default)s)",
    )
    parser.add_argument("--beta", type=a_number, default=2.0, help="of F-beta: above 1 favours recall (default: 2)")
    parser.add_argument(
        "--worst", type=a_whole_number, default=10, metavar="N", help="worst documents to list (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON rather than text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    from gpumetrics.commands.console import strict_json

    report, ids, notes = _evaluate(args)
    if args.json:
        data = report.to_dict()
        data["true_file"], data["pred_file"] = args.true, args.pred
        data["notes"] = [*notes, *data["notes"]]
        if ids is not None:
            for entry in data["worst_documents"]:
                entry["id"] = ids[entry["document"]]
        print(strict_json(data))
        return 0
    print(report)
    for note in notes:
        print(f"\n{note}")
    return 0


def _evaluate(args: argparse.Namespace) -> tuple[TagReport, list[Any] | None, list[str]]:
    from gpumetrics.commands.console import one_line
    from gpumetrics.evaluation.tag_evaluate import evaluate_tags
    from gpumetrics.sources.tag_files import read_tag_file, same_documents

    true, pred = (read_tag_file(path, args.format, args.field) for path in (args.true, args.pred))
    predicted, moved = same_documents(true, pred, (args.true, args.pred))
    notes = ["The documents of PRED stand in another order than those of TRUE: they were matched by their ids."] * moved
    numbers = all(not isinstance(tag, str) for tags in true.tags for tag in tags or ())
    classes: list[Any] | None = true.columns if pred.columns else None
    if args.classes is not None:
        classes = [_tag(text, numbers=numbers) for text in _lines(args.classes)]
    texts = true.texts or pred.texts or true.ids
    try:
        report = evaluate_tags(
            true.tags,
            predicted,
            classes=classes,
            exclude=[_tag(text, numbers=numbers) for text in args.exclude],
            zero_division=_zero_division(args.zero_division),
            unknown=args.unknown,
            beta=args.beta,
            worst=args.worst,
            texts=texts,
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{one_line(error)} (y_true: {args.true}, y_pred: {args.pred})") from error
    return report, true.ids, notes


def _zero_division(text: str) -> Any:
    if text == "warn":
        return text
    return math.nan if text == "nan" else int(text)


def _lines(path: str) -> list[str]:
    from pathlib import Path

    from gpumetrics.sources.files import InputFileError

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputFileError(f"{path}: the file cannot be read ({error})") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _tag(text: str, *, numbers: bool) -> Any:
    """Read a tag of the command line as the files have them."""
    from gpumetrics.commands.console import a_whole_number

    if not numbers:
        return text
    try:
        return a_whole_number(text)
    except ValueError:
        return text
