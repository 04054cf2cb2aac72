"""Make the lock files of the images, or check that they are current.

    python docker/lock.py            make them anew, with the newest versions that fit (needs uv: pip install uv)
    python docker/lock.py --check    say which are out of date; needs neither uv nor a network

Each lock begins with a digest of what it was made from: the requirements in pyproject.toml and in this file, Python's
version and the platform. A package has the same version in every lock, since all are cut from one resolution.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PYTHON = "3.13"
PLATFORM = "x86_64-manylinux_2_28"

# The extras that each image installs, and what it needs beyond them.
EXTRAS = {
    "cpu": ("all",),
    "cuda": ("all", "cuda13"),
    "notebook": ("all", "cuda13"),
    "test": ("all", "test"),
    "build": (),
}
MORE = {
    "notebook": ("jupyterlab>=4.4", "pandas>=2.2", "pip"),
    "build": ("cyclonedx-bom>=7", "pip>=25"),
}
MARK = "# Made from: sha256:"
HEAD = "# Made by docker/lock.py for Python {python} on {platform}; do not edit.\n"


def project() -> dict[str, Any]:
    """Return what pyproject.toml says."""
    return tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))


def requirements(lock: str, settings: dict[str, Any]) -> list[str]:
    """Return what a lock must satisfy, sorted: extras that name others of the project are resolved."""
    if lock == "build":
        return sorted({*settings["build-system"]["requires"], *MORE[lock]})
    name, extras = settings["project"]["name"], settings["project"]["optional-dependencies"]

    def of_extra(extra: str) -> set[str]:
        out: set[str] = set()
        for requirement in extras[extra]:
            own = re.fullmatch(rf"{name}\[([\w,-]+)\]", requirement)
            out |= set().union(*map(of_extra, own[1].split(","))) if own else {requirement}
        return out

    return sorted({*settings["project"]["dependencies"], *MORE.get(lock, ())}.union(*map(of_extra, EXTRAS[lock])))


def digest(lock: str, settings: dict[str, Any]) -> str:
    """Return the digest of what a lock is made from."""
    made_from = {"python": PYTHON, "platform": PLATFORM, "requirements": requirements(lock, settings)}
    return hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()


def path_of(lock: str) -> Path:
    """Return the file of a lock."""
    return HERE / f"requirements-{lock}.lock"


def stale(settings: dict[str, Any]) -> list[str]:
    """Return the names of the locks that are missing, or were made from something else."""
    return [lock for lock in EXTRAS if f"{MARK}{digest(lock, settings)}\n" not in _text(path_of(lock))]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def resolved(wanted: list[str], *options: str) -> str:
    """Return the pinned packages that satisfy what is wanted; where uv looks for them stays out of the text."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--quiet", "--no-header", "--no-emit-index-url"]
    command += ["--no-emit-find-links", "--python-version", PYTHON, "--python-platform", PLATFORM, *options]
    run = subprocess.run(command, input="\n".join(wanted), capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"docker/lock.py: uv made no lock: {run.stderr.strip()}")
    return run.stdout


def make(settings: dict[str, Any]) -> None:
    """Write all locks."""
    of_project = [lock for lock in EXTRAS if lock != "build"]
    everything = sorted({wanted for lock in of_project for wanted in requirements(lock, settings)})
    with tempfile.TemporaryDirectory() as folder:
        together = Path(folder, "together.txt")
        together.write_text(resolved(everything, "--no-annotate"), encoding="utf-8")
        for lock in EXTRAS:
            bound = ["--constraint", str(together)] if lock in of_project else []
            pins = resolved(requirements(lock, settings), "--generate-hashes", "--no-annotate", *bound)
            head = HEAD.format(python=PYTHON, platform=PLATFORM)
            path_of(lock).write_text(f"{head}{MARK}{digest(lock, settings)}\n{pins}", encoding="utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="docker/lock.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only check that the locks are current")
    check, settings = parser.parse_args().check, project()
    if not check:
        make(settings)
    elif old := stale(settings):
        sys.exit(f"docker/lock.py: out of date: {', '.join(path_of(lock).name for lock in old)}; run docker/lock.py")


if __name__ == "__main__":
    main()
