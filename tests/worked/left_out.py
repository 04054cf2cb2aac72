"""Rows that are not evaluated here, each with its reason."""

import gpumetrics as gm
from worked import label_sets_f1, label_sets_jaccard  # noqa: F401  (they enter the rows that are left out below)
from worked.rows import PROPERTIES, VALUES

NOT_TESTABLE = {
    "cost.orders": "a claim about orders of growth; the benchmarks measure them",
    "cost.ch": "a claim about seconds on one machine; the benchmarks measure them",
    "domain.sil08": "a hypothetical score without data",
}
LATER = {"stability.reading": "choosing K and stability: the words for the stability of a labeling"}
# Checks of functions that are not offered yet; once they are, the entry has no effect and goes.
AWAITED = {
    "jac.j": "encode_tags",
    "jac.duplicates": "encode_tags",
    "jac.order": "encode_tags",
    "jac.distance": "jaccard_distance",
    "jac.distance_is_1mJ": "jaccard_distance",
    "empty.scipy": "jaccard_distance",
    "scipy.counts": "jaccard_distance",
    "scipy.w": "jaccard_distance",
    "scipy.direction": "jaccard_distance",
    "jac.f1": "f1_from_jaccard",
    "jac.f1_from_j": "f1_from_jaccard",
    "avg.no_conversion": "f1_from_jaccard",
    "iou.mask": "mask_iou",
    "prob.rejected": "best_threshold",
}
for row_id, name in AWAITED.items():
    if not hasattr(gm, name):
        VALUES.pop(row_id, None)
        PROPERTIES.pop(row_id, None)
        LATER[row_id] = f"label sets: {name}"
