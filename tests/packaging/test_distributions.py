"""The wheel and the sdist: what is in them, and that the wheel alone works."""

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from numpy.testing import assert_equal
from programs import run

import gpumetrics as gm

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

# Beside the code: kernels and their headers, templates of pages, Korean texts, and the mark of a typed package.
DATA = re.compile(
    r"backends/kernels/\w+\.cuh?|pages/templates/\w+\.(html\.j2|css|js)|text/korean/\w+\.json|py\.typed", re.ASCII
)


def in_git(*folders):
    """Return the files of some folders that are, or are about to be, in the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the tests run without the repository")
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


class TestContents:
    @pytest.fixture
    def of_wheel(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            return set(archive.namelist())

    @pytest.fixture
    def of_sdist(self, sdist):
        with tarfile.open(sdist) as archive:
            return {PurePosixPath(name).relative_to(f"gpumetrics-{gm.__version__}") for name in archive.getnames()}

    def test_the_wheel_has_the_package_and_nothing_else(self, of_wheel):
        about = {name for name in of_wheel if name.startswith(f"gpumetrics-{gm.__version__}.dist-info/")}
        assert_equal(of_wheel - about, in_git("gpumetrics"))
        names = {PurePosixPath(name).name for name in about}
        assert_equal(names, {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "LICENSE"})

    def test_beside_code_only_what_it_reads(self, of_wheel):
        data = {name for name in of_wheel if name.startswith("gpumetrics/") and not name.endswith(".py")}
        assert not {name for name in data if not DATA.fullmatch(name.removeprefix("gpumetrics/"))}
        for ending in (".cu", ".cuh", ".html.j2", ".css", ".js", ".json", "py.typed"):
            assert any(name.endswith(ending) for name in data), ending

    def test_the_sdist_has_what_its_list_says(self, of_sdist):
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        listed = settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
        files = in_git(*(name.removeprefix("/") for name in listed)) | {"PKG-INFO", "pyproject.toml", ".gitignore"}
        assert_equal({str(name) for name in of_sdist}, files)


class TestMetadata:
    @pytest.fixture
    def metadata(self, wheel):
        from email.parser import Parser

        with zipfile.ZipFile(wheel) as archive:
            name = f"gpumetrics-{gm.__version__}.dist-info/METADATA"
            return Parser().parsestr(archive.read(name).decode())

    def test_twine_finds_nothing(self, built):
        pytest.importorskip("twine")
        run(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir())

    def test_the_version_is_the_packages(self, metadata):
        tree = ast.parse((ROOT / "gpumetrics" / "__init__.py").read_text("utf-8"))
        (version,) = [
            node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__"
        ]
        assert_equal(metadata["Version"], version)


class TestInstalled:
    def test_it_comes_with_its_needs_only(self, installed):
        listed = run(installed / "python", "-m", "pip", "list", "--format", "freeze")
        names = {line.partition("==")[0].lower() for line in listed.splitlines() if "==" in line}
        assert_equal(names - {"pip", "setuptools"}, {"gpumetrics", "numpy", "scipy", "threadpoolctl", "narwhals"})

    def test_doctor_and_version(self, installed, tmp_path):
        assert_equal(run(installed / "gpumetrics", "--version", cwd=tmp_path).strip(), f"gpumetrics {gm.__version__}")
        assert "numpy backend runs" in run(installed / "gpumetrics", "doctor", "--quiet", cwd=tmp_path)

    def test_kernels_and_texts_are_found(self, installed, tmp_path):
        code = """
from gpumetrics.backends.cupy_kernels import KERNELS, source
from gpumetrics.text.messages import said, translated
assert all("__global__" in source(file) for file in KERNELS)
assert translated(said("Handwritten digits in {k} clusters (k-means)", k=3), "ko").startswith("손글씨")
"""
        run(installed / "python", "-c", code, cwd=tmp_path)

    def test_files_are_scored(self, installed, tmp_path):
        made = "import numpy as np; X = np.random.default_rng(0).normal(size=(90, 2)); X[:45] += 9"
        made += "; np.save('X.npy', X); np.save('y.npy', np.arange(90) // 45)"
        run(installed / "python", "-c", made, cwd=tmp_path)
        printed = run(installed / "gpumetrics", "evaluate", "X.npy", "y.npy", "--json", cwd=tmp_path)
        assert '"silhouette"' in printed

    def test_the_demo(self, installed_demo, tmp_path):
        assert "The full report of K" in run(installed_demo / "gpumetrics", "demo", "--report", "r.html", cwd=tmp_path)
        assert (tmp_path / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")

    def test_the_quick_tests(self, installed_demo, tmp_path):
        """From a copy of the tests, beside which there is no source."""
        shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tmp_path)
        quick = [f"tests/test_{name}.py" for name in ("worked_examples", "agreement", "compactness", "cli")]
        only = "not gpu and not emulated and not slow"
        options = ("-n", 0, "-p", "no:cacheprovider", "-m", only)
        run(installed_demo / "python", "-m", "pytest", *options, *quick, cwd=tmp_path)
