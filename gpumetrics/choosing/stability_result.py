"""The result of `stability`: how far repeated clusterings agree, and what is needed to read it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.results import Result
from gpumetrics.text.labels import json_value
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["DISSOLVED", "READINGS", "RECOVERED", "Stability", "jaccard_word", "stability_band"]

RECOVERED, DISSOLVED = 0.75, 0.5  # Jaccard indices above, and up to, which a cluster counts as such in a run
READINGS = {
    "structure": said("above 0.9: the same clusters come back, by a rule of thumb a sign of real structure"),
    "between": said(
        "above 0.6, but not above 0.9: the rule of thumb (real structure above 0.9, borders that depend on the start "
        "near 0.5) says nothing of this range"
    ),
    "wavering": said("near 0.5: by a rule of thumb, borders that move with the start (or with the sample)"),
    "low": said("below 0.4: the runs hardly agree; the rule of thumb says nothing of this range"),
    "trivial": said("no sign of structure, whatever the value: one cluster at most in every run, or each row its own"),
    "": said("undefined: no two runs share two rows"),
}
WORDS = ((0.85, "highly stable"), (0.75, "stable"), (0.6, "a pattern, its rows doubtful"))


def stability_band(value: float) -> str:
    """Return the word for a mean adjusted Rand index between runs.

    "structure" above 0.9, and "wavering" near 0.5 (here 0.4 to 0.6), are a rule of thumb (Hennig's thresholds are for
    Jaccard indices: `jaccard_word`); "between" and "low" say that it tells nothing there. "" for nan.

    Examples
    --------
    >>> from gpumetrics.choosing.stability_result import stability_band
    >>> [stability_band(value) for value in (0.91, 0.9, 0.6, 0.4, 0.39)]
    ['structure', 'between', 'wavering', 'wavering', 'low']
    """
    if math.isnan(value):
        return ""
    if value > 0.9:
        return "structure"
    if value > 0.6:
        return "between"
    return "wavering" if value >= 0.4 else "low"


def jaccard_word(value: float) -> str:
    """Return the words for a cluster's mean Jaccard index: from 0.85, 0.75, 0.6 on, and below (Hennig, 2007).

    Examples
    --------
    >>> from gpumetrics.choosing.stability_result import jaccard_word
    >>> [jaccard_word(value) for value in (0.85, 0.75, 0.6, 0.59)]
    ['highly stable', 'stable', 'a pattern, its rows doubtful', 'not to be trusted']
    """
    if math.isnan(value):
        return "unknown"
    return next((word for least, word in WORDS if value >= least), "not to be trusted")


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """How far repeated clusterings of the same data agree; ``print`` it.

    Attributes
    ----------
    agreement : ndarray of shape (n_runs, n_runs), float64
        Adjusted Rand index of each pair of runs, on the rows that both have; nan for fewer than two such rows.
    mean, std, lowest, highest : float
        Of the pairs: -0.5 to 1, higher is better. The standard deviation is that of these pairs (ddof=0), no estimate.
    runs : dict of str to ndarray of shape (n_runs,)
        ``run`` (its name), ``seed`` (if the runs were made here), ``n_rows`` (that have a label),
        ``n_clusters``, ``noise_fraction``, ``agreement_with_reference``. Runs that failed are in `notes` only.
    reference : object
        Name of the run whose clusters are judged, or what it is.
    labels : ndarray of shape (n_samples,)
        Labels of the reference.
    per_cluster : dict of str to ndarray of shape (n_clusters,)
        ``label``, ``size``, ``jaccard`` (mean over the other runs of the Jaccard index with the most similar cluster
        there, 0 to 1, higher is better), ``jaccard_lowest``, ``recovered`` and ``dissolved`` (shares of the runs with
        an index above 0.75, and up to 0.5), ``reading`` (the mean in words).
    instability : ndarray of shape (n_samples,), float64
        For each row the mean over pairs of runs of the Jaccard distance between the rows that it shares its cluster
        with in the one and in the other: 0 for a row that is always with the same rows, 1 for one that is with
        entirely others every time. nan for rows that no two runs have.
    n_samples : int
    noise_label : object
        Label that was taken as noise, or None.
    clusterer : str
        What was run; empty where the labels were given.
    resample : str
        How the runs differ.
    notes : dict of str to str
        Remarks under their subject; a run that failed has its own.
    """

    agreement: Array
    mean: float
    std: float
    lowest: float
    highest: float
    runs: dict[str, Array]
    reference: Any
    labels: Array
    per_cluster: dict[str, Array]
    instability: Array
    n_samples: int
    noise_label: Any
    clusterer: str
    resample: str
    notes: dict[str, str]

    @property
    def n_runs(self) -> int:
        """Runs that were done and have labels."""
        return len(self.agreement)

    @property
    def n_clusters(self) -> int:
        """Clusters of the reference."""
        return len(self.per_cluster["label"])

    @property
    def band(self) -> str:
        """Word for the mean agreement: "structure", "between", "wavering" or "low"; "" where it is undefined.

        "trivial" where it says nothing: every run found one cluster at most, or every row a cluster of its own.
        """
        band = stability_band(self.mean)
        return "trivial" if band and "trivial" in self.notes else band

    @property
    def reading(self) -> str:
        """The mean agreement in words."""
        return READINGS[self.band]

    def most_unstable(self, n: int = 10) -> Array:
        """Return the rows that change cluster most, the highest `instability` first; rows that never do are left out.

        Parameters
        ----------
        n : int
            At most so many.

        Returns
        -------
        ndarray of int64
            Row numbers of X; of equal rows the first ones.
        """
        changing = np.flatnonzero(self.instability > 0)
        return changing[np.argsort(-self.instability[changing], kind="stable")[:n]]

    def to_dict(self) -> dict[str, Any]:
        """Return it as one dict that `json.dumps` takes.

        Returns
        -------
        dict
            Python scalars by name, the matrix as a list of lists, the tables as lists under ``cluster_<column>`` and
            ``run_<column>``, the notes as a list; of the rows the ten that change cluster most. nan stays a float.
        """
        out: dict[str, Any] = {
            "n_samples": self.n_samples,
            "n_runs": self.n_runs,
            "n_clusters": self.n_clusters,
            "clusterer": self.clusterer,
            "resample": str(self.resample),
            "mean": self.mean,
            "std": self.std,
            "lowest": self.lowest,
            "highest": self.highest,
            "better": "higher",
            "band": self.band,
            "reading": str(self.reading),
            "agreement": json_value(self.agreement),
            "reference": json_value(self.reference),
            "noise_label": json_value(self.noise_label),
        }
        if math.isnan(self.mean):
            out["mean_reason"] = str(self.reading)
        worst = self.most_unstable()
        out |= {f"run_{key}": json_value(column) for key, column in self.runs.items()}
        out |= {f"cluster_{key}": json_value(column) for key, column in self.per_cluster.items()}
        out |= {"unstable_rows": worst.tolist(), "unstable_rows_instability": self.instability[worst].tolist()}
        return out | {"notes": list(map(str, self.notes.values()))}

    def _columns(self) -> dict[str, Array]:
        return self.per_cluster

    def __str__(self) -> str:
        from gpumetrics.choosing.stability_text import stability_text

        return stability_text(self)

    def __repr__(self) -> str:
        return (
            f"<Stability of {self.n_runs} runs, {self.n_samples} rows: {'mean ' * (self.n_runs > 2)}adjusted Rand "
            f"{self.mean:.4g} "
            f"({self.band or 'undefined'}); print it for all>"
        )
