"""Rows that are not evaluated here, each with its reason."""

from worked.rows import ROWS

NOT_TESTABLE = {
    "cost.orders": "a claim about orders of growth; the benchmarks measure them",
    "cost.ch": "a claim about seconds on one machine; the benchmarks measure them",
    "domain.sil08": "a hypothetical score without data",
    "fb.beta0.sklearn": "a claim about scikit-learn's reading of beta, which document 002 has reversed",
    "fb.large.sklearn": "a claim about scikit-learn's reading of beta, which document 002 has reversed",
}
LATER = {
    "perm.accuracy": "label sets: plain accuracy_score, beside which clustering_accuracy is tested here",
    "stability.reading": "choosing K and stability: the words for the stability of a labeling",
}
LATER |= {
    row_id: "label sets: documents 002 (F1) and 003 (Jaccard)"
    for row_id, row in ROWS.items()
    if row["document"][:3] in {"002", "003"} and row_id not in NOT_TESTABLE
}
