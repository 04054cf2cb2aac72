"""The report of a clustering: its numbers are those of the functions, whatever was clustered, however it is named."""

import base64
import pickle
import re
import time
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from page_walk import blocks_of, columns_of, table_of, templates_of, texts_of
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

import gpumetrics as gm
from gpumetrics.pages import clustering_advice as advice
from gpumetrics.pages import clustering_doubts as doubts
from gpumetrics.pages import clustering_reading as reading
from gpumetrics.pages.clustering_page import page_of
from gpumetrics.pages.model import Cards, Code, Figure, Fold, Paragraph, Samples
from gpumetrics.pages.pictures import png
from gpumetrics.pages.render import html_of
from gpumetrics.text.messages import _catalogue

HOSTILE = ["<script>alert(1)</script>", "$x_1$ & \\frac", "a\nb", "x" * 10_000, "\N{GRINNING FACE} 군집", "quo\"te's"]
# What is the same in every language: names of scores, settings and versions, what is a user's own.
SAME = re.compile(
    r"Calinski-Harabasz.?|Davies-Bouldin.?|euclidean|gpumetrics|Python|NumPy|SciPy|CuPy|matplotlib|scikit-learn|"
    r"inf|AMI|homogeneity|completeness|Jaccard|sklearn|cupy|numpy"
)

pytestmark = pytest.mark.usefixtures("unprinted")


def clustered(seed=0, n=300, d=4, k=4, apart=3.0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) % k)
    return apart * rng.normal(size=(k, d))[labels] + rng.normal(size=(n, d)), labels


@pytest.fixture(name="report", scope="module")
def evaluated():
    X, labels = clustered(apart=1.2)
    truth = np.where(labels == 3, 2, labels)
    labels = labels.copy()
    labels[:10] = -1
    return gm.evaluate_clustering(X, labels, labels_true=truth)


def sections(page):
    return {section.id: section for section in page.sections}


def lead(page):
    return " ".join(block.text for block in page.lead if isinstance(block, Paragraph))


def steps(page):
    return sections(page)["next"].blocks[0].items


def test_the_page_opens_with_the_reading_and_says_what_to_do_next(report):
    page = page_of(report, samples=[f"text {i}" for i in range(300)])
    assert_equal(page.lead[0], Paragraph(reading.VERDICTS[report.silhouette_band], strong=True))
    order = ["next", "look", "samples", "plots", "clusters", "scores", "truth", "notes", "limits", "settings"]
    assert_equal([section.id for section in page.sections if section.id != "notes"], [s for s in order if s != "notes"])
    assert f"The mean is {report.scores['silhouette']:.3f}" in lead(page)
    assert f"Davies-Bouldin is {1}" not in lead(page)
    assert f"adjusted Rand {report.scores['adjusted_rand']:.3f}" in lead(page)
    assert "3.3 % of the rows were set aside as noise" in lead(page)
    assert_equal(steps(page)[-2:], [advice.NAME_THEM, advice.AGAIN])
    assert_equal(sections(page)["next"].blocks[-1].text, reading.NO_APPROVAL)


def test_numbers_are_those_of_the_report(report):
    page = page_of(report)
    columns = columns_of(table_of(page, "clusters-table"))
    pairs = {
        "rows": "size",
        "mean silhouette": "silhouette_mean",
        "median": "silhouette_median",
        "below 0": "share_negative",
        "width": "distance_to_centroid",
        "R": "worst_ratio",
    }
    for title, key in pairs.items():
        assert_array_equal([cell.sort for cell in columns[title]], report.per_cluster[key])
    partners = [str(label) for label in report.per_cluster["worst_partner"]]
    assert_equal([str(cell.text) for cell in columns["most similar"]], partners)
    shown = [row[1].sort for key in ("scores-table", "truth-table") for row in table_of(page, key).rows]
    assert_allclose(shown, list(report.scores.values()))
    cards = next(block for block in page.lead if isinstance(block, Cards)).cards
    values = {card.title: str(card.value) for card in cards}
    assert_equal(values["silhouette"], f"{report.scores['silhouette']:.3f}")
    assert_equal(values["noise"], "3.3 %")


