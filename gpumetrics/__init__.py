"""Clustering and label-set metrics with scikit-learn's names and answers, at sizes where scikit-learn stops."""

import typing as _typing
from importlib import import_module as _import_module

from gpumetrics.classification.accuracy import accuracy_score, balanced_accuracy_score, hamming_loss, zero_one_loss
from gpumetrics.classification.association import cohen_kappa_score, matthews_corrcoef
from gpumetrics.classification.classification_report import classification_report
from gpumetrics.classification.confusion import confusion_matrix, multilabel_confusion_matrix
from gpumetrics.classification.f_score import f1_score, fbeta_score
from gpumetrics.classification.jaccard import jaccard_score
from gpumetrics.classification.masks import mask_iou, pairwise_mask_iou
from gpumetrics.classification.precision_recall import precision_recall_fscore_support, precision_score, recall_score
from gpumetrics.classification.set_distances import f1_from_jaccard, jaccard_distance, jaccard_from_f1
from gpumetrics.classification.tags import EncodedTags, encode_tags
from gpumetrics.classification.thresholds import BestThreshold, ThresholdCurve, best_threshold
from gpumetrics.clustering.agreement import (
    adjusted_rand_score,
    contingency_matrix,
    fowlkes_mallows_score,
    pair_confusion_matrix,
    rand_score,
)
from gpumetrics.clustering.compactness import calinski_harabasz_score, davies_bouldin_score
from gpumetrics.clustering.information import (
    adjusted_mutual_info_score,
    entropy,
    expected_mutual_information,
    mutual_info_score,
    normalized_mutual_info_score,
)
from gpumetrics.clustering.matching import clustering_accuracy
from gpumetrics.clustering.silhouette import silhouette_samples, silhouette_score
from gpumetrics.clustering.v_measure import (
    completeness_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    v_measure_score,
)
from gpumetrics.config import config_context, get_config, set_config
from gpumetrics.evaluation.clustering_report import ClusteringReport
from gpumetrics.evaluation.evaluate import evaluate_clustering
from gpumetrics.evaluation.tags.evaluate import evaluate_tags
from gpumetrics.evaluation.tags.report import TagReport
from gpumetrics.exceptions import BackendError

if _typing.TYPE_CHECKING:
    from gpumetrics.choosing.compare import compare_labelings
    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.choosing.stability import stability, stability_of
    from gpumetrics.choosing.stability_result import Stability
    from gpumetrics.choosing.sweep import sweep
    from gpumetrics.clustering.davies_bouldin_pairs import DaviesBouldinPairs, davies_bouldin_pairs
    from gpumetrics.clustering.density_validity import density_validity
    from gpumetrics.clustering.density_validity_result import DensityValidity
    from gpumetrics.clustering.many_silhouettes import silhouette_samples_many, silhouette_scores
    from gpumetrics.clustering.silhouette_estimate import Estimate, silhouette_estimate
    from gpumetrics.displays.contingency import ContingencyDisplay
    from gpumetrics.displays.davies_bouldin import DaviesBouldinDisplay
    from gpumetrics.displays.embedding import EmbeddingDisplay
    from gpumetrics.displays.k_selection import KSelectionDisplay
    from gpumetrics.displays.silhouette import SilhouetteDisplay
    from gpumetrics.displays.stability import StabilityDisplay
    from gpumetrics.displays.tag_errors import TagErrorsDisplay
    from gpumetrics.displays.threshold import ThresholdDisplay
    from gpumetrics.evaluation.attributes import AttributeCheck, attribute_check
    from gpumetrics.evaluation.candidates import boundary_candidates, split_candidates
    from gpumetrics.evaluation.candidates_result import Candidates
    from gpumetrics.evaluation.merging import merge_candidates
    from gpumetrics.evaluation.representatives import ambiguous, representatives
    from gpumetrics.evaluation.samples import ClusterRows

__version__ = "0.1.0"

