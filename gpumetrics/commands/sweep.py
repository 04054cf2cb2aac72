"""``gpumetrics sweep``: fit a clusterer under many settings, and compare the clusterings."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from gpumetrics.commands.compare import (
    add_comparison_options,
    comparison_options,
    full_reports,
    write_report,
)
from gpumetrics.commands.options import (
    check_length,
    check_report_options,
    column_notes,
    feature_table,
    under_settings,
)
from gpumetrics.commands.spelling import in_options, with_options

if TYPE_CHECKING:
    from gpumetrics.choosing.comparison import Comparison

__all__ = ["add_parser", "run"]

INTERRUPTED = 130
CLUSTERERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "kmeans": ("sklearn.cluster", "KMeans", {"n_init": 10}),
    "minibatch-kmeans": ("sklearn.cluster", "MiniBatchKMeans", {"n_init": 10}),
    "bisecting-kmeans": ("sklearn.cluster", "BisectingKMeans", {}),
    "agglomerative": ("sklearn.cluster", "AgglomerativeClustering", {}),
    "birch": ("sklearn.cluster", "Birch", {}),
    "spectral": ("sklearn.cluster", "SpectralClustering", {}),
    "gaussian-mixture": ("sklearn.mixture", "GaussianMixture", {}),
    "dbscan": ("sklearn.cluster", "DBSCAN", {}),
    "hdbscan": ("sklearn.cluster", "HDBSCAN", {"copy": True}),
    "optics": ("sklearn.cluster", "OPTICS", {}),
    "mean-shift": ("sklearn.cluster", "MeanShift", {}),
}

EPILOG = """\
Files are as in gpumetrics evaluate; its --help tells what is taken for a heading.
Numbers of clusters: --k 2:30 is 2, 3, ... 30, --k 10:100:10 every tenth, --k 2,4,8 a list. --param takes any
parameter of the clusterer, with values as in --param eps=0.1,0.2,0.5 or --param min_samples=3:10; given more than
once, all combinations are taken; only parameters that vary name a setting. Without either, K is 2 to 15.
--random-state also seeds clusterers that draw at random. kmeans and minibatch-kmeans take the best of 10 starts;
--param n_init=1 takes one, in a tenth of the time.

