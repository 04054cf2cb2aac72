"""Compare what `gpumetrics plan` predicts with what this machine does, and print a table for docs/scaling.md.

    python benchmarks/scaling.py [--toy] [--json FILE] [WORK ...]

Each metric at four sizes, the better of two rounds (one, if a call takes over 10 s). The machine should be quiet: the
average load before the start stands under the table. Where it is not, the processor time over the cores says more: what
a call that keeps all cores busy would have taken alone (one that keeps a single core busy takes twice that on two).
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import time
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import scipy

import gpumetrics as gm
from gpumetrics.backends.threads import n_threads
from gpumetrics.planning import plan, this_machine
from gpumetrics.planning.words import time_text

ROUNDS, LONG = 2, 10
HERE = "this machine"
WIDE = [(50_000, 64, 10), (400_000, 64, 100), (200_000, 384, 100), (100_000, 768, 1000)]
PAIRS = [(5_000, 64, 10), (20_000, 64, 100), (20_000, 384, 100), (20_000, 768, 1000)]
LABELS = [(200_000, 1, 10), (2_000_000, 1, 100), (2_000_000, 1, 1000), (10_000_000, 1, 100)]
TOY = [(200, 3, 2), (300, 3, 4), (400, 5, 4), (500, 5, 8)]

# name: (work of the plan, metric, function of rows, labels and other labels, sizes)
CASES = {
    "silhouette, cosine": (
        "silhouette_closed_form",
        "cosine",
        lambda X, labels, _: gm.silhouette_score(X, labels, metric="cosine"),
        WIDE,
    ),
    "silhouette, sqeuclidean": (
        "silhouette_closed_form",
        "sqeuclidean",
        lambda X, labels, _: gm.silhouette_score(X, labels, metric="sqeuclidean"),
        WIDE,
    ),
    "silhouette, euclidean": (
        "silhouette_pairs",
        "euclidean",
        lambda X, labels, _: gm.silhouette_score(X, labels),
        PAIRS,
    ),
    "silhouette, chebyshev": (
        "silhouette_pairs",
        "chebyshev",
        lambda X, labels, _: gm.silhouette_score(X, labels, metric="chebyshev"),
        [(2_000, 16, 10), (5_000, 16, 10), (5_000, 64, 100), (10_000, 64, 100)],
    ),
    "silhouette, manhattan": (
        "silhouette_pairs",
        "manhattan",
        lambda X, labels, _: gm.silhouette_score(X, labels, metric="manhattan"),
        [(5_000, 16, 10), (50_000, 16, 10), (50_000, 64, 10), (10_000, 64, 100)],
    ),
    "estimate of 2,000 rows, euclidean": (
        "silhouette_estimate",
        "euclidean",
        lambda X, labels, _: gm.silhouette_estimate(X, labels, n_queries=min(2000, len(X)), random_state=0),
        WIDE,
    ),
    "Calinski-Harabasz": (
        "calinski_harabasz",
        "euclidean",
        lambda X, labels, _: gm.calinski_harabasz_score(X, labels),
        WIDE,
    ),
    "Davies-Bouldin": ("davies_bouldin", "euclidean", lambda X, labels, _: gm.davies_bouldin_score(X, labels), WIDE),
    "adjusted Rand": ("contingency", "euclidean", lambda _, a, b: gm.adjusted_rand_score(a, b), LABELS),
    "F1, macro": ("label_counts", "euclidean", lambda _, a, b: gm.f1_score(a, b, average="macro"), LABELS),
}


def clustered(n_samples, n_features, n_clusters):
    """Overlapping Gaussian blobs, their labels, and labels that agree with these on three rows in five."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, n_clusters, n_samples)
    labels[:n_clusters] = np.arange(n_clusters)
    X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    X += rng.standard_normal((n_clusters, n_features), dtype=np.float32)[labels]
    other = np.where(rng.random(n_samples) < 0.6, labels, rng.integers(0, n_clusters, n_samples))
    return X, labels, other


def measured(call, data):
    """Seconds of the better of two calls, and its processor time over the cores."""
    best = (math.inf, math.inf)
    for _ in range(ROUNDS):
        gc.collect()
        start, busy = time.perf_counter(), time.process_time()
        call(*data)
        best = min(best, (time.perf_counter() - start, (time.process_time() - busy) / n_threads()))
        if best[0] > LONG:
            break
    return best


def lines(wanted, *, toy=False):
    """Yield what was predicted and measured, size after size."""
    for name, (work, metric, call, sizes) in CASES.items():
        if wanted and not any(word in name for word in wanted):
            continue
        for n, d, k in TOY if toy else sizes:
            predicted = plan(n, d, k, metric=metric).line(work, HERE)["seconds"]
            seconds, busy = measured(call, clustered(n, d, k))
            yield {
                "work": name,
                "n_samples": n,
                "n_features": d,
                "n_clusters": k,
                "predicted": predicted,
                "measured": seconds,
                "processor": busy,
                "ratio": predicted / seconds,
            }


def machine():
    """What the figures depend on."""
    here = this_machine()
    return {
        "date": date.today().isoformat(),
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "gpumetrics": gm.__version__,
        "float32_products_per_second": here.float32,
        "load_before": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def main(argv=None):
    """Measure, print the table, and write the figures where --json says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", nargs="*", help="only metrics whose name contains one of these")
    parser.add_argument("--toy", action="store_true", help="sizes that take no time, to see whether it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    args = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    facts, found = machine(), []
    heads = (
        "metric",
        "rows x features, clusters",
        "predicted",
        "measured",
        "predicted / measured",
        "processor / cores",
    )
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for line in lines(args.work, toy=args.toy):
        found.append(line)
        size = f"{line['n_samples']:,} x {line['n_features']}, {line['n_clusters']:,}"
        times = f"{time_text(line['predicted'])} | {time_text(line['measured'])} | {line['ratio']:.2f}"
        print(f"| {line['work']} | {size} | {times} | {time_text(line['processor'])} |", flush=True)
    texts = (f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in facts.items())
    print(f"\n{', '.join(texts)}")
    if args.json:
        text = json.dumps({"machine": facts, "lines": found}, indent=2, allow_nan=False)
        args.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
