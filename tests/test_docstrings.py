"""Every example in a docstring runs and prints what it says; every public function documents its parameters."""

import doctest
import inspect
import pkgutil
import re
from importlib import import_module

import pytest

import gpumetrics as gm

MODULES = ["gpumetrics", *(m.name for m in pkgutil.walk_packages(gm.__path__, "gpumetrics."))]
MODULES = [name for name in MODULES if not name.endswith("__main__")]
PUBLIC = [name for name in gm.__all__ if callable(getattr(gm, name))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    results = doctest.testmod(import_module(name))
    assert results.failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_documented(name):
    thing = getattr(gm, name)
    text = inspect.getdoc(thing)
    assert text
    assert len(text.splitlines()[0]) <= 110
    if inspect.isclass(thing):
        return
    assert ">>> " in text
    for parameter in inspect.signature(thing).parameters.values():
        listed = rf"^(\w+, )*{parameter.name}(, \w+)* : " if parameter.kind != parameter.VAR_KEYWORD else "^Parameters$"
        assert re.search(listed, text, flags=re.MULTILINE), parameter


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is(name):
    assert (import_module(name).__doc__ or "").strip()
