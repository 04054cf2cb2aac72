"""The lines of docs/gpu_notebooks.md for CuPy run, on the emulation, and give what NumPy gives."""

import re
from pathlib import Path

import inputs
import pytest
from numpy.testing import assert_allclose

import gpumetrics as gm

PAGE = Path(__file__).parents[2] / "docs" / "gpu_notebooks.md"


@pytest.mark.emulated
def test_the_lines_for_cupy(emulated):
    if not PAGE.exists():
        pytest.skip("the tests run without the documents")
    (block,) = re.findall(r"(?s)## CuPy\n\n```python\n(.*?)```", PAGE.read_text(encoding="utf-8"))
    X, labels = inputs.blobs()
    found = {"embeddings": X, "clusters": labels}
    exec(block, found)  # noqa: S102  (the page's own lines)
    assert type(found["score"]) is float
    assert_allclose(found["score"], gm.silhouette_score(X, labels), rtol=1e-10)
    assert isinstance(found["samples"], emulated.ndarray)
    assert_allclose(found["samples"].get(), gm.silhouette_samples(X, labels, metric="cosine"), atol=1e-10)
    assert found["report"].backend == "cupy"
    assert_allclose(found["report"].scores["silhouette"], found["score"], rtol=1e-10)
