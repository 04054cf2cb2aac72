"""The report of a comparison: its numbers are those of the comparison, whatever was compared, however it is named."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from page_walk import blocks_of, columns_of, table_of, templates_of, texts_of

from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.choosing.facts import FACTS, printed
from gpumetrics.choosing.sweep import sweep
from gpumetrics.pages.comparison_page import CHECKLIST, page_of
from gpumetrics.pages.model import Cards, Code, Figure, Listing, Paragraph
from gpumetrics.pages.render import html_of
from gpumetrics.text.messages import _catalogue, translated

CENTRES = np.array([[0.0, 0.0], [1.5, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]])
HOSTILE = ["<script>alert(1)</script>", "$x_1$ & \\frac", "a\nb", "x" * 10_000, "\N{GRINNING FACE} 군집", "quo\"te's"]
# What is the same in every language: names of scores, settings and versions, what is a user's own.
SAME = re.compile(
    r"Calinski-Harabasz.?|Davies-Bouldin.?|euclidean|gpumetrics|Python|NumPy|SciPy|CuPy|matplotlib|scikit-learn"
)

pytestmark = pytest.mark.usefixtures("unprinted")


@pytest.fixture(name="data", scope="module")
def five_groups():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(5), 60)
    return CENTRES[groups] + 0.5 * rng.normal(size=(300, 2)), groups


@pytest.fixture(name="comparison", scope="module")
def compared(data):
    X, groups = data
    four = np.where(groups == 1, 0, groups)
    return compare_labelings(X, {3: np.minimum(four, 3) % 3, 4: four, 5: groups})


def sections(page):
    return {section.id: section for section in page.sections}


def test_the_page_opens_with_the_reading_and_says_what_to_do_next(comparison):
    page = page_of(comparison)
    assert not comparison.agreed
    assert_equal(page.lead[0], Paragraph(comparison.agreement))
    assert_equal(page.lead[1], Paragraph(comparison.question, strong=True))
    order = ["next", "scores", "changes", "notes", "limits", "settings"]
    assert_equal([section.id for section in page.sections], order)
    assert "Answer the question" in sections(page)["next"].blocks[0].items[0]


def test_where_the_scores_agree_the_verdict_comes_first_and_there_is_nothing_to_ask(data):
    X, groups = data
    four = np.where(groups == 1, 0, groups)
    page = page_of(compare_labelings(X, {3: np.minimum(four, 3) % 3, 4: four}))
    assert page.lead[0].strong
    assert_equal([type(block) for block in page.lead], [Paragraph, Cards])
    assert "changes" not in sections(page)
    assert "Take 4 (K = 4) as the first candidate" in sections(page)["next"].blocks[0].items[0]


def test_numbers_are_those_of_the_comparison(comparison):
    page = page_of(comparison)
    table = table_of(page, "labelings")
    columns = columns_of(table)
    for name, sign in (
        ("silhouette", "↑"),
        ("calinski_harabasz", "↑"),
        ("davies_bouldin", "↓"),
        ("silhouette_macro", "↑"),
    ):
        cells = columns[f"{FACTS[name].title} {sign}"]
        assert_array_equal([cell.sort for cell in cells], comparison.rows[name])
        best = [name_ for name_, cell in zip(comparison.names, cells, strict=True) if "(best)" in cell.text]
        assert_equal(best, [comparison.best[name]])
        texts = [printed(name, value) for value in comparison.rows[name]]
        assert_equal([cell.text.removesuffix(" (best)") for cell in cells], texts)
    assert_array_equal([cell.sort for cell in columns["largest"]], comparison.rows["size_max"])
    assert_equal(table.marks, ("l0", "l1", "l2"))
    cards = blocks_of(page, Cards)[0].cards
    best = [comparison.best[name] for name in comparison.scores]
    assert_equal([str(card.value) for card in cards], [f"{name} (K = {name})" for name in best])
    assert_equal(
        [str(card.range) for card in cards],
        ["-1 to 1, higher is better", "0 to inf, higher is better", "0 to inf, lower is better"],
    )


def test_what_the_choice_changes(comparison):
    [change] = comparison.changes
    table = table_of(page_of(comparison), "change-0")
    columns = columns_of(table)
    assert_equal([str(cell.text) for cell in columns["what happens"]], ["parts into"])
    assert_equal([cell.sort for cell in columns["rows"]], [change.splits[0].size])
    assert columns["clusters, and their rows"][0].text.startswith("0 (60), 1 (60)")
    assert_equal(str(table.note), f"{change.same} clusters have exactly the same rows.")


@pytest.mark.usefixtures("printed")
def test_the_plot_marks_the_labelings_that_the_table_has(comparison):
    page = page_of(comparison)
    [figure] = blocks_of(page, Figure)
    for mark in table_of(page, "labelings").marks:
        assert f'--{mark}"' in figure.svg
    assert figure.alt


def test_no_conclusion_from_scores_alone(comparison):
    limits = sections(page_of(comparison))["limits"]
    assert_equal(limits.blocks[2], Listing(list(CHECKLIST), ordered=True))
    words = " ".join(limits.blocks[2].items)
    for what in ("name", "other seeds", "known", "what they are for"):
        assert what in words


def test_the_lines_on_the_page_give_the_same_scores(data, comparison):
    X, _ = data
    labelings = comparison.entries.labelings
    codes = [block.text for block in blocks_of(page_of(comparison), Code)]
    names = {"X": X, "labelings": labelings, "comparison": comparison}
    exec(codes[-1].replace("comparison.save_html", "# "), names)  # noqa: S102  (they are our own)
    assert_allclose(names["comparison"].rows["silhouette"], comparison.rows["silhouette"])
    assert_equal(names["comparison"].best, comparison.best)
    reports = codes[0].splitlines()[2:]
    assert_equal(len(reports), 2)
    for line, name in zip(reports, (4, 5), strict=True):
        found = eval(line.partition(".save_html")[0], {**names, **_functions()})  # noqa: S307
        assert_allclose(found.scores["silhouette"], comparison.rows["silhouette"][comparison.names.index(name)])


def _functions():
    from gpumetrics import evaluate_clustering

    return {"evaluate_clustering": evaluate_clustering}


class Cuts:
    """Cut the first column into pieces; it cannot make three."""

    n_clusters = 2

    def fit_predict(self, X):
        if self.n_clusters == 3:
            raise ValueError("three <b>are</b> too many")
        return np.clip((X[:, 0] + 1) / 10 * self.n_clusters, 0, self.n_clusters - 1).astype(int)


def test_a_sweep_with_a_setting_that_fails(data):
    comparison = sweep(data[0], Cuts(), n_clusters=range(2, 6))
    page = page_of(comparison)
    columns = columns_of(table_of(page, "labelings"))
    assert "three <b>are</b> too many" in columns["why scores are missing"][1].text
    assert_equal(str(columns["silhouette ↑"][1].text), "-")
    assert np.isnan(columns["silhouette ↑"][1].sort)
    assert_equal(len(columns["seconds to fit"]), 4)
    assert "three" in sections(page)["missing"].blocks[0].items[0]
    assert "n_clusters=[2, 3, 4, 5]" in blocks_of(page, Code)[-1].text
    html = html_of(page)
    assert "<b>are" not in html
    assert "&lt;b&gt;are" in html


def test_one_labeling(data):
    page = page_of(compare_labelings(data[0], {"only": data[1]}))
    assert_equal(len(table_of(page, "labelings").rows), 1)
    assert "changes" not in sections(page)
    assert "only" in html_of(page)


def test_no_scores_at_all(data):
    comparison = compare_labelings(data[0], {"one": np.zeros(300, dtype=int), "none": np.full(300, -1)})
    page = page_of(comparison)
    assert_equal([type(block) for block in page.lead], [Paragraph])
    assert_equal(blocks_of(page, Figure), [])
    assert "missing" in sections(page)
    assert "Read why scores are missing" in sections(page)["next"].blocks[0].items[0]
    assert "No score is defined" in html_of(page)


def test_estimates_stand_with_their_errors(data):
    labelings = {4: np.where(data[1] == 1, 0, data[1]), 5: data[1]}
    comparison = compare_labelings(data[0], labelings, silhouette="estimate", random_state=0)
    page = page_of(comparison)
    table = table_of(page, "labelings")
    for cell in columns_of(table)["silhouette ↑"]:
        assert " +/- " in cell.text
    assert "Standard errors" in table.note
    asked = comparison.entries.basis.sample[0]
    assert_equal(
        str(columns_of(table_of(page, "settings-table"))["value"][6].text),
        f"estimates from {asked:,} rows, the same for every labeling",
    )


def test_known_classes_have_columns(data):
    X, groups = data
    comparison = compare_labelings(X, {"a": groups, "b": np.minimum(groups, 2)}, labels_true=groups)
    columns = columns_of(table_of(page_of(comparison), "labelings"))
    assert_array_equal([cell.sort for cell in columns["adjusted Rand ↑"]], comparison.rows["adjusted_rand"])
    assert "rand ↑" not in {title.lower() for title in columns}


def test_noise_has_a_column(data):
    noisy = np.where(np.arange(300) % 10 == 0, -1, data[1])
    columns = columns_of(table_of(page_of(compare_labelings(data[0], {"a": noisy, "b": data[1]})), "labelings"))
    assert_equal([str(cell.text) for cell in columns["noise"]], ["10.0 %", "0.0 %"])
    assert_equal([cell.text for cell in columns["clusters"]], ["5", "5"])


@pytest.mark.usefixtures("printed")
def test_hostile_names_are_text(data):
    X, groups = data
    rng = np.random.default_rng(1)
    labelings = {
        name: np.array(HOSTILE, dtype=object)[rng.permutation(5)[groups] % (2 + at)] for at, name in enumerate(HOSTILE)
    }
    page = page_of(compare_labelings(X, labelings), title="<i>title</i>")
    html = html_of(page)
    for text in ("<script>alert", "<i>title", "x" * 200):
        assert text not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "&lt;i&gt;title&lt;/i&gt;" in html
    assert "군집" in html


@pytest.mark.usefixtures("printed")
def test_three_hundred_labelings_are_a_small_page(data):
    X, groups = data
    rng = np.random.default_rng(2)
    labelings = {
        f"labeling {at}": np.where(rng.random(300) < 0.1, rng.integers(0, 5, 300), groups) for at in range(299)
    }
    labelings["one cluster"] = np.zeros(300, dtype=int)
    page = page_of(compare_labelings(X, labelings))
    assert_equal(len(table_of(page, "labelings").rows), 300)
    assert len(html_of(page).encode()) < 1_000_000


def pages_of_all_kinds(data, lang):
    """Yield pages that have everything that a page can say."""
    X, groups = data
    four = np.where(groups == 1, 0, groups)
    noisy = np.where(np.arange(300) % 10 == 0, -1, groups)
    mostly = np.where(np.arange(300) % 10 < 6, -1, groups)
    yield page_of(compare_labelings(X, {4: four, 5: groups}), lang=lang)
    yield page_of(compare_labelings(X, {4: four, 5: groups}, silhouette="estimate", random_state=0), lang=lang)
    yield page_of(sweep(X, Cuts(), n_clusters=range(2, 6)), lang=lang)
    yield page_of(compare_labelings(X, {"0": four}), lang=lang)
    yield page_of(compare_labelings(X, {"0": four * 0, "1": four * 0 - 1}), lang=lang)
    yield page_of(compare_labelings(X, {"0": noisy, "1": mostly, "2": four}, labels_true=groups), lang=lang)


def test_the_korean_page_has_no_english_left(data):
    korean = _catalogue("ko")
    left = set()
    for page in pages_of_all_kinds(data, "ko"):
        for text in texts_of(page):
            left |= {template for template in templates_of(text) if template not in korean and _is_english(template)}
    assert_equal(sorted(left), [])


def _is_english(template):
    words = re.sub(r"\{[^}]*\}", "", template)
    return not SAME.fullmatch(words.strip()) and bool(re.search("[A-Za-z]{2}", words))


def test_a_korean_page_has_the_same_numbers(comparison):
    english, korean = (page_of(comparison, lang=lang) for lang in ("en", "ko"))
    first, second = (table_of(page, "labelings") for page in (english, korean))
    assert_equal(
        [[cell.sort for cell in row] for row in first.rows], [[cell.sort for cell in row] for row in second.rows]
    )
    assert_equal(translated(second.rows[1][1].text, "ko").split()[0], first.rows[1][1].text.split()[0])
    assert "다음에 할 일" in html_of(korean)


@pytest.mark.usefixtures("printed")
def test_saved_in_one_file(comparison, tmp_path):
    path = comparison.save_html(tmp_path / "comparison.html", title="Mine")
    assert_equal(path, tmp_path / "comparison.html")
    html = path.read_text(encoding="utf-8")
    assert "<h1>Mine</h1>" in html
    assert not re.search(r'(src|href)="(https?:)?//', html)
    with pytest.raises(ValueError, match="lang must be one of"):
        comparison.save_html(tmp_path / "x.html", lang="fr")


@pytest.mark.browser
def test_in_a_browser(comparison, chromium_page):
    tab = chromium_page(page_of(comparison, title=HOSTILE[0]))
    assert_equal(tab.locator("h1").inner_text(), HOSTILE[0])
    assert_equal(tab.locator("tr[data-mark]").count(), 3)
    assert_equal(tab.evaluate("document.documentElement.scrollWidth"), 1280)
