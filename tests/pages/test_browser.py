"""Pages in headless Chromium: they ask for nothing, sort, highlight, copy, turn dark, fit, and print."""

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from everything import HOSTILE, page_of

from gpumetrics.pages import model
from gpumetrics.pages.render import write

pytestmark = pytest.mark.browser

# Contrast by WCAG 2.2 of every text that is seen, with the background that lies behind it.
CONTRASTS = """() => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(element);
    if (!own || element.closest("script, style, [hidden], .unseen") || style.visibility === "hidden") continue;
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const [light, dark] = [luminance(ink), luminance(behind(element))].sort((a, b) => b - a);
    found.push([(light + 0.05) / (dark + 0.05), `${element.tagName} ${element.textContent.slice(0, 30)}`]);
  }
  return found;
}"""


def column(tab, number, table="#clusters-table"):
    return tab.locator(f"{table} tbody tr :nth-child({number})").all_text_contents()


def marks(tab):
    return tab.locator("#clusters-table tbody tr").evaluate_all("rows => rows.map((row) => row.dataset.mark)")


def rgb(tab, selector, name):
    return tab.locator(selector).first.evaluate(f"element => getComputedStyle(element).{name}")


def test_without_a_browser_they_fail_in_ci_rather_than_skip(tmp_path):
    call = [
        sys.executable,
        "-m",
        "pytest",
        __file__,
        "-m",
        "browser",
        "-k",
        "asks_for_nothing",
        "-p",
        "no:cacheprovider",
    ]
    words = {}
    for name, setting in (("skipped", {}), ("error", {"CI": "1"})):
        kept = {key: value for key, value in os.environ.items() if key not in {"CI", "GPUMETRICS_CHROMIUM"}}
        # No program is found there.
        done = subprocess.run(
            call, env=kept | {"PATH": str(tmp_path)} | setting, capture_output=True, text=True, check=False
        )
        words[name] = done.stdout
    for name, out in words.items():
        assert f"1 {name}" in out
    assert "there is no Chromium" in words["error"]


def test_says_and_asks_for_nothing(chromium_page):
    tab = chromium_page(page_of())
    assert tab.title() == "Reading of a clustering a topic"
    assert tab.locator("h1").count() == 1
    assert tab.locator("button.copy:visible").count() >= 3  # the script ran


class TestSorting:
    def test_by_mouse(self, chromium_page):
        tab = chromium_page(page_of())
        given = marks(tab)
        head = tab.locator("#clusters-table thead th").nth(2)
        values = [float(text) for text in column(tab, 3) if text != "-"]
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        up = column(tab, 3)
        assert up[-1] == "-"
        assert [float(text) for text in up[:-1]] == sorted(values)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        down = column(tab, 3)
        assert down[-1] == "-"
        assert [float(text) for text in down[:-1]] == sorted(values, reverse=True)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") is None
        assert marks(tab) == given

    def test_equal_rows_stay_in_order(self, chromium_page):
        tab = chromium_page(page_of())
        for _ in range(2):
            tab.locator("#clusters-table thead th").nth(1).locator("button").click()
            sizes, order = column(tab, 2), [int(mark[1:]) for mark in marks(tab)]
            equal = {size: [at for at, own in zip(order, sizes, strict=True) if own == size] for size in sizes}
            assert all(places == sorted(places) for places in equal.values())
            assert any(len(places) > 1 for places in equal.values())

    @pytest.mark.parametrize("key", ["Enter", "Space"])
    def test_by_keyboard(self, chromium_page, key):
        tab = chromium_page(page_of())
        tab.locator("#names-table thead th").nth(2).locator("button").focus()
        tab.keyboard.press(key)
        assert column(tab, 3, "#names-table") == ["-0.5", "2", "2", "inf", "nan"]
        tab.keyboard.press(key)
        assert column(tab, 3, "#names-table") == ["inf", "2", "2", "-0.5", "nan"]
        assert tab.evaluate("document.activeElement.closest('th').getAttribute('aria-sort')") == "descending"

    def test_text_by_its_numbers(self, chromium_page):
        tab = chromium_page(page_of())
        tab.locator("#names-table thead th").first.locator("button").click()
        names = column(tab, 1, "#names-table")
        assert names.index("item 9") < names.index("item 10")

    def test_one_column_at_a_time(self, chromium_page):
        tab = chromium_page(page_of())
        for at in (1, 2):
            tab.locator("#clusters-table thead th").nth(at).locator("button").click()
        assert tab.locator("#clusters-table th[aria-sort]").count() == 1


