"""Many labelings in one pass: each value is the labeling's own silhouette."""

import logging
import tracemalloc

import numpy as np
import pytest
from cell_cases import every_cell
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

import gpumetrics as gm
from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.clustering import shared_silhouettes
from gpumetrics.clustering.labelings import check_labelings
from gpumetrics.distance_metrics import check_metric

N = 300
DOUBLE = 1e-12


def random_labelings(rng, n=N, count=40):
    """Labelings of 2 to n / 3 clusters, some with noise, some with singletons."""
    out = []
    for at in range(count):
        labels = rng.integers(0, rng.integers(2, n // 3), n)
        labels[:2] = 0, 1
        if at % 3 == 0:
            labels[rng.random(n) < 0.1] = -1
        if at % 4 == 0:
            labels[-3:] = 10_000 + np.arange(3)
        out.append(labels)
    return out


def nested_labelings(rng, n=N, counts=(2, 3, 5, 8, 20)):
    fine = rng.integers(0, 20, n)
    return [fine % k if k < 20 else fine for k in counts]


@pytest.fixture(params=["planned", "shared"])
def way(request, monkeypatch):
    """How labelings are divided: as the costs say, or all of them share."""
    if request.param == "shared":
        monkeypatch.setattr(shared_silhouettes, "plan", every_cell)
    return request.param


def one_by_one(X, labelings, **options):
    return np.array([gm.silhouette_score(X, labels, **options) for labels in labelings])


def test_forty_random_labelings(rng, way, backend):
    X = rng.normal(size=(N, 6))
    labelings = random_labelings(rng)
    got = gm.silhouette_scores(X, labelings, noise_label=-1)
    assert_allclose(got, one_by_one(X, labelings, noise_label=-1), atol=DOUBLE, rtol=0)


def test_samples(rng, way, backend):
    X = rng.normal(size=(N, 3))
    labelings = random_labelings(rng, count=8)
    got = gm.silhouette_samples_many(X, labelings, noise_label=-1)
    expected = [gm.silhouette_samples(X, labels, noise_label=-1) for labels in labelings]
    assert_allclose(got, expected, atol=DOUBLE, rtol=0)  # nan for noise in both


@pytest.mark.parametrize("working_memory", [1024, 0.2])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "canberra", "cosine", "sqeuclidean"])
def test_metrics(rng, way, metric, working_memory):
    X = rng.normal(size=(1500, 4))
    labelings = [*nested_labelings(rng, 1500), rng.integers(0, 300, 1500)]
    got = gm.silhouette_scores(X, labelings, metric=metric, working_memory=working_memory)
    assert_allclose(got, one_by_one(X, labelings, metric=metric), atol=DOUBLE, rtol=0)


