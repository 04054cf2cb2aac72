"""Korean pages in a browser: no English sentence is left in them, and nothing is cut on a telephone."""

import re

import numpy as np
import pytest

import gpumetrics as gm

pytestmark = pytest.mark.browser

# Four words in a row are a sentence; code, plots and what the user gave are in their own language.
ENGLISH = re.compile(r"[A-Za-z][a-z']*(?: [a-z][a-z']*){3,}")
SENTENCES = """() => {
    const copy = document.querySelector("body").cloneNode(true);
    copy.querySelectorAll("svg, pre, code, script, style").forEach((node) => node.remove());
    return copy.textContent;
}"""
CUT = """() => [...document.querySelectorAll("th, td, .cards *, li, p, h1, h2, h3, button")]
    .filter((node) => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
    .filter((node) => getComputedStyle(node).clipPath === "none")  // the others are for screen readers only
    .map((node) => node.textContent.trim().slice(0, 60))"""


def clustering(path):
    rng = np.random.default_rng(0)
    sizes = [300, 90, 90, 60]
    X = np.concatenate([rng.normal(c, 1.0, (n, 3)) for c, n in zip((0, 3, 4, 12), sizes, strict=True)])
    labels = np.repeat([0, 1, 2, 3], sizes)
    labels[:20] = -1
    report = gm.evaluate_clustering(X, labels, labels_true=np.repeat([0, 1], [200, 340]))
    return report.save_html(path, lang="ko", names={1: "환불", 2: "환불"}, attributes={"지역": np.repeat([0, 1], 270)})


def comparison(path):
    X = np.random.default_rng(0).normal(size=(120, 2)) + 6 * (np.arange(120) % 3)[:, None]
    labelings = {"셋": np.arange(120) % 3, "둘": np.arange(120) % 3 % 2, "하나": np.zeros(120)}
    return gm.compare_labelings(X, labelings, labels_true=np.arange(120) % 3).save_html(path, lang="ko")


def tags(path):
    true, pred = [["배송", "환불"], ["배송"], [], ["계정"], None], [["배송"], ["배송 "], [], ["환불"], []]
    return gm.evaluate_tags(true, pred, texts=["문의"] * 5, zero_division=0).save_html(path, lang="ko")


@pytest.mark.parametrize("made", [clustering, comparison, tags], ids=lambda made: made.__name__)
class TestKorean:
    def test_no_english_sentence_is_left(self, made, tmp_path, chromium_page):
        text = chromium_page(made(tmp_path / "page.html")).evaluate(SENTENCES)
        assert re.search("[가-힣]{2}", text)
        assert ENGLISH.findall(text) == []

    @pytest.mark.parametrize("width", [390, 1280])
    def test_no_text_is_wider_than_its_place(self, made, width, tmp_path, chromium_page):
        tab = chromium_page(made(tmp_path / "page.html"), viewport={"width": width, "height": 900})
        assert tab.evaluate(CUT) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width

    def test_the_settings_stand_whole(self, made, tmp_path, chromium_page):
        tab = chromium_page(made(tmp_path / "page.html"), viewport={"width": 1280, "height": 600})
        box = "document.querySelector('#settings .scroll')"
        assert tab.evaluate(f"{box}.scrollHeight - {box}.clientHeight") <= 1