class TestPicking:
    def test_stands_out_in_plots_and_tables_until_escape(self, chromium_page):
        tab = chromium_page(page_of(), reduced_motion="reduce")
        button = tab.locator("tr[data-mark=c4] button.pick")
        assert button.get_attribute("aria-pressed") == "false"
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        for figure in ("bars", "again"):
            assert rgb(tab, f"#{figure} [id$='--c4']", "opacity") == "1"
            assert float(rgb(tab, f"#{figure} [id$='--c5']", "opacity")) < 0.3
        assert "is-picked" in tab.locator("tr[data-mark=c4]").get_attribute("class")
        assert rgb(tab, "tr[data-mark=c4] td", "backgroundColor") != rgb(tab, "tr[data-mark=c7] td", "backgroundColor")
        tab.locator("#page-status", has_text="Highlighted: a topic 4").wait_for(state="attached")
        assert tab.locator("#page-picked").is_visible()
        tab.keyboard.press("Escape")
        assert button.get_attribute("aria-pressed") == "false"
        assert rgb(tab, "#bars [id$='--c5']", "opacity") == "1"
        assert tab.locator(".is-picked, .faded, .stands-out").count() == 0
        assert not tab.locator("#page-picked").is_visible()

    def test_is_called_by_its_name_whatever_table_is_first(self, chromium_page):
        cells = [model.Cell("17", 17.0), model.Cell("spam")]
        rows = model.Table(
            "rows", "Rows", [model.Column("row", number=True), model.Column("cluster")], [cells], ("c1",)
        )
        clusters = model.Table("clusters", "All", [model.Column("cluster")], [[model.Cell("spam")]], ("c1",))
        tab = chromium_page(model.Page("Title", "", "en", [rows, clusters], []))
        tab.locator("#rows button.pick").click()
        assert tab.locator("#page-picked span").inner_text() == "Highlighted: spam"

    def test_a_plot_without_the_cluster_does_not_fade(self, chromium_page):
        tab = chromium_page(page_of(), reduced_motion="reduce")
        tab.locator("tr[data-mark=c20] button.pick").click()
        assert float(rgb(tab, "#bars [id$='--c5']", "opacity")) < 0.3
        assert rgb(tab, "#again [id$='--c5']", "opacity") == "1"

    def test_by_keyboard_and_by_a_click_on_the_row(self, chromium_page):
        tab = chromium_page(page_of())
        tab.locator("tr[data-mark=c1] button.pick").focus()
        tab.keyboard.press("Enter")
        assert tab.locator("tr.is-picked").get_attribute("data-mark") == "c1"
        assert tab.locator(".samples.is-picked").count() == 1
        tab.locator("tr[data-mark=c2] td").first.click()
        assert tab.locator("tr.is-picked").get_attribute("data-mark") == "c2"
        tab.locator("tr[data-mark=c2] td").first.click()
        assert tab.locator("tr.is-picked").count() == 0

    def test_in_a_plot_and_cleared_by_its_button(self, chromium_page):
        tab = chromium_page(page_of())
        tab.locator("#again [id$='--c3']").click()
        assert tab.locator("tr.is-picked").get_attribute("data-mark") == "c3"
        assert tab.locator("#page-picked a").get_attribute("href") == "#bars"
        tab.locator("#page-picked button").click()
        assert tab.locator("tr.is-picked").count() == 0


class TestCopying:
    def copied(self, tab, table="#names-table"):
        tab.locator(f"{table} button.copy").click()
        tab.locator("#page-status", has_text="Copied.").wait_for(state="attached")
        return tab.evaluate("navigator.clipboard.readText()")

    def test_csv(self, chromium_page):
        tab = chromium_page(page_of("=HYPERLINK()"), permissions=["clipboard-read", "clipboard-write"])
        text = self.copied(tab)
        assert text.endswith("\r\n")
        assert text.count("\r\n") == text.count("\n") == 6
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert rows[0] == ["name", "'=HYPERLINK()", "value"]
        assert rows[1:4] == [
            ['say "hi", twice', "'@SUM(A1)", "2.0"],
            ["'=1+1", "'@SUM(A1)", "inf"],
            ["item 10", "'@SUM(A1)", "-0.5"],
        ]
        assert '"say ""hi"", twice"' in text

    def test_what_parts_fields_elsewhere_is_quoted(self, chromium_page):
        names = ["a;=1+1", "a\t=1+1", "\N{FIRST STRONG ISOLATE}=1+1\N{POP DIRECTIONAL ISOLATE}"]
        rows = [[model.Cell(name)] for name in names]
        table = model.Table("names-table", "Names", [model.Column("name")], rows)
        page = model.Page("Title", "", "en", [table], [])
        text = self.copied(chromium_page(page, permissions=["clipboard-read", "clipboard-write"]))
        assert text.split("\r\n")[1:4] == ['"a;=1+1"', '"a\t=1+1"', "'=1+1"]

    def test_numbers_in_full_and_in_the_order_shown(self, chromium_page):
        tab = chromium_page(page_of(), permissions=["clipboard-read", "clipboard-write"])
        tab.locator("#clusters-table thead th").nth(2).locator("button").click()
        rows = list(csv.reader(io.StringIO(self.copied(tab, "#clusters-table"), newline="")))
        assert len(rows) == 31
        assert rows[1][:3] == ["a topic 0", "1000.0", "-0.25"]
        assert rows[-1][2] == "-"
        assert str(7 / 11 - 0.25) in [row[2] for row in rows]

    def test_without_the_clipboard(self, chromium_page):
        tab = chromium_page(page_of(), permissions=["clipboard-read", "clipboard-write"])
        tab.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('denied')))")
        assert self.copied(tab).startswith("name,a topic,value\n")  # a text area keeps no carriage returns
        assert tab.locator("textarea").count() == 0

    def test_code(self, chromium_page):
        tab = chromium_page(page_of(), permissions=["clipboard-read", "clipboard-write"])
        tab.locator(".code button.copy").click()
        tab.locator("#page-status", has_text="Copied.").wait_for(state="attached")
        assert tab.evaluate("navigator.clipboard.readText()") == "gumetrics evaluate x.npy\n  --lang ko a topic"


