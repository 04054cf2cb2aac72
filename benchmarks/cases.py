"""The table of cases. Everything that is measured, checked or shown is a row here.

A public metric that scikit-learn has too needs a row, or a reason in WITHOUT; a test sees to it.
"""

from __future__ import annotations

from types import MappingProxyType

from . import data
from .case import SIZES, Case, Job, Shape, picked

LABELS = Shape(1_000_000, 100)
MACRO = MappingProxyType({"average": "macro"})
SAMPLES = MappingProxyType({"average": "samples"})


def silhouette(name, distance, full, limit, *, metric="silhouette_samples", **facts):
    """A silhouette of all rows."""
    keywords = MappingProxyType({} if distance == "euclidean" else {"metric": distance})
    wide = full.dtype == "float64"
    facts = {"atol": 1e-10 if wide else 1e-6, "truth": "definition", "blas": True, "keywords": keywords} | facts
    title = "silhouette" if metric == "silhouette_samples" else "mean silhouette"
    toy = Shape(120, 4, min(full.d, 8), full.dtype)
    return Case(name, f"{title}, {distance}", metric, data.blobs, "rows", full, toy, limit, **facts)


def many(name, title, recipe, over):
    """The mean silhouettes of many labelings of the same rows."""
    full, toy = Shape(12_000, 30, 64), Shape(150, 4, 8)
    limit, facts = "one silhouette", {"atol": 1e-6, "blas": True, "truth": "some labelings", "over": over}
    return Case(name, title, "silhouette_scores", recipe, "rows", full, toy, limit, **facts)


def moments(name, title, metric, target):
    """A score from centroids and the distances to them. scikit-learn's own is off in float32: float64 is the truth."""
    full, toy = Shape(500_000, 200, 64), Shape(200, 4, 8)
    facts = {"rtol": 1e-6, "truth": "float64", "blas": True, "target": target, "front": True}
    return Case(name, title, metric, data.blobs, "rows", full, toy, "one pass over X", **facts)


def labelings(name, title, metric, full=LABELS, **facts):
    """A score of two labelings."""
    facts = {"recipe": data.two_labelings, "limit": "one pass over the labels", "atol": 1e-10} | facts
    return Case(name, title, metric, unit="labels", full=full, toy=Shape(200, 4), **facts)


def targets(name, title, metric, keywords=MappingProxyType({}), **facts):
    """A score of classes, true and predicted."""
    facts = {"atol": 1e-12, "keywords": keywords} | facts
    return labelings(name, title, metric, Shape(2_000_000, 50), **facts)


def tags(name, title, metric, keywords=MappingProxyType({}), *, sparse=False, **facts):
    """A score of sets of tags, as indicators."""
    recipe, limit = data.tags, "one pass over the tags"
    facts = {"atol": 1e-12, "keywords": keywords} | facts
    if sparse:
        recipe, limit = data.sparse_tags, "one pass over what is stored"
        facts["backends"] = ("numpy",)
    return Case(name, title, metric, recipe, "tags", Shape(200_000, 40), Shape(100, 5), limit, **facts)


GEMM, THIN, SORTED = "half GEMM", "one pass over X and the thin product", "one sort of each feature"
SORT = "one sort of the labels"

