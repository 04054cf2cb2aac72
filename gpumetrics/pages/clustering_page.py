"""The page of one clustering: the reading, what to do, where to look, samples, plots, tables, limits, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.pages.clustering_advice import next_section
from gpumetrics.pages.clustering_limits import limits, repeat
from gpumetrics.pages.clustering_look import look_section
from gpumetrics.pages.clustering_plots import plots_section
from gpumetrics.pages.clustering_reading import lead_of
from gpumetrics.pages.clustering_samples import samples_section
from gpumetrics.pages.clustering_scores import attributes_section, clusters_section, scores_section, truth_section
from gpumetrics.pages.clustering_stability import stability_blocks
from gpumetrics.pages.clustering_view import view_of
from gpumetrics.pages.common import short, title_of
from gpumetrics.pages.model import Listing, Page, Section
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.text.messages import Message

__all__ = ["page_of"]

TOLD = ("bands", "shape")


def page_of(  # noqa: PLR0913  (what a reader may be given)
    report: ClusteringReport,
    *,
    samples: Any = None,
    names: Any = None,
    stability: Any = None,
    attributes: Any = None,
    lang: str = "en",
    title: str | None = None,
    told: Mapping[str, str] | None = None,
    command: str = "",
) -> Page:
    """Return the page of a clustering report.

    The arguments are those of `ClusteringReport.save_html`; and `told`, settings that the report does not know, such as
    names of files, and `command`, the command line that made it.
    """
    view = view_of(report, samples, names, stability, attributes, lang)
    sections = [
        next_section(view),
        look_section(view),
        samples_section(view),
        plots_section(view),
        clusters_section(view),
        scores_section(view),
        truth_section(view),
        attributes_section(view),
        _stability(view),
        _notes(report),
        limits(view),
        repeat(view, told or {}, command),
    ]
    return Page(
        title=title_of(title, "Report on a clustering"),
        subtitle=_subtitle(report),
        lang=lang,
        lead=lead_of(view),
        sections=[section for section in sections if section.blocks],
    )


def _subtitle(report: ClusteringReport) -> Message:
    rows = counted(report.n_samples, "{n:,} row", "{n:,} rows")
    clusters = counted(report.n_clusters, "{n:,} cluster", "{n:,} clusters")
    if report.metric == "precomputed":  # the number of columns says nothing about the data
        return said("{clusters} of {rows}, by their distances", clusters=clusters, rows=rows)
    columns = counted(report.n_features, "{n:,} column", "{n:,} columns")
    return said(
        "{clusters} of {rows} with {columns}, distance {metric}",
        clusters=clusters,
        rows=rows,
        columns=columns,
        metric=short(report.metric),
    )


def _notes(report: ClusteringReport) -> Section:
    """Return the section of notes, but of those that the limits tell in full."""
    notes = dict.fromkeys(note for key, note in report.notes.items() if key not in TOLD)
    return Section("notes", "Notes", [Listing(list(notes))] if notes else [])


def _stability(view: View) -> Section:
    blocks = [] if view.stability is None else stability_blocks(view, view.stability)
    return Section("stability", "When it is done again", blocks)
