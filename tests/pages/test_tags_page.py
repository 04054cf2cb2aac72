"""The report of tag sets: its numbers are those of the tag report, and a reader who knows no metric can follow it."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from page_walk import blocks_of, columns_of, table_of, templates_of, texts_of

from gpumetrics import best_threshold, evaluate_tags
from gpumetrics.pages.model import Cards, Code, Figure, Listing, Paragraph, Samples
from gpumetrics.pages.render import html_of
from gpumetrics.pages.tags_page import CHECKLIST, page_of
from gpumetrics.text.messages import _catalogue

# What is the same in every language: settings and versions, names that are a term.
SAME = re.compile(
    r"F1|F-beta|beta|ID|gpumetrics|Python|NumPy|SciPy|CuPy|matplotlib|scikit-learn|delivery|refund|account|tag"
)

pytestmark = pytest.mark.usefixtures("unprinted")
TRUE = [["delivery", "refund"], ["delivery"], None, [], ["account"], ["delivery", "account"]]
PRED = [["refund", "delivery", "account"], [], ["account"], [], ["account", "delivery"], ["delivery", "account"]]


@pytest.fixture(name="report", scope="module")
def scored():
    texts = [f"document {at}" for at in range(len(TRUE))]
    return evaluate_tags(TRUE, PRED, zero_division=1, texts=texts)


def sections(page):
    return {section.id: section for section in page.sections}


def test_the_page_opens_with_what_the_counts_say_in_plain_words(report):
    page = page_of(report)
    first = page.lead[0]
    assert first.strong
    assert_equal(
        str(first.text),
        "Of 7 tags that were suggested, 5 are right (71 %). Of 6 tags that should be there, 5 were found (83 %).",
    )
    assert "2 of 5 documents have exactly the right tags (40 %)." in page.lead[1].text
    assert "1 true tag was missed, and 2 tags were invented: mostly too many tags were suggested" in page.lead[1].text
    order = ["next", "labels", "worst", "meaning", "sizes", "notes", "limits", "settings"]
    assert_equal([section.id for section in page.sections], order)
    cards = blocks_of(page, Cards)[0].cards
    names = ("precision_micro", "recall_micro", "f1_micro", "jaccard_micro")
    assert_equal([card.value for card in cards], [f"{report.scores[name]:.3f}" for name in names])


def test_each_score_is_explained_by_the_counts_of_the_report(report):
    texts = sections(page_of(report))["meaning"].blocks[0].items
    for said, name in zip(
        texts[:5], ("precision_micro", "recall_micro", "f1_micro", "jaccard_micro", "exact_match"), strict=True
    ):
        value = float(re.search(r"= ([\d.]+)\.", said)[1])
        assert_allclose(value, report.scores[name], atol=5e-4)
    assert_equal(str(texts[0]), "Precision: of the 7 tags that were suggested, 5 are right: 5 / 7 = 0.714.")
    assert_equal(str(texts[3]), "Jaccard: of the 8 tags that are on either side, 5 are on both: 5 / 8 = 0.625.")
    assert "Twice 5 right tags / (twice 5 + 2 invented + 1 missed)" in texts[2]
    assert "read precision and recall beside it" in texts[2]
    assert f"{report.scores['hamming_loss']:.4f}" in texts[5]


def test_documents_that_are_empty_or_not_labelled_are_told_with_the_rule(report):
    texts = [str(block.text) for block in page_of(report).lead if isinstance(block, Paragraph)]
    assert any(text.startswith("1 document that nobody has labelled is left out") for text in texts)
    assert any(
        text
        == "1 document is rightly without tags on both sides; such documents count as 1 in means (zero_division=1)."
        for text in texts
    )


@pytest.mark.filterwarnings("ignore:Scores are ill-defined")
@pytest.mark.parametrize(
    ("rule", "words"), [("warn", "count as 0"), (0, "count as 0 in"), (np.nan, "are left out of means")]
)
def test_every_rule_is_told(rule, words):
    page = page_of(evaluate_tags(TRUE, PRED, zero_division=rule))
    assert any(words in text for text in texts_of(page))


def test_numbers_of_the_tags(report):
    page = page_of(report)
    table = table_of(page, "tags")
    order = [int(mark[1:]) for mark in table.marks]
    errors = (report.per_label["false_positives"] + report.per_label["false_negatives"])[order]
    assert_array_equal(errors, np.sort(errors)[::-1])
    columns = columns_of(table)
    assert_equal([str(cell.text) for cell in columns["tag"]], [report.per_label["label"][at] for at in order])
    names = {"true": "support", "suggested": "predicted", "right": "true_positives", "invented": "false_positives"}
    for title, key in {
        **names,
        "missed": "false_negatives",
        "precision": "precision",
        "F1": "f1",
        "Jaccard": "jaccard",
    }.items():
        assert_array_equal([cell.sort for cell in columns[title]], report.per_label[key][order])


def test_averages_and_groups(report):
    page = page_of(report)
    rows = table_of(page, "averages").rows
    for row, name in zip(rows, ("precision", "recall", "f1", "fbeta", "jaccard"), strict=True):
        expected = [report.scores[f"{name}_{average}"] for average in ("micro", "macro", "weighted", "samples")]
        assert_array_equal([cell.sort for cell in row[1:]], expected)
    columns = columns_of(table_of(page, "sizes-table"))
    assert_array_equal([cell.sort for cell in columns["documents"]], report.by_size["documents"])
    assert_array_equal([cell.sort for cell in columns["pooled Jaccard"]], report.by_size["jaccard_micro"])


def test_the_worst_documents_with_their_texts(report):
    columns = columns_of(table_of(page_of(report), "worst-documents"))
    assert_equal([cell.sort for cell in columns["document"]], [entry["document"] for entry in report.worst])
    [block] = blocks_of(page_of(report), Samples)
    assert_equal([sample.text for sample in block.samples], [entry["text"] for entry in report.worst])
    assert_equal([sample.row for sample in block.samples], [entry["document"] for entry in report.worst])
    assert_equal(str(block.samples[0].remark), f"missed: {', '.join(report.worst[0]['missed'])}; invented: -")
    assert_equal(
        [str(cell.text) for cell in columns["missed"]], [", ".join(entry["missed"]) or "-" for entry in report.worst]
    )
    assert_equal(
        [str(cell.text) for cell in columns["invented"]],
        [", ".join(entry["invented"]) or "-" for entry in report.worst],
    )


@pytest.mark.usefixtures("printed")
def test_the_plot_marks_the_tags_that_the_table_has(report):
    page = page_of(report)
    [figure] = blocks_of(page, Figure)
    for mark in table_of(page, "tags").marks[:2]:
        assert f'--{mark}"' in figure.svg
    assert figure.alt


def test_what_to_do_next_follows_the_errors():
    few = evaluate_tags([["a", "b", "c"]] * 3, [["a"]] * 3, zero_division=0)
    many = evaluate_tags([["a"]] * 3, [["a", "b", "c"]] * 3, zero_division=0)
    right = evaluate_tags([["a"]] * 3, [["a"]] * 3, zero_division=0)
    steps = [" ".join(sections(page_of(report))["next"].blocks[0].items) for report in (few, many, right)]
    assert "lower threshold" in steps[0]
    assert "higher threshold" in steps[1]
    assert "threshold" not in steps[2]
    assert "Begin with b" in steps[0]
    assert "without a look at the predictions" in steps[2]
    for step in steps:
        assert "before anything is approved" in step


def test_rare_tags_that_do_worse_are_told():
    true, pred = [["a"]] * 50 + [["b"]], [["a"]] * 50 + [["c"]]
    texts = list(texts_of(page_of(evaluate_tags(true, pred, zero_division=0)).lead))
    assert any(str(text).startswith("Rare tags do worse than frequent ones: F1 is 0.333") for text in texts)


def test_no_approval_from_one_score(report):
    limits = sections(page_of(report))["limits"]
    assert_equal(limits.blocks[1], Paragraph("Do not approve tags from one score. Before these are used:", strong=True))
    assert_equal(limits.blocks[2], Listing(list(CHECKLIST), ordered=True))
    words = " ".join(limits.blocks[0].items)
    for what in ("Whether the truth is right", "What an error costs", "safety"):
        assert what in words


def test_the_lines_on_the_page_give_the_same_scores(report):
    code = blocks_of(page_of(report), Code)[0].text
    names = {"y_true": TRUE, "y_pred": PRED}
    exec(code.replace("report.save_html", "# "), names)  # noqa: S102  (they are our own)
    assert_equal(names["report"].scores, report.scores)
    weights = np.arange(1.0, 7.0)
    weighted = evaluate_tags(TRUE, PRED, zero_division=np.nan, sample_weight=weights, exclude=["refund"], beta=np.inf)
    code = blocks_of(page_of(weighted), Code)[0].text
    names = {"y_true": TRUE, "y_pred": PRED, "sample_weight": weights}
    exec(code.replace("report.save_html", "# "), names)  # noqa: S102
    assert_equal(names["report"].scores, weighted.scores)


def test_weighted_counts_are_said_to_be_so():
    weighted = evaluate_tags(TRUE, PRED, zero_division=0, sample_weight=[0.5] * 6)
    page = page_of(weighted)
    assert "Of 3.5 tags that were suggested, 2.5 are right" in page.lead[0].text
    assert "Counts are weighted" in page.lead[1].text


@pytest.mark.parametrize(
    ("true", "pred", "words"),
    [
        ([["a"], ["a", "b"]], [[], []], "No tag was suggested; all 3 true tags were missed."),
        ([[], []], [["a"], []], "One tag was suggested, and no document has a true tag."),
        ([[], []], [[], []], "No document has a tag, true or suggested: there is nothing to score."),
        (
            [["a"]],
            [["a"]],
            "Of 1 tag that was suggested, 1 is right (100 %). Of 1 tag that should be there, 1 was found (100 %).",
        ),
    ],
)
@pytest.mark.parametrize("rule", [0, np.nan])
def test_sides_without_tags(true, pred, words, rule):
    page = page_of(evaluate_tags(true, pred, zero_division=rule))
    assert_equal(str(page.lead[0].text), words)
    assert "<html" in html_of(page)


@pytest.mark.usefixtures("printed")
def test_hostile_tags_and_texts_are_text():
    hostile = ["<script>alert(1)</script>", "$x_1$", "a\nb", "y" * 10_000, "\N{GRINNING FACE} 배송", "{0} {n}", "%s"]
    texts = ["<img src=x onerror=alert(2)>", None, "z" * 10_000, "{text}", b"bytes", 7, "환불\n\n해 주세요"]
    report = evaluate_tags([[tag] for tag in hostile], [[]] * 7, zero_division=0, texts=texts)
    html = html_of(page_of(report, title="<b>{title}</b>"))
    for text in ("<script>alert", "<img src", "<b>{title}", "y" * 200, "z" * 1000):
        assert text not in html
    for text in (
        "&lt;script&gt;",
        "&lt;img src=x onerror=alert(2)&gt;",
        "&lt;b&gt;{title}",
        "{0} {n}",
        "환불 해 주세요",
        "배송",
    ):
        assert text in html


def test_a_tag_named_like_a_word_of_the_page_is_not_translated():
    report = evaluate_tags([["precision"], ["none"]], [["tag"], []], zero_division=0)
    html = html_of(page_of(report, lang="ko"))
    for word in ("precision", "none", "tag"):
        assert re.search(f"<a[^>]*>{word}</a>|<th[^>]*>{word}</th>", html)


@pytest.mark.usefixtures("printed")
def test_thousands_of_tags_are_a_small_page():
    rng = np.random.default_rng(0)
    names = np.array([f"tag {at}" for at in range(2000)], dtype=object)
    true = [[names[at]] for at in range(2000)]
    pred = [[*tags, names[rng.integers(2000)]] for tags in true]
    page = page_of(evaluate_tags(true, pred, zero_division=0))
    table = table_of(page, "tags")
    assert_equal((len(table.rows), len(table.marks)), (1000, 1000))
    assert_equal(str(table.note), "1,000 more tags, with fewer errors, are in report.per_label.")
    assert len(html_of(page).encode()) < 1_500_000


def test_the_threshold_with_its_curve(report):
    best = best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    page = page_of(report, threshold=best)
    section = sections(page)["threshold"]
    assert "at least 0.35: F1 0.800 on 4 validation samples" in section.blocks[0].text
    assert_equal(len(blocks_of(page, Figure)), 2)
    without = best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], keep_curve=False)
    assert_equal(len(blocks_of(page_of(report, threshold=without), Figure)), 1)


def test_thresholds_of_each_tag(report):
    truth, scores = np.array([[0, 1], [1, 0], [1, 1]]), np.array([[0.1, 0.9], [0.6, 0.2], [0.7, 0.8]])
    best = best_threshold(truth, scores, per_label=True)
    columns = columns_of(table_of(page_of(report, threshold=best), "thresholds"))
    assert_array_equal([cell.sort for cell in columns["threshold"]], best.threshold)
    assert_array_equal([cell.sort for cell in columns["score on the validation data"]], best.label_scores)


def pages_of_all_kinds(lang):
    """Yield pages that have everything that a page can say."""
    rng = np.random.default_rng(0)
    best = best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    truth = np.array([[0, 1], [1, 0], [1, 1]])
    several = best_threshold(truth, truth * 0.5, per_label=True)
    yield page_of(evaluate_tags(TRUE, PRED, zero_division=1, texts=list("abcdef")), lang=lang, threshold=best)
    yield page_of(
        evaluate_tags(TRUE, PRED, zero_division=np.nan, sample_weight=rng.random(6)), lang=lang, threshold=several
    )
    more = {"classes": ["delivery", "refund", "never"], "unknown": "ignore", "exclude": ["refund"], "zero_division": 0}
    yield page_of(evaluate_tags(TRUE, [*PRED[:5], None], **more), lang=lang)
    yield page_of(evaluate_tags([["a"], ["A", "a", "a"]], [[], []], zero_division=0), lang=lang)
    yield page_of(evaluate_tags([[]], [[]], zero_division=0), lang=lang)
    yield page_of(evaluate_tags([["a"]] * 50 + [["b"]], [["a"]] * 50 + [["c"]], zero_division=0), lang=lang)
    yield page_of(evaluate_tags([["a"]] * 9 + [list("abcdefghi")], [["a"]] * 10, zero_division=0), lang=lang)


def test_the_korean_page_has_no_english_left():
    korean, left = _catalogue("ko"), set()
    for page in pages_of_all_kinds("ko"):
        for text in texts_of(page):
            left |= {template for template in templates_of(text) if template not in korean and _is_english(template)}
    assert_equal(sorted(left), [])


def _is_english(template):
    words = re.sub(r"\{[^}]*\}", "", template)
    return not SAME.fullmatch(words.strip()) and bool(re.search("[A-Za-z]{2}", words))


def test_a_korean_page_has_the_same_numbers(report):
    english, korean = (page_of(report, lang=lang) for lang in ("en", "ko"))
    for name in ("tags", "averages", "worst-documents"):
        first, second = (table_of(page, name) for page in (english, korean))
        assert_equal(
            [[cell.sort for cell in row] for row in first.rows], [[cell.sort for cell in row] for row in second.rows]
        )
    assert "제안한 태그 7개 가운데 5개가 맞았습니다" in html_of(korean)


@pytest.mark.usefixtures("printed")
def test_saved_in_one_file(report, tmp_path):
    path = report.save_html(tmp_path / "tags.html", title="Mine")
    assert_equal(path, tmp_path / "tags.html")
    html = path.read_text(encoding="utf-8")
    assert "<h1>Mine</h1>" in html
    assert not re.search(r'(src|href)="(https?:)?//', html)
    with pytest.raises(ValueError, match="lang must be one of"):
        report.save_html(tmp_path / "x.html", lang="fr")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_table_of_tags_as_a_frame(report, library):
    pytest.importorskip(library)
    frame = report.to_frame(library)
    assert_equal(type(frame).__module__.partition(".")[0], library)
    assert_equal(list(frame.columns), list(report.per_label))
    assert_array_equal(frame["support"].to_numpy(), report.per_label["support"])


@pytest.mark.browser
def test_on_a_phone(report, chromium_page):
    tab = chromium_page(page_of(report, lang="ko"), viewport={"width": 390, "height": 800})
    assert_equal(tab.locator("tr[data-mark]").count(), 3)
    assert_equal(tab.evaluate("document.documentElement.scrollWidth"), 390)
    assert "정밀도" in tab.locator("main").inner_text()


def words_of(report):
    return " ".join(map(str, texts_of(page_of(report))))


def test_tags_that_are_equally_frequent_are_not_called_rare():
    report = evaluate_tags([["a"], ["b"]], [["b"], ["b"]], zero_division=0)
    assert report.scores["f1_micro"] - report.scores["f1_macro"] > 0.1
    assert "do worse than" not in words_of(report)
    true = [["often"]] * 8 + [["rare"]]
    report = evaluate_tags(true, [["often"]] * 9, zero_division=0)
    expected = f"F1 is {report.scores['f1_macro']:.3f} as a mean over tags, {report.scores['f1_weighted']:.3f} if"
    assert f"Rare tags do worse than frequent ones: {expected}" in words_of(report)


def test_errors_of_weight_0_are_errors():
    report = evaluate_tags([["a"], ["b"]], [["a"], ["c"]], sample_weight=[1, 0], zero_division=0)
    text = words_of(report)
    assert "The only errors are in documents of weight 0." in text
    assert "There is no error at all" not in text


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [([["a"]], [[]], {"precision"}), ([[]], [["a"]], {"recall"}), ([["a"]], [["a"]], set())],
)
def test_what_has_nothing_to_divide_by_is_not_read_as_a_score(true, predicted, expected):
    cards = blocks_of(page_of(evaluate_tags(true, predicted, zero_division=0)), Cards)[0].cards
    assert {card.title for card in cards if card.reading.startswith("0/0")} == expected
