"""Every row of data/worked_examples.json in exactly one of five groups; see rows.py."""

from worked import agreement, choosing, compactness, label_sets_f1, label_sets_jaccard, silhouettes
from worked.left_out import NOT_TESTABLE
from worked.rows import PROPERTIES, ROWS, SUPERSEDED, VALUES

__all__ = ["NOT_TESTABLE", "PROPERTIES", "ROWS", "SUPERSEDED", "VALUES"]
__all__ += ["agreement", "choosing", "compactness", "label_sets_f1", "label_sets_jaccard", "silhouettes"]
