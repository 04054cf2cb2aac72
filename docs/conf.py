"""Settings of Sphinx for the site: `sphinx-build -W -n docs build/docs`."""

import os
import sys
from pathlib import Path

from sphinx.application import Sphinx

import gpumetrics

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
os.environ["GPUMETRICS_BACKEND"] = "numpy"  # the gallery is the same on every machine

project = "gpumetrics"
author = "gpumetrics developers"
version = release = gpumetrics.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "notebooks", "gallery", "gallery_pages/*.ipynb"]
templates_path = ["_templates"]
nitpicky = True

myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# A name in backticks in a docstring is a link where there is such a thing.
default_role = "autolink"
nitpick_ignore_regex = [("py:obj", r"(dataclasses|json|scipy|sklearn)\..*|sklearn")]  # inventories would need a network
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_validation_checks = {
    "all",
    "ES01",  # one line of summary may say it all
    "EX01",  # classes are made by functions, whose examples show them
    "PR01",  # classes that are returned document attributes; tests/test_docstrings.py checks the functions
    "PR02",
    "PR07",  # names that say it all
    "SA01",
    "SS05",  # it takes "Matthews" for a verb
    "YD01",
}
numpydoc_validation_exclude = {r"\.[A-Z]\w*\.\w+$"}  # methods of results say in a line what they return

locale_dirs = ["locale"]
gettext_compact = False
gettext_location = False
gettext_uuid = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "gallery_pages",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("matplotlib", "html_pages.scraper"),
    "capture_repr": ("_repr_html_",),
    "matplotlib_animations": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,  # times of one machine say nothing
    "download_all_examples": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "gpumetrics"
html_theme_options = {
    "navbar_center": [],
    "navbar_end": ["language", "theme-switcher"],
    "show_prev_next": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}
html_sidebars = {"**": ["site_toc"]}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False

TRANSLATED = ["index", "install", "tour", "which_metric", "choosing", "tags"]
if tags.has("translated"):  # noqa: F821  (Sphinx's); with -b gettext: the sentences to translate, and no others
    extensions, default_role = ["myst_parser"], None
    include_patterns = [f"{page}.md" for page in TRANSLATED]
    suppress_warnings = ["myst.xref_missing", "toc.excluded", "toc.not_readable"]


def setup(app: Sphinx) -> None:
    """Take the blank line, which ends an example's output for doctest, out of the blocks of code that are shown."""
    app.connect("source-read", lambda _app, _name, text: text.__setitem__(0, text[0].replace("\n\n```\n", "\n```\n")))