def test_candidates_are_those_of_the_functions(report):
    X, labels = report.scored.X, report.scored.labels
    page = page_of(report)
    known = gm.boundary_candidates(X, labels, silhouette=report.silhouette_samples)
    assert len(known) > 0
    columns = columns_of(table_of(page, "candidates-boundary"))
    assert_equal([str(cell.text) for cell in columns["cluster"]], [str(c) for c in known.table["cluster"]])
    assert_array_equal([cell.sort for cell in columns["rows"]], known.table["n_rows"])
    assert_array_equal([cell.sort for cell in columns["silhouette lowest"]], known.table["silhouette_lowest"])
    a, b = known.table["cluster"][0], known.table["nearest_other"][0]
    assert any(f"border between cluster {a} and cluster {b}: {known.table['n_rows'][0]} rows" in s for s in steps(page))
    lowest = columns_of(table_of(page, "lowest"))
    order = np.argsort(np.where(np.isnan(report.silhouette_samples), 9, report.silhouette_samples), kind="stable")[:5]
    assert_array_equal([cell.sort for cell in lowest["row"]], order)
    a, b, s = ([cell.sort for cell in lowest[key]] for key in ("a", "b", "silhouette"))
    assert_allclose((np.array(b) - a) / np.maximum(a, b), s, rtol=1e-6)


def test_a_merged_pair_is_to_be_split_and_a_cut_one_to_be_merged():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(6), 60)
    X = np.array([[0, 0], [9, 0], [0, 40], [40, 0], [40, 40], [80, 0]])[truth] + rng.normal(size=(360, 2))
    merged = np.where(truth == 1, 0, truth)
    page = page_of(gm.evaluate_clustering(X, merged))
    assert "Try to split cluster 0: it has 120 rows, 2.0 times as many" in steps(page)[0]
    cut = np.where((truth == 5) & (X[:, 1] > 0), 6, truth)
    page = page_of(gm.evaluate_clustering(X, cut), names={5: "spam", 6: "eggs"})
    assert (
        "samples of cluster 5 (spam) and cluster 6 (eggs) side by side: along the line through their centres no gap"
        in steps(page)[0]
    )
    page = page_of(gm.evaluate_clustering(X, truth), names={2: "Spam ", 3: "spam"})
    assert "people gave both the same name" in steps(page)[0]


def test_without_candidates_the_nearest_to_one_is_named():
    X, labels = clustered(seed=1, apart=8.0)
    report = gm.evaluate_clustering(X, labels)
    first = steps(page_of(report))[0]
    at = int(np.argmax(report.per_cluster["worst_ratio"]))
    assert f"samples of cluster {at} and cluster {report.per_cluster['worst_partner'][at]} side by side" in first
    assert "stand clearly apart" in lead(page_of(report))


def test_rows_on_the_wrong_side_are_told_though_no_border_stands_out():
    X, labels = clustered(n=1200, k=12, apart=20.0)
    labels[:24] = (labels[:24] + np.arange(1, 25) % 11 + 1) % 12
    report = gm.evaluate_clustering(X, labels)
    wrong = (report.silhouette_samples < 0).mean()
    page = page_of(report)
    assert len(gm.boundary_candidates(X, labels, silhouette=report.silhouette_samples)) == 0
    worst = int(np.argmin(report.silhouette_samples))
    assert any(f"({100 * wrong:.1f} % of all), the worst of which is row {worst:,}" in step for step in steps(page))


