"""The recipe for conda, the citation and the workflows say what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

import pytest
from numpy.testing import assert_equal

import gpumetrics as gm

ROOT = Path(__file__).parents[2]
yaml = pytest.importorskip("yaml")
if not (ROOT / ".conda").is_dir():
    pytest.skip("the tests run without the repository", allow_module_level=True)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# What conda-forge calls otherwise.
RENAMED = {"matplotlib": "matplotlib-base", "dask": "dask-core", "cupy-cuda13x": "cupy"}


def of_conda(requirement):
    """Return a requirement of pip's as conda writes it: name[extras]>=1 is "name >=1"."""
    name, at_least = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?(.*)", requirement).groups()
    return f"{RENAMED.get(name, name)} {at_least}"


@pytest.fixture(scope="module")
def recipe():
    jinja2 = pytest.importorskip("jinja2")

    def load_file_regex(load_file, regex_pattern, *, from_recipe_dir):
        assert from_recipe_dir
        return re.search(regex_pattern, (ROOT / ".conda" / load_file).resolve().read_text("utf-8"))

    template = jinja2.Template((ROOT / ".conda" / "meta.yaml").read_text("utf-8"), undefined=jinja2.StrictUndefined)
    return yaml.safe_load(template.render(load_file_regex=load_file_regex, PYTHON="python"))


class TestRecipe:
    def test_the_version_is_the_packages(self, recipe):
        assert_equal(str(recipe["package"]["version"]), gm.__version__)

    def test_it_needs_what_the_package_needs(self, recipe):
        needs = {f"python {PROJECT['requires-python']}", *map(of_conda, PROJECT["dependencies"])}
        assert_equal(set(recipe["requirements"]["run"]), needs)

    def test_cupy_and_the_other_extras_bound_what_is_installed(self, recipe):
        extras = PROJECT["optional-dependencies"]
        wanted = [
            need for extra in ("cuda13", "search", "plot", "report", "io", "dask", "progress") for need in extras[extra]
        ]
        bounds = {of_conda(need) for need in wanted if not need.startswith(("gpumetrics", "joblib"))}
        assert_equal(set(recipe["requirements"]["run_constrained"]), bounds)
        assert "cupy >=14.2" in bounds

    def test_the_command_is_the_same(self, recipe):
        assert_equal(recipe["build"]["entry_points"], [f"{n} = {where}" for n, where in PROJECT["scripts"].items()])


def test_the_citation_is_whole_and_has_no_version_of_its_own():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert "version" not in citation
    assert_equal(citation["license"], PROJECT["license"])
    assert_equal(citation["authors"], PROJECT["authors"])


class TestWorkflows:
    @pytest.fixture
    def jobs(self):
        files = (ROOT / ".github" / "workflows").glob("*.yml")
        return {name: job for file in files for name, job in yaml.safe_load(file.read_text("utf-8"))["jobs"].items()}

    def test_every_python_that_is_claimed_is_tested(self, jobs):
        claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
        assert claimed
        assert set(claimed) <= set(jobs["tests"]["strategy"]["matrix"]["python"])

    def test_extras_that_are_installed_exist(self, jobs):
        steps = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
        named = {extra for step in steps for found in re.findall(r"\.\[([\w,]+)\]", step) for extra in found.split(",")}
        assert named
        assert named <= set(PROJECT["optional-dependencies"])

    def test_nothing_may_be_written(self):
        for file in (ROOT / ".github" / "workflows").glob("*.yml"):
            assert_equal(
                yaml.safe_load(file.read_text("utf-8"))["permissions"], {"contents": "read"}, err_msg=file.name
            )
