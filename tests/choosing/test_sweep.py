"""`sweep`: any clusterer, one line for each setting whatever becomes of it, and what is done after an interrupt."""

import builtins
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics.choosing import compare, fitting, silhouettes
from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.choosing.sweep import sweep
from gpumetrics.evaluation import silhouette_part

NAMES = ("silhouette", "calinski_harabasz", "davies_bouldin")


def blobs(n=90, k=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 10.0 * labels[:, None], labels


class Cuts:
    """Cut the first feature into pieces of equal length; knows nothing of scikit-learn."""

    def __init__(self, n_clusters=2, *, shift=0.0, random_state=None):
        self.n_clusters, self.shift, self.random_state = n_clusters, shift, random_state

    def get_params(self, deep=True):
        return {"n_clusters": self.n_clusters, "shift": self.shift, "random_state": self.random_state}

    def set_params(self, **parameters):
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def fit_predict(self, X):
        self.seen = X
        x = np.asarray(X)[:, 0]
        x = (x - x.min()) / (x.max() - x.min()) + self.shift
        return np.minimum((x * self.n_clusters).astype(int), self.n_clusters - 1)


class Fails(Cuts):
    def fit_predict(self, X):
        if self.n_clusters == 3:
            raise RuntimeError("no\n  memory")
        if self.n_clusters == 4:
            return np.zeros(len(X), dtype=int)
        if self.n_clusters == 5:
            return np.zeros(len(X) - 1, dtype=int)
        if self.n_clusters == 6:
            warnings.warn("did not converge", UserWarning, stacklevel=1)
        return super().fit_predict(X)


class Interrupted(Cuts):
    at = 4

    def fit_predict(self, X):
        if self.n_clusters == self.at:
            raise KeyboardInterrupt
        return super().fit_predict(X)


def test_a_line_for_each_number_of_clusters():
    X, truth = blobs()
    comparison = sweep(X, Cuts(), n_clusters=range(2, 6), labels_true=truth)
    assert_equal((comparison.names, comparison.entries.kind), ([2, 3, 4, 5], "n_clusters"))
    assert_equal(comparison.rows["param_n_clusters"].tolist(), [2, 3, 4, 5])
    assert (comparison.rows["fit_seconds"] > 0).all()
    labelings = {k: Cuts(k).fit_predict(X) for k in range(2, 6)}
    plain = compare_labelings(X, labelings, labels_true=truth)
    for name in plain.best:
        assert_allclose(comparison.rows[name], plain.rows[name], err_msg=name)
    assert_equal(comparison.best, plain.best)
    assert "All three scores agree on K = 3" in comparison.agreement
    assert_array_equal(comparison.labels(3), labelings[3])


def test_the_default_is_two_to_fifteen():
    X, _ = blobs()
    assert_equal(sweep(X, Cuts()).names, list(range(2, 16)))
    assert_equal(sweep(X, Cuts(), n_clusters=3).names, [3])
    assert_equal(sweep(X, Cuts(), n_clusters=np.array([3, 2, 3])).names, [3, 2])


def test_the_clusterer_is_not_changed():
    X, _ = blobs()
    clusterer = Cuts(7)
    sweep(X, clusterer, n_clusters=[2, 3], random_state=0)
    assert_equal((clusterer.n_clusters, clusterer.random_state, hasattr(clusterer, "seen")), (7, None, False))


@pytest.mark.parametrize(
    ("grid", "n_clusters", "names"),
    [
        ({"shift": [0.0, 0.25]}, None, ["shift=0.0", "shift=0.25"]),
        ({"shift": 0.25, "n_clusters": (2, 3)}, None, ["n_clusters=2", "n_clusters=3"]),
        ({"shift": [0.0, 0.5]}, [2, 3], [f"shift={s}, n_clusters={k}" for s in (0.0, 0.5) for k in (2, 3)]),
        ([{"n_clusters": [2, 4]}, {"shift": 0.5}], None, ["n_clusters=2", "n_clusters=4", "shift=0.5"]),
        ([{"n_clusters": 3, "shift": 0.1}], None, ["n_clusters=3, shift=0.1"]),
        ({"shift": np.array([0.0, 0.5, 0.5])}, None, ["shift=0.0", "shift=0.5"]),
        ([{}], None, ["as given"]),
        ({"n_clusters": range(2, 4)}, None, ["n_clusters=2", "n_clusters=3"]),
    ],
)
def test_grids(grid, n_clusters, names):
    X, _ = blobs()
    comparison = sweep(X, Cuts(), grid, n_clusters=n_clusters)
    assert_equal(comparison.names, names)
    assert_equal(comparison.entries.kind, "setting")


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"param_grid": {"eps": [1.0]}}, ValueError, "has 'eps', which the clusterer does not take; it takes n"),
        ({"param_grid": {"n_clusters": [2]}, "n_clusters": [2]}, ValueError, "n_clusters is given twice"),
        ({"param_grid": {"shift": []}}, ValueError, "give no setting"),
        ({"param_grid": 3}, TypeError, "param_grid must be a dict"),
        ({"param_grid": "eps"}, TypeError, "param_grid must be a dict"),
        ({"param_grid": [3]}, TypeError, "param_grid must be a dict"),
        ({"n_clusters": [2.5]}, ValueError, "n_clusters must be whole numbers from 1"),
        ({"n_clusters": [0]}, ValueError, "n_clusters must be whole numbers from 1"),
        ({"n_clusters": "2"}, ValueError, "n_clusters must be whole numbers from 1"),
        ({"n_clusters": True}, ValueError, "n_clusters must be whole numbers from 1"),
        ({"clusterer": object()}, TypeError, "clusterer must have fit_predict"),
        ({"clusterer": lambda X: X}, TypeError, "clusterer must have fit_predict"),
        ({"labels_true": [0, 1]}, ValueError, "inconsistent numbers of samples"),
        ({"noise_label": float("nan")}, ValueError, "noise_label must be a label"),
        ({"scores": "nonsense"}, ValueError, "scores must be some of"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0"),
        ({"n_jobs": 1.5}, ValueError, "n_jobs must be None or an integer other than 0"),
    ],
)
def test_bad_arguments_are_refused_before_any_fit(keywords, error, message):
    class Never(Cuts):
        def fit_predict(self, X):
            pytest.fail("it was fitted")

    X, _ = blobs()
    with pytest.raises(error, match=message):
        sweep(**{"X": X, "clusterer": Never()} | keywords)
    with pytest.raises(ValueError, match="NaN"):
        sweep(np.full((5, 2), np.nan), Never())


