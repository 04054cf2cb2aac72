"""The doors: labels of any kind become codes, features of any kind become rows, and nothing is coerced."""

import collections
import collections.abc
import datetime as dt
import decimal
import fractions
import math
import time

import inputs
import numpy as np
import pytest
from catalogue import AGREEMENT
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.features import check_features
from gpumetrics.validation import check_consistent_length, drop_rows, encode_labels, noise_mask

CODES = np.random.default_rng(0).integers(0, 4, 50)
CODES[:4] = range(4)


@pytest.mark.parametrize("kind", inputs.LABEL_KINDS)
def test_codes_follow_the_sorted_values(kind):
    labels = encode_labels(inputs.LABEL_KINDS[kind](CODES))
    assert labels.codes.dtype == labels.counts.dtype == np.int64
    assert_array_equal(labels.codes, CODES)
    assert_array_equal(labels.counts, np.bincount(CODES))
    assert len(labels.classes) == 4


@pytest.mark.parametrize("kind", inputs.TWO_LABELS)
def test_codes_of_two_values(kind):
    labels = encode_labels(inputs.TWO_LABELS[kind](CODES % 2))
    assert_array_equal(labels.codes, CODES % 2)
    assert labels.classes.tolist() == [False, True]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [1, 2, 1000, 70_000])
def test_codes_of_random_integers(seed, n):
    rng = np.random.default_rng(seed)
    for low, high in [(0, 5), (-3, 300), (0, 2**16), (-(2**31), 2**31), (-(2**63), 2**63 - 1), (0, n)]:
        values = rng.integers(low, high, n)
        classes, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        labels = encode_labels(values)
        assert_array_equal(labels.classes, classes)
        assert_array_equal(labels.codes, codes)
        assert_array_equal(labels.counts, counts)


@pytest.mark.parametrize("n", [10, 100_000])
def test_codes_of_strings(n):
    words = np.array(["", "a", "A", "aa", "ä", "가", "나", " a", "a ", "zebra" * 20])
    values = words[np.random.default_rng(1).integers(0, len(words), n)]
    values[: len(words)] = words[:n]
    for given in (values, values.tolist(), values.astype(object), values.astype(np.dtypes.StringDType())):
        labels = encode_labels(given)
        assert labels.classes.tolist() == sorted(words.tolist())
        assert [labels.classes[c] for c in labels.codes[:50]] == values[:50].tolist()


def test_strings_that_share_a_beginning_or_an_end():
    values = np.array([f"{'x' * 63}{i:04d}{'y' * 63}" for i in np.random.default_rng(0).integers(0, 300, 5000)])
    classes, codes = np.unique(values, return_inverse=True)
    labels = encode_labels(values)
    assert_array_equal(labels.classes, classes)
    assert_array_equal(labels.codes, codes)


def test_the_values_stay_what_they_are():
    for values, classes in [
        ([1, "1", 1], [1, "1"]),
        ([2**53 + 1, 2.0**53], [2.0**53, 2**53 + 1]),
        ([True, 1, 0], [0, True]),
        ([2**80, 1, 2**80], [1, 2**80]),
        ([decimal.Decimal(2), fractions.Fraction(1, 3)], [fractions.Fraction(1, 3), decimal.Decimal(2)]),
        ([(1, 2), (1, 3), (1, 2)], None),
    ]:
        if classes is None:  # a list of pairs is a table, not labels
            with pytest.raises(ValueError, match="1d array"):
                encode_labels(values)
        else:
            labels = encode_labels(values)
            assert labels.classes.tolist() == classes
            assert [labels.classes[c] for c in labels.codes] == values


NAN = float("nan")


