"""What a plot of a metric over the threshold shows, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.displays.threshold_curves import ThresholdLines
    from gpumetrics.text.messages import Message

__all__ = ["alt_of"]


def alt_of(lines: ThresholdLines) -> Message:
    """Return what the plot shows, in a sentence."""
    samples = counted(lines.n_samples, "{n:,} sample", "{n:,} samples")
    known = lines.scores[~np.isnan(lines.scores)]
    if len(lines.scores) > 1:
        labels = counted(len(lines.scores), "{n:,} label", "{n:,} labels")
        facts: dict[str, Any] = {"metric": lines.metric, "labels": labels, "samples": samples}
        if not len(known):
            return said("{metric} of {labels} on {samples} is undefined at every threshold.", **facts)
        return said(
            "Curves of {metric} over the threshold of {labels} on {samples}: the best scores are from {low:.4f} to "
            "{high:.4f}.",
            low=float(known.min()),
            high=float(known.max()),
            **facts,
        )
    if not len(known):
        return said("{metric} on {samples} is undefined at every threshold.", metric=lines.metric, samples=samples)
    threshold, score = float(lines.thresholds[0]), float(known[0])
    facts = {"metric": lines.metric, "samples": samples, "score": score}
    if math.isinf(threshold):
        return said(
            "Curve of {metric} over the threshold on {samples}: it is best, {score:.4f}, where nothing is predicted.",
            **facts,
        )
    return said(
        "Curve of {metric} over the threshold on {samples}: the best is {score:.4f}, at {threshold:.4g}.",
        threshold=threshold,
        **facts,
    )
