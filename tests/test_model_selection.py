"""Scorers of clusterers and the splitter without held-out rows, in scikit-learn's searches and beside them."""

import copy
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import inputs
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.clustering.density_validity import density_validity
from gpumetrics.exceptions import UndefinedMetricWarning
from gpumetrics.model_selection import (
    WholeDataset,
    calinski_harabasz_scorer,
    free_device_copy,
    make_cluster_scorer,
    neg_davies_bouldin_scorer,
    silhouette_scorer,
)

PAGE = Path(__file__).parents[1] / "docs" / "searches.md"
X, LABELS = inputs.blobs(0, n=120, d=3, k=4, spread=0.3)
SCORERS = {
    "silhouette": (silhouette_scorer, gm.silhouette_score, 1),
    "calinski_harabasz": (calinski_harabasz_scorer, gm.calinski_harabasz_score, 1),
    "davies_bouldin": (neg_davies_bouldin_scorer, gm.davies_bouldin_score, -1),
    "density": (make_cluster_scorer(density_validity), density_validity, 1),
}


class Given:
    """A fitted clusterer with these labels; it can place the rows that it knows."""

    def __init__(self, labels, *, predicts=True):
        self.labels_ = labels
        if predicts:
            self.predict = lambda X: labels


def k_means(**options):
    cluster = pytest.importorskip("sklearn.cluster")
    return cluster.KMeans(**{"n_clusters": 4, "n_init": 1, "random_state": 0, **options})


@pytest.mark.parametrize("predicts", [True, False])
@pytest.mark.parametrize("name", SCORERS)
def test_scores(backend, name, predicts):
    scorer, function, sign = SCORERS[name]
    found = scorer(Given(LABELS, predicts=predicts), X)
    assert type(found) is float
    assert found == sign * function(X, LABELS)
    assert scorer(Given(LABELS), X, y=None) == scorer(Given(LABELS), X, ["ignored"]) == found


