"""The result of comparing labelings: a table with a line for each, the best by each score, and how to choose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpumetrics.choosing.entries import Entries, joined_entries, renamed_entries
from gpumetrics.choosing.facts import FACTS
from gpumetrics.choosing.readings import add_notes
from gpumetrics.choosing.verdict import change_of, judge, ranked
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from gpumetrics.choosing.changes import Change
    from gpumetrics.types import Array

__all__ = ["Comparison", "comparison_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Scores of several labelings of the same data, side by side, and how to choose among them; ``print`` it.

    Attributes
    ----------
    rows : dict of str to ndarray of shape (n_labelings,)
        The table by columns: ``name``; of a sweep ``param_<name>`` and ``fit_seconds``; ``n_clusters`` (without the
        noise), ``size_min``, ``size_max``, ``n_noise``, ``noise_fraction``; ``silhouette`` (of an estimate also
        ``silhouette_standard_error``), ``silhouette_macro`` and ``calinski_harabasz`` (higher is better),
        ``davies_bouldin`` (lower is better); with ``labels_true`` those of `evaluate_clustering` (higher is better);
        ``reason``, why scores are nan.
    scores : tuple of str
        The scores that choose, as asked for.
    best : dict of str to name
        For each score of the table the labeling that is best by it, in the score's own direction; None if no
        labeling has the score. Of equally good ones, that which is best by the most scores. A labeling with more than
        half of the rows as noise is the best only where no other has the score.
    agreed : bool
        Whether all scores that choose and are defined, two at least, have the same best labeling, of several.
    agreement : str
        What the scores say together: on what they agree, or what each one prefers. They are never averaged.
    question : str
        What decides where they disagree; empty where they agree.
    changes : tuple of Change
        Where they disagree: which clusters part and join from each choice to the next, by number of clusters.
    notes : dict of str to str
        Remarks under the subject they concern.
    n_samples, n_features : int
    metric : str
        Distance of the silhouette.
    noise_label : object
        Label that was taken as noise, or None.
    silhouette_mode : {"exact", "estimate", "skip"}
    backend : str
        Where the scores were computed, and why.
    seconds : float
        Wall time in all.
    entries : Entries
        What was compared, as `join` needs it.
    """

    rows: dict[str, Array]
    scores: tuple[str, ...]
    best: dict[str, Any]
    agreed: bool
    agreement: str
    question: str
    changes: tuple[Change, ...]
    notes: dict[str, str]
    n_samples: int
    n_features: int
    metric: str
    noise_label: Any
    silhouette_mode: str
    backend: str
    seconds: float
    entries: Entries

    def __len__(self) -> int:
        return len(self.rows["name"])

    @property
    def names(self) -> list[Any]:
        """Names of the labelings, in the order given."""
        return self.entries.names

    def choices(self) -> list[Any]:
        """Return the names of the labelings that some score prefers, each once, by number of clusters."""
        best = dict.fromkeys(self.best[score] for score in self.scores if self.best[score] is not None)
        sizes = dict(zip(self.names, self.rows["n_clusters"], strict=True))
        return sorted(best, key=lambda name: float(sizes[name]))

    def labels(self, name: Any) -> Any:
        """Return a labeling by its name, as it was given or as the clusterer gave it.

        Raises
        ------
        KeyError
            If there is none of that name, or its clusterer failed.
        """
        if name not in self.entries.labelings:
            if name in self.names:
                reason = self.rows["reason"][self.names.index(name)]
                raise KeyError(f"{name!r} has no labels: {reason}")
            raise KeyError(f"no labeling is named {name!r}; the names are {', '.join(map(repr, self.names))}")
        return self.entries.labelings[name]

    def ranking(self, score: str) -> list[Any]:
        """Return the names from the best to the worst by a score of the table, in the score's own direction.

        Labelings without the score are left out; those with more than half of the rows as noise come last.

        Raises
        ------
        ValueError
            If the table has no such score.
        """
        if score not in self.best:
            raise ValueError(f"score must be one of {tuple(self.best)}, got {score!r}")
        return ranked(self.entries, score)

    def change(self, source: Any, target: Any) -> Change:
        """Return which clusters part, join and stay from one labeling to another.

        Raises
        ------
        KeyError
            As in `labels`.
        """
        for name in (source, target):
            self.labels(name)
        return change_of(self.entries, self.names.index(source), self.names.index(target))

    def renamed(self, names: Mapping[Any, Any] | Callable[[Any], Any]) -> Comparison:
        """Return the same comparison with other names, such as those of a sweep before it is joined to another one.

        Parameters
        ----------
        names : dict or callable
            The new name for each old one; a name that a dict lacks stays as it is.

        Raises
        ------
        ValueError
            If two labelings would have the same name, or one none.
        """
        new = [names.get(name, name) if isinstance(names, Mapping) else names(name) for name in self.names]
        if len(set(new)) < len(new):
            raise ValueError("names must stay different from each other")
        return comparison_of(renamed_entries(self.entries, new), backend=self.backend, seconds=self.seconds)

    def join(self, other: Comparison) -> Comparison:
        """Return one comparison of the labelings of both.

        Raises
        ------
        ValueError
            If they are of different data, metrics, scores, noise labels, classes or samples, so that their scores do
            not compare; or if a name occurs in both.
        TypeError
            If the other is no comparison.
        """
        if not isinstance(other, Comparison):
            raise TypeError(f"other must be a Comparison, got {other!r}")
        seconds = self.seconds + other.seconds
        return comparison_of(joined_entries(self.entries, other.entries), backend=self.backend, seconds=seconds)

    def _columns(self) -> dict[str, Array]:
        return self.rows

    def save_html(self, path: str | os.PathLike[str], *, lang: str = "en", title: str | None = None) -> Path:
        """Write the comparison as one HTML file that needs nothing else: reading, plots, tables, settings.

        Parameters
        ----------
        path : str or path-like
            A file in a folder that exists; what is there is replaced.
        lang : {"en", "ko"}, default="en"
            Language of the page.
        title : str, optional
            Heading of the page.

        Returns
        -------
        Path

        Raises
        ------
        ImportError
            If jinja2 or matplotlib is not installed.
        ValueError
            For a language that there is none of.
        OSError
            If the file cannot be written.
        """
        from gpumetrics.pages.comparison_page import page_of
        from gpumetrics.pages.render import check_writable, write

        check_writable(path, lang)
        return write(page_of(self, lang=lang, title=title), path)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict that `json.dumps` takes.

        Returns
        -------
        dict
            The table as a list of dicts under ``labelings``, where nan stays a float with its reason under
            ``<score>_reason``; ``best``, the best's value as ``best_<score>``, ``better`` (the direction of each
            score), ``agreed``, ``agreement``, ``question``, ``changes``, the notes as a list, and the settings. The
            labels themselves are left out.
        """
        return {
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "metric": self.metric,
            "noise_label": json_value(self.noise_label),
            "silhouette_mode": self.silhouette_mode,
            "labelings": [self._line(at) for at in range(len(self))],
            "better": {name: FACTS[name].better for name in self.best},
            "best": {name: json_value(best) for name, best in self.best.items()},
            **{f"best_{name}": self._value(name, best) for name, best in self.best.items() if best is not None},
            "agreed": self.agreed,
            "agreement": str(self.agreement),
            "question": str(self.question),
            "changes": [change.to_dict() for change in self.changes],
            "notes": list(map(str, self.notes.values())),
            "backend": str(self.backend),
            "seconds": self.seconds,
        }

    def _value(self, score: str, name: Any) -> float:
        return float(self.rows[score][self.names.index(name)])

    def _line(self, at: int) -> dict[str, Any]:
        reasons = self.entries.reasons.get(self.names[at], {})
        out: dict[str, Any] = {}
        for key, column in self.rows.items():
            value = json_value(column[at])
            missing = isinstance(value, float) and not math.isfinite(value)
            out[key] = None if missing and key not in self.best else value
            if missing and key in self.best:
                default = "it is unbounded" if math.isinf(value) else "undefined"
                out[f"{key}_reason"] = str(reasons.get(key) or self.rows["reason"][at] or default)
        return out

    def __str__(self) -> str:
        from gpumetrics.choosing.comparison_text import comparison_text

        return comparison_text(self)

    def __repr__(self) -> str:
        best = ", ".join(f"{score} {self.best[score]!r}" for score in self.scores)
        many = f"{len(self)} labeling{'s' * (len(self) != 1)} of {self.n_samples} rows"
        return f"<Comparison of {many}: best by {best}; print it for the table>"


def comparison_of(entries: Entries, *, backend: str, seconds: float) -> Comparison:
    """Judge the entries, and put everything together."""
    verdict, basis = judge(entries), entries.basis
    return Comparison(
        rows=entries.rows,
        scores=basis.scores,
        best=verdict.best,
        agreed=verdict.agreed,
        agreement=verdict.agreement,
        question=verdict.question,
        changes=verdict.changes,
        notes=add_notes(entries, verdict),
        n_samples=basis.n_samples,
        n_features=basis.n_features,
        metric=basis.metric,
        noise_label=basis.noise_label,
        silhouette_mode=basis.mode,
        backend=backend,
        seconds=seconds,
        entries=entries,
    )
