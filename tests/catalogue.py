"""One row per public metric: what it is compared with, and what must hold for it.

The rows drive test_catalogue*.py. A public metric without a row fails a test.
"""

import math
from dataclasses import dataclass
from types import MappingProxyType

import definitions as plain
import set_definitions as sets


@dataclass(frozen=True)
class Metric:
    """A public function and its facts."""

    name: str
    kind: str  # "labelings" (true, pred), "labels", "table", "features" (X, labels), "targets" (y_true, y_pred)
    definition: object
    peer: str | None = None  # where scikit-learn has it: module:name
    low: float = -math.inf
    high: float = math.inf
    direction: str | None = None  # "higher" or "lower" is better; None: neither
    symmetric: bool = False  # to the bit, when the two labelings are exchanged
    renaming: bool = True  # blind to the names of the clusters (not: their order in a table)
    duplication: bool = False  # blind to every sample standing twice
    shift: bool = False
    scale: bool = False
    scalar: bool = True  # a Python float; otherwise an array or several values
    variants: tuple = (MappingProxyType({}),)  # keyword arguments to run it with

    def __str__(self):
        return self.name


def averages():
    return tuple(MappingProxyType({"average_method": m}) for m in ("arithmetic", "geometric", "min", "max"))


def betas():
    return tuple(MappingProxyType({"beta": b}) for b in (1.0, 0.5, 3.0))


CLUSTER = "sklearn.metrics.cluster"

LABELINGS = [
    Metric(
        "contingency_matrix",
        "labelings",
        plain.contingency_matrix,
        CLUSTER,
        low=0,
        renaming=False,
        scalar=False,
    ),
    Metric("pair_confusion_matrix", "labelings", plain.pair_confusion_matrix, CLUSTER, low=0, scalar=False),
    Metric("rand_score", "labelings", plain.rand, CLUSTER, 0, 1, "higher", symmetric=True),
    Metric("adjusted_rand_score", "labelings", plain.adjusted_rand, CLUSTER, -0.5, 1, "higher", symmetric=True),
    Metric(
        "mutual_info_score",
        "labelings",
        plain.mutual_info,
        CLUSTER,
        0,
        math.inf,
        "higher",
        symmetric=True,
        duplication=True,
    ),
    Metric(
        "normalized_mutual_info_score",
        "labelings",
        plain.normalized_mutual_info,
        CLUSTER,
        0,
        1,
        "higher",
        symmetric=True,
        duplication=True,
        variants=averages(),
    ),
    Metric(
        "adjusted_mutual_info_score",
        "labelings",
        plain.adjusted_mutual_info,
        CLUSTER,
        -math.inf,
        1,
        "higher",
        symmetric=True,
        variants=averages(),
    ),
    Metric("homogeneity_score", "labelings", plain.homogeneity, CLUSTER, 0, 1, "higher", duplication=True),
    Metric("completeness_score", "labelings", plain.completeness, CLUSTER, 0, 1, "higher", duplication=True),
    Metric(
        "v_measure_score",
        "labelings",
        plain.v_measure,
        CLUSTER,
        0,
        1,
        "higher",
        duplication=True,
        variants=betas(),
    ),
    Metric(
        "homogeneity_completeness_v_measure",
        "labelings",
        plain.homogeneity_completeness_v_measure,
        CLUSTER,
        0,
        1,
        "higher",
        duplication=True,
        scalar=False,
        variants=betas(),
    ),
    Metric("fowlkes_mallows_score", "labelings", plain.fowlkes_mallows, CLUSTER, 0, 1, "higher", symmetric=True),
    Metric(
        "clustering_accuracy",
        "labelings",
        plain.clustering_accuracy,
        None,
        0,
        1,
        "higher",
        symmetric=True,
        duplication=True,
    ),
]
LABELS = [
    Metric("entropy", "labels", plain.entropy, f"{CLUSTER}._supervised:_entropy", 0, duplication=True),
]
TABLE = [
    Metric(
        "expected_mutual_information",
        "table",
        plain.expected_mutual_information,
        CLUSTER,
        0,
        renaming=False,
    ),
]
FEATURES = [
    Metric("silhouette_score", "features", plain.silhouette, CLUSTER, -1, 1, "higher", shift=True, scale=True),
    Metric(
        "silhouette_samples",
        "features",
        plain.silhouette_samples,
        CLUSTER,
        -1,
        1,
        "higher",
        shift=True,
        scale=True,
        scalar=False,
    ),
    Metric(
        "calinski_harabasz_score",
        "features",
        plain.calinski_harabasz,
        CLUSTER,
        0,
        math.inf,
        "higher",
        shift=True,
        scale=True,
    ),
    Metric(
        "davies_bouldin_score",
        "features",
        plain.davies_bouldin,
        CLUSTER,
        0,
        math.inf,
        "lower",
        duplication=True,
        shift=True,
        scale=True,
    ),
]
SCORES = "sklearn.metrics"
RULE = {"zero_division": 0.0}