def test_what_makes_scores_doubtful_is_said_before_them():
    X, labels = clustered(apart=6.0)
    noisy = labels.copy()
    noisy[:90] = -1
    page = page_of(gm.evaluate_clustering(X, noisy))
    assert "30.0 % of the rows were set aside as noise: however good" in page.lead[1].text
    assert_equal(steps(page)[0], advice.NOISE)
    wide = X * [1, 1, 1, 1000]
    page = page_of(gm.evaluate_clustering(wide, labels))
    assert "One column, column 3, holds 99.99" in page.lead[1].text
    assert_equal(steps(page)[0], advice.RESCALE)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert_equal(page_of(gm.evaluate_clustering(unit, labels)).lead[1].text, doubts.UNIT)
    assert doubts.UNIT not in lead(page_of(gm.evaluate_clustering(unit, labels, metric="cosine")))
    words = sp.csr_array(np.maximum(X, 0))
    assert_equal(page_of(gm.evaluate_clustering(words, labels)).lead[1].text, doubts.SPARSE)
    assert_equal(
        [block.text for block in page_of(gm.evaluate_clustering(X, labels)).lead if getattr(block, "strong", 0)],
        [reading.VERDICTS["distinct"]],
    )


def test_scores_that_disagree_are_said_to():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(8), [200, 200, 200, 200, 8, 8, 8, 8])
    centres = np.array([[0, 0], [30, 0], [0, 30], [30, 30], [60, 60], [60.4, 60], [60, 60.4], [60.4, 60.4]])
    X = centres[truth] + rng.normal(size=(len(truth), 2))
    page = page_of(gm.evaluate_clustering(X, truth))
    assert "is less content" in lead(page)
    assert "On the whole small clusters are worse set apart" in lead(page)
    assert "with some rows between them" in lead(page) or "clearly apart" in lead(page)


@pytest.mark.parametrize(
    ("labels", "first"),
    [
        ([0] * 6, "There is one cluster only"),
        ([-1] * 6, "There are no clusters: every row is noise."),
        (list(range(6)), "The clusters have no silhouette here: each of the 6 rows is a cluster of its own."),
    ],
)
def test_clusterings_without_scores(labels, first):
    X = np.arange(12.0).reshape(6, 2)
    for truth in (None, [0, 0, 0, 1, 1, 1]):
        page = page_of(gm.evaluate_clustering(X, labels, labels_true=truth), samples=list("abcdef"))
        assert page.lead[0].text.startswith(first)
        assert "undefined" not in first
        html_of(page)


def all_kinds(lang):
    """Pages of many kinds of reports."""
    X, labels = clustered(apart=1.2)
    truth = labels.copy()
    truth[:60] = np.arange(60) % 12
    again = gm.stability(X, KMeans(4, n_init=1, init="random"), reference=labels, random_state=0, n_runs=3)
    other = gm.stability(X, KMeans(5, n_init=1), random_state=0, n_runs=3)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    far, many = clustered(seed=2, n=900, k=300, d=3, apart=30.0)
    noisy = np.where(np.arange(300) < 60, -1, labels)
    far_apart, spread = clustered(seed=3, apart=9.0)
    uneven = np.where(np.arange(300) < 280, 0, np.arange(300))
    known = {"year": labels % 2, "id": np.arange(300)}
    evaluate = gm.evaluate_clustering
    yield page_of(evaluate(X, labels, labels_true=truth), lang=lang, stability=again, attributes=known)
    yield page_of(evaluate(X, labels, labels_true=truth % 2), lang=lang, stability=other, names={0: "a", 1: "a"})
    yield page_of(evaluate(unit, labels, labels_true=labels), lang=lang, samples=["text"] * 300)
    yield page_of(evaluate(X, noisy, labels_true=labels), lang=lang, samples=np.zeros((300, 8, 8)))
    yield page_of(
        evaluate(X * [1, 1, 1, 900], labels, metric="cosine", silhouette="estimate"), lang=lang, stability=again
    )
    yield page_of(evaluate(cdist(X, X), labels, metric="precomputed"), lang=lang)
    yield page_of(evaluate(sp.csr_array(X), labels), lang=lang)
    yield page_of(evaluate(far, many), lang=lang, samples=["text"] * 900)
    yield page_of(evaluate(far_apart, spread), lang=lang, stability=gm.stability_of([spread, labels, labels[::-1]]))
    yield page_of(evaluate(X, uneven), lang=lang)
    yield page_of(evaluate(X, labels, silhouette="skip"), lang=lang)
    yield page_of(pickle.loads(pickle.dumps(evaluate(X, labels))), lang=lang)  # noqa: S301
    for few in ([0] * 6, [-1] * 6, [0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2]):
        yield page_of(evaluate(np.ones((6, 2)), few, noise_label=-1), lang=lang)
    yield page_of(evaluate(X, labels, noise_label=None), lang=lang)


