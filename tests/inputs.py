"""Data for the catalogue's tests, in every dtype, layout and container that a user may bring."""

import numpy as np
import pytest

N, D, K = 60, 5, 4


def blobs(seed=0, n=N, d=D, k=K, spread=1.0):
    """Points around k centres, and the centre of each; every centre has at least two points."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(k), 2), rng.integers(0, k, n - 2 * k)])
    return rng.normal(size=(k, d))[labels] * 3 + rng.normal(size=(n, d)) * spread, labels


def labelings(seed=0, n=40, k_true=4, k_pred=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, k_true, n).tolist(), rng.integers(0, k_pred, n).tolist()


def grid(X, step):
    """Round to multiples of a power of two, so that a shift is exact."""
    return np.round(X / step) * step


# ---------------------------------------------------------------------------------------------
# Features: name -> function(X, tmp_path) that gives the object to pass

FEATURE_DTYPES = ["float16", "float32", "float64", ">f8", ">f4", ">i4", "bool"]
FEATURE_DTYPES += [f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u")]


def features_of(dtype):
    """Points whose values that dtype can hold, and labels."""
    X, labels = blobs(3)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.median(X) < X, labels
    return (X if kind == "f" else np.round((X - X.min()) * 5)).astype(dtype), labels


def _strided(X):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _memmap(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


def _columns(X):
    return {f"c{j}": column for j, column in enumerate(X.T)}


FEATURE_KINDS = {
    "Fortran": lambda X, _: np.asfortranarray(X),
    "strided": lambda X, _: _strided(X),
    "reversed": lambda X, _: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X, _: _read_only(X),
    "memmap": _memmap,
    "matrix-like list": lambda X, _: X.tolist(),
    "list of arrays": lambda X, _: list(X),
    "object": lambda X, _: X.astype(object),
    "pandas": lambda X, _: pytest.importorskip("pandas").DataFrame(X),
    "pandas nullable": lambda X, _: pytest.importorskip("pandas").DataFrame(X).astype("Float64"),
    "polars": lambda X, _: pytest.importorskip("polars").DataFrame(_columns(X)),
    "pyarrow": lambda X, _: pytest.importorskip("pyarrow").table(_columns(X)),
}

# ---------------------------------------------------------------------------------------------
# Labels: name -> function(codes) that gives the object to pass. All keep the order of the codes.

NAMES = np.array(["ant", "bee", "cat", "dog", "eel", "fox"])


def _pandas(codes, dtype):
    return pytest.importorskip("pandas").Series(codes).astype(dtype)


def _pandas_names(codes, dtype):
    return pytest.importorskip("pandas").Series(NAMES[codes].tolist()).astype(dtype)


def _polars(values, dtype=None):
    pl = pytest.importorskip("polars")
    series = pl.Series("labels", values)
    return series if dtype is None else series.cast(getattr(pl, dtype))


def _arrow(values):
    return pytest.importorskip("pyarrow").array(values)


def _as(dtype):
    return lambda codes: np.asarray(codes).astype(dtype)


LABEL_KINDS = {
    dtype: _as(dtype)
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4", ">i8")
}
LABEL_KINDS |= {
    "list": lambda codes: np.asarray(codes).tolist(),
    "tuple": lambda codes: tuple(np.asarray(codes).tolist()),
    "list of scalars": lambda codes: list(np.asarray(codes)),
    "gaps": lambda codes: np.asarray(codes) ** 2 * 1000,
    "negative": lambda codes: np.asarray(codes) - 2,
    "63-bit": lambda codes: np.asarray(codes) * (2**61) - 2**62,
    "neighbours beyond 2^53": lambda codes: np.asarray(codes) + 2**53,
    "64-bit unsigned": lambda codes: np.asarray(codes).astype(np.uint64) + np.uint64(2**63),
    "float64": _as("float64"),
    "float32": _as("float32"),
    "float16": _as("float16"),
    "str": lambda codes: NAMES[codes],
    "list of str": lambda codes: NAMES[codes].tolist(),
    "object str": lambda codes: NAMES[codes].astype(object),
    "object int": lambda codes: np.asarray(codes).astype(object),
    "bytes-free numerals": lambda codes: np.asarray(codes).astype(str),
    "StringDType": lambda codes: NAMES[codes].astype(np.dtypes.StringDType()),
    "strided": lambda codes: np.repeat(codes, 3)[::3],
    "reversed": lambda codes: np.asarray(codes)[::-1].copy()[::-1],
    "read-only": lambda codes: _read_only(np.asarray(codes)),
    "pandas int": lambda codes: _pandas(codes, "int32"),
    "pandas Int64": lambda codes: _pandas(codes, "Int64"),
    "pandas UInt8": lambda codes: _pandas(codes, "UInt8"),
    "pandas Float64": lambda codes: _pandas(codes, "Float64"),
    "pandas category": lambda codes: _pandas(codes, "category"),
    "pandas category of str": lambda codes: _pandas_names(codes, "category"),
    "pandas string": lambda codes: _pandas_names(codes, "string"),
    "pandas object": lambda codes: _pandas_names(codes, "object"),
    "pandas index": lambda codes: pytest.importorskip("pandas").Index(codes),
    "polars": lambda codes: _polars(np.asarray(codes).tolist()),
    "polars UInt8": lambda codes: _polars(np.asarray(codes).tolist(), "UInt8"),
    "polars str": lambda codes: _polars(NAMES[codes].tolist()),
    "polars Categorical": lambda codes: _polars(NAMES[codes].tolist(), "Categorical"),
    "pyarrow": lambda codes: _arrow(np.asarray(codes).tolist()),
    "pyarrow str": lambda codes: _arrow(NAMES[codes].tolist()),
    "pyarrow dictionary": lambda codes: _arrow(NAMES[codes].tolist()).dictionary_encode(),
}
TWO_LABELS = {
    "bool": _as("bool"),
    "list of bool": lambda codes: np.asarray(codes).astype(bool).tolist(),
    "object bool": lambda codes: np.asarray(codes).astype(bool).astype(object),
    "pandas boolean": lambda codes: _pandas(codes, "boolean"),
    "polars Boolean": lambda codes: _polars(np.asarray(codes).astype(bool).tolist()),
    "pyarrow bool": lambda codes: _arrow(np.asarray(codes).astype(bool).tolist()),
}
