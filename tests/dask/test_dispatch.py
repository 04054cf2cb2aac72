"""Dask's collections are found without importing Dask, and refused by what does not run on them."""

import inspect
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest
from dask_cases import UNEVEN

import gpumetrics as gm
from gpumetrics import dask as lazily

ALWAYS = {"evaluate_clustering", "silhouette_estimate", "silhouette_samples"}  # take no `compute`
LABELS = np.repeat([0, 1, 2], 40)
X = np.arange(240.0).reshape(120, 2) ** 1.5
REFUSED = {
    "ambiguous": gm.ambiguous,
    "attribute_check": lambda X, y: gm.attribute_check(y, {"kind": y}),
    "best_threshold": lambda X, y: gm.best_threshold(y, y),
    "best_threshold scores": lambda X, y: gm.best_threshold(LABELS > 0, y),
    "boundary_candidates": gm.boundary_candidates,
    "compare_labelings": lambda X, y: gm.compare_labelings(X, {"one": y, "two": y}),
    "DaviesBouldinDisplay": gm.DaviesBouldinDisplay.from_predictions,
    "density_validity": gm.density_validity,
    "EmbeddingDisplay": gm.EmbeddingDisplay.from_predictions,
    "encode_tags": lambda X, y: gm.encode_tags(y, y),
    "evaluate_clustering truth": lambda X, y: gm.evaluate_clustering(np.eye(120), LABELS, labels_true=y),
    "evaluate_tags": lambda X, y: gm.evaluate_tags(X > 3, X > 4),
    "expected_mutual_information": lambda X, y: gm.expected_mutual_information(X.astype(int), 9),
    "jaccard_distance": lambda X, y: gm.jaccard_distance(X > 3, X > 4),
    "mask_iou": lambda X, y: gm.mask_iou(X > 3, X > 4),
    "merge_candidates": gm.merge_candidates,
    "multilabel_confusion_matrix samplewise": lambda X, y: gm.multilabel_confusion_matrix(
        X > 3, X > 4, samplewise=True
    ),
    "mutual_info_score contingency": lambda X, y: gm.mutual_info_score(None, None, contingency=X.astype(int)),
    "pairwise_mask_iou": lambda X, y: gm.pairwise_mask_iou(X > 3, X > 4),
    "representatives": gm.representatives,
    "silhouette_samples_many": lambda X, y: gm.silhouette_samples_many(X, [y, y]),
    "silhouette_scores": lambda X, y: gm.silhouette_scores(X, [y, y]),
    "SilhouetteDisplay": gm.SilhouetteDisplay.from_predictions,
    "split_candidates": gm.split_candidates,
    "stability_of": lambda X, y: gm.stability_of([y, y]),
    "sweep": lambda X, y: gm.sweep(X, Anything(), {"n_clusters": [2, 3]}),
    "TagErrorsDisplay": lambda X, y: gm.TagErrorsDisplay.from_predictions(X > 3, X > 4),
    "ThresholdDisplay": lambda X, y: gm.ThresholdDisplay.from_predictions(y, y),
    "f1_score labels": lambda X, y: gm.f1_score(LABELS, LABELS, labels=y, average="macro"),
}


class Anything:
    """As much of a clusterer as is looked at before its data."""

    n_clusters = 2

    def fit_predict(self, X):
        pytest.fail("it was asked")


@pytest.fixture
def watched(monkeypatch):
    """Arrays of Dask's whose computing is an error."""
    import dask
    import dask.array as da

    arrays = da.from_array(X, chunks=(50, 1)), da.from_array(LABELS, chunks=50)

    def refuse(*_, **__):
        pytest.fail("the collection was downloaded")

    with dask.config.set(scheduler=refuse):
        yield arrays


@pytest.mark.parametrize("name", REFUSED)
def test_refused(watched, name):
    with pytest.raises(TypeError, match="Dask") as caught:
        REFUSED[name](*watched)
    assert str(caught.value).count("\n") == 0


def test_every_public_function_is_known():
    known = {name.partition(" ")[0] for name in REFUSED} | set(lazily.__all__) | {"entropy"}
    settings = {"f1_from_jaccard", "jaccard_from_f1"}  # of single numbers
    settings |= {"config_context", "get_config", "set_config", "stability"}
    functions = {name for name in gm.__all__ if callable(getattr(gm, name)) and not name[0].isupper()}
    assert functions - settings <= known
    assert known <= set(gm.__all__)