# Imported when they are first used, so that importing the package stays quick.
_LAZY = {
    "ambiguous": "gpumetrics.evaluation.representatives",
    "attribute_check": "gpumetrics.evaluation.attributes",
    "AttributeCheck": "gpumetrics.evaluation.attributes",
    "boundary_candidates": "gpumetrics.evaluation.candidates",
    "Candidates": "gpumetrics.evaluation.candidates_result",
    "ClusterRows": "gpumetrics.evaluation.samples",
    "compare_labelings": "gpumetrics.choosing.compare",
    "Comparison": "gpumetrics.choosing.comparison",
    "ContingencyDisplay": "gpumetrics.displays.contingency",
    "davies_bouldin_pairs": "gpumetrics.clustering.davies_bouldin_pairs",
    "DaviesBouldinDisplay": "gpumetrics.displays.davies_bouldin",
    "DaviesBouldinPairs": "gpumetrics.clustering.davies_bouldin_pairs",
    "density_validity": "gpumetrics.clustering.density_validity",
    "DensityValidity": "gpumetrics.clustering.density_validity_result",
    "EmbeddingDisplay": "gpumetrics.displays.embedding",
    "Estimate": "gpumetrics.clustering.silhouette_estimate",
    "KSelectionDisplay": "gpumetrics.displays.k_selection",
    "merge_candidates": "gpumetrics.evaluation.merging",
    "representatives": "gpumetrics.evaluation.representatives",
    "silhouette_estimate": "gpumetrics.clustering.silhouette_estimate",
    "silhouette_samples_many": "gpumetrics.clustering.many_silhouettes",
    "silhouette_scores": "gpumetrics.clustering.many_silhouettes",
    "SilhouetteDisplay": "gpumetrics.displays.silhouette",
    "split_candidates": "gpumetrics.evaluation.candidates",
    "stability": "gpumetrics.choosing.stability",
    "Stability": "gpumetrics.choosing.stability_result",
    "stability_of": "gpumetrics.choosing.stability",
    "StabilityDisplay": "gpumetrics.displays.stability",
    "sweep": "gpumetrics.choosing.sweep",
    "TagErrorsDisplay": "gpumetrics.displays.tag_errors",
    "ThresholdDisplay": "gpumetrics.displays.threshold",
}

__all__ = [
    "AttributeCheck",
    "BackendError",
    "BestThreshold",
    "Candidates",
    "ClusterRows",
    "ClusteringReport",
    "Comparison",
    "ContingencyDisplay",
    "DaviesBouldinDisplay",
    "DaviesBouldinPairs",
    "DensityValidity",
    "EmbeddingDisplay",
    "EncodedTags",
    "Estimate",
    "KSelectionDisplay",
    "SilhouetteDisplay",
    "Stability",
    "StabilityDisplay",
    "TagErrorsDisplay",
    "TagReport",
    "ThresholdCurve",
    "ThresholdDisplay",
    "__version__",
    "accuracy_score",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "ambiguous",
    "attribute_check",
    "balanced_accuracy_score",
    "best_threshold",
    "boundary_candidates",
    "calinski_harabasz_score",
    "classification_report",
    "clustering_accuracy",
    "cohen_kappa_score",
    "compare_labelings",
    "completeness_score",
    "config_context",
    "confusion_matrix",
    "contingency_matrix",
    "davies_bouldin_pairs",
    "davies_bouldin_score",
    "density_validity",
    "encode_tags",
    "entropy",
    "evaluate_clustering",
    "evaluate_tags",
    "expected_mutual_information",
    "f1_from_jaccard",
    "f1_score",
    "fbeta_score",
    "fowlkes_mallows_score",
    "get_config",
    "hamming_loss",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "jaccard_distance",
    "jaccard_from_f1",
    "jaccard_score",
    "mask_iou",
    "matthews_corrcoef",
    "merge_candidates",
    "multilabel_confusion_matrix",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "pairwise_mask_iou",
    "precision_recall_fscore_support",
    "precision_score",
    "rand_score",
    "recall_score",
    "representatives",
    "set_config",
    "silhouette_estimate",
    "silhouette_samples",
    "silhouette_samples_many",
    "silhouette_score",
    "silhouette_scores",
    "split_candidates",
    "stability",
    "stability_of",
    "sweep",
    "v_measure_score",
    "zero_one_loss",
]


if not _typing.TYPE_CHECKING:  # a type checker would take any name for one of the package's

    def __getattr__(name: str) -> _typing.Any:
        if name not in _LAZY:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(_import_module(_LAZY[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
