"""Rows on Jaccard, on averages over documents and labels, on empty sets, Hamming loss and masks (document 003)."""

import itertools
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gpumetrics as gm
from worked.label_sets_f1 import from_counts
from worked.rows import PROPERTIES, SUPERSEDED, VALUES, into


def sides(row):
    return row["inputs"]["y_true"], row["inputs"]["y_pred"]


def as_documents(row):
    """The one set of a row, or its sets, as rows of an indicator matrix."""
    return [np.atleast_2d(side) for side in sides(row)]


def jaccard(row, **kwargs):
    return gm.jaccard_score(*sides(row), **kwargs)


@into(VALUES, "perm.accuracy")
def _(row):
    return gm.accuracy_score(row["inputs"]["truth"], row["inputs"]["labels"])


@into(VALUES, "jac.disjoint", "jac.equal", "jac.absent_cols")
def _(row):
    assert gm.jaccard_score(*as_documents(row), average="samples") == jaccard(row)
    return jaccard(row)


@into(VALUES, "jac.j")
def _(row):
    inputs = row["inputs"]
    tags = gm.encode_tags([inputs["truth_set"]], [inputs["pred_set"]])[:2]
    assert gm.jaccard_score(*tags, average="samples") == jaccard(row)  # sets and 0/1 vectors are the same
    return jaccard(row)


@into(PROPERTIES, "jac.duplicates")
def _(row):
    truth, twice = row["inputs"]["truth"], row["inputs"]["pred_list"]
    found = [
        gm.jaccard_score(*gm.encode_tags([truth], [predicted])[:2], average="samples")
        for predicted in (twice, sorted(set(twice)), twice[::-1])
    ]
    assert found == [1 / 3] * 3


def intersection_and_union(y_true, y_pred):
    """Cells that are in both, and in either, of all cells together."""
    (_, fp), (fn, tp) = gm.multilabel_confusion_matrix(*map(np.atleast_2d, (y_true, y_pred))).sum(axis=0).tolist()
    return tp, tp + fp + fn


@into(VALUES, "jac.inter", "avg.micro.inter")
def _(row):
    return intersection_and_union(*sides(row))[0]


@into(VALUES, "jac.union", "avg.micro.union")
def _(row):
    return intersection_and_union(*sides(row))[1]


@into(PROPERTIES, "jac.sum_not_union")
def _(row):
    assert (np.sum(sides(row)), intersection_and_union(*sides(row))[1]) == (4, 3)


@into(VALUES, "subset_vs_jaccard")
def _(row):
    return [gm.accuracy_score(*sides(row)), jaccard(row, average="samples")]


@into(VALUES, "jac.counts")
def _(row):
    return gm.jaccard_score(*from_counts(**row["inputs"]))


@into(VALUES, "jac.f1_formula")
def _(row):
    return gm.f1_score(*from_counts(**row["inputs"]))


@into(PROPERTIES, "jac.tn_free")
def _(row):
    y_true, y_pred = sides(row)
    assert {gm.jaccard_score(y_true + [0] * n, y_pred + [0] * n) for n in range(21)} == {1 / 3}


@into(PROPERTIES, "avg.binary_default")
def _(row):
    with pytest.raises(ValueError) as error:  # noqa: PT011  (the whole text is compared)
        jaccard(row)
    assert str(error.value) == row["computed"]["message"]


@into(PROPERTIES, "avg.pos_label")
def _(row):
    found = {f"pos_label={label}": jaccard(row, pos_label=label) for label in (1, 0)}
    assert found == row["computed"]


@into(VALUES, "avg.weighted", "avg.samples", "avg.micro", "avg.macro", "avg.per_label")
def _(row):
    average = row["id"].removeprefix("avg.")
    return jaccard(row, average=None if average == "per_label" else average)


@into(PROPERTIES, "avg.sample_weight")
def _(row):
    found = jaccard(row, average="samples", sample_weight=row["inputs"]["sample_weight"])
    assert_allclose(found, 3 / 4, rtol=1e-14)


@into(VALUES, "jac.two_rows_cells")
def _(row):
    tables = gm.multilabel_confusion_matrix(*sides(row))
    return [tables[0].sum(), len(tables)]


@into(VALUES, "avg.per_doc")
def _(row):
    return [gm.jaccard_score([true], [pred], average="samples") for true, pred in zip(*sides(row), strict=True)]


@into(PROPERTIES, "empty.warn")
def _(row):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        value = jaccard(row)
    assert {"value": value, "warnings": [w.category.__name__ for w in seen]} == row["computed"]


@into(VALUES, "empty.zd1", "empty.zd0")
def _(row):
    return jaccard(row, zero_division=row["inputs"]["zero_division"])


@into(VALUES, "empty.in_mean")
def _(row):
    assert [jaccard(row, average="micro", zero_division=rule) for rule in (0, 1)] == [1, 1]
    assert_allclose([jaccard(row, average="macro", zero_division=rule) for rule in (0, 1)], [1 / 3, 1])
    assert jaccard(row, average="samples", zero_division=math.nan) == 1  # the empty document left out
    return [jaccard(row, average="samples", zero_division=rule) for rule in (0, 1)]


