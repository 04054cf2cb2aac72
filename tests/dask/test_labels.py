"""Scores of Dask's true and predicted labels: the counts of all blocks are those of all rows."""

import numpy as np
import pytest
from dask_cases import UNEVEN

import gpumetrics as gm

AVERAGES = [{"average": average, "zero_division": 0.0} for average in ("macro", "micro", "weighted", None)]
VECTORS = {
    "accuracy_score": [{}, {"normalize": False}],
    "balanced_accuracy_score": [{}],
    "classification_report": [{}, {"output_dict": True}],
    "cohen_kappa_score": [{}, {"weights": "quadratic"}],
    "confusion_matrix": [{}, {"normalize": "true"}, {"labels": [2, 0]}],
    "f1_score": AVERAGES,
    "fbeta_score": [{"beta": 2.0, "average": "macro"}],
    "hamming_loss": [{}],
    "jaccard_score": AVERAGES,
    "matthews_corrcoef": [{}],
    "multilabel_confusion_matrix": [{}],
    "precision_recall_fscore_support": [{}, {"average": "macro"}],
    "precision_score": AVERAGES,
    "recall_score": AVERAGES,
    "zero_one_loss": [{}],
}
NOT_FOR_SETS = {"balanced_accuracy_score", "cohen_kappa_score", "confusion_matrix", "matthews_corrcoef"}


def check_same(found, expected):
    """Compare floats, arrays, tuples of them, and texts."""
    assert type(found) is type(expected)
    if isinstance(expected, str):
        assert found == expected
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            check_same(found[key], value)
    elif isinstance(expected, tuple):
        for ours, theirs in zip(found, expected, strict=True):
            check_same(ours, theirs)
    elif expected is not None:
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert getattr(found, "dtype", None) == getattr(expected, "dtype", None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", VECTORS)
def test_vectors(lazy, clustered, rng, name, weighted):
    _, pred, true = clustered
    weights = rng.integers(1, 40, len(true)) / 8 if weighted else None  # whose sums are exact
    for options in VECTORS[name]:
        found = getattr(gm, name)(
            lazy(true, UNEVEN), lazy(pred, 211), sample_weight=lazy(weights, 500) if weighted else None, **options
        )
        check_same(found, getattr(gm, name)(true, pred, sample_weight=weights, **options))


@pytest.mark.parametrize("name", sorted(VECTORS.keys() - NOT_FOR_SETS))
def test_label_sets(lazy, rng, name):
    true = rng.random((500, 7)) < 0.3
    pred = true ^ (rng.random((500, 7)) < 0.1)
    options = {"zero_division": 0.0} if name in {"classification_report", "f1_score"} else {}
    options |= {"average": "macro"} if name in {"f1_score", "precision_score", "recall_score", "jaccard_score"} else {}
    options |= {"average": None, "beta": 0.5} if name == "fbeta_score" else {}
    check_same(getattr(gm, name)(lazy(true, 120), lazy(pred, 99), **options), getattr(gm, name)(true, pred, **options))


@pytest.mark.parametrize("name", sorted(NOT_FOR_SETS))
def test_no_label_sets(lazy, rng, name):
    sets = lazy(rng.random((50, 3)) < 0.5, 20)
    with pytest.raises(ValueError, match="multilabel-indicator is not supported"):
        getattr(gm, name)(sets, sets)


def test_the_first_error_speaks(lazy):
    true, pred = np.zeros(9), np.zeros(9)
    true[[4, 8]] = 0.5, np.nan
    with pytest.raises(ValueError, match="continuous"):
        gm.f1_score(lazy(true, 3), lazy(pred, 3))
