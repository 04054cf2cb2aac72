"""Results in a notebook: every class, whatever the labels are called, small and well-formed."""

import builtins
import json
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.cluster import KMeans

import gpumetrics as gm
from gpumetrics.pages.notebook import notebook_html
from gpumetrics.pages.notebook_tables import MOST_ROWS
from gpumetrics.planning import plan
from gpumetrics.results import Result

HOSTILE = ['<script>alert("1")</script>', '"><img src=x onerror=alert(1)>', "</table></div>&amp;\n$x$ \U0001f600 한글"]
EMPTY = {"img", "br", "hr", "meta", "link", "input"}
ALLOWED = {"div", "style", "p", "b", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary"} | {
    "ul",
    "li",
}
X = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat([[0.0], [4.0], [9.0]], 20, axis=0)
SCORES = np.linspace(0, 1, 60)


def results(names):
    """One result of each class; `names` are those of clusters, tags, attributes and labelings."""
    labels = np.array(names, dtype=object)[np.repeat([0, 1, 2], 20)]
    coarse = np.array(names, dtype=object)[np.repeat([0, 1, 1], 20)]
    compared = gm.compare_labelings(X, {names[0]: labels, names[1]: coarse})
    truth = np.stack([SCORES > 0.4, SCORES > 0.7], axis=1).astype(int)
    best = gm.best_threshold((SCORES > 0.4).astype(int), SCORES)
    tags = [[{names[0]}, {names[1], names[2]}], [{names[0], names[2]}, {names[1]}]]
    return [
        gm.evaluate_clustering(X, labels),
        gm.evaluate_clustering(X, labels, labels_true=coarse),
        compared,
        compared.change(names[1], names[0]),
        compared.change(names[0], names[1]),
        gm.stability_of({names[0]: labels, names[1]: coarse}),
        gm.stability(X, KMeans(3, n_init=1, random_state=0), n_runs=3, random_state=0),
        gm.split_candidates(X, coarse, drop=0.0),
        gm.merge_candidates(X, labels, max_ashman_d=100),
        gm.boundary_candidates(X, labels),
        gm.representatives(X, labels),
        gm.ambiguous(X, labels),
        gm.attribute_check(labels, {names[0]: coarse}),
        gm.evaluate_tags(*tags, texts=[names[0], names[1]]),
        gm.silhouette_estimate(X, labels, n_queries=30, random_state=0),
        gm.density_validity(X, labels, per_cluster=True),
        gm.davies_bouldin_pairs(X, labels),
        best,
        best.curve,
        gm.best_threshold(truth, np.stack([SCORES, SCORES], axis=1), per_label=True, average="macro"),
        plan(1e8, 768, 1000),
    ]


