"""The report's scores are those of the single functions, and it comes whatever the clustering."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics import evaluate_clustering
from gpumetrics.clustering import compactness, cost
from gpumetrics.evaluation import parts
from gpumetrics.evaluation import silhouette_part as silhouettes
from gpumetrics.evaluation.score_facts import EXTERNAL, INTERNAL, silhouette_band
from gpumetrics.evaluation.stratified import stratified_mean, stratified_rows
from gpumetrics.text.labels import printer


def blobs(n=300, k=4, d=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 3.0 * rng.normal(size=(k, d))[labels], labels


@pytest.fixture(name="noisy", scope="module")
def noisy_case():
    X, truth = blobs()
    labels = truth.copy()
    labels[::7] = -1
    labels[1::11] = 0
    return X, labels, truth


def test_scores_are_those_of_the_functions(noisy):
    X, labels, truth = noisy
    report = evaluate_clustering(X, labels, labels_true=truth)
    kept = labels != -1
    expected = {
        "silhouette": gm.silhouette_score(X[kept], labels[kept]),
        "calinski_harabasz": gm.calinski_harabasz_score(X[kept], labels[kept]),
        "davies_bouldin": gm.davies_bouldin_score(X[kept], labels[kept]),
        "rand": gm.rand_score(truth[kept], labels[kept]),
        "adjusted_rand": gm.adjusted_rand_score(truth[kept], labels[kept]),
        "adjusted_mutual_info": gm.adjusted_mutual_info_score(truth[kept], labels[kept]),
        "normalized_mutual_info": gm.normalized_mutual_info_score(truth[kept], labels[kept]),
        "homogeneity": gm.homogeneity_score(truth[kept], labels[kept]),
        "completeness": gm.completeness_score(truth[kept], labels[kept]),
        "v_measure": gm.v_measure_score(truth[kept], labels[kept]),
        "fowlkes_mallows": gm.fowlkes_mallows_score(truth[kept], labels[kept]),
        "clustering_accuracy": gm.clustering_accuracy(truth[kept], labels[kept]),
    }
    for name, value in expected.items():
        assert_allclose(report.scores[name], value, rtol=1e-12, err_msg=name)
    assert_equal(set(report.scores), {*expected, "silhouette_macro"})
    assert all(type(value) is float for value in report.scores.values())


def test_scores_agree_with_scikit_learn(noisy):
    metrics = pytest.importorskip("sklearn.metrics")
    X, labels, truth = noisy
    kept = labels != -1
    scores = evaluate_clustering(X, labels, labels_true=truth).scores
    assert_allclose(scores["silhouette"], metrics.silhouette_score(X[kept], labels[kept]), rtol=1e-9)
    for name in ("calinski_harabasz", "davies_bouldin"):
        theirs = getattr(metrics, f"{name}_score")(X[kept], labels[kept])
        assert_allclose(scores[name], theirs, rtol=1e-9)
    for name in ("adjusted_rand", "adjusted_mutual_info", "fowlkes_mallows", "v_measure"):
        theirs = getattr(metrics, f"{name}_score")(truth[kept], labels[kept])
        assert_allclose(scores[name], theirs, rtol=1e-9)


def test_noise_is_counted_and_its_rows_have_no_silhouette(noisy):
    X, labels, _ = noisy
    report = evaluate_clustering(X, labels)
    assert_equal((report.n_samples, report.n_noise), (len(X), int((labels == -1).sum())))
    assert_allclose(report.noise_fraction, np.mean(labels == -1))
    assert_array_equal(np.isnan(report.silhouette_samples), labels == -1)
    assert "scikit-learn's scores differ" in " ".join(str(report).split())
    assert "noise" in report.notes  # a seventh of the rows is much
    whole = evaluate_clustering(X, labels, noise_label=None)
    assert_equal((whole.n_noise, whole.n_clusters), (0, report.n_clusters + 1))
    assert_allclose(whole.scores["silhouette"], gm.silhouette_score(X, labels), rtol=1e-12)


def test_per_cluster_table_against_plain_loops(noisy):
    X, labels, _ = noisy
    report = evaluate_clustering(X, labels)
    table = report.per_cluster
    s = gm.silhouette_samples(X, labels, noise_label=-1)
    names = [0, 1, 2, 3]
    centroids = np.array([X[labels == c].mean(axis=0) for c in names])
    spread = [np.linalg.norm(X[labels == c] - centroids[c], axis=1).mean() for c in names]
    gaps = np.linalg.norm(centroids[:, None] - centroids, axis=2)
    np.fill_diagonal(gaps, np.inf)
    R = np.add.outer(spread, spread) / gaps
    assert_array_equal(table["label"], names)
    assert_array_equal(table["size"], [(labels == c).sum() for c in names])
    assert_allclose(table["silhouette_mean"], [s[labels == c].mean() for c in names], rtol=1e-12)
    assert_allclose(table["silhouette_median"], [np.median(s[labels == c]) for c in names], rtol=1e-12)
    assert_allclose(table["share_negative"], [(s[labels == c] < 0).mean() for c in names])
    assert_allclose(table["distance_to_centroid"], spread, rtol=1e-12)
    assert_array_equal(table["worst_partner"], R.argmax(axis=1))
    assert_allclose(table["worst_ratio"], R.max(axis=1), rtol=1e-12)
    assert_array_equal(table["nearest_cluster"], gaps.argmin(axis=1))
    assert_allclose(report.scores["silhouette_macro"], table["silhouette_mean"].mean(), rtol=1e-12)


@pytest.mark.parametrize(("scale", "dtype"), [(1e160, float), (1e-160, float), (1e20, np.float32)])
def test_distances_are_in_the_units_of_the_data(noisy, scale, dtype):
    X, labels, _ = noisy
    plain = evaluate_clustering(X.astype(dtype), labels)
    scaled = evaluate_clustering((X * scale).astype(dtype), labels)
    tolerance = 1e-9 if dtype is float else 1e-5
    for key in ("distance_to_centroid", "worst_ratio", "silhouette_mean"):
        factor = scale if key == "distance_to_centroid" else 1.0
        assert_allclose(scaled.per_cluster[key], plain.per_cluster[key] * factor, rtol=tolerance)


@pytest.mark.parametrize(
    ("value", "band"),
    [
        (0.71, "distinct"),
        (0.7, "reasonable"),
        (0.6, "reasonable"),
        (0.5, "reasonable"),
        (0.49, "weak"),
        (0.25, "weak"),
        (0.24, "none"),
        (-1.0, "none"),
        (math.nan, ""),
    ],
)
def test_bands(value, band):
    assert_equal(silhouette_band(value), band)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([-1, -1, -1, -1], "every row is noise"),
        ([5, 5, 5, 5], "all 4 rows are in one cluster"),
        ([5, 5, -1, -1], "all 2 rows are in one cluster"),
        ([3, 1, 2, 4], "each of the 4 rows is a cluster of its own"),
        ([3, 1, 2, -1], "each of the 3 rows is a cluster of its own"),
        ([3, -1, -1, -1], "all 1 rows are in one cluster"),
    ],
)
@pytest.mark.parametrize("truth", [None, ["a", "b", "a", "b"]])
def test_a_clustering_without_scores_still_has_a_report(labels, reason, truth):
    report = evaluate_clustering([[0.0], [1.0], [3.0], [7.0]], labels, labels_true=truth)
    for facts in INTERNAL:
        assert_equal(report.scores[facts.name], math.nan)
        assert reason in report.notes[facts.name]
        assert reason in report.to_dict()[f"{facts.name}_reason"]
    assert_equal(" ".join(str(report).split()).count(reason), 1)  # said once for all scores
    if truth is not None and report.n_clusters:
        assert np.isfinite([report.scores[facts.name] for facts in EXTERNAL]).all()
    assert_equal(report.to_dict()["silhouette_standard_error_reason"], str(report.notes["silhouette"]))
    json.dumps(report.to_dict())


def never(*_args):
    raise AssertionError("this work was not to be done")


@pytest.mark.parametrize("mode", ["auto", "skip"])
def test_pairs_of_clusters_are_not_compared_for_undefined_scores(monkeypatch, mode):
    monkeypatch.setattr(compactness, "worst_partners", never)
    report = evaluate_clustering(np.arange(20.0)[:, None], np.arange(20), silhouette=mode, labels_true=np.arange(20))
    assert_array_equal(report.per_cluster["distance_to_centroid"], np.zeros(20))
    assert "worst partner" not in str(report)


def test_too_many_pairs_of_clusters_are_left_out_with_a_note(noisy, monkeypatch):
    X, labels, _ = noisy
    whole = evaluate_clustering(X, labels)
    monkeypatch.setattr(compactness, "worst_partners", never)
    monkeypatch.setattr(parts, "LONGEST", 0.0)
    report = evaluate_clustering(X, labels)
    assert_equal(report.scores["calinski_harabasz"], whole.scores["calinski_harabasz"])
    assert_equal(report.scores["silhouette"], whole.scores["silhouette"])
    assert_equal(report.scores["davies_bouldin"], math.nan)
    assert "left out: comparing all pairs of the 4 clusters" in report.to_dict()["davies_bouldin_reason"]
    assert "davies_bouldin_score(X, labels)" in report.notes["davies_bouldin"]
    assert_equal(set(report.per_cluster["nearest_cluster"]), {None})
    assert "Davies-Bouldin: left out" in str(report)


def test_a_long_matching_is_left_out_with_a_note(monkeypatch):
    rng = np.random.default_rng(0)
    truth, labels = rng.permutation(6_000) // 2, rng.permutation(6_000) // 2
    X = rng.normal(size=(6_000, 2))
    report = evaluate_clustering(X, labels, labels_true=truth, silhouette="skip")
    assert_allclose(report.scores["clustering_accuracy"], gm.clustering_accuracy(truth, labels))
    monkeypatch.setattr(parts, "LONGEST", 0.0)
    report = evaluate_clustering(X, labels, labels_true=truth, silhouette="skip")
    assert_equal(report.scores["clustering_accuracy"], math.nan)
    assert "clustering_accuracy(labels_true, labels) does it" in report.notes["clustering_accuracy"]
    same = evaluate_clustering(X, labels, labels_true=labels, silhouette="skip")
    assert_equal(same.scores["clustering_accuracy"], 1.0)


def test_the_cost_of_clusters_grows_with_their_pairs():
    assert_allclose(cost.seconds_of_cluster_pairs(2_000, 8), 4 * cost.seconds_of_cluster_pairs(1_000, 8))
    few, many = (cost.estimate_seconds(200_000, 4, k) for k in (10, 100_000))
    assert many > 2 * few
    assert 60 < cost.seconds_of_cluster_pairs(1_000_000, 64) < 1e6
    assert cost.seconds_of_cluster_pairs(1_000, 64) < 2
    assert cost.seconds_of_matching(2_000, 2_000) < 1 < cost.seconds_of_matching(1_000_000, 1_000_000)


def test_infinite_scores_come_with_their_reason():
    report = evaluate_clustering([[0.0], [0.0], [5.0], [5.0]], [0, 0, 1, 1])
    assert_equal(report.scores["calinski_harabasz"], math.inf)
    assert "no cluster has any spread" in report.to_dict()["calinski_harabasz_reason"]
    assert "ideal limit" in report.notes["davies_bouldin"]
    apart = evaluate_clustering([[-1.0, 0], [1, 0], [0, -2], [0, 2], [10, 0], [10, 1]], list("aabbcc"))
    assert_equal(apart.scores["davies_bouldin"], math.inf)
    assert "centroids of two clusters coincide" in apart.notes["davies_bouldin"]
    assert "worst pair: a and b" in str(apart)


def test_precomputed_distances(noisy):
    X, labels, truth = noisy
    D = np.linalg.norm(X[:, None] - X, axis=2)
    report = evaluate_clustering(D, labels, labels_true=truth, metric="precomputed")
    assert_allclose(report.scores["silhouette"], evaluate_clustering(X, labels).scores["silhouette"], rtol=1e-9)
    for name in ("calinski_harabasz", "davies_bouldin"):
        assert_equal(report.scores[name], math.nan)
        assert "only their distances were given" in report.notes[name]
    assert "features" not in str(report).splitlines()[0]


def test_another_metric_is_said_to_hold_for_the_silhouette_only(noisy):
    X, labels, _ = noisy
    report = evaluate_clustering(X, labels, metric="minkowski", p=3)
    expected = gm.silhouette_score(X, labels, metric="minkowski", p=3, noise_label=-1)
    assert_allclose(report.scores["silhouette"], expected, rtol=1e-12)
    assert "Euclidean" in report.notes["metric"]
    by_function = evaluate_clustering(X, labels, metric=lambda a, b: float(np.abs(a - b).sum()))
    expected = gm.silhouette_score(X, labels, metric="manhattan", noise_label=-1)
    assert_allclose(by_function.scores["silhouette"], expected, rtol=1e-9)


def test_skip_leaves_the_silhouette_out(noisy):
    X, labels, _ = noisy
    report = evaluate_clustering(X, labels, silhouette="skip")
    assert_equal((report.silhouette_mode, report.scores["silhouette"]), ("skip", math.nan))
    assert 'silhouette="skip"' in report.notes["silhouette"]
    assert np.isnan(report.silhouette_samples).all()
    assert np.isfinite(report.scores["davies_bouldin"])
    assert "mean s" not in str(report)


def test_estimate_with_all_rows_is_the_exact_score(noisy):
    X, labels, _ = noisy
    exact, estimate = (evaluate_clustering(X, labels, silhouette=mode) for mode in ("exact", "estimate"))
    assert_equal(estimate.silhouette_mode, "estimate")
    assert_allclose(estimate.scores["silhouette"], exact.scores["silhouette"], rtol=1e-12)
    assert_equal(estimate.silhouette_standard_error, 0.0)


def test_estimate_covers_the_exact_score_and_repeats(monkeypatch):
    monkeypatch.setattr(silhouettes, "FEWEST_QUERIES", 200)
    monkeypatch.setattr(silhouettes, "MOST_QUERIES", 200)
    X, labels = blobs(n=2_000, k=5)
    exact = evaluate_clustering(X, labels, silhouette="exact")
    errors = []
    for seed in range(20):
        report = evaluate_clustering(X, labels, silhouette="estimate", random_state=seed)
        errors.append(report.scores["silhouette"] - exact.scores["silhouette"])
        assert 0 < report.silhouette_standard_error < 0.03
        assert abs(errors[-1]) < 4 * report.silhouette_standard_error
    assert abs(np.mean(errors)) < 0.01  # unbiased
    again = evaluate_clustering(X, labels, silhouette="estimate", random_state=19)
    assert_equal(again.scores, report.scores)
    rows = ~np.isnan(report.silhouette_samples)
    assert_allclose(report.silhouette_samples[rows], exact.silhouette_samples[rows], rtol=1e-9, atol=1e-12)
    assert_equal(report.per_cluster["rows_evaluated"].sum(), rows.sum())
    assert "+/-" in str(report)
    assert "drawn at random by cluster" in report.notes["estimate"]


def test_estimate_with_more_clusters_than_the_sample_can_hold(monkeypatch):
    monkeypatch.setattr(silhouettes, "FEWEST_QUERIES", 100)
    monkeypatch.setattr(silhouettes, "MOST_QUERIES", 100)
    X, _ = blobs(n=600)
    labels = np.arange(600) // 2
    report = evaluate_clustering(X, labels, silhouette="estimate", random_state=0)
    exact = gm.silhouette_score(X, labels)
    assert abs(report.scores["silhouette"] - exact) < 4 * report.silhouette_standard_error
    assert_equal(report.scores["silhouette_macro"], math.nan)
    assert "300 clusters" in str(report).splitlines()[0]
    assert "more clusters (all of them in per_cluster)" in str(report)
    assert "100 of 600 rows, drawn at random from all of them, each" in " ".join(str(report).split())


def test_auto_turns_to_an_estimate_only_for_long_work(noisy, monkeypatch):
    X, labels, _ = noisy
    assert_equal(evaluate_clustering(X, labels).silhouette_mode, "exact")
    monkeypatch.setattr(silhouettes, "LONGEST_EXACT", 0.0)
    assert_equal(evaluate_clustering(X, labels).silhouette_mode, "estimate")
    assert_equal(evaluate_clustering(X, labels, silhouette="exact").silhouette_mode, "exact")
    assert_equal(evaluate_clustering(X, labels, metric="cosine").silhouette_mode, "exact")


def test_auto_knows_that_sparse_rows_have_no_closed_form(noisy, monkeypatch):
    sparse = pytest.importorskip("scipy.sparse")
    X, labels, _ = noisy
    monkeypatch.setattr(silhouettes, "LONGEST_EXACT", 0.0)
    report = evaluate_clustering(sparse.csr_array(X), labels, metric="cosine")
    assert_equal(report.silhouette_mode, "estimate")
    dense = gm.silhouette_score(X, labels, metric="cosine", noise_label=-1)
    assert_allclose(report.scores["silhouette"], dense, rtol=1e-9)  # 300 rows are all of them


def test_stratified_rows_see_every_stratum_and_are_in_proportion():
    counts = np.array([1, 2, 3, 494, 1_500])
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(5), counts))
    for state in (0, np.random.default_rng(1), np.random.RandomState(2), None):
        rows = stratified_rows(codes, counts, 200, state)
        assert_array_equal(np.bincount(codes[rows]), [1, 2, 2, 48, 147])
        assert_equal(len(np.unique(rows)), len(rows))


@pytest.mark.parametrize("state", ["seed", -1, 1.5, True])
@pytest.mark.parametrize("mode", ["auto", "exact", "estimate", "skip"])
def test_a_bad_random_state_is_refused_in_every_mode(noisy, state, mode):
    with pytest.raises(ValueError, match="random_state must be None, an integer from 0"):
        evaluate_clustering(*noisy[:2], silhouette=mode, random_state=state)


def test_stratified_standard_error_is_the_spread_of_the_estimates():
    rng = np.random.default_rng(0)
    counts = np.array([100, 400])
    codes = np.repeat([0, 1], counts)
    values = rng.normal(size=500) + 5 * codes
    means = []
    for seed in range(400):
        rows = stratified_rows(codes, counts, 50, seed)
        means.append(stratified_mean(values[rows], codes[rows], counts))
    spread = np.std([m.value for m in means])
    assert_allclose(np.mean([m.value for m in means]), values.mean(), atol=4 * spread / 20)
    assert_allclose(np.sqrt(np.mean([m.standard_error**2 for m in means])), spread, rtol=0.15)
    spread = np.std([m.macro for m in means])
    assert_allclose(np.sqrt(np.mean([m.macro_standard_error**2 for m in means])), spread, rtol=0.15)


def test_to_dict_is_flat_and_survives_json(noisy):
    X, labels, truth = noisy
    named = np.array(["noise" if c < 0 else f"c{c}" for c in labels])
    data = evaluate_clustering(X, named, labels_true=truth, noise_label="noise").to_dict()
    assert_equal(json.loads(json.dumps(data, allow_nan=False)), data)
    assert not any(isinstance(value, dict) for value in data.values())
    assert_equal(data["cluster_label"], ["c0", "c1", "c2", "c3"])
    assert_equal((data["silhouette_better"], data["davies_bouldin_better"]), ("higher", "lower"))
    assert all(type(v) in {int, float, str, list, bool} for v in data.values())


def test_text_is_aligned_for_any_labels(noisy):
    X, labels, truth = noisy
    names = {
        -1: "noise",
        0: "고양이",
        1: "a very long label that would tear the table apart",
        2: "two\nlines",
        3: "é",
    }
    named = np.array([names[c] for c in labels.tolist()])
    text = str(evaluate_clustering(X, named, labels_true=truth, noise_label="noise"))
    assert "a very l...e apart" in text
    assert "two\\nlines" in text
    assert max(map(len, text.splitlines())) <= 110
    assert not any(line.endswith(" ") for line in text.splitlines())


@pytest.mark.parametrize(
    ("names", "printed"),
    [
        (["shop-2024-01-north-entrance", "shop-2024-01-south-entrance"], []),
        (["9c1185a5c5e9fc54612808977ee8f548b2258d31", "9c1185a5c5e9fc54612808977ee8f548b2258d32"], []),
        ([f"{'a' * 30}{i}{'b' * 30}" for i in (1, 2)], [f"{'a' * 30}{i}{'b' * 30}" for i in (1, 2)]),
        ([2**62, 2**62 + 1], [str(2**62), str(2**62 + 1)]),
        (["a" * 50, "aaaaaaaa...aaaaaaa"], []),
        (["a\nb", "a\tb"], ["a\\nb", "a\\tb"]),
    ],
)
def test_labels_that_differ_are_printed_differently(names, printed):
    show = printer(np.array(names))
    texts = [show(name) for name in np.array(names)]
    assert_equal(len(set(texts)), len(names))
    report = str(evaluate_clustering([[0.0], [1.0], [5.0], [6.0]], np.repeat(names, 2)))
    assert all(text in report for text in texts)
    if len(printed) == len(names):
        assert_equal(texts, printed)


def test_dates_as_labels_are_written_as_dates():
    days = np.array(["2024-05-01", "2024-05-01", "2024-05-02", "2024-05-02", "1970-01-01"], dtype="datetime64[ns]")
    report = evaluate_clustering([[0.0], [1.0], [5.0], [6.0], [9.0]], days, noise_label=None)
    data = json.loads(json.dumps(report.to_dict()))
    assert_equal(data["cluster_label"], ["1970-01-01", "2024-05-01", "2024-05-02"])
    assert_equal(data["cluster_worst_partner"][1], "2024-05-02")
    assert "2024-05-01 " in str(report)
    assert "T00" not in str(report)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"silhouette": "fast"}, ValueError, "silhouette must be one of"),
        ({"metric": "nonsense"}, ValueError, "'metric' parameter of evaluate_clustering"),
        ({"p": 3}, TypeError, "unexpected keyword argument 'p'"),
        ({"labels": [0, 1]}, ValueError, r"inconsistent numbers of samples: \[300, 2\]"),
        ({"labels_true": [0, 1]}, ValueError, r"inconsistent numbers of samples: \[300, 2\]"),
        ({"X": np.full((300, 2), np.nan)}, ValueError, "Input X contains NaN"),
        ({"labels_true": [None] * 300}, ValueError, "labels_true contains NaN"),
    ],
)
def test_bad_input_raises(noisy, change, error, match):
    X, labels, _ = noisy
    arguments = {"X": X, "labels": labels, **change}
    with pytest.raises(error, match=match):
        evaluate_clustering(arguments.pop("X"), arguments.pop("labels"), **arguments)


def test_repr_is_short(noisy):
    X, labels, _ = noisy
    assert len(repr(evaluate_clustering(X, labels))) < 120
