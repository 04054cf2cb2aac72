"""What the page of a clustering cannot say, what a conclusion rests on, and how to repeat it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.pages.clustering_reading import NO_APPROVAL
from gpumetrics.pages.common import backend_rows, own, settings_section, short, written
from gpumetrics.pages.model import Cell, Column, Listing, Paragraph, Section, Table
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block

__all__ = ["limits", "repeat"]

LIMITS = (
    (
        "Whether the clusters are of use, or what they mean. A score tells how far the rows form groups in these "
        "columns, by this distance; it does not know what they are for."
    ),
    (
        "Whether clusters of another shape are right: these scores favour compact, round ones. Crescents and rings, as "
        "density-based methods find them, score low even when they are right; density_validity(X, labels) takes any "
        "shape."
    ),
    (
        "Whether a value is high in itself: the bands of the silhouette (0.25, 0.5, 0.7) are a convention, its values "
        "fall as the number of columns grows, and Calinski-Harabasz has no scale at all."
    ),
    "Anything about other data. Compare only clusterings of the same rows, columns and scaling.",
    "Whether the known classes are right, where there are any: wrong classes make a wrong evaluation.",
)
SHORTEST = 0.01  # seconds of a step that is told
YES, NO = "yes", "not yet"
STEPS = {
    "checks": said("checks"),
    "moments": said("moments"),
    "pairs of clusters": said("pairs of clusters"),
    "silhouette": said("silhouette"),
    "agreement": said("agreement"),
}


def limits(view: View) -> Section:
    """Return the section of limits, with the list of what a conclusion rests on and how far it is there."""
    report = view.report
    named = view.clusters.n_named
    rows: list[tuple[str, bool, str]] = [
        ("scores of the data", bool(report.silhouette_band), "see above: one of several signs, never the only one"),
        (
            "samples for people who know the data to look at",
            view.samples is not None,
            "samples are on this page: whether somebody has read them, only you know"
            if view.samples is not None
            else "give samples=... (--samples FILE in a shell), the texts or pictures of the rows",
        ),
        (
            "names that people gave to the clusters",
            named > 0,
            said("{n:,} of {all:,} clusters have one", n=named, all=report.n_clusters)
            if named
            else "give names=... to report.save_html, a dict of label to name",
        ),
        (
            "clusters that come back when it is done again",
            view.stability is not None,
            view.stability.reading
            if view.stability is not None
            else "give stability=... to report.save_html, from gpumetrics.stability",
        ),
        (
            "comparison with what is known of the rows anyway",
            view.attributes is not None or view.classes is not None,
            "see above"
            if view.attributes is not None or view.classes is not None
            else "give attributes=... to report.save_html, what is known of the rows by name",
        ),
    ]
    cells = [[Cell(what), Cell(YES if there else NO), Cell(says)] for what, there, says in rows]
    columns = [Column("What a conclusion rests on"), Column("on this page"), Column("remark")]
    table = Table("checklist", "Before anything is decided", columns, cells)
    blocks: list[Block] = [Listing(list(LIMITS)), Paragraph(NO_APPROVAL), table]
    return Section("limits", "What the scores cannot say", blocks)


def repeat(view: View, told: Mapping[str, str], command: str) -> Section:
    """Return the section of settings and versions."""
    report = view.report
    X = None if report.scored is None else report.scored.X
    noise = "none" if report.noise_label is None else short(repr(report.noise_label))
    rows: list[tuple[str, Any]] = [
        *((name, own(value)) for name, value in told.items()),
        ("rows", f"{report.n_samples:,}"),
        ("columns", f"{report.n_features:,}"),
        ("dtype", own(str(getattr(X, "dtype", type(X).__name__ if X is not None else "-")))),
        ("distance of the silhouette", short(report.metric)),
        ("label of noise", noise),
        ("silhouettes", {"exact": "exact", "estimate": "estimate", "skip": "none"}[report.silhouette_mode]),
        *backend_rows(report.backend, report.backend_reason, report.seconds),
    ]
    rows += [
        (said("time of {step}", step=STEPS.get(step, step)), said("{seconds:.2f} s", seconds=seconds))
        for step, seconds in report.timings.items()
        if seconds >= SHORTEST
    ]
    rows.append(("time of candidates and samples", said("{seconds:.2f} s", seconds=view.found.seconds)))
    rows.append(("rows with a silhouette", counted(report.n_evaluated, "{n:,} row", "{n:,} rows")))
    code = {"In Python, with your own X and labels:": _code(view)}
    return settings_section(rows, code | ({"To repeat it from a shell:": command} if command else {}))


def _code(view: View) -> str:
    report = view.report
    function = report.scored is not None and callable(report.scored.metric)
    metric = written(report.metric)
    if function:
        metric = report.metric if report.metric.isidentifier() else "..."
    options = [f"metric={metric}"] if report.metric != "euclidean" else []
    kwds = {} if report.scored is None else report.scored.kwds
    options += [f"{name}={written(value)}" for name, value in kwds.items()]
    noise = written(report.noise_label)
    options += [f"noise_label={noise}"] if noise != "-1" else []
    if report.silhouette_mode != "exact":
        options.append(f"silhouette={report.silhouette_mode!r}")
    if report.silhouette_mode == "estimate":
        options.append("random_state=random_state")
    if "adjusted_rand" in report.scores:
        options.append("labels_true=labels_true")
    given = [
        f"{name}={name}"
        for name, value in (
            ("samples", view.samples),
            ("names", view.clusters.n_named or None),
            ("stability", view.stability),
            ("attributes", view.attributes),
        )
        if value is not None
    ]
    call = ", ".join(["X", "labels", *options])
    page = ", ".join(['"report.html"', *given])
    return f"import gpumetrics\n\nreport = gpumetrics.evaluate_clustering({call})\nreport.save_html({page})"
