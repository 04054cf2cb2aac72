"""Write the generated pages, or say which of them are not current.

PYTHONPATH=. python docs/_generate          writes docs/api.rst and docs/coverage.md
PYTHONPATH=. python docs/_generate --check  exits with 1 where they are not what would be written
"""

import sys
from pathlib import Path

import api
import coverage

DOCS = Path(__file__).parent.parent
PAGES = {"api.rst": api.page, "coverage.md": coverage.page}


def main(*, check: bool) -> int:
    """Write the pages, or compare them with what would be written; return the exit status."""
    stale = []
    for name, page in PAGES.items():
        file, text = DOCS / name, page()
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            file.write_text(text, encoding="utf-8")
    for name in stale:
        sys.stdout.write(f"docs/{name}: {'not current: run python docs/_generate' if check else 'written'}\n")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
