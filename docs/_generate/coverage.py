"""The coverage table: every metric, and where it runs, found by asking the package itself and tests/catalogue.py."""

import sys
import warnings
from pathlib import Path

import numpy as np

import gpumetrics as gm
from gpumetrics.streaming import contingency_state, label_counts_state, moments_state

TESTS = Path(__file__).parent.parent.parent / "tests"
sys.path.append(str(TESTS))
import catalogue
import inputs
from emulation import fake_cupy

HEAD = """\
<!-- Written by docs/_generate; do not edit. -->
# Coverage

Every metric, and where it runs. The page is written from the package and from `tests/catalogue.py`, and a test fails
where it is not current.

- **NumPy, CuPy**: `both` was called with arrays of either kind, and gave the same within 1e-10. CuPy is the stand-in of
  the tests here, with the real kernels; nothing was run on a GPU for it. `host`: what it takes (tables, single numbers,
  lists of tags) is on the host.
- **many labelings**: what scores many labelings of the same rows at once. Silhouettes share one pass over distances.
- **stream**: whether a state of [gpumetrics.streaming](streaming.md) gives it, and after how many passes over the rows.
- **Dask**: whether it took [Dask's collections](dask.md), and gave the same.
- **held against**: what its values are compared with in the tests, and how closely for float64; *definition* is the
  formula in plain Python. For results that are objects, the file in `tests/` that holds them.
"""
SECTIONS = {
    "Rows and their clusters": [metric.name for metric in catalogue.FEATURES],
    "Two labelings": [metric.name for metric in catalogue.LABELINGS + catalogue.LABELS + catalogue.TABLE],
    "Labels, tag sets and masks": [metric.name for metric in catalogue.TARGETS],
}
# Functions whose result is an object: their rows follow those of the catalogue.
OBJECTS = {
    "Rows and their clusters": (
        "davies_bouldin_pairs density_validity silhouette_estimate silhouette_scores silhouette_samples_many "
        "evaluate_clustering split_candidates boundary_candidates merge_candidates representatives ambiguous"
    ),
    "Two labelings": "stability_of",
    "Labels, tag sets and masks": (
        "precision_recall_fscore_support classification_report evaluate_tags encode_tags best_threshold "
        "jaccard_distance f1_from_jaccard jaccard_from_f1 mask_iou pairwise_mask_iou"
    ),
}
HOST = {"expected_mutual_information", "encode_tags", "f1_from_jaccard", "jaccard_from_f1"}
MANY = {
    "silhouette_score": "`silhouette_scores`",
    "silhouette_samples": "`silhouette_samples_many`",
    "silhouette_scores": "yes",
    "silhouette_samples_many": "yes",
    "silhouette_estimate": "yes",
}
STREAMS = {
    "one pass": contingency_state.METRICS | label_counts_state.METRICS | moments_state.ONE_PASS,
    "two passes": moments_state.TWO_PASSES,
    "two passes, closed forms": {"silhouette_score", "silhouette_samples"},
}


def page() -> str:
    """Return the page's text."""
    compared = _compared()
    parts = [HEAD]
    for title, names in SECTIONS.items():
        parts.append(f"\n## {title}\n\n| metric | NumPy, CuPy | many labelings | stream | Dask | held against |\n")
        parts.append("|---|---|---|---|---|---|\n")
        for name in [*names, *OBJECTS[title].split()]:
            many = MANY.get(name) or ("`compare_labelings`" if name in compared else "")
            cells = [_place(name), many, _stream(name), _on_dask(name), _held(name)]
            parts.append(f"| `{name}` | {' | '.join(cells)} |\n")
    return "".join(parts)


def _compared() -> set[str]:
    """Names of the functions whose values a comparison of labelings holds."""
    X, labels = inputs.blobs()
    names = [
        key.removeprefix("best_") for key in gm.compare_labelings(X, [labels, labels % 2], labels_true=labels).to_dict()
    ]
    return {name if hasattr(gm, name) else f"{name}_score" for name in names}


def _stream(name: str) -> str:
    return next((passes for passes, metrics in STREAMS.items() if name in metrics), "")


