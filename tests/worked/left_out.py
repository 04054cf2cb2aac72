"""Rows that are not evaluated here, each with its reason."""

from worked import label_sets_f1, label_sets_jaccard  # noqa: F401  (they enter their rows)

NOT_TESTABLE = {
    "cost.orders": "a claim about orders of growth; the benchmarks measure them",
    "cost.ch": "a claim about seconds on one machine; the benchmarks measure them",
    "domain.sil08": "a hypothetical score without data",
}