@pytest.mark.parametrize("n_jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_grid_search(n_jobs):
    search = pytest.importorskip("sklearn.model_selection")
    grid = {"n_clusters": range(2, 10)}
    found = search.GridSearchCV(
        k_means(n_init="auto"), grid, scoring=silhouette_scorer, cv=WholeDataset(), n_jobs=n_jobs
    )
    found.fit(X)
    assert found.best_params_ == {"n_clusters": 4}
    expected = [gm.silhouette_score(X, k_means(n_clusters=k, n_init="auto").fit_predict(X)) for k in range(2, 10)]
    assert_allclose(found.cv_results_["mean_test_score"], expected, rtol=1e-12)
    assert_allclose(found.best_score_, max(expected), rtol=1e-12)
    assert silhouette_scorer(found, X) == silhouette_scorer(found.best_estimator_, X)


def test_several_scores_at_once():
    search = pytest.importorskip("sklearn.model_selection")
    scoring = {name: scorer for name, (scorer, _, _) in SCORERS.items()}
    found = search.GridSearchCV(
        k_means(), {"n_clusters": [3, 4, 5]}, scoring=scoring, refit="silhouette", cv=WholeDataset()
    ).fit(X)
    labels = k_means(n_clusters=5).fit_predict(X)
    for name, (_, function, sign) in SCORERS.items():
        assert_allclose(found.cv_results_[f"mean_test_{name}"][2], sign * function(X, labels))


def test_other_searches_take_them():
    search = pytest.importorskip("sklearn.model_selection")
    grid = {"n_clusters": [3, 4, 5]}
    options = {"scoring": silhouette_scorer, "cv": WholeDataset()}
    assert search.RandomizedSearchCV(k_means(), grid, n_iter=3, **options).fit(X).best_params_ == {"n_clusters": 4}
    found = search.cross_validate(k_means(), X, **options)
    assert found["test_score"].shape == (1,)
    assert search.cross_val_score(k_means(), X, **options) == found["test_score"]


def test_rows_held_out_are_placed_by_the_clusterer():
    search = pytest.importorskip("sklearn.model_selection")
    folds = search.KFold(3, shuffle=True, random_state=0)
    found = search.cross_val_score(k_means(), X, scoring=silhouette_scorer, cv=folds)
    expected = [
        gm.silhouette_score(X[test], k_means().fit(X[train]).predict(X[test])) for train, test in folds.split(X)
    ]
    assert_allclose(found, expected)


@pytest.mark.parametrize("name", ["AgglomerativeClustering", "DBSCAN", "HDBSCAN"])
def test_clusterers_that_cannot_place_rows(name):
    search, cluster = pytest.importorskip("sklearn.model_selection"), pytest.importorskip("sklearn.cluster")
    options = {"DBSCAN": {"eps": 1.0}, "HDBSCAN": {"copy": True}}.get(name, {"n_clusters": 4})
    clusterer = getattr(cluster, name)(**options)
    expected = gm.silhouette_score(X, clusterer.fit_predict(X), noise_label=-1)
    assert_allclose(search.cross_val_score(clusterer, X, scoring=silhouette_scorer, cv=WholeDataset()), expected)
    with pytest.warns(UndefinedMetricWarning, match=f"{name} cannot place other rows than the 80"):
        found = search.cross_val_score(clusterer, X, scoring=silhouette_scorer, cv=3)
    assert np.isnan(found).all()


class TestPipelines:
    """Scores are taken where a pipeline clusters."""

    wide = X * np.array([1.0, 1e3, 1e-3])

    @pytest.fixture(autouse=True)
    def _scikit_learn(self):
        pytest.importorskip("sklearn")

    def test_the_scaled_rows_are_scored(self):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        pipeline = make_pipeline(StandardScaler(), k_means()).fit(self.wide)
        scaled = StandardScaler().fit_transform(self.wide)
        expected = gm.silhouette_score(scaled, k_means().fit_predict(scaled))
        assert_allclose(silhouette_scorer(pipeline, self.wide), expected)
        assert abs(expected - gm.silhouette_score(self.wide, pipeline.predict(self.wide))) > 0.1

    @pytest.mark.parametrize("steps", ["alone", "passthrough", "nested", "no predict", "search inside"])
    def test_pipelines_of_every_kind(self, steps):
        from sklearn.cluster import AgglomerativeClustering
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MinMaxScaler, StandardScaler

        inner = GridSearchCV(k_means(), {"n_clusters": [3, 4]}, scoring=silhouette_scorer, cv=WholeDataset())
        pipeline, before = {
            "alone": (make_pipeline(k_means()), []),
            "passthrough": (make_pipeline("passthrough", k_means()), []),
            "nested": (
                make_pipeline(StandardScaler(), make_pipeline(MinMaxScaler(), k_means())),
                [StandardScaler(), MinMaxScaler()],
            ),
            "no predict": (make_pipeline(StandardScaler(), AgglomerativeClustering(4)), [StandardScaler()]),
            "search inside": (make_pipeline(StandardScaler(), inner), [StandardScaler()]),
        }[steps]
        table = self.wide
        for step in before:
            table = step.fit_transform(table)
        pipeline.fit(self.wide)
        last = pipeline[-1][-1] if steps == "nested" else pipeline[-1]
        labels = last.predict(table) if hasattr(last, "predict") else last.labels_
        assert_allclose(silhouette_scorer(pipeline, self.wide), gm.silhouette_score(table, labels))

    def test_texts(self):
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline

        texts = [
            f"{a} {b} {'cat dog' if a == 'pet' else 'rain sun'}"
            for a in ("pet", "sky")
            for b in ("uu", "vv", "ww", "xx", "yy", "zz")
        ]
        scorer = make_cluster_scorer(gm.silhouette_score, metric="cosine")
        pipeline = make_pipeline(TfidfVectorizer(), k_means())
        found = GridSearchCV(pipeline, {"kmeans__n_clusters": [2, 3, 4]}, scoring=scorer, cv=WholeDataset()).fit(texts)
        assert found.best_params_ == {"kmeans__n_clusters": 2}
        table = TfidfVectorizer().fit_transform(texts)
        assert_allclose(found.best_score_, gm.silhouette_score(table, found.predict(texts), metric="cosine"))

    def test_a_pipeline_that_clusters_nothing(self):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        with pytest.raises(TypeError, match="StandardScaler has neither"):
            silhouette_scorer(make_pipeline(StandardScaler()).fit(X), X)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (np.zeros(120, dtype=int), "all 120 rows are in one cluster"),
        (np.full(120, -1), "every row is noise"),
        (np.repeat([-1, 0], 60), "all 60 rows are in one cluster"),
        (np.arange(120), "each of the 120 rows is a cluster of its own"),
        (np.concatenate([np.arange(50), np.full(70, -1)]), "each of the 50 rows is a cluster of its own"),
    ],
)
@pytest.mark.parametrize("name", SCORERS)
def test_undefined(backend, name, labels, reason):
    with pytest.warns(UndefinedMetricWarning, match=reason):
        found = SCORERS[name][0](Given(labels), X)
    assert type(found) is float
    assert np.isnan(found)


