"""Stability against plain definitions over sets of rows; and runs of clusterers of every kind."""

import itertools
import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from worked.rows import points

import gpumetrics as gm
from gpumetrics.choosing import stability_runs
from gpumetrics.choosing.stability import stability, stability_of
from gpumetrics.choosing.stability_pairs import PairOfRuns
from gpumetrics.choosing.stability_result import jaccard_word, stability_band

# ---------------------------------------------------------------------------------------------
# Definitions: a run is a dict of row -> label, -1 is noise


def groups(run, rows):
    """The clusters of a run, as sets of the given rows."""
    out = {}
    for row in rows:
        if run[row] != -1:
            out.setdefault(run[row], set()).add(row)
    return out


def own(run, row, rows):
    """The other rows that share the row's cluster."""
    return set() if run[row] == -1 else groups(run, rows)[run[row]] - {row}


def plain_agreement(a, b):
    rows = sorted(set(a) & set(b))
    alone = [[run[row] if run[row] != -1 else ("noise", row) for row in rows] for run in (a, b)]
    codes = [np.unique([str(label) for label in labels], return_inverse=True)[1] for labels in alone]
    return gm.adjusted_rand_score(*codes) if len(rows) > 1 else np.nan


def plain_jaccard(reference, run):
    rows = set(reference) & set(run)
    theirs = list(groups(run, rows).values())
    mine = groups(reference, rows)
    out = []
    for label in sorted({label for label in reference.values() if label != -1}):
        cluster = mine.get(label)
        best = (
            max((len(cluster & other) / len(cluster | other) for other in theirs), default=0.0) if cluster else np.nan
        )
        out.append(best)
    return out


def plain_instability(runs, row):
    lost = []
    for a, b in itertools.combinations(runs, 2):
        rows = set(a) & set(b)
        if row in rows:
            x, y = own(a, row, rows), own(b, row, rows)
            lost.append(len(x ^ y) / len(x | y) if x | y else 0.0)
    return np.mean(lost) if lost else np.nan