class TestColours:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_letters_can_be_read(self, chromium_page, scheme):
        tab = chromium_page(page_of(), color_scheme=scheme)
        tab.locator("tr[data-mark=c1] button.pick").click()
        tab.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        contrasts = tab.evaluate(CONTRASTS)
        assert len(contrasts) > 300
        assert [found for found in contrasts if found[0] < 4.5] == []

    def test_dark_follows_the_system_and_the_button(self, chromium_page):
        tab = chromium_page(page_of(), color_scheme="dark")
        button = tab.locator("#page-theme")
        seen = [rgb(tab, "body", "backgroundColor")]
        assert button.get_attribute("aria-pressed") == "true"
        button.click()
        seen.append(rgb(tab, "body", "backgroundColor"))
        assert button.get_attribute("aria-pressed") == "false"
        tab.emulate_media(color_scheme="light")
        tab.reload()  # the choice is not kept
        seen.append(rgb(tab, "body", "backgroundColor"))
        button.click()
        seen.append(rgb(tab, "body", "backgroundColor"))
        light, dark = "rgb(255, 255, 255)", seen[0]
        assert seen == [dark, light, light, dark]
        assert dark != light
        assert tab.evaluate("localStorage.length + document.cookie.length") == 0

    def test_plots_follow(self, chromium_page):
        fills = {}
        for scheme in ("light", "dark"):
            tab = chromium_page(page_of(), color_scheme=scheme)
            strokes = "element => [...element.querySelectorAll('*')].map((part) => getComputedStyle(part).stroke)"
            fills[scheme] = (rgb(tab, "#bars text", "fill"), set(tab.locator("#bars svg").evaluate(strokes)))
        assert fills["light"][0] != fills["dark"][0]
        assert fills["light"][1] != fills["dark"][1]
        assert "rgb(179, 58, 0)" in fills["light"][1] - fills["dark"][1]  # what is worse: no dark red on black


