"""Pairs of clusters that may be one: near each other's centres, with no gap along the line between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.clustering.compactness import worst_partners
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.clustering.labelings import Labeling
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.along_lines import along_lines
from gpumetrics.evaluation.candidates_result import Candidates, check_bound
from gpumetrics.evaluation.leaning import CENTRED, as_meant
from gpumetrics.evaluation.remarks import SHAPE
from gpumetrics.label_arrays import plain, unwrap
from gpumetrics.statistics.moments import cluster_moments
from gpumetrics.text.labels import on_one_line, printer
from gpumetrics.text.layout import format_score
from gpumetrics.text.messages import joined, said

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["merge_candidates", "merges_in"]

WIDER = 1.5  # times the other's spread from which splitting the wider of a pair is suggested
ANCHORS = said(
    "For scale: a normal cloud cut through its middle has an Ashman's D of 2.65, a flat block cut in two 3.46, two "
    "equal normal clouds at a distance of 4 standard deviations just over 4."
)


def merge_candidates(
    X: Any,
    labels: Any,
    *,
    max_ashman_d: float = 3.6,
    names: Any = None,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    **kwds: Any,
) -> Candidates:
    """Find pairs of clusters that may be one group in two: near each other, without a gap between them.

    Looked at are each cluster with its most similar other (by Davies and Bouldin's R) and with the one whose centre is
    nearest, and clusters to which people gave the same name.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The rows.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    max_ashman_d : float, default=3.6
        A pair is a candidate if its Ashman's D is below this: the distance of the two centres over the root mean square
        of the two standard deviations along the line through them. 2.65 for a normal cloud cut through its middle.
    names : dict of label to str, optional
        Names that people who know the data gave to clusters: a pair with the same one (but for case and spaces) is a
        candidate whatever its Ashman's D.
    metric : str or callable, default="euclidean"
        Under "cosine" and "correlation" centres are those of the rows' directions. Any other metric, which has no
        centres of its own, gets Euclidean ones, and a note.
    noise_label : label, default=-1
        Rows with this label are left out. None: no label is noise.
    **kwds
        Options of the metric, as in `silhouette_samples`.

    Returns
    -------
    Candidates
        The smallest Ashman's D first. ``table`` has ``cluster`` and ``other``, ``ashman_d``, ``similarity`` (Davies and
        Bouldin's R), ``distance`` of the centres, ``wider`` (the one with the larger mean distance to its centre)
        and ``times_wider``; ``nearest_to_each_other`` and ``most_similar_to_each_other``, which say that neither has a
        nearer or more similar one; ``same_name``. ``notes["worst_pair"]`` names the pair that drives Davies-Bouldin.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes or lengths, missing labels, an unknown metric, ``metric="precomputed"``.
    TypeError
        For a keyword that the metric does not take.

    Notes
    -----
    The rule is this package's. O(n d + k^2 d), as Davies-Bouldin; standard deviations along lines are those of at most
    4096 rows of each cluster, evenly spaced.

    References
    ----------
    D. L. Davies and D. W. Bouldin (1979), IEEE Transactions on Pattern Analysis and Machine Intelligence 1, 224-227;
    K. M. Ashman, C. M. Bird and S. E. Zepf (1994), "Detecting bimodality in astronomical datasets", The Astronomical
    Journal 108, 2348-2361.

    Examples
    --------
    >>> from gpumetrics import merge_candidates
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [50.0], [51.0]]
    >>> found = merge_candidates(X, ["a", "a", "a", "b", "b", "b", "c", "c"], max_ashman_d=4)
    >>> found.table["cluster"].tolist(), found.table["other"].tolist(), found.table["ashman_d"].round(2).tolist()
    (['a'], ['b'], [3.67])
    """
    checked, settings = check_metric(metric, kwds, "merge_candidates")
    check_bound("max_ashman_d", max_ashman_d)
    if checked.name == "precomputed":
        msg = "merge_candidates needs the rows: distances alone, metric='precomputed', have no centres. Give X itself."
        raise ValueError(msg)
    with config_context(**settings), on_device_of(X=X, labels=labels):
        data = check_clustered(X, labels, noise_label, metric=checked, check_number=False)
        return merges_in(data, checked, max_ashman_d=max_ashman_d, names=names)


def merges_in(
    data: ClusteredData,
    metric: Metric,
    *,
    max_ashman_d: float = 3.6,
    names: Any = None,
    moments: ClusterMoments | None = None,
) -> Candidates:
    """Find them in checked data; `moments` are those of the rows as the metric means them, if they are known."""
    undefined = Labeling.of(data.labels).why_undefined
    alike = _same_names(names, data.labels.classes)
    if undefined:
        return Candidates(
            "merge", _Pairs.none(data).table(), [], _rule(max_ashman_d), notes={"undefined": _no(undefined)}
        )
    features = as_meant(data.features, metric) if metric.name in CENTRED else data.features
    if moments is None:
        moments = cluster_moments(features, data.codes, data.sizes)
    pairs = _Pairs.of(data, features, moments, alike)
    notes = {"worst_pair": pairs.worst_pair(), "scale": ANCHORS, "shape": SHAPE}
    if metric.name not in CENTRED:
        notes["metric"] = said("The centres and spreads are Euclidean; the metric has none of its own.")
    chosen = pairs.chosen(max_ashman_d)
    return Candidates("merge", chosen.table(), chosen.reasons(), _rule(max_ashman_d), notes=notes)


def _rule(max_ashman_d: float) -> str:
    return said(
        "centres nearer than {most:g} standard deviations along the line between them (Ashman's D), or the same name",
        most=max_ashman_d,
    )


def _no(reason: str) -> str:
    return said("There are no pairs to compare: {reason}.", reason=reason)


class _Pairs(NamedTuple):
    """Pairs of clusters, and what is known of them; all on the host."""

    classes: Array
    i: Array
    j: Array
    ashman_d: Array
    distance: Array
    alike: Array
    spread: Array
    worst: Array
    ratio: Array
    nearest: Array

    @classmethod
    def none(cls, data: ClusteredData) -> _Pairs:
        k, no = data.labels.n_classes, np.empty(0)
        ints = np.empty(0, dtype=np.int64)
        nothing = np.zeros(k, dtype=np.int64)
        return cls(data.labels.classes, ints, ints, no, no, no.astype(bool), np.zeros(k), nothing, np.zeros(k), nothing)

    @classmethod
    def of(
        cls, data: ClusteredData, features: Features, moments: ClusterMoments, alike: list[tuple[int, int]]
    ) -> _Pairs:
        ratio, worst, nearest = worst_partners(moments)
        k = np.arange(len(worst))
        both = np.concatenate(
            [np.stack([k, worst]), np.stack([k, nearest]), np.array(alike, dtype=np.int64).reshape(-1, 2).T], axis=1
        )
        i, j = np.unique(np.sort(both, axis=0), axis=1)
        same = set(alike)
        named = np.array([pair in same for pair in zip(i.tolist(), j.tolist(), strict=True)], dtype=bool)
        distance, deviation = along_lines(features, data.codes, moments, i, j)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.where(distance == 0, 0.0, distance / deviation)
        scale = moments.scale
        spread = moments.spread / scale
        return cls(data.labels.classes, i, j, apart, distance / scale, named, spread, worst, ratio, nearest)

    def chosen(self, max_ashman_d: float) -> _Pairs:
        """Return the candidates, the smallest Ashman's D first."""
        found = np.flatnonzero((self.ashman_d < max_ashman_d) | self.alike)
        found = found[np.argsort(self.ashman_d[found], kind="stable")]
        pairs = {name: getattr(self, name)[found] for name in ("i", "j", "ashman_d", "distance", "alike")}
        return self._replace(**pairs)

    def _wider(self) -> tuple[Array, Array]:
        """The wider of each pair, and its spread over the other's (inf where that has none, nan where neither has)."""
        a, b = self.spread[self.i], self.spread[self.j]
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.maximum(a, b) / np.minimum(a, b)
        return np.where(b > a, self.j, self.i), times

    def table(self) -> dict[str, Array]:
        wider, times = self._wider()
        with np.errstate(divide="ignore", invalid="ignore"):
            similarity = (self.spread[self.i] + self.spread[self.j]) / self.distance
        return {
            "cluster": self.classes[self.i],
            "other": self.classes[self.j],
            "ashman_d": self.ashman_d,
            "similarity": similarity,
            "distance": self.distance,
            "wider": self.classes[wider],
            "times_wider": times,
            "nearest_to_each_other": (self.nearest[self.i] == self.j) & (self.nearest[self.j] == self.i),
            "most_similar_to_each_other": (self.worst[self.i] == self.j) & (self.worst[self.j] == self.i),
            "same_name": self.alike,
        }

    def reasons(self) -> list[str]:
        name, table = printer(self.classes), self.table()
        out: list[str] = []
        for at in range(len(self.i)):
            a, b = name(table["cluster"][at]), name(table["other"][at])
            facts = [
                said(
                    "{a} and {b}: centres {apart:.2f} standard deviations apart along the line between them",
                    a=a,
                    b=b,
                    apart=float(self.ashman_d[at]),
                )
            ]
            if table["nearest_to_each_other"][at]:
                facts.append(said("each other's nearest"))
            if table["most_similar_to_each_other"][at]:
                facts.append(said("each other's most similar"))
            if self.alike[at]:
                facts.append(said("people gave both the same name"))
            out.append(said("{facts}: perhaps one group", facts=joined(facts, ", ")))
        return out

    def worst_pair(self) -> str:
        """Name the pair with the largest R, and which clusters take their value from it."""
        a = int(np.argmax(self.ratio))
        b, name = int(self.worst[a]), printer(self.classes)
        both = int(self.worst[b]) == a
        wide, narrow = (a, b) if self.spread[a] >= self.spread[b] else (b, a)
        advice = said("they would have to lie further apart")
        if self.spread[wide] >= WIDER * self.spread[narrow]:
            advice = said(
                "they would have to lie further apart, or {cluster}, the wider one, to be split",
                cluster=name(self.classes[wide]),
            )
        one, other = name(self.classes[a]), name(self.classes[b])
        return said(
            "Davies-Bouldin is largest for {a} and {b} (R {ratio}, spreads {spread_a} and {spread_b}): {takers}. To "
            "lower it {advice}.",
            a=one,
            b=other,
            ratio=format_score(float(self.ratio[a])),
            spread_a=format_score(float(self.spread[a])),
            spread_b=format_score(float(self.spread[b])),
            takers=said("both clusters take this value") if both else said("{cluster} takes this value", cluster=one),
            advice=advice,
        )


def _same_names(names: Any, classes: Array) -> list[tuple[int, int]]:
    """Return the pairs of clusters (as codes, the smaller first) whose names are the same."""
    if names is None:
        return []
    if not isinstance(names, Mapping):
        msg = f"names must be a dict of label to name, got {type(names).__name__}"
        raise ValueError(msg)  # noqa: TRY004  (as for every other argument)
    code = {plain(label): at for at, label in enumerate(classes)}
    groups: dict[str, list[int]] = {}
    for label, name in names.items():
        at = code.get(plain(unwrap(label)))
        if at is None:
            msg = f"names has {on_one_line(repr(label))}, which is the label of no cluster"
            raise ValueError(msg)
        spelled = "".join(unicodedata.normalize("NFKC", str(name)).casefold().split())
        if name is not None and spelled:
            groups.setdefault(spelled, []).append(at)
    return [(a, b) for group in groups.values() for x, a in enumerate(sorted(group)) for b in sorted(group)[x + 1 :]]
