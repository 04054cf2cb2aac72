"""`compare_labelings`: the scores of several labelings of the same data, and what they say together."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from gpumetrics.backends import on_device_of
from gpumetrics.choosing.basis import basis_of
from gpumetrics.choosing.clusterers import DENSITY_BASED
from gpumetrics.choosing.comparison import comparison_of
from gpumetrics.choosing.entries import Entries, check_names, kind_of
from gpumetrics.choosing.facts import DEFAULT_SCORES, FACTS
from gpumetrics.choosing.lines import Line, measure, table_of
from gpumetrics.choosing.silhouettes import Sample, add_silhouettes
from gpumetrics.choosing.wishes import check_wishes
from gpumetrics.clustering.labelings import check_labelings, named_labelings
from gpumetrics.config import config_context
from gpumetrics.progress import progress
from gpumetrics.text.messages import joined, said, with_commas
from gpumetrics.validation import check_consistent_length, encode_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpumetrics.choosing.basis import Basis
    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.choosing.wishes import Wishes
    from gpumetrics.clustering.density_validity_result import DensityValidity
    from gpumetrics.clustering.labelings import Labelings
    from gpumetrics.validation import Labels

__all__ = ["compare_labelings", "compared"]

LONG = 1e10  # entries read, over all labelings, from which a bar is shown


def compare_labelings(  # noqa: PLR0913  (keywords)
    X: Any,
    labelings: Any,
    *,
    scores: Any = DEFAULT_SCORES,
    labels_true: Any = None,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    silhouette: str = "auto",
    narrow: bool | int = False,
    random_state: Any = None,
    **kwds: Any,
) -> Comparison:
    """Compare several labelings of the same data by several scores, without averaging them.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labelings : dict, DataFrame, list, or array-like of shape (n_samples, n_labelings)
        Labelings by their names, or one in each column. Whole numbers as names that are the numbers of clusters are
        read as such.
    scores : str or sequence of str, default=("silhouette", "calinski_harabasz", "davies_bouldin")
        The scores that choose; "density_validity" is another one, for clusters of any shape.
    labels_true : array-like of shape (n_samples,), optional
        Known classes; adds the scores against them, and a ranking by them.
    metric : str or callable, default="euclidean"
        Distance of the silhouette, as in `silhouette_score`. Take the one that the clusterings used.
    noise_label : label, default=-1
        Rows with this label are left out of the scores of that labeling, and counted. None: no label is noise.
    silhouette : {"auto", "exact", "estimate", "skip"}, default="auto"
        "exact" evaluates every row. "estimate" evaluates a random sample of rows, the same for every labeling, each
        against all rows, and gives standard errors. "auto" is exact where a closed form exists (cosine, sqeuclidean,
        correlation) or the work is expected to take up to a minute, else an estimate.
    narrow : bool or int, default=False
        For large data: only the best labelings by Calinski-Harabasz get a silhouette, 5 or the number given.
    random_state : int, Generator, RandomState or None
        Seed of the sample of an estimate; checked whatever the mode.
    **kwds
        Options of the metric, as in `silhouette_score`.

    Returns
    -------
    Comparison
        ``print`` it; ``best`` has the best labeling by each score, ``agreement`` whether they are the same. Labelings
        with more than half of the rows as noise are the best only where no other has the score. A score
        that is undefined for a labeling (one cluster, noise only, ...) is nan, and its line says why.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes, labels of another length than X, missing labels, no labelings, an unknown
        score, metric or mode.
    TypeError
        For a keyword that the metric does not take.
    BackendError
        If a GPU is asked for and none can be used.

    Notes
    -----
    X is checked once; each labeling takes two passes over X for its moments, O(n d), and all silhouettes together one
    pass over the pairs of rows, O(n^2 d). Memory follows ``working_memory`` beyond some numbers per row and labeling.
    Scores compare only within one data set: all labelings are of the same rows, and `Comparison.join` refuses
    comparisons of other data.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65 (silhouette);
    T. Calinski and J. Harabasz (1974), Communications in Statistics 3, 1-27; D. L. Davies and D. W. Bouldin
    (1979), IEEE Transactions on Pattern Analysis and Machine Intelligence 1, 224-227.

    Examples
    --------
    >>> from gpumetrics import compare_labelings
    >>> X = [[0.0], [1.0], [4.0], [5.0], [30.0], [31.0]]
    >>> comparison = compare_labelings(X, {2: [0, 0, 0, 0, 1, 1], 3: [0, 0, 2, 2, 1, 1]})
    >>> comparison.best["silhouette"], comparison.best["calinski_harabasz"], comparison.best["davies_bouldin"]
    (2, 3, 2)
    >>> print(comparison.question)
    Do the two close groups 0 and 2 (2 and 2 rows), which K = 2 keeps in one cluster, differ for your purpose? \
