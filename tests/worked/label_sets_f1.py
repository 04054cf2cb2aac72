"""Rows on precision, recall and F1 (document 002), whose F-beta weights precision where the field's weights recall."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from worked.rows import PROPERTIES, SUPERSEDED, VALUES, into


def from_counts(tp, fp, fn, tn=0):
    """True and predicted labels with these counts."""
    return np.repeat([1, 0, 1, 0], [tp, fp, fn, tn]), np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])


def of_counts(row):
    return from_counts(**row["inputs"])


def counts_with(precision, recall):
    """Whole tp, fp and fn with this precision and recall."""
    precision, recall = (Fraction(str(part)) for part in (precision, recall))
    tp = precision.numerator * recall.numerator
    return tp, int(tp / precision) - tp, int(tp / recall) - tp


def scores_with(pairs):
    """Precision, recall and F1 of models with these precisions and recalls: a label for each."""
    counts = np.array([counts_with(*pair) for pair in pairs])
    tp, fp, fn = counts.T[:, None, :]
    place = np.arange(counts.sum(axis=1).max())[:, None]
    y_pred = place < tp + fp
    y_true = (place < tp) | (~y_pred & (place < tp + fp + fn))
    return gm.precision_recall_fscore_support(y_true.astype(int), y_pred.astype(int), average=None)[:3]


GRID = [(Fraction(i, 20), Fraction(j, 20)) for i in range(1, 21) for j in range(1, 21)]


def grid():
    precision, recall, f1 = scores_with(GRID)
    assert_allclose([precision, recall], np.array(GRID, dtype=float).T, rtol=1e-14)
    return precision, recall, f1


@into(VALUES, "f1.counts.A", "f1.counts.B", "f1.counts.C")
def _(row):
    return gm.f1_score(*of_counts(row))


def of_model(row):
    """Precision, recall and F1 of a model."""
    labels = from_counts(*counts_with(**row["inputs"]))
    return gm.precision_score(*labels), gm.recall_score(*labels), gm.f1_score(*labels)


@into(VALUES, "f1.A", "f1.B", "f1.C")
def _(row):
    found = of_model(row)[2]
    assert abs(found - row["expected_value"]) < 1e-15  # from counts the decimal is exact
    return found


@into(VALUES, "f1.A.mean", "f1.B.mean", "f1.C.mean")
def _(row):
    return np.mean(of_model(row)[:2])


@into(VALUES, "f1.A.sum", "f1.B.sum", "f1.C.sum")
def _(row):
    return sum(of_model(row)[:2])


@into(PROPERTIES, "f1.order")
def _(row):
    a, b, c = scores_with([("0.8", "0.8"), ("0.7", "0.9"), ("0.6", "1.0")])[2]
    assert a > b > c


@into(PROPERTIES, "f1.def.precision")
def _(row):
    assert gm.precision_score(*of_counts(row)) == row["inputs"]["tp"] / (row["inputs"]["tp"] + row["inputs"]["fp"])


@into(PROPERTIES, "f1.def.recall")
def _(row):
    assert gm.recall_score(*of_counts(row)) == row["inputs"]["tp"] / (row["inputs"]["tp"] + row["inputs"]["fn"])


@into(PROPERTIES, "f1.def.harmonic")
def _(row):
    P, R = gm.precision_score(*of_counts(row)), gm.recall_score(*of_counts(row))
    found = gm.f1_score(*of_counts(row))
    assert found == float(Fraction(row["computed_exact"]))
    assert_allclose([2 / (1 / P + 1 / R), 2 * P * R / (P + R)], found, rtol=1e-14)


def imbalanced(prediction):
    return np.repeat([1, 0], [5, 95]), np.full(100, prediction)


@into(PROPERTIES, "f1.imbalance_use")
def _(row):
    assert (gm.accuracy_score(*imbalanced(0)), gm.f1_score(*imbalanced(0))) == (0.95, 0)


@into(VALUES, "pr.extreme")
def _(row):
    labels = imbalanced(1)
    return [gm.recall_score(*labels), gm.precision_score(*labels), gm.f1_score(*labels)]


@into(PROPERTIES, "f1.ineq.parts")
def _(row):
    precision, recall, f1 = grid()
    assert (1 / precision >= 1).all()
    assert (1 / recall >= 1).all()
    assert (1 / precision + 1 / recall >= 2).all()
    assert (f1 <= 1).all()


@into(PROPERTIES, "f1.ineq.eq")
def _(row):
    precision, recall, f1 = grid()
    assert_array_equal(f1 == 1, (precision == 1) & (recall == 1))


@into(PROPERTIES, "f1.positive")
def _(row):
    assert (grid()[2] > 0).all()
    tiny = gm.f1_score([1, 1], [1, 0], sample_weight=[1, 10**12 - 1])  # precision 1, recall 1e-12
    assert_allclose(tiny, 2e-12, rtol=1e-9)


@into(PROPERTIES, "f1.zero.tp0")
def _(row):
    cases = {"tp0_fp1_fn1": ([1, 0], [0, 1]), "no_pred": ([1, 0], [0, 0]), "no_true_no_pred": ([0, 0], [0, 0])}
    for name, labels in cases.items():
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            value = gm.f1_score(*labels)
        assert {"value": value, "warnings": [w.category.__name__ for w in seen]} == row["computed"][name]


@into(PROPERTIES, "hm.near_min")
def _(row):
    precision, recall, f1 = grid()
    assert (f1 <= (precision + recall) / 2 + 1e-15).all()
    assert (f1 < 2 * np.minimum(precision, recall)).all()


@into(PROPERTIES, "hm.bounds")
def _(row):
    precision, recall, f1 = grid()
    assert (f1 >= np.minimum(precision, recall) - 1e-15).all()
    assert (f1 <= np.maximum(precision, recall) + 1e-15).all()


def apart():
    """F1 of models whose precision and recall add up to 1.6, ever further apart, up to 0.6 and 1."""
    return scores_with([(Fraction(80 - k, 100), Fraction(80 + k, 100)) for k in range(21)])


@into(PROPERTIES, "f1.tradeoff_max")
def _(row):
    precision, recall, f1 = apart()
    assert_allclose(precision + recall, 1.6, rtol=1e-14)
    assert (np.diff(f1) < 0).all()


@into(PROPERTIES, "f1.tradeoff_range")
def _(row):
    precision, recall, f1 = apart()
    assert_allclose([precision[-1], recall[-1]], [0.6, 1.0], rtol=1e-14)  # recall cannot rise any further
    assert f1.argmin() == 20


@into(PROPERTIES, "f1.rectangle")
def _(row):
    precision, recall, f1 = grid()
    area, perimeter = precision * recall, 2 * (precision + recall)
    assert_allclose(f1, 2 * area / (perimeter / 2), rtol=1e-13)


def f_beta(row, beta):
    return gm.fbeta_score(row["inputs"]["y_true"], row["inputs"]["y_pred"], beta=beta)


def sides(row):
    return [
        getattr(gm, name)(row["inputs"]["y_true"], row["inputs"]["y_pred"])
        for name in ("precision_score", "recall_score")
    ]


def document_f_beta(row, beta):
    """The document's F-beta, (1 + b²) / (b² / precision + 1 / recall), as ours: at 1 / beta."""
    return f_beta(row, np.inf if beta == 0 else 1 / beta)


