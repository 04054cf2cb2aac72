"""What is compared, before it is judged: the lines of the table, under their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.basis import difference
from gpumetrics.choosing.facts import percent
from gpumetrics.evaluation.remarks import MUCH_NOISE
from gpumetrics.label_arrays import as_objects, is_missing
from gpumetrics.text.labels import cut_at_the_end, label_text, on_one_line
from gpumetrics.text.messages import enumerated, joined, said, with_commas

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpumetrics.choosing.basis import Basis
    from gpumetrics.types import Array

__all__ = ["MOSTLY_NOISE", "Entries", "check_names", "joined_entries", "kind_of", "renamed_entries"]

LONGEST_NAME = 60
MOSTLY_NOISE = 0.5  # share of noise above which a labeling is the best only where there is no other


@dataclass(frozen=True)
class Entries:
    """The lines of a comparison.

    Attributes
    ----------
    basis : Basis
    kind : {"labeling", "n_clusters", "setting"}
        What the names are.
    rows : dict of str to ndarray of shape (n_labelings,)
    labelings : dict
        Labels by name, as they were given; without those that failed.
    nearest : dict
        For each name the cluster with the nearest centroid, or None.
    sampled : dict
        For each name the silhouettes of the rows of an estimate, or None.
    reasons : dict of dict
        For each name why a score is undefined.
    density_based : tuple of names
        Labelings that come from a method that finds clusters of any shape, as far as is known.
    notes : dict of str to str
        Remarks on how they came about, such as what was left out.
    """

    basis: Basis
    kind: str
    rows: dict[str, Array]
    labelings: dict[Any, Any]
    nearest: dict[Any, Array | None]
    sampled: dict[Any, Array | None]
    reasons: dict[Any, dict[str, str]]
    density_based: tuple[Any, ...]
    notes: dict[str, str]

    def __len__(self) -> int:
        return len(self.rows["name"])

    @property
    def names(self) -> list[Any]:
        return list(self.rows["name"])

    @property
    def mostly_noise(self) -> Array:
        """Whether more than half of the rows are noise, for each entry."""
        mostly: Array = self.rows["noise_fraction"] > MOSTLY_NOISE
        return mostly

    def word(self, at: int, *, noise: bool = True) -> str:
        """Return an entry's name as it stands in a sentence, with its number of clusters, and its noise if much."""
        name, k, share = (self.rows[key][at] for key in ("name", "n_clusters", "noise_fraction"))
        by_k = self.kind == "n_clusters"
        told = np.isnan(k) or (by_k and k == name)
        facts = [] if told else [said("{k} found", k=int(k)) if by_k else said("K = {k}", k=int(k))]
        facts += [said("{share} noise", share=percent(share))] * bool(noise and share > MUCH_NOISE)
        word = said("K = {k}", k=name) if by_k else self.plain(at)
        return said("{name} ({facts})", name=word, facts=with_commas(facts)) if facts else word

    def words(self, which: Iterable[int], most: int) -> str:
        """Return the names of several entries, and of how many more."""
        every = list(which)
        words, more = list(map(self.word, every[:most])), len(every) - most
        if self.kind == "setting":  # it has commas of its own
            return joined([*words, *([said("{n} more", n=more)] if more > 0 else [])], "; ")
        if more > 0:
            return said("{words} and {n} more", words=with_commas(words), n=more)
        return enumerated(words)

    def plain(self, at: int) -> str:
        """Return an entry's name on one line, cut if it is long."""
        return cut_at_the_end(on_one_line(label_text(self.rows["name"][at])), LONGEST_NAME)


def check_names(names: Iterable[Any]) -> None:
    """Raise ValueError for a name that is None or nan: `Comparison.best` has None where no labeling is the best."""
    missing = [name for name in names if is_missing(name)]
    if missing:
        raise ValueError(f"labelings must have names, got {missing[0]!r} for one of them")


def kind_of(names: Iterable[Any], n_clusters: Iterable[float]) -> str:
    """Return "n_clusters" if the names are the numbers of clusters, else "labeling"."""
    names = list(names)
    whole = all(isinstance(name, int | np.integer) and not isinstance(name, bool) for name in names)
    same = whole and all(k == name for k, name in zip(n_clusters, names, strict=True))
    return "n_clusters" if same else "labeling"


def renamed_entries(entries: Entries, names: list[Any]) -> Entries:
    """Return the same entries under other names."""
    check_names(names)
    new = dict(zip(entries.names, names, strict=True))
    rows = {**entries.rows, "name": as_objects(names)}
    tables = ("labelings", "nearest", "sampled", "reasons")
    changed: dict[str, Any] = {
        table: {new[name]: value for name, value in getattr(entries, table).items()} for table in tables
    }
    return replace(
        entries,
        kind=kind_of(names, rows["n_clusters"]),
        rows=rows,
        density_based=tuple(new[name] for name in entries.density_based),
        **changed,
    )


def joined_entries(first: Entries, second: Entries) -> Entries:
    """Put the lines of two comparisons into one.

    Raises
    ------
    ValueError
        If their scores do not compare, or a name occurs in both.
    """
    why = difference(first.basis, second.basis)
    if why:
        raise ValueError(f"These comparisons cannot be joined, {why}: only scores of the same data compare.")
    twice = [name for name in first.names if name in second.names]
    if twice:
        msg = f"These comparisons cannot be joined: {twice[0]!r} names a labeling in both; rename one of them."
        raise ValueError(msg)
    return replace(
        first,
        kind=first.kind if first.kind == second.kind else "labeling",
        rows=_stacked(first, second),
        labelings=first.labelings | second.labelings,
        nearest=first.nearest | second.nearest,
        sampled=first.sampled | second.sampled,
        reasons=first.reasons | second.reasons,
        density_based=first.density_based + second.density_based,
        notes=_both(first.notes, second.notes),
    )


def _both(first: dict[str, str], second: dict[str, str]) -> dict[str, str]:
    """Put notes together; what differs on the same subject is said one after the other."""
    texts = {key: dict.fromkeys(notes[key] for notes in (first, second) if key in notes) for key in second | first}
    return {key: joined(text) for key, text in texts.items()}


def _stacked(first: Entries, second: Entries) -> dict[str, Array]:
    """Return all columns of both, one below the other; None where only the other has a column."""
    keys = [*first.rows, *(key for key in second.rows if key not in first.rows)]
    keys = [key for key in keys if key != "reason"] + ["reason"]

    def column(entries: Entries, key: str) -> Array:
        return entries.rows[key] if key in entries.rows else np.full(len(entries), None, dtype=object)

    return {key: np.concatenate([column(first, key), column(second, key)]) for key in keys}