def test_what_fails_is_a_line_with_its_reason():
    X, _ = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        comparison = sweep(X, Fails(), n_clusters=range(2, 8))
    reasons = dict(zip(comparison.names, comparison.rows["reason"], strict=True))
    assert_equal(str(reasons[3]), "the clusterer failed: RuntimeError: no memory")
    assert "all 90 rows are in one cluster" in reasons[4]
    assert "its labels cannot be used: Found input variables with inconsistent" in reasons[5]
    assert_equal([k for k, reason in reasons.items() if not reason], [2, 6, 7])
    assert_array_equal(np.isnan(comparison.rows["n_clusters"]), [False, True, False, True, False, False])
    assert_equal(comparison.rows["n_clusters"][2], 1)
    assert "The clusterer warned at K = 6: did not converge" in comparison.notes["fit_warning_1"]
    text = " ".join(str(comparison).split())
    assert "K = 3: the clusterer failed: RuntimeError: no memory" in text
    lines = comparison.to_dict()["labelings"]
    assert_equal((lines[1]["n_clusters"], lines[1]["silhouette_reason"]), (None, str(reasons[3])))
    with pytest.raises(KeyError, match="has no labels: the clusterer failed"):
        comparison.labels(3)
    with pytest.raises(KeyError):
        comparison.change(2, 3)


def test_if_everything_fails_the_first_reason_is_raised():
    X, _ = blobs()
    with pytest.raises(ValueError, match="the setting cannot be fitted: the clusterer failed: RuntimeError"):
        sweep(X, Fails(), n_clusters=3)
    with pytest.raises(ValueError, match="none of the 2 settings could be fitted"):
        sweep(X, Fails(), {"n_clusters": 3, "shift": [0, 1]})


# Clusterers of all kinds ----------------------------------------------------------------------