def _held(name: str) -> str:
    for metric in catalogue.METRICS + catalogue.TARGETS:
        if metric.name == name:
            within = "1e-12" if metric in catalogue.TARGETS else "1e-10"
            return f"{'scikit-learn and definition' if metric.peer else 'definition'}, {within}"
    return f"`{catalogue.OBJECTS[name]}`"


def _place(name: str) -> str:
    """Call a function with arrays of NumPy's and of the stand-in for CuPy's, and compare what it gives."""
    if name in HOST:
        return "host"
    with warnings.catch_warnings(), fake_cupy.installed() as cupy:
        warnings.simplefilter("ignore")
        with gm.config_context(backend="numpy"):
            here = _called(name, np.asarray)
        with gm.config_context(backend="cupy"):
            there = _called(name, cupy.asarray)
        _check_same(name, here, there)
    return "both"


def _on_dask(name: str) -> str:
    """Call a function with Dask's arrays: what cannot take them refuses them."""
    import dask
    import dask.array as da

    if name in HOST:
        return ""
    with warnings.catch_warnings(), dask.config.set(scheduler="synchronous"), gm.config_context(backend="numpy"):
        warnings.simplefilter("ignore")
        here = _called(name, np.asarray)
        try:
            there = _called(name, lambda array: da.from_array(np.asarray(array), chunks=20))
        except TypeError as refused:
            if "Dask" not in str(refused):
                raise
            return ""
        _check_same(name, here, there)
    return "yes"


def _called(name: str, asarray):
    function, metric = getattr(gm, name), _row(name)
    X, labels = inputs.blobs()
    if metric is not None and metric.kind in {"labelings", "targets"}:
        return function(*(asarray(side) for side in inputs.labelings()), **dict(metric.variants[0]))
    if metric is not None and metric.kind == "labels":
        return function(asarray(inputs.labelings()[0]))
    astray, joined = np.where(np.arange(len(X)) % 7, labels, (labels + 1) % 4), np.where(labels == 3, 0, labels)
    X, labels, astray, joined, sets, other = map(asarray, (X, labels, astray, joined, X > 0, X > 1))
    calls = {
        "evaluate_tags": lambda: function(sets, other, zero_division=0).scores,
        "best_threshold": lambda: function(sets[:, 0], X[:, 0]).threshold,
        "jaccard_distance": lambda: function(sets[:, 0], other[:, 0]),
        "precision_recall_fscore_support": lambda: function(sets, other, average="micro")[:3],
        "classification_report": lambda: function(sets, other, output_dict=True, zero_division=0)["macro avg"],
        "mask_iou": lambda: function(sets, other),
        "pairwise_mask_iou": lambda: function(sets[None], other[None]),
        "silhouette_scores": lambda: function(X, [labels, labels % 2]),
        "silhouette_samples_many": lambda: function(X, [labels, labels % 2]),
        "silhouette_estimate": lambda: function(X, labels, n_queries=20, random_state=0).value,
        "evaluate_clustering": lambda: function(X, labels).scores,
        "stability_of": lambda: function([labels, labels % 2]).mean,
        "davies_bouldin_pairs": lambda: function(X, labels).similarity,
        "split_candidates": lambda: function(X, joined),
        "boundary_candidates": lambda: function(X, astray),
        "merge_candidates": lambda: function(X, astray),
    }
    found = calls.get(name, lambda: function(X, labels))()
    return found.table if hasattr(found, "table") else found


def _row(name: str):
    return next((metric for metric in catalogue.METRICS + catalogue.TARGETS if metric.name == name), None)


def _check_same(name: str, here, there) -> None:
    expected = _numbers(here)
    if not expected.size:
        msg = f"{name} gave no number to compare"
        raise ValueError(msg)
    np.testing.assert_allclose(_numbers(there), expected, rtol=1e-10, atol=1e-12, err_msg=name)


def _numbers(found) -> np.ndarray:
    """All numbers of a result, as one vector on the host."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (list, tuple)):
        return np.concatenate([np.empty(0), *(_numbers(part) for part in found)])
    array = np.asarray(found.get() if hasattr(found, "get") else found)  # Dask's compute here
    return array.astype(float).ravel() if array.dtype.kind in "biuf" else np.empty(0)