def test_the_korean_page_has_no_english_left():
    korean, left = _catalogue("ko"), set()
    for page in all_kinds("ko"):
        for text in texts_of(page):
            left |= {template for template in templates_of(text) if template not in korean and _is_english(template)}
        assert "다음에 할 일" in html_of(page)
    assert_equal(sorted(left), [])


def _is_english(template):
    words = re.sub(r"\{[^}]*\}", "", template)
    return not SAME.fullmatch(words.strip()) and bool(re.search("[A-Za-z]{2}", words))


def test_a_korean_page_has_the_same_numbers(report):
    english, korean = (page_of(report, lang=lang) for lang in ("en", "ko"))
    for name in ("clusters-table", "scores-table", "candidates-boundary", "lowest"):
        first, second = (table_of(page, name) for page in (english, korean))
        numbers = [[[cell.sort for cell in row] for row in table.rows] for table in (first, second)]
        assert_equal(*numbers)


@pytest.mark.usefixtures("printed")
def test_labels_names_and_samples_are_only_shown():
    X, codes = clustered(k=6, apart=1.5)
    labels = np.array(HOSTILE, dtype=object)[codes]
    texts = [HOSTILE[i % 6] for i in range(300)]
    report = gm.evaluate_clustering(X, labels, labels_true=labels[::-1], noise_label=None)
    page = page_of(
        report, samples=texts, names={HOSTILE[0]: HOSTILE[0]}, title=HOSTILE[0], attributes={HOSTILE[0]: texts}
    )
    html = html_of(page)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "x" * 1000 not in html
    assert_equal(texts[:6], HOSTILE)


def test_labels_that_cannot_be_seen_are_quoted_and_others_do_not_turn_numbers_around():
    X, codes = clustered(k=3, apart=9.0)
    labels = np.array(["", " ", "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}"], dtype=object)[codes]
    page = page_of(gm.evaluate_clustering(X, labels, noise_label=None), samples=["text"] * 300)
    isolated = f"\N{FIRST STRONG ISOLATE}{labels[codes.tolist().index(2)]}\N{POP DIRECTIONAL ISOLATE}"
    names = [str(row[0].text) for row in table_of(page, "clusters-table").rows]
    assert_equal(names, ['""', '" "', isolated])
    assert not any("candidate is :" in str(text) for text in texts_of(page))


@pytest.mark.parametrize("title", ["", " ", None])
def test_without_a_title_it_has_the_usual_one(report, title):
    assert_equal(str(page_of(report, title=title).title), "Report on a clustering")


def test_a_title_is_one_line_and_cut(report):
    title = str(page_of(report, title="a\nb\N{RIGHT-TO-LEFT OVERRIDE}" + "x" * 10_000).title)
    assert title.startswith("a\\nb\\u202ex")
    assert_equal(len(title), 300)


def test_a_label_that_is_a_word_of_the_page_is_not_translated():
    X, codes = clustered(k=2)
    labels = np.array(["noise", "typical"])[codes]
    html = html_of(page_of(gm.evaluate_clustering(X, labels, labels_true=labels), lang="ko", samples=list(labels)))
    assert ">noise<" in html
    assert "노이즈 (" not in html


