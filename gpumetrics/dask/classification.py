"""Scores of true and predicted labels in Dask's arrays and columns, with a client and more."""

import gpumetrics as gm
from gpumetrics.dask.running import of_labels

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "jaccard_score",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "zero_one_loss",
]

accuracy_score = of_labels(gm.accuracy_score)
balanced_accuracy_score = of_labels(gm.balanced_accuracy_score)
classification_report = of_labels(gm.classification_report)
cohen_kappa_score = of_labels(gm.cohen_kappa_score)
confusion_matrix = of_labels(gm.confusion_matrix)
f1_score = of_labels(gm.f1_score)
fbeta_score = of_labels(gm.fbeta_score)
hamming_loss = of_labels(gm.hamming_loss)
jaccard_score = of_labels(gm.jaccard_score)
matthews_corrcoef = of_labels(gm.matthews_corrcoef)
multilabel_confusion_matrix = of_labels(gm.multilabel_confusion_matrix)
precision_recall_fscore_support = of_labels(gm.precision_recall_fscore_support)
precision_score = of_labels(gm.precision_score)
recall_score = of_labels(gm.recall_score)
zero_one_loss = of_labels(gm.zero_one_loss)
