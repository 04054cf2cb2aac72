"""What may stand in a mask: one value for inside; neither scores, nor classes, nor what is no number."""

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gpumetrics as gm
from gpumetrics.classification.masks import mask_iou, pairwise_mask_iou


class Thing:
    pass


@pytest.mark.parametrize(
    "make",
    [
        lambda: {1, 2},
        lambda: {"counts": [4, 5]},
        lambda: (pixel for pixel in [1, 0]),
        Thing,
        lambda: [{1}, {2}],
        lambda: [dt.date(2020, 5, 1), 0],
        lambda: np.array([(1, 2), None], dtype=object),
    ],
)
def test_what_is_no_number_is_in_no_mask(make):
    # Each of them differs from 0, so that any two would be equal masks.
    with pytest.raises(ValueError, match=r"a must hold a number or boolean .* holds an object of type"):
        mask_iou(make(), make())
    with pytest.raises(ValueError, match=r"ignore must hold a number or boolean"):
        mask_iou([1, 0], [1, 0], ignore=make())


def test_numbers_of_any_kind():
    for value in (Decimal("0.5"), Fraction(1, 2), np.True_, 2**70, 2j):
        assert mask_iou(np.array([0, value, value, 0], dtype=object), [Decimal(0), 1, 0.0, np.True_]) == 1 / 3


NO_MASKS = {
    "probabilities": (np.array([[0.9, 0.05], [0.0, 0.9]]), "0.9 and 0.05"),
    "float32": (np.array([[0.9, 0.05], [0.0, 0.9]], dtype=np.float32), "0.9 and 0.05"),
    "float16": (np.array([[0.5, 0.25], [0.0, 0.5]], dtype=np.float16), "0.5 and 0.25"),
    "logits": (np.array([[-2.0, 3.0], [-2.0, 3.0]]), "-2.0 and 3.0"),
    "classes": (np.array([[0, 1], [2, 1]]), "1 and 2"),
    "classes without 0": (np.array([[1, 1], [1, 2]], dtype=np.uint8), "1 and 2"),
    "complex": (np.array([[1j, 1], [1, 1]]), "1j and (1+0j)"),
    "objects": (np.array([[True, Fraction(1, 2)], [1, 1]], dtype=object), "True and 1/2"),
    "beyond float64": (np.array([[2**63, 2**63 + 1], [0, 2**63]], dtype=np.uint64), f"{2**63} and {2**63 + 1}"),
}


@pytest.mark.parametrize("case", NO_MASKS)
def test_scores_and_classes_are_no_masks(case, backend):
    array, values = NO_MASKS[case]
    inside = np.ones((2, 2), dtype=bool)
    match = re.escape(f"it holds {values} beside 0. Of probabilities give mask > 0.5; of a map of classes mask == c")
    with pytest.raises(ValueError, match=rf"^a is no mask, .*{match}.* jaccard_score\(a\.ravel\(\), b\.ravel\(\), ave"):
        mask_iou(array, inside)
    with pytest.raises(ValueError, match=r"^b is no mask, which has one value inside"):
        mask_iou(inside, array)
    with pytest.raises(ValueError, match=rf"^B\[2\] is no mask, .*{match}"):
        pairwise_mask_iou(inside[None], [inside.astype(array.dtype), 0 * array, array])
    assert mask_iou(array, inside, ignore=array != array[1, 1]) == 1.0  # one value is left
    with gm.config_context(working_memory=1e-6):  # a tile for each pixel
        with pytest.raises(ValueError, match=match):
            mask_iou(array, inside)
        assert_array_equal(pairwise_mask_iou(array.reshape(4, 1), np.ones((1, 1))).ravel(), (array != 0).ravel())


def test_maps_of_classes_are_scored_as_vectors():
    a, b = np.array([[0, 1, 2], [2, 1, 0]]), np.array([[0, 1, 1], [2, 1, 0]])
    each = [mask_iou(a == c, b == c) for c in range(3)]
    assert gm.jaccard_score(a.ravel(), b.ravel(), average=None).tolist() == each
    with pytest.raises(
        ValueError, match=r"^multiclass-multioutput is not supported\. Maps of classes, .*y_true\.ravel"
    ):
        gm.jaccard_score(a, b, average="macro")
    with pytest.raises(ValueError, match=r"^unknown is not supported\. Maps of classes"):
        gm.jaccard_score(a[None], b[None], average="macro")
