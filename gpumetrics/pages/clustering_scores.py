"""The scores of a clustering and its clusters, as tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.facts import percent
from gpumetrics.evaluation.score_facts import EXTERNAL, INTERNAL
from gpumetrics.pages.clustering_cards import ARROWS
from gpumetrics.pages.clustering_doubts import many_more
from gpumetrics.pages.common import count_cell, number_cell, own, share_cell, short
from gpumetrics.pages.model import Cell, Column, Paragraph, Section, Table
from gpumetrics.text.layout import format_score
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.evaluation.attributes import AttributeCheck
    from gpumetrics.evaluation.score_facts import ScoreFacts
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block
    from gpumetrics.types import Array

__all__ = ["attributes_section", "clusters_section", "scores_section", "truth_section"]

MOST_CLUSTERS = 1_000  # rows of the table
NAMED = ("worst_partner", "nearest_cluster")  # columns of labels
COLUMNS = {
    "size": ("rows", ""),
    "silhouette_mean": ("mean silhouette", "1: far nearer to its own cluster than to the next one; 0: on the border"),
    "silhouette_median": ("median", "of the silhouettes"),
    "share_negative": ("below 0", "share of its rows that are nearer to another cluster"),
    "rows_evaluated": ("rows asked", "of which the silhouettes of an estimate come"),
    "distance_to_centroid": ("width", "mean distance of its rows to its centre"),
    "worst_partner": ("most similar", "the other cluster with the largest R"),
    "worst_ratio": (
        "R",
        "both widths over the distance of the centres; above 1 they may overlap, in many dimensions they need not",
    ),
    "nearest_cluster": ("nearest", "the other cluster whose centre is nearest"),
}


def scores_section(view: View) -> Section:
    """Return the section of the scores from the data alone, with the parts of Calinski-Harabasz."""
    blocks: list[Block] = [_table(view, "scores-table", "Scores from the data and the clusters alone", INTERNAL)]
    dispersion = view.found.dispersion
    if dispersion is not None and math.isfinite(view.report.scores["calinski_harabasz"]):
        blocks.append(
            Paragraph(
                said(
                    "Calinski-Harabasz is ({between} / {n_between:,}) / ({within} / {n_within:,}): the squared "
                    "distances of the centres from the overall mean, each weighted by its rows, over their degrees of "
                    "freedom (clusters - 1), against the squared distances of the rows from their centres over theirs "
                    "(rows - clusters). It grows with the number of rows: only clusterings of the same rows compare.",
                    between=format_score(dispersion.between),
                    n_between=dispersion.n_between,
                    within=format_score(dispersion.within),
                    n_within=dispersion.n_within,
                )
            )
        )
    return Section("scores", "All scores", blocks)


def truth_section(view: View) -> Section:
    """Return the section of the scores against known classes; empty without any."""
    scores = view.report.scores
    if not any(facts.name in scores for facts in EXTERNAL):
        return Section("truth", "Against the known classes", [])
    blocks: list[Block] = [_table(view, "truth-table", "Scores against labels_true", EXTERNAL)]
    if "classes" in view.found.lacking:
        blocks.append(Paragraph(view.found.lacking["classes"]))
    if many_more(view):
        blocks.append(
            Paragraph(
                said(
                    "The numbers of clusters ({k:,}) and of classes ({n:,}) differ much: read adjusted Rand and "
                    "adjusted mutual information. Rand, normalized mutual information and homogeneity rise with the "
                    "number of clusters by chance alone.",
                    k=view.report.n_clusters,
                    n=view.n_classes,
                )
            )
        )
    blocks.append(Paragraph("Classes that are wrong make a good clustering look bad, and a bad one good."))
    return Section("truth", "Against the known classes", blocks)


def _table(view: View, key: str, caption: str, known: tuple[ScoreFacts, ...]) -> Table:
    report = view.report
    rows = []
    for facts in known:
        if facts.name not in report.scores:
            continue
        value = report.scores[facts.name]
        reading = report.readings.get(facts.name, "") or (report.notes.get(facts.name, "") if math.isnan(value) else "")
        text = format_score(value)
        cells = [Cell(facts.title), number_cell(value, own(text)), Cell(ARROWS[facts.better]), Cell(facts.range)]
        rows.append([*cells, Cell(reading)])
    columns = [Column("score"), Column("value", number=True), Column("better"), Column("range"), Column("reading")]
    return Table(key, caption, columns, rows)


def clusters_section(view: View) -> Section:
    """Return the section with a line for each cluster."""
    report = view.report
    if not report.n_clusters:
        return Section("clusters", "The clusters", [])
    table, order = report.per_cluster, np.arange(report.n_clusters)
    note = ""
    if report.n_clusters > MOST_CLUSTERS:
        order = _weakest(table)[:MOST_CLUSTERS]
        note = said(
            "The {n:,} of {all:,} clusters with the lowest mean silhouettes; report.to_frame() has them all.",
            n=MOST_CLUSTERS,
            all=report.n_clusters,
        )
    keys = [key for key in COLUMNS if key in table and _known(table[key])]
    columns = [Column("cluster"), *(Column(COLUMNS[k][0], k not in NAMED, COLUMNS[k][1]) for k in keys)]
    rows = [[Cell(view.clusters.text(table["label"][i])), *(_cell(view, k, table[k][i]) for k in keys)] for i in order]
    if view.classes is not None:
        columns += [Column("main class"), Column("its share", number=True, help="of the cluster's rows")]
        typical = view.classes.typical
        for i, row in zip(order, rows, strict=True):
            row += [Cell(short(typical["value"][i])), share_cell(typical["share"][i])]
    marks = tuple(f"c{i}" for i in order)
    return Section("clusters", "The clusters", [Table("clusters-table", "All clusters", columns, rows, marks, note)])


def _known(values: Array) -> bool:
    if values.dtype.kind == "O":
        return any(value is not None for value in values)
    return values.dtype.kind != "f" or not bool(np.isnan(values).all())


def _weakest(table: dict[str, Array]) -> Array:
    return np.argsort(np.nan_to_num(table["silhouette_mean"], nan=2.0), kind="stable")


def _cell(view: View, key: str, value: Any) -> Cell:
    if key in NAMED:
        return Cell(view.clusters.text(value)) if value is not None else Cell(own("-"))
    if key in {"size", "rows_evaluated"}:
        return count_cell(value)
    if key == "share_negative":
        return share_cell(value)
    return number_cell(value, "" if key.startswith("silhouette") else own(format_score(float(value))))


def attributes_section(view: View) -> Section:
    """Return the section of what was known of the rows anyway; empty where nothing was given."""
    check = view.attributes
    if check is None:
        return Section("attributes", "Against what is known anyway", [])
    table = check.table
    columns = [
        Column("attribute"),
        Column("values", number=True),
        Column("AMI", number=True, help="adjusted mutual information: 0 as by chance, 1 the same partition"),
        Column("homogeneity", number=True, help="1: each cluster has one value only"),
        Column("completeness", number=True, help="1: each value is in one cluster only"),
        Column("reading"),
    ]
    scores = ("adjusted_mutual_info", "homogeneity", "completeness")
    rows = [
        [
            Cell(short(table["attribute"][i])),
            count_cell(table["n_values"][i]),
            *(number_cell(table[key][i]) for key in scores),
            Cell(table["reading"][i]),
        ]
        for i in range(len(table["attribute"]))
    ]
    blocks: list[Block] = [Table("attributes-table", "Agreement of the clusters with known attributes", columns, rows)]
    blocks.append(Paragraph(_typical(view, check, table["attribute"][0])))
    blocks += [Paragraph(note) for note in check.notes.values()]
    return Section("attributes", "Against what is known anyway", blocks)


def _typical(view: View, check: AttributeCheck, name: Any) -> str:
    """Say where the attribute that is nearest to the clusters shows most."""
    typical = check.typical
    mine = np.array([other == name for other in typical["attribute"]])
    at = np.flatnonzero(mine)[np.argmax(typical["share"][mine])]
    return said(
        "It shows most in cluster {cluster}: {share} of its rows have {attribute} = {value}, of all rows {all}.",
        cluster=view.clusters.text(typical["cluster"][at]),
        share=percent(float(typical["share"][at])),
        attribute=short(name, 40),
        value=short(typical["value"][at], 40),
        all=percent(float(typical["share_of_all"][at])),
    )
