"""One of each display, of names that are hard to draw."""

import numpy as np

import gpumetrics as gm

NAMES = np.array(["$x$", "<script>", "two\nlines", "한국어", "\\frac{", "y" * 10_000, ""], dtype=object)
rng = np.random.default_rng(0)
CODES = np.concatenate([np.arange(7), rng.integers(0, 7, 200)])
LABELS = NAMES[CODES]
OTHERS = np.where(rng.random(len(CODES)) < 0.3, rng.permutation(LABELS), LABELS)
X = rng.normal(size=(7, 4))[CODES] * 4 + rng.normal(size=(len(CODES), 4))
COMPARED = gm.compare_labelings(X, {name: np.where(at < CODES, 0, CODES) for at, name in enumerate(NAMES, start=1)})
SWEPT = gm.compare_labelings(X, {k: CODES % k for k in range(2, 8)})
STABLE = gm.stability_of([LABELS, OTHERS, rng.permutation(LABELS)])
TRUE, SCORES = rng.integers(0, 2, (60, 7)), rng.random((60, 7))
TRUE[:, 0] = 1  # so that every document has a tag
TAGS = [[tag for tag, has in zip(NAMES, row, strict=True) if has] for row in TRUE]
SUGGESTED = [[tag for tag in row if rng.random() < 0.8] or [NAMES[1]] for row in TAGS]

DISPLAYS = {
    "silhouettes": lambda **where: gm.SilhouetteDisplay.from_predictions(X, LABELS, noise_label="<script>", **where),
    "davies_bouldin": lambda **where: gm.DaviesBouldinDisplay.from_predictions(X, LABELS, **where),
    "classes": lambda **where: gm.ContingencyDisplay.from_predictions(LABELS, OTHERS, noise_label="", **where),
    "map": lambda **where: gm.EmbeddingDisplay.from_predictions(
        X, LABELS, representatives=gm.representatives(X, LABELS), ambiguous=gm.ambiguous(X, LABELS), **where
    ),
    "labelings": lambda **where: gm.KSelectionDisplay.from_result(COMPARED, **where),
    "numbers_of_clusters": lambda **where: gm.KSelectionDisplay.from_result(SWEPT, **where),
    "stability": lambda **where: gm.StabilityDisplay.from_result(STABLE, **where),
    "threshold": lambda **where: gm.ThresholdDisplay.from_predictions(TRUE[:, 1], SCORES[:, 1], **where),
    "thresholds": lambda **where: gm.ThresholdDisplay.from_predictions(TRUE, SCORES, per_label=True, **where),
    "tags": lambda **where: gm.TagErrorsDisplay.from_predictions(TAGS, SUGGESTED, **where),
}