def targets(name, definition, low=0, high=1, direction="higher", **facts):
    facts = {"symmetric": False, "duplication": True, "renaming": False} | facts
    return Metric(name, "targets", definition, SCORES, low, high, direction, **facts)


def keywords(*variants, **common):
    return tuple(MappingProxyType(variant | common) for variant in variants)


def averaged(*variants):
    """Every average of a score of several classes."""
    kinds = [{"average": average} for average in ("micro", "macro", "weighted")]
    return keywords(*[kind | variant for kind in kinds for variant in variants or ({},)], **RULE)


# Their tests are those of classification/test_catalogue_targets.py.
TARGETS = [
    targets("accuracy_score", sets.accuracy, symmetric=True),
    targets("zero_one_loss", sets.zero_one, direction="lower", symmetric=True),
    targets("hamming_loss", sets.zero_one, direction="lower", symmetric=True),
    targets("balanced_accuracy_score", sets.balanced_accuracy, -1, variants=keywords({}, {"adjusted": True})),
    targets("precision_score", sets.of_vectors(sets.precision), variants=averaged()),
    targets("recall_score", sets.of_vectors(sets.recall), variants=averaged()),
    targets("f1_score", sets.of_vectors(sets.f_beta(1)), variants=averaged()),
    targets("fbeta_score", sets.of_vectors(sets.f_beta), variants=averaged({"beta": 0.5}, {"beta": 3.0})),
    targets("jaccard_score", sets.of_vectors(sets.jaccard), variants=averaged()),
    targets("confusion_matrix", sets.confusion, high=math.inf, direction=None, scalar=False, duplication=False),
    targets(
        "multilabel_confusion_matrix",
        lambda true, pred: sets.multilabel_confusion(
            sets.sets_of(true), sets.sets_of(pred), sorted(set(true) | set(pred))
        ),
        high=math.inf,
        direction=None,
        scalar=False,
        duplication=False,
    ),
    targets(
        "cohen_kappa_score",
        sets.kappa,
        -1,
        symmetric=True,
        variants=keywords({}, {"weights": "linear"}, {"weights": "quadratic"}),
    ),
    targets("matthews_corrcoef", sets.matthews, -1, symmetric=True),
]
# Functions whose result is an object; their own tests hold them, these rows say where.
OBJECTS = {
    "classification_report": "classification/test_classification_report.py",
    "precision_recall_fscore_support": "classification/test_averages.py",
    "encode_tags": "evaluation/test_tags.py",
    "evaluate_tags": "evaluation/test_tag_report.py",
    "best_threshold": "classification/test_thresholds.py",
    "mask_iou": "classification/test_masks.py",
    "pairwise_mask_iou": "classification/test_masks.py",
    "jaccard_distance": "classification/test_set_distances.py",
    "f1_from_jaccard": "classification/test_set_distances.py",
    "jaccard_from_f1": "classification/test_set_distances.py",
    "davies_bouldin_pairs": "test_compactness.py",
    "evaluate_clustering": "evaluation/test_clustering_report.py",
    "silhouette_samples_many": "test_many_silhouettes.py",
    "silhouette_scores": "test_many_silhouettes.py",
    "stability": "choosing/test_stability.py",
    "stability_of": "choosing/test_stability.py",
    "split_candidates": "evaluation/test_candidates.py",
    "boundary_candidates": "evaluation/test_candidates.py",
    "merge_candidates": "evaluation/test_candidates.py",
    "representatives": "evaluation/test_representatives.py",
    "ambiguous": "evaluation/test_representatives.py",
    "attribute_check": "evaluation/test_attributes.py",
    "density_validity": "test_density_validity.py",
    "compare_labelings": "choosing/test_compare_labelings.py",
    "sweep": "choosing/test_sweep.py",
    "silhouette_estimate": "test_silhouette_estimate.py",
    "SilhouetteDisplay": "displays/test_silhouette_display.py",
    "DaviesBouldinDisplay": "displays/test_davies_bouldin_display.py",
    "KSelectionDisplay": "displays/test_k_selection_display.py",
    "StabilityDisplay": "displays/test_stability_display.py",
    "ContingencyDisplay": "displays/test_contingency_display.py",
    "ThresholdDisplay": "displays/test_threshold_display.py",
    "TagErrorsDisplay": "displays/test_tag_errors_display.py",
    "EmbeddingDisplay": "displays/test_embedding_display.py",
}
# Public names that are not metrics.
OTHER = {
    "BackendError",
    "BestThreshold",
    "EncodedTags",
    "TagReport",
    "ThresholdCurve",
    "config_context",
    "get_config",
    "set_config",
    "ClusteringReport",
    "DaviesBouldinPairs",
    "Stability",
    "Candidates",
    "ClusterRows",
    "AttributeCheck",
    "DensityValidity",
    "Comparison",
    "Estimate",
    "__version__",
}

# Scores of two labelings that are 1 where both are the same partition.
AGREEMENT = [metric.name for metric in LABELINGS if metric.scalar and metric.high == 1]
METRICS = LABELINGS + LABELS + TABLE + FEATURES
