"""Candidates for splits, merges and borders, against plain definitions."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from worked.rows import SETS, k_means, points

import gpumetrics as gm
from gpumetrics.evaluation import silhouette_part as silhouettes
from gpumetrics.evaluation.candidates import boundary_candidates, split_candidates
from gpumetrics.evaluation.merging import merge_candidates
from gpumetrics.evaluation.split_rule import _median_of_others, splits_in
from gpumetrics.features import Features

METRICS = ["euclidean", "sqeuclidean", "cosine", "correlation", "manhattan"]


def blobs(n=240, k=5, d=4, seed=0, spread=1.5):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(k), 3), rng.integers(0, k, n - 3 * k)])
    return rng.normal(size=(n, d)) * spread + 2.0 * rng.normal(size=(k, d))[labels], labels


def distances(X, metric):
    distance = pytest.importorskip("scipy.spatial.distance")
    with np.errstate(invalid="ignore"):
        D = distance.cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    return np.where(np.isnan(D), 1.0, D)  # a row without a direction is at distance 1 from every other


def leaning(X, labels, metric):
    """The other cluster with the smallest mean distance to each row."""
    D, classes = distances(X, metric), np.unique(labels[labels != -1])
    means = np.stack([D[:, labels == c].mean(axis=1) for c in classes], axis=1)
    means[labels[:, None] == classes] = np.inf
    return classes[means.argmin(axis=1)]


# ---------------------------------------------------------------------------------------------
# Splits


def test_two_groups_in_one_cluster_are_found():
    """The worked example: four blobs cut into three clusters."""
    X, labels = points("blobs4"), k_means("blobs4", 3)
    found = split_candidates(X, labels)
    sizes = np.bincount(labels)
    assert_equal(found.table["cluster"].tolist(), [int(np.argmax(sizes))])
    (entry,) = found
    assert_equal((entry["size"], entry["times_median"], entry["share_negative"]), (150, 2.0, 0.0))
    assert_allclose(entry["silhouette_mean"], 0.6617, atol=5e-5)
    assert_equal(entry["band"], "reasonable")
    assert "150 rows, 2.0 times" in entry["reason"]
    assert "fall as the dimension grows" in " ".join(str(found).split())
    assert_equal(len(split_candidates(X, k_means("blobs4", 4))), 0)
    assert "none" in str(split_candidates(X, k_means("blobs4", 4)))


def test_the_rule_is_over_the_other_clusters():
    table = {
        "label": np.array(["a", "b", "c", "d"]),
        "size": np.array([30, 20, 20, 10]),
        "silhouette_mean": np.array([0.45, 0.6, 0.7, 0.2]),
        "share_negative": np.zeros(4),
    }
    (entry,) = splits_in(table)
    assert_equal((entry["cluster"], entry["times_median"]), ("a", 1.5))
    assert_allclose(entry["below_others"], 0.15)
    assert_equal(len(splits_in(table, drop=0.16)), 0)
    assert_equal(len(splits_in(table, size_ratio=1.51)), 0)
    assert_equal(splits_in(table, size_ratio=0, drop=0).table["cluster"].tolist(), ["d", "a"])
    assert "at least 2 times as large" in splits_in(table, size_ratio=2).rule


def clusters(mean, negative, size=40):
    """A table of clusters of which the first may be several groups, beside nine others with small silhouettes."""
    return {
        "label": np.arange(10),
        "size": np.array([size, *[20] * 9]),
        "silhouette_mean": np.array([mean, *np.linspace(0.04, 0.06, 9)]),
        "share_negative": np.array([negative, *[0.0] * 9]),
    }


@pytest.mark.parametrize(
    ("mean", "negative", "size", "candidates"),
    [
        (-0.032, 0.965, 40, 1),  # most of its rows are negative
        (0.01, 0.2, 40, 1),  # its mean stands out from small ones
        (0.02, 0.5, 40, 1),
        (0.028, 0.5, 40, 0),  # more than half of theirs
        (0.05, 0.5, 40, 0),  # not more than half
        (-0.032, 0.965, 29, 0),  # not large
    ],
)
def test_small_silhouettes_have_low_ones_among_them(mean, negative, size, candidates):
    assert_equal(len(splits_in(clusters(mean, negative, size))), candidates)


def test_means_that_hardly_differ_are_not_low_and_few_clusters_have_no_spread():
    high = clusters(0.985, 0.0) | {"silhouette_mean": np.array([0.985, *np.linspace(0.99, 0.991, 9)])}
    assert_equal(len(splits_in(high)), 0)
    few = {key: column[:4] for key, column in clusters(0.01, 0.0).items()}
    assert_equal(len(splits_in(few)), 0)


def test_what_comes_nearest_to_a_candidate_is_told():
    near = splits_in(clusters(0.03, 0.4, 2000)).notes["nearest_miss"]
    assert_equal(
        str(near),
        "The nearest to a candidate is 0: 2,000 rows, 100.0 times the other clusters' median, with a mean silhouette "
        "of 0.030 (no substantial structure), 0.020 below the median of theirs, 40.0 % of the rows negative.",
    )
    assert "is 0: 29 rows, 1.4 times" in splits_in(clusters(-0.9, 1.0, 29)).notes["nearest_miss"]
    assert "nearest_miss" not in splits_in(clusters(-0.9, 1.0)).notes


def test_several_topics_in_one_cluster_of_many_dimensions_are_found():
    rng = np.random.default_rng(0)
    topics = rng.integers(0, 20, 2000)
    X = rng.normal(size=(20, 256))[topics] * 0.5 + rng.normal(size=(2000, 256))
    labels = np.where(topics < 6, 0, topics)
    found = split_candidates(X, labels)
    assert_equal(found.table["cluster"].tolist(), [0])
    assert_equal(gm.evaluate_clustering(X, labels).split_candidates().to_dict(), found.to_dict())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8])
def test_median_of_the_others(n):
    values = np.random.default_rng(n).integers(0, 4, n).astype(float)
    if n > 4:
        values[2] = np.nan
    others = [np.delete(values, i) for i in range(n)]
    expected = [np.nan if np.isnan(v) or n == 1 else np.nanmedian(o) for v, o in zip(values, others, strict=True)]
    assert_allclose(_median_of_others(values), expected)


def test_a_report_has_all_that_splits_need():
    X, labels = points("blobs4"), k_means("blobs4", 3)
    report = gm.evaluate_clustering(X, labels)
    assert_equal(report.split_candidates().to_dict(), split_candidates(X, labels).to_dict())
    assert_equal(len(report.split_candidates(drop=0.5)), 0)
    with pytest.raises(ValueError, match="drop must be a number from 0 to 2, got -1"):
        report.split_candidates(drop=-1)


def test_splits_of_a_report_say_what_its_silhouettes_lack(monkeypatch):
    X, labels = points("blobs4"), k_means("blobs4", 3).copy()
    left_out = gm.evaluate_clustering(X, labels, silhouette="skip").split_candidates()
    assert_equal((len(left_out), left_out.notes["undefined"][:32]), (0, "There are no silhouettes: it was"))
    same = {"labels": np.zeros(300, dtype=int), "silhouette": "auto"}
    wanted = split_candidates(X, **same).notes
    assert_equal(gm.evaluate_clustering(X, **same).split_candidates().notes, wanted)
    monkeypatch.setattr(silhouettes, "FEWEST_QUERIES", 100)
    monkeypatch.setattr(silhouettes, "MOST_QUERIES", 100)
    labels[:3] = -1
    estimate = gm.evaluate_clustering(X, labels, silhouette="estimate", random_state=0)
    assert "100 of 297 rows" in estimate.split_candidates().notes["estimate"]


# ---------------------------------------------------------------------------------------------
# Borders


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("noise", [False, True])
def test_negative_rows_are_gathered_by_the_cluster_they_lean_to(backend, metric, noise):
    X, labels = blobs()
    if noise:
        labels[::7] = -1
    s = gm.silhouette_samples(X, labels, metric=metric, noise_label=-1)
    expected = leaning(X, labels, metric)
    found = boundary_candidates(X, labels, metric=metric, min_share=0, min_rows=0)
    told = 0
    for entry, rows in zip(found, found.rows, strict=True):
        mine = np.flatnonzero((s < 0) & (labels == entry["cluster"]) & (expected == entry["nearest_other"]))
        assert_array_equal(np.sort(rows), mine)
        assert (np.diff(s[rows]) >= -1e-12).all()
        assert_equal(entry["n_rows"], len(mine))
        assert_allclose(entry["share_of_cluster"], len(mine) / (labels == entry["cluster"]).sum())
        assert_allclose(entry["silhouette_mean"], s[mine].mean(), rtol=1e-9)
        assert_allclose(entry["silhouette_lowest"], s[mine].min(), rtol=1e-9)
        told += len(mine)
    assert_equal(told, (s < 0).sum())
    assert told > 20
    assert (np.diff(found.table["n_rows"]) <= 0).all()
    assert f"{told} of {(labels != -1).sum()} rows have a negative silhouette" in found.notes["negative"]


@pytest.mark.parametrize("metric", METRICS)
def test_known_silhouettes_are_taken(monkeypatch, metric):
    X, labels = blobs()
    labels[::9] = -1
    wanted = boundary_candidates(X, labels, metric=metric)
    s = gm.evaluate_clustering(X, labels, metric=metric).silhouette_samples

    def never(*_args, **_kwargs):
        raise AssertionError("silhouettes were known")

    monkeypatch.setattr(silhouettes, "evaluate", never)
    found = boundary_candidates(X, labels, metric=metric, silhouette=s)
    assert_equal(found.to_dict()["row_numbers"], wanted.to_dict()["row_numbers"])
    assert_allclose(found.table["silhouette_mean"], wanted.table["silhouette_mean"], rtol=1e-12)
    assert_equal(split_candidates(X, labels, metric=metric, silhouette=s.tolist()).kind, "split")


def test_precomputed_distances_dense_and_sparse():
    X, labels = blobs()
    labels[::9] = -1
    D = distances(X, "manhattan")
    wanted = boundary_candidates(X, labels, metric="manhattan").to_dict()
    for given in (D, pytest.importorskip("scipy.sparse").csr_array(D)):
        for memory in (1024, 0.01):
            found = boundary_candidates(given, labels, metric="precomputed", working_memory=memory).to_dict()
            assert_equal(found["row_numbers"], wanted["row_numbers"])


def test_a_metric_may_be_a_function_and_rows_sparse():
    X, labels = blobs(n=60)
    wanted = boundary_candidates(X, labels, metric="manhattan").to_dict()["row_numbers"]
    found = boundary_candidates(X, labels, metric=lambda a, b: float(np.abs(a - b).sum()))
    assert_equal(found.to_dict()["row_numbers"], wanted)
    sparse = pytest.importorskip("scipy.sparse").csr_array(X)
    for metric in ("euclidean", "cosine"):
        wanted = boundary_candidates(X, labels, metric=metric).to_dict()["row_numbers"]
        assert_equal(boundary_candidates(sparse, labels, metric=metric).to_dict()["row_numbers"], wanted)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
def test_little_memory_changes_nothing(backend, metric):
    X, labels = blobs(n=400, k=40)
    wanted = boundary_candidates(X, labels, metric=metric, min_rows=1, min_share=0).to_dict()
    found = boundary_candidates(X, labels, metric=metric, min_rows=1, min_share=0, working_memory=0.05).to_dict()
    assert_equal(found["row_numbers"], wanted["row_numbers"])


def test_rows_without_a_direction_count_for_their_cluster():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 3)) + np.eye(3)[labels] * 2
    X[20:32] = 0  # most of cluster 1: it is far from everything, though its other rows are near
    expected, s = leaning(X, labels, "cosine"), gm.silhouette_samples(X, labels, metric="cosine")
    found = boundary_candidates(X, labels, metric="cosine", min_share=0, min_rows=1)
    told = {row: entry["nearest_other"] for entry, rows in zip(found, found.rows, strict=True) for row in rows.tolist()}
    assert_equal(told, {row: expected[row] for row in np.flatnonzero(s < 0).tolist()})


@pytest.mark.parametrize(("offset", "scale"), [(1e8, 1.0), (0.0, 1e-160), (0.0, 1e160)])
def test_hostile_numbers(offset, scale):
    X, labels = blobs(n=120)
    X = np.round(X * 2**10) / 2**10
    for metric in ("euclidean", "sqeuclidean"):
        wanted = boundary_candidates(X, labels, metric=metric).to_dict()["row_numbers"]
        found = boundary_candidates(X * scale + offset, labels, metric=metric).to_dict()["row_numbers"]
        assert_equal(found, wanted)


def test_an_estimate_says_so(monkeypatch):
    monkeypatch.setattr(silhouettes, "FEWEST_QUERIES", 300)
    monkeypatch.setattr(silhouettes, "MOST_QUERIES", 300)
    X, labels = blobs(n=1200)
    exact = boundary_candidates(X, labels, min_share=0, min_rows=1)
    found = boundary_candidates(X, labels, silhouette="estimate", random_state=0)
    assert "300 of 1,200 rows" in found.notes["estimate"]
    assert set(np.concatenate(found.rows)) <= set(np.concatenate(exact.rows))
    share = {(e["cluster"], e["nearest_other"]): e["share_of_cluster"] for e in exact}
    for entry in found:
        assert abs(entry["share_of_cluster"] - share[entry["cluster"], entry["nearest_other"]]) < 0.2
        of, size = entry["n_evaluated"], (labels == entry["cluster"]).sum()
        assert_equal(entry["share_of_cluster"], entry["n_rows"] / of)
        assert_equal(entry["n_estimated"], round(entry["n_rows"] / of * size))
        assert f"{entry['n_rows']} of the {of} rows of {entry['cluster']} that were evaluated" in entry["reason"]
        assert f"about {entry['n_estimated']} of all {size})" in entry["reason"]
    assert "of 300 rows evaluated have" in found.notes["negative"]
    assert "evaluated rows" in found.rule
    assert "in all about" in str(found)
    assert "evaluated" not in str(exact)
    assert_equal(exact.table["n_estimated"], exact.table["n_rows"])
    assert "300 of 1,200" in split_candidates(X, labels, silhouette="estimate", random_state=0).notes["estimate"]


@pytest.mark.parametrize(
    ("labels", "reason"),
    [([-1] * 4, "every row is noise"), ([0] * 4, "in one cluster"), ([0, 1, 2, 3], "a cluster of its own")],
)
def test_clusterings_without_silhouettes_have_no_candidates(labels, reason):
    X = [[0.0], [1.0], [4.0], [9.0]]
    for function in (split_candidates, boundary_candidates, merge_candidates):
        found = function(X, labels)
        assert_equal(len(found), 0)
        assert reason in found.notes["undefined"]
        assert reason in " ".join(str(found).split())
        json.dumps(found.to_dict(), allow_nan=False)
        if function is not merge_candidates:
            assert_equal(len(function(X, labels, silhouette=[np.nan] * 4)), 0)


# ---------------------------------------------------------------------------------------------
# Merges


def plain_pair(X, labels, a, b):
    """Separation, similarity and distance of two clusters, by their definitions."""
    x, y = X[labels == a], X[labels == b]
    line = y.mean(axis=0) - x.mean(axis=0)
    distance = np.linalg.norm(line)
    along = [part @ line / distance for part in (x, y)]
    spread = [np.linalg.norm(part - part.mean(axis=0), axis=1).mean() for part in (x, y)]
    separation = distance / np.sqrt((along[0].var() + along[1].var()) / 2)
    return separation, sum(spread) / distance, distance, spread


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pairs_against_their_definition(backend, dtype):
    X, labels = blobs()
    X, labels[::11] = X.astype(dtype), -1
    found = merge_candidates(X, labels, max_ashman_d=1e9)
    pairs = gm.davies_bouldin_pairs(X, labels, noise_label=-1)
    worst = dict(zip(pairs.labels.tolist(), pairs.worst_partner.tolist(), strict=True))
    seen = set()
    for entry in found:
        a, b = entry["cluster"], entry["other"]
        separation, similarity, distance, spread = plain_pair(X.astype(float), labels, a, b)
        assert_allclose([entry["ashman_d"], entry["similarity"]], [separation, similarity], rtol=1e-5)
        assert_allclose(entry["distance"], distance, rtol=1e-5)
        assert_equal(entry["wider"], a if spread[0] >= spread[1] else b)
        assert_allclose(entry["times_wider"], max(spread) / min(spread), rtol=1e-5)
        assert_equal(entry["most_similar_to_each_other"], worst[a] == b and worst[b] == a)
        seen.add((a, b))
    assert {tuple(sorted(pair)) for pair in worst.items()} <= seen
    assert (np.diff(found.table["ashman_d"]) >= 0).all()


def test_one_group_cut_in_two_is_found_and_separate_ones_are_not():
    whole = merge_candidates(points("blobs4"), k_means("blobs4", 4))
    assert_equal(len(whole), 0)
    labels = k_means("blobs5", 5)  # two of its groups are close
    (entry,) = merge_candidates(points("blobs5"), labels)
    assert entry["nearest_to_each_other"]
    assert entry["most_similar_to_each_other"]
    merged = np.unique(k_means("blobs5", 4)[np.isin(labels, [entry["cluster"], entry["other"]])])
    assert_equal(len(merged), 1)  # K = 4 has them as one
    assert "standard deviations apart" in entry["reason"]


@pytest.mark.parametrize("d", [2, 64])
def test_ashmans_d_does_not_depend_on_the_dimension(d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, d))
    X[2000:, 1] += 30
    labels = np.where(np.arange(3000) < 2000, X[:, 0] > 0, 2).astype(int)
    (entry,) = merge_candidates(X, labels)
    assert_equal((entry["cluster"], entry["other"]), (0, 1))
    assert_allclose(entry["ashman_d"], 2.65, atol=0.1)


def test_the_pair_that_drives_davies_bouldin_is_named_with_what_would_lower_it():
    """The worked example: the wide cluster 3 and its neighbour 2."""
    X, labels = [[-1.0], [1.0], [3.0], [5.0], [7.0], [13.0]], ["1", "1", "2", "2", "3", "3"]
    note = merge_candidates(X, labels).notes["worst_pair"]
    assert "2 and 3 (R 0.6667" in note
    assert "both clusters take this value" in note
    assert "3, the wider one, to be split" in note
    lower = gm.davies_bouldin_score(np.repeat(X, [1, 1, 1, 1, 2, 2], axis=0), [1, 1, 2, 2, 3, 3, 4, 4])
    assert lower < gm.davies_bouldin_score(X, labels)


def test_clusters_with_the_same_name_are_candidates():
    X, labels = points("blobs4"), k_means("blobs4", 4)
    names = {0: "Students", 1: " students", 2: "retired", np.int64(3): None}
    (entry,) = merge_candidates(X, labels, names=names)
    assert_equal((entry["cluster"], entry["other"], entry["same_name"]), (0, 1, True))
    assert "same name" in entry["reason"]
    assert_equal(len(merge_candidates(X, labels, names={0: "a", 1: "a", 2: "a"})), 3)
    with pytest.raises(ValueError, match="names has 9, which is the label of no cluster"):
        merge_candidates(X, labels, names={9: "who"})
    with pytest.raises(ValueError, match="names must be a dict"):
        merge_candidates(X, labels, names=["a"])


def test_directions_have_centres_of_their_own():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 60)
    angle = np.array([0.0, 0.05, 2.0])[labels] + 0.02 * rng.normal(size=180)
    X = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(1, 1000, 180)[:, None]
    (entry,) = merge_candidates(X, labels, metric="cosine")
    unit = X / np.linalg.norm(X, axis=1)[:, None]
    assert_allclose(entry["ashman_d"], plain_pair(unit, labels, 0, 1)[0], rtol=1e-9)
    assert "Euclidean" in merge_candidates(X, labels, metric="manhattan").notes["metric"]


def test_centres_on_one_point_and_clusters_of_equal_rows():
    ring = [[-1.0, 0], [1, 0], [0, -1], [0, 1]]
    found = merge_candidates([*ring, *(np.array(ring) * 9).tolist(), [99, 0], [99, 0]], list("aaaabbbbcc"))
    (entry,) = found
    assert_equal((entry["cluster"], entry["other"], entry["ashman_d"]), ("a", "b", 0.0))
    assert_equal(entry["similarity"], np.inf)
    equal = merge_candidates([[0.0], [0.0], [5.0], [5.0]], [0, 0, 1, 1])
    assert_equal(len(equal), 0)
    assert "R 0.0000" in equal.notes["worst_pair"]


def test_spreads_of_large_clusters_come_from_some_of_their_rows(monkeypatch):
    X, labels = blobs(n=3000)
    exact = merge_candidates(X, labels, max_ashman_d=99)
    monkeypatch.setattr("gpumetrics.evaluation.along_lines.MOST_ROWS", 200)
    monkeypatch.setattr("gpumetrics.evaluation.along_lines.MOST_LINES", 1)
    some = merge_candidates(X, labels, max_ashman_d=99)
    by_pair = {(e["cluster"], e["other"]): e["ashman_d"] for e in exact}
    assert_equal(set(by_pair), {(e["cluster"], e["other"]) for e in some})
    for entry in some:
        assert_allclose(entry["ashman_d"], by_pair[entry["cluster"], entry["other"]], rtol=0.15)


@pytest.mark.parametrize("block", [1 << 18, 1 << 10, 8])
def test_ashmans_d_does_not_depend_on_how_clusters_are_read(backend, monkeypatch, block):
    X, labels = blobs(n=700, k=40)
    labels[labels > 30] = 3  # one large cluster, the neighbour of many
    monkeypatch.setattr("gpumetrics.features.BLOCK", block)
    monkeypatch.setattr("gpumetrics.features.DEVICE_BLOCK", block)
    for entry in merge_candidates(X, labels, max_ashman_d=1e9):
        wanted = plain_pair(X, labels, entry["cluster"], entry["other"])[0]
        assert_allclose(entry["ashman_d"], wanted, rtol=1e-10)


def test_small_clusters_are_read_together(monkeypatch):
    X, labels = blobs(n=3000, k=600)
    reads, rows = [], Features.rows
    monkeypatch.setattr(Features, "rows", lambda self, index: reads.append(index) or rows(self, index))
    assert len(merge_candidates(X, labels)) > 0
    assert len(reads) < 100


@pytest.mark.parametrize("scale", [1e160, 1e-160])
def test_ashmans_d_has_no_unit(scale):
    X, labels = blobs()
    plain, scaled = (merge_candidates(X * factor, labels, max_ashman_d=99) for factor in (1.0, scale))
    assert_allclose(scaled.table["ashman_d"], plain.table["ashman_d"], rtol=1e-9)
    assert_allclose(scaled.table["distance"], plain.table["distance"] * scale, rtol=1e-9)


# ---------------------------------------------------------------------------------------------
# What comes out, and what is refused


@pytest.mark.parametrize("function", [split_candidates, boundary_candidates, merge_candidates])
def test_results(function):
    X, labels = blobs()
    names = np.array(["가나", "two\nlines", "c" * 60, "d", "e"])[labels]
    loose = {
        split_candidates: {"size_ratio": 0, "drop": 0},
        boundary_candidates: {"min_share": 0},
        merge_candidates: {"max_ashman_d": 99},
    }
    found = function(X, names, **loose[function])
    data = found.to_dict()
    assert len(found) > 0
    assert_equal(json.loads(json.dumps(data, allow_nan=False)), data)
    assert_equal((data["n_candidates"], len(data["reason"])), (len(found), len(found)))
    assert_equal([entry["cluster"] for entry in found], found.table["cluster"].tolist())
    text = str(found)
    named = np.concatenate([found.table[key] for key in ("cluster", "nearest_other", "other") if key in found.table])
    assert ("two\\nlines" in text) == ("two\nlines" in named)
    assert not any(line.endswith(" ") for line in text.splitlines())
    assert_equal(text.count("perhaps several groups"), len(found) * (found.kind == "split"))
    assert not any(f"- {entry['cluster']}" in text for entry in found if found.kind != "split")
    assert len(repr(found)) < 90
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
        assert_equal(list(found.to_frame(library).columns), [*found.table, "reason"])


def test_one_row_is_said_to_be_one():
    found = boundary_candidates([[0.0], [1.0], [8.0], [10.0], [11.0]], list("aaabb"), min_rows=1)
    reason = "a to b: 1 row of a (33.3 %) lies nearer to b: the border may be in the wrong place"
    assert_equal(str(found.reasons[0]), reason)
    assert "1 of 5 rows has a negative silhouette" in found.notes["negative"]


def test_many_candidates_are_folded_in_print():
    X, labels = blobs(n=900, k=30)
    found = boundary_candidates(X, labels, min_share=0, min_rows=1)
    assert len(found) > 20
    assert f"... and {len(found) - 20:,} more" in str(found)


def test_shapes_are_warned_of():
    found = boundary_candidates(points("moons"), SETS["moons"]["dbscan"])
    assert "crescents" in found.notes["shape"]


@pytest.mark.parametrize(
    ("function", "change", "error", "match"),
    [
        (split_candidates, {"silhouette": "skip"}, ValueError, "silhouette must be one of"),
        (split_candidates, {"silhouette": None}, ValueError, "silhouette must be one of"),
        (split_candidates, {"silhouette": [0.5, 0.5]}, ValueError, "inconsistent numbers of samples"),
        (split_candidates, {"silhouette": np.full(240, 1.5)}, ValueError, "values from -1 to 1"),
        (split_candidates, {"silhouette": np.zeros((240, 1))}, ValueError, "silhouette must have shape"),
        (split_candidates, {"size_ratio": -1}, ValueError, "size_ratio must be a number of at least 0"),
        (split_candidates, {"drop": "much"}, ValueError, "drop must be a number"),
        (split_candidates, {"metric": "nonsense"}, ValueError, "'metric' parameter of split_candidates"),
        (split_candidates, {"random_state": -1}, ValueError, "random_state must be"),
        (split_candidates, {"drop": 2.5}, ValueError, "drop must be a number from 0 to 2, got 2.5"),
        (boundary_candidates, {"min_share": np.nan}, ValueError, "min_share must be a number"),
        (boundary_candidates, {"min_share": 500}, ValueError, "min_share must be a number from 0 to 1, got 500"),
        (boundary_candidates, {"min_rows": True}, ValueError, "min_rows must be an integer of at least 0"),
        (boundary_candidates, {"min_rows": 2.5}, ValueError, "min_rows must be an integer of at least 0, got 2.5"),
        (boundary_candidates, {"p": 3}, TypeError, "unexpected keyword argument 'p'"),
        (merge_candidates, {"max_ashman_d": -2}, ValueError, "max_ashman_d must be a number of at least 0, got -2"),
        (merge_candidates, {"metric": "precomputed", "X": np.zeros((240, 240))}, ValueError, "needs the rows"),
        (merge_candidates, {"X": np.full((240, 2), np.nan)}, ValueError, "Input X contains NaN"),
    ],
)
def test_bad_arguments(function, change, error, match):
    X, labels = blobs()
    arguments = {"X": X, **change}
    with pytest.raises(error, match=match):
        function(arguments.pop("X"), labels, **arguments)