class FitLabels:
    """As hdbscan's: fit, then labels_; fit returns nothing; no get_params."""

    def __init__(self, size=2):
        self.size = size

    def fit(self, X):
        self.labels_ = np.minimum(np.arange(len(X)) // self.size, 3) - 1


class FitPredict:
    """As a mixture: fit, then predict."""

    n_components = 2

    def fit(self, X):
        return self

    def predict(self, X):
        return np.arange(len(X)) % self.n_components


class Neither:
    n_clusters = 2

    def fit(self, X):
        return self


def test_clusterers_that_know_nothing_of_scikit_learn(monkeypatch):
    monkeypatch.delitem(sys.modules, "sklearn.base", raising=False)
    X, _ = blobs()
    comparison = sweep(X, FitLabels(), {"size": [10, 30]})
    assert_equal(comparison.rows["n_clusters"].tolist(), [3, 2])
    assert_equal(comparison.rows["n_noise"].tolist(), [10, 30])
    assert_equal(sweep(X, FitPredict(), n_clusters=[2, 3]).rows["n_clusters"].tolist(), [2, 3])
    with pytest.raises(ValueError, match="TypeError: Neither has neither fit_predict nor"):
        sweep(X, Neither(), n_clusters=[2, 3])


def test_tables_of_every_kind():
    cluster = pytest.importorskip("sklearn.cluster")
    pandas = pytest.importorskip("pandas")
    from scipy.sparse import csr_array

    X, _ = blobs()
    X = np.abs(X)
    expected = sweep(X, cluster.KMeans(n_init=3), n_clusters=[2, 3], random_state=0)
    for given in (pandas.DataFrame(X, columns=["a", "b"]), csr_array(X), X.astype(np.float32)):
        comparison = sweep(given, cluster.KMeans(n_init=3), n_clusters=[2, 3], random_state=0)
        for name in NAMES:
            assert_allclose(comparison.rows[name], expected.rows[name], rtol=1e-5)


def test_a_class_is_made_with_each_setting():
    X, _ = blobs()
    comparison = sweep(X, Cuts, n_clusters=[2, 3], random_state=0)
    assert_equal(comparison.rows["n_clusters"].tolist(), [2, 3])
    with pytest.raises(ValueError, match="param_grid has 'eps'"):
        sweep(X, Cuts, {"eps": [1]})


def test_parts_of_a_grid_are_not_changed():
    cluster, pipeline = pytest.importorskip("sklearn.cluster"), pytest.importorskip("sklearn.pipeline")
    X, _ = blobs()
    parts = [cluster.KMeans(3, n_init=1), cluster.DBSCAN(eps=2.0), cluster.KMeans(2, n_init=1)]
    comparison = sweep(X, pipeline.Pipeline([("cluster", parts[0])]), {"cluster": parts}, random_state=0)
    assert_equal(list(comparison.rows["reason"]), ["", "", ""])
    assert all(not hasattr(part, "labels_") for part in parts)
    assert parts[2].random_state is None
    grid = {"cluster": parts[1:2], "cluster__eps": [1.0, 2.0]}
    assert_equal(len(sweep(X, pipeline.Pipeline([("cluster", parts[0])]), grid)), 2)


def test_labels_in_a_column_are_a_vector(recwarn):
    class Column(Cuts):
        def fit_predict(self, X):
            return super().fit_predict(X)[:, None]

    comparison = sweep(blobs()[0], Column(), n_clusters=[2, 3])
    assert_equal((comparison.labels(2).shape, len(recwarn)), ((90,), 0))


def test_clusterers_of_scikit_learn():
    cluster = pytest.importorskip("sklearn.cluster")
    from sklearn.mixture import GaussianMixture
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, truth = blobs()
    for clusterer, parameter in (
        (cluster.KMeans(n_init=3), "n_clusters"),
        (cluster.AgglomerativeClustering(), "n_clusters"),
        (GaussianMixture(), "n_components"),
        (make_pipeline(StandardScaler(), cluster.KMeans(n_init=3)), "kmeans__n_clusters"),
    ):
        comparison = sweep(X, clusterer, n_clusters=[2, 3, 4], labels_true=truth, random_state=0)
        assert_equal([comparison.best[name] for name in NAMES], [3, 3, 3])
        assert_allclose(comparison.rows["adjusted_rand"][1], 1)
        assert f"param_{parameter}" in comparison.rows
    with pytest.raises(ValueError, match="DBSCAN has no parameter n_clusters"):
        sweep(X, cluster.DBSCAN())


@pytest.mark.parametrize("name", ["DBSCAN", "HDBSCAN", "OPTICS"])
def test_density_based_clusterers_are_named(name):
    cluster = pytest.importorskip("sklearn.cluster")
    X, _ = blobs()
    clusterer = getattr(cluster, name)(**({"copy": True} if name == "HDBSCAN" else {}))
    comparison = sweep(X, clusterer, {"min_samples": [3, 5]})
    assert_equal(comparison.entries.density_based, ("min_samples=3", "min_samples=5"))
    assert "they are no fair judge: compare by density_validity" in comparison.notes["shape"]
    assert "no fair judge" not in sweep(X, Cuts(), n_clusters=[2, 3]).notes["shape"]


class OnDevice(Cuts):
    def fit_predict(self, X):
        import cupy

        labels = super().fit_predict(X.get() if hasattr(X, "get") else X)
        return cupy.asarray(labels)


@pytest.mark.emulated
@pytest.mark.parametrize("x_on_device", [False, True])
def test_labels_on_a_device(emulated, x_on_device):
    X, truth = blobs()
    given = emulated.asarray(X) if x_on_device else X
    with gm.config_context(backend="cupy" if x_on_device else "auto"):
        comparison = sweep(given, OnDevice(), n_clusters=[2, 3, 4], labels_true=truth, n_jobs=2 if x_on_device else 1)
        assert isinstance(comparison.labels(3), emulated.ndarray)
        comparison.change(2, 4)
        assert ("cupy" in comparison.backend) == x_on_device
    plain = sweep(X, Cuts(), n_clusters=[2, 3, 4], labels_true=truth)
    for name in plain.best:
        assert_allclose(comparison.rows[name], plain.rows[name], rtol=1e-10)


# Seeds, jobs, samples -------------------------------------------------------------------------


class Seen(Cuts):
    seeds = []  # noqa: RUF012  (of all copies)

    def fit_predict(self, X):
        self.seeds.append(self.random_state)
        return super().fit_predict(X)


def test_the_seed_is_the_same_for_every_setting():
    X, _ = blobs()
    for random_state, expected in ((5, {5}), (None, {None})):
        Seen.seeds.clear()
        sweep(X, Seen(), n_clusters=[2, 3, 4], random_state=random_state)
        assert_equal(set(Seen.seeds), expected)
    for source in (np.random.default_rng(0), np.random.RandomState(0)):
        Seen.seeds.clear()
        sweep(X, Seen(), n_clusters=[2, 3, 4], random_state=source)
        assert_equal((len(set(Seen.seeds)), type(Seen.seeds[0])), (1, int))
    Seen.seeds.clear()
    sweep(X, Seen(random_state=7), n_clusters=[2, 3], random_state=5)
    sweep(X, Seen(), {"random_state": [8, 9]}, random_state=5)
    assert_equal(Seen.seeds, [7, 7, 8, 9])


def test_seeds_inside_a_pipeline():
    cluster = pytest.importorskip("sklearn.cluster")
    from sklearn.pipeline import make_pipeline

    X, _ = blobs()
    first, second = (
        sweep(X, make_pipeline(cluster.KMeans(n_init=1, init="random")), n_clusters=range(4, 9), random_state=3)
        for _ in range(2)
    )
    for name in NAMES:
        assert_array_equal(first.rows[name], second.rows[name])


def test_jobs_give_the_same():
    pytest.importorskip("joblib")
    cluster = pytest.importorskip("sklearn.cluster")
    X, _ = blobs()
    one, two = (
        sweep(X, cluster.KMeans(n_init=2), n_clusters=[2, 3, 200], random_state=0, n_jobs=jobs) for jobs in (1, 2)
    )
    assert_equal(one.rows["reason"].tolist(), two.rows["reason"].tolist())
    for name in NAMES:
        assert_allclose(one.rows[name], two.rows[name])


def test_jobs_without_joblib(monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name == "joblib":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    X, _ = blobs()
    with pytest.warns(UserWarning, match="pip install joblib"):
        comparison = sweep(X, Cuts(), n_clusters=[2, 3], n_jobs=2)
    assert_equal(len(comparison), 2)


def test_the_sample_is_the_same_for_every_setting(monkeypatch):
    monkeypatch.setattr(silhouette_part, "FEWEST_QUERIES", 30)
    monkeypatch.setattr(silhouette_part, "MOST_QUERIES", 30)
    X, _ = blobs()
    seen = []
    real = silhouettes.silhouettes_of_each

    def spy(data, metric, *, queries=None):
        seen.append((len(data), None if queries is None else queries.tolist()))
        return real(data, metric, queries=queries)

    monkeypatch.setattr(silhouettes, "silhouettes_of_each", spy)
    comparison = sweep(X, Cuts(), n_clusters=range(2, 9), silhouette="estimate", random_state=0)
    assert_equal([count for count, _ in seen], [7])  # one call for all, with one sample
    assert_equal(len(set(seen[0][1])), 30)
    again = sweep(X, Cuts(), n_clusters=range(4, 12), silhouette="estimate", random_state=0)
    assert_equal(seen[1][1], seen[0][1])
    assert_allclose(again.rows["silhouette"][:5], comparison.rows["silhouette"][2:], rtol=1e-12)


def test_narrow_then_silhouettes_of_the_best():
    X, _ = blobs()
    comparison = sweep(X, Cuts(), n_clusters=range(2, 12), narrow=3)
    best = comparison.ranking("calinski_harabasz")[:3]
    asked = [name for name, s in zip(comparison.names, comparison.rows["silhouette"], strict=True) if not np.isnan(s)]
    assert_equal(sorted(asked), sorted(best))
    assert "Only the 3 labelings" in comparison.notes["narrow"]


def test_a_best_k_at_the_end_is_pointed_out():
    X, _ = blobs()
    assert "best at the largest K that was tried, 3" in sweep(X, Cuts(), n_clusters=[1, 2, 3]).notes["largest_k"]
    assert "best at the smallest K that was tried, 3" in sweep(X, Cuts(), n_clusters=[3, 4, 5]).notes["smallest_k"]
    inside = sweep(X, Cuts(), n_clusters=[2, 3, 4, 5])
    assert not {"largest_k", "smallest_k"} & set(inside.notes)


# Interrupts and progress ----------------------------------------------------------------------


def test_an_interrupt_returns_what_is_done():
    X, _ = blobs()
    comparison = sweep(X, Interrupted(), n_clusters=range(2, 9))
    assert_equal(comparison.names, [2, 3])
    assert_equal(comparison.notes["interrupted"][:50], "Interrupted: 2 of 7 settings were fitted and are c")
    assert "missing from K = 4 on" in comparison.notes["interrupted"]
    assert not np.isnan(comparison.rows["silhouette"]).any()
    with pytest.raises(KeyboardInterrupt):
        sweep(X, Interrupted(), n_clusters=range(4, 9))


IN_PROCESSES = """
import numpy as np
from gpumetrics import sweep

class Cuts:
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters
    def fit_predict(self, X):
        if self.n_clusters == 4:
            raise KeyboardInterrupt
        return np.minimum(X[:, 0] * self.n_clusters, self.n_clusters - 1).astype(int)

if __name__ == "__main__":
    X = np.random.default_rng(0).random((60, 2))
    comparison = sweep(X, Cuts(), n_clusters=range(2, 9), n_jobs=2)
    print(comparison.names, comparison.notes["interrupted"])
"""


def test_an_interrupt_of_other_processes(tmp_path):
    pytest.importorskip("joblib")
    (tmp_path / "script.py").write_text(IN_PROCESSES)  # other processes cannot import this module
    run = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(gm.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.stdout.startswith("[2, 3] Interrupted"), run.stderr
    assert "missing from K = 4 on" in run.stdout


def test_an_interrupt_of_the_silhouettes_keeps_the_other_scores(monkeypatch):
    def interrupt(*_args, **_keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(silhouettes, "silhouettes_of_each", interrupt)
    X, truth = blobs()
    comparison = sweep(X, Cuts(), n_clusters=range(2, 5))
    assert np.isnan(comparison.rows["silhouette"]).all()
    assert not np.isnan(comparison.rows["davies_bouldin"]).any()
    assert "Scores are missing: silhouette, macro silhouette." in comparison.notes["interrupted"]
    assert "interrupted" in comparison.rows["reason"][0]
    with pytest.raises(KeyboardInterrupt):  # labelings that are given lose nothing
        compare_labelings(X, [truth])


def test_an_interrupt_of_the_first_scores_keeps_the_fits(monkeypatch):
    real, calls = compare.measure, []

    def interrupt(data, at, line, **keywords):
        calls.append(at)
        if len(calls) > 2:
            raise KeyboardInterrupt
        real(data, at, line, **keywords)

    monkeypatch.setattr(compare, "measure", interrupt)
    X, _ = blobs()
    comparison = sweep(X, Cuts(), n_clusters=range(2, 6))
    assert_array_equal(np.isnan(comparison.rows["calinski_harabasz"]), [False, False, True, True])
    assert np.isnan(comparison.rows["silhouette"]).all()
    assert_equal(len(comparison.labels(5)), 90)
    assert "Scores are missing: silhouette, Calinski-Harabasz, Davies-Bouldin" in comparison.notes["interrupted"]
    assert "interrupted" in str(comparison)
    calls.clear()
    noted = sweep(X, Interrupted(), n_clusters=[2, 3, 5, 4]).notes["interrupted"]
    assert "missing from K = 4 on. Scores are missing" in noted


def test_progress(monkeypatch, capsys):
    pytest.importorskip("tqdm")
    X, _ = blobs()
    with gm.config_context(progress=True):
        sweep(X, Cuts(), n_clusters=range(2, 6))
    assert "fit" in capsys.readouterr().err
    sweep(X, Cuts(), n_clusters=range(2, 6))
    assert_equal(capsys.readouterr().err, "")
    monkeypatch.setattr(fitting, "LONG", -1.0)
    with gm.config_context(progress=False):
        sweep(X, Cuts(), n_clusters=range(2, 6))
    assert_equal(capsys.readouterr().err, "")


@pytest.mark.parametrize("grid", [{"shift": [0.0]}, {"shift": 0.0}, [{"shift": 0.0}]])
def test_a_parameter_that_does_not_vary_is_not_in_the_names(grid):
    X, _ = blobs()
    comparison = sweep(X, Cuts(), grid, n_clusters=[2, 3])
    assert_equal(comparison.names, [2, 3])
    assert_equal(comparison.rows["param_shift"], [0.0, 0.0])
    fewer, plain = (sweep(X, Cuts(), given, n_clusters=[3, 4, 5]) for given in (grid, None))
    assert_equal(fewer.notes["smallest_k"], plain.notes["smallest_k"])
    assert "best at the smallest K that was tried, 3, which is not necessarily a peak" in fewer.notes["smallest_k"]


def by_number(n_clusters_and_labels, **keywords):
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0], [30.0], [31.0]])
    return compare_labelings(X, n_clusters_and_labels, scores=["calinski_harabasz"], **keywords)


def test_a_fit_that_was_stuck_is_named():
    """More clusters with more spread than fewer: no best fit is like that, so that it says where k-means was stuck."""
    good = {2: [0, 0, 0, 0, 1, 1, 1, 1], 3: [0, 0, 1, 1, 2, 2, 2, 2], 4: [0, 0, 1, 1, 2, 2, 3, 3]}
    assert "spread" not in by_number(good).notes
    stuck = {**good, 3: [0, 1, 2, 2, 2, 2, 2, 2]}
    assert by_number(stuck).notes["spread"].startswith("K = 3 leaves more spread")
    stuck[5] = [0, 1, 2, 3, 4, 4, 4, 4]
    assert by_number(stuck).notes["spread"].startswith("K = 3 and K = 5 leave more spread")


def test_noise_and_names_hide_no_stuck_fit():
    """The sums are of other rows, or the numbers of clusters are not what was asked for: nothing can be said."""
    labels = {2: [0, 0, 0, 0, 1, 1, 1, 1], 3: [0, 1, 2, 2, 2, 2, 2, 2]}
    assert "spread" not in by_number({2: labels[2], 3: [0, 1, 2, 2, 2, 2, 2, -1]}).notes
    assert "spread" not in by_number({"two": labels[2], "three": labels[3]}).notes