CASES = [
    silhouette("sil-f32-64", "euclidean", Shape(20_000, 10, 64), GEMM, target=12, front=True),
    silhouette("sil-f32-384", "euclidean", Shape(20_000, 100, 384), GEMM, target=6, over=1.3, front=True),
    silhouette("sil-f64-64", "euclidean", Shape(20_000, 10, 64, "float64"), GEMM, target=4.5, front=True),
    silhouette("sil-f32-16-k1000", "euclidean", Shape(20_000, 1000, 16), GEMM, target=10, front=True),
    silhouette("sil-score", "euclidean", Shape(20_000, 10, 64), GEMM, metric="silhouette_score"),
    silhouette("sil-cosine", "cosine", Shape(20_000, 50, 384), THIN, target=60, front=True),
    silhouette("sil-correlation", "correlation", Shape(8_000, 50, 64), THIN),
    silhouette("sil-sqeuclidean", "sqeuclidean", Shape(8_000, 10, 32), THIN, target=120, front=True),
    silhouette("sil-manhattan", "manhattan", Shape(8_000, 10, 32), SORTED, target=14, front=True),
    silhouette("sil-chebyshev", "chebyshev", Shape(8_000, 10, 32), "none"),
    many("many-labelings", "silhouettes of cuts of one tree, K = 2 to k", data.cuts_of_a_tree, 1.3),
    many("many-labelings-kmeans", "silhouettes of runs of k-means, K = 2 to k", data.runs_of_k_means, 3.5),
    moments("ch", "Calinski-Harabasz", "calinski_harabasz_score", 8),
    moments("db", "Davies-Bouldin", "davies_bouldin_score", 5),
    labelings("ari", "adjusted Rand", "adjusted_rand_score", truth="pairs", target=20, front=True),
    labelings("rand", "Rand", "rand_score", truth="pairs"),
    labelings("fm", "Fowlkes-Mallows", "fowlkes_mallows_score", truth="pairs", target=20, front=True),
    labelings("pair-confusion", "pair confusion", "pair_confusion_matrix", truth="pairs", atol=0),
    labelings("mi", "mutual information", "mutual_info_score"),
    labelings("nmi", "NMI", "normalized_mutual_info_score", target=25, front=True),
    labelings("ami", "AMI", "adjusted_mutual_info_score", Shape(300_000, 1000), atol=1e-8, target=400, front=True),
    labelings("homogeneity", "homogeneity", "homogeneity_score"),
    labelings("completeness", "completeness", "completeness_score"),
    labelings("v-measure", "V-measure", "v_measure_score"),
    labelings("hcv", "homogeneity, completeness and V", "homogeneity_completeness_v_measure"),
    labelings("entropy", "entropy", "entropy", recipe=data.one_labeling),
    labelings(
        "emi",
        "expected mutual information",
        "expected_mutual_information",
        Shape(300_000, 1000),
        recipe=data.table_of_two_labelings,
        limit="none",
        atol=1e-8,
        backends=("numpy",),
    ),
    labelings("contingency", "contingency", "contingency_matrix", Shape(1_000_000, 200), atol=0, target=14, front=True),
    labelings(
        "contingency-strings",
        "contingency of words",
        "contingency_matrix",
        Shape(1_000_000, 200),
        recipe=data.strings,
        limit=SORT,
        atol=0,
        backends=("numpy",),
        target=8,
        front=True,
    ),
    labelings(
        "contingency-ids62",
        "contingency of 62-bit ids",
        "contingency_matrix",
        Shape(1_000_000, 200),
        recipe=data.ids,
        limit=SORT,
        atol=0,
        target=6,
        front=True,
    ),
    targets("f1-macro", "F1, macro", "f1_score", MACRO, target=25, front=True),
    targets("fbeta-macro", "F-beta, macro", "fbeta_score", MappingProxyType({"average": "macro", "beta": 0.5})),
    targets("precision-macro", "precision, macro", "precision_score", MACRO),
    targets("recall-macro", "recall, macro", "recall_score", MACRO),
    targets("jaccard-macro", "Jaccard, macro", "jaccard_score", MACRO),
    targets("prfs", "precision, recall, F and support", "precision_recall_fscore_support"),
    targets("classification-report", "report", "classification_report", MappingProxyType({"output_dict": True})),
    targets("accuracy", "accuracy", "accuracy_score"),
    targets("balanced-accuracy", "balanced accuracy", "balanced_accuracy_score"),
    targets("zero-one", "zero-one loss", "zero_one_loss"),
    targets("hamming", "Hamming loss", "hamming_loss", target=15),
    targets("kappa", "Cohen's kappa", "cohen_kappa_score"),
    targets("matthews", "Matthews", "matthews_corrcoef"),
    targets("confusion_matrix", "confusion matrix", "confusion_matrix", atol=0, target=20, front=True),
    tags("f1-macro-multilabel", "F1, macro", "f1_score", MACRO, target=18, front=True),
    tags("f1-macro-csr", "F1, macro, CSR", "f1_score", MACRO, sparse=True, target=4, front=True),
    tags("jaccard-samples", "Jaccard, samples", "jaccard_score", SAMPLES, target=16, front=True),
    tags("jaccard-samples-csr", "Jaccard, samples, CSR", "jaccard_score", SAMPLES, sparse=True, target=5, front=True),
    tags("multilabel-confusion", "confusion of each tag", "multilabel_confusion_matrix", atol=0),
]

# Public metrics that scikit-learn has too, and why they have no row: none so far.
WITHOUT: dict[str, str] = {}


def jobs(patterns=(), sizes=SIZES, backends=("numpy",)):
    """What is to be measured: the cases that match, at each of their shapes, on each backend."""
    for name in picked([case.name for case in CASES], patterns):
        case = named(name)
        for size in sizes:
            for shape in case.shapes(size):
                yield from (Job(case, size, shape, backend) for backend in backends if backend in case.backends)


def named(name):
    """The case of a name."""
    return next(case for case in CASES if case.name == name)
