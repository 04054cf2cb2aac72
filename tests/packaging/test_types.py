"""The types of the installed package hold for code of a user's."""

import sys
from pathlib import Path

import pytest
from numpy.testing import assert_equal
from programs import run

import gpumetrics as gm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
USER_CODE = Path(__file__).parent / "user_code.py"


@pytest.fixture
def checked(installed, tmp_path):
    """Return what mypy prints of a text, by the installed package: it must end as is said."""
    pytest.importorskip("mypy")

    def check(text, *, good):
        (tmp_path / "user_code.py").write_text(text)
        command = (sys.executable, "-m", "mypy", "--strict", "--python-executable", installed / "python")
        return run(*command, "user_code.py", cwd=tmp_path, returncode=0 if good else 1)

    return check


def test_good_code_is_good(checked):
    assert_equal(checked(USER_CODE.read_text("utf-8"), good=True), "Success: no issues found in 1 source file\n")


def test_every_public_name_has_a_type(checked):
    names = "\n".join(f"gm.{name}" for name in gm.__all__)
    checked(f"import gpumetrics as gm\n\n{names}\n", good=True)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('gm.adjusted_rand_score([0], [0]) + "a"', "Unsupported operand types"),
        ("gm.silhouette_score([[0.0]])", "Missing positional argument"),
        ("gm.calinski_harabasz_score([[0.0]], [0], weights=None)", 'Unexpected keyword argument "weights"'),
        ("gm.evaluate_clustering([[0.0]], [0]).silhouete", "has no attribute"),
        ("gm.no_such_score([0])", "Module has no attribute"),
    ],
)
def test_mistakes_are_found(checked, line, told):
    assert told in checked(f"import gpumetrics as gm\n\n{line}\n", good=False)