def test_a_search_goes_on_where_a_score_is_undefined():
    search = pytest.importorskip("sklearn.model_selection")
    grid = {"n_clusters": [1, 4, 120]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = search.GridSearchCV(k_means(), grid, scoring=silhouette_scorer, cv=WholeDataset()).fit(X)
    assert found.best_params_ == {"n_clusters": 4}
    assert_array_equal(np.isnan(found.cv_results_["mean_test_score"]), [True, False, True])
    assert sum("silhouette_score is undefined" in str(w.message) for w in caught) == 2


def test_limits_are_no_undefined_scores():
    rows = np.repeat([[0.0], [1.0]], 3, axis=0)
    with pytest.warns(UndefinedMetricWarning, match="inf"):
        assert calinski_harabasz_scorer(Given([0, 0, 0, 1, 1, 1]), rows) == np.inf


def test_errors_stay_errors():
    with pytest.raises(ValueError, match="NaN"):
        silhouette_scorer(Given(LABELS), np.where(X > 3, np.nan, X))
    with pytest.raises(ValueError, match="inconsistent"):
        silhouette_scorer(Given(LABELS[:-1]), X)
    with pytest.raises(TypeError, match="object has neither"):
        silhouette_scorer(object(), X)
    with pytest.raises(TypeError, match="score_func must be a function"):
        make_cluster_scorer("silhouette")
    with pytest.raises(TypeError, match="unexpected keyword"):
        make_cluster_scorer(gm.silhouette_score, power=3)(Given(LABELS), X)


class TestNoise:
    """Noise is passed on to functions that know it; for others its rows are taken out."""

    noisy = np.where(np.arange(120) % 5 == 0, -1, LABELS)
    kept = np.arange(120) % 5 != 0

    @staticmethod
    def plain(X, labels, factor=1):
        """Knows nothing of noise."""
        return factor * gm.silhouette_score(X, labels)

    def test_known(self, backend):
        expected = gm.silhouette_score(X[self.kept], LABELS[self.kept])
        assert silhouette_scorer(Given(self.noisy), X) == expected
        assert make_cluster_scorer(density_validity)(Given(self.noisy), X) == density_validity(X, self.noisy)
        names = np.array(["noise", "a", "b", "c", "d"])[self.noisy + 1]
        assert make_cluster_scorer(gm.silhouette_score, noise_label="noise")(Given(names), X) == expected
        as_cluster = make_cluster_scorer(gm.silhouette_score, noise_label=None)
        assert as_cluster(Given(self.noisy), X) == gm.silhouette_score(X, self.noisy)

    @pytest.mark.parametrize("container", ["array", "list", "csr", "pandas", "polars"])
    def test_unknown(self, container):
        table = {
            "array": lambda: X,
            "list": X.tolist,
            "csr": lambda: pytest.importorskip("scipy.sparse").csr_array(X),
            "pandas": lambda: pytest.importorskip("pandas").DataFrame(X, columns=list("abc"), index=np.arange(120) * 7),
            "polars": lambda: pytest.importorskip("polars").DataFrame(X, schema=list("abc")),
        }[container]()
        expected = 3 * gm.silhouette_score(X[self.kept], LABELS[self.kept])
        scorer = make_cluster_scorer(self.plain, factor=3)
        assert_allclose(scorer(Given(self.noisy), table), expected)
        assert_allclose(scorer(Given(self.noisy.tolist()), table), expected)

    @pytest.mark.parametrize("container", ["array", "list", "csr", "pandas", "polars"])
    def test_unknown_with_distances(self, container):
        D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
        table = {
            "array": lambda: D,
            "list": D.tolist,
            "csr": lambda: pytest.importorskip("scipy.sparse").csr_array(D),
            "pandas": lambda: pytest.importorskip("pandas").DataFrame(D, index=np.arange(120) * 7),
            "polars": lambda: pytest.importorskip("polars").DataFrame(D, schema=[f"d{at}" for at in range(120)]),
        }[container]()

        def plain(D, labels, metric):
            return gm.silhouette_score(D, labels, metric=metric)

        scorer = make_cluster_scorer(plain, metric="precomputed")
        assert_allclose(scorer(Given(self.noisy), table), silhouette_scorer(Given(self.noisy), X))

    @pytest.mark.emulated
    def test_unknown_on_a_device(self, emulated):
        expected = gm.silhouette_score(X[self.kept], LABELS[self.kept])
        scorer = make_cluster_scorer(self.plain)
        assert_allclose(scorer(Given(emulated.asarray(self.noisy)), emulated.asarray(X)), expected)
        assert_allclose(scorer(Given(self.noisy), emulated.asarray(X)), expected)

    def test_of_scikit_learn(self):
        peer = pytest.importorskip("sklearn.metrics")
        scorer = make_cluster_scorer(peer.davies_bouldin_score, greater_is_better=False)
        assert_allclose(scorer(Given(self.noisy), X), neg_davies_bouldin_scorer(Given(self.noisy), X))


def test_scorers_survive_pickle_copies_and_clones():
    for scorer, function, sign in SCORERS.values():
        for made in (pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer)):  # noqa: S301
            assert made(Given(LABELS), X) == sign * function(X, LABELS)
    base = pytest.importorskip("sklearn.base")
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(k_means(), {"n_clusters": [3, 4]}, scoring=silhouette_scorer, cv=WholeDataset())
    assert base.clone(search).fit(X).best_params_ == {"n_clusters": 4}
    assert "cv=WholeDataset()" in repr(search)


