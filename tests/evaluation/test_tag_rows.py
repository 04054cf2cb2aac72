"""Rows of zeros and ones in lists are rows of a matrix, in whatever they come: as tag sets they would all be equal."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics.classification.tags import encode_tags
from gpumetrics.evaluation.tags.evaluate import evaluate_tags

TRUE = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]])
PRED = np.array([[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 1]])


def pandas_column(rows):
    return pytest.importorskip("pandas").Series(rows)


def polars_column(rows):
    return pytest.importorskip("polars").Series(rows)


def polars_arrays(rows):
    polars = pytest.importorskip("polars")
    return polars.Series(rows, dtype=polars.Array(polars.Int8, 3))


def arrow_column(rows):
    return pytest.importorskip("pyarrow").array(rows)


def objects(rows):
    return np.fromiter(rows, dtype=object)


FORMS = {
    "lists": list,
    "tuples": lambda rows: tuple(None if row is None else tuple(row) for row in rows),
    "generator": iter,
    "arrays": lambda rows: [None if row is None else np.array(row) for row in rows],
    "arrays of floats": lambda rows: [np.nan if row is None else np.array(row, dtype=float) for row in rows],
    "arrays of booleans": lambda rows: [None if row is None else np.array(row, dtype=bool) for row in rows],
    "array of lists": objects,
    "pandas": pandas_column,
    "polars": polars_column,
    "polars' arrays": polars_arrays,
    "arrow": arrow_column,
}


@pytest.mark.parametrize("unlabelled", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_rows_in_lists_are_a_matrix(form, unlabelled):
    expected = evaluate_tags(TRUE, PRED, zero_division=0)
    true, pred = TRUE.tolist(), PRED.tolist()
    if unlabelled:
        true.insert(1, None)
        pred.insert(1, [1, 1, 1])
    report = evaluate_tags(FORMS[form](true), FORMS[form](pred), zero_division=0)
    assert_equal((report.scores, report.n_unlabelled), (expected.scores, int(unlabelled)))
    assert_equal(report.per_label["label"].tolist(), [0, 1, 2])
    assert "rows of an indicator matrix" in report.notes["nested_lists"]
    with pytest.raises(ValueError, match="y_true is a matrix already"):
        encode_tags(FORMS[form](true), FORMS[form](pred))
    if not unlabelled:
        assert_equal(evaluate_tags(FORMS[form](true), PRED, zero_division=0).scores, expected.scores)


def test_an_array_of_objects_is_a_matrix():
    expected = evaluate_tags(TRUE, PRED, zero_division=0).scores
    assert_equal(evaluate_tags(TRUE.astype(object), PRED.astype(object), zero_division=0).scores, expected)
    with pytest.raises(ValueError, match="y_true is a matrix already"):
        encode_tags(TRUE, PRED)
    row = np.array([[1, 0]], dtype=object)
    assert_equal(evaluate_tags(row, [["x"]], classes=["x", "y"], zero_division=0).scores["exact_match"], 1)


def test_rows_on_one_side_need_the_names_of_the_other():
    tags = [["b"], ["b"], ["a"], ["b", "c"]]
    expected = evaluate_tags(TRUE, PRED, zero_division=0).scores
    assert_equal(evaluate_tags(TRUE.tolist(), tags, classes=list("abc"), zero_division=0).scores, expected)
    for other in (tags, [[1], [1], [0], [1, 2]]):
        with pytest.raises(ValueError, match="zeros and ones without names of columns, and the other side has tags"):
            evaluate_tags(TRUE.tolist(), other)
        with pytest.raises(ValueError, match="y_true is a matrix already"):
            encode_tags(TRUE.tolist(), other)


def test_tags_that_are_called_0_and_1_stay_tags():
    for true, pred in (
        ([{0, 1}, {0, 1}], [{0, 1}, {1, 0}]),
        ([[0, 1], [1]], [[0], [1, 0]]),
        ([[0, 1], [1, 0]], [[0], [1]]),
        ([[0], [1]], [[1], [1]]),
        ([[1, 1]], [[2]]),
        ([["0", "1"]], [["1", "0"]]),
        ([[0, 1], [1, 0]], [{0, 1}, {0}]),
    ):
        y_true, y_pred, classes = encode_tags(true, pred)
        for matrix, sets in ((y_true, true), (y_pred, pred)):
            assert_array_equal(matrix.toarray(), [[tag in document for tag in classes] for document in sets])


def test_rows_of_text_are_refused():
    with pytest.raises(ValueError, match="y_true holds rows of the text '0' and '1'"):
        evaluate_tags([["1", "0", "1"], ["0", "0", "1"]], [["a"], ["b"]])


def test_rows_in_lists_on_a_gpu(emulated):
    expected = evaluate_tags(TRUE, PRED, zero_division=0, sample_weight=[1, 2, 0, 3])
    weights = emulated.asarray([1.0, 2.0, 0.0, 3.0])
    report = evaluate_tags(TRUE.tolist(), emulated.asarray(PRED), zero_division=0, sample_weight=weights)
    assert_equal((report.backend, report.scores), ("cupy", expected.scores))
    assert_equal(report.to_dict()["setting_sample_weight"], [1, 2, 0, 3])
