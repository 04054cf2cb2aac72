"""The names by which the package calls CuPy: they exist in the installed one, with the arguments that are passed."""

import ast
import importlib.util
import inspect
import json
import platform
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import gpumetrics
from gpumetrics.backends import numpy_ops

PACKAGE = Path(gpumetrics.__file__).parent
MODULES = {"cp": "cupy", "cupy": "cupy", "cupyx": "cupyx"}

# Runs with the real CuPy: reads [path, keywords] of each use, and prints what is wrong and what could not be told.
LOOK = """
import inspect, json, re, sys
import cupy, cupyx, numpy
RETURNED = {cupy.get_default_memory_pool: cupy.cuda.MemoryPool, cupy.cuda.get_current_stream: cupy.cuda.Stream}

def returned(found, array):
    if isinstance(found, type):
        return found
    return RETURNED.get(found, array if getattr(cupy, getattr(found, "__name__", ""), None) is found else None)

def lookup(root, parts, array):
    found = root
    for part in parts:
        if part == "()":
            found = returned(found, array)
            if found is None:
                return None  # what it gives cannot be told
        else:
            found = getattr(found, part)
    return found

def names(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        text = (function.__doc__ or "").strip().splitlines()
        found = re.search(r"\\w+\\((.*)\\)", text[0]) if text else None
        if not found or "**" in found[1].replace("\\\\", ""):
            return None
        return {re.sub(r"=.*", "", part).strip().split(" ")[-1] for part in found[1].split(",")}
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}

wrong, untold = [], []
for (root, *parts), keywords in json.load(sys.stdin):
    libraries = {"cupy": [cupy], "cupyx": [cupyx], "xp": [cupy, numpy]}[root]
    for library in libraries:
        name = ".".join([library.__name__, *parts]).replace(".()", "()")
        try:
            found = lookup(library, parts, library.ndarray if library is not cupyx else None)
        except AttributeError:
            wrong.append(name)
            continue
        known = names(found) if keywords and found is not None else ()
        if known is None:
            untold.append(name)
        elif found is not None:
            wrong += [f"{name}({keyword}=)" for keyword in keywords if keyword not in known]
print(json.dumps([wrong, untold]))
"""


class Uses(ast.NodeVisitor):
    """Collects the chains of names that begin at CuPy, or at either library, with the keywords of their calls."""

    def __init__(self):
        self.found = defaultdict(set)
        self.aliases = dict(MODULES, xp="xp")

    def visit_ImportFrom(self, node):
        if node.module and node.module.split(".")[0] in MODULES.values():
            for name in node.names:
                path = (*node.module.split("."), name.name)
                self.found[path] |= set()
                self.aliases[name.asname or name.name] = path

    def visit_Attribute(self, node):
        if path := self.path(node):
            self.found[path] |= set()
        self.generic_visit(node)

    def visit_Call(self, node):
        path = self.path(node.func)
        if path and len(path) > 1:
            self.found[path] |= {keyword.arg for keyword in node.keywords if keyword.arg}
        self.generic_visit(node)

    def path(self, node):
        """The names of a chain, with "()" for a call; None if it begins elsewhere."""
        if isinstance(node, ast.Name):
            start = self.aliases.get(node.id)
            return (start,) if isinstance(start, str) else start
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "array_module":
                return ("xp",)
            before = self.path(node.func)
            return before and (*before, "()")
        before = self.path(node.value) if isinstance(node, ast.Attribute) else None
        return before and (*before, node.attr)


def uses(*texts):
    found = defaultdict(set)
    for text in texts:
        visitor = Uses()
        visitor.visit(ast.parse(text))
        for path, keywords in visitor.found.items():
            found[path] |= keywords
    return {path: sorted(keywords) for path, keywords in found.items()}


def used():
    return uses(*(path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))))


@pytest.fixture(scope="module")
def look():
    """A function that asks the real CuPy, in a process of its own."""
    if importlib.util.find_spec("cupy") is None:
        here = sys.platform, platform.machine()
        if here in {("linux", "x86_64"), ("linux", "aarch64")}:
            pytest.fail("CuPy is not installed: it is in the extra `test` on this platform")
        pytest.skip(f"there is no CuPy for {here}")

    def ask(found):
        asked = json.dumps(list(found.items()))
        # -I, so that no module beside the tests is taken for one of CuPy's.
        run = subprocess.run(
            [sys.executable, "-I", "-c", LOOK], input=asked, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    return ask


def test_every_name_and_keyword_exists(look):
    wrong, untold = look(used())
    assert wrong == []
    assert untold == []


def test_what_is_collected():
    found = used()
    for path in [
        ("cupy", "cuda", "Device", "()", "mem_info"),
        ("cupy", "get_default_memory_pool"),
        ("cupyx", "empty_pinned"),
        ("cupy", "cuda", "runtime"),
        ("cupy", "cuda", "runtime", "pointerGetAttributes"),
        ("xp", "stack"),
        ("xp", "ascontiguousarray"),
    ]:
        assert path in found
    assert found["cupy", "RawModule"] == ["code", "name_expressions", "options"]
    assert found["xp", "ascontiguousarray"] == ["dtype"]
    assert sum(path[0] == "cupy" for path in found) > 50


WRONG = {
    "cp.no_such_function(1)": {"cupy.no_such_function"},
    "cupy.cuda.no_module.function": {"cupy.cuda.no_module", "cupy.cuda.no_module.function"},
    "from cupy.cuda import runtime as r\nr.getDevices()": {"cupy.cuda.runtime.getDevices"},
    "from cupy.cuda import run_time": {"cupy.cuda.run_time"},
    "cupyx.empty_pinned((1,), type=int)": {"cupyx.empty_pinned(type=)"},
    "cp.sum(a, axes=1)": {"cupy.sum(axes=)"},
    "cp.add(a, b, where=m)": {"cupy.add(where=)"},
    "cp.RawModule(source='')": {"cupy.RawModule(source=)"},
    "cp.cuda.Event(timing=True)": {"cupy.cuda.Event(timing=)"},
    "cp.cuda.Device().memory": {"cupy.cuda.Device().memory"},
    "cp.get_default_memory_pool().limit()": {"cupy.get_default_memory_pool().limit"},
    "cp.stack([a, b]).to_host()": {"cupy.stack().to_host"},
    "xp.asnumpy(a)": {"numpy.asnumpy"},
    "array_module(a).isin(a, b, kind='sort')": {"cupy.isin(kind=)"},
    "cp.sum(a, axis=1).get(); cp.cuda.Stream(non_blocking=True).synchronize(); xp.stack([a], axis=1)": set(),
}


def test_what_is_wrong_is_found(look):
    wrong, untold = look(uses(*WRONG))
    assert set(wrong) == set().union(*WRONG.values())
    assert untold == []


@pytest.mark.emulated
def test_both_backends_have_the_same_operations(emulated):
    from gpumetrics.backends import cupy_ops

    assert cupy_ops.__all__ == numpy_ops.__all__
    assert (numpy_ops.NAME, cupy_ops.NAME) == ("numpy", "cupy")
    for name in numpy_ops.__all__:
        ours, theirs = getattr(cupy_ops, name), getattr(numpy_ops, name)
        if not callable(theirs):
            continue
        ours, theirs = inspect.signature(ours), inspect.signature(theirs)
        assert [(p.name, p.kind, p.default) for p in ours.parameters.values()] == [
            (p.name, p.kind, p.default) for p in theirs.parameters.values()
        ], name