@pytest.mark.parametrize("kind", [list, np.array, tuple, "pandas", "polars"])
def test_samples_of_any_kind_are_those_of_their_rows(report, kind):
    texts = [f"row number {i}" for i in range(300)]
    given = pytest.importorskip(kind).Series(texts) if isinstance(kind, str) else kind(texts)
    page = page_of(report, samples=given)
    shown = [sample for block in blocks_of(page, Samples) for sample in block.samples]
    assert_equal([sample.text for sample in shown], [f"row number {sample.row}" for sample in shown])
    typical = gm.representatives(report.scored.X, report.scored.labels, per_cluster=4).table["row"]
    assert set(typical.tolist()) <= {sample.row for sample in shown}
    assert_equal(len({sample.row for sample in shown}), len(shown))


def test_rows_and_labels_on_a_device(emulated, report):
    X, labels, truth = report.scored[:3]
    there = gm.evaluate_clustering(*map(emulated.asarray, (X, labels)), labels_true=emulated.asarray(truth))
    page = page_of(there, samples=["text"] * 300)
    shown, expected = (table_of(one, "clusters-table") for one in (page, page_of(report)))
    assert_equal(
        [[str(cell.text) for cell in row] for row in shown.rows],
        [[str(cell.text) for cell in row] for row in expected.rows],
    )
    html_of(page)


def test_a_row_without_a_sample_is_shown_by_its_number(report):
    page = page_of(report, samples=[None] * 300)
    shown = [sample for block in blocks_of(page, Samples) for sample in block.samples]
    assert_equal({(sample.text, sample.image) for sample in shown}, {("", "")})
    assert not any("too large" in sample.remark for sample in shown)


def test_long_texts_are_cut(report):
    page = page_of(report, samples=["y" * 5000] * 300)
    assert max(len(s.text) for block in blocks_of(page, Samples) for s in block.samples) == 300


def pixels_of(uri):
    """Decode a PNG of ours: filter 0 in each line."""
    content = base64.b64decode(uri.partition(",")[2])
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    start = content.index(b"IDAT")
    size = int.from_bytes(content[start - 4 : start], "big")
    lines = np.frombuffer(zlib.decompress(content[start + 4 : start + 4 + size]), dtype=np.uint8).reshape(height, -1)
    assert_array_equal(lines[:, 0], 0)
    return lines[:, 1:].reshape(height, width, -1)


def test_pictures_of_numbers_are_drawn(report):
    grey = np.zeros((300, 8, 8))
    grey[:, 0, 1] = np.arange(300)
    page = page_of(report, samples=grey)
    shown = [sample for block in blocks_of(page, Samples) for sample in block.samples]
    for sample in shown:
        pixels = pixels_of(sample.image)
        assert_equal(pixels.shape, (64, 64, 1))
        assert_equal(pixels[0, 8, 0], round(255 * sample.row / 299))
        assert_equal((pixels[8:] != 0).any(), False)
    html_of(page)


def test_pictures_in_colour_and_large_ones():
    colour = np.zeros((200, 100, 3))
    colour[..., 2] = 5.0
    pixels = pixels_of("," + base64.b64encode(png(colour, 0.0, 5.0)).decode())
    assert_equal(pixels.shape, (67, 34, 3))
    assert_array_equal(pixels[0, 0], [0, 0, 255])


def test_files_of_pictures_are_kept_and_others_are_texts(report):
    gif = b"GIF89a" + bytes(30)
    files = [
        gif,
        b"\xff\xd8\xff" + bytes(9),
        b"RIFF0000WEBP",
        b"<svg onload=alert(1)>",
        b"\x89PNG\r\n\x1a\n" + bytes(60_000),
    ]
    page = page_of(report, samples=[files[i % 5] for i in range(300)])
    shown = [sample for block in blocks_of(page, Samples) for sample in block.samples]
    kinds = {sample.row % 5: sample.image.partition(";")[0] for sample in shown}
    assert_equal(kinds, {0: "data:image/gif", 1: "data:image/jpeg", 2: "data:image/webp", 3: "", 4: ""})
    assert all("too large" in sample.remark for sample in shown if sample.row % 5 == 4)
    html = html_of(page)
    assert "<svg onload" not in html


