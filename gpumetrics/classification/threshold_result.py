"""What `best_threshold` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.backends.interop import as_library_of
from gpumetrics.classification.sides import check_columns, column_names
from gpumetrics.classification.threshold_inputs import score_array
from gpumetrics.label_arrays import as_objects
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["BestThreshold", "ThresholdCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdCurve(Result):
    """The metric at every threshold that makes a difference.

    Attributes
    ----------
    thresholds : ndarray of float64, shape (n_thresholds,)
        Infinity, where nothing is predicted, and then each distinct score from the largest down.
    scores : ndarray of float64, shape (n_thresholds,)
        The metric where every ``score >= threshold`` is predicted; higher is better.
    """

    thresholds: Array
    scores: Array

    def to_dict(self) -> dict[str, Any]:
        """Return both columns as lists; the first threshold stays infinite."""
        return {"thresholds": json_value(self.thresholds), "scores": json_value(self.scores)}

    def to_frame(self, library: str | None = None) -> Any:
        """Return the curve as a DataFrame, of pandas or polars (see `Candidates.to_frame`)."""
        from gpumetrics.frames import frame_of

        return frame_of({"threshold": self.thresholds, "score": self.scores}, library)

    def __str__(self) -> str:
        best = int(np.argmax(self.scores)) if len(self.scores) else None
        at = "" if best is None else f", the best {self.scores[best]:.4f} at {self.thresholds[best]:g}"
        return f"A score at {len(self.scores):,} thresholds{at}"

    def __repr__(self) -> str:
        return f"<ThresholdCurve: {self}>"


@dataclass(frozen=True, eq=False, repr=False)
class BestThreshold(Result):
    """A threshold chosen on validation data, to be applied to other data.

    Attributes
    ----------
    threshold : float, or ndarray of float64, shape (n_labels,)
        A label is predicted where ``score >= threshold``. Infinite, so that it is never predicted, for a label
        without a positive in the validation data (and at beta = 0, precision, if ``zero_division=1`` makes an empty
        prediction perfect).
    score : float
        The metric on the validation data at the threshold; higher is better. The threshold was chosen to make it
        large, so it promises more than other data will give.
    label_scores : ndarray of float64, shape (n_labels,), or None
        The metric of each label, with ``per_label=True``.
    curve : ThresholdCurve, tuple of them (one for each label), or None
        None if it was not to be kept.
    classes : ndarray of shape (2,), or None
        The negative and the positive class, where the truth was a vector.
    settings : dict
        All that was chosen, to repeat the choice: ``metric``, ``beta``, ``average``, ``per_label``, ``pos_label``,
        ``zero_division``, ``weighted`` (whether by `sample_weight`), ``n_samples``, ``n_labels``, ``labels`` (the
        names of a table's columns), ``rule`` and ``of_equals``.
    """

    threshold: float | Array
    score: float
    label_scores: Array | None
    curve: ThresholdCurve | tuple[ThresholdCurve, ...] | None
    classes: Array | None
    settings: dict[str, Any]

    def __repr__(self) -> str:
        chosen = self.settings
        several = isinstance(self.threshold, np.ndarray)
        at = f"a threshold for each of {chosen['n_labels']} labels" if several else f"{self.threshold:g}"
        average = "" if chosen["average"] == "binary" else f"{chosen['average']} "
        score = f"{average}{chosen['metric']} {self.score:.4f} on {chosen['n_samples']} samples"
        return f"BestThreshold(score >= {at}: {score})"

    def apply(self, y_score: Any) -> Array:
        """Turn scores into predictions: a label is predicted where ``score >= threshold``.

        Parameters
        ----------
        y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
            Scores of other data, in the columns of the validation data.

        Returns
        -------
        array
            For a vector of scores the class of each sample; for several columns 0 and 1, as int8. In the library and
            on the device of `y_score`, but classes that are no numbers in NumPy's.

        Raises
        ------
        ValueError
            For NaN or infinity, or other columns than those of the validation data.
        """
        with on_device_of(y_score=y_score):
            scores = score_array(y_score, "y_score")
            n_labels = 1 if scores.ndim == 1 else scores.shape[1]
            if n_labels != self.settings["n_labels"]:
                msg = f"y_score must have {self.settings['n_labels']} columns, as the validation data, got {n_labels}."
                if self.classes is not None:
                    msg = f"y_score must hold the positive class's scores only, y_score[:, 1], got {n_labels} columns."
                raise ValueError(msg)
            if self.classes is None:
                check_columns(self.settings["labels"], column_names(y_score), ("the validation data", "y_score"))
            # In float64 whatever the scores are: the threshold is not to be rounded to their precision.
            predicted = scores >= beside(np.atleast_1d(self.threshold), scores)
            if self.classes is None:
                return as_library_of(predicted.astype(np.int8), y_score)  # type: ignore[no-any-return]
            if self.classes.dtype.kind not in "biuf":
                return self.classes[as_host(predicted).astype(np.int64)]
            return as_library_of(beside(self.classes, scores)[predicted.astype(np.int64)], y_score)  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """Return threshold, scores and settings, without the curve, as a dict that `json.dumps` takes.

        Classes and names that JSON does not know are there as text.
        """
        out: dict[str, Any] = {"threshold": np.asarray(self.threshold).tolist(), "score": self.score}
        if self.label_scores is not None:
            out["label_scores"] = self.label_scores.tolist()
        if self.classes is not None:
            out["classes"] = json_value(self.classes)
        return out | {name: json_value(value) for name, value in self.settings.items()}

    def to_frame(self, library: str | None = None) -> Any:
        """Return threshold and score, a line for each label, as a DataFrame (see `Candidates.to_frame`)."""
        from gpumetrics.frames import frame_of

        thresholds = np.atleast_1d(self.threshold)
        names = self.settings["labels"]
        known = names is not None and len(names) == len(thresholds) > 1
        columns = {"label": as_objects(list(names)) if known else np.arange(len(thresholds)), "threshold": thresholds}
        scores = np.full(len(thresholds), self.score) if self.label_scores is None else self.label_scores
        return frame_of({**columns, "score": scores}, library)
