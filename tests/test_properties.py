"""Random small labelings and points, against definitions in exact arithmetic."""

import math
from fractions import Fraction

import definitions
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import gpumetrics as gm

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


SCORES = [
    "rand_score",
    "adjusted_rand_score",
    "fowlkes_mallows_score",
    "clustering_accuracy",
    "mutual_info_score",
]
SCORES += [
    "normalized_mutual_info_score",
    "adjusted_mutual_info_score",
    "homogeneity_score",
    "v_measure_score",
]


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
    for name in SCORES:
        score = getattr(gm, name)
        assert score(t, p) == score(t2, p2)
    assert gm.adjusted_rand_score(t, p) == gm.adjusted_rand_score(p, t)


@given(pairs_of_labels)
def test_bounds(rows):
    t, p = split(rows)
    assert -0.5 <= gm.adjusted_rand_score(t, p) <= 1
    assert gm.adjusted_mutual_info_score(t, p) <= 1
    assert 0 <= gm.mutual_info_score(t, p) <= min(gm.entropy(t), gm.entropy(p)) * (1 + 1e-12)
    for name in ("rand_score", "fowlkes_mallows_score", "clustering_accuracy", *SCORES[5:6], *SCORES[7:]):
        assert 0 <= getattr(gm, name)(t, p) <= 1


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