def test_single_precision(rng, way):
    centres = rng.normal(size=(20, 30)) * 4 + 100
    fine = rng.integers(0, 20, 3000)
    X = (centres[fine] + rng.normal(size=(3000, 30)) * 0.5).astype(np.float32)
    X[:40] = X[0]
    labelings = [fine, fine // 2, fine // 5, rng.integers(0, 7, 3000), rng.integers(0, 400, 3000)]
    got = gm.silhouette_scores(X, labelings)
    assert_allclose(got, one_by_one(X.astype(np.float64), labelings), atol=1e-6, rtol=0)


@pytest.mark.parametrize(("offset", "scale"), [(1e8, 1.0), (0.0, 1e160), (0.0, 1e-160), (1e3, 1e-3)])
def test_far_and_scaled(rng, way, offset, scale):
    X = (rng.normal(size=(N, 3)) + offset) * scale
    labelings = random_labelings(rng, count=6)
    got = gm.silhouette_scores(X, labelings)
    assert_allclose(got, one_by_one(X, labelings), atol=1e-11, rtol=0)


def test_extreme_noise_leaves_the_units_of_the_others_alone(rng):
    X = rng.normal(size=(N, 3)) * 1e-200
    X[:5] = 1e200
    labelings = [rng.integers(0, 4, N) for _ in range(3)]
    for labels in labelings:
        labels[:5] = -1
    labelings.append(rng.integers(0, 4, N))
    got = gm.silhouette_scores(X, labelings, noise_label=-1)
    assert_allclose(got, one_by_one(X, labelings, noise_label=-1), atol=DOUBLE, rtol=0)


@pytest.mark.parametrize("symmetric", [True, False])
def test_precomputed(rng, way, symmetric):
    D = squareform(pdist(rng.normal(size=(N, 3))))
    if not symmetric:
        D *= rng.uniform(0.5, 1.5, D.shape)
    labelings = random_labelings(rng, count=6)
    got = gm.silhouette_scores(D, labelings, metric="precomputed", noise_label=-1)
    assert_allclose(got, one_by_one(D, labelings, metric="precomputed", noise_label=-1), atol=DOUBLE, rtol=0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_sparse(rng, way, metric):
    X = sparse.random(N, 40, density=0.2, format="csr", rng=rng)
    labelings = nested_labelings(rng)
    got = gm.silhouette_scores(X, labelings, metric=metric)
    assert_allclose(got, one_by_one(X, labelings, metric=metric), atol=DOUBLE, rtol=0)


def test_a_callable_is_called_once_for_each_pair(rng):
    calls = []

    def distance(x, y):
        calls.append(1)
        return float(abs(x - y).sum())

    X, labelings = rng.normal(size=(40, 2)), nested_labelings(rng, 40, (2, 4, 5))
    got = gm.silhouette_scores(X, labelings, metric=distance)
    assert len(calls) == 40 * 39 // 2
    assert_allclose(got, one_by_one(X, labelings, metric="manhattan"), atol=DOUBLE, rtol=0)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_variances_come_from_the_rows_that_are_not_noise(rng, metric):
    X = rng.normal(size=(N, 3)) * [1, 10, 100]
    X[:20] *= 50
    labelings = nested_labelings(rng)
    labelings[1][:20] = -1
    got = gm.silhouette_scores(X, labelings, metric=metric, noise_label=-1)
    assert_allclose(got, one_by_one(X, labelings, metric=metric, noise_label=-1), atol=1e-11, rtol=0)


def noisy_everywhere(rng):
    """Rows that are noise in every labeling, and others that are in some."""
    labelings = [labels.copy() for labels in nested_labelings(rng)]
    for at, labels in enumerate(labelings):
        labels[10:110] = labels[at] = -1
    return labelings


def test_rows_that_are_noise_in_every_labeling(rng, way, backend):
    X, labelings = rng.normal(size=(N, 3)), noisy_everywhere(rng)
    X[10:110] *= 1e9
    got = gm.silhouette_samples_many(X, labelings, noise_label=-1)
    expected = [gm.silhouette_samples(X, labels, noise_label=-1) for labels in labelings]
    assert_allclose(got, expected, atol=DOUBLE, rtol=0)


def test_no_distance_of_noise_is_computed(rng):
    X, seen = np.arange(40.0)[:, None], set()

    def distance(x, y):
        seen.update((float(x[0]), float(y[0])))
        return abs(float(x[0] - y[0]))

    labelings = [labels[:40] for labels in noisy_everywhere(rng)]
    gm.silhouette_scores(X, labelings, metric=distance, noise_label=-1)
    assert not seen & set(range(10, 40))


def data_of(X, labelings):
    metric, _ = check_metric("euclidean", {}, "")
    return check_labelings(X, labelings, -1, metric=metric), metric


@pytest.mark.parametrize("labelings_of", [lambda rng: random_labelings(rng, count=7), noisy_everywhere])
def test_queries(rng, way, backend, labelings_of):
    X, labelings = rng.normal(size=(N, 4)), labelings_of(rng)
    data, metric = data_of(X, labelings)
    expected = gm.silhouette_samples_many(X, labelings, noise_label=-1)
    xp = array_module(data.each[0].codes)
    for rows in (rng.permutation(N)[:50], np.arange(20, 100)):
        got = np.full((len(data), len(rows)), np.nan)
        for at, positions, s in shared_silhouettes.silhouettes_of_each(data, metric, queries=xp.asarray(rows)):
            got[at, positions if isinstance(positions, slice) else as_host(positions)] = as_host(s)
        assert_allclose(got, expected[:, rows], atol=DOUBLE, rtol=0)


def test_codes_are_held_once(rng):
    n, count = 50_000, 20
    X, noisy = rng.normal(size=(n, 1)), [rng.integers(-1, 5, n) for _ in range(count)]
    data_of(X[:100], [labels[:100] for labels in noisy])  # what the first call loads is not counted
    tracemalloc.start()
    data, _ = data_of(X, noisy)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(data) == count
    assert held < 1.1 * 8 * n * count
    assert peak < 1.5 * 8 * n * count
    clean = [labels + 1 for labels in noisy]
    assert all(
        np.shares_memory(each.codes, labels) for each, labels in zip(data_of(X, clean)[0].each, clean, strict=True)
    )


@pytest.mark.parametrize("k", [5, 20, 60])
def test_infinite_distances(way, k):
    """Rows whose sum is 0 are infinitely far from each other by Bray and Curtis, and no further from all others."""
    X = np.array([[-3.0, 1.0], [3.0, -1.0], *[[1.0 + 0.01 * i, 2.0] for i in range(598)]])
    fine = np.arange(600) % k
    with np.errstate(divide="ignore", invalid="ignore"):
        D = abs(X[:, None] - X).sum(axis=2) / abs(X[:, None] + X).sum(axis=2)
    assert np.isinf(D).any()
    got = gm.silhouette_samples_many(X, [fine, fine // 2], metric="braycurtis")
    for values, labels in zip(got, [fine, fine // 2], strict=True):
        assert_allclose(values, definition(D, labels), atol=DOUBLE, rtol=0)
        assert_allclose(values, gm.silhouette_samples(X, labels, metric="braycurtis"), atol=DOUBLE, rtol=0)


def definition(D, labels):
    members = np.eye(labels.max() + 1)[labels].astype(bool)
    means = np.array([[row[inside].mean() for inside in members.T] for row in D])
    own = means[members] * members.sum(axis=0)[labels] / (members.sum(axis=0)[labels] - 1)
    means[members] = np.inf
    nearest = means.min(axis=1)
    with np.errstate(invalid="ignore"):
        s = (nearest - own) / np.maximum(own, nearest)
    return np.nan_to_num(s)


@pytest.mark.parametrize("working_memory", [1024, 4, 0.3])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_progress_ends_at_its_total(rng, way, monkeypatch, metric, working_memory):
    tqdm = pytest.importorskip("tqdm.auto")
    ended = []

    class Bar(tqdm.tqdm):
        def __exit__(self, *error):
            ended.append((self.n, self.total))
            return super().__exit__(*error)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    X, labelings = rng.normal(size=(1700, 2)), [*nested_labelings(rng, 1700), rng.integers(0, 300, 1700)]
    X = X if metric == "euclidean" else abs(X[:, :1] - X[:, 0])
    with gm.config_context(progress=True, working_memory=working_memory):
        gm.silhouette_scores(X, labelings, metric=metric)
    assert ended
    assert all(n == total for n, total in ended)


class TestPlan:
    def plan_of(self, rng, labelings, caplog, d=8):
        n = len(labelings[0])
        with caplog.at_level(logging.INFO, logger="gpumetrics"):
            gm.silhouette_scores(rng.normal(size=(n, d)), labelings)
        return caplog.text

    def test_nested_labelings_share(self, rng, caplog):
        assert "5 of 5 labelings share" in self.plan_of(rng, nested_labelings(rng), caplog)

    def test_labelings_that_would_make_each_row_a_cell_pass_alone(self, rng, caplog):
        fine = [rng.integers(0, 1000, 3000) for _ in range(2)]
        text = self.plan_of(rng, [*nested_labelings(rng, 3000), *fine], caplog)
        assert "5 of 7 labelings share" in text

    def test_two_families_share_a_pass_each(self, rng, caplog):
        """Each of a family is made of few cells, and both together of as many as rows."""
        independent = [rng.integers(0, 2, 4000) for _ in range(9)]
        cuts = [np.arange(4000) % 500 // k for k in range(1, 12)]
        text = self.plan_of(rng, [*independent, *cuts], caplog)
        assert "9 of 20 labelings share a pass over the distances, by 512 cells" in text
        assert "11 of 20 labelings share a pass over the distances, by 500 cells" in text

    def test_many_that_make_each_row_a_cell_share_too(self, rng, caplog):
        labelings = [rng.integers(0, 700, 2000) for _ in range(20)]
        assert "20 of 20 labelings share a pass over the distances, by 2000 cells" in self.plan_of(
            rng, labelings, caplog
        )

    def test_closed_forms_have_nothing_to_share(self, rng, caplog):
        with caplog.at_level(logging.INFO, logger="gpumetrics"):
            gm.silhouette_scores(rng.normal(size=(N, 3)), nested_labelings(rng), metric="cosine")
        assert not caplog.text


class TestForms:
    X = np.array([[0.0], [1.0], [3.0], [4.0], [9.0]])
    TWO, THREE = [0, 0, 0, 0, 1], [0, 0, 1, 1, 2]

    def expected(self):
        return one_by_one(self.X, [self.TWO, self.THREE])

    def test_arrays(self):
        assert_allclose(gm.silhouette_scores(self.X, np.array([self.TWO, self.THREE]).T), self.expected())

    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_frames_give_dicts(self, library):
        frame = pytest.importorskip(library).DataFrame({"two": self.TWO, "three": self.THREE})
        got = gm.silhouette_scores(self.X, frame)
        assert list(got) == ["two", "three"]
        assert_allclose(list(got.values()), self.expected())

    def test_frames_whose_columns_are_numbers(self, rng):
        pandas = pytest.importorskip("pandas")
        X, labels = rng.normal(size=(12, 2)), np.array([rng.integers(0, 3, 12) for _ in range(12)]).T
        got = gm.silhouette_scores(X, pandas.DataFrame(labels, columns=range(12)))
        assert list(got) == list(range(12))
        assert_allclose(list(got.values()), one_by_one(X, labels.T))
        got = gm.silhouette_scores(X, pandas.DataFrame(labels[:, :2], columns=[("k", 2), 7.5]))
        assert_allclose(list(got.values()), one_by_one(X, labels.T[:2]))

    def test_whatever_becomes_an_array(self):
        class Wrapped:
            def __array__(self, dtype=None, copy=None):
                return np.array([TestForms.TWO, TestForms.THREE]).T

        assert_allclose(gm.silhouette_scores(self.X, Wrapped()), self.expected())

    def test_dicts(self):
        got = gm.silhouette_scores(self.X, {"b": self.TWO, "a": self.THREE})
        assert list(got) == ["b", "a"]
        assert all(type(value) is float for value in got.values())
        samples = gm.silhouette_samples_many(self.X, {"b": self.TWO})
        assert_allclose(samples["b"], gm.silhouette_samples(self.X, self.TWO))

    def test_a_generator(self):
        assert_allclose(gm.silhouette_scores(self.X, (v for v in (self.TWO, self.THREE))), self.expected())

    def test_labels_of_any_kind_in_one_call(self):
        names = ["a", "a", "b", "b", "c"]
        got = gm.silhouette_scores(self.X, [names, np.array(self.TWO, dtype=np.uint8)])
        assert_allclose(got, self.expected()[::-1])

    def test_none(self):
        assert gm.silhouette_scores(self.X, []).shape == (0,)
        assert gm.silhouette_scores(self.X, {}) == {}
        assert gm.silhouette_samples_many(self.X, []).shape == (0, 5)

    def test_an_undefined_one_is_nan_and_said(self):
        with pytest.warns(
            UserWarning, match=r"labelings\['one'\] is undefined, and nan: all 5 rows are in one cluster"
        ):
            got = gm.silhouette_scores(self.X, {"one": [0] * 5, "two": self.TWO})
        assert np.isnan(got["one"])
        assert_allclose(got["two"], self.expected()[0])
        with pytest.warns(UserWarning, match="cluster of its own"):
            assert np.isnan(gm.silhouette_samples_many(self.X, [list(range(5))])).all()
        with pytest.warns(UserWarning, match="every row is noise"):
            assert np.isnan(gm.silhouette_scores(self.X, [[-1] * 5], noise_label=-1)).all()

    @pytest.mark.parametrize("wrong", [[0, 0, 1, 1, 2], np.zeros(5, int), "labels", 3, [[0, 0, 0, 0, 1], "ab"]])
    def test_one_labeling_is_no_list_of_them(self, wrong):
        with pytest.raises(ValueError, match=r"labelings must be an array of shape \(n_samples, n_labelings\)"):
            gm.silhouette_scores(self.X, wrong)

    def test_errors_name_the_labeling(self):
        with pytest.raises(
            ValueError, match=r"inconsistent numbers of samples: \[5, 2\].* labelings\[1\] has 2 labels\.$"
        ):
            gm.silhouette_scores(self.X, [self.TWO, [0, 1]])
        with pytest.raises(ValueError, match=r"Input labelings\['b'\] contains NaN"):
            gm.silhouette_scores(self.X, {"a": self.TWO, "b": [0, 1, None, 1, 1]})

    def test_labelings_in_rows_are_told_to_turn(self):
        in_rows = np.array([self.TWO, self.THREE])
        for wrong in (in_rows, in_rows.T.tolist()):
            with pytest.raises(ValueError, match=r"labelings\[0\] has 2 labels\. The labelings look transposed"):
                gm.silhouette_scores(self.X, wrong)

    def test_nothing_is_changed(self, rng):
        X = rng.normal(size=(N, 3))
        labelings = np.array(random_labelings(rng, count=5)).T
        before = X.copy(), labelings.copy()
        gm.silhouette_scores(X, labelings, noise_label=-1)
        assert_array_equal(X, before[0])
        assert_array_equal(labelings, before[1])


def test_the_same_bits_every_time(rng, way):
    X, labelings = rng.normal(size=(3000, 8)).astype(np.float32), nested_labelings(rng, 3000)
    first = gm.silhouette_samples_many(X, labelings)
    for _ in range(3):
        assert_array_equal(gm.silhouette_samples_many(X, labelings), first)
