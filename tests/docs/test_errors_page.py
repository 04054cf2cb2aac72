"""Every error that docs/errors.md quotes is raised, in these words."""

import re
from pathlib import Path

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import gpumetrics as gm
from gpumetrics.backends import probe_cupy
from gpumetrics.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
X, LABELS = np.arange(12.0).reshape(6, 2) ** 2, [0, 0, 1, 1, 2, 2]
HOLES = np.where(np.arange(12).reshape(6, 2) == 5, np.nan, X)
SETS = np.eye(3, dtype=int)


def asked_for_a_gpu(call):
    def raising():
        with gm.config_context(backend="cupy"):
            call()

    return raising


RAISES = {
    "Number of labels is K. Valid values are 2 to n_samples - 1 (inclusive)": lambda: gm.silhouette_score(X, [0] * 6),
    "Found input variables with inconsistent numbers of samples: [N, M]": lambda: gm.rand_score([0, 1], [0, 1, 1]),
    "Input X contains NaN. The first bad value is nan at row ROW, column COLUMN.": lambda: gm.davies_bouldin_score(
        HOLES, LABELS
    ),
    "Input y contains NaN. A label is missing": lambda: gm.silhouette_score(X, [0, 0, np.nan, 1, 1, 1]),
    "Found array with dim 3, while dim <= 2 is required": lambda: gm.silhouette_score(X[:, :, None], LABELS),
    "Expected 2D array, got 1D array instead": lambda: gm.silhouette_score(X[:, 0], LABELS),
    "The precomputed distance matrix contains non-zero elements on the diagonal": lambda: gm.silhouette_score(
        np.ones((6, 6)), LABELS, metric="precomputed"
    ),
    "Sparse data was passed, but dense data is required": lambda: gm.davies_bouldin_score(sparse.csr_matrix(X), LABELS),
    "dtype='numeric' is not compatible with arrays of bytes/strings": lambda: gm.silhouette_score(
        np.full((6, 2), "a"), LABELS
    ),
    "got an unexpected keyword argument 'squred'": lambda: gm.silhouette_score(X, LABELS, squred=True),
    "Target is multiclass but average='binary'": lambda: gm.f1_score(LABELS, LABELS),
    "pos_label=1 is not a valid label": lambda: gm.f1_score(["yes", "no"], ["yes", "no"]),
    "Classification metrics can't handle a mix of multiclass and multilabel-indicator targets": lambda: gm.f1_score(
        [0, 1, 2], SETS
    ),
    "Mix of label input types": lambda: gm.accuracy_score(["0", "1"], [0, 1]),
    "continuous is not supported": lambda: gm.accuracy_score([0.2, 0.7], [0.1, 0.8]),
    "The columns of y_pred must have the names of those of y_true, in the same order": lambda: gm.f1_score(
        pd.DataFrame(SETS, columns=list("abc")), pd.DataFrame(SETS, columns=list("cab")), average="micro"
    ),
    "must hold a set or list of tags for each document": lambda: gm.evaluate_tags(["a", "b"], ["a", "b"]),
    "Averages do not convert": lambda: gm.f1_from_jaccard([0.5, 0.7]),
    "is no mask, which has one value inside": lambda: gm.mask_iou([[0.2, 0.7]], [[0, 1]]),
    "is a Dask array, and this function takes arrays in memory only": lambda: gm.density_validity(
        da.from_array(X), np.array(LABELS)
    ),
    "unknown setting 'memory'": lambda: gm.set_config(memory=3),
}
WITHOUT_GPU = {
    'backend="cupy" was asked for, but no GPU can be used here': asked_for_a_gpu(
        lambda: gm.silhouette_score(X, LABELS)
    ),
}
WITH_GPU = {
    'is computed on the CPU: use backend="numpy" and host arrays': asked_for_a_gpu(
        lambda: gm.silhouette_score(X, LABELS, metric=lambda a, b: abs(a - b).sum())
    ),
}
COMMANDS = {
    "files of this kind are not read": ["evaluate", "x.docx", "y.docx"],
    "no such file": ["evaluate", "x.npy", "y.npy"],
}


def pattern(quoted):
    """The quoted text as a regular expression, in which ROW, COLUMN, N, M and K match any word."""
    text = re.escape(quoted)
    return re.sub(r"\bROW\b|\bCOLUMN\b|\b[NMK]\b", r"\\w+", text)


@pytest.fixture(scope="module")
def quoted():
    if not PAGE.exists():
        pytest.skip("the tests run without the documents")
    return re.findall(r"(?m)^\| `(.+?)` \|", PAGE.read_text(encoding="utf-8"))


def test_every_quoted_text_is_tested(quoted):
    assert sorted(quoted) == sorted(RAISES | WITHOUT_GPU | WITH_GPU | COMMANDS)


@pytest.mark.parametrize("text", RAISES)
def test_it_is_raised(text):
    with pytest.raises((ValueError, TypeError, gm.BackendError), match=pattern(text)):
        RAISES[text]()


@pytest.mark.parametrize("text", WITHOUT_GPU)
def test_it_is_raised_without_a_gpu(text):
    if probe_cupy()[0]:
        pytest.skip("a GPU can be used here")
    with pytest.raises(gm.BackendError, match=pattern(text)):
        WITHOUT_GPU[text]()


@pytest.mark.emulated
@pytest.mark.parametrize("text", WITH_GPU)
def test_it_is_raised_with_a_gpu(text, emulated):
    with pytest.raises(gm.BackendError, match=pattern(text)):
        WITH_GPU[text]()


@pytest.mark.parametrize("text", COMMANDS)
def test_it_is_said_by_the_command(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.docx").touch()
    assert main(COMMANDS[text]) == 2
    assert re.search(pattern(text), capsys.readouterr().err, re.IGNORECASE)
