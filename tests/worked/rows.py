"""How each row of data/worked_examples.json is accounted for: the groups, and the data behind the rows."""

import json
from functools import cache
from pathlib import Path

import numpy as np

import gpumetrics as gm

DATA = Path(__file__).parents[1] / "data"
ROWS = {row["id"]: row for row in json.loads((DATA / "worked_examples.json").read_text())}
SETS = json.loads((DATA / "worked_datasets.json").read_text())

VALUES = {}  # id -> function(row) whose result is compared with the row's digits and its `computed` value
PROPERTIES = {}  # id -> function(row) that asserts
SUPERSEDED = {}  # id -> function(row) that asserts the value which a rule of ours puts in the row's place


def into(group, *ids):
    """Enter a function into a group for these rows."""

    def enter(function):
        for row_id in ids:
            assert row_id not in group
            group[row_id] = function
        return function

    return enter


@cache
def points(name):
    return np.array(SETS[name]["X"])


@cache
def k_means(name, k):
    """The stored labels; for the other K, which no printed figure needs, k-means itself."""
    stored = SETS[name]["kmeans"].get(str(k))
    if stored is not None:
        return np.array(stored)
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=k, random_state=42, n_init=10).fit_predict(points(name))


def of(row):
    """Points and labels of a row that names a data set and K."""
    name = row["id"].partition(".")[0]
    return points(name), k_means(name, row["generator"]["K"])


def given(row, index=slice(None)):
    inputs = row["inputs"]
    X = np.array(inputs["X"] if "X" in inputs else inputs["equivalent_points_X"], dtype=float)
    return X[index], np.array(inputs["labels"] if "labels" in inputs else inputs["equivalent_labels"])


def from_table(table):
    """Two labelings with this contingency table."""
    table = np.array(table)
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())


def hundred(text):
    """Labels from a text such as "50 x class 0, 50 x class 1"."""
    runs = [part.split(" x ") for part in text.split(", ")]
    return np.repeat([int(name.split()[-1]) for _, name in runs], [int(count) for count, _ in runs])


def truth_and_labels(row):
    return hundred(row["inputs"]["truth"]), hundred(row["inputs"]["labels"])


def per_cluster(X, labels, reduce=np.mean):
    s = gm.silhouette_samples(X, labels)
    return [float(reduce(s[labels == k])) for k in np.unique(labels)]


def sizes(labels):
    return gm.contingency_matrix(labels, labels).diagonal().tolist()


def scatter(X, labels):
    """Within- and between-cluster sum of squares, from the score and the total sum of squares."""
    k = len(np.unique(labels))
    ratio = gm.calinski_harabasz_score(X, labels) * (k - 1) / (len(X) - k)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    return total / (1 + ratio), total * ratio / (1 + ratio)


def three(X, labels):
    return [
        gm.silhouette_score(X, labels),
        gm.calinski_harabasz_score(X, labels),
        gm.davies_bouldin_score(X, labels),
    ]


def noisy():
    return points("noise_candidate"), np.array(SETS["noise_candidate"]["dbscan"])
