"""Messages for Python, with the command's options in place of keywords."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpumetrics.text.messages import Message

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.evaluation.clustering_report import ClusteringReport

    Result = TypeVar("Result", ClusteringReport, Comparison)

__all__ = ["in_options", "with_options"]

SPELLED = {  # what the messages for Python say, and the options that do it
    'silhouette="exact"': "--silhouette exact",
    "noise_label=None": "--noise-label none",
    "narrow=False evaluates all": "Without --narrow all are evaluated",
    "narrow must be True, False or": "--narrow must be",
    "by density_validity(X, labels)": "with --scores density_validity",
    "scores must be some of": "--scores must be some of",
    "labels_true": "--labels-true",
    "n_clusters must be whole numbers from 1, as in range(2, 16)": "--k must be whole numbers from 1, as in 2:15",
    "so that n_clusters cannot be set: give param_grid, as in {'eps': [0.3, 0.5]}": (
        "so that --k cannot be set: give --param, as in --param eps=0.3,0.5"
    ),
    "in param_grid and as n_clusters": "by --param and by --k",
    "param_grid has": "--param has",
    "n_jobs must be None or an integer": "--jobs must be an integer",
    "n_references=": "--n-references ",
    'references="pps"': "--references pps",
}


def in_options(text: str) -> str:
    """Return a message with the command's options in place of Python's keywords; it can still be translated."""
    if isinstance(text, Message):
        # Names of labelings and columns stay as they are: a keyword is a message, or stands in a field of that name.
        values = {
            name: in_options(value) if isinstance(value, Message) or name == "keyword" else value
            for name, value in text.values.items()
        }
        return Message(_spelled(text.template), values)
    return _spelled(text)


def _spelled(text: str) -> str:
    for keyword, option in SPELLED.items():
        text = text.replace(keyword, option)
    return text


def with_options(result: Result, columns: Mapping[str, str]) -> Result:
    """Return a report or a comparison whose notes name the command's options, after those on the columns."""
    # Names of columns stay as they are.
    notes = {key: in_options(note) for key, note in result.notes.items()}
    return replace(result, notes={**columns, **notes})
