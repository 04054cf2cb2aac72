"""The Korean pages are the English ones: every sentence is translated, with the same code, links, numbers and headings.

Needs what the extra docs installs.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pofile = pytest.importorskip("babel.messages.pofile")
for needed in ("sphinx", "myst_parser"):
    pytest.importorskip(needed)

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["index", "install", "tour", "which_metric", "choosing", "tags"]


@pytest.fixture(scope="module")
def english(tmp_path_factory):
    """Catalogues of the pages' sentences as they are now."""
    if not (DOCS / "locale").exists():
        pytest.skip("the tests run without the documents")
    out = tmp_path_factory.mktemp("gettext")
    line = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "gettext", "-t", "translated", str(DOCS), str(out)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=DOCS.parent)
    assert done.returncode == 0, done.stderr
    return {page: read(out / f"{page}.pot") for page in PAGES}


@pytest.fixture(scope="module")
def korean():
    return {page: read(DOCS / "locale" / "ko" / "LC_MESSAGES" / f"{page}.po") for page in PAGES}


def read(file):
    with file.open("rb") as opened:
        return pofile.read_po(opened)


@pytest.mark.parametrize("page", PAGES)
def test_every_sentence_is_translated_and_no_other(english, korean, page):
    now = {message.id for message in english[page] if message.id}
    translated = {message.id for message in korean[page] if message.id and message.string and not message.fuzzy}
    assert translated == now
    assert not korean[page].obsolete


@pytest.mark.parametrize("page", PAGES)
def test_code_and_links_are_the_same(korean, page):
    for message in korean[page]:
        for pattern in (r"`[^`]+`", r"\]\(([^)]+)\)"):
            assert sorted(re.findall(pattern, message.string)) == sorted(re.findall(pattern, message.id)), message.id


@pytest.mark.parametrize("page", PAGES)
def test_numbers_are_the_same(korean, page):
    for message in korean[page]:
        english_numbers, korean_numbers = (
            set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"`[^`]+`|\]\([^)]+\)", "", text)))
            for text in (message.id, message.string)
        )
        assert english_numbers <= korean_numbers, message.id


@pytest.mark.parametrize("page", PAGES)
def test_sentences_are_polite_and_formal(korean, page):
    for message in korean[page]:
        for sentence in re.findall(r"[가-힣]+다(?=[.)]|$)", message.string):
            assert sentence.endswith("니다"), message.string