def test_rows_are_numbers_without_samples(report):
    table = table_of(page_of(report), "sample-rows")
    typical = gm.representatives(report.scored.X, report.scored.labels, per_cluster=4).by_cluster
    numbers = [", ".join(map(str, rows.tolist())) for rows in typical.values()]
    assert_equal([str(row[1].text) for row in table.rows], numbers)
    assert_equal(table.marks, ("c0", "c1", "c2", "c3"))


@pytest.mark.usefixtures("printed")
def test_stability_of_the_same_clusters_shares_their_marks(report):
    X, labels = report.scored.X, report.scored.labels
    same = gm.stability(X, KMeans(4, n_init=1), reference=labels, random_state=0, n_runs=3)
    page = page_of(report, stability=same)
    assert_equal(set(table_of(page, "stability-table").marks), {"c0", "c1", "c2", "c3"})
    assert f"agree by an adjusted Rand index of {same.mean:.3f}" in lead(page)
    other = page_of(report, stability=gm.stability(X, KMeans(5, n_init=1), random_state=0, n_runs=3))
    assert_equal(table_of(other, "stability-table").marks, ())
    drawn = next(block for block in blocks_of(other, Figure) if block.id == "stability-plot")
    assert re.search(r'id="[^"]*--c\d', drawn.svg) is None


def test_what_a_conclusion_rests_on_is_ticked(report):
    def ticked(**given):
        return [str(row[1].text) for row in table_of(page_of(report, **given), "checklist").rows]

    assert_equal(ticked(), ["yes", "not yet", "not yet", "not yet", "yes"])
    X, labels = report.scored.X, report.scored.labels
    again = gm.stability(X, KMeans(4, n_init=1), random_state=0, n_runs=3)
    assert_equal(ticked(samples=["a"] * 300, names={0: "a"}, stability=again), ["yes"] * 5)
    plain = gm.evaluate_clustering(X, labels)
    assert_equal(table_of(page_of(plain), "checklist").rows[4][1].text, "not yet")
    assert_equal(table_of(page_of(plain, attributes={"k": labels}), "checklist").rows[4][1].text, "yes")


def test_much_different_numbers_of_classes_are_told_to_read_ami():
    X, labels = clustered(n=200, k=8)
    page = page_of(gm.evaluate_clustering(X, labels, labels_true=labels % 2))
    texts = [block.text for block in sections(page)["truth"].blocks if isinstance(block, Paragraph)]
    assert "(8) and of classes (2) differ much: read adjusted Rand and adjusted mutual" in texts[0]
    same = page_of(gm.evaluate_clustering(X, labels, labels_true=labels))
    assert not any("differ much" in str(block) for block in sections(same)["truth"].blocks)


def test_calinski_harabasz_is_shown_with_its_parts(report):
    text = next(block.text for block in sections(page_of(report))["scores"].blocks if isinstance(block, Paragraph))
    between, n_between, within, n_within = (
        float(number.replace(",", "")) for number in re.match(r".*\((.*) / (.*)\) / \((.*) / (.*?)\)", text).groups()
    )
    assert_allclose((between / n_between) / (within / n_within), report.scores["calinski_harabasz"], rtol=1e-4)


