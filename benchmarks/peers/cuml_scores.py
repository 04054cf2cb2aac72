"""cuML, on a GPU: host arrays are brought there outside of the clock."""

from __future__ import annotations

import functools
import importlib

import numpy as np

from .peer import CannotError, Peer, without_euclidean

OF_CLUSTERS = {
    "adjusted_rand_score",
    "completeness_score",
    "entropy",
    "homogeneity_score",
    "mutual_info_score",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
}
OF_CLASSES = {"accuracy_score", "confusion_matrix"}


def _call(case, _shape):
    if case.metric in OF_CLUSTERS:
        module = importlib.import_module("cuml.metrics.cluster")
    elif case.metric in OF_CLASSES and case.unit != "tags":
        module = importlib.import_module("cuml.metrics")
    else:
        raise CannotError("it has no such metric")
    found = getattr(module, case.metric, None)
    # The name is that of a function, or of the module that has it.
    function = found if callable(found) else getattr(found or module, f"cython_{case.metric}")
    distance, others = without_euclidean(case.keywords)
    if distance != "euclidean":
        others["metric"] = distance
    return functools.partial(function, **others)


def _given(args):
    import cupy as cp  # noqa: PLC0415

    return [cp.asarray(a.astype(np.int32) if a.dtype == np.int64 else a) for a in args]


def _synchronize():
    import cupy as cp  # noqa: PLC0415

    cp.cuda.Device().synchronize()


PEER = Peer(
    "cuML",
    ("cuml", "cupy", "cuml.metrics.cluster"),
    _call,
    device="cuda",
    given=_given,
    one_thread=None,
    synchronize=_synchronize,
)