class Letters(collections.abc.Sequence):
    """A sequence that is neither a list nor an array."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, at):
        return self.values[at]


def zero_dimensional(value):
    return value if isinstance(value, str) else np.array(value)  # np.array("a\0") is "a"


CONTAINERS = [list, tuple, collections.deque, collections.UserList, Letters]
CONTAINERS += [lambda values: [[v] for v in values], lambda values: [zero_dimensional(v) for v in values]]
CONTAINERS += [lambda values: [(zero_dimensional(v),) for v in values]]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    "values",
    [
        [1, "1", 1],
        ["a", "a\0"],
        [2**53 + 1, 2.0**53],
        [2**63 + 1, -1, 2**63],
        [np.timedelta64(1, "s"), 1],
        [True, "True"],
        ["a", "b", "a"],
        [0.5, 1, 2],
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:The .generic. unit for NumPy timedelta")  # 1 beside timedelta64(1, "s")
def test_a_sequence_keeps_its_values(values, container):
    labels = encode_labels(container(values))
    assert [labels.classes[c] for c in labels.codes] == values
    assert labels.n_classes == len(set(values))


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("values", "message"), [(["a", NAN], "contains NaN"), ([1, NAN], "contains NaN"), (["a", math.inf], "infinity")]
)
def test_a_sequence_with_a_missing_label(values, message, container):
    with pytest.raises(ValueError, match=f"labels {message}|labels contains {message}"):
        encode_labels(container(values))


@pytest.mark.parametrize(
    "make",
    [
        lambda: float("nan"),
        lambda: np.float32("nan"),
        lambda: np.datetime64("NaT", "ns"),
        lambda: decimal.Decimal("sNaN"),
        lambda: (1, (float("nan"), 2)),
        lambda: None,
    ],
)
def test_many_missing_labels_take_no_longer(make):
    values = np.empty(30_000, dtype=object)
    for i in range(len(values)):
        values[i] = make()
    started = time.perf_counter()
    with pytest.raises(ValueError, match="in 30000 of 30000 rows"):
        encode_labels(values)
    assert time.perf_counter() - started < 2


def test_infinite_decimals_are_refused():
    for value in ("inf", "-inf"):
        with pytest.raises(ValueError, match="infinity"):
            encode_labels([decimal.Decimal(1), decimal.Decimal(value)])


def test_tuples_are_labels_in_an_array_of_objects():
    labels = encode_labels(np.fromiter([(1, 3), (1, 2), (1, 3)], dtype=object, count=3))
    assert labels.classes.tolist() == [(1, 2), (1, 3)]
    assert labels.codes.tolist() == [1, 0, 1]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="longdouble is float64 here")
def test_long_doubles_are_not_rounded():
    one = np.longdouble(1)
    for pair in ([one, one + np.finfo(np.longdouble).eps], [one * 2**53, one * 2**53 + 1]):
        assert encode_labels(np.array(pair)).codes.tolist() == [0, 1]
        assert encode_labels(pair).codes.tolist() == [0, 1]
    large = np.array([np.longdouble("1e400"), np.longdouble("1e401"), np.longdouble("1e400")])
    labels = encode_labels(large)
    assert labels.codes.tolist() == [0, 1, 0]
    assert labels.classes.dtype == np.longdouble


def test_any_byte_but_0_is_true():
    labels = encode_labels(np.array([0, 1, 255], np.uint8).view(bool))
    assert labels.codes.tolist() == [0, 1, 1]
    assert labels.classes.tolist() == [False, True]


def odd_columns():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    yield pl.Series([1, 2], dtype=pl.Int128), "cannot be read as labels"
    yield pa.array([1, 2], pa.time64("ns")), "cannot be read as labels"
    yield pl.Series([1, 2]).cast(pl.Time), "finer than a microsecond"
    yield pd.Series([1, 2], dtype=pd.ArrowDtype(pa.time64("ns"))), "finer than a microsecond"
    yield pd.MultiIndex.from_tuples([(1, 2), (1, 3)]), "cannot be read as labels"
    yield pa.record_batch({"a": [1, 2]}), "cannot be read as labels"
    yield pd.Timestamp("2020"), "array-like"
    yield pa.scalar(1), "array-like"
    yield pl.LazyFrame({"a": [1, 2]}), "array-like"
    yield pd.DataFrame({"a": [1, 2], "b": pd.to_datetime(["2020", "2021"])}), "labels should be a 1d array"


def test_columns_that_cannot_be_read_name_the_argument():
    for column, message in odd_columns():
        with pytest.raises(ValueError, match=rf"labels.*{message}|{message}.*labels|{message}") as caught:
            encode_labels(column)
        assert "labels" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_time_stamps_with_a_zone_stay_apart():
    pd = pytest.importorskip("pandas")
    stamps = pd.date_range("2024-10-27 00:00", periods=4, freq="h", tz="Europe/Berlin")  # 02:00 comes twice
    assert encode_labels(stamps).codes.tolist() == [0, 1, 2, 3]
    assert encode_labels(pd.Series(stamps)).n_classes == 4


def test_integers_and_floats_are_compared_as_numbers():
    a = np.array([2**53 + 1, 2**53, 2**53 - 1])
    assert gm.adjusted_rand_score(a, [0, 1, 2]) == 1
    assert gm.rand_score(np.array([2**64 - 1, 2**64 - 2], np.uint64), [0, 1]) == 1
    assert encode_labels([0.0, -0.0]).n_classes == 1


@pytest.mark.parametrize(
    "missing",
    [
        [1.0, np.nan, 2.0],
        [1, None, 2],
        ["a", None, "b"],
        ["a", np.nan, "b"],
        np.array([1, None, 2], dtype=object),
        np.array([1, np.nan, 2], dtype=object),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        np.ma.masked_array([1, 2, 3], mask=[0, 1, 0]),
    ],
    ids=str,
)
def test_missing_labels(missing):
    with pytest.raises(ValueError, match=r"(?i)Input labels contains NaN|missing"):
        encode_labels(missing)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "string", "category", "object"])
def test_missing_labels_of_pandas(dtype):
    pd = pytest.importorskip("pandas")
    values = {"boolean": [True, None, False], "string": ["a", None, "b"]}.get(dtype, [1, None, 2])
    for series in (pd.Series(values, dtype=dtype), pd.Series(values, dtype=dtype, name="cluster")):
        with pytest.raises(ValueError, match="labels_pred contains NaN"):
            gm.rand_score([0, 1, 1], series)


def test_missing_labels_of_polars_and_arrow():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for column in (pl.Series([1, None, 2]), pl.Series(["a", None, "b"]), pl.Series([1.0, float("nan"), 2.0])):
        with pytest.raises(ValueError, match="NaN"):
            encode_labels(column)
    for column in (pa.array([1, None, 2]), pa.chunked_array([["a"], [None, "b"]])):
        with pytest.raises(ValueError, match="NaN"):
            encode_labels(column)


def test_chunked_and_sliced_arrow():
    pa = pytest.importorskip("pyarrow")
    column = pa.chunked_array([["b", "a"], [], ["b", "c"]])
    assert_array_equal(encode_labels(column).codes, [1, 0, 1, 2])
    assert_array_equal(encode_labels(pa.array([9, 5, 7, 5]).slice(1)).codes, [0, 1, 0])
    pl = pytest.importorskip("polars")
    enum = pl.Series(["low", "high", "low"], dtype=pl.Enum(["low", "high"]))
    assert encode_labels(enum).n_classes == 2


def test_pandas_is_read_by_position_not_by_index():
    pd = pytest.importorskip("pandas")
    series = pd.Series([0, 0, 1, 1], index=[3, 2, 1, 0])
    assert gm.adjusted_rand_score(series, [0, 0, 1, 1]) == 1
    assert gm.adjusted_rand_score(series, pd.Series([0, 0, 1, 1], index=[0, 3, 1, 2])) == 1
    unused = pd.Series(pd.Categorical(["a", "b", "a"], categories=["z", "b", "a", "q"]))
    labels = encode_labels(unused)
    assert labels.n_classes == 2


@pytest.mark.parametrize("labels", [b"ab", [b"a", b"b"], np.array([b"a", b"b"])], ids=str)
def test_bytes_are_refused(labels):
    with pytest.raises((TypeError, ValueError), match=r"(?i)bytes|array-like"):
        encode_labels(labels)


@pytest.mark.parametrize("labels", [{0, 1}, {"a": 1}, iter([0, 1]), 5, None, object()], ids=lambda v: type(v).__name__)
def test_no_labels_at_all(labels):
    with pytest.raises((TypeError, ValueError), match=r"labels_pred|1D|array"):
        gm.rand_score([0, 1], labels)


def test_empty_labels_of_every_kind():
    empties = [[], (), np.array([]), np.array([], int), np.array([], str), np.array([], object)]
    empties += [pytest.importorskip("pandas").Series([], dtype="Int64")]
    for empty in empties:
        for name in AGREEMENT:
            assert getattr(gm, name)(empty, empty) == 1.0


def test_a_protocol_array_is_taken_as_it_is():
    class Device:
        """What CuPy and others offer: __array__ and a length."""

        def __init__(self, values):
            self.values = np.asarray(values)

        def __array__(self, dtype=None, copy=None):
            return self.values if dtype is None else self.values.astype(dtype)

        def __len__(self):
            return len(self.values)

    X, labels = inputs.blobs()
    assert_array_equal(encode_labels(Device(labels)).codes, labels)
    assert_array_equal(gm.silhouette_samples(Device(X), Device(labels)), gm.silhouette_samples(X, labels))


def test_consistent_length():
    check_consistent_length(3, 3, 3)
    check_consistent_length()
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2, 3\]"):
        check_consistent_length(3, 2, 3)


@pytest.mark.parametrize(
    ("values", "noise_label", "rows"),
    [
        ([0, -1, 1, -1], -1, [1, 3]),
        ([0, -1, 1, -1], -1.0, [1, 3]),
        ([0.0, -1.0, 1.0], -1, [1]),
        ([0, -1, 1], np.int8(-1), [1]),
        (np.array([0, 255, 1], np.uint8), 255, [1]),
        (np.array([0, 255, 1], np.uint8), -1, None),
        (["a", "-1", "b"], "-1", [1]),
        (["a", "-1", "b"], -1, None),
        ([0, -1, 1], "-1", None),
        ([0, 1, 1], -1, None),
        ([0, 1, 1], None, None),
        (["a", "noise"], "noise", [1]),
        (["a", "noise"], np.str_("noise"), [1]),
        ([1, "noise", "1"], "noise", [1]),
        ([True, False], True, [0]),
        ([True, False], np.False_, [1]),
        ([True, False], 1, None),
        ([0, 1], True, None),
        ([0, 1], False, None),
        ([0.0, 1.0], False, None),
        (np.array([0, 1, "a"], object), False, None),
        (np.array([0, 1, "a"], object), np.int8(1), [1]),
        (np.array([True, "a"], object), True, [0]),
        ([0, -1], np.array(-1), [1]),
        (["a", "b"], np.array("b"), [1]),
        ([0, -1], decimal.Decimal(-1), [1]),
        ([0.5, 1], fractions.Fraction(1, 2), [0]),
        (np.array([0, -1, "a"], object), decimal.Decimal(-1), [1]),
        (np.array([np.int64(2**53 + 1), "a"], object), 2.0**53, None),
        (np.array([np.int64(2**53 + 1), "a"], object), 2**53 + 1, [0]),
        (np.fromiter([(1, 2), (1, 3)], object, 2), (1, 3), [1]),
        (np.fromiter([(1, 2), (1, 3)], object, 2), (1, 4), None),
        (np.array([0, 1], "m8[s]"), 1, None),
        (np.array([0, 1], "m8[s]"), np.timedelta64(1000, "ms"), [1]),
        ([0, 1], np.timedelta64(1, "s"), None),
        (np.array([0, 1], "M8[D]"), np.datetime64("1970-01-02"), [1]),
        (np.array([0, 1], "M8[D]"), dt.date(1970, 1, 2), [1]),
        (["a", "a\0"], "a\0", [1]),
        (["a", "b"], "a\0", None),
        (np.array([2**53, 2**53 + 1]), 2**53 + 1, [1]),
        (np.array([2**53, 2**53 + 1]), 2.0**53, [0]),
        ([], -1, None),
    ],
)
def test_noise_is_compared_by_value(values, noise_label, rows):
    labels = encode_labels(values)
    mask = noise_mask(labels, noise_label)
    if rows is None:
        assert mask is None
    else:
        assert mask.dtype == bool
        assert np.flatnonzero(mask).tolist() == rows


@pytest.mark.parametrize(
    "noise_label",
    [[-1], (-1,), np.array([-1]), {-1}, {}, NAN, np.nan, np.datetime64("NaT", "ns"), decimal.Decimal("NaN"), (NAN, 1)],
    ids=str,
)
def test_noise_is_one_label(noise_label):
    with pytest.raises(ValueError, match="noise_label must be"):
        noise_mask(encode_labels([0, -1]), noise_label)
    pd = pytest.importorskip("pandas")
    for missing in (pd.NA, pd.NaT, pd.Series([-1])):
        with pytest.raises(ValueError, match="noise_label must be"):
            noise_mask(encode_labels([0, -1]), missing)


def test_dropped_rows_leave_no_gap():
    labels = encode_labels([7, -1, 9, -1, 7, 8])
    kept = drop_rows(labels, noise_mask(labels, -1))
    assert kept.codes.tolist() == [0, 2, 0, 1]
    assert kept.classes.tolist() == [7, 8, 9]
    assert kept.counts.tolist() == [2, 1, 1]
    some = drop_rows(labels, np.array([True, False, False, False, True, False]))
    assert some.classes.tolist() == [-1, 8, 9]


# ---------------------------------------------------------------------------------------------
# Features


@pytest.mark.parametrize("dtype", inputs.FEATURE_DTYPES)
def test_rows_keep_every_difference(dtype):
    X, _ = inputs.features_of(dtype)
    rows = check_features(X).rows(slice(0, len(X)))
    assert rows.dtype == np.float64
    assert_allclose(rows - rows[0], X.astype(float) - X[0].astype(float), rtol=0, atol=0)


def test_mixed_columns_of_a_frame():
    pd = pytest.importorskip("pandas")
    X, labels = inputs.blobs()
    frame = pd.DataFrame({"a": X[:, 0], "b": np.round(X[:, 1]).astype("int8"), "c": X[:, 2] > 0})
    frame["d"] = pd.array(np.round(X[:, 3] * 10), dtype="Int64")
    plain = np.column_stack([X[:, 0], np.round(X[:, 1]), X[:, 2] > 0, np.round(X[:, 3] * 10)])
    assert_allclose(gm.silhouette_samples(frame, labels), gm.silhouette_samples(plain, labels), rtol=1e-12)
    with pytest.raises(ValueError, match=r"(?i)could not convert|numbers|float"):
        gm.silhouette_score(frame.assign(e="text"), labels)
    frame.loc[3, "d"] = pd.NA
    with pytest.raises(ValueError, match="X contains NaN"):
        gm.silhouette_score(frame, labels)


def test_mixed_columns_of_polars_and_arrow():
    pl = pytest.importorskip("polars")
    X, labels = inputs.blobs()
    frame = pl.DataFrame({"a": X[:, 0], "b": np.round(X[:, 1]).astype("int8"), "c": X[:, 2] > 0})
    plain = np.column_stack([X[:, 0], np.round(X[:, 1]), X[:, 2] > 0])
    expected = gm.silhouette_samples(plain, labels)
    assert_allclose(gm.silhouette_samples(frame, labels), expected, rtol=1e-12)
    assert_allclose(gm.silhouette_samples(frame.to_arrow(), labels), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="X contains NaN"):
        gm.silhouette_score(frame.with_columns(pl.lit(None).cast(pl.Float64).alias("e")), labels)


def test_labels_from_a_column_of_the_frame():
    pd = pytest.importorskip("pandas")
    X, labels = inputs.blobs()
    frame = pd.DataFrame(X).assign(cluster=labels)
    found = gm.silhouette_score(frame.drop(columns="cluster"), frame["cluster"])
    assert found == gm.silhouette_score(X, labels)


@pytest.mark.filterwarnings("ignore:A column-vector")
def test_labels_in_a_table_whose_column_is_named_by_a_number():
    pd = pytest.importorskip("pandas")
    X, labels = inputs.blobs()
    for name in (0, 1, -1):
        assert gm.silhouette_score(X, pd.DataFrame({name: labels})) == gm.silhouette_score(X, labels)


def test_no_copy_of_a_table_that_can_be_read_as_it_is():
    X = np.zeros((1000, 4))
    X[::2] = 1
    assert np.shares_memory(check_features(X).rows(slice(0, 10)), X)
    assert np.shares_memory(check_features(X.astype(np.float32)).data, X) is False


def test_a_view_of_a_larger_array_is_not_written_to():
    big = np.random.default_rng(0).normal(size=(100, 10))
    before = big.copy()
    labels = np.arange(50) % 3
    for metric in ("euclidean", "cosine", "correlation", "sqeuclidean", "manhattan", "chebyshev", "canberra"):
        gm.silhouette_samples(big[::2, 1:8], labels, metric=metric)
        gm.silhouette_samples(big[:50], labels, metric=metric)
    gm.calinski_harabasz_score(big[::2], labels)
    gm.davies_bouldin_score(big[::2], labels)
    assert_array_equal(big, before)


def test_huge_and_tiny_values_side_by_side():
    X, labels = inputs.blobs()
    for constant in (1e308, -1e308, 5e-324):
        wide = np.column_stack([X, np.full(len(X), constant)])
        assert_allclose(gm.silhouette_samples(wide, labels), gm.silhouette_samples(X, labels), rtol=1e-10)
        assert_allclose(gm.davies_bouldin_score(wide, labels), gm.davies_bouldin_score(X, labels), rtol=1e-10)
    limits = np.array([[-1.7e308], [-1.6e308], [1.6e308], [1.7e308]])
    small = limits / 2.0**1000
    for score in (gm.silhouette_score, gm.davies_bouldin_score, gm.calinski_harabasz_score):
        assert_allclose(score(limits, [0, 0, 1, 1]), score(small, [0, 0, 1, 1]), rtol=1e-10)
    denormal = np.array([[0.0], [1], [5], [7]]) * 5e-324
    assert_allclose(gm.silhouette_score(denormal, [0, 0, 1, 1]), 0.7202991452991453, rtol=1e-10)
