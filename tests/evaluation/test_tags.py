"""Tag sets become indicator matrices, whatever they come in; each rule for what is not a plain set is held."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics.classification.tags import encode_tags
from gpumetrics.evaluation.tags.evaluate import evaluate_tags

RULE = {"zero_division": 0}
TRUE = [["b", "a"], [], None, ["c", "c"]]
PRED = [["a"], ["d"], ["e"], []]

tags = st.one_of(st.integers(-5, 5), st.sampled_from(["a", "b", "가", "A", ""]))
documents = st.lists(st.tuples(st.lists(tags, max_size=6), st.lists(tags, max_size=6)), min_size=1, max_size=8)


def as_sets(matrix, classes):
    return [{classes[at] for at in matrix.indices[a:b]} for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False)]


def encoded(y_true, y_pred, **kwargs):
    y_true, y_pred, classes = encode_tags(y_true, y_pred, **kwargs)
    return as_sets(y_true, classes), as_sets(y_pred, classes)


def are_rows_of_cells(side):
    """Lists of one length that hold only 0 and 1: of a matrix, or not to be told from one."""
    return len(set(map(len, side))) == 1 and len(side[0]) > 1 and {tag for tags in side for tag in tags} <= {0, 1}


@settings(max_examples=150, deadline=None)
@given(documents)
def test_the_matrices_are_the_sets(pairs):
    true, pred = map(list, zip(*pairs, strict=True))
    assume(not any(map(are_rows_of_cells, (true, pred))))
    found = [tag for document in true + pred for tag in document]
    texts = [all(isinstance(tag, str) for document in side for tag in document) for side in (true, pred)]
    numbers = [all(isinstance(tag, int) for document in side for tag in document) for side in (true, pred)]
    if found and any(true) and any(pred) and sorted((texts[0], texts[1])) == [False, True] and any(numbers):
        with pytest.raises(ValueError, match="so that none can be equal"):
            encode_tags(true, pred)
        return
    out = encode_tags(true, pred)
    assert_equal(set(out.classes.tolist()), set(found))
    assert_equal(encoded(true, pred), ([set(t) for t in true], [set(p) for p in pred]))
    assert out.facts.repeated_true == sum(len(t) - len(set(t)) for t in true)
    assert out.facts.repeated_pred == sum(len(p) - len(set(p)) for p in pred)
    for matrix in out[:2]:
        assert matrix.has_sorted_indices
        assert_array_equal(matrix.data, np.ones(matrix.nnz))
        assert matrix.shape == (len(true), len(out.classes))


def test_order_repetition_and_the_kind_of_collection_do_not_matter():
    expected = encoded([["a", "b"]], [["b", "c"]])
    for true in (
        ["b", "a"],
        ("a", "b", "a"),
        {"a", "b"},
        frozenset("ab"),
        np.array(["b", "a"]),
        dict.fromkeys("ab").keys(),
    ):
        assert_equal(encoded([true], [["c", "b", "b"]]), expected)


def test_unlabelled_documents_have_no_row_and_give_no_class():
    out = encode_tags(TRUE, PRED)
    assert_array_equal(out.classes, ["a", "b", "c", "d"])  # e is only in the document that is left out
    assert_array_equal(out.documents, [0, 1, 3])
    assert_equal(out[0].toarray().tolist(), [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]])
    assert_equal((out.facts.n_given, out.facts.n_unlabelled, out.facts.n_unpredicted), (4, 1, 0))
    assert_equal((out.facts.repeated_true, out.facts.repeated_pred), (1, 0))
    out = encode_tags(TRUE, [["a"], None, None, []])
    assert_array_equal(out.documents, [0, 3])
    assert_equal((out.facts.n_unlabelled, out.facts.n_unpredicted), (1, 1))
    assert_equal(encode_tags([None], [["a"]])[0].shape, (0, 0))


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.datetime64("NaT", "ns")])
def test_every_missing_value_is_unlabelled(missing):
    assert_array_equal(encode_tags([["a"], missing], [["a"], ["a"]]).documents, [0])


def test_unknown_tags_follow_the_rule():
    out = encode_tags(TRUE, PRED, classes=["c", "a", "z"])
    assert_array_equal(out.classes, ["c", "a", "z", "b", "d"])
    assert_equal((out.facts.unknown_true, out.facts.unknown_pred, out.facts.unknown_tags), (1, 1, ("b", "d")))
    out = encode_tags(TRUE, PRED, classes=["c", "a", "z"], unknown="ignore")
    assert_array_equal(out.classes, ["c", "a", "z"])
    assert_equal(out[0].toarray().tolist(), [[0, 1, 0], [0, 0, 0], [1, 0, 0]])
    assert_equal((out.facts.unknown_true, out.facts.unknown_pred), (1, 1))
    with pytest.raises(ValueError, match="2 tags are not in classes: 'b', 'd'"):
        encode_tags(TRUE, PRED, classes=["c", "a", "z"], unknown="raise")
    encode_tags(TRUE, PRED, classes=list("abcd"), unknown="raise")  # e is in no document that counts
    with pytest.raises(ValueError, match="'unknown' parameter must be a str among"):
        encode_tags(TRUE, PRED, unknown="drop")


@pytest.mark.parametrize(
    ("classes", "match"),
    [
        (["a", "a"], "'a' more than once"),
        ("ab", "must be a list"),
        (["a", None], "NaN"),
        (5, "must be a list"),
        (np.array([["a"]]), "must be a list"),
        (np.array("a"), "must be a list"),
    ],
)
def test_classes_are_checked(classes, match):
    with pytest.raises(ValueError, match=match):
        encode_tags([["a"]], [["a"]], classes=classes)


def test_ids_stay_numbers_and_columns_of_lists_are_read():
    out = encode_tags([[3, 1], [2**40]], [np.array([1, 3]), np.array([], dtype=int)])
    assert_equal((out.classes.dtype, out.classes.tolist()), (np.dtype(np.int64), [1, 3, 2**40]))
    assert_array_equal(encode_tags([[2**70, 1]], [[1]]).classes, [1, 2**70])
    assert_array_equal(encode_tags([[3.0, 1]], [[3, 1]])[1].toarray(), [[1, 1]])  # as Python finds them equal
    assert encode_tags([[("a", 1)]], [[("a", 1)]]).classes.tolist() == [("a", 1)]


class Tensor:
    """As those of torch, whose entries are tensors without dimensions, each with a hash of its own."""

    def __init__(self, values):
        self.values, self.ndim = values, np.ndim(values)

    def __iter__(self):
        return map(Tensor, self.values)

    def tolist(self):
        return self.values

    def item(self):
        return self.values


def test_documents_of_any_library_hold_plain_tags():
    expected = encoded([[3, 1], [2]], [[3], [2]])
    assert_equal(encoded([Tensor([3, 1]), Tensor([2])], [[3], [2]]), expected)
    assert_equal(encoded([[Tensor(3), np.array(1)], [2]], [[3], [2]]), expected)
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    for documents in (
        list(pa.array([[3, 1], [2]])),
        [pa.array([3, 1]), pa.array([2])],
        [[pa.scalar(3), pa.scalar(1)], [2]],
        [pl.Series([3, 1]), pl.Series([2])],
    ):
        assert_equal(encoded(documents, [[3], [2]]), expected)
    assert_array_equal(encode_tags(list(pa.array([["a"], None])), [["a"], []]).documents, [0])
    dates = np.array(["2024-05-01"], dtype="datetime64[ns]")
    assert_equal(encode_tags([dates], [[np.datetime64("2024-05-01")]])[1].toarray(), [[1]])


def test_classes_of_any_library():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    for make in (np.array, iter, tuple, pa.array, pl.Series):
        for encode in (encode_tags, evaluate_tags):
            out = encode([["b"]], [["b"]], classes=make(["c", "b"]), **{} if encode is encode_tags else RULE)
            classes = out.classes if encode is encode_tags else out.per_label["label"]
            assert_equal(classes.tolist(), ["c", "b"])
        report = evaluate_tags([["b"]], [["b", "c"]], exclude=make(["c"]), **RULE)
        assert_equal((report.scores["exact_match"], report.settings["exclude"]), (1, ["c"]))


def test_columns_of_pandas():
    pd = pytest.importorskip("pandas")
    lists = pd.Series(TRUE)
    assert_equal(encoded(lists, pd.Series(PRED)), encoded(TRUE, PRED))
    assert_equal(encoded(pd.DataFrame({"tags": TRUE}), PRED), encoded(TRUE, PRED))
    arrays = pd.Series([np.array(t) if t is not None else np.nan for t in TRUE])
    assert_equal(encoded(arrays, PRED), encoded(TRUE, PRED))


def test_columns_of_polars_and_arrow():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    expected = encoded(TRUE, PRED)
    for make in (pl.Series, pa.array, lambda x: pa.chunked_array([x[:2], x[2:]])):
        assert_equal(encoded(make(TRUE), make(PRED)), expected)
    assert_equal(encoded(pl.DataFrame({"tags": TRUE}), pa.table({"tags": PRED})), expected)
    arrow = pd.Series(TRUE, dtype=pd.ArrowDtype(pa.list_(pa.string())))
    assert_equal(encoded(arrow, PRED), expected)
    padded = pa.array([["x"], *TRUE, ["y", None]], type=pa.large_list(pa.dictionary(pa.int32(), pa.string())))
    assert_equal(encoded(padded[1:-1], pl.Series([["x"], *PRED])[1:]), expected)
    fixed = [[1, 2], None, [2, 2]]
    for make in (
        lambda x: pl.Series(x, dtype=pl.Array(pl.Int64, 2)),
        lambda x: pa.array(x, type=pa.list_(pa.int64(), 2)),
    ):
        assert_equal(encoded(make(fixed), make(fixed)), encoded(fixed, fixed))
    for make in (pl.Series, pa.array):
        with pytest.raises(ValueError, match="A tag of document 2 is missing"):
            encode_tags(make([["a"], [], ["b", None]]), make([["a"], [], []]))
        with pytest.raises(ValueError, match="best_threshold"):
            encode_tags(make([[0.5, 0.25]]), make([[1.0]]))
        with pytest.raises(ValueError, match="document 0 is the text 'a'"):
            encode_tags(make(["a"]), make(["a"]))


@pytest.mark.parametrize(
    ("documents", "match"),
    [
        (["a", "b"], "document 0 is the text 'a'; a set of one tag is"),
        (["a, b", "c"], "document 0 is the text 'a, b'; text that holds several tags is split first"),
        ([1, 2], "document 0 is 1.*f1_score"),
        ([0.8, 0.2], "best_threshold"),
        ([[0.8, 0.1], [0.2]], "best_threshold"),
        ([{"a": 0.9}, {}], "a dict.*best_threshold"),
        ([["a", None], []], "A tag of document 0 is missing"),
        ([[], ["a", float("nan")]], "A tag of document 1 is missing"),
        ([float("inf"), 1], "best_threshold"),
        ([[Fraction(10**400, 3)], []], "best_threshold"),
        ([[True, False], []], "boolean True as a tag"),
        ([[["a"]], []], "hashable"),
        ([[np.array([1, 2])], []], "hashable"),
        ([np.zeros((2, 2)), []], "document 0 is array"),
        ([bytearray(b"ab"), []], "the text bytearray"),
        ({"a": ["b"]}, "must be a sequence"),
        ("ab", "must be a sequence"),
        (None, "must be a sequence"),
        ([["a"]], "inconsistent numbers of samples"),
        ([[1], [2]], "The tags of y_true are numbers and those of y_pred text"),
    ],
)
def test_what_is_no_tag_set_is_refused(documents, match):
    with pytest.raises(ValueError, match=match):
        encode_tags(documents, [["a"], ["b"]])


def test_errors_are_short():
    for documents in (["x" * 10_000], {at: [at] for at in range(10_000)}, [["x" * 10_000, None]], [np.zeros((99, 99))]):
        with pytest.raises(ValueError, match="y_true") as error:
            encode_tags(documents, [["a"]])
        assert len(str(error.value)) < 400
        assert "\n" not in str(error.value)


def test_a_query_of_polars_is_refused():
    pl = pytest.importorskip("polars")
    for call in (encode_tags, evaluate_tags):
        with pytest.raises(ValueError, match=r"y_true is a query.*collect"):
            call(pl.LazyFrame({"tags": [["a"]]}), [["a"]])


def test_bytes_are_refused():
    with pytest.raises(TypeError, match="bytes"):
        encode_tags([[b"a"]], [["a"]])


def test_a_matrix_is_refused():
    with pytest.raises(ValueError, match="is a matrix already"):
        encode_tags(encode_tags(TRUE, PRED)[0], PRED)
    for matrix in ([[1, 0, 1]], [[1], [0]], [[0, 1], [1, 0]]):
        for dtype in (int, float, bool, object):
            with pytest.raises(ValueError, match="y_pred is a matrix already"):
                encode_tags([["a"]] * len(matrix), np.array(matrix, dtype=dtype))
    assert_equal(encoded([[3], [5]], np.array([[3, 4], [5, 6]])), ([{3}, {5}], [{3, 4}, {5, 6}]))  # ids of tags


def test_a_table_of_several_columns_is_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"a table of 2 columns \('id', 'tags'\): give that of the tags alone"):
        encode_tags(pd.DataFrame({"id": [1], "tags": [["a"]]}), [["a"]])


def test_the_user_s_lists_stay_as_they_are_and_the_result_can_be_pickled():
    true, pred = [["b", "a", "a"]], [["c"]]
    out = pickle.loads(pickle.dumps(encode_tags(true, pred)))  # noqa: S301
    assert_equal((true, pred), ([["b", "a", "a"]], [["c"]]))
    assert_equal((out.facts.repeated_true, out.documents.tolist(), out[0].toarray().tolist()), (1, [0], [[1, 1, 0]]))
