"""Every sentence of the package has its Korean, and every Korean entry its sentence."""

import ast
import functools
import json
import string
from collections import Counter
from pathlib import Path

import pytest
from numpy.testing import assert_equal

import gpumetrics
from gpumetrics.text.messages import fields_of

PACKAGE = Path(gpumetrics.__file__).parent
MESSAGES = PACKAGE / "text" / "messages.py"
MODULES = sorted(PACKAGE.glob("**/*.py"))
FOLDERS = sorted({path.parent for path in MODULES})
FILES = sorted((PACKAGE / "text" / "korean").glob("*.json"))
TEMPLATES = sorted((PACKAGE / "pages" / "templates").glob("*.j2"))
PLACES = {"said": slice(0, 1), "counted": slice(1, 3)}  # of the templates among the arguments
CATALOGUES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES}
KOREAN = {english: korean for entries in CATALOGUES.values() for english, korean in entries.items()}


def given_to(call):
    """Return the arguments of a call that are templates, and nothing for calls of something else."""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    return call.args[PLACES[name]] if name in PLACES else []


def may_be(node, tree, seen=frozenset()):
    """Return the string constants that an expression may be: itself, or what the module assigns to its name.

    None is among them where it may be something else.
    """
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=one, orelse=other):
            return may_be(one, tree, seen) | may_be(other, tree, seen)
        case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return set().union(*(may_be(part, tree, seen) for part in parts))
        case ast.Subscript(value=table):
            return may_be(table, tree, seen)
        case ast.Name(id=name) if name not in seen:
            found = [may_be(value, tree, seen | {name}) for value in assigned_to(name, tree)]
            return set().union(*found) if found else {None}
    return {None}


def assigned_to(name, tree):
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For) and any(
            isinstance(part, ast.Name) and part.id == name for target in targets for part in ast.walk(target)
        ):
            yield node.iter if isinstance(node, ast.For) else node.value
        if isinstance(node, ast.arg) and node.arg == name:
            yield node


@functools.cache
def in_module(path):
    """Return (templates, all string constants, lines where a template may be something else) of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    templates, others = set(), []
    for argument in (part for node in ast.walk(tree) if isinstance(node, ast.Call) for part in given_to(node)):
        found = may_be(argument, tree)
        templates |= found - {None}
        others += [argument.lineno] * (None in found)
    return templates, constants, others


@functools.cache
def in_jinja(path):
    """Return the string constants of a template that go through the filter `t` or into `said`, and all others."""
    jinja2 = pytest.importorskip("jinja2")
    from jinja2 import nodes

    tree = jinja2.Environment(autoescape=True).parse(path.read_text(encoding="utf-8"))
    calls = (call for call in tree.find_all(nodes.Call) if getattr(call.node, "name", "") in PLACES)
    found = [argument for call in calls for argument in call.args[PLACES[call.node.name]]]
    found += [use.node for use in tree.find_all(nodes.Filter) if use.name == "t"]
    constants = {node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str)}
    return {node.value for node in found if isinstance(node, nodes.Const)}, constants


def letters_outside_fields(template):
    return any(c.isalpha() for text, *_ in string.Formatter().parse(template) for c in text)


def lacking(templates):
    return sorted(text for text in templates if text not in KOREAN and letters_outside_fields(text))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_sentence_has_its_korean(folder):
    modules = [path for path in MODULES if path.parent == folder]
    assert lacking({text for path in modules for text in in_module(path)[0]}) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_word_of_a_page_has_its_korean(path):
    assert lacking(in_jinja(path)[0]) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_templates_are_constants(path):
    assert path == MESSAGES or in_module(path)[2] == []


@pytest.mark.parametrize("name", CATALOGUES)
def test_no_entry_is_unused(name):
    used = {text for path in MODULES for text in in_module(path)[1]}
    used |= {text for path in TEMPLATES for text in in_jinja(path)[1]}
    used |= {text.replace("_", " ") for text in used}  # titles of columns
    assert sorted(set(CATALOGUES[name]) - used) == []


def test_no_sentence_stands_in_two_catalogues():
    times = Counter(english for entries in CATALOGUES.values() for english in entries)
    twice = {english: [n for n, entries in CATALOGUES.items() if english in entries] for english in times}
    assert {english: names for english, names in twice.items() if len(names) > 1} == {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_sentence_stands_twice_in_a_catalogue(path):
    pairs = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list)
    assert [english for english, n in Counter(english for english, _ in pairs).items() if n > 1] == []


@pytest.mark.parametrize("name", CATALOGUES)
def test_entries_have_the_fields_of_their_sentences_and_take_the_same_values(name):
    for english, korean in CATALOGUES[name].items():
        assert fields_of(korean) == fields_of(english), english
        assert english.format(**samples(english)), english
        assert korean.format(**samples(english)), english


def samples(template):
    """Return values that a template takes: a number where it formats one, else text."""
    numbers = {name for _, name, spec, _ in string.Formatter().parse(template) if name and spec}
    return {name: 2 if name in numbers else "b" for name in fields_of(template)}


def test_a_missing_entry_would_be_found():
    assert_equal(lacking(["{a} of no catalogue", "{a} ({b:.2f} %)", "1 to {n}"]), ["1 to {n}", "{a} of no catalogue"])
    tree = ast.parse('said("a" "b {c}", c=1); counted(n, "one", "more"); counted(n, one, "m"); messages.said(x)')
    calls = [given_to(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = [getattr(argument, "value", None) for arguments in calls for argument in arguments]
    assert_equal(found, ["ab {c}", "one", "more", None, "m", None])


def test_templates_are_found_by_their_names():
    tree = ast.parse("""
A = {"k": "one", "l": "two"}
b, c = ("three", "four") if x else ("five", f())
for d in ("six", "seven"): pass
def e(f): pass
""")
    wanted = {
        "A['k']": {"one", "two"},
        "d": {"six", "seven"},
        "'a' if x else 'b'": {"a", "b"},
        "f": {None},
        "g": {None},
    }
    for text, found in wanted.items():
        assert_equal(may_be(ast.parse(text, mode="eval").body, tree), found, err_msg=text)
    assert_equal(may_be(ast.parse("b", mode="eval").body, tree), {"three", "four", "five", None})
