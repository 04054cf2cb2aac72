"""``gpumetrics demo``: choose K for k-means on real data, and see what each score says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpumetrics.commands.demo_files import check_folder, save_files
from gpumetrics.commands.report_options import add_report_options, check_report_options, write_clustering
from gpumetrics.text.messages import said, translated

if TYPE_CHECKING:
    import argparse

    import numpy as np

    from gpumetrics.evaluation.clustering_report import ClusteringReport

__all__ = ["add_parser", "run"]

CLUSTERS = range(2, 16)
STARTS, SEED = 4, 0


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    parser = commands.add_parser(
        "demo",
        help="score k-means on scikit-learn's handwritten digits for K = 2..15",
        description="Score k-means clusterings of scikit-learn's 1,797 handwritten digits (8 x 8 pixels) for "
        "K = 2..15 and print the report of the best. Needs scikit-learn: pip install 'gpumetrics[demo]'",
        allow_abbrev=False,
    )
    add_report_options(parser)
    parser.add_argument(
        "--save",
        metavar="FOLDER",
        type=Path,
        help="also write the data as files (embeddings.npy, labels.npy, truth.jsonl ...), to try the other commands on",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    check_report_options(args)
    check_folder(args.save)
    try:
        from sklearn.cluster import KMeans
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise ValueError('the demo needs scikit-learn: pip install "gpumetrics[demo]"') from error
    from gpumetrics.choosing.stability import stability
    from gpumetrics.choosing.sweep import sweep

    X, y = load_digits(return_X_y=True)
    print(
        f"{len(X):,} handwritten digits of {X.shape[1]} pixels (scikit-learn's load_digits), clustered by k-means for "
        f"K = {CLUSTERS[0]}..{CLUSTERS[-1]}.\n"
        "labels_true are the digits that were meant, which a real task lacks.\n"
    )
    comparison = sweep(X, KMeans(n_init=STARTS), n_clusters=CLUSTERS, labels_true=y, random_state=SEED)
    print(f"{comparison}\n")
    k = comparison.best["silhouette"]
    report = _report(X, y, comparison.labels(k), k)
    if args.save is not None:
        save_files(args.save, X, y, comparison.labels(k))
        print(f"\nThe files for the README's commands are in {args.save}: labels.npy has the digits that were meant.")
    if args.report is not None:
        again = stability(X, KMeans(k, n_init=STARTS), reference=comparison.labels(k), random_state=SEED)
        pictures = X.reshape(-1, 8, 8)
        title = translated(said("Handwritten digits in {k} clusters (k-means)", k=k), args.lang or "en")
        write_clustering(args, report, samples=pictures, stability=again, title=title)
    return 0


def _report(X: np.ndarray, y: np.ndarray, labels: Any, k: int) -> ClusteringReport:
    from gpumetrics.evaluation.evaluate import evaluate_clustering

    print(f"The full report of K = {k}, the silhouette's choice (the only score that looks at single rows):\n")
    report = evaluate_clustering(X, labels, labels_true=y)
    print(report)
    print(
        "\nThe same in Python:     X, y = load_digits(return_X_y=True)"
        f"\n                        comparison = gpumetrics.sweep(X, KMeans(n_init={STARTS}), n_clusters={CLUSTERS}, "
        f"labels_true=y, random_state={SEED})"
        f"\n                        gpumetrics.evaluate_clustering(X, comparison.labels({k}), labels_true=y)"
        "\nFor files of your own:  gpumetrics sweep embeddings.npy --clusterer kmeans --k 2:15"
        "\n                        gpumetrics compare embeddings.npy kmeans.npy dbscan.npy"
        "\n                        gpumetrics evaluate embeddings.npy labels.npy --report report.html"
    )
    return report
