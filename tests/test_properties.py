"""Random small labelings and points, against definitions in exact arithmetic."""

import math
from fractions import Fraction

import definitions
import numpy as np
import pytest
from catalogue import AGREEMENT, LABELINGS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import gpumetrics as gm
from gpumetrics.statistics.contingency import Contingency

settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("quick")

labels = st.integers(-2, 4)
pairs_of_labels = st.lists(st.tuples(labels, labels), min_size=1, max_size=18)
averages = st.sampled_from(["arithmetic", "geometric", "min", "max"])


def split(rows):
    return [a for a, _ in rows], [b for _, b in rows]


@given(pairs_of_labels)
def test_pair_scores_are_the_fractions_to_the_last_bit(rows):
    t, p = split(rows)
    assert gm.pair_confusion_matrix(t, p).tolist() == definitions.pair_confusion_matrix(t, p)
    assert gm.contingency_matrix(t, p).tolist() == definitions.contingency_matrix(t, p)
    assert gm.rand_score(t, p) == definitions.rand(t, p)
    assert gm.adjusted_rand_score(t, p) == definitions.adjusted_rand(t, p)
    assert_allclose(gm.fowlkes_mallows_score(t, p), definitions.fowlkes_mallows(t, p), rtol=1e-15)
    assert gm.clustering_accuracy(t, p) == definitions.clustering_accuracy(t, p)


@given(pairs_of_labels, averages)
def test_information_scores(rows, average_method):
    t, p = split(rows)
    close = {"rtol": 1e-10, "atol": 1e-13}
    assert_allclose(gm.entropy(t), definitions.entropy(t), **close)
    assert_allclose(gm.mutual_info_score(t, p), definitions.mutual_info(t, p), **close)
    found = gm.homogeneity_completeness_v_measure(t, p)
    assert_allclose(found, definitions.homogeneity_completeness_v_measure(t, p), **close)
    found = gm.normalized_mutual_info_score(t, p, average_method=average_method)
    assert_allclose(found, definitions.normalized_mutual_info(t, p, average_method), **close)
    found = gm.adjusted_mutual_info_score(t, p, average_method=average_method)
    if definitions.same_partition(t, p) or len(set(t)) == 1 or len(set(p)) == 1:
        assert found == definitions.same_partition(t, p)
    elif average_method in {"arithmetic", "max"}:  # the others may divide by next to nothing
        assert_allclose(found, definitions.adjusted_mutual_info(t, p, average_method), rtol=1e-8, atol=1e-10)


@given(pairs_of_labels)
def test_expected_mutual_information(rows):
    t, p = split(rows)
    table = gm.contingency_matrix(t, p)
    expected = definitions.expected_mutual_information(
        table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), len(rows)
    )
    assert_allclose(gm.expected_mutual_information(table, len(rows)), expected, rtol=1e-10, atol=1e-14)


# Labels of one kind each, and of several kinds together.
KINDS = {
    "int": list(range(-3, 4)),
    "int and uint64": [-1, 2**63, 2**63 + 1, 0, 2**53, 2**53 + 1, 5],
    "float": [-0.5, 0.0, 1.0, 2.5, 2.0**53, 1e300, -1e-300],
    "int and float": [0, 1, 0.5, 2**53 + 1, 2.0**53, -3, 7],
    "str": ["", "a", "a\0", "ab", "\u00e4", "1", " a"],
    "mixed": [1, "1", 0.5, "a", -1, (1, 2), 2**70],
    "bool": [False, True] * 3 + [True],
    "dates": [np.datetime64(day, "D") for day in range(7)],
}


def column(values):
    """A list, or objects where NumPy would take a list with tuples for a table."""
    return np.fromiter(values, dtype=object, count=len(values)) if tuple in map(type, values) else values


@pytest.mark.filterwarnings("ignore:Clustering metrics expects discrete")
@given(
    st.sampled_from(list(KINDS)),
    st.sampled_from(list(KINDS)),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14),
    st.integers(0, 14),
)
def test_two_tables_merge_to_the_table_of_all_rows(true_kind, pred_kind, rows, cut):
    t, p = [KINDS[true_kind][a] for a, _ in rows], [KINDS[pred_kind][b] for _, b in rows]
    whole = Contingency.from_clusterings(column(t), column(p))
    halves = [Contingency.from_clusterings(column(t[part]), column(p[part])) for part in (slice(cut), slice(cut, None))]
    merged = halves[0].merge(halves[1])
    assert merged.n_samples == whole.n_samples == len(rows)
    for name in ("rows", "cols", "counts", "row_margins", "col_margins", "row_classes", "col_classes"):
        assert getattr(merged, name).tolist() == getattr(whole, name).tolist(), name