def test_repr():
    assert repr(silhouette_scorer) == "make_cluster_scorer(silhouette_score)"
    made = make_cluster_scorer(gm.davies_bouldin_score, greater_is_better=False, noise_label="x")
    assert repr(made) == "make_cluster_scorer(davies_bouldin_score, greater_is_better=False, noise_label='x')"
    made = make_cluster_scorer(gm.silhouette_score, metric="cosine")
    assert repr(made) == "make_cluster_scorer(silhouette_score, metric='cosine')"


class TestWholeDataset:
    """One split that holds nothing out."""

    @pytest.mark.parametrize("table", [X, X.tolist(), ["a text"] * 120, {"sparse": None}])
    def test_split(self, table):
        if isinstance(table, dict):
            table = pytest.importorskip("scipy.sparse").csr_array(X)
        ((train, test),) = WholeDataset().split(table, None, groups=None)
        assert_array_equal(train, np.arange(120))
        assert_array_equal(test, np.arange(120))
        assert train is not test
        assert WholeDataset().get_n_splits() == WholeDataset().get_n_splits(table, None, None) == 1

    def test_clone(self):
        base = pytest.importorskip("sklearn.base")
        assert repr(base.clone(WholeDataset())) == repr(WholeDataset()) == "WholeDataset()"
        assert WholeDataset().set_params().get_params() == {}
        with pytest.raises(ValueError, match="no parameters, got 'n_splits'"):
            WholeDataset().set_params(n_splits=2)


def test_scikit_learn_is_not_imported():
    code = "import gpumetrics.model_selection, sys; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not {"sklearn", "optuna", "cupy", "joblib", "pandas"} & set(re.findall(r"'(\w+)'", run.stdout))


