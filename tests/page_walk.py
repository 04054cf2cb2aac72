"""What stands on a page: its texts one by one, its tables, and the templates that a language must have."""

from dataclasses import fields, is_dataclass

from gpumetrics.pages.model import Code, Fold, Table
from gpumetrics.text.messages import Message

NO_TEXT = {"id", "svg", "marks", "mark", "lang", "tone", "image"}


def texts_of(item):
    """Yield every text of a page, a section or a block that a reader sees in a language."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, Code):
        return
    elif hasattr(item, "_fields") or is_dataclass(item):
        names = getattr(item, "_fields", None) or [field.name for field in fields(item)]
        for name in names:
            if name not in NO_TEXT:
                yield from texts_of(getattr(item, name))
    elif isinstance(item, list | tuple):
        for part in item:
            yield from texts_of(part)


def templates_of(text):
    """Yield the template of a message and those of the messages in it; a plain text is its own."""
    yield text.template if isinstance(text, Message) else text
    if isinstance(text, Message):
        for value in text.values.values():
            if isinstance(value, Message):
                yield from templates_of(value)


def blocks_of(page, kind):
    """Return the blocks of a kind, in the order of the page."""
    queue, found = [*page.lead, *(block for section in page.sections for block in section.blocks)], []
    while queue:
        block = queue.pop(0)
        found += [block] if isinstance(block, kind) else []
        queue[:0] = block.blocks if isinstance(block, Fold) else []
    return found


def table_of(page, name):
    """Return the table of an id."""
    return next(table for table in blocks_of(page, Table) if table.id == name)


def columns_of(table):
    """Return the cells of a table by the title of their column."""
    return {column.title: [row[at] for row in table.rows] for at, column in enumerate(table.columns)}