clusterers (scikit-learn's, pip install "gpumetrics[search]"):
{names}
  MODULE:CLASS is that of any other library, such as cuml.cluster:KMeans

exit codes: 0 good; 2 bad input (one line on standard error); 130 interrupted, with what was done printed

examples:
  gpumetrics sweep embeddings.npy --clusterer kmeans --k 2:30 --save-labels sweep.npz
  gpumetrics sweep embeddings.npy --clusterer dbscan --param eps=0.3,0.5,0.8 --param min_samples=5,10
  gpumetrics evaluate embeddings.npy sweep.npz:4
  gpumetrics sweep embeddings.npy --clusterer kmeans --report sweep.html
"""


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    from gpumetrics.commands.console import a_whole_number

    names = textwrap.fill(", ".join(CLUSTERERS), 108, initial_indent="  ", subsequent_indent="  ")
    parser = commands.add_parser(
        "sweep",
        help="cluster the data under many settings and compare the results",
        description="Fit a clusterer to FEATURES (one row per sample) under many settings and compare the results.",
        epilog=EPILOG.format(names=names),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("features", metavar="FEATURES", help="table of numbers, rows are samples")
    parser.add_argument("--clusterer", required=True, metavar="NAME", help="what clusters them: see below")
    parser.add_argument("--k", metavar="RANGE", help="numbers of clusters, both ends included")
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUES", help="values of a parameter")
    parser.add_argument("--jobs", type=a_whole_number, metavar="N", help="fits at the same time (-1: all cores)")
    parser.add_argument("--save-labels", metavar="FILE.npz", help="write the labels of every setting")
    add_comparison_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    from gpumetrics.text.json_text import strict_json

    check_report_options(args)
    with under_settings(args):
        _check_target(args)
        clusterer, grid = _clusterer(args.clusterer), _grid(args.param)
        comparison, columns = _sweep(args, clusterer, grid)
    described = _described(clusterer, grid, args.random_state)
    shown = with_options(comparison, columns)
    if args.json:
        print(strict_json({"clusterer": described, **shown.to_dict()}))
    else:
        print(f"Clusterer: {described}\n{shown}")
    if args.save_labels is not None:
        _save(comparison, args.save_labels)
    if args.report is not None:
        write_report(args, comparison, columns, further=_further(args, comparison), told={"clusterer": described})
    return INTERRUPTED if "interrupted" in comparison.notes else 0


def _further(args: argparse.Namespace, comparison: Comparison) -> str:
    """Return the commands that write the full reports, after one that keeps the labels if they were not kept."""
    file = args.save_labels or "labels.npz"
    reports = full_reports(args, [f"{file}:{name}" for name in comparison.choices()])
    return reports if args.save_labels else f"{args.command_line} --save-labels {file}\n{reports}"


def _sweep(args: argparse.Namespace, clusterer: Any, grid: dict[str, list[Any]]) -> tuple[Comparison, dict[str, str]]:
    """Return the comparison, and what is to be said of the columns."""
    from gpumetrics.choosing.sweep import sweep
    from gpumetrics.commands.console import one_line
    from gpumetrics.sources.files import read_labels

    options = comparison_options(args)
    n_clusters = None if args.k is None else _values(args.k, "--k")
    table = feature_table(args, args.labels_true)
    truth = None if args.labels_true is None else read_labels(args.labels_true, header=args.header_labels)
    if truth is not None:
        check_length(args, len(table.data), args.labels_true, len(truth))
    try:
        found = sweep(
            table.data,
            clusterer,
            grid or None,
            n_clusters=n_clusters,
            labels_true=truth,
            noise_label=_noise(args.noise_label),
            n_jobs=args.jobs,
            **options,
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{in_options(one_line(error))} (X: {args.features})") from error
    return found, column_notes(args, table)


def _clusterer(name: str) -> Any:
    """Return the clusterer of a name; what it needs is imported here and nowhere else."""
    import importlib

    module, _, kind = name.partition(":")
    defaults: dict[str, Any] = {}
    if not kind:
        if name not in CLUSTERERS:
            raise ValueError(f"--clusterer knows no {name!r}; it takes {', '.join(CLUSTERERS)}, or MODULE:CLASS")
        module, kind, defaults = CLUSTERERS[name]
    try:
        found = getattr(importlib.import_module(module), kind)
    except ImportError as error:
        if module.startswith("sklearn"):
            raise ValueError(f'--clusterer {name} needs scikit-learn: pip install "gpumetrics[search]"') from error
        raise ValueError(f"--clusterer {name}: the module {module} cannot be imported ({error})") from error
    except AttributeError as error:
        raise ValueError(f"--clusterer {name}: the module {module} has no {kind}") from error
    except ValueError as error:
        raise ValueError(f"--clusterer takes a name, or MODULE:CLASS; got {name!r}") from error
    try:
        return found(**defaults)
    except TypeError as error:
        raise ValueError(f"--clusterer {name} cannot be made without parameters ({error})") from error


def _described(clusterer: Any, grid: dict[str, list[Any]], seed: int) -> str:
    """Return the clusterer with what is the same in all settings, on one line."""
    from gpumetrics.choosing.clusterers import fresh
    from gpumetrics.choosing.fitting import attempt

    same = {name: values[0] for name, values in grid.items() if len(values) == 1}
    text = " ".join((attempt(lambda: repr(fresh(clusterer, same, seed))).value or "").split())
    if text and not text.startswith("<"):  # as Python's own text, which has an address in memory
        return text
    return ", ".join([type(clusterer).__name__, *(f"{name}={value}" for name, value in same.items())])


def _check_target(args: argparse.Namespace) -> None:
    """Refuse a file for labels that cannot be written, or is read too, before hours are spent on them."""
    from gpumetrics.output_files import check_path
    from gpumetrics.sources.files import split_spec

    path = args.save_labels
    if path is None:
        return
    if not path.endswith(".npz"):
        raise ValueError(f"--save-labels writes .npz files, got {path!r}")
    real = check_path(path, "--save-labels", "labels.npz")
    for spec in filter(None, (args.features, args.labels_true)):
        read = split_spec(spec)[0].resolve()
        if real == read or read in real.parents:  # a folder is read whole, and so is what would be added to it
            raise ValueError(f"--save-labels must be another file than those that are read, got {path!r}")


def _grid(texts: list[str]) -> dict[str, list[Any]]:
    grid: dict[str, list[Any]] = {}
    for name, values in map(_parameter, texts):
        if name in grid:
            raise ValueError(f"--param {name} is given twice; give all of its values at once, as in {name}=0.3,0.5")
        grid[name] = values
    return grid


def _parameter(text: str) -> tuple[str, list[Any]]:
    name, equals, values = text.partition("=")
    if not equals or not name or not values:
        raise ValueError(f"--param takes NAME=VALUES, as in --param eps=0.3,0.5; got {text!r}")
    return name, _values(values, f"--param {name}")


def _values(text: str, option: str) -> list[Any]:
    """Read values of the command line: a list with commas, of values or ranges of whole numbers."""
    return [value for word in text.split(",") for value in _range(word.strip(), option)]


def _range(word: str, option: str) -> list[Any]:
    from gpumetrics.commands.console import a_whole_number

    if ":" not in word:
        return [_value(word)]
    try:
        low, high, *step = [a_whole_number(part) for part in word.split(":")]
        values = list(range(low, high + 1, *step))
    except (ValueError, TypeError):
        values = []
    if not values:
        raise ValueError(f"{option}: {word!r} is no range; 2:30 is 2, 3, ... 30 and 10:100:10 every tenth of them")
    return list(values)


def _value(word: str) -> Any:
    """Read a number, true, false or none as such; anything else is text."""
    from gpumetrics.commands.console import a_number, a_whole_number

    for read in (a_whole_number, a_number):
        try:
            return read(word)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None}.get(word.lower(), word)


def _noise(text: str) -> Any:
    """Read the noise label; the labels that clusterers give are whole numbers."""
    return text.removeprefix("str:") if text.startswith("str:") else _value(text)


def _save(comparison: Comparison, path: str) -> None:
    """Write every labeling under its name."""
    import io

    import numpy as np

    from gpumetrics.backends.array_modules import as_host
    from gpumetrics.label_arrays import label_array
    from gpumetrics.output_files import write_whole

    labelings = comparison.entries.labelings
    arrays: dict[str, Any] = {str(name): as_host(label_array(labels, str(name))) for name, labels in labelings.items()}
    archive = io.BytesIO()
    np.savez_compressed(archive, **arrays)
    write_whole(path, archive.getvalue(), "--save-labels")
