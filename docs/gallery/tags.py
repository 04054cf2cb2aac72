"""
Thresholds and tags
===================

A threshold is chosen on validation data; what it predicts is judged tag by tag.
"""

import numpy as np

import gpumetrics as gm

rng = np.random.default_rng(0)
tags = ["refund", "late", "broken", "invoice", "login"]
truth = rng.random((400, 5)) < [0.3, 0.25, 0.15, 0.1, 0.05]
scores = np.clip(0.35 * truth + rng.beta(2, 4, size=truth.shape), 0, 1)
best = gm.best_threshold(truth, scores, average="micro")
gm.ThresholdDisplay.from_result(best)

# %%

report = gm.evaluate_tags(truth, best.apply(scores), classes=tags, zero_division=1)
gm.TagErrorsDisplay.from_report(report)