Yes: take K = 3. No: take K = 2.
    """
    started = time.perf_counter()
    wishes, settings = check_wishes(
        "compare_labelings", scores, metric, kwds, noise_label, silhouette, narrow, random_state
    )
    with config_context(**settings):
        named, _ = named_labelings(labelings)
        if not named:
            raise ValueError("labelings holds no labeling: give one at least")
        check_names(named)
        lines = [Line(name) for name in named]
        return compared(X, named, lines, wishes, labels_true=labels_true, started=started)


def compared(  # noqa: PLR0913  (keywords)
    X: Any,
    labelings: Mapping[Any, Any],
    lines: list[Line],
    wishes: Wishes,
    *,
    labels_true: Any = None,
    kind: str | None = None,
    density_based: Sequence[Any] = (),
    notes: Mapping[str, str] | None = None,
    keep_interrupted: bool = False,
    started: float,
) -> Comparison:
    """Score labelings; `lines` has one for each, and for each that failed.

    Parameters
    ----------
    X : array-like
    labelings : dict of name to labels
    lines : list of Line
    wishes : Wishes
    labels_true : array-like, optional
    kind : {"labeling", "n_clusters", "setting"}, optional
        What the names are; found out if it is not given.
    density_based : sequence of names
    notes : dict of str to str
    keep_interrupted : bool
        Whether an interrupt ends the scores only.
    started : float
        Time at which the work began.
    """
    notes = dict(notes or {})
    places = {f"labelings[{name!r}]": labels for name, labels in labelings.items()}
    with on_device_of(X=X, labels_true=labels_true, **places):
        data = check_labelings(X, labelings, wishes.noise_label, metric=wishes.metric)
        truth = None if labels_true is None else encode_labels(labels_true, "labels_true")
        if truth is not None:
            check_consistent_length(data.n_samples, truth.n_samples)
        line_of = {line.name: line for line in lines}
        scored = [line_of[name] for name in data.names]
        sample = _scored(X, data, scored, labelings, wishes, truth, notes, keep_interrupted=keep_interrupted)
        basis = basis_of(data, wishes, sample, truth)
    rows = table_of(lines, _columns(basis))
    entries = Entries(
        basis=basis,
        kind=kind or kind_of(rows["name"], rows["n_clusters"]),
        rows=rows,
        labelings=dict(labelings),
        nearest={line.name: line.nearest for line in lines},
        sampled={line.name: line.sampled for line in lines},
        reasons={line.name: line.parts.notes for line in lines if line.parts.notes},
        density_based=tuple(density_based) or tuple(filter(_sounds_density_based, data.names)),
        notes=notes,
    )
    backend = said("{name} ({why})", name=data.choice.ops.NAME, why=data.choice.reason)
    return comparison_of(entries, backend=backend, seconds=time.perf_counter() - started)


def _scored(
    X: Any,
    data: Labelings,
    lines: list[Line],
    labelings: Mapping[Any, Any],
    wishes: Wishes,
    truth: Labels | None,
    notes: dict[str, str],
    *,
    keep_interrupted: bool,
) -> Sample:
    """Add all scores to the lines; an interrupt leaves the rest of them out, if what is done is to be kept."""
    long_work = len(data) * float(data.n_samples) * data.features.n_features > LONG
    try:
        with progress(len(lines), "labeling", long_work=long_work) as done:
            for at, line in enumerate(lines):
                measure(data, at, line, metric=wishes.metric, scores=wishes.scores, truth=truth)
                if "density_validity" in wishes.scores:
                    _density(X, labelings[line.name], line, wishes)
                done(1)
        return add_silhouettes(data, lines, wishes, notes)
    except KeyboardInterrupt:
        if not keep_interrupted:
            raise
    wanted = [*wishes.scores, *(["silhouette_macro"] if "silhouette" in wishes.scores else [])]
    missing = [[name for name in wanted if name not in line.parts.scores] for line in lines]
    for line, names in zip(lines, missing, strict=True):
        line.parts.scores |= dict.fromkeys(names, math.nan)
        line.parts.notes |= dict.fromkeys(names, said("left out: the work was interrupted"))
    left = [FACTS[name].title for name in wanted if any(name in names for names in missing)]
    so_far = notes.get("interrupted", said("Interrupted."))
    notes["interrupted"] = joined([so_far, said("Scores are missing: {scores}.", scores=with_commas(left))])
    return Sample("skip")


def _columns(basis: Basis) -> list[str]:
    """Return the columns of the table that are scores, with the error of an estimate beside it."""
    errors = ["silhouette_standard_error"] * (basis.mode == "estimate")
    return [column for name in basis.columns for column in (name, *(errors if name == "silhouette" else ()))]


def _density(X: Any, labels: Any, line: Line, wishes: Wishes) -> None:
    from gpumetrics.clustering.density_validity import density_validity

    found: list[DensityValidity] = []

    def score() -> float:
        options = {"metric": wishes.metric.name, "noise_label": wishes.noise_label}
        found.append(density_validity(X, labels, per_cluster=True, **options))
        return found[0].score

    line.parts.score("density_validity", score)
    if found[0].reason:
        line.parts.undefined(found[0].reason, "density_validity")


def _sounds_density_based(name: Any) -> bool:
    return isinstance(name, str) and any(word in name.lower() for word in DENSITY_BASED)
