"""Pages as files: their structure, what is escaped in them, what they may load, and how they are written."""

import base64
import builtins
import hashlib
import os
import re
import stat
import sys
import threading
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from everything import HOSTILE, PICTURE, page_of

import gpumetrics as gm
from gpumetrics.pages import model, render
from gpumetrics.pages.render import html_of, write

VOID = {"meta", "link", "img", "br", "input"}
SVG_EMPTY = {"path", "use", "rect", "g", "defs", "clippath", "line", "circle", "image"}


class Structure(HTMLParser):
    """Every element with its attributes, the elements it lies in, and its text."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.within, self.texts = [], [], []
        self.feed(html)
        self.close()
        assert self.within == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), [name for name, _ in self.within]))
        if tag not in VOID:
            self.within.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), [name for name, _ in self.within]))

    def handle_endtag(self, tag):
        assert self.within.pop()[0] == tag

    def handle_data(self, data):
        if self.within and self.within[-1][0] not in {"style", "script"}:
            self.texts.append((self.within[-1][0], data))

    def all(self, tag):
        return [attributes for name, attributes, _ in self.elements if name == tag]


def blocks(*given):
    return model.Page("Title", "", "en", list(given), [])


def test_headings_are_in_order():
    found = Structure(html_of(page_of()))
    levels = [int(tag[1]) for tag, _, _ in found.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_landmarks_and_contents():
    page = page_of()
    found = Structure(html_of(page))
    assert [len(found.all(tag)) for tag in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    ids = [attributes["id"] for _, attributes, _ in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in found.all("a")]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert [f"#{section.id}" for section in page.sections] == links[2:5]
    assert found.all("html") == [{"lang": "en"}]
    named = [attributes["aria-labelledby"] for attributes in found.all("section")]
    assert set(named) <= set(ids)


def test_tables_have_captions_scopes_and_numbers_to_sort_by():
    found = Structure(html_of(page_of()))
    assert len(found.all("caption")) == len(found.all("table")) == 2
    heads = found.all("th")
    assert {attributes["scope"] for attributes in heads} == {"col", "row"}
    assert sum(attributes["scope"] == "row" for attributes in heads) == 30 + 5
    rows = found.all("tr")
    assert [attributes.get("data-mark") for attributes in rows[1:31]] == [f"c{i}" for i in range(30)]
    assert {"data-mark"} not in rows[31:]
    sorts = [attributes.get("data-sort") for attributes in found.all("td")]
    assert {"nan", "Infinity", "-0.5", "1000.0"} <= set(sorts)


def test_cells_are_those_given():
    table = model.Table(
        "t",
        "Caption",
        [model.Column("name"), model.Column("n", number=True)],
        [[model.Cell("a"), model.Cell("1,000", 1000.0)], [model.Cell("b"), model.Cell("-", float("nan"))]],
        ("c0", ""),
    )
    html = html_of(blocks(table))
    assert (
        '<tr data-mark="c0"><th scope="row" class="whole">a</th><td class="number" data-sort="1000.0">1,000</td></tr>'
        in html
    )
    assert '<tr><th scope="row" class="whole">b</th><td class="number" data-sort="nan">-</td></tr>' in html


def test_figures_say_what_they_show():
    found = Structure(html_of(page_of()))
    plots = [attributes for attributes in found.all("div") if attributes.get("role") == "img"]
    assert [plot["aria-label"] for plot in plots] == [
        "Silhouettes of the clusters a topic",
        "The same of six clusters",
    ]
    assert len(found.all("svg")) == 2
    assert all(attributes["alt"] for attributes in found.all("img"))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_user_gave_is_text(text):
    found = Structure(html_of(page_of(text, n_clusters=4)))
    plain = Structure(html_of(page_of("a topic", n_clusters=4)))
    assert [tag for tag, _, _ in found.elements] == [tag for tag, _, _ in plain.elements]
    names = {name for _, attributes, _ in found.elements for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    texts = [data for _, data in found.texts]
    assert sum(text in data for data in texts) > 20
    links = [
        value for _, attributes, _ in found.elements for name, value in attributes.items() if name in {"href", "src"}
    ]
    assert all(link.startswith(("#", "data:")) for link in links)


def test_policy_allows_this_style_and_this_script_only():
    html = html_of(page_of(HOSTILE[0]))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)[1]
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "script-src-attr" not in policy
    assert html.index("Content-Security-Policy") < html.index("<title>") < html.index("<style>")


def test_nothing_is_loaded_from_elsewhere():
    html = html_of(page_of())
    assert not re.search(r"https?://(?!www\.w3\.org/)", html)
    assert not re.search(r"@import|url\((?!#)", html)


def test_signs_that_no_page_may_hold_are_replaced():
    text = "a\0b\x1b[31mc\x08\x9dd\ud83d\ufffe\uffffe"
    page = model.Page(text, text, "en", [model.Paragraph(text), model.Code(text)], [])
    html = html_of(page)
    assert not re.search("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", html)
    assert html.count("a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}[31mc") == 5


def test_same_page_same_text():
    assert html_of(page_of()) == html_of(page_of())


def test_size_of_many_clusters():
    html = html_of(page_of(n_clusters=200))
    assert len(html.encode()) < 300_000


def test_language():
    html = html_of(page_of(lang="ko"))
    assert '<html lang="ko">' in html
    assert ">차례<" in html
    assert ">CSV로 복사<" in html
    assert "17번 행" in html
    assert ">Contents<" not in html
    words = set(re.findall(r'"([^"]+)" \| t', "".join(template.read_text("utf-8") for template in TEMPLATES)))
    assert words
    assert {word for word in words if render.translated(word, "ko") == word} == set()


TEMPLATES = sorted(Path(render.__file__).parent.joinpath("templates").glob("*.j2"))


def test_samples_and_code_are_never_translated():
    page = model.Page("T", "", "ko", [model.Samples("S", [model.Sample(1, "Contents")]), model.Code("Copy")], [])
    html = html_of(page)
    assert ">Contents<" in html
    assert "<code>Copy</code>" in html


def test_unknown_language():
    with pytest.raises(ValueError, match=r"lang must be one of .*, got 'xx'"):
        html_of(model.Page("T", "", "xx", [], []))


def test_pictures_must_be_pictures():
    assert f'src="{PICTURE}"' in html_of(blocks(model.Samples("S", [model.Sample(0, "", PICTURE)])))
    for image in (
        "http://example.com/x.png",
        "data:image/svg+xml;base64,AAAA",
        "data:text/html;base64,AAAA",
        PICTURE + '" onerror="x',
        "javascript:alert(1)",
        PICTURE + "\n",
    ):
        with pytest.raises(ValueError, match="the picture of row 7 must be a data URI"):
            html_of(blocks(model.Samples("S", [model.Sample(7, "", image)])))


def test_only_known_blocks():
    with pytest.raises(TypeError, match=r"a page is made of Paragraph, .*, got str"):
        html_of(blocks("text"))


def test_marks_must_be_as_many_as_rows():
    columns, rows = [model.Column("a")], [[model.Cell("x")], [model.Cell("y")]]
    with pytest.raises(Exception, match="has no element 1"):
        html_of(blocks(model.Table("t", "T", columns, rows, ("c0",))))


def test_without_jinja2(monkeypatch):
    original = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "jinja2":
            raise ImportError
        return original(name, *args, **kwargs)

    render._environment.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r'a page needs jinja2: pip install "gpumetrics\[report\]"'):
        html_of(blocks())


class TestBeforeTheWork:
    """What `save_html` of every result refuses is refused before anything is computed for the page."""

    RESULTS = (
        lambda: gm.evaluate_clustering([[0.0], [1.0], [8.0], [9.0]], [0, 0, 1, 1]),
        lambda: gm.compare_labelings([[0.0], [1.0], [8.0], [9.0]], {"a": [0, 0, 1, 1]}),
        lambda: gm.evaluate_tags([["a"]], [["a"]], zero_division=0),
    )

    @pytest.fixture(params=RESULTS, ids=["clustering", "comparison", "tags"])
    def result(self, request, monkeypatch):
        found = request.param()
        for name in ("clustering_page", "comparison_page", "tags_page"):
            monkeypatch.setattr(f"gpumetrics.pages.{name}.page_of", None)
        return found

    @pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
    def test_a_library_is_missing(self, result, monkeypatch, tmp_path, name):
        render._environment.cache_clear()
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=rf'a page needs {name}: pip install "gpumetrics\[report\]"'):
            result.save_html(tmp_path / "a.html")

    def test_the_file_cannot_be_written(self, result, tmp_path):
        (tmp_path / "link.html").symlink_to(tmp_path / "none" / "a.html")
        for path in (tmp_path / "none" / "a.html", tmp_path / "link.html"):
            with pytest.raises(FileNotFoundError, match="must be in a folder that exists"):
                result.save_html(path)
        with pytest.raises(IsADirectoryError, match="got the folder"):
            result.save_html(tmp_path)

    def test_the_language_is_unknown(self, result, tmp_path):
        with pytest.raises(ValueError, match="lang must be one of"):
            result.save_html(tmp_path / "a.html", lang="fr")


class TestWrite:
    def test_returns_the_path_and_writes_utf_8(self, tmp_path):
        path = tmp_path / "보고서.html"
        assert write(blocks(model.Paragraph("한글 \U0001f600")), str(path)) == path
        assert "한글 \U0001f600" in path.read_text("utf-8")
        assert b"\r\n" not in path.read_bytes()
        assert list(tmp_path.iterdir()) == [path]

    def test_half_an_emoji_is_no_error(self, tmp_path):
        path = write(blocks(model.Paragraph("\ud83d half")), tmp_path / "a.html")
        assert "half" in path.read_text("utf-8")

    def test_replaces_what_was_there(self, tmp_path):
        path = tmp_path / "a.html"
        path.write_text("before")
        write(blocks(), path)
        assert path.read_text("utf-8").startswith("<!DOCTYPE html>")

    @pytest.mark.skipif(os.name != "posix", reason="links and modes are POSIX's")
    def test_keeps_a_link_and_has_the_usual_mode(self, tmp_path):
        (tmp_path / "real.html").write_text("before")
        (tmp_path / "usual").write_text("")
        (tmp_path / "link.html").symlink_to(tmp_path / "real.html")
        assert write(blocks(), tmp_path / "link.html") == tmp_path / "link.html"
        assert (tmp_path / "link.html").is_symlink()
        assert (tmp_path / "real.html").read_text("utf-8").startswith("<!DOCTYPE html>")
        modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("real.html", "usual")]
        assert modes[0] == modes[1]

    @pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
    def test_keeps_who_may_read_it(self, tmp_path):
        path = tmp_path / "a.html"
        path.write_text("before")
        path.chmod(0o600)
        write(blocks(), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
    @pytest.mark.parametrize("linked", [False, True])
    def test_a_pipe_is_written_to_and_stays_one(self, tmp_path, linked):
        pipe = path = tmp_path / "pipe"
        os.mkfifo(pipe)
        if linked:
            path = tmp_path / "a.html"
            path.symlink_to(pipe)
        reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
        read = []
        reader.start()
        write(blocks(), path)
        reader.join()
        assert read[0].startswith(b"<!DOCTYPE html>")
        assert stat.S_ISFIFO(pipe.stat().st_mode)

    def test_a_file_that_is_read_only_is_kept(self, tmp_path, monkeypatch):
        path = tmp_path / "a.html"
        path.write_text("before")
        monkeypatch.setattr(os, "access", lambda what, mode: Path(what) != path)
        with pytest.raises(
            PermissionError, match=r"must be a file that can be written to, got '.*': choose another name"
        ):
            write(blocks(), path)
        assert path.read_text() == "before"

    def test_interrupted_it_is_as_it_was(self, tmp_path, monkeypatch):
        path = tmp_path / "a.html"
        path.write_text("before")

        def interrupted(self, target):
            raise KeyboardInterrupt

        monkeypatch.setattr(Path, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(blocks(), path)
        assert path.read_text() == "before"
        assert list(tmp_path.iterdir()) == [path]

    def test_by_many_at_the_same_time(self, tmp_path):
        path = tmp_path / "a.html"
        pages = [blocks(model.Paragraph(str(at) * 100_000)) for at in range(8)]
        threads = [threading.Thread(target=write, args=(page, path)) for page in pages]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert path.read_text("utf-8") in [html_of(page) for page in pages]
        assert list(tmp_path.iterdir()) == [path]

    def test_as_it_was_if_writing_fails(self, tmp_path, monkeypatch):
        path = tmp_path / "a.html"
        path.write_text("before")

        def failing(self, target):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", failing)
        with pytest.raises(OSError, match="No space left"):
            write(blocks(), path)
        assert path.read_text() == "before"
        assert list(tmp_path.iterdir()) == [path]

    def test_a_folder(self, tmp_path):
        with pytest.raises(IsADirectoryError, match=r"path must be a file, got the folder '.*': name a file in it"):
            write(blocks(), tmp_path)

    def test_creates_no_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"must be in a folder that exists, got '.*': create '.*' first"):
            write(blocks(), tmp_path / "no" / "a.html")
        assert not (tmp_path / "no").exists()

    def test_not_writable(self, tmp_path, monkeypatch):
        original = Path.open

        def denied(self, mode="r", *args, **kwargs):
            if "x" in mode:
                raise PermissionError(13, "Permission denied")
            return original(self, mode, *args, **kwargs)

        monkeypatch.setattr(Path, "open", denied)
        with pytest.raises(PermissionError, match=r"folder that can be written to, got '.*': choose another"):
            write(blocks(), tmp_path / "a.html")
