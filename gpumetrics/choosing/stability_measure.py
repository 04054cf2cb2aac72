"""From runs to a `Stability`: agreement of all pairs, the clusters of the reference, the rows that change cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.choosing.stability_pairs import CodedRun, PairOfRuns, cells_of, coded_run
from gpumetrics.choosing.stability_result import DISSOLVED, RECOVERED, Stability, jaccard_word
from gpumetrics.label_arrays import as_objects, label_array
from gpumetrics.text.messages import said
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.types import Array

__all__ = ["GIVEN", "RunLabels", "checked_rows", "measure"]

GIVEN = said("the labels given")


@dataclass(frozen=True)
class RunLabels:
    """The labels of a run as they came: of some rows, or of all."""

    labels: Any
    rows: Array | None = None
    seed: int | None = None


def checked_rows(rows: Sequence[Any], n_labelings: int) -> list[Array]:
    """Return the rows that each labeling is of, as vectors of int64."""
    if len(rows) != n_labelings:
        msg = f"rows must have an entry for each of the {n_labelings} labelings, got {len(rows)}"
        raise ValueError(msg)
    out = []
    for at, part in enumerate(rows):
        array = as_host(part)
        if array.ndim != 1 or array.dtype.kind not in "iu" or (len(array) and array.min() < 0):
            msg = f"rows[{at}] must be a vector of row numbers from 0, got {part!r}"
            raise ValueError(msg)
        if len(np.unique(array)) < len(array):
            msg = f"rows[{at}] has a row twice: give each row, and its label, once"
            raise ValueError(msg)
        out.append(array.astype(np.int64))
    return out


def measure(
    runs: dict[Any, RunLabels],
    n_samples: int,
    *,
    reference: Any = None,
    reference_name: str = GIVEN,
    noise_label: Any = -1,
    **facts: Any,
) -> Stability:
    """Measure how far the runs agree.

    Parameters
    ----------
    runs : dict of RunLabels by name
        At least two.
    n_samples : int
    reference : labels of shape (n_samples,), the name of a run, or None
        None: the run that agrees most with the others, of those that have every row if there are such.
    reference_name : str
        What labels that are given as the reference are called.
    noise_label : label
    **facts
        What else the result says: ``clusterer``, ``resample``, ``notes``.
    """
    names, n = list(runs), len(runs)
    given = None if reference is None or _is_name(reference, runs) else reference
    arrays = {f"labels of run {name!r}": run.labels for name, run in runs.items()}
    if given is not None:
        arrays["reference"] = given
    with on_device_of(**arrays):
        ops = choose(*arrays.values()).ops
        rows = [run.rows for run in runs.values()] + [None]
        coded = [
            coded_run(labels, mine, n_samples, noise_label, ops, name)
            for (name, labels), mine in zip(arrays.items(), rows, strict=False)
        ]
        meet, cells = cells_of(coded)
        agreement, changes = _all_pairs(coded[:n], cells, meet.sizes)
        if given is not None:
            at = n
        else:
            at = _central(agreement, coded, n_samples) if reference is None else names.index(reference)
        table, to_reference = _clusters(coded, cells, meet.sizes, at, n)
        instability = as_host(beside(changes, meet.codes)[meet.codes])
    mean, std, lowest, highest = _spread(agreement)
    return Stability(
        agreement=agreement,
        mean=mean,
        std=std,
        lowest=lowest,
        highest=highest,
        runs=_run_table(runs, coded[:n], to_reference),
        reference=reference_name if at == n else names[at],
        labels=_labels(RunLabels(given) if at == n else runs[names[at]], n_samples),
        per_cluster=table,
        instability=instability,
        n_samples=n_samples,
        noise_label=noise_label,
        **facts,
    )


def _spread(agreement: Array) -> tuple[float, float, float, float]:
    """Mean, standard deviation, smallest and largest of all pairs."""
    pairs = agreement[np.triu_indices(len(agreement), 1)]
    known = pairs[~np.isnan(pairs)]
    if not len(known):
        return math.nan, math.nan, math.nan, math.nan
    return float(known.mean()), float(known.std()), float(known.min()), float(known.max())


def _run_table(runs: dict[Any, RunLabels], coded: list[CodedRun], to_reference: Array) -> dict[str, Array]:
    names = list(runs)
    numbers = all(isinstance(name, int) for name in names)
    columns: dict[str, Array] = {"run": np.array(names, dtype=np.int64) if numbers else as_objects(names)}
    if all(run.seed is not None for run in runs.values()):
        columns["seed"] = np.array([run.seed for run in runs.values()])
    return columns | {
        "n_rows": np.array([run.n_rows for run in coded]),
        "n_clusters": np.array([run.n_clusters for run in coded]),
        "noise_fraction": np.array([run.n_noise / max(run.n_rows, 1) for run in coded]),
        "agreement_with_reference": to_reference,
    }


def _is_name(reference: Any, runs: dict[Any, RunLabels]) -> bool:
    if hasattr(reference, "__len__") and not isinstance(reference, str | tuple):
        return False
    if reference not in runs:
        msg = f"reference must be labels of all rows, or the name of a run ({list(runs)}), got {reference!r}"
        raise ValueError(msg)
    return True


def _all_pairs(coded: list[CodedRun], cells: list[Array], sizes: Array) -> tuple[Array, Array]:
    """Adjusted Rand index of all pairs, and the mean change of co-membership of each cell; nan for nothing shared."""
    n = len(coded)
    agreement = np.eye(n)
    changes, seen = np.zeros(len(sizes)), np.zeros(len(sizes))
    for i in range(n):
        for j in range(i + 1, n):
            pair = PairOfRuns(cells[i], cells[j], coded[i].n_clusters, coded[j].n_clusters, sizes)
            agreement[i, j] = agreement[j, i] = pair.adjusted_rand()
            changes[pair.cells] += pair.membership_changes()
            seen[pair.cells] += 1
    return agreement, np.where(seen == 0, np.nan, changes / np.maximum(seen, 1))


def _central(agreement: Array, coded: list[CodedRun], n_samples: int) -> int:
    """Return the run that agrees most with the others, the first of equals."""
    others = agreement - np.eye(len(coded))
    mean = np.nan_to_num(others, nan=-1.0).sum(axis=1)
    whole = np.array([run.n_rows == n_samples for run in coded])
    if whole.any():
        mean[~whole] = -np.inf
    # A difference in the last digits, from the order of a sum, is none.
    return int(np.flatnonzero(mean >= mean.max() - 1e-12)[0])


def _clusters(
    runs: list[CodedRun], cells: list[Array], sizes: Array, at: int, n_runs: int
) -> tuple[dict[str, Array], Array]:
    """Make the table of the reference's clusters, and each run's agreement with the reference."""
    reference = runs[at]
    k = reference.n_clusters
    found, to_reference = [], np.full(n_runs, 1.0)
    for other in range(n_runs):
        if other == at:
            continue
        pair = PairOfRuns(cells[at], cells[other], k, runs[other].n_clusters, sizes)
        to_reference[other] = pair.adjusted_rand()
        found.append(pair.best_jaccard())
    own = cells[at]
    sizes_of_clusters = np.bincount(own[own >= 0], weights=sizes[own >= 0], minlength=k).astype(np.int64)
    table = {"label": reference.classes, "size": sizes_of_clusters, **_summary(np.array(found).reshape(len(found), k))}
    return table, to_reference


def _summary(jaccard: Array) -> dict[str, Array]:
    """Summarise the Jaccard indices of (runs, clusters); nan where no run has a row of the cluster."""
    known = ~np.isnan(jaccard)
    n_known = known.sum(axis=0)
    values, share = np.where(known, jaccard, 0.0), np.maximum(n_known, 1)
    columns = {
        "jaccard": values.sum(axis=0) / share,
        "jaccard_lowest": np.where(known, jaccard, np.inf).min(axis=0, initial=np.inf),
        "recovered": (values > RECOVERED).sum(axis=0) / share,
        "dissolved": (known & (values <= DISSOLVED)).sum(axis=0) / share,
    }
    out: dict[str, Array] = {key: np.where(n_known > 0, column, np.nan) for key, column in columns.items()}
    words = [jaccard_word(value) for value in out["jaccard"].tolist()]
    return out | {"reading": as_objects(words)}


def _labels(run: RunLabels, n_samples: int) -> Array:
    """Return labels on the host, as the user's kind; None for rows without one."""
    array = as_host(label_array(run.labels, "labels")).reshape(-1)
    if run.rows is None:
        check_consistent_length(n_samples, len(array))
        return array
    every = np.full(n_samples, None, dtype=object)
    every[run.rows] = array
    return every