@into(PROPERTIES, "fb.beta1")
def _(row):
    found = f_beta(row, 1)
    assert (
        found == gm.f1_score(row["inputs"]["y_true"], row["inputs"]["y_pred"]) == float(Fraction(row["computed_exact"]))
    )


@into(PROPERTIES, "fb.beta0.document")
def _(row):
    assert document_f_beta(row, 0) == sides(row)[1]


@into(PROPERTIES, "fb.large.document")
def _(row):
    precision, recall = sides(row)
    found = [document_f_beta(row, beta) for beta in (0, 0.5, 1, 2, 10, 1e9)]
    assert found == sorted(found)
    assert_allclose([found[0], found[-1]], [recall, precision], rtol=1e-9)


@into(PROPERTIES, "fb.relation")
def _(row):
    y_true, y_pred = row["inputs"]["y_true"], row["inputs"]["y_pred"]
    P, R = sides(row)
    for beta in (0.25, 0.5, 1, 2, 10):
        printed = (1 + beta**2) / (beta**2 / P + 1 / R)
        assert_allclose(document_f_beta(row, beta), printed, rtol=1e-14)
        # Truth and prediction exchanged are precision and recall exchanged.
        assert_allclose(gm.fbeta_score(y_pred, y_true, beta=beta), printed, rtol=1e-14)


@into(PROPERTIES, *[f"fb.table.{beta}" for beta in ("0", "0.5", "1", "2", "10")])
def _(row):
    beta = float(row["id"].removeprefix("fb.table."))
    computed = row["computed"]
    assert computed["standard"] == computed["sklearn"]
    assert_allclose(f_beta(row, beta), computed["standard"], rtol=1e-14)
    assert_allclose(document_f_beta(row, beta), computed["document_formula"], rtol=1e-14)


@into(PROPERTIES, "fb.tradeoff")
def _(row):
    beta, c = 2, 1
    recalls = [Fraction(k, 1000) for k in range(1, 250)]
    pairs = [(c - beta**2 * recall, recall) for recall in recalls]
    found = []
    for pair in pairs:
        tp, fp, fn = counts_with(*pair)
        found.append(gm.fbeta_score([1, 0, 1], [1, 1, 0], beta=1 / beta, sample_weight=[tp, fp, fn]))
    precision, recall = pairs[int(np.argmax(found))]
    assert precision == beta**2 * recall == Fraction(c, 2)
    assert_allclose(found, [float((1 + beta**2) * p * r / c) for p, r in pairs], rtol=1e-12)


@into(SUPERSEDED, "fb.beta0.sklearn")
def _(row):
    """Ours is the field's F-beta, in which beta = 0 is precision; the document's is recall there."""
    assert_allclose(f_beta(row, 0), row["computed"], rtol=1e-14)
    assert f_beta(row, 0) == sides(row)[0]


@into(SUPERSEDED, "fb.large.sklearn")
def _(row):
    """Ours is the field's F-beta, which tends to recall for a large beta; the document's tends to precision."""
    assert_allclose(f_beta(row, 1e6), row["computed"], rtol=1e-14)
    assert f_beta(row, np.inf) == sides(row)[1]
    assert f_beta(row, 1e200) == pytest.approx(sides(row)[1])
