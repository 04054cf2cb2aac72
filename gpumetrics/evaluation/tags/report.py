"""The result of `evaluate_tags`: every score of predicted tag sets, with what is needed to read and repeat them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.tag_names import shown
from gpumetrics.evaluation.tags.change import check_same_basis
from gpumetrics.evaluation.tags.tables import failure
from gpumetrics.evaluation.tags.words import plural
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from gpumetrics.classification.tag_encoding import EncodedTags
    from gpumetrics.classification.threshold_result import BestThreshold
    from gpumetrics.types import Array

__all__ = ["TagReport"]


@dataclass(frozen=True, eq=False, repr=False)
class TagReport(Result):
    """The scores of predicted tag sets and what is needed to read them; ``print`` it.

    Attributes
    ----------
    scores : dict of str to float
        ``precision``, ``recall``, ``f1``, ``fbeta`` and ``jaccard``, each with ``_micro``, ``_macro``, ``_weighted``
        and ``_samples``, and ``exact_match`` (higher is better, 0 to 1); ``hamming_loss`` (lower is better, 0 to 1).
        nan where undefined.
    intervals : dict of str to tuple of float
        Ends of the 95 % interval of the averages over documents (``_samples``, ``exact_match``, ``hamming_loss``)
        and of the pooled scores (``_micro``).
    averages : dict of str to str
        Over what each average is taken.
    counts : dict of str to int or float
        ``true_positives``, ``false_positives``, ``false_negatives``; ``intersection`` and ``union``, the two sides of
        the micro Jaccard; ``wrong_cells`` and ``cells`` (documents x labels), those of the Hamming loss. Weighted, if
        the documents are.
    documents : dict of str to int
        ``n_documents`` (scored), ``n_given``, ``n_unlabelled`` (truth None) and ``n_unpredicted`` (prediction None)
        that were left out, ``n_empty_both``, ``n_empty_true`` (only there), ``n_empty_pred``, ``n_exact``,
        ``n_fewer_predicted``, ``n_more_predicted``.
    undefined_documents, undefined_labels : dict of str to int
        For how many a metric is 0/0.
    by_size : dict of str to ndarray
        Groups of documents by ``true_tags``: ``documents``, ``share_of_samples`` and ``share_of_micro`` (what the group
        weighs in the two averages), ``jaccard_samples``, ``jaccard_micro`` (of the group alone).
    per_label : dict of str to ndarray of shape (n_labels,)
        ``label``, the five metrics, ``support`` (true), ``predicted`` and the three counts.
    per_document : dict of str to ndarray of shape (n_documents,)
        ``document`` (its position as given), the five metrics, ``n_true``, ``n_pred``, ``n_both``, ``n_missed``,
        ``n_invented``.
    worst : list of dict
        ``document``, ``jaccard``, ``missed``, ``invented`` and, if given, ``text`` of the worst documents; ``id``
        too, of those of files.
    settings : dict
        ``classes``, ``exclude``, ``unknown``, ``zero_division``, ``beta``, ``weighted``, ``worst``; and
        ``sample_weight``, of all documents as they were given.
    notes : dict of str to str
        Remarks under the subject they concern.
    tags : EncodedTags
        Both sides as they were scored; its ``facts`` count repeated, unknown and excluded tags.
    sample_weight : ndarray or None
        Of the documents that were scored.
    backend, backend_reason : str
    seconds : float
    """

    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    averages: dict[str, str]
    counts: dict[str, float]
    documents: dict[str, int]
    undefined_documents: dict[str, int]
    undefined_labels: dict[str, int]
    by_size: dict[str, Array]
    per_label: dict[str, Array]
    per_document: dict[str, Array]
    worst: list[dict[str, Any]]
    settings: dict[str, Any]
    notes: dict[str, str]
    tags: EncodedTags
    sample_weight: Array | None
    backend: str
    backend_reason: str
    seconds: float

    @property
    def n_documents(self) -> int:
        """Documents that were scored."""
        return self.documents["n_documents"]

    @property
    def n_unlabelled(self) -> int:
        """Documents that were left out because nobody has labelled them."""
        return self.documents["n_unlabelled"]

    @property
    def n_labels(self) -> int:
        """Tags that were scored."""
        return len(self.tags.classes)

    def failures(self) -> Iterator[dict[str, Any]]:
        """Yield every document that is not exactly right, in the order given, with what it missed and invented."""
        table = self.per_document
        for row in np.flatnonzero(table["n_missed"] + table["n_invented"]).tolist():
            yield failure(self.tags, row, float(table["jaccard"][row]))

    def change_from(self, before: TagReport) -> dict[str, float]:
        """Return each score less that of another report on the same truth.

        Raises
        ------
        TypeError
            If `before` is no report.
        ValueError
            If the two differ in documents, truth, labels, weights, `zero_division`, `beta` or `exclude`: their scores
            do not compare.
        """
        if not isinstance(before, TagReport):
            msg = f"change_from takes another report of evaluate_tags, got {shown(before)}."
            raise TypeError(msg)
        check_same_basis(self, before)
        return {name: value - before.scores[name] for name, value in self.scores.items()}

    def save_html(
        self,
        path: str | os.PathLike[str],
        *,
        lang: str = "en",
        title: str | None = None,
        threshold: BestThreshold | None = None,
    ) -> Path:
        """Write the report as one HTML file that needs nothing else: reading, plots, tables, settings.

        Parameters
        ----------
        path : str or path-like
            A file in a folder that exists; what is there is replaced.
        lang : {"en", "ko"}, default="en"
            Language of the page.
        title : str, optional
            Heading of the page.
        threshold : BestThreshold, optional
            The threshold by which scores became the predicted tags; the page shows it with its curve.

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
        from gpumetrics.pages.render import check_writable, write
        from gpumetrics.pages.tags_page import page_of

        check_writable(path, lang)
        return write(page_of(self, lang=lang, title=title, threshold=threshold), path)

    def _columns(self) -> dict[str, Array]:
        return self.per_label

    def to_dict(self) -> dict[str, Any]:
        """Return the report as one flat dict that `json.dumps` takes: scores, counts and every setting.

        Returns
        -------
        dict
            Python scalars by name; intervals under ``<score>_low`` and ``<score>_high``; tables as lists
            under ``label_<column>`` and ``size_<column>``; the worst documents as a list of dicts, the notes as a list;
            the settings under ``setting_<name>``. nan stays a float, with the reason under ``<name>_reason``. All
            documents one by one are in `per_document` and `failures` only.
        """
        out: dict[str, Any] = {**self.documents, "n_labels": self.n_labels}
        for name, value in self.scores.items():
            out[name] = value
            if math.isnan(value):
                out[f"{name}_reason"] = "0/0: there is nothing to divide by"
            if name in self.intervals:
                out[f"{name}_low"], out[f"{name}_high"] = self.intervals[name]
        out |= {"hamming_loss_better": "lower", "other_scores_better": "higher", **self.counts}
        for name, number in self.undefined_documents.items():
            out |= {f"{name}_undefined_documents": number, f"{name}_undefined_labels": self.undefined_labels[name]}
        out |= {f"average_{name}": str(text) for name, text in self.averages.items()}
        out |= self._settings()
        out |= {f"label_{key}": json_value(column) for key, column in self.per_label.items()}
        out |= {f"size_{key}": json_value(column) for key, column in self.by_size.items()}
        out["worst_documents"] = [{key: json_value(value) for key, value in entry.items()} for entry in self.worst]
        out["notes"] = list(map(str, self.notes.values()))
        return out | {"backend": self.backend, "backend_reason": str(self.backend_reason), "seconds": self.seconds}

    def _settings(self) -> dict[str, Any]:
        """Every setting, and what became of tags and documents by them."""
        facts = self.tags.facts
        out = {f"setting_{name}": json_value(value) for name, value in self.settings.items()}
        rule = self.settings["zero_division"]
        out["setting_zero_division"] = "nan" if rule != rule else rule  # noqa: PLR0124
        out["setting_beta"] = "inf" if math.isinf(self.settings["beta"]) else self.settings["beta"]
        for name in ("repeated", "unknown", "excluded"):
            out |= {f"{name}_{side}": getattr(facts, f"{name}_{side}") for side in ("true", "pred")}
        return out | {"unknown_tags": json_value(list(facts.unknown_tags))}

    def __str__(self) -> str:
        from gpumetrics.evaluation.tags.text import tag_text

        return tag_text(self)

    def __repr__(self) -> str:
        return (
            f"<TagReport of {plural(self.n_documents, 'document')}, {plural(self.n_labels, 'label')}: "
            f"Jaccard {self.scores['jaccard_samples']:.4g} (samples); print it for all scores>"
        )
