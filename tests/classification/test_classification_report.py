"""`classification_report`, character by character as scikit-learn's."""

import math
import warnings

import numpy as np
import pytest
import sklearn.metrics
from scipy import sparse

import gpumetrics as gm

RNG = np.random.default_rng(1)
MATRICES = RNG.integers(0, 2, (2, 20, 5))
TARGETS = {
    "integers": ([0, 1, 2, 2, 2], [0, 0, 2, 2, 1]),
    "text": (["a", "b"] * 5, ["a"] * 10),
    "Korean": (["고양이", "개", "개"], ["고양이", "고양이", "개"]),
    "floats": (RNG.integers(0, 3, 30) * 1.0, RNG.integers(0, 4, 30)),
    "floats against integers": (RNG.integers(0, 4, 30), RNG.integers(0, 3, 30) * 1.0),
    "booleans": (RNG.integers(0, 2, 30) > 0, RNG.integers(0, 2, 30) > 0),
    "integers against booleans": ([0, 1, 0, 1], [True, False, True, True]),
    "matrices": tuple(MATRICES),
    "sparse matrices": tuple(map(sparse.csr_matrix, MATRICES)),
}
TEXTS = {"text": ["a", "b", "c", "d"], "Korean": ["개", "고양이", "말", "소"]}
OPTIONS = {
    "plain": {},
    "labels": {"labels": [0, 1]},
    "one label": {"labels": [1]},
    "more labels": {"labels": [1, 0, 2, 3]},
    "four digits": {"digits": 4},
    "no digits": {"digits": 0},
    "many digits": {"digits": 15},
    "weights": {"sample_weight": lambda n: np.arange(1, n + 1) / 4},
    "whole weights": {"sample_weight": lambda n: np.arange(1, n + 1)},
    "nan": {"zero_division": math.nan},
    "1": {"zero_division": 1},
    "long names": {"labels": [0, 1], "target_names": ["x", "y" * 25]},
}


def outcome(call, args, options):
    """The report, and what it warned of; or the error."""
    n = args[0].shape[0] if hasattr(args[0], "shape") else len(args[0])
    options = {key: value(n) if callable(value) else value for key, value in options.items()}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            return str(call(*args, **options)), [str(warning.message) for warning in seen]
        except ValueError as error:
            return str(error), []


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("kind", TARGETS)
def test_text_and_dict(kind, option, backend):
    plain = dict(OPTIONS[option])
    if kind in TEXTS and "labels" in plain:
        plain["labels"] = [TEXTS[kind][label] for label in plain["labels"]]
    for options in (plain, plain | {"output_dict": True}):
        expected = outcome(sklearn.metrics.classification_report, TARGETS[kind], options)
        assert outcome(gm.classification_report, TARGETS[kind], options) == expected


def test_the_dict_has_floats():
    report = gm.classification_report([0, 1], [0, 1], output_dict=True)
    assert list(report) == ["0", "1", "accuracy", "macro avg", "weighted avg"]
    assert type(report["accuracy"]) is float
    assert {type(value) for value in report["0"].values()} == {float}


def test_names():
    with pytest.raises(ValueError, match=r"Number of classes, 2, does not match size of target_names, 1\. Try"):
        gm.classification_report([0, 1], [0, 1], target_names=["a"])
    with pytest.warns(UserWarning, match="labels size, 2, does not match size of target_names, 1"):
        gm.classification_report([0, 1], [0, 1], labels=[0, 1], target_names=["a"])
    report = gm.classification_report([0, 1], [0, 1], target_names=np.array(["ant", "bee"]), output_dict=True)
    assert list(report)[:2] == ["ant", "bee"]


def test_names_that_are_numbers():
    report = gm.classification_report([0, 1], [0, 1], target_names=[2024, 2025], digits=True)
    assert report == gm.classification_report([0, 1], [0, 1], target_names=["2024", "2025"], digits=1)


def test_a_class_of_the_name_of_an_average():
    report = gm.classification_report(
        ["accuracy", "b"], ["accuracy", "accuracy"], labels=["accuracy"], output_dict=True
    )
    assert report["accuracy"] == {"precision": 0.5, "recall": 1.0, "f1-score": 2 / 3, "support": 1.0}


def test_support_is_counted_where_nothing_is_right():  # scikit-learn's are floats then
    assert gm.classification_report([0, 1], [1, 0]).split()[8] == "1"


@pytest.mark.parametrize("digits", [-1, 2.0, "x"])
def test_digits(digits):
    with pytest.raises(
        ValueError, match=r"The 'digits' parameter of classification_report must be an int in the range"
    ):
        gm.classification_report([0, 1], [0, 1], digits=digits)
