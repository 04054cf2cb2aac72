"""What to do next with a clustering: a short list in the order in which to do it, with the clusters by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import percent
from gpumetrics.evaluation.remarks import MUCH_NOISE
from gpumetrics.pages.clustering_evidence import negative_share
from gpumetrics.pages.clustering_reading import NO_APPROVAL
from gpumetrics.pages.common import short
from gpumetrics.pages.model import Listing, Paragraph, Section
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.evaluation.candidates_result import Candidates
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block

__all__ = ["next_section"]

MOST = 3  # candidates of a kind that are named here
NAME_THEM = (
    "Read the typical and the doubtful samples of each cluster below, with somebody who knows the data, and name each "
    "cluster. Give the names to the page (report.save_html with names=...) to see which clusters were called the same."
)
SHOW_THEM = (
    "Look at what is in the clusters: give the texts or pictures of the rows to the page (report.save_html with "
    "samples=..., or --samples FILE in a shell), and it shows typical and doubtful ones of each cluster. The row "
    "numbers are below."
)
AGAIN = (
    "Cluster again with other seeds or on other samples, by gpumetrics.stability(X, clusterer, reference=labels), and "
    "give the result to the page (report.save_html with stability=...): borders that move every time are not worth a "
    "decision."
)
RESCALE = "Scale the columns, or drop the one that outweighs the others, and cluster again before anything else."
NOISE = (
    "Cluster again with settings that set fewer rows aside (such as a larger eps for DBSCAN, or a smaller "
    "min_cluster_size for HDBSCAN), and compare: dropping hard rows tends to raise scores."
)
OTHER_K = (
    "Compare with other numbers of clusters, or another method, on the same rows: gpumetrics.sweep(X, clusterer, "
    "n_clusters=range(2, 16)), or in a shell gpumetrics sweep FEATURES --clusterer kmeans --k 2:15."
)
SCATTERED = 0.01  # share of negative rows from which they are told though no border stands out
PURE = 0.6  # share of a cluster that its main class has, below which it is told to mix classes
ONE_CLUSTER = "Cluster again with settings that give two clusters at least."


def next_section(view: View) -> Section:
    """Return the section of what to do."""
    report, found = view.report, view.found
    items: list[str] = [found.lacking["rows"]] if "rows" in found.lacking else []
    if report.noise_fraction > MUCH_NOISE:
        items.append(NOISE)
    if found.columns is not None and found.columns.dominating is not None:
        items.append(RESCALE)
    if report.n_clusters < 2:
        items.append(ONE_CLUSTER)
    else:
        items += [*_changes(view), *_scattered(view), *_mixed(view)]
        if report.silhouette_band in {"weak", "none"}:
            items.append(OTHER_K)
        if report.scored is not None:
            items.append(SHOW_THEM if view.samples is None else NAME_THEM)
        items += _again(view)
    blocks: list[Block] = [Listing(items, ordered=True), Paragraph(NO_APPROVAL)]
    return Section("next", "What to do next", blocks)


def _changes(view: View) -> list[str]:
    found = view.found
    items = [*_splits(view, found.split), *_merges(view, found.merge), *_borders(view, found.boundary)]
    return items or _nearest(view)


def _nearest(view: View) -> list[str]:
    """Say what comes nearest to a candidate where there is none."""
    report, name = view.report, view.clusters.word
    large = report.split_candidates(drop=0.0)
    items: list[str] = []
    if len(large):
        at = int(np.argmax(large.table["below_others"]))
        template = (
            "Look at {cluster} first: by the rules of this report nothing has to be changed, but of the large clusters "
            "it holds together least ({size:,} rows, {times:.1f} times as many as is usual here, mean silhouette "
            "{mean:.3f}). Does it hold more than one kind of thing?"
        )
        columns = {"size": "size", "times": "times_median", "mean": "silhouette_mean"}
        values = {key: large.table[column][at] for key, column in columns.items()}
        items.append(said(template, cluster=name(large.table["cluster"][at]), **values))
    ratio = report.per_cluster["worst_ratio"]
    if len(ratio) > 2 and not np.isnan(ratio).all():
        at = int(np.nanargmax(ratio))
        template = "Put samples of {a} and {b} side by side: they are the pair that is most alike (R {r:.2f})."
        a, b = report.per_cluster["label"][at], report.per_cluster["worst_partner"][at]
        items.append(said(template, a=name(a), b=name(b), r=float(ratio[at])))
    return items


def _scattered(view: View) -> list[str]:
    """Point at rows on the wrong side that are too scattered for a candidate."""
    share = negative_share(view.report)
    if view.found.boundary is None or len(view.found.boundary) or not view.found.lowest or share < SCATTERED:
        return []
    template = (
        "Look at the rows that are nearer to another cluster than to their own ({share} of all), the worst of which is "
        "row {row:,}. They are scattered over many borders: are they labelled wrongly, or of no cluster at all?"
    )
    return [said(template, share=percent(share, 1), row=view.found.lowest[0].row)]


def _mixed(view: View) -> list[str]:
    """Name the cluster that mixes the known classes most, by the share of its most frequent one."""
    if view.classes is None:
        return []
    typical = view.classes.typical
    at = int(np.argmin(typical["share"]))
    if typical["share"][at] >= PURE:
        return []
    template = (
        "Look at what is in {cluster}: it mixes known classes more than any other, and its most frequent one, {value}, "
        "is only {share} of it."
    )
    cluster, share = view.clusters.word(view.report.per_cluster["label"][at]), percent(float(typical["share"][at]))
    return [said(template, cluster=cluster, value=short(typical["value"][at]), share=share)]


def _more(found: Candidates) -> str:
    left = len(found) - MOST
    return counted(left, " ({n:,} more is below.)", " ({n:,} more are below.)") if left > 0 else ""


def _splits(view: View, found: Candidates) -> list[str]:
    items: list[str] = [
        said(
            "Try to split {cluster}: it has {size:,} rows, {times:.1f} times as many as is usual here, and they hold "
            "together less than others (mean silhouette {mean:.3f}, {below:.3f} below that of the other clusters). "
            "Cluster its rows alone, into two or three groups.",
            cluster=view.clusters.word(entry["cluster"]),
            size=entry["size"],
            times=entry["times_median"],
            mean=entry["silhouette_mean"],
            below=entry["below_others"],
        )
        for entry in list(found)[:MOST]
    ]
    return _with_more(items, found)


def _merges(view: View, found: Candidates | None) -> list[str]:
    items: list[str] = []
    for entry in [] if found is None else list(found)[:MOST]:
        a, b = (view.clusters.word(entry[key]) for key in ("cluster", "other"))
        if entry["same_name"]:
            template = "Consider one cluster in place of {a} and {b}: people gave both the same name."
            items.append(said(template, a=a, b=b))
            continue
        items.append(
            said(
                "Put samples of {a} and {b} side by side: along the line through their centres no gap shows (Ashman's "
                "D {d:.2f}). If nobody can tell which is which, make them one.",
                a=a,
                b=b,
                d=entry["ashman_d"],
            )
        )
    return items if found is None else _with_more(items, found)


def _borders(view: View, found: Candidates | None) -> list[str]:
    if found is None:
        return []
    items: list[str] = [
        said(
            "Look at the border between {a} and {b}: {rows} of {a} ({share}) are nearer to {b}.",
            a=view.clusters.word(entry["cluster"]),
            b=view.clusters.word(entry["nearest_other"]),
            rows=_rows(entry),
            share=percent(entry["share_of_cluster"], 1),
        )
        for entry in list(found)[:MOST]
    ]
    return _with_more(items, found)


def _rows(entry: dict[str, int]) -> str:
    if entry["n_estimated"] == entry["n_rows"]:
        return counted(entry["n_rows"], "{n:,} row", "{n:,} rows")
    return counted(entry["n_estimated"], "about {n:,} row", "about {n:,} rows")


def _with_more(items: list[str], found: Candidates) -> list[str]:
    more = _more(found)
    return [*items[:-1], said("{item}{more}", item=items[-1], more=more)] if items and more else items


def _again(view: View) -> list[str]:
    if view.stability is None:
        return [AGAIN]
    table = view.stability.per_cluster
    weak = [label for label, value in zip(table["label"], table["jaccard"].tolist(), strict=True) if value < 0.6]
    if not weak:
        return []
    return [
        said(
            "Do not build on clusters that do not come back when the clustering is done again: {n:,} of {all:,} (see "
            "below).",
            n=len(weak),
            all=view.stability.n_clusters,
        )
    ]
