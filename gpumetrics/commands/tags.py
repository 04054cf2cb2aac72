"""``gpumetrics tags``: score the predicted tag sets in two files."""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.sources.tag_documents import TagFile

__all__ = ["add_parser", "run"]

EPILOG = """\
Files have a document in each line: of .jsonl files a list of tags, ["refund", "delivery"], or an object with the list
under "tags" (or "labels", or --field) and perhaps an "id" and a "text", which the page of --report shows with the
worst documents. [] is a document without tags; null one that nobody has labelled, which is left out and counted.
Where both files have ids, documents are matched by them, else by line number; the report's notes say which.
Of .csv files the cells of a line are its tags: a blank line is a document without tags, and null (NA, None, nan)
alone on a line one that is not labelled. A .csv file whose first line names tags over zeros and ones is an
indicator table; its columns are matched by name, and a first column headed id (or --id), or nothing, has the ids.
Tags are the same only if they are spelled the same: settle case and spaces before. In .jsonl files 1 and "1" differ.

exit codes: 0 good; 2 bad input (one line on standard error)

examples:
  gpumetrics tags truth.jsonl predicted.jsonl
  gpumetrics tags truth.jsonl predicted.jsonl --zero-division 1 --exclude other --exclude test --json
  gpumetrics tags truth.jsonl predicted.jsonl --report tags.html --lang ko
  gpumetrics tags both.jsonl both.jsonl --field tags --field-pred predicted --id ticket
"""


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    from gpumetrics.commands.console import a_number, a_whole_number
    from gpumetrics.commands.report_options import add_report_options

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
    parser.add_argument("--field-pred", metavar="KEY", help="that of PRED, where it is another (default: --field)")
    parser.add_argument(
        "--id", metavar="KEY", help="key of the documents' ids; of a table, heading of the first column (default: id)"
    )
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
    add_report_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    from gpumetrics.commands.report_options import check_report_options
    from gpumetrics.sources.tag_documents import how_read, same_documents
    from gpumetrics.sources.tag_files import read_tag_file

    check_report_options(args)
    true = read_tag_file(args.true, args.format, args.field, args.id)
    pred = read_tag_file(args.pred, args.format, args.field_pred or args.field, args.id)
    pred, matching = same_documents(true, pred, (args.true, args.pred))
    report = _evaluate(args, true, pred)
    notes = {"files": how_read(true, pred), "documents": matching}
    report = replace(report, notes=notes | report.notes, worst=_with_ids(report.worst, true.ids or pred.ids))
    print(_json(args, report) if args.json else report)
    if args.report is not None:
        _write_report(args, report)
    return 0


def _json(args: argparse.Namespace, report: TagReport) -> str:
    from gpumetrics.text.json_text import strict_json

    data = report.to_dict() | {"true_file": args.true, "pred_file": args.pred}
    data |= {f"setting_{name}": getattr(args, name) for name in ("format", "field", "field_pred", "id")}
    return strict_json(data)


def _write_report(args: argparse.Namespace, report: TagReport) -> None:
    from gpumetrics.commands.report_options import say_written
    from gpumetrics.pages.render import write
    from gpumetrics.pages.tags_page import page_of

    files = {"file of the true tags": args.true, "file of the predicted tags": args.pred}
    page = page_of(report, lang=args.lang or "en", told=files, command=args.command_line)
    say_written(write(page, args.report))


def _with_ids(worst: list[dict[str, Any]], ids: list[Any] | None) -> list[dict[str, Any]]:
    return worst if ids is None else [entry | {"id": ids[entry["document"]]} for entry in worst]


def _evaluate(args: argparse.Namespace, true: TagFile, pred: TagFile) -> TagReport:
    from gpumetrics.commands.console import one_line
    from gpumetrics.evaluation.tags.evaluate import evaluate_tags

    numbers = all(not isinstance(tag, str) for file in (true, pred) for tags in file.tags for tag in tags or ())
    classes: list[Any] | None = true.columns if pred.columns else None
    if args.classes is not None:
        classes = [_tag(text, numbers=numbers) for text in _lines(args.classes)]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Scores are ill-defined")  # the report has a note on it
            return evaluate_tags(
                true.tags,
                pred.tags,
                classes=classes,
                exclude=[_tag(text, numbers=numbers) for text in args.exclude],
                zero_division=_zero_division(args.zero_division),
                unknown=args.unknown,
                beta=args.beta,
                worst=args.worst,
                texts=true.texts or pred.texts,
            )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{one_line(error)} (y_true: {args.true}, y_pred: {args.pred})") from error


def _zero_division(text: str) -> Any:
    if text == "warn":
        return text
    return math.nan if text == "nan" else int(text)


def _lines(path: str) -> list[str]:
    from pathlib import Path

    from gpumetrics.sources.files import InputFileError, damage

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputFileError(f"{path}: {damage(error)}") from error
    tags = [line.strip() for line in text.split("\n") if line.strip()]  # splitlines would part more than lines
    if not tags:
        raise InputFileError(f"{path}: the file has no tags")
    return tags


def _tag(text: str, *, numbers: bool) -> Any:
    """Read a tag of the command line as the files have them."""
    from gpumetrics.commands.console import a_whole_number

    if not numbers:
        return text
    try:
        return a_whole_number(text)
    except ValueError:
        return text