@into(SUPERSEDED, "empty.nan")
def _(row):
    """zero_division=nan is taken: the score is nan, and is left out of means; scikit-learn refuses it."""
    assert math.isnan(jaccard(row, zero_division=math.nan))


@into(PROPERTIES, "jac.distance_is_1mJ")
def _(row):
    vectors = list(itertools.product([0, 1], repeat=4))
    pairs = [pair for pair in itertools.product(vectors, vectors) if np.any(pair)]
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    similarity = [gm.jaccard_score([a], [b], average="samples") for a, b in pairs[::7]]
    assert_allclose(
        [gm.jaccard_distance(a, b) for a, b in pairs[::7]], 1 - np.array(similarity), rtol=1e-14, atol=1e-15
    )
    mean = np.mean([gm.jaccard_distance(a, b) for a, b in pairs])
    assert_allclose(gm.jaccard_score(first, second, average="samples"), 1 - mean, rtol=1e-14)


@into(VALUES, "jac.distance")
def _(row):
    return gm.jaccard_distance(*sides(row))


@into(VALUES, "empty.scipy", "scipy.counts")
def _(row):
    return gm.jaccard_distance(row["inputs"]["u"], row["inputs"]["v"])


@into(PROPERTIES, "scipy.w")
def _(row):
    u, v, w = row["inputs"].values()
    assert gm.jaccard_distance(u, v, w) == row["computed"]["value"]
    with pytest.raises(ValueError, match=row["computed"]["negative"]["message"]):
        gm.jaccard_distance(u, v, [-weight for weight in w])


@into(PROPERTIES, "scipy.direction")
def _(row):
    near, far = ([1, 1, 1, 0], [1, 1, 0, 0]), ([1, 1, 1, 0], [0, 0, 1, 1])
    assert gm.jaccard_distance(*near) < gm.jaccard_distance(*far)
    assert gm.jaccard_score(*near) > gm.jaccard_score(*far)


@into(VALUES, "ham.3", "ham.5")
def _(row):
    assert gm.hamming_loss(*as_documents(row)) == gm.hamming_loss(*sides(row))
    return gm.hamming_loss(*sides(row))


@into(VALUES, "jac.f1")
def _(row):
    assert gm.f1_from_jaccard(jaccard(row)) == gm.f1_score(*sides(row))
    return gm.f1_score(*sides(row))


@into(PROPERTIES, "jac.f1_from_j")
def _(row):
    for tp, fp, fn in itertools.product(range(7), repeat=3):
        if tp + fp + fn:
            J, F1 = tp / (tp + fp + fn), 2 * tp / (2 * tp + fp + fn)
            assert_allclose([gm.f1_from_jaccard(J), gm.jaccard_from_f1(F1)], [F1, J], rtol=1e-14)


@into(PROPERTIES, "avg.no_conversion")
def _(row):
    for average, converted, f1 in [("samples", 10 / 11, 9 / 10), ("macro", 4 / 5, 2 / 3), ("micro", 6 / 7, 6 / 7)]:
        found = gm.f1_from_jaccard(jaccard(row, average=average)), gm.f1_score(*sides(row), average=average)
        assert_allclose(found, [converted, f1], rtol=1e-14)
    with pytest.raises(ValueError, match="Averages do not convert"):
        gm.f1_from_jaccard(jaccard(row, average=None))


@into(PROPERTIES, "iou.mask")
def _(row):
    a, b = np.array(row["inputs"]["mask_a"]), np.array(row["inputs"]["mask_b"])
    assert gm.mask_iou(a, b) == gm.jaccard_score(a.ravel(), b.ravel()) == 1 / 3
    assert gm.mask_iou(a * 255, b.astype(bool)) == 1 / 3


@into(VALUES, "check.five_cases")
def _(row):
    return [gm.jaccard_score(*pair, zero_division=row["inputs"]["zero_division"]) for pair in row["inputs"]["pairs"]]


@into(PROPERTIES, "prob.rejected")
def _(row):
    with pytest.raises(ValueError, match=row["computed"]["message"]):
        jaccard(row)
    chosen = gm.best_threshold(*sides(row), metric="jaccard")
    assert (chosen.threshold, chosen.score) == (0.3, 2 / 3)


@into(VALUES, "micro_vs_samples_weight")
def _(row):
    return [jaccard(row, average=average) for average in ("micro", "samples")]


@into(PROPERTIES, "same_weight_errors")
def _(row):
    assert gm.jaccard_score(*row["inputs"]["false_positive"]) == gm.jaccard_score(*row["inputs"]["omission"]) == 1 / 2


@into(PROPERTIES, "jac.order")
def _(row):
    inputs = row["inputs"]
    assert gm.jaccard_score(inputs["y_true"], inputs["y_pred"]) == 1 / 3
    assert gm.jaccard_score(inputs["y_true"], inputs["y_pred_permuted_columns"]) == 1  # columns go by position
    orders = [gm.encode_tags([["a", "b"]], [tags])[:2] for tags in (["b", "c"], ["c", "b"])]
    assert {gm.jaccard_score(*tags, average="samples") for tags in orders} == {1 / 3}


@into(PROPERTIES, "avg.differ")
def _(row):
    assert jaccard(row, average="samples") != jaccard(row, average="micro")
