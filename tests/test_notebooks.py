"""The notebooks of the documentation run from their first cell to their last, at small size, on NumPy."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == [
        "a_hyperparameter_search_on_the_gpu",
        "from_a_million_embeddings_to_a_reading",
    ]


def test_notebooks_are_kept_without_outputs():
    nbformat = pytest.importorskip("nbformat")
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, as_version=4).cells:
            assert not cell.get("outputs"), f"{path.name}: clear the outputs before you commit"


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("ROWS", "4000")
    monkeypatch.setenv("GPUMETRICS_BACKEND", "numpy")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": tmp_path}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert any("text/html" in output.get("data", {}) for output in outputs)
    warned = [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    assert not [text for text in warned if "Warning" in text.replace("TqdmWarning", "")]  # Optuna's
    (report,) = tmp_path.glob("*.html")
    assert 20_000 < report.stat().st_size < 2_000_000
