"""Reports over many metrics at once."""

from __future__ import annotations

from gpumetrics.evaluation.clustering_report import ClusteringReport, evaluate_clustering

__all__ = ["ClusteringReport", "evaluate_clustering"]