@pytest.mark.parametrize("kind", ["bag", "delayed", "scalar"])
def test_other_collections(lazy, kind):
    import dask

    bag = pytest.importorskip("dask.bag")
    labels = {"bag": bag.from_sequence([0, 1]), "delayed": dask.delayed([0, 1]), "scalar": lazy([1]).sum()}[kind]
    with pytest.raises(TypeError, match=r"^labels_true must be an array, a table or a column"):
        gm.rand_score(labels, lazy([0, 1]))


def test_nothing_is_imported():
    code = (
        "import sys, gpumetrics as gm; gm.silhouette_score([[0.0], [1], [5], [6]], [0, 0, 1, 1]);"
        "gm.rand_score([0, 1], [1, 1]);"
        "assert not any(name.partition('.')[0] in {'dask', 'distributed'} for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", sorted(set(lazily.__all__) - ALWAYS))
def test_later(lazy, clustered, name):
    X, labels, other = clustered
    arrays = X, labels
    if name not in lazily.clustering.__all__:
        arrays = labels, other
    arrays = [lazy(array, UNEVEN) for array in arrays]
    options = {"zero_division": 0.0} if name in {"f1_score", "jaccard_score", "precision_score", "recall_score"} else {}
    options |= {"beta": 2.0} if name == "fbeta_score" else {}
    options |= {"average": "macro"} if options else {}
    function = getattr(lazily, name)
    at_once = function(*arrays, split_every=2, **options)
    later = function(*arrays, split_every=2, compute=False, **options)
    assert type(later).__name__ == "Delayed"
    found = later.compute()
    if name == "davies_bouldin_pairs":
        found, at_once = found.similarity, at_once.similarity
    np.testing.assert_array_equal(found, at_once)


def test_an_error_later(lazy):
    later = lazily.rand_score(lazy([1, 1, 1], 2), lazy([7, 7, 7], 2), noise_label=7, compute=False)
    with pytest.raises(ValueError, match=r"^All 3 rows of labels_pred have the noise label 7"):
        later.compute()


def test_signatures_and_pickles():
    parameters = inspect.signature(lazily.fbeta_score).parameters
    assert list(parameters)[:2] == ["y_true", "y_pred"]
    assert list(parameters)[-3:] == ["client", "compute", "split_every"]
    assert {"beta", "average", "zero_division"} <= parameters.keys()
    assert parameters["split_every"].default == 8
    for name in lazily.__all__:
        assert pickle.loads(pickle.dumps(getattr(lazily, name))) is getattr(lazily, name)  # noqa: S301


def test_wrong_keywords_are_refused_before_the_graph(lazy):
    labels = lazy([0, 1, 1], 2)
    for compute in (True, False):
        with pytest.raises(TypeError, match=r"^f1_score\(\) got an unexpected keyword argument 'averag'"):
            lazily.f1_score(labels, labels, averag="macro", compute=compute)
        with pytest.raises(TypeError, match="sample_size is not computed on Dask collections"):
            lazily.silhouette_score(labels, labels, sample_size=2, compute=compute)
    assert lazily.rand_score(labels_true=labels, labels_pred=labels, compute=False).compute() == 1.0


def test_settings_reach_the_tasks(lazy, clustered):
    X, labels, _ = clustered
    with gm.config_context(backend="cupy"), pytest.raises(gm.BackendError, match="was asked for"):
        gm.silhouette_score(lazy(X), lazy(labels))


def test_arguments(lazy):
    labels = lazy([0, 1, 1], 2)
    with pytest.raises(ValueError, match=r"^split_every must be an integer of at least 2, got 1"):
        lazily.rand_score(labels, labels, split_every=1)
    assert lazily.rand_score(labels, labels, split_every=np.int64(2)) == 1.0
    with pytest.raises(TypeError, match="must be a Dask collection"):
        lazily.rand_score([0, 1], [0, 1], compute=False)
    with pytest.raises(TypeError, match=r"^client must be a distributed\.Client or None, got 'tcp://here'"):
        lazily.rand_score(labels, labels, client="tcp://here")
    waiting = types.SimpleNamespace(get=None.__str__, asynchronous=True)
    with pytest.raises(TypeError, match=r"^client is asynchronous"):
        lazily.rand_score(labels, labels, client=waiting)
