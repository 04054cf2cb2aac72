"""What becomes of the clusters of one labeling in another: which part, which join, how many rows move besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.clustering.labelings import Labeling
from gpumetrics.label_arrays import as_objects
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value
from gpumetrics.validation import check_consistent_length, encode_labels

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["Change", "Group", "change_between"]


@dataclass(frozen=True)
class Group:
    """A cluster of one labeling, and the clusters of the other that lie in it for the most part.

    Attributes
    ----------
    whole : object
        Label of the cluster.
    size : int
        Its rows, without those that are noise in the other labeling.
    pieces : tuple of labels
        Two or more clusters of the other labeling that have over half of their rows in it.
    sizes : tuple of int
        Rows of each piece that lie in it.
    close : bool
        Whether these are two clusters, each the other's nearest (by centroid).
    """

    whole: Any
    size: int
    pieces: tuple[Any, ...]
    sizes: tuple[int, ...]
    close: bool = False


@dataclass(frozen=True)
class Change(Result):
    """What becomes of the clusters of one labeling in another one.

    Attributes
    ----------
    source, target : object
        Names of the two labelings.
    splits : tuple of Group
        Clusters of the source that part into several of the target.
    merges : tuple of Group
        Clusters of the target that join several of the source.
    same : int
        Clusters with exactly the same rows in both.
    moved : int
        Rows that change company otherwise: neither the most of their cluster in the source nor that of their cluster
        in the target goes their way.
    n_rows : int
        Rows that are in a cluster in both.
    noise_gained, noise_lost : int
        Rows that are noise in the target only, and in the source only.
    """

    source: Any
    target: Any
    splits: tuple[Group, ...]
    merges: tuple[Group, ...]
    same: int
    moved: int
    n_rows: int
    noise_gained: int
    noise_lost: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict that `json.dumps` takes."""
        return {
            "source": json_value(self.source),
            "target": json_value(self.target),
            "splits": [_group_dict(group) for group in self.splits],
            "merges": [_group_dict(group) for group in self.merges],
            "same": self.same,
            "moved": self.moved,
            "n_rows": self.n_rows,
            "noise_gained": self.noise_gained,
            "noise_lost": self.noise_lost,
        }

    def _columns(self) -> dict[str, Array]:
        """Return the clusters that part and join, a line for each piece."""
        groups = [("split", group) for group in self.splits] + [("merge", group) for group in self.merges]
        lines = [
            (kind, group.whole, group.size, piece, size)
            for kind, group in groups
            for piece, size in zip(group.pieces, group.sizes, strict=True)
        ]
        kinds, wholes, sizes, pieces, parts = map(list, zip(*lines, strict=True)) if lines else ([],) * 5
        return {
            "kind": np.array(kinds, dtype=str),
            "cluster": as_objects(wholes),
            "size": np.array(sizes, dtype=np.int64),
            "piece": as_objects(pieces),
            "piece_size": np.array(parts, dtype=np.int64),
        }


def _group_dict(group: Group) -> dict[str, Any]:
    return {
        "whole": json_value(group.whole),
        "size": group.size,
        "pieces": json_value(list(group.pieces)),
        "sizes": list(group.sizes),
        "close": group.close,
    }


def change_between(
    source: tuple[Any, Any],
    target: tuple[Any, Any],
    *,
    noise_label: Any = None,
    nearest: tuple[Array | None, Array | None] = (None, None),
) -> Change:
    """Compare the clusters of two labelings of the same rows, from their contingency table.

    Parameters
    ----------
    source, target : tuple of (name, array-like of shape (n_samples,))
    noise_label : label, optional
        Rows with this label are in no cluster.
    nearest : tuple of (ndarray of int64, or None)
        For each labeling the number of the cluster whose centroid is nearest to each cluster's, if it is known.

    Returns
    -------
    Change

    Examples
    --------
    >>> from gpumetrics.choosing.changes import change_between
    >>> change = change_between(("two", [0, 0, 0, 0, 1, 1]), ("three", [0, 0, 2, 2, 1, 1]))
    >>> change.splits[0].whole, change.splits[0].pieces, change.same, change.moved
    (0, (0, 2), 1, 0)
    """
    with on_device_of(source=source[1], target=target[1]):
        ops = choose(source[1], target[1]).ops
        encoded = [encode_labels(labels, f"labels of {name!r}") for name, labels in (source, target)]
        check_consistent_length(*(labels.n_samples for labels in encoded))
        ours, theirs = (Labeling.of(labels, noise_label) for labels in encoded)
        a, b = ops.asarray(ours.codes), ops.asarray(theirs.codes)
        both = (a >= 0) & (b >= 0)
        lost, gained = int(((a < 0) & (b >= 0)).sum()), int(((a >= 0) & (b < 0)).sum())
        rows, cols, counts = ops.joint_counts(a[both], b[both], ours.n_clusters, theirs.n_clusters)
    return _change(
        (source[0], target[0]),
        (rows, cols, counts),
        (ours.classes, theirs.classes),
        (gained, lost),
        nearest,
    )


def _change(
    names: tuple[Any, Any],
    cells: tuple[Array, Array, Array],
    classes: tuple[Array, Array],
    noise: tuple[int, int],
    nearest: tuple[Array | None, Array | None],
) -> Change:
    rows, cols, counts = cells
    totals = [np.zeros(len(side), dtype=np.int64) for side in classes]
    np.add.at(totals[0], rows, counts)
    np.add.at(totals[1], cols, counts)
    ahead, back = 2 * counts > totals[0][rows], 2 * counts > totals[1][cols]  # most of the source's, of the target's
    splits = _groups(rows[back], cols[back], counts[back], classes, totals[0], nearest[1])
    merges = _groups(cols[ahead], rows[ahead], counts[ahead], classes[::-1], totals[1], nearest[0])
    same = (counts == totals[0][rows]) & (counts == totals[1][cols])
    return Change(
        *names,
        splits=splits,
        merges=merges,
        same=int(same.sum()),
        moved=int(counts[~(ahead | back)].sum()),
        n_rows=int(counts.sum()),
        noise_gained=noise[0],
        noise_lost=noise[1],
    )


def _groups(
    whole: Array,
    piece: Array,
    counts: Array,
    classes: tuple[Array, Array],
    totals: Array,
    nearest: Array | None,
) -> tuple[Group, ...]:
    """Gather the pieces of each whole that has two at least; the largest whole first."""
    order = np.lexsort((-counts, whole))
    whole, piece, counts = whole[order], piece[order], counts[order]
    starts = np.flatnonzero(np.diff(whole, prepend=-1))
    stops = np.append(starts, len(whole))[1:]
    groups = []
    for start, stop in zip(starts, stops, strict=True):
        if stop - start < 2:
            continue
        at, parts = whole[start], piece[start:stop]
        close = nearest is not None and len(parts) == 2 and bool((nearest[parts] == parts[::-1]).all())
        groups.append(
            Group(
                whole=_value(classes[0], at),
                size=int(totals[at]),
                pieces=tuple(_value(classes[1], part) for part in parts),
                sizes=tuple(counts[start:stop].tolist()),
                close=close,
            )
        )
    return tuple(sorted(groups, key=lambda group: -group.size))


def _value(classes: Array, at: Any) -> Any:
    """Return a label as Python's own; dates stay NumPy's."""
    label = classes[at]
    return label.item() if isinstance(label, np.generic) and classes.dtype.kind not in "mM" else label
