"""The wheel and the sdist, built once, and virtual environments in which the wheel is installed."""

import os
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from programs import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The folder with the wheel and the sdist; the wheel is made from the sdist, as on a package index."""
    pytest.importorskip("build")
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("the tests run without the repository")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="session")
def wheel(built):
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(built):
    (path,) = built.glob("*.tar.gz")
    return path


def environment(folder, *packages):
    """Make a virtual environment of some packages, and return the folder of its programs."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", *packages)
    return programs


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The programs of an environment with the wheel and what it needs."""
    return environment(tmp_path_factory.mktemp("installed"), wheel)


@pytest.fixture(scope="session")
def installed_demo(wheel, tmp_path_factory):
    """The programs of an environment with the demo, and what the quick tests need beside it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    of_tests = settings["project"]["optional-dependencies"]["test"]
    tools = [need for need in of_tests if need.startswith(("pytest", "hypothesis", "pandas", "polars"))]
    return environment(tmp_path_factory.mktemp("demo"), f"{wheel}[demo]", *tools)
