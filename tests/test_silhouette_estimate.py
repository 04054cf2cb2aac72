"""Estimated silhouettes: unbiased, with intervals that hold what they say, on data where thinning both sides fails."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics.clustering.estimate import problem
from gpumetrics.clustering.estimate.rounds import ALL_AT_ONCE
from gpumetrics.clustering.silhouette_estimate import Estimate, silhouette_estimate

REPEATS = 200
SIZES = [2, 5, 25, 80, 300, 1000, 2500]


def uneven(*, outliers=False, seed=0):
    """Rows of clusters from 2 to 2,500, a few of them very far out if wanted, and their labels."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(SIZES)), SIZES)
    X = 3 * rng.normal(size=(len(SIZES), 3))[labels] + rng.normal(size=(len(labels), 3))
    if outliers:
        far = rng.choice(len(labels), 20, replace=False)
        X[far] *= rng.uniform(20, 500, size=(20, 1))
    return X, labels


def rare_mistakes(seed=0):
    """Rows of clusters far apart, one row in a hundred with the label of another cluster."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, 4000)
    X = 20 * rng.normal(size=(4, 3))[labels] + rng.normal(size=(4000, 3))
    wrong = rng.random(4000) < 0.01
    labels[wrong] = rng.integers(0, 4, wrong.sum())
    return X, labels


def repeated(X, labels, n=REPEATS, **wishes):
    return [silhouette_estimate(X, labels, random_state=seed, **wishes) for seed in range(n)]


def coverage(estimates, truth):
    return np.mean([e.interval[0] <= truth <= e.interval[1] for e in estimates])


def assert_unbiased(values, truth):
    """The mean of the values is the truth, within the error that their number leaves."""
    assert abs(np.mean(values) - truth) < 3.5 * np.std(values, ddof=1) / math.sqrt(len(values))


@pytest.fixture
def known(monkeypatch):
    """A function that makes silhouettes known at once, so that a test can draw rows as often as it likes."""

    def know(X, labels):
        s = gm.silhouette_samples(X, labels)
        monkeypatch.setattr(
            problem, "silhouettes_of", lambda data, metric, queries=None: s if queries is None else s[queries]
        )
        return s

    return know


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("outliers", [False, True], ids=["uneven", "far outliers"])
def test_the_truth_is_in_the_interval_and_in_the_mean(known, outliers, stratify):
    X, labels = uneven(outliers=outliers)
    truth = gm.silhouette_score(X, labels)
    if not (outliers and stratify):  # there the rows are really asked
        known(X, labels)
    estimates = repeated(X, labels, n_queries=400, stratify=stratify)
    values = np.array([float(e) for e in estimates])
    assert 0.9 <= coverage(estimates, truth) <= 0.99
    assert_unbiased(values, truth)
    assert_allclose(np.sqrt(np.mean([e.stderr**2 for e in estimates])), values.std(ddof=1), rtol=0.15)
    assert {e.n_queries for e in estimates} == {400}


@pytest.mark.parametrize("outliers", [False, True], ids=["uneven", "far outliers"])
def test_thinning_both_sides_is_off_where_the_estimate_is_not(known, outliers):
    X, labels = uneven(outliers=outliers)
    truth = known(X, labels).mean()
    thinned = np.array([gm.silhouette_score(X, labels, sample_size=200, random_state=i) for i in range(REPEATS)])
    values = np.array([float(e) for e in repeated(X, labels, n_queries=200)])
    assert_unbiased(values, truth)
    with pytest.raises(AssertionError):
        assert_unbiased(thinned, truth)
    assert abs(thinned.mean() - truth) > 0.1 * abs(truth)  # 0.30 for 0.27, and -0.06 for -0.35
    assert thinned.std() > 5 * values.std()


def test_thinning_is_off_in_scikit_learn_too():
    peer = pytest.importorskip("sklearn.metrics").silhouette_score
    X, labels = uneven(outliers=True)
    for seed in range(3):
        expected = peer(X, labels, sample_size=200, random_state=seed)
        assert_allclose(gm.silhouette_score(X, labels, sample_size=200, random_state=seed), expected, rtol=1e-9)


@pytest.mark.parametrize("n_queries", [20, 50, 200, 600])
@pytest.mark.parametrize("make", [uneven, rare_mistakes])
def test_small_samples_are_not_too_sure_of_themselves(known, make, n_queries):
    X, labels = make()
    truth = known(X, labels).mean()
    estimates = repeated(X, labels, 400, n_queries=n_queries)
    assert coverage(estimates, truth) >= 0.9
    assert_unbiased([float(e) for e in estimates], truth)


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.99])
def test_other_confidence_levels(known, confidence):
    X, labels = uneven()
    truth = known(X, labels).mean()
    estimates = repeated(X, labels, 400, n_queries=800, confidence=confidence)
    error = math.sqrt(confidence * (1 - confidence) / 400)
    assert abs(coverage(estimates, truth) - confidence) < 4 * error + 0.02
    assert {e.confidence for e in estimates} == {confidence}


def test_confidence_next_to_certainty():
    X, labels = uneven()
    low, high = silhouette_estimate(X, labels, n_queries=800, confidence=1 - 1e-16, random_state=0).interval
    assert -1 < low < high < 1


@pytest.mark.parametrize("n_queries", [None, 20, 100])
@pytest.mark.parametrize(("make", "least"), [(uneven, 0.92), (rare_mistakes, 0.9)])
def test_rows_are_added_up_to_the_tolerance(known, make, least, n_queries):
    X, labels = make()
    truth, tol = known(X, labels).mean(), 0.02
    estimates = repeated(X, labels, tol=tol, n_queries=n_queries)
    assert all(max(e.interval[1] - e.value, e.value - e.interval[0]) <= tol for e in estimates)
    assert coverage(estimates, truth) >= least  # stopping where the data look good has its price
    assert abs(np.mean([float(e) for e in estimates]) - truth) < 0.2 * tol
    sizes = {e.n_queries for e in estimates}
    assert len(sizes) > 1 or sizes == {500}
    assert max(sizes) < ALL_AT_ONCE * len(labels)


def test_a_tolerance_that_only_all_rows_meet():
    X, labels = uneven()
    estimate = silhouette_estimate(X, labels, tol=1e-9, random_state=0)
    assert estimate.exact
    assert_equal(estimate.value, gm.silhouette_score(X, labels))


@pytest.mark.parametrize("references", [None, "pps"])
def test_a_tolerance_beyond_all_numbers(references):
    X, labels = np.repeat([[0.0], [5.0]], 300, axis=0), np.repeat([0, 1], 300)
    estimate = silhouette_estimate(X, labels, tol=1e-200, n_queries=20, references=references, random_state=0)
    assert_equal((estimate.value, estimate.n_queries), (1.0, 600))


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("wishes", [{"n_queries": 12}, {"n_queries": 100}, {"tol": 1e-12, "n_queries": 3}])
def test_all_rows_are_the_score(wishes):
    X, labels = np.arange(12.0)[:, None], np.array([0] * 11 + [1])
    estimate = silhouette_estimate(X, labels, random_state=0, **wishes)
    assert_equal(float(estimate), gm.silhouette_score(X, labels))
    assert_equal((estimate.exact, estimate.stderr, estimate.n_queries), (True, 0.0, 12))
    assert_equal(estimate.interval, (estimate.value, estimate.value))
    s = gm.silhouette_samples(X, labels)
    assert_allclose(estimate.per_cluster["value"], [s[:11].mean(), 0], rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_sample_never_loses_a_cluster(seed):  # C19
    X, labels = np.arange(12.0)[:, None], np.array([0] * 11 + [1])
    estimate = silhouette_estimate(X, labels, n_queries=4, random_state=seed)
    assert_array_equal(estimate.per_cluster["n_queries"], [3, 1])
    assert estimate.interval[0] <= gm.silhouette_score(X, labels) <= estimate.interval[1]


def test_values_and_errors_of_clusters(known):
    X, labels = uneven(outliers=True)
    s = known(X, labels)
    estimates = repeated(X, labels, 400, n_queries=400)
    means = np.array([e.per_cluster["value"] for e in estimates])
    errors = np.array([e.per_cluster["stderr"] for e in estimates])
    truth = np.array([s[labels == c].mean() for c in range(len(SIZES))])
    for column, exact in zip(means.T, truth, strict=True):
        assert abs(column.mean() - exact) <= 4 * column.std(ddof=1) / 20 + 1e-12
    assert_allclose(np.sqrt((errors**2).mean(axis=0)), means.std(axis=0, ddof=1), rtol=0.15, atol=1e-12)
    table = estimates[0].per_cluster
    assert_array_equal(table["label"], np.arange(len(SIZES)))
    assert_array_equal(table["size"], SIZES)
    assert_array_equal(table["n_queries"][:3], [2, 2, 3])  # two of each at least; the rest in proportion
    assert_equal(table["n_queries"].sum(), 400)
    assert_equal(table["stderr"][0], 0.0)  # all of its rows were asked


def test_more_clusters_than_rows_to_ask(known):
    rng = np.random.default_rng(0)
    labels = np.concatenate([np.zeros(1500, int), np.ones(500, int), 2 + np.arange(2000) % 598])
    X = 6 * rng.normal(size=(600, 3))[labels] + rng.normal(size=(4000, 3))
    truth = known(X, labels).mean()
    estimates = repeated(X, labels, n_queries=100)
    assert 0.9 <= coverage(estimates, truth) <= 1
    assert_unbiased([float(e) for e in estimates], truth)
    table = estimates[0].per_cluster
    assert_array_equal(table["n_queries"][:2], [38, 12])  # these two are strata of their own
    asked = table["n_queries"]
    assert_array_equal(np.isnan(table["value"]), asked == 0)
    assert_array_equal(np.isnan(table["stderr"]), asked < 2)
    assert "598 small clusters were drawn from together" in str(estimates[0])


@pytest.mark.parametrize("n_queries", [400, 402, 410, 450, 640])
def test_small_clusters_do_not_use_up_the_rows_of_a_large_one(known, n_queries):
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(201), [3000] + [5] * 200)
    X = np.append(np.zeros(3000), rng.normal(size=1000))[:, None]
    s = known(X, labels)
    s[:3000] = np.where(rng.random(3000) < 0.05, -0.9, 0.8)  # one row in twenty in the wrong cluster
    estimates = repeated(X, labels, n_queries=n_queries)
    values = np.array([float(e) for e in estimates])
    assert coverage(estimates, s.mean()) >= 0.9
    assert_unbiased(values, s.mean())
    assert values.std(ddof=1) < 1.1 * s.std() / math.sqrt(n_queries)  # no worse than a plain sample


@pytest.mark.parametrize("rare", [0.05, 0.1, 0.15])
def test_a_row_that_weighs_more_may_miss_more(known, rare):
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(6), [3000] + [50] * 5)
    s = known(np.arange(3250.0)[:, None], labels)
    s[:] = 0.8
    s[:3000][rng.random(3000) < rare] = -0.9
    estimates = repeated(np.arange(3250.0)[:, None], labels, 400, n_queries=20)
    assert estimates[0].per_cluster["n_queries"].tolist() == [10, 2, 2, 2, 2, 2]
    assert coverage(estimates, s.mean()) >= 0.9
    lucky = [e for e in estimates if e.stderr < 1e-9]
    assert lucky
    assert all("so few rows may have missed" in e.notes[-1] for e in lucky)


def test_the_same_seed_gives_the_same_rows():
    X, labels = uneven()
    for make in (lambda: 7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)):
        first, again = (silhouette_estimate(X, labels, n_queries=50, random_state=make()) for _ in range(2))
        assert_equal(first.value, again.value)
    assert silhouette_estimate(X, labels, n_queries=50, random_state=8).value != first.value


@pytest.mark.parametrize(
    ("wishes", "least", "most"),
    [({}, 2000, 2000), ({"n_queries": 70}, 70, 70), ({"tol": 0.5}, 500, 500), ({"tol": 0.01}, 2000, 3000)],
)
def test_the_backend_is_chosen_by_the_rows_that_will_be_asked(monkeypatch, wishes, least, most):
    from gpumetrics.clustering import inputs

    seen = []
    monkeypatch.setattr(inputs, "SOON_DONE", 0)
    monkeypatch.setattr(inputs, "estimate_seconds", lambda *_, n_queries, **__: seen.append(n_queries) or 0.0)
    X, labels = uneven()
    for given in (labels, [labels]):
        silhouette_estimate(X, given, random_state=0, **wishes)
    assert len(seen) == 2
    assert all(least <= n <= most for n in seen)
    seen.clear()
    silhouette_estimate(X, labels, n_queries=len(X))
    assert seen == [None]


def test_inputs_are_not_modified():
    X, labels = uneven()
    before = X.copy(), labels.copy()
    silhouette_estimate(X, labels, n_queries=50, random_state=0)
    assert_array_equal(X, before[0])
    assert_array_equal(labels, before[1])


METRICS = [("euclidean", {}), ("manhattan", {}), ("cosine", {}), ("minkowski", {"p": 3}), ("sqeuclidean", {})]


@pytest.mark.parametrize(("metric", "options"), METRICS, ids=[m for m, _ in METRICS])
def test_backends_ask_the_same_rows(backend, metric, options):
    X, labels = uneven(outliers=True)
    X, labels = X[::4], labels[::4]
    several = {"as they are": labels, "coarse": np.where(labels == 3, -1, labels % 2)}
    wishes = {"n_queries": 60, "random_state": 0, "metric": metric, "noise_label": -1, **options}
    got = [silhouette_estimate(X, labels, **wishes), *silhouette_estimate(X, several, **wishes).values()]
    with gm.config_context(backend="numpy"):
        want = [silhouette_estimate(X, labels, **wishes), *silhouette_estimate(X, several, **wishes).values()]
    for ours, theirs in zip(got, want, strict=True):
        assert_allclose([ours.value, ours.stderr], [theirs.value, theirs.stderr], rtol=1e-9)
        assert_array_equal(ours.per_cluster["n_queries"], theirs.per_cluster["n_queries"])
        assert type(ours.per_cluster["value"]) is np.ndarray
        assert type(ours.value) is type(ours.stderr) is float


def test_arrays_on_a_device(emulated):
    X, labels = uneven()
    want = silhouette_estimate(X, labels, n_queries=60, random_state=0)
    got = silhouette_estimate(emulated.asarray(X), emulated.asarray(labels), n_queries=60, random_state=0)
    assert_allclose(got.value, want.value, rtol=1e-10)


def test_sparse_rows_and_given_distances():
    sparse, distance = pytest.importorskip("scipy.sparse"), pytest.importorskip("scipy.spatial.distance")
    X, labels = uneven()
    X, labels = np.where(X[::5] > 0, X[::5], 0), labels[::5]
    want = silhouette_estimate(X, labels, n_queries=80, random_state=0)
    for got in (
        silhouette_estimate(sparse.csr_array(X), labels, n_queries=80, random_state=0),
        silhouette_estimate(distance.cdist(X, X), labels, metric="precomputed", n_queries=80, random_state=0),
        silhouette_estimate(X.tolist(), labels.astype(str), n_queries=80, random_state=0),
    ):
        assert_allclose(got.value, want.value, rtol=1e-9)


def test_of_rows_that_are_asked_only_doubtful_ones_are_computed_again(monkeypatch):
    from gpumetrics.backends import numpy_euclidean
    from gpumetrics.clustering.silhouette import silhouettes_of

    again, original = [], numpy_euclidean.EuclideanTiles.again
    monkeypatch.setattr(
        numpy_euclidean.EuclideanTiles,
        "again",
        lambda self, i, j: again.append(i.stop - i.start) or original(self, i, j),
    )
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2, 3], [1500, 400, 400, 300])
    centres = (
        50 + np.array([[-100.0], [0.0], [0.3], [40.0]])[labels]
    )  # tight against their distance, two near each other
    X = (rng.normal(size=(len(labels), 200)) + centres).astype(np.float32)
    X[-100:] = X[-1]  # and equal rows
    rows = rng.permutation(len(X))[:900]
    metric, _ = gm.distance_metrics.check_metric("euclidean", {}, "test")
    data = problem.check_clustered(X, labels, metric=metric)
    got = silhouettes_of(data, metric, queries=rows)
    assert again
    assert max(again) <= 64
    assert_allclose(got, gm.silhouette_samples(X.astype(np.float64), labels)[rows], atol=1e-6, rtol=0)


@pytest.mark.parametrize("container", ["array", "list", "dict", "frame"])
def test_several_labelings_are_estimated_from_the_same_rows(container):
    X, labels = uneven()
    columns = {"fine": labels, "coarse": labels % 3, "noisy": np.where(np.arange(len(labels)) % 7 == 0, -1, labels)}
    several = {
        "array": lambda: np.stack(list(columns.values()), axis=1),
        "list": lambda: list(columns.values()),
        "dict": lambda: columns,
        "frame": lambda: pytest.importorskip("pandas").DataFrame(columns),
    }[container]()
    found = silhouette_estimate(X, several, noise_label=-1, n_queries=300, random_state=0)
    if container in {"dict", "frame"}:
        assert list(found) == list(columns)
        found = list(found.values())
    assert isinstance(found, list)
    every = silhouette_estimate(X, several, noise_label=-1, n_queries=len(X))
    every = list(every.values()) if isinstance(every, dict) else every
    for estimate, exact, codes in zip(found, every, columns.values(), strict=True):
        score = gm.silhouette_score(X, codes, noise_label=-1)
        assert abs(estimate.value - score) < 4 * estimate.stderr
        assert_allclose(exact.value, score, rtol=1e-12)
        assert exact.exact
        assert_allclose(exact.per_cluster["value"] @ exact.per_cluster["size"] / exact.n_samples, score, rtol=1e-9)
    assert found[0].n_queries == found[1].n_queries == 300
    assert found[2].n_queries < 300
    assert found[2].notes == (f"{np.sum(columns['noisy'] == -1):,} more rows are noise, and are left out.",)


@pytest.mark.parametrize("stratify", [True, False])
def test_several_labelings_are_estimated_without_bias(monkeypatch, stratify):
    X, labels = uneven(outliers=True)
    columns = [labels, np.where(labels == 5, -1, labels), labels % 2]
    s = [gm.silhouette_samples(X, column, noise_label=-1) for column in columns]

    def ask(self, rows):
        return {at: each[rows][~np.isnan(each[rows])] for at, each in enumerate(s)}

    monkeypatch.setattr(problem.Problem, "ask", ask)
    found = [silhouette_estimate(X, columns, noise_label=-1, random_state=i, n_queries=300, stratify=stratify)
             for i in range(REPEATS)]  # fmt: skip
    for at, each in enumerate(s):
        estimates, truth = [f[at] for f in found], np.nanmean(each)
        assert 0.9 <= coverage(estimates, truth) <= 1
        assert_unbiased([float(e) for e in estimates], truth)
        values = [float(e) for e in estimates]
        assert_allclose(np.sqrt(np.mean([e.stderr**2 for e in estimates])), np.std(values, ddof=1), rtol=0.2)


def test_weights_by_cluster_make_several_labelings_as_sure_as_strata_do():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 3000)
    X = rng.normal(size=(3000, 2)) + np.array([[0, 0], [0.5, 0], [30, 0]])[labels]  # one far off, two in one place
    (weighted,) = silhouette_estimate(X, [labels], n_queries=400, random_state=0)
    (plain,) = silhouette_estimate(X, [labels], n_queries=400, random_state=0, stratify=False)
    drawn = silhouette_estimate(X, labels, n_queries=400, random_state=0)
    assert weighted.stderr < 0.6 * plain.stderr
    assert_allclose(weighted.stderr, drawn.stderr, rtol=0.25)


def test_a_tolerance_holds_for_each_labeling():
    X, labels = uneven()
    found = silhouette_estimate(X, {"fine": labels, "coarse": labels % 2}, tol=0.025, n_queries=50, random_state=0)
    assert max(e.interval[1] - e.value for e in found.values()) <= 0.025
    assert found["fine"].n_queries == found["coarse"].n_queries > 50


def test_labelings_without_a_silhouette():
    X, labels = uneven()
    columns = {"one": np.zeros(len(X)), "good": labels, "each": np.arange(len(X)), "noise": np.full(len(X), -1.0)}
    with pytest.warns(UserWarning, match="is undefined, and nan") as seen:
        found = silhouette_estimate(X, columns, n_queries=50, noise_label=-1, random_state=0)
    assert [str(w.message).split("'")[1] for w in seen] == ["one", "each", "noise"]
    assert [name for name, e in found.items() if math.isnan(e.value)] == ["one", "each", "noise"]
    for name in ("one", "each", "noise"):
        text = json.dumps(found[name].to_dict())
        assert "undefined, since" in text
        assert "undefined" in str(found[name])
        assert not found[name].exact
    with pytest.warns(UserWarning, match="undefined"):
        (alone,) = silhouette_estimate(X, [np.zeros(len(X))])
    assert math.isnan(alone.stderr)
    with pytest.raises(ValueError, match=r"Number of labels is 1\. Valid values are 2 to n_samples - 1"):
        silhouette_estimate(X, np.zeros(len(X)))


def test_a_labeling_of_which_hardly_a_row_is_asked():
    X, labels = uneven()
    rare = np.full(len(X), -1)
    rare[:4] = [0, 0, 1, 1]
    found = silhouette_estimate(X, {"good": labels, "rare": rare}, n_queries=20, noise_label=-1, random_state=0)
    assert found["rare"].n_queries < 2
    assert math.isnan(found["rare"].stderr)
    assert_equal(found["rare"].interval, (-1.0, 1.0))
    every = silhouette_estimate(X, {"good": labels, "rare": rare}, tol=0.01, noise_label=-1, random_state=0)
    assert_allclose(every["rare"].value, gm.silhouette_score(X, rare, noise_label=-1), rtol=1e-9)


def test_rows_are_drawn_only_from_those_that_some_labeling_keeps():
    X, labels = uneven()
    rare = np.where(np.arange(len(X)) % 30 == 0, labels, -1)
    (found,) = silhouette_estimate(X, [rare], n_queries=50, noise_label=-1, random_state=0)
    assert_equal(found.n_queries, 50)


def test_the_estimate_in_print_and_as_data():
    X, labels = uneven()
    names = np.array(["a", "b", "c", "d", "e", "f", "g"])[labels]
    estimate = silhouette_estimate(X, names, n_queries=200, random_state=0)
    text = str(estimate)
    assert f"{estimate.value:.4f}" in text
    assert "95 % interval" in text
    assert "estimated from 200 of 3,912 rows, 7 clusters, each against all rows" in text
    assert text.splitlines()[4].split() == ["cluster", "size", "rows", "asked", "mean", "s", "std.", "error"]
    assert f"{estimate.value:.4g} +/- {estimate.stderr:.2g}" in repr(estimate)
    data = json.loads(json.dumps(estimate.to_dict(), allow_nan=False))
    assert_equal(data["silhouette"], float(estimate))
    assert_equal((data["low"], data["high"]), estimate.interval)
    assert data["cluster_label"] == list("abcdefg")
    assert_equal(sum(data["cluster_n_queries"]), data["n_queries"])
    with pytest.raises(AttributeError):
        estimate.value = 1.0
    assert len({estimate, estimate}) == 1
    assert estimate != silhouette_estimate(X, names, n_queries=200, random_state=0)  # not a question for arrays
    assert isinstance(estimate, Estimate)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_clusters_as_a_frame(library):
    pytest.importorskip(library)
    X, labels = uneven()
    frame = silhouette_estimate(X, labels, n_queries=50, random_state=0).to_frame(library)
    assert list(frame.columns) == ["label", "size", "n_queries", "value", "stderr"]


def test_of_many_clusters_the_lowest_are_printed():
    rng = np.random.default_rng(0)
    estimate = silhouette_estimate(rng.normal(size=(900, 2)), np.arange(900) % 300, n_queries=700, random_state=0)
    assert "... and 285 more clusters (all in per_cluster)" in str(estimate)


WRONG = [
    ({"n_queries": 1}, "n_queries must be an integer of at least 2, or None, got 1"),
    ({"n_queries": 10.0}, "n_queries must be an integer"),
    ({"n_queries": True}, "n_queries must be an integer"),
    ({"tol": 0}, "tol must be a finite number above 0, or None, got 0"),
    ({"tol": math.nan}, "tol must be a finite number"),
    ({"tol": "0.1"}, "tol must be a finite number"),
    ({"confidence": 95}, "confidence must be a number between 0 and 1, such as 0.95, got 95"),
    ({"confidence": 1.0}, "confidence must be a number between 0 and 1"),
    ({"references": "all"}, "references must be None .* got 'all'"),
    ({"references": np.array([1, 2])}, "references must be None"),
    ({"references": "pps", "n_references": 5}, "n_references must be an integer of at least 16"),
    ({"n_references": 100}, 'n_references=100 needs references="pps"'),
    ({"references": "pps", "metric": "cosine"}, "of no use with metric 'cosine'"),
    ({"references": "pps", "metric": "precomputed"}, "needs the rows themselves"),
    ({"random_state": -1}, "random_state must be None, an integer from 0"),
    ({"metric": "no such"}, "The 'metric' parameter of silhouette_estimate must be a str among"),
]


@pytest.mark.parametrize(("wishes", "message"), WRONG, ids=[str(w) for w, _ in WRONG])
def test_wrong_arguments(wishes, message):
    X, labels = uneven()
    with pytest.raises(ValueError, match=message):
        silhouette_estimate(X, labels, **wishes)


def test_wrong_input():
    X, labels = uneven()
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3912, 3911\]"):
        silhouette_estimate(X, labels[1:])
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3912, 3911\]"):
        silhouette_estimate(X, [labels, labels[1:]])
    with pytest.raises(ValueError, match="NaN"):
        silhouette_estimate(np.where(X > 5, np.nan, X), labels)
    with pytest.raises(TypeError, match="unexpected keyword argument 'q'"):
        silhouette_estimate(X, labels, metric="minkowski", q=3)