def test_a_table_of_bare_counts_does_not_merge():
    table = Contingency.from_table([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="labels of this table are not known"):
        table.merge(table)


@given(
    pairs_of_labels,
    st.permutations(range(-2, 5)),
    st.permutations(["a", "b", "c", "d", "e", "f", "g"]),
    st.randoms(),
)
def test_names_and_order_do_not_matter(rows, numbers, words, random):
    t, p = split(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    t2, p2 = split(shuffled)
    t2, p2 = [numbers[label + 2] * 10**15 for label in t2], [words[label + 2] for label in p2]
    for name in [*AGREEMENT, "mutual_info_score"]:
        score = getattr(gm, name)
        assert score(t, p) == score(t2, p2)
    assert gm.adjusted_rand_score(t, p) == gm.adjusted_rand_score(p, t)


@given(pairs_of_labels)
def test_bounds(rows):
    t, p = split(rows)
    assert 0 <= gm.mutual_info_score(t, p) <= min(gm.entropy(t), gm.entropy(p)) * (1 + 1e-12)
    for metric in LABELINGS:
        if metric.scalar:
            assert metric.low <= getattr(gm, metric.name)(t, p) <= metric.high, metric


coordinates = st.integers(-9, 9)
points = st.lists(st.tuples(coordinates, coordinates, st.integers(0, 3)), min_size=3, max_size=14)


def clustered(rows):
    X, y = np.array([row[:2] for row in rows]), [row[2] for row in rows]
    assume(1 < len(set(y)) < len(y))
    return X, y


def exact_silhouette(X, y, distance):
    """In fractions, or as near as the distance allows."""
    values = []
    for i, label in enumerate(y):
        means = {}
        for other in set(y):
            members = [j for j in range(len(y)) if y[j] == other and j != i]
            means[other] = sum((distance(X[i], X[j]) for j in members), Fraction(0)) / max(len(members), 1)
        a = means.pop(label)
        b = min(means.values())
        alone = y.count(label) == 1
        values.append(Fraction(0) if alone or max(a, b) == 0 else Fraction(b - a) / Fraction(max(a, b)))
    return [float(v) for v in values]


def euclidean(x, y):
    return Fraction(math.dist(x.tolist(), y.tolist()))


def manhattan(x, y):
    return Fraction(int(np.abs(x - y).sum()))


def sqeuclidean(x, y):
    return Fraction(int(((x - y) ** 2).sum()))


def chebyshev(x, y):
    return Fraction(int(np.abs(x - y).max()))


@given(
    points,
    st.sampled_from([euclidean, manhattan, sqeuclidean, chebyshev]),
    st.sampled_from([0, 10**9, -(10**15)]),
)
def test_silhouettes_of_integer_points(rows, distance, offset):
    X, y = clustered(rows)
    expected = exact_silhouette(X, y, distance)
    for data in (X + offset, (X + offset).astype(np.float64)):
        found = gm.silhouette_samples(data, y, metric=distance.__name__)
        assert_allclose(found, expected, rtol=0, atol=1e-10)
    found = gm.silhouette_score(X.astype(np.float32), y, metric=distance.__name__)
    assert_allclose(found, sum(expected) / len(y), rtol=0, atol=1e-6)


@given(points, st.sampled_from([0, 10**9, -(10**15)]), st.sampled_from([1, 2.0**-500, 2.0**500]))
def test_moments_of_integer_points(rows, offset, scale):
    X, y = clustered(rows)
    assume(definitions.within_and_between(X, y)[0] > 0)
    _, _, centres = definitions.clusters(X, y)
    for data in (X + offset, (X + offset).astype(np.float64) * scale):
        found = gm.calinski_harabasz_score(data, y)
        assert_allclose(found, definitions.calinski_harabasz(X, y), rtol=1e-10, atol=1e-12)
        if len(set(map(tuple, centres))) == len(centres):
            assert_allclose(gm.davies_bouldin_score(data, y), definitions.davies_bouldin(X, y), rtol=1e-10)


@given(points, st.randoms())
def test_clustered_scores_do_not_depend_on_names_or_order(rows, random):
    X, y = clustered(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    X2, y2 = clustered(shuffled)
    names = ["q", "a", "z", "c"]
    found = gm.silhouette_score(X2, [names[label] for label in y2])
    assert_allclose(found, gm.silhouette_score(X, y), rtol=0, atol=1e-12)
    assert -1 <= found <= 1
