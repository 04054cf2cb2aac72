"""Pairs of clusters that may be one: near each other's centres, with no gap along the line between them."""

from __future__ import annotations

import unicodedata
from itertools import combinations
from typing import TYPE_CHECKING, Any

from gpumetrics.backends import on_device_of
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.clustering.labelings import Labeling
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.candidates_result import Candidates, check_bound
from gpumetrics.evaluation.cluster_names import names_by_code
from gpumetrics.evaluation.cluster_pairs import ClusterPairs
from gpumetrics.evaluation.leaning import CENTRED, as_meant
from gpumetrics.evaluation.remarks import SHAPE
from gpumetrics.statistics.moments import cluster_moments
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["merge_candidates", "merges_in"]

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
            "merge", ClusterPairs.none(data).table(), [], _rule(max_ashman_d), notes={"undefined": _no(undefined)}
        )
    features = as_meant(data.features, metric) if metric.name in CENTRED else data.features
    if moments is None:
        moments = cluster_moments(features, data.codes, data.sizes)
    pairs = ClusterPairs.of(data, features, moments, alike)
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


def _same_names(names: Any, classes: Array) -> list[tuple[int, int]]:
    """Return the pairs of clusters (as codes, the smaller first) whose names are the same."""
    groups: dict[str, list[int]] = {}
    for at, name in sorted(names_by_code(names, classes).items()):
        spelled = "".join(unicodedata.normalize("NFKC", name).casefold().split())
        groups.setdefault(spelled, []).append(at)
    return [pair for group in groups.values() for pair in combinations(group, 2)]