class TestReading:
    def test_without_scripts(self, chromium_page):
        tab = chromium_page(page_of(), java_script_enabled=False)
        assert tab.locator("#clusters-table tbody tr").count() == 30
        assert tab.locator("button:visible").count() == 0
        assert tab.get_by_text("The clusters overlap").is_visible()
        tab.locator("details.fold > summary").first.click()
        assert tab.get_by_text("In a fold.").is_visible()

    @pytest.mark.parametrize("width", [360, 768, 1280, 2200])
    @pytest.mark.parametrize("text", ["a topic", "x" * 3000, "한글 주제"], ids=["short", "long", "korean"])
    def test_fits(self, chromium_page, width, text):
        tab = chromium_page(page_of(text, n_clusters=4), viewport={"width": width, "height": 800})
        tab.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        tab.locator("tr[data-mark=c1] button.pick").click()
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        # Letters keep to a measure that can be read.
        assert all(width <= 900 for width in tab.locator("main p").evaluate_all("all => all.map((p) => p.offsetWidth)"))

    def test_a_long_name_is_not_squeezed_into_a_narrow_column(self, chromium_page):
        columns = [model.Column("name"), *(model.Column(f"column {at}") for at in range(9))]
        row = [
            model.Cell("a name of some length that is not cut"),
            *(model.Cell("another text that is long" * 3) for _ in range(9)),
        ]
        table = model.Table("wide", "Wide", columns, [row])
        tab = chromium_page(model.Page("Title", "", "en", [table], []))
        assert tab.locator("#wide tbody th").bounding_box()["width"] >= 11 * 16

    def test_heading_column_stays(self, chromium_page):
        tab = chromium_page(page_of(), viewport={"width": 360, "height": 800})
        box = tab.locator("#clusters-table .scroll")
        box.evaluate("element => { element.scrollLeft = 300; element.scrollTop = 200; }")
        left = box.bounding_box()["x"]
        assert box.evaluate("element => element.scrollLeft") == 300
        assert tab.locator("tr[data-mark=c9] th").bounding_box()["x"] == pytest.approx(left, abs=1)
        assert tab.locator("#clusters-table thead th").nth(4).bounding_box()["y"] >= box.bounding_box()["y"] - 1

    def test_first_key_skips_to_the_content(self, chromium_page):
        tab = chromium_page(page_of())
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "skip"
        assert tab.locator(".skip").bounding_box()["y"] >= 0
        assert rgb(tab, ".skip", "outlineStyle") == "solid"
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == "page-main"

    def test_what_a_screen_reader_finds(self, chromium_page):
        tab = chromium_page(page_of())
        for role in ("banner", "navigation", "main", "contentinfo"):
            assert tab.get_by_role(role).count() == 1
        assert tab.get_by_role("img", name="Silhouettes of the clusters a topic").count() == 1
        assert tab.get_by_role("table", name="All clusters a topic").count() == 1
        assert tab.get_by_role("rowheader", name="a topic 7", exact=True).count() == 1
        assert tab.get_by_role("columnheader", name="silhouette").count() == 1

    def test_korean(self, chromium_page):
        tab = chromium_page(page_of("한글 주제", "ko"))
        assert tab.locator("html").get_attribute("lang") == "ko"
        assert tab.get_by_text("차례", exact=True).is_visible()
        assert tab.locator("h1").inner_text() == "Reading of a clustering 한글 주제"
        tab.locator("tr[data-mark=c4] button.pick").click()
        assert tab.locator("#page-picked span").inner_text() == "강조 표시: 한글 주제 4"

    @pytest.mark.parametrize("text", HOSTILE)
    def test_what_a_user_gave_does_nothing(self, chromium_page, text):
        tab = chromium_page(page_of(text, n_clusters=4), permissions=["clipboard-read", "clipboard-write"])
        tab.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        tab.locator("tr[data-mark=c1] button.pick").click()
        tab.locator("#clusters-table button.copy").click()
        tab.locator("#clusters-table thead th").nth(0).locator("button").click()
        assert tab.evaluate("window.hacked") is None
        assert tab.locator("h1").inner_text() == f"Reading of a clustering {text}"
        assert tab.locator("#page-picked span").inner_text() == f"Highlighted: {text} 1"

    def test_other_scripts_are_refused(self, chromium, tmp_path):
        tab = chromium.new_page()
        tab.goto(write(page_of(), tmp_path / "page.html").as_uri())
        tab.evaluate(
            """() => {
              addEventListener("securitypolicyviolation", (event) => { window.refused = event.violatedDirective; });
              const script = document.createElement("script");
              script.textContent = "window.hacked = 1";
              document.body.append(script);
            }"""
        )
        tab.wait_for_function("window.refused")
        assert tab.evaluate("[window.hacked ?? null, window.refused]") == [None, "script-src-elem"]
        tab.close()


class TestPaper:
    def test_light_open_and_without_buttons(self, chromium_page):
        tab = chromium_page(page_of(), color_scheme="dark")
        tab.locator("#page-theme").click()
        tab.locator("#page-theme").click()  # chosen, too
        tab.emulate_media(media="print")
        assert rgb(tab, "body", "backgroundColor") == "rgb(255, 255, 255)"
        assert tab.get_by_text("In a fold.").is_visible()
        assert tab.locator("button:visible:not(.sort):not(.pick), nav:visible").count() == 0
        assert rgb(tab, "figure", "breakInside") == "avoid"
        box = tab.locator("#clusters-table .scroll")
        assert box.evaluate("element => element.clientHeight >= element.querySelector('table').offsetHeight")

    def test_pdf(self, chromium_page, tmp_path):
        tab = chromium_page(page_of())
        file = tmp_path / "page.pdf"
        tab.pdf(path=file, format="A4")
        pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", file.read_bytes()))
        assert 3 <= pages <= 12
        assert tab.locator("details[open]").count() == 0  # they close again


@pytest.mark.parametrize("width", [390, 1280])
def test_screenshots_are_kept(chromium_page, tmp_path, width):
    """For people who look at them: under GPUMETRICS_SCREENSHOTS, if that is set."""
    folder = Path(os.environ.get("GPUMETRICS_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    taken = folder / f"page-{width}.png"
    chromium_page(page_of("a topic"), viewport={"width": width, "height": 900}).screenshot(path=taken, full_page=True)
    header = taken.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    assert int.from_bytes(header[16:20], "big") == width
    assert int.from_bytes(header[20:24], "big") > 900
