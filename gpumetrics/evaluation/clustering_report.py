"""The result of `evaluate_clustering`: every score of a clustering, with what a reader needs to read them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.evaluation.score_facts import SCORES, silhouette_band
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from gpumetrics.choosing.stability_result import Stability
    from gpumetrics.evaluation.candidates_result import Candidates
    from gpumetrics.types import Array

__all__ = ["ClusteringReport", "Scored"]


class Scored(NamedTuple):
    """What a report is about, as it was given: by reference, never a copy."""

    X: Any
    labels: Any
    labels_true: Any
    metric: Any
    kwds: dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class ClusteringReport(Result):
    """The scores of a clustering and what is needed to read them; ``print`` it.

    Attributes
    ----------
    scores : dict of str to float
        ``silhouette``, ``silhouette_macro`` (mean of the clusters' means), ``calinski_harabasz`` (higher
        is better), ``davies_bouldin`` (lower is better); with ``labels_true`` also ``rand``,
        ``adjusted_rand``, ``adjusted_mutual_info``, ``normalized_mutual_info``, ``homogeneity``,
        ``completeness``, ``v_measure``, ``fowlkes_mallows`` and ``clustering_accuracy`` (higher is better).
        nan where undefined; `notes` says why.
    per_cluster : dict of str to ndarray of shape (n_clusters,)
        ``label``, ``size``, ``silhouette_mean``, ``silhouette_median``, ``share_negative``,
        ``distance_to_centroid`` (mean), ``worst_partner`` and ``worst_ratio`` (the other cluster with the
        largest Davies-Bouldin R, and that R), ``nearest_cluster`` (by centroid); of an estimate also
        ``rows_evaluated``.
    silhouette_samples : ndarray of shape (n_samples,), or None
        Silhouette of each row; nan for noise and for rows that were not evaluated. None of Dask's collections, where
        the function `silhouette_samples` gives a lazy array.
    silhouette_mode : {"exact", "estimate", "skip"}
    silhouette_standard_error : float
        0 where exact, nan where there is no silhouette.
    n_samples, n_features, n_clusters, n_noise : int
        Rows given (noise included), columns, clusters without the noise, rows of noise.
    noise_label : object
        Label that was taken as noise, or None.
    metric : str
        Distance of the silhouette.
    notes : dict of str to str
        Remarks under the score or subject they concern: why a score is undefined, what to keep in mind.
    readings : dict of str to str
        A few words on some scores, as printed.
    backend, backend_reason : str
    seconds : float
        Wall time in all; `timings` has it by step.
    scored : Scored or None
        The rows and labels that were given, for plots and the candidates in `save_html`. None of Dask's collections,
        and in a report that was pickled: it stays small.
    """

    scores: dict[str, float]
    per_cluster: dict[str, Array]
    silhouette_samples: Array | None
    silhouette_mode: str
    silhouette_standard_error: float
    n_samples: int
    n_features: int
    n_clusters: int
    n_noise: int
    noise_label: Any
    metric: str
    notes: dict[str, str]
    readings: dict[str, str]
    backend: str
    backend_reason: str
    seconds: float
    timings: dict[str, float]
    scored: Scored | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "scored": None}

    @property
    def noise_fraction(self) -> float:
        """Share of the rows that are noise, 0 to 1."""
        return self.n_noise / self.n_samples

    @property
    def n_evaluated(self) -> int:
        """Rows whose silhouettes were computed."""
        if self.silhouette_mode == "exact":
            return self.n_samples - self.n_noise
        return int(np.sum(self.per_cluster.get("rows_evaluated", 0)))

    @property
    def silhouette_band(self) -> str:
        """Word for the silhouette: "distinct", "reasonable", "weak", "none", or "" where undefined."""
        return silhouette_band(self.scores["silhouette"])

    def split_candidates(self, *, size_ratio: float = 1.5, drop: float = 0.1) -> Candidates:
        """Find clusters that may be several groups in one, from the table of clusters: nothing is computed again.

        `boundary_candidates` and `ambiguous` need the rows too, but not their silhouettes again: give them
        ``silhouette=report.silhouette_samples``.

        Parameters
        ----------
        size_ratio, drop : float
            As in the function `split_candidates`.

        Returns
        -------
        Candidates
            As that function gives them; none, with a note, where there are no silhouettes.

        Raises
        ------
        ValueError
            For a bound that is no number of at least 0.
        """
        from gpumetrics.clustering.inputs import reason_in
        from gpumetrics.evaluation.judged import silhouette_notes
        from gpumetrics.evaluation.split_rule import splits_in

        evaluated = self.n_evaluated
        why = "" if evaluated else reason_in(self.notes.get("silhouette", said("none was evaluated")))
        notes = silhouette_notes(evaluated, self.n_samples - self.n_noise, why)
        return splits_in(self.per_cluster, size_ratio=size_ratio, drop=drop, notes=notes)

    def save_html(
        self,
        path: str | os.PathLike[str],
        *,
        samples: Any = None,
        names: Any = None,
        stability: Stability | None = None,
        attributes: Any = None,
        lang: str = "en",
        title: str | None = None,
    ) -> Path:
        """Write the report as one HTML page that a person can act on; it needs nothing else, and no network.

        It opens with what the scores say together and what to do next, then shows where to look (clusters to split,
        pairs to merge, borders, the worst rows), samples, plots, tables, what the scores cannot say, and how to repeat
        it.

        Parameters
        ----------
        path : str or PathLike
            Written whole or not at all; a file that is there is replaced, and keeps its mode.
        samples : sequence of length n_samples, optional
            What the rows are, for people: texts (long ones are cut), or pictures, as bytes of PNG, JPEG, GIF or WebP
            files (of more than 30 kB they are left out), of Pillow, or as numbers, an array of shape (n_samples,
            height, width) or (n_samples, height, width, 3). A list, an array or a column. Typical and doubtful ones
            of each cluster are shown.
        names : dict of label to str, optional
            Names that people gave to clusters; two with the same name are a candidate for a merge.
        stability : Stability, optional
            What `gpumetrics.stability` found of the same rows.
        attributes : dict, DataFrame or array-like, optional
            What is known of the rows anyway, as in `attribute_check`.
        lang : {"en", "ko"}, default="en"
            Language of the page.
        title : str, optional

        Returns
        -------
        Path
            The path as given.

        Raises
        ------
        ValueError
            For samples, attributes or a stability of other rows, names of labels that no cluster has, an unknown
            language.
        ImportError
            If jinja2 or matplotlib is not installed.
        OSError
            If the file cannot be written.

        Notes
        -----
        O(n d) beyond the report: silhouettes are not computed again, of an unpickled report nothing that needs the
        rows. A million rows in 200 clusters take a few seconds and less than 2 MB.

        Examples
        --------
        >>> from gpumetrics import evaluate_clustering
        >>> report = evaluate_clustering([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1])
        >>> report.save_html("report.html", samples=["a", "b", "c", "d"])  # doctest: +SKIP
        PosixPath('report.html')
        """
        from gpumetrics.pages.clustering_page import page_of
        from gpumetrics.pages.render import check_writable, write

        check_writable(path, lang)
        given = {"samples": samples, "names": names, "stability": stability, "attributes": attributes}
        return write(page_of(self, **given, lang=lang, title=title), path)

    def _columns(self) -> dict[str, Array]:
        return self.per_cluster

    def to_dict(self) -> dict[str, Any]:
        """Return the report as one flat dict that `json.dumps` takes.

        Returns
        -------
        dict
            Python scalars under their names, the per-cluster table as lists under ``cluster_<column>``, the
            notes as a list. Infinity and nan stay floats, with the reason under ``<name>_reason``.
        """
        out: dict[str, Any] = {
            name: getattr(self, name) for name in ("n_samples", "n_features", "n_clusters", "n_noise")
        }
        out |= {"noise_fraction": self.noise_fraction, "noise_label": json_value(self.noise_label)}
        out["metric"] = self.metric
        for name, value in self.scores.items():
            out |= {name: value, f"{name}_better": SCORES[name].better}
            if not math.isfinite(value):
                out[f"{name}_reason"] = str(self.notes.get(name, "undefined for this input"))
        out |= {
            "silhouette_band": self.silhouette_band,
            "silhouette_mode": self.silhouette_mode,
            "silhouette_standard_error": self.silhouette_standard_error,
        }
        if math.isnan(self.silhouette_standard_error):
            why = str(self.notes.get("silhouette", "there is no silhouette"))
            out["silhouette_standard_error_reason"] = why
        out |= {
            "backend": self.backend,
            "backend_reason": str(self.backend_reason),
            "seconds": self.seconds,
            "notes": [str(note) for note in dict.fromkeys(self.notes.values())],
        }
        return out | {f"cluster_{key}": json_value(column) for key, column in self.per_cluster.items()}

    def __str__(self) -> str:
        from gpumetrics.evaluation.report_text import report_text

        return report_text(self)

    def __repr__(self) -> str:
        return (
            f"<ClusteringReport of {self.n_samples} rows, {self.n_clusters} clusters: "
            f"silhouette {self.scores['silhouette']:.4g}; print it for all scores>"
        )
