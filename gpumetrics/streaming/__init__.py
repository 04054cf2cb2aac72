"""Metrics of data that comes in pieces: states that take batches, merge, and give what the functions give.

A state holds the statistic that a family of metrics is a formula over. It takes batches (`update`), merges with the
state of other batches, of another thread, process or machine (`merge`), and gives any metric of its family (`result`).
"""

from gpumetrics.streaming.contingency_state import ContingencyState
from gpumetrics.streaming.label_counts_state import LabelCountsState
from gpumetrics.streaming.moments_state import ClusterMomentsState
from gpumetrics.streaming.silhouette_state import ClosedFormSilhouetteState

__all__ = ["ClosedFormSilhouetteState", "ClusterMomentsState", "ContingencyState", "LabelCountsState"]
