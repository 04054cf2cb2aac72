"""What a user gives for a page: names of clusters, samples of rows. Checked, and made fit to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.interop import device_array, is_device_array
from gpumetrics.label_arrays import class_values, plain, unwrap
from gpumetrics.pages.common import own, short
from gpumetrics.pages.pictures import kind_of, picture
from gpumetrics.text.labels import on_one_line, printer
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["Clusters", "Given", "check_samples"]

LONGEST_NAME = 40
LONGEST_TEXT = 300  # characters of a sample; less where very many are shown
ALL_TEXT = 450_000  # characters of all samples of a page
ALL_PICTURES = 700_000  # characters of all pictures of a page
LARGEST_PICTURE = 40_000


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
        self._names = _checked_names(names, labels)

    def at(self, label: Any) -> int:
        """Return the number of a cluster."""
        return self._place[plain(unwrap(label))]

    def text(self, label: Any) -> Message:
        """Return a label as text, with the name that it was given."""
        name = self._names.get(self.at(label), "")
        return own(f"{self._label(label)} ({name})" if name else self._label(label))

    def word(self, label: Any) -> Message:
        """Return a label as it stands in a sentence: "cluster 3"."""
        return said("cluster {name}", name=self.text(label))

    def mark(self, label: Any) -> str:
        """Return the mark of a cluster, as plots and rows of tables have it."""
        return f"c{self.at(label)}"

    @property
    def n_named(self) -> int:
        return len(self._names)


def _checked_names(names: Any, labels: Array) -> dict[int, str]:
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        msg = f"names must be a dict of label to name, got {type(names).__name__}"
        raise ValueError(msg)  # noqa: TRY004  (as for every other argument)
    place = {plain(label): at for at, label in enumerate(labels)}
    out: dict[int, str] = {}
    for label, name in names.items():
        at = place.get(plain(unwrap(label)))
        if at is None:
            msg = f"names has {on_one_line(repr(label))}, which is the label of no cluster"
            raise ValueError(msg)
        if name is not None and str(name).strip():
            out[at] = short(str(name).strip(), LONGEST_NAME)
    return out


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
        self.pictures = table or any(_is_picture(value) for value in values[:100])
        self._range = (float(np.min(values)), float(np.max(values))) if table else None

    def longest(self, n_shown: int) -> int:
        """Return how many characters of a text may be shown if there are so many texts."""
        return max(20, min(LONGEST_TEXT, ALL_TEXT // max(n_shown, 1)))

    def text(self, row: int, longest: int = LONGEST_TEXT) -> str:
        """Return the text of a row; "" for one that is a picture."""
        value = self._values[row]
        if value is None or _is_picture(value):
            return ""
        text = " ".join(value.split()) if isinstance(value, str) else short(value, longest)
        return text if len(text) <= longest else f"{text[: longest - 3]}..."

    def is_picture(self, row: int) -> bool:
        """Whether a row has a picture."""
        return _is_picture(self._values[row])

    def image(self, row: int) -> str:
        """Return the picture of a row as a data URI; "" for one that is a text, or too large."""
        value = self._values[row]
        if not _is_picture(value):
            return ""
        own = (0.0, 0.0) if isinstance(value, bytes) else (float(np.min(value)), float(np.max(value)))
        uri = picture(value, *(self._range or own))
        return uri if len(uri) <= LARGEST_PICTURE else ""


def _is_picture(value: Any) -> bool:
    if isinstance(value, bytes):
        return bool(kind_of(value))
    shape: tuple[int, ...] = value.shape if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" else ()
    return 0 not in shape and (len(shape) == 2 or (len(shape) == 3 and shape[2] == 3))


def check_samples(samples: Any, n_rows: int) -> Given | None:
    """Check that there is a sample for each row; raise ValueError if not.

    Parameters
    ----------
    samples : sequence of str, bytes or arrays, Series, or ndarray of shape (n_rows, height, width[, 3]), optional
    n_rows : int
    """
    if samples is None:
        return None
    rule = "samples must have a text or a picture for each row"
    if isinstance(samples, str | bytes | Mapping):
        msg = f"{rule}, as a list, an array or a column, got {type(samples).__name__}"
        raise ValueError(msg)  # noqa: TRY004  (as for every other argument)
    if is_device_array(samples):
        samples = as_host(device_array(samples, "samples", table=False)[0])
    if hasattr(samples, "to_list"):  # a column of pandas or polars
        samples = samples.to_list()
    try:
        n = len(samples)
    except TypeError:
        samples = list(samples)
        n = len(samples)
    if n != n_rows:
        msg = f"{rule}, {n_rows:,} in all, got {n:,}"
        raise ValueError(msg)
    if isinstance(samples, np.ndarray):
        _check_array(samples, rule)
    return Given(samples)


def _check_array(samples: Array, rule: str) -> None:
    shape = samples.shape
    if len(shape) == 1:
        return
    pictures = len(shape) == 3 or (len(shape) == 4 and shape[3] == 3)
    if not pictures or samples.dtype.kind not in "biuf" or 0 in shape:
        msg = (
            f"{rule}: an array of texts has shape (n_samples,), one of pictures (n_samples, height, width) or "
            f"(n_samples, height, width, 3), got shape {shape} and dtype {samples.dtype}"
        )
        raise ValueError(msg)
