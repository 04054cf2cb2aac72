"""The page of the API reference: every public name, in groups."""

import gpumetrics as gm

GROUPS = {
    "How well the rows are clustered": (
        "silhouette_score silhouette_samples calinski_harabasz_score davies_bouldin_score davies_bouldin_pairs "
        "density_validity silhouette_estimate silhouette_scores silhouette_samples_many"
    ),
    "Whether two labelings agree": (
        "adjusted_rand_score rand_score adjusted_mutual_info_score normalized_mutual_info_score mutual_info_score "
        "v_measure_score homogeneity_score completeness_score homogeneity_completeness_v_measure "
        "fowlkes_mallows_score clustering_accuracy contingency_matrix pair_confusion_matrix entropy "
        "expected_mutual_information"
    ),
    "Reports, and choosing among clusterings": (
        "evaluate_clustering compare_labelings sweep stability stability_of split_candidates boundary_candidates "
        "merge_candidates representatives ambiguous attribute_check"
    ),
    "Whether labels are right": (
        "f1_score fbeta_score precision_score recall_score precision_recall_fscore_support jaccard_score "
        "accuracy_score balanced_accuracy_score hamming_loss zero_one_loss cohen_kappa_score matthews_corrcoef "
        "confusion_matrix multilabel_confusion_matrix classification_report best_threshold"
    ),
    "Tag sets and masks": (
        "evaluate_tags encode_tags jaccard_distance f1_from_jaccard jaccard_from_f1 mask_iou pairwise_mask_iou"
    ),
    "Plots": (
        "SilhouetteDisplay DaviesBouldinDisplay KSelectionDisplay StabilityDisplay ContingencyDisplay "
        "EmbeddingDisplay ThresholdDisplay TagErrorsDisplay"
    ),
    "What functions return": (
        "ClusteringReport Comparison Stability Estimate DensityValidity DaviesBouldinPairs Candidates ClusterRows "
        "AttributeCheck TagReport EncodedTags BestThreshold ThresholdCurve"
    ),
    "Settings and errors": "set_config get_config config_context BackendError",
}
MODULES = {
    "gpumetrics.streaming": (
        "Data in batches; the guide is :doc:`streaming`.",
        "ContingencyState LabelCountsState ClusterMomentsState ClosedFormSilhouetteState",
    ),
    "gpumetrics.model_selection": (
        "Scorers and a splitter for searches; the guide is :doc:`searches`.",
        (
            "WholeDataset make_cluster_scorer silhouette_scorer calinski_harabasz_scorer neg_davies_bouldin_scorer "
            "free_device_copy"
        ),
    ),
    "gpumetrics.sources": (
        "Files as tables of rows; the guide is :doc:`files`.",
        "open_rows InputFileError",
    ),
    "gpumetrics.planning": (
        "The cost before the work; the guide is :doc:`scaling`.",
        "plan Plan Machine this_machine ASSUMED_GPU",
    ),
}
HEAD = """\
.. Written by docs/_generate; do not edit.

API reference
=============

Every function takes NumPy arrays, lists, tables of pandas, polars and Arrow, and arrays on a GPU;
:doc:`coverage` says which also take streams and Dask's collections.
"""
DASK = """
gpumetrics.dask
---------------

The functions of the same names, of Dask's collections, with ``client``, ``compute`` and ``split_every`` besides;
the guide is :doc:`dask`.

"""


def page() -> str:
    """Return the page's text; a public name that is in no group, or in two, is an error."""
    from gpumetrics import dask

    listed = [name for names in GROUPS.values() for name in names.split()]
    wrong = (set(gm.__all__) - {"__version__"}) ^ set(listed) | {name for name in listed if listed.count(name) > 1}
    if wrong:
        msg = f"GROUPS of docs/_generate/api.py must hold every public name once: {', '.join(sorted(wrong))}"
        raise ValueError(msg)
    parts = [HEAD]
    parts += [_section(title, "", names, "gpumetrics") for title, names in GROUPS.items()]
    parts += [_section(module, text, names, module) for module, (text, names) in MODULES.items()]
    parts += [DASK + "\n".join(f"- :func:`~gpumetrics.{name}`" for name in dask.__all__) + "\n"]
    return "".join(parts)


def _section(title: str, text: str, names: str, module: str) -> str:
    table = [f".. currentmodule:: {module}", "", ".. autosummary::", "   :toctree: api_pages", "   :nosignatures:", ""]
    lines = ["", title, "-" * len(title), "", *([text, ""] if text else []), *table]
    return "\n".join([*lines, *(f"   {name}" for name in names.split())]) + "\n"
