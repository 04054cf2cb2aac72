"""What a user gives for a page: names of clusters, samples of rows. Checked, and made fit to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.interop import device_array, is_device_array
from gpumetrics.evaluation.cluster_names import names_by_code
from gpumetrics.label_arrays import class_values, is_missing, plain, unwrap
from gpumetrics.pages.common import short, visible
from gpumetrics.pages.pictures import kind_of, picture
from gpumetrics.text.labels import cut_at_the_end, printer
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["ALL_PICTURES", "Clusters", "Given", "check_samples"]

LONGEST_NAME = 40
LONGEST_TEXT = 300  # characters of a sample; less where very many are shown
ALL_TEXT = 450_000  # characters of all samples of a page
ALL_PICTURES = 700_000  # characters of all pictures of a page
LARGEST_PICTURE = 40_000
MOST_PICTURES = 1_000  # of an array, by which it is told what is black and what is white
FIRST = 100  # samples by which it is told whether they are pictures
RULE = "samples must have a text or a picture for each row"


class Clusters:
    """The clusters of a report: how they are called, and how they are marked in plots.

    Parameters
    ----------
    labels : ndarray of shape (n_clusters,)
    names : mapping of label to str, optional
        Names that people gave, shown beside the labels.

    Raises
    ------
    ValueError
        If names is no mapping, or has a label of no cluster.
    """

    def __init__(self, labels: Array, names: Any = None) -> None:
        self._place = {plain(label): at for at, label in enumerate(class_values(labels))}
        self._label = printer(labels)
        self._names = {at: short(name, LONGEST_NAME) for at, name in names_by_code(names, labels).items()}

    def at(self, label: Any) -> int:
        """Return the number of a cluster."""
        return self._place[plain(unwrap(label))]

    def text(self, label: Any) -> Message:
        """Return a label as text, with the name that it was given."""
        name = self._names.get(self.at(label))
        text = visible(self._label(label))
        return said("{label} ({name})", label=text, name=name) if name else text

    def word(self, label: Any) -> Message:
        """Return a label as it stands in a sentence: "cluster 3"."""
        return said("cluster {name}", name=self.text(label))

    def mark(self, label: Any) -> str:
        """Return the mark of a cluster, as plots and rows of tables have it."""
        return f"c{self.at(label)}"

    @property
    def n_named(self) -> int:
        return len(self._names)


class Given:
    """Samples of the rows: a text or a picture each.

    Parameters
    ----------
    values : list or ndarray
        As `check_samples` gives them.
    """

    def __init__(self, values: Any) -> None:
        self._values = values
        table = isinstance(values, np.ndarray) and values.ndim > 1
        self.pictures = table or any(self.is_picture(row) for row in range(min(len(values), FIRST)))
        self._range = _range_of(values[:: -(-len(values) // MOST_PICTURES)]) if table else None

    def longest(self, n_shown: int) -> int:
        """Return how many characters of a text may be shown if there are so many texts."""
        return max(20, min(LONGEST_TEXT, ALL_TEXT // max(n_shown, 1)))

    def text(self, row: int, longest: int = LONGEST_TEXT) -> str:
        """Return the text of a row; "" for one that is a picture, or missing."""
        value = self._value(row)
        if _is_picture(value) or (not isinstance(value, np.ndarray) and is_missing(value)):
            return ""
        if not isinstance(value, str):
            return short(value, longest)
        text = " ".join(value[: 16 * longest].split())
        return cut_at_the_end(text, longest)

    def is_picture(self, row: int) -> bool:
        """Whether a row has a picture."""
        return _is_picture(self._value(row))

    def image(self, row: int) -> str:
        """Return the picture of a row as a data URI; "" for one that is a text, or too large."""
        value = self._value(row)
        if not _is_picture(value):
            return ""
        own = (0.0, 0.0) if isinstance(value, bytes) else self._range or _range_of(value)
        uri = picture(value, *own)
        return uri if len(uri) <= LARGEST_PICTURE else ""

    def _value(self, row: int) -> Any:
        """Return a row's sample; what can be read as an array, as pictures of Pillow can, as one."""
        value = self._values[row]
        if isinstance(value, bytearray | memoryview):
            return bytes(value)
        known = isinstance(value, str | bytes | np.ndarray | np.generic)
        return np.asarray(value) if not known and hasattr(value, "__array_interface__") else value


def _is_picture(value: Any) -> bool:
    if isinstance(value, bytes):
        return bool(kind_of(value))
    shape: tuple[int, ...] = value.shape if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" else ()
    return 0 not in shape and (len(shape) == 2 or (len(shape) == 3 and shape[2] == 3))


def _range_of(values: Array) -> tuple[float, float]:
    """Return the least and the largest finite number."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def check_samples(samples: Any, n_rows: int) -> Given | None:
    """Check that there is a sample for each row; raise ValueError if not.

    Parameters
    ----------
    samples : sequence of str, bytes or arrays, Series, or ndarray of shape (n_rows, height, width[, 3]), optional
    n_rows : int
    """
    if samples is None:
        return None
    if isinstance(samples, str | bytes | Mapping | set | frozenset):
        raise _no_samples(samples)
    samples = _in_order(samples)
    if len(samples) != n_rows:
        msg = f"{RULE}, {n_rows:,} in all, got {len(samples):,}"
        raise ValueError(msg)
    if isinstance(samples, np.ndarray):
        _check_array(samples)
    return Given(samples)


def _in_order(samples: Any) -> Any:
    """Return samples as something that gives the one of a row by its number."""
    if is_device_array(samples):
        return as_host(device_array(samples, "samples", table=False)[0])
    columns = getattr(samples, "columns", None)
    if columns is not None:
        if len(columns) != 1:
            msg = f"{RULE}, got a table of {len(columns):,} columns: give one of them, as in samples=table['text']"
            raise ValueError(msg)
        samples = samples[columns[0]]
    if isinstance(samples, np.ndarray) and samples.ndim:
        return samples
    for method in ("to_pylist", "tolist", "to_list"):  # columns of Arrow, pandas and polars
        if hasattr(samples, method) and getattr(samples, "ndim", 1) == 1:
            return list(getattr(samples, method)())
    if getattr(samples, "ndim", 0) > 1:
        return np.asarray(samples)
    if hasattr(samples, "__getitem__") and hasattr(samples, "__len__") and not isinstance(samples, np.ndarray):
        return samples
    try:
        return list(samples)
    except TypeError:
        raise _no_samples(samples) from None


def _no_samples(samples: Any) -> ValueError:
    return ValueError(f"{RULE}, as a list, an array or a column, got {type(samples).__name__}")


def _check_array(samples: Array) -> None:
    shape = samples.shape
    if len(shape) == 1:
        return
    pictures = len(shape) == 3 or (len(shape) == 4 and shape[3] == 3)
    if not pictures or samples.dtype.kind not in "biuf" or 0 in shape:
        msg = (
            f"{RULE}: an array of texts has shape (n_samples,), one of pictures (n_samples, height, width) or "
            f"(n_samples, height, width, 3), got shape {shape} and dtype {samples.dtype}"
        )
        raise ValueError(msg)