@pytest.mark.emulated
class TestDeviceCopy:
    """X is sent to the GPU once, while the same array is scored."""

    wide = np.hstack([X, np.random.default_rng(1).normal(size=(120, 37))])

    @pytest.fixture(autouse=True)
    def _emulated(self, emulated):
        from emulation import fake_cupy

        free_device_copy()
        self.cupy, self.control = emulated, fake_cupy.control
        with gm.config_context(backend="cupy"):
            yield
        free_device_copy()

    def sent(self, table, scorer=silhouette_scorer):
        """Whether the table went to the device; its columns are many enough for nothing else to be as large."""
        before = self.control.counts["bytes to device"] + self.control.counts["set"] * 10**9
        value = scorer(Given(LABELS), table)
        with gm.config_context(backend="numpy"):
            assert_allclose(value, scorer(Given(LABELS), table), rtol=1e-6 if table.dtype == "f4" else 1e-10)
        return self.control.counts["bytes to device"] + self.control.counts["set"] * 10**9 - before >= table.nbytes

    def test_the_same_array(self):
        table = self.wide.copy()
        assert self.sent(table)
        assert not self.sent(table)
        assert not self.sent(table, neg_davies_bouldin_scorer)
        assert not self.sent(table, make_cluster_scorer(density_validity))
        free_device_copy()
        assert self.sent(table)

    def test_another_array(self):
        table, other = self.wide.copy(), self.wide.copy()
        assert self.sent(table)
        assert self.sent(other)
        assert self.sent(table)

    def test_an_array_that_was_changed(self):
        table = self.wide.copy()
        assert self.sent(table)
        for change in (
            lambda: table.__setitem__((77, 21), table[77, 21] + 1e-9),
            lambda: table.__setitem__(slice(None), table[::-1].copy()),
            lambda: table.__setitem__([5, 6], table[[6, 5]]),
            lambda: np.negative(table, out=table),
        ):
            change()
            assert self.sent(table)
            assert not self.sent(table)

    def test_an_array_that_died(self):
        from gpumetrics.backends import kept_copy

        table = self.wide.copy()
        assert self.sent(table)
        assert kept_copy._kept is not None
        del table
        assert kept_copy._kept is None

    def test_arrays_of_every_layout(self):
        wide = self.wide
        for table in (wide.astype("f4"), np.asfortranarray(wide), wide.astype(">f8"), np.round(wide * 9).astype("i2")):
            assert self.sent(table)
            assert not self.sent(table)
        frozen = self.wide.copy()
        frozen.flags.writeable = False
        assert self.sent(frozen)

    def test_what_is_not_copied(self):
        from gpumetrics.backends.kept_copy import device_copy

        device = self.cupy.asarray(X)
        for table in (X.tolist(), device, X.astype(object), X[:, 0], X[::2], X[:0]):
            assert device_copy(table) is table
        for settings in ({"backend": "numpy"}, {"backend": "auto"}, {"working_memory": 0.005}):
            with gm.config_context(**settings):
                assert device_copy(X) is X
        assert isinstance(device_copy(X), self.cupy.ndarray)

    def test_no_room_for_it(self):
        from gpumetrics.backends.kept_copy import device_copy

        self.control.fail_allocation(above=X.nbytes - 1)
        assert device_copy(X) is X

    def test_functions_of_others_get_the_array_itself(self):
        seen = []
        make_cluster_scorer(lambda table, labels: seen.append(table) or 0.0)(Given(LABELS), X)
        assert seen[0] is X

    def test_it_does_not_travel_with_the_scorer(self):
        table = np.random.default_rng(0).normal(size=(120, 500))
        silhouette_scorer(Given(LABELS), table)
        assert len(pickle.dumps(silhouette_scorer)) < 1000


@pytest.mark.skipif(not PAGE.exists(), reason="a source distribution without the docs")
class TestPage:
    """The examples of docs/searches.md."""

    def test_examples_with_scikit_learn(self):
        import doctest

        pytest.importorskip("sklearn")
        if not hasattr(gm, "density_validity"):
            pytest.skip("density_validity is not public yet")
        assert doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8").failed == 0

    def test_optuna_study(self):
        optuna = pytest.importorskip("optuna")
        if not hasattr(gm, "density_validity"):
            pytest.skip("density_validity is not public yet")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        (code,) = [block for block in blocks if ">>>" not in block]
        names = {"__name__": "example"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            exec(code, names)  # noqa: S102
        assert len(names["study"].trials) == 40
        assert names["study"].best_value > 0.6
        assert sorted(np.bincount(names["clusters"] + 1, minlength=3)[1:]) > [180, 180]
