"""What the recipes' tests share: the code blocks of a document, and rows with the scores that they must give."""

import re
from pathlib import Path

import numpy as np

import gpumetrics as gm

DOCS = Path(__file__).parents[1] / "docs"
SCORES = ("ari", "calinski_harabasz", "davies_bouldin", "silhouette")


def blocks_of(name):
    """Return the Python blocks of a document: the first defines, the second uses."""
    return re.findall(r"^```python\n(.*?)^```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def follow(name, **given):
    """Run a document's blocks as a script would, and return the scores that they leave."""
    names = {"__name__": "__main__", **given}  # so that its functions travel to the workers by value
    for block in blocks_of(name):
        exec(compile(block, name, "exec"), names)  # noqa: S102  (that is the test)
    return [names[score] for score in SCORES]


def rows():
    """Return rows, their clusters, and a known class that agrees with most of them."""
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, 4, 600)
    X = rng.normal(size=(600, 5)) + 3 * np.eye(5)[clusters]
    topics = np.array(["art", "food", "law", "sport"])[(clusters + (rng.random(600) < 0.1)) % 4]
    return X, clusters, topics


def expected(X, clusters, topics):
    """Return what `follow` must give."""
    return [
        gm.adjusted_rand_score(topics, clusters),
        gm.calinski_harabasz_score(X, clusters),
        gm.davies_bouldin_score(X, clusters),
        gm.silhouette_score(X, clusters, metric="cosine"),
    ]