@pytest.mark.usefixtures("printed")
def test_many_clusters_are_folded(report):
    X, labels = clustered(seed=2, n=1500, k=300, d=3, apart=30.0)
    page = page_of(gm.evaluate_clustering(X, labels), samples=["t" * 400] * 1500)
    section = sections(page)["samples"]
    assert_equal(sum(isinstance(block, Samples) for block in section.blocks), 20)
    assert_equal(len(next(block for block in section.blocks if isinstance(block, Fold)).blocks), 280)
    assert_equal(len(table_of(page, "clusters-table").rows), 300)
    assert len(html_of(page).encode()) < 2_000_000


def test_repeating_it(report):
    page = page_of(report, samples=["a"] * 300)
    code = blocks_of(page, Code)[0].text
    assert "evaluate_clustering(X, labels, labels_true=labels_true)" in code
    assert 'save_html("report.html", samples=samples)' in code
    X, labels = report.scored.X, report.scored.labels
    other = gm.evaluate_clustering(X, labels, metric="minkowski", p=3, noise_label=None, silhouette="estimate")
    code = blocks_of(page_of(other), Code)[0].text
    assert (
        "(X, labels, metric='minkowski', p=3, noise_label=None, silhouette='estimate', random_state=random_state)"
        in code
    )
    settings = {row[0].text: str(row[1].text) for row in table_of(page, "settings-table").rows}
    assert_equal((settings["dtype"], settings["rows"], settings["NumPy"]), ("float64", "300", np.__version__))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"samples": ["a"]}, "samples must have a text or a picture for each row, 300 in all, got 1"),
        ({"samples": "text"}, "as a list, an array or a column, got str"),
        ({"samples": np.zeros((300, 2))}, "got shape \\(300, 2\\)"),
        ({"samples": np.zeros((300, 2, 2, 4))}, "got shape \\(300, 2, 2, 4\\)"),
        ({"names": ["a"]}, "names must be a dict of label to name, got list"),
        ({"names": {9: "a"}}, "names has 9, which is the label of no cluster"),
        ({"lang": "fr"}, "lang must be one of \\('en', 'ko'\\), got 'fr'"),
        ({"stability": 0.9}, "stability must be what gpumetrics.stability returns, got float"),
        ({"attributes": {"year": [1, 2]}}, "inconsistent numbers of samples"),
    ],
)
def test_what_is_refused(report, given, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        report.save_html(tmp_path / "report.html", **given)
    assert_equal(list(tmp_path.iterdir()), [])


def test_a_stability_of_other_rows_is_refused(report):
    other = gm.stability_of([[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="stability is of 2 rows, but the report is of 300"):
        page_of(report, stability=other)


@pytest.mark.usefixtures("printed")
def test_saved_in_one_file(report, tmp_path):
    path = report.save_html(str(tmp_path / "report.html"), title="Mine", lang="ko")
    assert_equal(path, tmp_path / "report.html")
    html = path.read_text(encoding="utf-8")
    assert "<h1>Mine</h1>" in html
    assert re.search(r'(src|href)="(?!data:|#)', html) is None
    assert_equal([file.name for file in tmp_path.iterdir()], ["report.html"])


def test_the_table_of_clusters_as_a_frame(report):
    frame = report.to_frame("pandas")
    assert_array_equal(frame["silhouette_mean"], report.per_cluster["silhouette_mean"])
    assert_equal(list(report.to_frame("polars").columns), list(report.per_cluster))


@pytest.mark.slow
@pytest.mark.usefixtures("printed")
def test_a_million_rows_in_two_hundred_clusters(tmp_path):
    X, labels = clustered(n=1_000_000, d=16, k=200)
    report = gm.evaluate_clustering(X.astype(np.float32), labels, metric="sqeuclidean", labels_true=labels % 50)
    report.save_html(tmp_path / "first.html")  # matplotlib looks for its fonts
    started = time.perf_counter()
    path = report.save_html(tmp_path / "report.html", samples=[f"text {i}" * 20 for i in range(1_000_000)])
    assert path.stat().st_size < 2_000_000
    assert time.perf_counter() - started < 15  # about 3 s on two cores that nothing else uses
