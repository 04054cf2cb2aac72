"""A report of Dask's collections is that of arrays in memory."""

import numpy as np
import pytest
from dask_cases import UNEVEN
from hypothesis import given
from hypothesis import strategies as st

import gpumetrics as gm
from gpumetrics import dask as lazily
from gpumetrics.dask import pairs
from gpumetrics.evaluation.per_cluster import silhouette_by_cluster
from gpumetrics.statistics.silhouette_spread import CELLS, FEWEST_CELLS, SilhouetteSpread, cells_within


def assert_same_report(found, expected):
    for name in expected.scores:
        np.testing.assert_allclose(found.scores[name], expected.scores[name], rtol=1e-9, err_msg=name)
    np.testing.assert_equal(list(found.per_cluster), list(expected.per_cluster))
    for name, column in expected.per_cluster.items():
        if column.dtype.kind == "f":
            median = found.silhouette_mode == "exact" and name == "silhouette_median"
            np.testing.assert_allclose(
                found.per_cluster[name], column, rtol=0 if median else 1e-9, atol=1 / CELLS if median else 1e-9
            )
        else:
            np.testing.assert_array_equal(found.per_cluster[name], column)
    ours = {name: str(note) for name, note in found.notes.items() if name != "medians"}
    np.testing.assert_equal(ours, {name: str(note) for name, note in expected.notes.items()})
    np.testing.assert_equal(found.n_evaluated, expected.n_evaluated)


@pytest.mark.parametrize("silhouette", ["auto", "exact", "estimate", "skip"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan"])
def test_same_report(lazy, clustered, metric, silhouette, monkeypatch):
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    monkeypatch.setattr("gpumetrics.evaluation.silhouette_part.FEWEST_QUERIES", 100)
    monkeypatch.setattr("gpumetrics.evaluation.silhouette_part.MOST_QUERIES", 100)
    X, labels, other = clustered
    options = {"metric": metric, "silhouette": silhouette, "random_state": 3}
    expected = gm.evaluate_clustering(X, labels, labels_true=other, **options)
    found = gm.evaluate_clustering(lazy(X, UNEVEN), lazy(labels, 211), labels_true=lazy(other), **options)
    assert found.silhouette_samples is None
    assert expected.n_noise == 30
    assert_same_report(found, expected)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("labels", [np.zeros(900, int), np.full(900, -1), np.arange(900), np.repeat([0, -1], [1, 899])])
def test_undefined_scores_say_why(lazy, clustered, metric, labels):
    X, _, other = clustered
    expected = gm.evaluate_clustering(X, labels, labels_true=other, metric=metric)
    assert np.isnan(expected.scores["silhouette"])
    assert_same_report(gm.evaluate_clustering(lazy(X), lazy(labels), labels_true=other, metric=metric), expected)


def test_one_side_in_memory(lazy, clustered):
    X, labels, other = clustered
    expected = gm.evaluate_clustering(X, labels, labels_true=other)
    assert_same_report(gm.evaluate_clustering(lazy(X), labels, labels_true=other), expected)
    assert_same_report(gm.evaluate_clustering(X, lazy(labels), labels_true=other), expected)
    with pytest.raises(TypeError, match="labels_true is a Dask array"):
        gm.evaluate_clustering(X, labels, labels_true=lazy(other))


def test_errors(lazy, clustered):
    X, labels, other = clustered
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        gm.evaluate_clustering(lazy(X), lazy(labels), labels_true=other[:-1])
    with pytest.raises(ValueError, match="needs VI"):
        gm.evaluate_clustering(lazy(X), lazy(labels), metric="mahalanobis")
    X[700, 3] = np.nan
    with pytest.raises(ValueError, match=r"row 700, column 3"):
        gm.evaluate_clustering(lazy(X), lazy(labels))


def test_page_without_rows(lazy, clustered, tmp_path):
    X, labels, other = clustered
    report = lazily.evaluate_clustering(lazy(X), lazy(labels), labels_true=other, metric="cosine")
    page = report.save_html(tmp_path / "report.html").read_text("utf-8")
    assert "This report is of Dask collections" in page
    assert "within 0.0003 of the exact" in page
    in_memory = gm.evaluate_clustering(X, labels, metric="cosine")
    np.testing.assert_equal(report.split_candidates().to_dict(), in_memory.split_candidates().to_dict())


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_nothing_as_long_as_the_rows_comes_here(lazy, rng, metric):
    import pickle

    import dask

    n = 12_000
    labels = rng.integers(4, size=n)
    X = rng.normal(size=(n, 2)) + 3 * labels[:, None]
    sizes = []

    def watched(graph, keys, **options):
        found = dask.get(graph, keys, **options)
        sizes.append(len(pickle.dumps(found)))
        return found

    with dask.config.set(scheduler=watched):
        report = gm.evaluate_clustering(lazy(X, 1500), lazy(labels, 1500), labels_true=lazy(labels), metric=metric)
    assert report.silhouette_mode == "exact"
    assert max(sizes) < n


def test_many_clusters_have_a_coarser_grid(lazy, clustered, monkeypatch):
    monkeypatch.setattr("gpumetrics.dask.evaluation._cells", lambda problem: 100)
    X, labels, _ = clustered
    found = gm.evaluate_clustering(lazy(X), lazy(labels), metric="cosine")
    expected = gm.evaluate_clustering(X, labels, metric="cosine")
    assert "within 0.01 of the exact" in found.notes["medians"]
    medians = [report.per_cluster["silhouette_median"] for report in (found, expected)]
    np.testing.assert_allclose(*medians, rtol=0, atol=0.01)
    assert np.abs(medians[0] - medians[1]).max() > 1 / CELLS


def test_cells_keep_to_the_memory():
    assert cells_within(2**26, 10**9, 500) == CELLS
    assert cells_within(2**26, 10**6, 10**5) == CELLS  # no more cells than rows have values
    assert cells_within(2**26, 10**9, 20_000) == 104
    assert cells_within(2**26, 10**9, 10**7) == FEWEST_CELLS


def test_pairs_of_very_many_blocks_are_estimated(lazy, clustered, monkeypatch):
    """Where the scheduler would take minutes, though the distances take no time."""
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    X, labels, _ = clustered
    assert gm.evaluate_clustering(lazy(X, 20), lazy(labels, 20), random_state=0).silhouette_mode == "exact"
    monkeypatch.setattr(pairs, "PAIR_SECONDS", 0.1)
    assert gm.evaluate_clustering(lazy(X, 20), lazy(labels, 20), random_state=0).silhouette_mode == "estimate"


@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 3)), min_size=1, max_size=60), st.integers(0, 60))
def test_spreads_merge(rows, cut):
    rows += [(0.5, c) for c in range(4)]  # no cluster is empty
    values, codes = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    parts = [SilhouetteSpread.of(values[part], codes[part], 4) for part in (slice(cut), slice(cut, None))]
    for merged in (SilhouetteSpread.merged(parts), SilhouetteSpread.merged(parts[::-1])):
        expected = silhouette_by_cluster(values, codes, 4)
        for name, column in merged.by_cluster().items():
            np.testing.assert_allclose(column, expected[name], atol=1.01 / CELLS if "median" in name else 1e-12)
