"""Clustering and label-set metrics with scikit-learn's names and answers, at sizes where scikit-learn stops."""

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
from gpumetrics.clustering.compactness import (
    DaviesBouldinPairs,
    calinski_harabasz_score,
    davies_bouldin_pairs,
    davies_bouldin_score,
)
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
from gpumetrics.evaluation.tag_evaluate import evaluate_tags
from gpumetrics.evaluation.tag_report import TagReport
from gpumetrics.exceptions import BackendError

__version__ = "0.1.0"

__all__ = [
    "BackendError",
    "BestThreshold",
    "ClusteringReport",
    "DaviesBouldinPairs",
    "EncodedTags",
    "TagReport",
    "ThresholdCurve",
    "__version__",
    "accuracy_score",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "balanced_accuracy_score",
    "best_threshold",
    "calinski_harabasz_score",
    "classification_report",
    "clustering_accuracy",
    "cohen_kappa_score",
    "completeness_score",
    "config_context",
    "confusion_matrix",
    "contingency_matrix",
    "davies_bouldin_pairs",
    "davies_bouldin_score",
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
    "multilabel_confusion_matrix",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "pairwise_mask_iou",
    "precision_recall_fscore_support",
    "precision_score",
    "rand_score",
    "recall_score",
    "set_config",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
    "zero_one_loss",
]
