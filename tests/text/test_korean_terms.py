"""The Korean of pages uses one word for one thing, and no particle that the value before it may make wrong."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "gpumetrics" / "text" / "korean").glob("*.json"))
README = ROOT / "README.ko.md"

# What is not said, and the word in its place.
OTHERS = {
    "클러스터": "군집",
    "레이블": "라벨",
    "노이즈": "잡음",
    "임곗값": "임계값",
    "표준 오차": "표준오차",
    "추정치": "추정값",
    "중심점": "중심",
    "특징": "특성",
}
OF_PAGES = {  # where a word has a second meaning in other texts
    "분류": "클래스",
    "무리": "그룹",
    "까닭": "이유",
    "파이썬": "Python",
    "빠뜨": "누락",
    "너비": "퍼짐",
}
# After a value that is a name or a number of its own these particles are wrong for every other one. A count in
# words ("{rows}") or a percentage always ends alike.
AFTER_A_NUMBER = re.compile(r"\{[^}]*:[^}]*\}(은|는|이|가|을|를|과|와|로|으로)(?=[ ,.)])")
EITHER = re.compile(r"은\(는\)|이\(가\)|을\(를\)|와\(과\)|\(으\)로")


def entries():
    return [(file.stem, key, said) for file in FILES for key, said in json.loads(file.read_text("utf-8")).items()]


@pytest.mark.parametrize("word", [*OTHERS, *OF_PAGES])
def test_pages_use_one_word_for_one_thing(word):
    found = [(name, said) for name, _, said in entries() if re.search(rf"(?<![가-힣]){word}", said)]
    assert not found, f"say {(OTHERS | OF_PAGES)[word]}"


@pytest.mark.parametrize("word", OTHERS)
def test_the_readme_and_the_documents_use_the_same_words(word):
    if not README.exists():
        pytest.skip("the tests run without the repository")
    pages = sorted((ROOT / "docs" / "locale" / "ko" / "LC_MESSAGES").glob("*.po"))
    found = [path.name for path in (README, *pages) if word in path.read_text("utf-8")]
    assert not found, f"say {OTHERS[word]}"


def test_percent_stands_without_a_space():
    assert not [said for _, _, said in entries() if re.search(r"[0-9}] %", said)]


def test_no_particle_depends_on_a_number():
    assert not [said for _, _, said in entries() if AFTER_A_NUMBER.search(said) or EITHER.search(said)]


def test_sentences_are_polite():
    """A full stop ends a sentence in -니다, -시오 or -니까; what is no sentence is a word or a number."""
    plain = re.compile(r"(?<!니)다\.(?= |$)")
    assert not [said for _, _, said in entries() if plain.search(said)]
