"""Pages in a real browser."""

import os
import shutil
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from gpumetrics.pages import model
from gpumetrics.pages.render import write

mpl.use("Agg")

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture
def printed():
    """The whole page, in files whose other tests are of words."""


@pytest.fixture
def unprinted(request, monkeypatch):
    """Plots are made, but not printed as SVG, which takes most of a page's time: for tests of its words."""
    if {"printed", "chromium_page"} & set(request.fixturenames):
        return

    def svg_of(draw, *_, **__):
        draw(Figure().subplots())
        return "<svg></svg>"

    monkeypatch.setattr("gpumetrics.pages.figures.svg_of", svg_of)


@pytest.fixture(scope="module")
def chromium():
    """A browser without a window; where there is none the tests are skipped, but in CI (variable CI) they fail."""
    lacking = pytest.fail if os.environ.get("CI") else pytest.skip
    try:
        import playwright.sync_api as api
    except ImportError:
        lacking("Playwright is not installed")
    path = os.environ.get("GPUMETRICS_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        lacking("there is no Chromium: install it, or set GPUMETRICS_CHROMIUM to its path")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def chromium_page(chromium, tmp_path):
    """Return what opens a page (of `model`, or a file) in the browser, with options of a browser's context.

    When the test ends, no page may have asked for anything but itself, nor said anything on its console.
    """
    contexts, said, asked, files = [], [], [], []

    def route(found):
        asked.append(found.request.url)
        found.continue_()

    def opened(page, **options):
        file = write(page, tmp_path / f"page{len(contexts)}.html") if isinstance(page, model.Page) else Path(page)
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        tab = context.new_page()
        tab.route("**/*", route)
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(file.resolve().as_uri())
        files.append(file.resolve().as_uri())
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert said == []
    assert [url for url in asked if url.partition("#")[0] not in files] == []
