"""Bad targets and weights: scikit-learn's errors and texts; and what is accepted beyond them."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from numpy.testing import assert_array_equal
from scipy import sparse

import gpumetrics as gm

NAN, INF = float("nan"), float("inf")

pytestmark = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # scikit-learn's

SCORES = ["accuracy_score", "zero_one_loss", "hamming_loss", "balanced_accuracy_score", "confusion_matrix"]
SCORES += ["multilabel_confusion_matrix", "classification_report", "cohen_kappa_score", "matthews_corrcoef"]
SCORES += ["precision_score", "recall_score", "f1_score", "jaccard_score", "precision_recall_fscore_support"]
GOOD = [0, 1, 1]
MATRIX = [[0, 1], [1, 0], [1, 1]]


def call(module, name, args, **kwargs):
    averaged = name in {"precision_score", "recall_score", "f1_score", "jaccard_score"}
    return getattr(module, name)(*args, **({"average": "macro"} if averaged else {}), **kwargs)


BAD = {
    "lengths": (GOOD, [0, 1]),
    "empty": ([], []),
    "empty table": (np.zeros((0, 2)), np.zeros((0, 2))),
    "no columns": (np.zeros((3, 0)), np.zeros((3, 0))),
    "NaN in y_true": ([NAN, 1, 0], GOOD),
    "NaN in y_pred": (GOOD, [NAN, 1, 0]),
    "NaN before inf": (GOOD, [INF, NAN, 0]),
    "inf": (GOOD, [INF, 1, 0]),
    "NaN in y_true first": ([NAN, 1, 0], [INF, 1, 0]),
    "NaN in a matrix": (np.array([[NAN, 1], [0, 1], [1, 1]]), MATRIX),
    "float32 inf": (GOOD, np.array([INF, 1, 0], dtype=np.float32)),
    "continuous predictions": (GOOD, [0.5, 1, 2]),
    "continuous truth": ([0.5, 1, 2], GOOD),
    "continuous both": ([0.5, 1, 2], [0.5, 1, 2]),
    "continuous against text": (["a", "b", "a"], [0.1, 0.2, 0.3]),
    "beyond int64": ([1e300, 1, 2], [1e300, 1, 2]),
    "scores of labels": (MATRIX, [[0.2, 0.7], [0.5, 0.5], [1, 0]]),
    "text and numbers": (["1", "0", "1"], [1, 0, 1]),
    "objects and numbers": (np.array(["1", "0", "1"], dtype=object), [1, 0, 1]),
    "numbers and text": ([1, 0, 1], ["1", "0", "1"]),
    "vector and matrix": (GOOD, MATRIX),
    "three classes and matrix": ([0, 1, 2], MATRIX),
    "several outputs": ([[0, 1, 2], [1, 0, 2], [1, 2, 0]], [[0, 1, 2], [1, 0, 2], [1, 2, 0]]),
    "outputs of text": (np.array([["a", "b"], ["a", "c"]]), np.array([["a", "b"], ["a", "c"]])),
    "sequences of sequences": ([(1,), (2, 3), ()], [(1,), (2, 3), ()]),
    "objects that are lists": (np.array([[], [1, 2]], dtype=object), np.array([[], [1, 2]], dtype=object)),
    "a list without labels": ([[]], [[]]),
    "sets": ([{1}, {2}, {3}], [{1}, {2}, {3}]),
    "sets and numbers": ([{1}, {2}, {3}], GOOD),
    "three dimensions": (np.zeros((3, 2, 2)), GOOD),
    "a row against a vector": ([[0, 1, 1]], GOOD),
    "bytes": ([b"a", b"b", b"a"], [b"a", b"b", b"b"]),
    "complex": ([1 + 1j, 2, 3], GOOD),
    "None": (None, GOOD),
    "a number": (GOOD, 3),
    "text for labels": ("abc", GOOD),
    "a set": ({0, 1, 2}, GOOD),
    "a dict": (GOOD, {0: 1, 1: 2, 2: 3}),
    "a scalar array": (np.array(3), GOOD),
    "columns": (MATRIX, [[0, 1, 0], [1, 0, 0], [1, 1, 1]]),
    "a sparse column": (sparse.csr_matrix([[1], [0], [1]]), GOOD),
    "a sparse matrix against a vector": (sparse.csr_matrix(MATRIX), GOOD),
    "a sparse matrix of numbers": (sparse.csr_matrix([[1, 2], [0, 1], [0, 3]]), sparse.csr_matrix(MATRIX)),
    "a sparse matrix of scores": (sparse.csr_matrix(MATRIX), sparse.csr_matrix([[1, 0.5], [0, 1], [0, 1]])),
    "NaN in a sparse matrix": (sparse.csr_matrix([[1, NAN], [0, 1], [0, 1]]), sparse.csr_matrix(MATRIX)),
}


def error(module, name, args, **kwargs):
    with np.errstate(all="ignore"), pytest.raises((ValueError, TypeError)) as raised:
        call(module, name, args, **kwargs)
    return raised.value


def assert_same_error(ours, theirs):
    """The same type or both (scikit-learn has an error that is both), and the same text, which ours may continue."""
    assert any(isinstance(ours, kind) and isinstance(theirs, kind) for kind in (ValueError, TypeError))
    assert str(ours).startswith(str(theirs).rstrip("."))


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", ["accuracy_score", "hamming_loss", "f1_score", "classification_report"])
def test_bad_targets(name, case):
    assert_same_error(error(gm, name, BAD[case]), error(sklearn.metrics, name, BAD[case]))


@pytest.mark.parametrize("name", SCORES)
def test_bad_targets_of_every_score(name):
    for case in ("empty", "NaN in y_pred", "inf", "continuous predictions", "text and numbers", "None"):
        assert_same_error(error(gm, name, BAD[case]), error(sklearn.metrics, name, BAD[case]))
    # scikit-learn's confusion matrix counts weights of its own among the arrays.
    assert "inconsistent numbers of samples: [3, 2]" in str(error(gm, name, BAD["lengths"]))


@pytest.mark.parametrize("name", [name for name in SCORES if name != "cohen_kappa_score"])
def test_matrices_where_only_vectors_do(name):
    if name in {"balanced_accuracy_score", "confusion_matrix", "matthews_corrcoef"}:
        with pytest.raises(ValueError, match=r"^multilabel-indicator is not supported$"):
            call(gm, name, (MATRIX, MATRIX))
    else:
        call(gm, name, (MATRIX, MATRIX), **({"zero_division": 0} if name.startswith("class") else {}))


def test_continuous_values_are_told_of_thresholds():
    with pytest.raises(ValueError, match=r"mix of binary and continuous targets\. .* best_threshold"):
        gm.f1_score([0, 1], [0.2, 0.7])
    with pytest.raises(ValueError, match=r"continuous-multioutput targets\. .* best_threshold"):
        gm.f1_score(MATRIX, [[0.2, 0.7], [0.5, 0.5], [1, 0]], average="macro")
    for fraction in (Decimal("0.5"), Fraction(1, 3), np.longdouble(0.5)):
        with pytest.raises(ValueError, match=r"^continuous is not supported\. .* best_threshold"):
            gm.f1_score([fraction, "a"], [fraction, "a"], average="macro")
    whole = [Decimal("1.0"), Fraction(2), Decimal("1E+400"), 3.0]
    assert gm.accuracy_score(whole, [*whole[:3], 3]) == 1.0


WEIGHTS = {
    "length": [1, 1],
    "two dimensions": [[1], [1], [1]],
    "NaN": [1, NAN, 1],
    "infinity": [1, INF, 1],
    "all zero": [0, 0, 0],
    "text": ["1", "2", "3"],
    "complex": [1 + 2j, 1, 1],
    "a number": 2.0,
    "None among them": [None, 1, 1],
    "column": np.ones((3, 1)),
    "text among them": np.array(["a", 1, 1], dtype=object),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_bad_weights(case):
    theirs = error(sklearn.metrics, "f1_score", (GOOD, [0, 1, 0]), sample_weight=WEIGHTS[case])
    for name in SCORES:  # some of scikit-learn's let text through
        ours = error(gm, name, (GOOD, [0, 1, 0]), sample_weight=WEIGHTS[case])
        assert_same_error(type(ours)(str(ours).replace(f" of {name} ", " of f1_score ")), theirs)


@pytest.mark.parametrize(
    ("weights", "kind", "message"),
    [
        ([1e308, 1, 1], ValueError, r"^sample_weight adds up to 1e\+308: divide the weights by a constant, so that"),
        ([1e308] * 3, ValueError, "^sample_weight adds up to inf: divide"),
        ([10**400, 1, 1], TypeError, "^sample_weight must hold one finite number for each sample: int too large"),
        ([timedelta(1), 1, 1], TypeError, "^sample_weight must hold one finite number for each sample: .*timedelta"),
    ],
)
def test_weights_out_of_range(weights, kind, message, backend):
    for name in SCORES:
        with pytest.raises(kind, match=message):
            call(gm, name, (GOOD, [0, 1, 0]), sample_weight=weights)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_weights_are_refused(library):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    for columns in ({"w": [1, 2, 3]}, {"v": [1, 2, 3], "w": [1, 2, 3]}):
        with pytest.raises(ValueError, match=r"^Sample weights must be 1D array or scalar"):
            gm.accuracy_score(GOOD, GOOD, sample_weight=make(columns))


def test_a_table_of_one_column_is_a_vector():
    pd, pl, pa = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    for labels in (GOOD, ["a", "b", "b"], [1.0, 2.0, 2.0]):
        tables = [pd.DataFrame(labels), pd.DataFrame({"y": labels}), pd.DataFrame({7: labels}).astype("category")]
        tables += [pl.DataFrame({"y": labels}), pa.table({"y": labels})]
        for table in tables:
            assert gm.accuracy_score(table, labels) == gm.accuracy_score(labels, table) == 1.0
            assert gm.f1_score(table, table, average="macro") == 1.0
    with pytest.raises(ValueError, match=r"Input y_true contains NaN\. A label is missing .* in 1 of 3 rows"):
        gm.accuracy_score(pd.DataFrame([1, None, 0], dtype="Int64"), GOOD)


def test_missing_labels_are_said_to_be_missing():
    pd = pytest.importorskip("pandas")
    missing = pd.Series([1, None, 0], dtype="Int64")
    for args, name in (((missing, GOOD), "y_true"), ((GOOD, missing), "y_pred"), (([None, 1, 0], GOOD), "y_true")):
        with pytest.raises(ValueError, match=f"Input {name} contains NaN. A label is missing .* in 1 of 3 rows"):
            gm.accuracy_score(*args)
    table = pd.DataFrame({"a": [1, 0, 1], "b": [0, None, 1]}).astype("Int64")
    with pytest.raises(ValueError, match=r"Input y_pred contains NaN\. Column 'b'"):
        gm.accuracy_score(MATRIX, table)
    weights = pd.Series([1, None, 2], dtype="Float64")
    with pytest.raises(ValueError, match=r"^Input sample_weight contains NaN\.$"):
        gm.accuracy_score(GOOD, GOOD, sample_weight=weights)


@pytest.mark.parametrize(
    ("true", "pred", "right"),
    [
        (np.array([1, 0, 1, 0], dtype=object), np.array([1, 1, 0, 0], dtype=object), 2),
        ([Decimal(1), Decimal(2)], [1, 3], 1),
        ([2**70, 1], [2**70, 2**70], 1),
        (np.array([2**53 + 1, 0]), np.array([2.0**53, 0.0]), 1),
        (np.array([2**63 + 1, 2**63], dtype=np.uint64), np.array([2**62, -1]), 0),
        (np.array([2**63 + 1, 2], dtype=np.uint64), np.array([2.0**62, 2]), 1),
        (np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]"), np.array(["2024-01-01", "2024-01-01"], "M8[s]"), 1),
        (np.array([True, False]), [1, 1], 1),
        (np.array([[1], [0]]), [1.0, 1.0], 1),
        (["a", "\0"], ["a\0", "\0"], 1),
    ],
)
def test_labels_are_compared_by_value(true, pred, right, backend):
    n = len(pred)
    assert gm.accuracy_score(true, pred) == right / n
    assert gm.f1_score(true, pred, average="micro") == right / n
    assert gm.confusion_matrix(true, pred).trace() == right


def test_dates_and_numbers_are_not_compared():
    days = np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]")
    with pytest.raises(ValueError, match=r"Mix of label input types \(date and number\); Got \['2024-01-01'"):
        gm.accuracy_score(days, [0, 1])


def test_dates_of_different_types_are_not_compared():  # they differ, or are equal with other hashes
    pd = pytest.importorskip("pandas")
    days, stamps = [date(2024, 1, 1), date(2024, 1, 2)], [datetime(2024, 1, 1), datetime(2024, 1, 2)]
    zoned = pd.Series(stamps).dt.tz_localize("Asia/Seoul").tolist()
    array = np.array(days, dtype="M8[D]")
    for one, other in ((array, days), (array, stamps), (days, stamps), (array, zoned), (array - array[0], array)):
        for args in ((one, other), (other, one)):
            with pytest.raises(ValueError, match=r"Mix of label input types \((date|time span|datetime object)"):
                gm.accuracy_score(*args)
    for same in (array.astype("M8[ns]"), pd.Series(array), pd.Series(array).tolist()):
        assert gm.accuracy_score(array, same) == gm.f1_score(same, array, average="macro") == 1.0


def test_columns_in_another_order_are_not_compared_by_position():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    true = {"cat": [1, 0, 1], "dog": [0, 0, 1]}
    swapped = {name: true[name] for name in ("dog", "cat")}
    for kind in (pd.DataFrame, pl.DataFrame):
        assert gm.accuracy_score(kind(true), kind(true)) == gm.accuracy_score(kind(true), pl.DataFrame(true)) == 1.0
        with pytest.raises(
            ValueError, match=r"columns of y_pred must have the names of those of y_true.* 0 is 'dog', and"
        ):
            gm.f1_score(kind(true), kind(swapped), average="macro")
        other = kind({"cat": [1, 0, 1], "cow": [0, 0, 1]})
        with pytest.raises(
            ValueError, match=r"column 1 is 'cow', and not 'dog'\. Arrays without names, as to_numpy\(\)"
        ):
            gm.accuracy_score(kind(true), other)
        assert gm.accuracy_score(kind(true), other.to_numpy()) == gm.accuracy_score(other.to_numpy(), kind(true)) == 1.0

    with pytest.raises(ValueError, match="column 0 is 0, and not 'cat'"):
        gm.accuracy_score(pd.DataFrame(true), pd.DataFrame(pd.DataFrame(true).to_numpy()))


def test_rows_are_compared_by_position():  # as in scikit-learn; evaluate_tags compares them by the index
    pd = pytest.importorskip("pandas")
    true, pred = pd.Series([1, 0, 0]), pd.Series([1, 0, 0], index=[2, 0, 1])
    assert gm.accuracy_score(true, pred) == sklearn.metrics.accuracy_score(true, pred) == 1.0


def test_sets_of_tags_are_told_of_encode_tags():
    pd, pl, pa = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    lists = [["a", "b"], ["c"]]
    nested = (lists, [["a", "b"], ["c", "d"]], [{"a"}, {"b"}], [frozenset("a"), frozenset()], pd.Series(lists))
    for y in (*nested, pl.Series(lists), pa.array(lists), np.array([["a", "b"]] * 2, dtype=object)):
        for call in (gm.accuracy_score, gm.classification_report):
            with pytest.raises(
                ValueError, match=r"\. Sets of tags become 0/1 matrices by encode_tags; evaluate_tags takes"
            ):
                call(y, y)
    y_true, y_pred, _ = gm.encode_tags(lists, lists)
    assert gm.accuracy_score(y_true, y_pred) == 1.0


def test_two_devices_are_refused(emulated):
    with emulated.cuda.Device(0):
        true = emulated.asarray([0, 1])
    fake = pytest.importorskip("emulation.fake_cupy")
    with fake.control.set(n_devices=2), emulated.cuda.Device(1):
        pred = emulated.asarray([0, 1])
        with pytest.raises(ValueError, match="y_true is on CUDA device 0, but y_pred is on CUDA device 1"):
            gm.accuracy_score(true, pred)


def test_results_of_lists_are_numpy_arrays():
    assert_array_equal(gm.confusion_matrix([0, 1], [1, 1], sample_weight=[0.5, 1]), [[0, 0.5], [0, 1]])
    assert type(gm.recall_score([0, 1], [1, 1], average=None)) is np.ndarray
