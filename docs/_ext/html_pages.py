"""A scraper for sphinx-gallery: pages that an example wrote as .html are shown in it, and can be downloaded."""

import html
from pathlib import Path


def scraper(block: tuple, block_vars: dict, gallery_conf: dict) -> str:  # noqa: ARG001  (sphinx-gallery's signature)
    """Return reStructuredText that shows the pages that a block of an example has written beside it."""
    shown = []
    for file in sorted(Path(block_vars["src_file"]).parent.glob("*.html")):
        page = html.escape(file.read_text(encoding="utf-8"), quote=True).replace("\n", "&#10;")
        shown.append(f'.. raw:: html\n\n    <iframe class="report" title="{file.stem}" srcdoc="{page}"></iframe>\n')
        file.unlink()
    return "\n".join(shown)