def random_runs(seed, n=40, n_runs=4, *, partial=False, noise=True):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 4, n)
    labels, rows = [], []
    for _ in range(n_runs):
        mine = np.sort(rng.permutation(n)[: rng.integers(n // 2, n + 1)]) if partial else np.arange(n)
        run = np.where(rng.random(n) < 0.3, rng.integers(0, rng.integers(2, 7), n), base)
        run = np.where(rng.random(n) < (0.2 if noise else 0), -1, run)
        labels.append(run[mine])
        rows.append(mine)
    return labels, rows


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("partial", [False, True])
def test_everything_is_as_defined_over_sets(backend, seed, partial):
    labels, rows = random_runs(seed, partial=partial)
    n, reference = 40, np.random.default_rng(seed + 100).integers(-1, 5, 40)
    given = labels
    if backend != "numpy":
        cp = pytest.importorskip("cupy")
        given = [cp.asarray(run) for run in labels]
        rows = [cp.asarray(mine) for mine in rows]
    found = stability_of(given, rows=rows if partial else None, reference=reference)
    runs = [dict(zip(r.tolist(), x.tolist(), strict=True)) for r, x in zip(rows, labels, strict=True)]
    for i, j in itertools.product(range(len(runs)), repeat=2):
        expected = 1.0 if i == j else plain_agreement(runs[i], runs[j])
        assert_allclose(found.agreement[i, j], expected, rtol=1e-12)
    pairs = found.agreement[np.triu_indices(len(runs), 1)]
    assert_allclose(
        [found.mean, found.std, found.lowest, found.highest], [pairs.mean(), pairs.std(), pairs.min(), pairs.max()]
    )
    whole = dict(enumerate(reference.tolist()))
    jaccard = np.array([plain_jaccard(whole, run) for run in runs])
    table = found.per_cluster
    assert_array_equal(table["label"], [0, 1, 2, 3, 4])
    assert_array_equal(table["size"], [(reference == label).sum() for label in range(5)])
    assert_allclose(table["jaccard"], np.nanmean(jaccard, axis=0), rtol=1e-12)
    assert_allclose(table["jaccard_lowest"], np.nanmin(jaccard, axis=0), rtol=1e-12)
    known = (~np.isnan(jaccard)).sum(axis=0)
    assert_allclose(table["recovered"], (jaccard > 0.75).sum(axis=0) / known)
    assert_allclose(table["dissolved"], (jaccard <= 0.5).sum(axis=0) / known)
    assert_allclose(found.runs["agreement_with_reference"], [plain_agreement(whole, run) for run in runs], rtol=1e-12)
    assert_array_equal(found.runs["n_rows"], [len(run) for run in runs])
    assert_allclose(found.runs["noise_fraction"], [np.mean(x == -1) for x in labels])
    assert_allclose(found.instability, [plain_instability(runs, row) for row in range(n)], rtol=1e-12, atol=1e-15)
    assert type(found.instability) is np.ndarray
    assert_array_equal(found.labels, reference)
    worst = found.most_unstable(3)
    assert found.instability[worst[0]] == np.nanmax(found.instability)
    assert_equal(str(found.reference), "the labels given")


def test_many_clusters_take_the_same_values_as_few(monkeypatch):
    labels, _ = random_runs(3, n_runs=3)
    few = stability_of(labels)
    monkeypatch.setattr("gpumetrics.choosing.stability_pairs.FEW", -(10**6))  # no dense table
    many = stability_of(labels)
    assert_array_equal(few.agreement, many.agreement)
    assert_array_equal(few.instability, many.instability)
    assert_array_equal(few.per_cluster["jaccard"], many.per_cluster["jaccard"])


def test_pairs_are_counted_exactly_where_their_squares_pass_int64():
    sizes = np.array([3 * 10**9, 2 * 10**9, 10**9])
    pair = PairOfRuns(np.array([0, 0, 1]), np.array([0, 1, 1]), 2, 2, sizes)
    small = PairOfRuns(np.array([0, 0, 1]), np.array([0, 1, 1]), 2, 2, sizes // 10**6)
    assert_allclose(pair.adjusted_rand(), small.adjusted_rand(), rtol=1e-3)
    assert_allclose(pair.best_jaccard(), [0.6, 1 / 3], rtol=1e-15)


def test_noise_shares_its_cluster_with_no_row():
    one, other = [0, 0, 0, 1, 1, -1], [0, 0, -1, 1, 1, -1]
    found = stability_of([one, other], reference=0)
    # Row 2 loses two companions of two; rows 0 and 1 one of two; row 5 has none in either.
    assert_allclose(found.instability, [0.5, 0.5, 1, 0, 0, 0])
    assert_allclose(found.per_cluster["jaccard"], [2 / 3, 1])
    assert_allclose(found.mean, gm.adjusted_rand_score([0, 0, 0, 1, 1, 2], [0, 0, 3, 1, 1, 2]))
    assert "shares its cluster with no row" in found.notes["noise"]
    as_cluster = stability_of([one, other], reference=0, noise_label=None)
    assert_allclose(as_cluster.mean, gm.adjusted_rand_score(one, other))
    assert_array_equal(as_cluster.per_cluster["label"], [-1, 0, 1])


def test_a_row_of_no_two_runs_has_no_instability():
    found = stability_of([["a", "a", "b"], ["x", "x", "y"]], rows=[[0, 1, 2], [0, 1, 3]], reference=0)
    assert_array_equal(np.isnan(found.instability), [False, False, True, True])
    assert_array_equal(found.agreement, np.ones((2, 2)))
    assert_allclose(found.per_cluster["jaccard"], [1, np.nan])
    assert_equal(found.per_cluster["reading"].tolist(), ["highly stable", "unknown"])
    assert_equal(found.labels.tolist(), ["a", "a", "b", None])
    apart = stability_of([[0, 0], [1, 1]], rows=[[0, 1], [2, 3]])
    assert np.isnan(apart.mean)
    assert_equal((apart.band, apart.to_dict()["mean_reason"]), ("", str(apart.reading)))
    assert "no two runs share two rows" in str(apart)


def test_the_reference_is_the_run_that_agrees_most():
    runs = {"odd": [0, 1, 0, 1, 0, 1], "first": [0, 0, 0, 1, 1, 1], "second": [5, 5, 5, 3, 3, 3]}
    found = stability_of(runs)
    assert_equal(found.reference, "first")
    assert_array_equal(found.labels, runs["first"])
    assert_equal(found.runs["run"].tolist(), list(runs))
    assert_equal(stability_of(runs, reference="odd").reference, "odd")
    assert "Clusters (reference: run first)" in str(found)


@pytest.mark.parametrize("container", ["array", "list", "dict", "frame"])
def test_labelings_come_in_every_container(container):
    labels, _ = random_runs(1, n_runs=3)
    given = {
        "array": lambda: np.stack(labels, axis=1),
        "list": lambda: labels,
        "dict": lambda: dict(zip("abc", labels, strict=True)),
        "frame": lambda: pytest.importorskip("pandas").DataFrame(dict(zip("abc", labels, strict=True))),
    }[container]()
    assert_array_equal(stability_of(given).agreement, stability_of(labels).agreement)


# ---------------------------------------------------------------------------------------------
# Readings


@pytest.mark.parametrize(
    ("value", "band"),
    [(1.0, "structure"), (0.9, "between"), (0.61, "between"), (0.5, "wavering"), (0.3, "low"), (np.nan, "")],
)
def test_bands(value, band):
    assert_equal(stability_band(value), band)


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.9, "highly stable"), (0.8, "stable"), (0.7, "a pattern, its rows doubtful"), (0.5, "not to be trusted")],
)
def test_jaccard_words(value, word):
    assert_equal(jaccard_word(value), word)


@pytest.fixture(name="cluster", scope="module")
def clusterers():
    """scikit-learn's clusterers."""
    return pytest.importorskip("sklearn.cluster")


def test_four_blobs_are_found_again_and_eight_are_not(cluster):
    """The worked example: seeds 0 to 4, one start each."""
    X = points("blobs4")
    four, eight = (stability(X, cluster.KMeans(k, n_init=1), n_runs=5, random_state=range(5)) for k in (4, 8))
    assert_equal((four.mean, four.band), (1.0, "structure"))
    assert four.lowest > 0.9
    assert_equal(eight.band, "between")
    assert_allclose([eight.mean, eight.lowest, eight.highest], [0.667, 0.529, 0.859], atol=5e-4)
    assert "rule of thumb" in eight.reading
    assert "not above 0.9" in " ".join(str(eight).split())
    assert_array_equal(eight.runs["seed"], range(5))
    assert (four.instability == 0).all()
    assert eight.instability.max() > 0.5
    assert "none of 300 ever changes cluster" in str(four)
    assert "together" in four.notes["conclusion"]
    assert (four.per_cluster["reading"] == "highly stable").all()


def test_agreement_is_that_of_separate_runs(cluster):
    X = points("blobs4")
    runs = [cluster.KMeans(8, n_init=1, random_state=seed).fit_predict(X) for seed in range(4)]
    found = stability(X, cluster.KMeans(8, n_init=1), n_runs=4, random_state=range(4))
    expected = [[gm.adjusted_rand_score(a, b) for b in runs] for a in runs]
    assert_allclose(found.agreement, expected, rtol=1e-12)
    assert any(np.array_equal(found.labels, run) for run in runs)


# ---------------------------------------------------------------------------------------------
# Runs


def small():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return rng.normal(size=(60, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[y]


@pytest.mark.parametrize("resample", ["bootstrap", "subsample"])
def test_clusterers_that_predict_label_all_rows(cluster, resample):
    found = stability(small(), cluster.KMeans(3, n_init=2), n_runs=4, resample=resample, random_state=0)
    assert_array_equal(found.runs["n_rows"], [60] * 4)
    assert_equal((found.mean, str(found.reference)), (1.0, "the clusterer on all rows"))
    assert "labelled by predict" in " ".join(str(found).split())
    without = stability(
        small(), cluster.KMeans(3, n_init=2), n_runs=4, resample=resample, predict=False, random_state=0
    )
    assert (without.runs["n_rows"] < 60).all()
    assert_array_equal(without.labels, found.labels)
    assert "rows that both drew" in " ".join(str(without).split())


@pytest.mark.parametrize(("size", "rows"), [(0.8, 48), (0.5, 30), (25, 25), (1000, 60)])
def test_subsample_size_is_a_share_or_a_number(cluster, size, rows):
    found = stability(small(), cluster.DBSCAN(eps=2), n_runs=3, resample="subsample", subsample_size=size)
    assert_array_equal(found.runs["n_rows"], [rows] * 3)


def test_a_bootstrap_compares_each_row_once(cluster):
    seen = []

    class Watching(cluster.DBSCAN):
        def fit_predict(self, X, y=None):
            seen.append(len(X))
            return super().fit_predict(X)

    found = stability(small(), Watching(eps=2), n_runs=5, resample="bootstrap", random_state=1)
    assert_equal(seen, [60] * 6)
    assert (found.runs["n_rows"] < 50).all()
    assert_equal(found.n_samples, 60)


def test_labels_given_are_judged(cluster):
    X, labels = small(), np.repeat(["left", "right", "top"], 20)
    labels[30:40] = "top"  # half of a cluster in the wrong place
    found = stability(X, cluster.KMeans(3, n_init=2), n_runs=3, reference=labels, random_state=0)
    assert_equal(found.per_cluster["label"].tolist(), ["left", "right", "top"])
    assert_allclose(found.per_cluster["jaccard"], [1, 10 / 20, 20 / 30])
    assert_equal(found.per_cluster["reading"].tolist()[1], "not to be trusted")


@pytest.mark.parametrize("kind", ["array", "list", "pandas", "polars", "csr", "coo"])
def test_rows_of_any_table(cluster, kind):
    X = small()
    table = {
        "array": lambda: X,
        "list": X.tolist,
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(X, columns=["a", "b"]),
        "polars": lambda: pytest.importorskip("polars").DataFrame(X, schema=["a", "b"]),
        "csr": lambda: pytest.importorskip("scipy.sparse").csr_array(X),
        "coo": lambda: pytest.importorskip("scipy.sparse").coo_array(X),
    }[kind]()
    wanted = stability(X, cluster.KMeans(4, n_init=1), n_runs=3, resample="subsample", random_state=0)
    found = stability(table, cluster.KMeans(4, n_init=1), n_runs=3, resample="subsample", random_state=0)
    tolerance = 0.35 if kind in {"csr", "coo"} else 1e-12  # sparse k-means adds in another order
    assert_allclose(found.agreement, wanted.agreement, atol=tolerance)


def test_distances_lose_rows_and_columns(cluster):
    X = small()
    D = np.linalg.norm(X[:, None] - X, axis=2)
    found = stability(D, cluster.DBSCAN(eps=2, metric="precomputed"), n_runs=3, resample="subsample", random_state=0)
    rows = stability(X, cluster.DBSCAN(eps=2), n_runs=3, resample="subsample", random_state=0)
    assert_array_equal(found.agreement, rows.agreement)
    agglomerative = cluster.AgglomerativeClustering(3, metric="precomputed", linkage="average")
    assert_equal(stability(D, agglomerative, n_runs=3, resample="bootstrap", random_state=0).mean, 1.0)


def test_seeds_reach_the_parts_of_a_pipeline(cluster):
    pipeline = pytest.importorskip("sklearn.pipeline").make_pipeline(
        pytest.importorskip("sklearn.preprocessing").StandardScaler(), cluster.KMeans(9, n_init=1)
    )
    found = stability(small(), pipeline, n_runs=4, random_state=0)
    assert found.mean < 1
    again = stability(small(), pipeline, n_runs=4, random_state=0)
    assert_array_equal(found.agreement, again.agreement)
    assert "StandardScaler" in found.clusterer
    assert "\n" not in found.clusterer


def test_the_same_seed_gives_the_same_runs_and_another_one_others(cluster):
    one, same, other = (
        stability(small(), cluster.KMeans(9, n_init=1), n_runs=4, resample="bootstrap", random_state=state)
        for state in (0, np.random.default_rng(0), 1)
    )
    assert_array_equal(one.agreement, same.agreement)
    assert not np.array_equal(one.agreement, other.agreement)
    old = stability(small(), cluster.KMeans(3, n_init=1), n_runs=2, random_state=np.random.RandomState(0))
    assert_equal(old.n_runs, 2)


def test_processes_give_the_same(cluster):
    pytest.importorskip("joblib")
    one, two = (
        stability(small(), cluster.KMeans(9, n_init=1), n_runs=4, resample="subsample", random_state=0, n_jobs=n)
        for n in (None, 2)
    )
    assert_array_equal(one.agreement, two.agreement)
    assert_array_equal(one.instability, two.instability)


def test_without_joblib_several_jobs_say_what_to_install(cluster, monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.warns(UserWarning, match="n_jobs=2 needs joblib"):
        found = stability(small(), cluster.KMeans(3), n_runs=2, n_jobs=2)
    assert_equal(found.n_runs, 2)


class Plain:
    """A clusterer of no library: fit and labels_, a seed, nothing else."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X):
        rng = np.random.default_rng(self.random_state)
        self.labels_ = np.where(rng.random(len(X)) < 0.2, -1, (np.asarray(X)[:, 0] > 4).astype(int))
        return self


@pytest.mark.parametrize("installed", [True, False])
def test_a_clusterer_needs_fit_and_labels_only(monkeypatch, installed):
    if not installed:
        for name in ("sklearn", "sklearn.base"):
            monkeypatch.setitem(sys.modules, name, None)
    clusterer = Plain()
    found = stability(small(), clusterer, n_runs=4, random_state=0)
    assert 0 < found.mean < 1
    assert clusterer.random_state is None
    assert not hasattr(clusterer, "labels_")
    assert (found.runs["noise_fraction"] > 0).all()


class Failing(Plain):
    """Fails for some seeds; stands for an interrupt at others."""

    fails, interrupts = (), ()

    def fit(self, X):
        if self.random_state in self.fails:
            raise RuntimeError("no luck\nat all")
        if self.random_state in self.interrupts:
            raise KeyboardInterrupt
        return super().fit(X)


def test_runs_that_fail_are_left_out_and_said(monkeypatch):
    monkeypatch.setattr(Failing, "fails", (2,))
    found = stability(small(), Failing(), n_runs=4, random_state=[1, 2, 3, 4])
    assert_array_equal(found.runs["run"], [0, 2, 3])
    assert_equal(str(found.notes["run 1"]), "Run 1 failed and is left out: RuntimeError: no luck at all")
    assert "Run 1 failed" in str(found)
    monkeypatch.setattr(Failing, "fails", (1, 2, 3))
    with pytest.raises(ValueError, match=r"1 of 4 runs succeeded.*RuntimeError: no luck"):
        stability(small(), Failing(), n_runs=4, random_state=[1, 2, 3, 4])
    with pytest.raises(ValueError, match=r"fails on all rows.*no luck"):
        stability(small(), Failing(), n_runs=4, random_state=[1, 2, 3, 4], resample="subsample")


@pytest.mark.parametrize("resample", [None, "subsample"])
def test_an_interrupt_returns_what_is_done(monkeypatch, resample):
    monkeypatch.setattr(Failing, "interrupts", (4,))
    found = stability(small(), Failing(), n_runs=9, resample=resample, random_state=range(1, 10))
    assert_equal(found.n_runs, 3)
    assert_equal(str(found.notes["interrupted"]), "Interrupted: 3 of 9 runs are done.")
    monkeypatch.setattr(Failing, "interrupts", (2,))
    with pytest.raises(KeyboardInterrupt):
        stability(small(), Failing(), n_runs=9, resample=resample, random_state=range(1, 10))


class Trivial(Plain):
    """One cluster for all."""

    def fit(self, X):
        self.labels_ = np.zeros(len(X), dtype=int)
        return self


def test_useless_clusterings_are_said_to_be_so():
    found = stability(small(), Trivial(), n_runs=3)
    assert_equal((found.mean, found.band), (1.0, "trivial"))
    assert "one cluster" in found.notes["trivial"]
    assert "no sign of structure" in found.reading
    assert "real structure" not in str(found)
    changing = stability_of([[0, 0, -1, -1], [-1, -1, 0, 0]])  # one cluster, and another one each time
    assert changing.mean < 0.5
    assert "stable," not in changing.notes["trivial"]
    every = stability_of([np.arange(9), np.arange(9)[::-1]])
    assert "every row a cluster of its own" in every.notes["trivial"]
    noise = stability_of([[-1] * 4, [-1] * 4])
    assert_equal((noise.mean, noise.n_clusters), (1.0, 0))
    assert "Clusters" not in str(noise)
    apart = stability_of([[0], [0]], rows=[[0], [1]])
    assert_equal((apart.band, str(apart.reading)), ("", "undefined: no two runs share two rows"))


@pytest.mark.parametrize(
    ("settings", "resample", "told"),
    [
        ({"init": np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]]), "n_init": 1}, None, True),
        ({"init": np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]]), "n_init": 1}, "bootstrap", False),
        ({"init": np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]]), "n_init": 1}, "subsample", False),
        ({"n_init": 1}, None, False),
    ],
)
def test_runs_whose_seed_changes_nothing_are_told(cluster, settings, resample, told):
    found = stability(small(), cluster.KMeans(3, **settings), n_runs=6, resample=resample, random_state=0)
    assert_equal(found.mean, 1.0)
    assert_equal("same" in found.notes, told)
    assert_equal("no use of its random_state" in " ".join(str(found).split()), told)


def test_subsamples_of_every_row_are_told(cluster):
    found = stability(small(), cluster.DBSCAN(eps=2), n_runs=3, resample="subsample", subsample_size=60)
    assert "very same label" in found.notes["same"]


class WrongLength(Plain):
    def fit(self, X):
        self.labels_ = np.zeros(3)
        return self


def test_labels_of_the_wrong_length_are_a_failure():
    with pytest.raises(ValueError, match=r"gave labels of shape \(3,\) for 60 rows"):
        stability(small(), WrongLength(), n_runs=2)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"n_runs": 1}, ValueError, "n_runs must be an integer of at least 2, got 1"),
        ({"n_runs": 2.5}, ValueError, "n_runs must be"),
        ({"resample": "jackknife"}, ValueError, "resample must be one of"),
        ({"subsample_size": 1.5}, ValueError, "subsample_size must be a share"),
        ({"subsample_size": 0.8}, ValueError, 'subsample_size=0.8 is for resample="subsample", and resample is None'),
        ({"subsample_size": 9, "resample": "bootstrap"}, ValueError, "and resample is 'bootstrap': leave it out"),
        ({"subsample_size": 1}, ValueError, "subsample_size must be a share"),
        ({"subsample_size": True}, ValueError, "subsample_size must be a share"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
        ({"predict": "no"}, ValueError, "predict must be None, True or False"),
        ({"predict": False}, ValueError, "predict=False is for runs on a sample, and resample is None"),
        ({"predict": True, "resample": "bootstrap"}, ValueError, "needs a clusterer with predict, and Plain has none"),
        ({"X": None}, ValueError, "X must be a table of rows, got None"),
        ({"X": np.array(5.0)}, ValueError, "X must be a table of rows"),
        ({"random_state": "seed"}, ValueError, "random_state must be"),
        ({"random_state": [1, 2]}, ValueError, "list of n_runs=10 integers"),
        ({"random_state": [-1] * 10}, ValueError, "list of n_runs=10 integers"),
        ({"reference": [0, 1]}, ValueError, "inconsistent numbers of samples"),
        ({"reference": 0}, ValueError, "'reference' parameter must be an array-like of labels"),
        ({"reference": [None] * 60}, ValueError, "Input reference contains NaN"),
        ({"noise_label": [-1]}, ValueError, "noise_label must be one label"),
        ({"noise_label": [-1], "reference": [0] * 60}, ValueError, "noise_label must be one label"),
        ({"clusterer": object()}, TypeError, "clusterer must have fit_predict"),
        ({"X": [[1.0]]}, ValueError, "two rows at least"),
    ],
)
def test_bad_arguments_are_found_before_any_run(monkeypatch, change, error, match):
    monkeypatch.setattr(Plain, "fit", lambda *_: pytest.fail("a run was made"))
    arguments = {"X": small(), "clusterer": Plain(), **change}
    with pytest.raises(error, match=match):
        stability(arguments.pop("X"), arguments.pop("clusterer"), **arguments)


def test_predict_of_distances_is_refused(cluster):
    class Predicting(cluster.DBSCAN):
        def predict(self, X):
            return np.zeros(len(X))

    clusterer = Predicting(metric="precomputed")
    with pytest.raises(ValueError, match="Predicting takes distances of pairs of rows: leave predict at None"):
        stability(np.zeros((6, 6)), clusterer, resample="bootstrap", predict=True)


def test_runs_that_cannot_differ_are_refused(cluster):
    with pytest.raises(ValueError, match=r"DBSCAN has no random_state.*give resample"):
        stability(small(), cluster.DBSCAN())


@pytest.mark.parametrize(
    ("labelings", "change", "match"),
    [
        ([[0, 1]], {}, "two labelings at least"),
        ([0, 1], {}, "labelings must be"),
        ([[0, 1], [0, 1, 2]], {}, "inconsistent numbers of samples"),
        ([[0, 1], [0, None]], {}, "contains NaN"),
        ([[0, 1], [0, 1]], {"reference": 7}, "reference must be labels of all rows, or the name of a run"),
        ([[0, 1], [0, 1]], {"rows": [[0, 1]]}, "an entry for each of the 2 labelings"),
        ([[0, 1], [0, 1]], {"rows": [[0, 1], [1, 1]]}, "a row twice"),
        ([[0, 1], [0, 1]], {"rows": [[0, 1], [-1, 1]]}, "row numbers from 0"),
        ([[0, 1], [0, 1]], {"rows": [[0, 1], [0, 1, 2]]}, "inconsistent numbers of samples"),
    ],
)
def test_bad_labelings(labelings, change, match):
    with pytest.raises(ValueError, match=match):
        stability_of(labelings, **change)


# ---------------------------------------------------------------------------------------------
# What comes out


def test_to_dict_survives_json():
    labels, _ = random_runs(2)
    found = stability_of({f"run {at}": run for at, run in enumerate(labels)})
    data = found.to_dict()
    assert_equal(json.loads(json.dumps(data, allow_nan=False)), data)
    assert_equal((data["n_runs"], data["better"], data["band"]), (4, "higher", found.band))
    assert_equal(data["cluster_jaccard"], found.per_cluster["jaccard"].tolist())
    assert_equal(data["run_run"], [f"run {at}" for at in range(4)])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_to_frame(library):
    pytest.importorskip(library)
    labels, _ = random_runs(2)
    found = stability_of(labels)
    frame = found.to_frame(library)
    assert_equal(list(frame.columns), list(found.per_cluster))
    assert_allclose(frame["jaccard"].to_numpy(), found.per_cluster["jaccard"])


def test_one_comparison_is_printed_as_one_number():
    found = stability_of([[0, 0, 1, 1, 2, 2], [5, 5, 3, 3, 3, 3]])
    text = " ".join(str(found).split())
    assert "cluster size Jaccard in words" in text
    assert "median of all rows 0.67, those that change most: 2 (0.67)" in text
    assert "mean adjusted" not in repr(found)
    judged = stability_of([[0, 0, 1, 1, 2, 2], [5, 5, 3, 3, 3, 3]], reference=[0, 0, 0, 1, 1, 1])
    assert "cluster size Jaccard lowest recovered dissolved in words" in " ".join(str(judged).split())
    assert "mean adjusted" in repr(stability_of([[0, 0, 1, 1]] * 3))


def test_text_fits_and_many_clusters_are_folded():
    rng = np.random.default_rng(0)
    runs = [rng.integers(0, 40, 2000) for _ in range(3)]
    text = str(stability_of(runs))
    assert max(map(len, text.splitlines())) <= 110
    assert "the 15 least stable" in text
    assert "... and 25 more (all of them in per_cluster)" in text
    assert len(repr(stability_of(runs))) < 120
    assert "the one pair of runs (higher is better, 1: the same partition): 0.571" in str(
        stability_of([[0, 0, 1, 1], [0, 0, 1, 2]])
    )
    assert_equal(stability(small(), Plain, n_runs=2).clusterer, "Plain")


def test_a_copy_gets_the_seed(cluster):
    mine = cluster.KMeans(3, random_state=5)
    new = stability_runs.seeded(mine, 9)
    assert_equal((mine.random_state, new.random_state, new.n_clusters), (5, 9, 3))
    assert_equal(stability_runs.seeded(Plain, 9).random_state, 9)


def test_what_the_clusterer_warns_of_is_a_note(cluster):
    X = np.repeat([[0.0], [5.0]], 10, axis=0)
    found = stability(X, cluster.KMeans(3, n_init=1), n_runs=3, random_state=0)
    assert "warned in 3 of 3 runs" in found.notes["warnings"]
    assert "distinct clusters" in found.notes["warnings"]
    assert_equal(found.mean, 1.0)


def test_input_is_not_modified(cluster):
    X = small()
    X.flags.writeable = False
    labels = np.repeat([0, 1, 2], 20)
    labels.flags.writeable = False
    stability(X, cluster.KMeans(3, n_init=1), n_runs=2, reference=labels, resample="bootstrap")
    stability_of([labels, labels])