class Structure(HTMLParser):
    """Elements that are opened and closed in order, with their texts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)


def parsed(html):
    found = Structure()
    found.feed(html)
    found.close()
    assert found.open == []
    return found


def table_of(html, at=0):
    rows = re.findall(r"<tr>(.*?)</tr>", html.split("<table>")[at + 1])
    return [re.sub(r"<[^>]+>", "\0", row).strip("\0").split("\0\0") for row in rows]


def test_every_class_of_the_package_is_here():
    known = {type(found) for found in results(["a", "b", "c"])}
    assert known == {kind for kind in Result.__subclasses__() if kind.__module__.startswith("gpumetrics")}


@pytest.mark.parametrize("names", [["a", "b", "c"], HOSTILE, [1, 2, 3], ["x" * 10_000 + end for end in "abc"]])
def test_every_class_is_small_and_well_formed(names):
    for found in results(names):
        html = notebook_html(found)
        structure = parsed(html)
        assert html.startswith('<div class="gpumetrics-result">'), type(found)
        assert set(structure.tags) <= ALLOWED
        assert set(structure.attributes) <= {"class", "scope"}
        assert len(html) < 20_000


def test_labels_stand_as_they_are_on_one_line():
    labels = np.array(["<b>&amp;</b>", "two\nlines", '"한글"'], dtype=object)[np.repeat([0, 1, 2], 20)]
    texts = parsed(notebook_html(gm.evaluate_clustering(X, labels))).texts
    assert {"<b>&amp;</b>", "two\\nlines", '"한글"'} <= set(texts)


def test_style_touches_nothing_else():
    html = notebook_html(gm.evaluate_clustering(X, np.repeat([0, 1, 2], 20)))
    style = re.search(r"<style>(.*?)</style>", html, flags=re.DOTALL)[1]
    selectors = [selector.strip() for rule in style.split("}")[:-1] for selector in rule.split("{")[0].split(",")]
    assert len(selectors) > 5
    assert all(selector.startswith(".gpumetrics-result") for selector in selectors)
    assert not re.search(r"#[0-9a-f]{3,6}|url\(|@import|(?<!-)background", style)  # the notebook's own, light or dark


def test_numbers_are_those_of_the_report():
    report = gm.evaluate_clustering(X, np.repeat(["a", "b", "c"], 20))
    html = notebook_html(report)
    scores, clusters = table_of(html), table_of(html, 1)
    assert scores[1][:2] == ["silhouette", f"{report.scores['silhouette']:.4f}"]
    assert [row[:3] for row in clusters[1:]] == [
        [label, "20", f"{mean:.4f}"] for label, mean in zip("abc", report.per_cluster["silhouette_mean"], strict=True)
    ]


def test_of_many_clusters_the_weakest():
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(2000, 4)), np.arange(2000) % 200
    report = gm.evaluate_clustering(X, labels)
    html = notebook_html(report)
    assert len(html.encode()) < 30_000
    clusters = table_of(html, 1)
    weakest = report.per_cluster["label"][np.argsort(report.per_cluster["silhouette_mean"], kind="stable")]
    assert [row[0] for row in clusters[1:]] == [str(label) for label in weakest[:MOST_ROWS]]
    assert "... and 180 more (all of them in per_cluster)" in html
    for found in (gm.davies_bouldin_pairs(X, labels), gm.representatives(X, labels), gm.merge_candidates(X, labels)):
        assert len(parsed(notebook_html(found)).tags) < 400
        assert len(notebook_html(found)) < 30_000


def test_of_many_labelings_the_best_by_each_score():
    rng = np.random.default_rng(2)
    given = {f"run {at}": rng.integers(0, 3, 60) for at in range(40)} | {"right": np.repeat([0, 1, 2], 20)}
    found = gm.compare_labelings(X, given)
    html = notebook_html(found)
    rows = table_of(html)
    assert len(rows) == 1 + MOST_ROWS
    assert rows[1][0] == "right"
    assert all(cell.endswith(" *") for cell in rows[1][3:])
    assert "21 more (all of them in rows)" in html


def test_undefined_scores_are_dashes_or_words():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = gm.evaluate_clustering(X, np.zeros(60, dtype=int))
        compared = gm.compare_labelings(X, {"one": np.zeros(60, dtype=int), "two": np.repeat([0, 1, 1], 20)})
    assert table_of(notebook_html(one))[1][1] == "undefined"
    assert table_of(notebook_html(compared))[1][3] == "-"
    for found in (one, compared):
        assert "nan" not in " ".join(parsed(notebook_html(found)).texts).split()


def test_all_rows_as_noise():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        html = notebook_html(gm.evaluate_clustering(X, np.full(60, -1), noise_label=-1))
    assert html.count("<table>") == 1  # there are no clusters to show


def test_the_best_threshold_of_a_curve_is_among_those_shown():
    curve = gm.best_threshold((SCORES > 0.4).astype(int), SCORES).curve
    rows = table_of(notebook_html(curve))
    assert len(rows) <= 1 + MOST_ROWS
    assert f"{curve.scores.max():.4f}" in [row[1] for row in rows[1:]]


def test_an_unknown_result_is_shown_as_printed():
    class Other(Result):
        def __str__(self):
            return "a < b"

    assert notebook_html(Other()) == "<pre>a &lt; b</pre>"


def test_jinja2_and_matplotlib_are_not_needed(monkeypatch):
    found = results(["a", "b", "c"])
    original = builtins.__import__

    def without(name, *args, **kwargs):
        assert name.partition(".")[0] not in {"jinja2", "matplotlib"}
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert all(notebook_html(one).startswith("<div") for one in found)


def test_the_bundle_has_text_too():
    found = gm.davies_bouldin_pairs(X, np.repeat([0, 1, 2], 20))
    bundle = found._repr_mimebundle_()
    assert bundle == {"text/plain": str(found), "text/html": notebook_html(found)}
    json.dumps(bundle)
