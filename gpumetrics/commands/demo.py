"""``gpumetrics demo``: choose K for k-means on real data, and see what each index says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    import numpy as np

__all__ = ["add_parser", "run"]

CLUSTERS = range(2, 16)
INDICES = ("silhouette", "calinski_harabasz", "davies_bouldin")


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    parser = commands.add_parser(
        "demo",
        help="score k-means on scikit-learn's handwritten digits for K = 2..15",
        description="Score k-means clusterings of scikit-learn's 1,797 handwritten digits (8 x 8 pixels) for "
        "K = 2..15 and print the report of the best. Needs scikit-learn: pip install 'gpumetrics[demo]'",
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)


def run(_args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise ValueError('the demo needs scikit-learn: pip install "gpumetrics[demo]"') from error
    X, y = load_digits(return_X_y=True)
    print(
        f"{len(X):,} handwritten digits of {X.shape[1]} pixels (scikit-learn's load_digits), "
        f"clustered by k-means for K = {CLUSTERS[0]}..{CLUSTERS[-1]}.\n"
    )
    labelings = {k: _kmeans(X, k) for k in CLUSTERS}
    scores = {k: _scores(X, y, labels) for k, labels in labelings.items()}
    print(_table(scores))
    best = {name: _best(scores, name) for name in INDICES}
    print(f"\n{_verdict(best)}\n")
    _report(X, y, labelings[best["silhouette"]], best["silhouette"])
    return 0


def _kmeans(X: np.ndarray, k: int) -> np.ndarray:
    from sklearn.cluster import KMeans

    labels: np.ndarray = KMeans(n_clusters=k, n_init=4, random_state=0).fit_predict(X)
    return labels


def _scores(X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    import gpumetrics as gm

    return {
        "silhouette": gm.silhouette_score(X, labels),
        "calinski_harabasz": gm.calinski_harabasz_score(X, labels),
        "davies_bouldin": gm.davies_bouldin_score(X, labels),
        "adjusted_rand": gm.adjusted_rand_score(y, labels),
    }


def _table(scores: dict[int, dict[str, float]]) -> str:
    """Return the scores of every K, the best of each index marked with a star."""
    from gpumetrics.commands.console import arrows
    from gpumetrics.evaluation.report_text import align
    from gpumetrics.evaluation.score_facts import SCORES

    signs = arrows()
    head = ["K", *(f"{SCORES[name].title} {signs[SCORES[name].better]}" for name in INDICES)]
    rows = [[*head, f"adjusted Rand {signs['higher']}"]]
    best = {name: _best(scores, name) for name in INDICES}
    for k, row in scores.items():
        cells = [f"{row[name]:.{1 if name == 'calinski_harabasz' else 3}f}" for name in INDICES]
        marked = [f"{c} *" if best[name] == k else f"{c}  " for name, c in zip(INDICES, cells, strict=True)]
        rows.append([str(k), *marked, f"{row['adjusted_rand']:.3f}"])
    note = "* best K by that index. Adjusted Rand compares with the digits written, which a real task lacks."
    return f"{align(rows, right=set(range(5)))}\n{note}"


def _best(scores: dict[int, dict[str, float]], name: str) -> int:
    from gpumetrics.evaluation.score_facts import SCORES

    choose = max if SCORES[name].better == "higher" else min
    return choose(scores, key=lambda k: scores[k][name])


def _verdict(best: dict[str, int]) -> str:
    """Return each index's K and, where they differ, the question that decides; nothing is averaged."""
    from gpumetrics.evaluation.score_facts import SCORES

    named = ", ".join(f"{SCORES[name].title} K = {k}" for name, k in best.items())
    choices = sorted(set(best.values()))
    if len(choices) == 1:
        return f"All three indices choose K = {choices[0]}."
    low, high = choices[0], choices[-1]
    between = "" if len(choices) == 2 else f", or K = {', '.join(map(str, choices[1:-1]))} between them"
    return (
        f"The indices disagree: {named}.\n"
        "None is wrong: the silhouette compares each row with the next cluster, Davies-Bouldin each cluster\n"
        "with its most similar one, Calinski-Harabasz the variance between clusters with that inside\n"
        "them. They are not averaged. Ask what the clusters are for: is there a reason to treat groups\n"
        f"differently that K = {high} keeps apart and K = {low} does not? If so take K = {high}, if not "
        f"K = {low}{between}."
    )


def _report(X: np.ndarray, y: np.ndarray, labels: np.ndarray, k: int) -> None:
    from gpumetrics.evaluation.evaluate import evaluate_clustering

    print(f"The full report of K = {k}, the silhouette's choice (the only index that looks at single rows):\n")
    print(evaluate_clustering(X, labels, labels_true=y))
    print(
        "\nThe same in Python:     gpumetrics.evaluate_clustering(X, labels, labels_true=y)"
        "\nFor files of your own:  gpumetrics evaluate embeddings.npy labels.npy"
    )
