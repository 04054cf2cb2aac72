"""What `evaluate_tags` reads: tables by name, rows without labels; and what it refuses or warns of."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal
from scipy import sparse

from gpumetrics.evaluation.tags.evaluate import evaluate_tags

TRUE = [["delivery", "refund"], ["delivery"]]
PRED = [["delivery", "refund", "account"], ["delivery"]]

# Tables


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_are_compared_by_name(library):
    frames = pytest.importorskip(library)
    true = frames.DataFrame({"a": [1, 0, 1], "b": [1, 1, 0]})
    pred = frames.DataFrame({"b": [1, 1, 0], "a": [1, 0, 1]})
    report = evaluate_tags(true, pred)
    assert_equal((report.scores["jaccard_micro"], report.per_label["label"].tolist()), (1.0, ["a", "b"]))
    assert "compared by their names" in report.notes["columns"]
    assert "columns" not in evaluate_tags(true, true).notes
    with pytest.raises(ValueError, match="y_pred has no 'b'; y_true has no 'c'"):
        evaluate_tags(true, frames.DataFrame({"a": [1, 0, 1], "c": [1, 1, 0]}))
    bare = evaluate_tags(true, np.array([[1, 1], [0, 1], [1, 0]]))
    assert "Only the columns of y_true have names" in bare.notes["columns"]
    assert_equal(evaluate_tags(true, [["a", "b"], ["b"], ["a"]]).scores["exact_match"], 1.0)


def test_columns_of_the_same_name_are_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, 0]], columns=["a", "a"])
    with pytest.raises(ValueError, match="more than one column of the name 'a'"):
        evaluate_tags(frame, frame)


def test_rows_are_compared_by_their_index():
    pd = pytest.importorskip("pandas")
    true = pd.Series([["a"], ["b"], None], index=[5, 6, 7])
    report = evaluate_tags(true, pd.Series([[], ["b"], ["a"]], index=[7, 6, 5]), zero_division=0)
    assert_equal(report.scores["exact_match"], 1.0)
    assert "by their index" in report.notes["rows"]
    report = evaluate_tags(true, pd.Series([["a"], ["b"], []]))
    assert_equal(report.scores["exact_match"], 1.0)
    assert "by position" in report.notes["rows"]


def test_weights_and_texts_are_those_of_their_rows():
    pd = pytest.importorskip("pandas")
    true = pd.Series([["a"], ["b"], ["c"]], index=[5, 6, 7])
    pred = [["a"], [], []]
    weights, texts = pd.Series([0, 3, 1], index=[7, 6, 5]), pd.Series(["x", "y", "z"], index=[7, 6, 5])
    report = evaluate_tags(true, pred, sample_weight=weights, texts=texts, zero_division=0)
    assert_equal((report.scores["exact_match"], report.settings["sample_weight"].tolist()), (0.25, [1, 3, 0]))
    assert_equal([entry["text"] for entry in report.worst], ["y", "x"])
    assert "by their index" in report.notes["rows_sample_weight"]
    assert "by their index" in report.notes["rows_texts"]


def test_classes_name_the_columns_of_bare_matrices():
    matrix = np.array([[1, 0], [0, 1]])
    report = evaluate_tags(matrix, matrix, classes=["x", "y"], exclude=["y"], zero_division=1)
    assert_equal(report.per_label["label"].tolist(), ["x"])
    with pytest.raises(ValueError, match="2 columns, but there are 3 tags"):
        evaluate_tags(matrix, matrix, classes=["x", "y", "z"])
    with pytest.raises(ValueError, match="give classes"):
        evaluate_tags(matrix, [["x"], ["y"]])
    assert_equal(evaluate_tags(matrix, [["x"], ["y"]], classes=["x", "y"]).scores["exact_match"], 1.0)
    with pytest.raises(ValueError, match="classes holds 'x' more than once"):
        evaluate_tags(matrix, [["x"], ["y"]], classes=["x", "x"])
    with pytest.raises(ValueError, match="different numbers of labels"):
        evaluate_tags(matrix, np.ones((2, 3)))


# Missing truth


def test_unlabelled_is_not_empty():
    true, pred = [["a"], None, []], [["a"], ["b"], []]
    report = evaluate_tags(true, pred, zero_division=1)
    without = evaluate_tags([["a"], []], [["a"], []], zero_division=1)
    assert_equal(report.scores, without.scores)
    assert_equal((report.documents["n_given"], report.n_unlabelled, report.n_documents), (3, 1, 2))
    assert_array_equal(report.per_document["document"], [0, 2])
    assert "Not labelled: 1 of 3 documents" in str(report)
    assert "not labelled is not empty" in " ".join(str(report).split())
    report = evaluate_tags([["a"], ["b"]], [["a"], None])
    assert_equal((report.documents["n_unpredicted"], report.n_documents), (1, 1))
    assert "without a prediction" in report.notes["unpredicted"]


def test_a_row_of_nan_is_unlabelled_and_a_single_cell_is_refused():
    true = np.array([[1, 0], [np.nan, np.nan], [0, 1]])
    pred = np.array([[1, 0], [1, 1], [0, 1]])
    report = evaluate_tags(true, pred)
    assert_equal((report.n_unlabelled, report.scores["exact_match"]), (1, 1.0))
    true[1, 0] = 1
    with pytest.raises(ValueError, match=r"contains NaN.*no negative"):
        evaluate_tags(true, pred)


def test_missing_rows_of_a_table():
    pd = pytest.importorskip("pandas")
    true = pd.DataFrame({"a": pd.array([1, None, 0], dtype="Int64"), "b": [True, None, True]})
    pred = pd.DataFrame({"a": [1, 1, 0], "b": [1, 1, 1]})
    assert_equal(evaluate_tags(true, pred).n_unlabelled, 1)
    true.loc[1, "a"] = 1
    with pytest.raises(ValueError, match="no negative"):
        evaluate_tags(true, pred)


@pytest.mark.parametrize("dtype", ["boolean", "Int8", "Float32", "bool[pyarrow]", "int64[pyarrow]", "float", "object"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_missing_rows_of_every_type(library, dtype):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    numbers = {"a": [1, None, 0, 1], "b": [0, None, 1, 1]}
    boolean = {name: [None if cell is None else bool(cell) for cell in column] for name, column in numbers.items()}
    table = pd.DataFrame(boolean if "bool" in dtype or dtype == "object" else numbers).astype(dtype)
    if library == "polars":
        table = pl.DataFrame(boolean if "bool" in dtype else numbers)
    elif library == "pyarrow":
        table = pa.table(boolean if "bool" in dtype else numbers)
    report = evaluate_tags(table, [["a"], ["a"], ["b"], ["a"]], zero_division=0)
    assert_equal((report.n_unlabelled, report.scores["exact_match"]), (1, 2 / 3))


def test_tables_of_objects():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": [True, False], "b": [False, True]}, dtype=object)
    assert_equal(evaluate_tags(table, table).scores["exact_match"], 1)
    for column, shown in (([["a"], ["b"]], r"\['a'\]"), (["1", "0"], "'1'")):
        table = pd.DataFrame({"id": [1, 0], "tags": column})
        with pytest.raises(ValueError, match=f"its column 'tags' holds {shown}"):
            evaluate_tags(table, table)


def test_batches_of_arrow():
    pa = pytest.importorskip("pyarrow")
    batch = pa.RecordBatch.from_pydict({"a": [1, 0], "b": [1, 1]})
    assert_equal(evaluate_tags(batch, [["a", "b"], ["b"]]).scores["exact_match"], 1)


# What is refused, and what is warned of


@pytest.mark.parametrize(
    "scores",
    [
        [0.8, 0.3],
        [[0.8, 0.1, 0.9], [0.2, 0.3, 0.4]],
        np.array([[0.8, 0.1, 0.9], [0.2, 0.3, 0.4]]),
        sparse.csr_array(np.array([[0.8, 0, 0.9], [0, 0.3, 0.4]])),
    ],
)
def test_continuous_scores_are_refused(scores):
    truth = [[1, 0, 1], [0, 1, 0]]
    for sides in ((truth, scores), (np.array(truth), scores), (scores, scores)):
        with pytest.raises(ValueError, match="best_threshold"):
            evaluate_tags(*sides)


def test_counts_are_warned_of():
    counts, truth = np.array([[3, 0], [1, 9]]), np.array([[1, 0], [1, 1]])
    with pytest.warns(UserWarning, match=r"y_pred holds counts up to 9.*size of the counts is lost"):
        report = evaluate_tags(truth, counts)
    assert_equal(report.scores["exact_match"], 1.0)


@pytest.mark.parametrize(
    ("pred", "match"),
    [
        (np.array([[1, -1], [0, 1]]), "a negative number"),
        (np.array([[1, np.inf], [0, 1]]), "infinity"),
        (np.array([1, 0]), "f1_score"),
        (np.zeros((2, 2, 2)), "for each document"),
        (np.array([["a", "b"], ["c", "d"]]), "numbers and those of y_pred text"),
    ],
)
def test_other_matrices_are_refused(pred, match):
    with pytest.raises(ValueError, match=match):
        evaluate_tags(np.array([[1, 0], [1, 1]]), pred, classes=[0, 1])


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"zero_division": 2}, "'zero_division' parameter of evaluate_tags"),
        ({"beta": -1}, "'beta' parameter of evaluate_tags"),
        ({"worst": -1}, "worst must be"),
        ({"exclude": "ab"}, "exclude must be"),
        ({"sample_weight": [1, -1]}, "must not be negative"),
        ({"sample_weight": [0, 0]}, "at least one non-zero number"),
        ({"sample_weight": 3}, "'sample_weight' parameter of evaluate_tags"),
        ({"sample_weight": [1]}, "inconsistent numbers of samples"),
        ({"texts": ["x"]}, "inconsistent numbers of samples"),
        ({"texts": "xy"}, "texts must be a sequence"),
        ({"texts": 2}, "texts must be a sequence"),
        ({"classes": 2}, "classes must be a list"),
        ({"exclude": [["a"]]}, "exclude must hold hashable tags"),
        ({"exclude": [("a", ["b"])]}, "exclude must hold hashable tags"),
        ({"unknown": np.array(["extend", "raise"])}, "'unknown' parameter must be a str among"),
    ],
)
def test_settings_are_checked(settings, match):
    with pytest.raises(ValueError, match=match):
        evaluate_tags(TRUE, PRED, **settings)
    if "classes" in settings:
        with pytest.raises(ValueError, match=match):
            evaluate_tags(np.eye(2), np.eye(2), **settings)


def test_no_documents():
    with pytest.raises(ValueError, match="empty input array"):
        evaluate_tags([], [])
    with pytest.raises(ValueError, match="of 2 documents 2 are not labelled"):
        evaluate_tags([None, None], [[], []])
    with pytest.raises(ValueError, match=r"of 1 document 0 are not labelled .* and 1 has no prediction"):
        evaluate_tags([["a"]], [None])
