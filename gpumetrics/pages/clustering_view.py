"""What the page of a clustering is about, gathered once for all of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpumetrics.backends.interop import is_device_array
from gpumetrics.choosing.stability_result import Stability
from gpumetrics.evaluation.findings import findings_of
from gpumetrics.pages.given import Clusters, check_samples
from gpumetrics.text.messages import LANGUAGES

if TYPE_CHECKING:
    from gpumetrics.evaluation.attributes import AttributeCheck
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.evaluation.findings import Findings
    from gpumetrics.pages.given import Given

__all__ = ["View", "view_of"]


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
    known = _known(report, attributes)  # before the rows are looked at: it may be refused
    found = findings_of(report, names=names)
    classes = _known(report, None if report.scored is None else report.scored.labels_true, classes=True)
    return View(report, found, clusters, given, stability, known, classes)


def _known(report: ClusteringReport, values: Any, *, classes: bool = False) -> AttributeCheck | None:
    from gpumetrics.evaluation.attributes import attribute_check

    if values is None or report.scored is None or not report.n_clusters:
        return None
    labels = report.scored.labels
    if classes:
        # One that is on a GPU is compared there; labels on the host and classes on a GPU cannot be.
        if is_device_array(labels) != is_device_array(values):
            return None
        values = {"labels_true": values}
    return attribute_check(labels, values, noise_label=report.noise_label)
