"""What the page of a clustering is about, gathered once for all of its parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpumetrics.backends.interop import is_device_array
from gpumetrics.choosing.stability_result import Stability
from gpumetrics.clustering.fitted import n_rows
from gpumetrics.evaluation.findings import findings_of
from gpumetrics.pages.given import Clusters, check_samples
from gpumetrics.text.messages import LANGUAGES

if TYPE_CHECKING:
    from gpumetrics.evaluation.attributes import AttributeCheck
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.evaluation.findings import Findings
    from gpumetrics.pages.given import Given

__all__ = ["View", "view_of"]

SAME = 1e-6  # between an agreement and the same one again
OTHER_CLASSES = "The known classes were changed after this report was made: its scores are those of the classes before."


@dataclass(frozen=True)
class View:
    """A report, what was found in its rows, and what the user gave besides.

    `classes` has the known classes as an attribute, `attributes` what else is known of the rows.
    """

    report: ClusteringReport
    found: Findings
    clusters: Clusters
    samples: Given | None
    stability: Stability | None
    attributes: AttributeCheck | None
    classes: AttributeCheck | None

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 if none are known."""
        return 0 if self.classes is None else int(self.classes.table["n_values"][0])


def view_of(report: ClusteringReport, samples: Any, names: Any, stability: Any, attributes: Any, lang: str) -> View:
    """Check what was given, and look for what there is to see.

    Raises
    ------
    ValueError
        For an unknown language, samples or attributes of another length, names of labels that no cluster has, or a
        stability that is none.
    """
    if lang not in LANGUAGES:
        msg = f"lang must be one of {LANGUAGES}, got {lang!r}"
        raise ValueError(msg)
    if stability is not None and not isinstance(stability, Stability):
        msg = f"stability must be what gpumetrics.stability returns, got {type(stability).__name__}"
        raise ValueError(msg)
    if stability is not None and stability.n_samples != report.n_samples:
        msg = f"stability is of {stability.n_samples:,} rows, but the report is of {report.n_samples:,}"
        raise ValueError(msg)
    clusters = Clusters(report.per_cluster["label"], names)
    given = check_samples(samples, report.n_samples)
    # Before the rows are looked at: it may be refused.
    known = _known(report, attributes) if _is_of_all(report, "labels") else None
    found = findings_of(report, names=names)
    if "rows" in found.lacking:  # nothing on the page may come from rows that are others by now
        report, known = replace(report, scored=None), None
    classes = _classes(report, found)
    return View(report, found, clusters, given, stability, known, classes)


def _is_of_all(report: ClusteringReport, name: str) -> bool:
    """Whether labels that were given are still as many as the rows of the report."""
    values = getattr(report.scored, name, None)
    return values is None or n_rows(values) == report.n_samples


def _classes(report: ClusteringReport, found: Findings) -> AttributeCheck | None:
    """Return the known classes as an attribute; None, and `lacking` says so, if they are others by now."""
    scored = report.scored
    if scored is None or scored.labels_true is None or not report.n_clusters:
        return None
    # Classes on a GPU are compared there; labels on the host and classes on a GPU cannot be.
    if is_device_array(scored.labels) != is_device_array(scored.labels_true):
        return None
    if _is_of_all(report, "labels_true"):
        check = _known(report, {"labels_true": scored.labels_true})
        before = report.scores["adjusted_mutual_info"]
        if check is not None and abs(check.table["adjusted_mutual_info"][0] - before) <= SAME:
            return check
    found.lacking["classes"] = OTHER_CLASSES
    return None


def _known(report: ClusteringReport, values: Any) -> AttributeCheck | None:
    from gpumetrics.evaluation.attributes import attribute_check

    if values is None or report.scored is None or not report.n_clusters:
        return None
    return attribute_check(report.scored.labels, values, noise_label=report.noise_label)
