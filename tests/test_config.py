"""Settings, threads, and the choice of a backend on a machine without a GPU."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gpumetrics as gm
from gpumetrics.backends import choose, probe_cupy
from gpumetrics.exceptions import BackendError

START = {"backend": "auto", "working_memory": 1024.0, "precision": "exact", "progress": None}
WITHOUT_GPU = not probe_cupy()[0]


@pytest.fixture(autouse=True)
def _restored():
    before = gm.get_config()
    yield
    gm.set_config(**before)


def child(code, **environment):
    command = [sys.executable, "-c", code]
    env = {k: v for k, v in os.environ.items() if k != "GPUMETRICS_BACKEND"} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=60)


def test_start_values():
    run = child("import gpumetrics as gm; print(gm.get_config())")
    assert run.stdout.strip() == str(START)


def test_set_config_is_for_all_threads():
    gm.set_config(working_memory=7)
    assert gm.get_config() == {**gm.get_config(), "working_memory": 7}
    seen = []
    thread = threading.Thread(target=lambda: seen.append(gm.get_config()["working_memory"]))
    thread.start()
    thread.join()
    assert seen == [7]


def test_set_config_leaves_the_others_alone():
    before = gm.get_config()
    gm.set_config(progress=False)
    assert gm.get_config() == before | {"progress": False}
    gm.set_config()
    assert gm.get_config() == before | {"progress": False}


def test_context_is_for_one_thread():
    inside, other = threading.Event(), []

    def look():
        inside.wait()
        other.append(gm.get_config()["working_memory"])

    thread = threading.Thread(target=look)
    thread.start()
    with gm.config_context(working_memory=3):
        inside.set()
        thread.join()
        assert gm.get_config()["working_memory"] == 3
    assert other == [gm.get_config()["working_memory"]]
    assert other != [3]


def test_context_follows_into_a_copied_context():
    with gm.config_context(working_memory=5):
        context = copy_context()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(context.run, gm.get_config).result()["working_memory"] == 5


def test_contexts_nest_and_end_with_an_error():
    before = gm.get_config()
    with gm.config_context(working_memory=5):
        with gm.config_context(progress=True):
            assert gm.get_config() == before | {"working_memory": 5, "progress": True}
        with pytest.raises(RuntimeError, match="inside"), gm.config_context(working_memory=6):
            raise RuntimeError("inside")
        assert gm.get_config() == before | {"working_memory": 5}
    assert gm.get_config() == before


def test_get_config_gives_a_copy():
    gm.get_config()["working_memory"] = -1
    assert gm.get_config()["working_memory"] > 0


@pytest.mark.parametrize("set_it", [gm.set_config, lambda **kw: gm.config_context(**kw).__enter__()])
def test_wrong_settings(set_it):
    before = gm.get_config()
    for name, value in [
        ("backend", "cuda"),
        ("backend", None),
        ("backend", np),
        ("working_memory", 0),
        ("working_memory", -5),
        ("working_memory", float("inf")),
        ("working_memory", float("nan")),
        ("working_memory", "1GB"),
        ("working_memory", True),
        ("precision", "half"),
        ("precision", 16),
        ("progress", "yes"),
        ("progress", 2),
    ]:
        with pytest.raises(ValueError, match=rf"{name} must be .* got {value!r}"):
            set_it(**{name: value})
    with pytest.raises(TypeError, match=r"unknown setting 'working_memroy'.*working_memory, precision, progress"):
        set_it(working_memroy=1)
    assert gm.get_config() == before


@pytest.mark.parametrize("working_memory", [1, 64.5, np.float32(3), np.int64(16)])
def test_working_memory_is_a_number_of_mib(working_memory):
    with gm.config_context(working_memory=working_memory):
        assert gm.get_config()["working_memory"] == working_memory


def test_concurrent_calls_keep_their_own_settings():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(600, 20)), rng.integers(0, 5, 600)
    expected = gm.silhouette_samples(X, labels)

    def call(memory):
        with gm.config_context(working_memory=memory):
            s = gm.silhouette_samples(X, labels)
            assert gm.get_config()["working_memory"] == memory
        return s

    with ThreadPoolExecutor(8) as pool:
        for s in pool.map(call, [64] * 24):
            assert_array_equal(s, expected)


def test_blas_threads_are_given_back():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(1500, 30)), rng.integers(0, 5, 1500)

    def threads():
        return [lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]

    before = threads()
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: gm.silhouette_score(X, labels), range(12)))
    assert threads() == before
    with pytest.raises(ZeroDivisionError):
        gm.silhouette_score(X[:50], labels[:50], metric=lambda a, b: 1 / 0)
    assert threads() == before


# ---------------------------------------------------------------------------------------------
# Backends


def test_probe_never_raises_and_remembers():
    usable, reason = probe_cupy()
    assert isinstance(usable, bool)
    assert reason
    assert probe_cupy() == (usable, reason)


def test_numpy_is_there():
    for backend in ("auto", "numpy"):
        with gm.config_context(backend=backend):
            assert choose(np.zeros(2)).ops.__name__ == "gpumetrics.backends.numpy_ops"


X, Y = [[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1]
CALLS = {
    "silhouette_score": (X, Y),
    "silhouette_samples": (X, Y),
    "silhouette_samples_many": (X, [Y]),
    "silhouette_scores": (X, [Y]),
    "calinski_harabasz_score": (X, Y),
    "davies_bouldin_score": (X, Y),
    "davies_bouldin_pairs": (X, Y),
    "evaluate_clustering": (X, Y),
    "stability_of": ([Y, Y],),
    "split_candidates": (X, Y),
    "boundary_candidates": (X, Y),
    "merge_candidates": (X, Y),
    "representatives": (X, Y),
    "ambiguous": (X, Y),
    "attribute_check": (Y, [Y]),
    "density_validity": (X, Y),
    "compare_labelings": (X, [Y]),
    "silhouette_estimate": (X, Y),
    "rand_score": (Y, Y),
    "adjusted_rand_score": (Y, Y),
    "mutual_info_score": (Y, Y),
    "normalized_mutual_info_score": (Y, Y),
    "adjusted_mutual_info_score": (Y, Y),
    "fowlkes_mallows_score": (Y, Y),
    "v_measure_score": (Y, Y),
    "homogeneity_score": (Y, Y),
    "completeness_score": (Y, Y),
    "homogeneity_completeness_v_measure": (Y, Y),
    "contingency_matrix": (Y, Y),
    "pair_confusion_matrix": (Y, Y),
    "clustering_accuracy": (Y, Y),
    "entropy": (Y,),
    "expected_mutual_information": ([[2, 0], [0, 2]], 4),
    "accuracy_score": (Y, Y),
    "balanced_accuracy_score": (Y, Y),
    "classification_report": (Y, Y),
    "cohen_kappa_score": (Y, Y),
    "confusion_matrix": (Y, Y),
    "f1_score": (Y, Y),
    "hamming_loss": (Y, Y),
    "jaccard_score": (Y, Y),
    "matthews_corrcoef": (Y, Y),
    "multilabel_confusion_matrix": (Y, Y),
    "precision_recall_fscore_support": (Y, Y),
    "precision_score": (Y, Y),
    "recall_score": (Y, Y),
    "zero_one_loss": (Y, Y),
}


@pytest.mark.skipif(not WITHOUT_GPU, reason="a GPU is usable here")
@pytest.mark.parametrize("name", CALLS)
def test_cupy_that_is_asked_for_never_falls_back(name):
    with gm.config_context(backend="cupy"), pytest.raises(BackendError) as raised:
        getattr(gm, name)(*CALLS[name])
    message = str(raised.value)
    assert 'backend="cupy"' in message
    assert "pip install" in message or "driver" in message
    assert probe_cupy()[1] in message


@pytest.mark.parametrize("name", CALLS)
def test_auto_never_raises(name):
    with gm.config_context(backend="auto"):
        getattr(gm, name)(*CALLS[name])


@pytest.mark.parametrize("backend", ["auto", "numpy", "NumPy", " numpy ", ""])
def test_environment_variable(backend):
    code = "import gpumetrics as gm; print(gm.get_config()['backend'], gm.rand_score([0, 0, 1], [0, 1, 1]))"
    run = child(code, GPUMETRICS_BACKEND=backend)
    assert run.stdout.split() == [backend.strip().lower() or "auto", str(1 / 3)], run.stderr


@pytest.mark.skipif(not WITHOUT_GPU, reason="a GPU is usable here")
def test_environment_variable_cupy():
    code = "import gpumetrics as gm; gm.rand_score([0, 0, 1], [0, 1, 1])"
    run = child(code, GPUMETRICS_BACKEND="cupy")
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].startswith("gpumetrics.exceptions.BackendError: ")


def test_environment_variable_nonsense_is_said_at_the_first_use():
    run = child("import gpumetrics", GPUMETRICS_BACKEND="cuda")
    assert run.returncode == 0, run.stderr
    run = child("import gpumetrics as gm; gm.rand_score([0, 1], [0, 1])", GPUMETRICS_BACKEND="cuda")
    assert "GPUMETRICS_BACKEND must be one of ('auto', 'numpy', 'cupy'), got 'cuda'" in run.stderr


def fake_cupy(tmp_path, text):
    (tmp_path / "cupy.py").write_text(text)
    code = "import gpumetrics as gm; from gpumetrics.backends import probe_cupy;"
    code += "print(gm.rand_score([0, 0, 1], [0, 1, 1])); print(probe_cupy())"
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", ""), *sys.path])
    return child(code, PYTHONPATH=path)


AVAILABLE = "class cuda:\n  is_available = staticmethod(lambda: {})\n"
BROKEN = {
    "raise ImportError('libcublas.so.13: cannot open')": "libcublas.so.13: cannot open",
    "raise RuntimeError('broken')": "broken",
    AVAILABLE.format("1 / 0"): "ZeroDivisionError",
    AVAILABLE.format("False"): "driver",
    AVAILABLE.format("True") + "def arange(n): raise OSError('no device')": "no device",
    "": "cuda",
}


@pytest.mark.parametrize(("text", "reason"), BROKEN.items(), ids=BROKEN.values())
def test_a_broken_cupy_is_a_reason_not_a_crash(tmp_path, text, reason):  # C36
    run = fake_cupy(tmp_path, text)
    assert run.returncode == 0, run.stderr
    value, probed = run.stdout.splitlines()
    assert float(value) == pytest.approx(1 / 3)
    assert probed.startswith("(False,")
    assert reason in probed


def test_an_array_on_a_device_is_never_read_as_a_host_array():
    class Device:
        """A stand-in for an array in a GPU's memory."""

        @property
        def __cuda_array_interface__(self):
            return {"shape": (4, 1), "typestr": "<f8", "data": (1, True), "version": 3}

        shape, ndim, dtype = (4, 1), 2, np.dtype("f8")

        def __array__(self, dtype=None, copy=None):
            raise TypeError("Implicit conversion to a NumPy array is not allowed.")

        def __len__(self):
            return 4

    if WITHOUT_GPU:
        with pytest.raises(BackendError, match=r"(?i)gpu"):
            gm.silhouette_score(Device(), Y)
