"""Every name that the stand-in for CuPy offers exists in CuPy, with the same arguments."""

import importlib.util
import inspect
import json
import platform
import subprocess
import sys

import pytest

from emulation import fake_cupy
from emulation.fake_cupy.elementwise import UFUNCS
from emulation.fake_cupy.functions import TABLE

pytestmark = pytest.mark.emulated


LOOK = """
import inspect, json, sys
import cupy, cupyx
names, signatures = json.load(sys.stdin)
missing = []
for owner, members in names.items():
    found = {"cupy": cupy, "cupyx": cupyx}[owner.split(".")[0]]
    for part in owner.split(".")[1:]:
        found = getattr(found, part, None)
    missing += [f"{owner}.{name}" for name in members if not hasattr(found, name)]
arguments = {}
for name in signatures:
    try:
        parameters = inspect.signature(getattr(cupy, name)).parameters.values()
        arguments[name] = [p.name for p in parameters if p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD}]
    except ValueError:
        pass  # compiled
print(json.dumps([missing, arguments]))
"""


def members(owner):
    return sorted(name for name in vars(owner) if not name.startswith("_"))


def offered():
    cupy = fake_cupy.cupy
    names = {name: members(module) for name, module in fake_cupy.MODULES.items()}
    names["cupy._core"] = ["get_compute_type", "set_compute_type"]
    classes = ["RawModule", "RawKernel", "cuda.Stream", "cuda.Event", "cuda.Device", "cuda.MemoryPool"]
    for path in [*classes, "cuda.MemoryPointer"]:
        owner = cupy
        for part in path.split("."):
            owner = getattr(owner, part)
        names[f"cupy.{path}"] = members(owner)
    own = {"__module__", "__dict__", "__weakref__", "__init__", "__doc__", "__firstlineno__", "__static_attributes__"}
    public = [name for name in vars(cupy.ndarray) if name.startswith("__") and name not in own]
    names["cupy.ndarray"] = members(cupy.ndarray) + public
    return names


@pytest.fixture(scope="module")
def real():
    """What the real CuPy says to the names of the emulation: those it lacks, and the arguments of the others."""
    if importlib.util.find_spec("cupy") is None:
        here = sys.platform, platform.machine()
        if here in {("linux", "x86_64"), ("linux", "aarch64")}:
            pytest.fail("CuPy is not installed: it is in the extra `test` on this platform")
        pytest.skip(f"there is no CuPy for {here}")
    functions = [name for name in TABLE if name not in UFUNCS]
    # -I, so that no module beside the tests is taken for one of CuPy's.
    asked = json.dumps([offered(), functions])
    run = subprocess.run([sys.executable, "-I", "-c", LOOK], input=asked, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_every_name_exists_in_cupy(real):
    assert real[0] == []


def test_every_argument_exists_in_cupy(real):
    asked = 0
    for name, theirs in real[1].items():
        ours = inspect.signature(TABLE[name]).parameters.values()
        ours = [p.name for p in ours if p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY}]
        if name == "einsum":  # its arguments have no names there
            continue
        asked += 1
        assert set(ours) <= set(theirs), name
        common = [argument for argument in theirs if argument in ours]
        assert ours == common or name == "matmul", name
    assert asked > 60
