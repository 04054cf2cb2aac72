"""The report of a comparison of labelings: what the scores say together, what to ask, what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.choosing.facts import FACTS, printed
from gpumetrics.evaluation.remarks import BANDS
from gpumetrics.evaluation.score_facts import silhouette_band
from gpumetrics.pages.common import CHECKLIST, backend_rows, limits_section, settings_section, short, title_of
from gpumetrics.pages.comparison_code import full_reports, repeated
from gpumetrics.pages.comparison_tables import change_blocks, labelings_table, range_of, reasons_of
from gpumetrics.pages.model import Card, Cards, Code, Listing, Page, Paragraph, Section
from gpumetrics.text.messages import Message, counted, joined, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.pages.model import Block

__all__ = ["page_of"]

TONES = {"distinct": "good", "reasonable": "fair", "weak": "poor", "none": "poor"}
ASKS = {
    "silhouette": "Silhouette: is each row nearer to its own cluster than to the next one? Near 1 it is, at 0 it lies "
    "on the border, below 0 it is nearer to another cluster. The score is the mean over all rows.",
    "silhouette_macro": "Macro silhouette: the same, with each cluster counted the same, however few rows it has. Far "
    "below the silhouette, it says that small clusters are not well set apart.",
    "calinski_harabasz": "Calinski-Harabasz: how far do the clusters lie from each other, for how wide they are? It "
    "has no scale of its own: only which labeling of the same data has the most of it means anything.",
    "davies_bouldin": "Davies-Bouldin: how much does each cluster run into the one that is most like it? Lower is "
    "better. It looks at the worst neighbour of each cluster only.",
    "density_validity": "Density validity: are the clusters dense inside and sparse between them, whatever their "
    "shape? Below 0 it is the other way round.",
    "adjusted_rand": "Adjusted Rand: do the clusters repeat the known classes? 1 is the same partition, 0 is what "
    "chance gives.",
    "adjusted_mutual_info": "Adjusted mutual information: how much do the clusters tell of the known classes, beyond "
    "what chance gives?",
    "homogeneity": "Homogeneity: is each cluster of one class only? More clusters make it larger by themselves.",
    "completeness": "Completeness: is each class in one cluster only? Fewer clusters make it larger by themselves.",
}
LIMITS = (
    (
        "Which labeling is right. Each score has its own idea of a good cluster, and no score knows what the "
        "clusters are for."
    ),
    "Whether there are clusters at all: something is always the best of what was tried.",
    "Anything about other data. Scores compare within these rows, these columns and this scaling only.",
    "Whether clusters of another shape are right: most of these scores favour compact, round ones.",
)


def page_of(
    comparison: Comparison,
    *,
    lang: str = "en",
    title: str | None = None,
    told: Mapping[str, str] | None = None,
    command: str = "",
    further: str = "",
) -> Page:
    """Return the page of a comparison.

    Parameters
    ----------
    comparison : Comparison
    lang : {"en", "ko"}
    title : str, optional
    told : mapping of str to str, optional
        What is known besides of how the labelings came about, for the table of settings.
    command, further : str
        Lines for a shell that repeat the comparison, and that give the full report of what it chose.

    Returns
    -------
    Page
    """
    sections = [
        _next(comparison, further),
        _scores(comparison),
        _changes(comparison),
        _missing(comparison),
        Section("notes", "Notes", [Listing(list(comparison.notes.values()))] if comparison.notes else []),
        limits_section(LIMITS, CHECKLIST, what="Before one of these clusterings is used:"),
        _settings(comparison, told or {}, command),
    ]
    return Page(
        title=title_of(title, "Comparison of clusterings"),
        subtitle=_subtitle(comparison),
        lang=lang,
        lead=_lead(comparison),
        sections=[section for section in sections if section.blocks],
    )


def _word(comparison: Comparison, name: Any) -> str:
    return comparison.entries.word(comparison.names.index(name))


def _subtitle(comparison: Comparison) -> Message:
    labelings = counted(len(comparison), "{n:,} labeling", "{n:,} labelings")
    rows = counted(comparison.n_samples, "{n:,} row", "{n:,} rows")
    if comparison.metric == "precomputed":  # the number of columns says nothing about the data
        return said("{labelings} of {rows}, by their distances", labelings=labelings, rows=rows)
    columns = counted(comparison.n_features, "{n:,} column", "{n:,} columns")
    return said(
        "{labelings} of {rows} with {columns}, distance {metric}",
        labelings=labelings,
        rows=rows,
        columns=columns,
        metric=short(comparison.metric),
    )


def _lead(comparison: Comparison) -> list[Block]:
    questions = questions_of(comparison)
    # What is read first: the verdict, or where there is none the question that decides.
    blocks: list[Block] = [Paragraph(comparison.agreement, strong=not questions)]
    blocks += [Paragraph(question, strong=True) for question in questions]
    cards = [_card(comparison, name) for name in comparison.scores if comparison.best[name] is not None]
    return [*blocks, Cards(cards)] if cards else blocks


def questions_of(comparison: Comparison) -> list[str]:
    """Return the questions one by one."""
    question = comparison.question
    if not isinstance(question, Message):
        return question.splitlines()
    return list(question.values.values()) if "\n" in question.template else [question] if question else []


def _card(comparison: Comparison, score: str) -> Card:
    """Return the best labeling by a score."""
    name = comparison.best[score]
    value = float(comparison.rows[score][comparison.names.index(name)])
    band = silhouette_band(value) if score == "silhouette" else ""
    text = printed(score, value)
    reading = said("with {value}: {band}", value=text, band=BANDS[band]) if band else said("with {value}", value=text)
    return Card(
        title=said("best by {score}", score=FACTS[score].title),
        value=_word(comparison, name),
        range=range_of(score),
        reading=reading,
        tone=TONES.get(band, ""),
    )


def _next(comparison: Comparison, further: str) -> Section:
    names = comparison.choices()
    steps: list[str] = []
    if not names:
        steps.append("Read why scores are missing, below, and try other settings: nothing can be chosen from these.")
    elif len(names) > 1:
        steps += [
            "Answer the question above. It is about your purpose, so that no score can answer it for you.",
            (
                "If you cannot answer it yet, read rows of the groups in question: the full report of each choice "
                "shows some of each cluster. The lines below write these reports."
            ),
        ]
    else:
        word = _word(comparison, names[0])
        steps += [
            said("Take {word} as the first candidate, and not yet as the answer.", word=word),
            (
                "Look at its clusters: its full report names those that may be two, those that may be one, and rows to "
                "read. The lines below write it."
            ),
        ]
    if names:
        steps.append(
            "See whether the choice comes back with other seeds and other samples (gpumetrics.stability) before you "
            "build on it."
        )
    blocks: list[Block] = [Listing(steps, ordered=True)]
    if names:
        blocks += [Paragraph("The full report, from Python:"), Code(full_reports(comparison, names))]
    if names and further:
        blocks += [Paragraph("The full report, from a shell:"), Code(further)]
    return Section("next", "What to do next", blocks)


def _scores(comparison: Comparison) -> Section:
    from gpumetrics.displays.k_selection import KSelectionDisplay
    from gpumetrics.pages.figures import figure_of

    blocks: list[Block] = []
    if any(comparison.best[name] is not None for name in comparison.scores):
        draw = lambda ax: KSelectionDisplay.from_result(comparison, ax=ax)  # noqa: E731
        caption = "Each score over all labelings, with its best one marked. Compare where the marks stand, not heights."
        blocks.append(figure_of("k-selection", draw, caption, size=(7.0, 1.0 + 1.5 * len(comparison.scores))))
    table = labelings_table(comparison)
    asked = [ASKS[name] for name in comparison.rows if name in ASKS and comparison.best.get(name) is not None]
    blocks += [Paragraph("What each score asks:"), Listing(asked)] if asked else []
    return Section("scores", "The scores side by side", [*blocks, table])


def _changes(comparison: Comparison) -> Section:
    blocks = [block for at, change in enumerate(comparison.changes) for block in change_blocks(comparison, at, change)]
    return Section("changes", "What each choice changes", blocks)


def _missing(comparison: Comparison) -> Section:
    reasons = reasons_of(comparison)
    return Section("missing", "Why scores are missing", [Listing(reasons)] if reasons else [])


def _settings(comparison: Comparison, told: Mapping[str, str], command: str) -> Section:
    basis = comparison.entries.basis
    noise: str = "none" if comparison.noise_label is None else short(repr(comparison.noise_label))
    rows: list[tuple[str, str]] = [
        *told.items(),
        ("rows", f"{comparison.n_samples:,}"),
        ("columns", f"{comparison.n_features:,}"),
        ("labelings", f"{len(comparison):,}"),
        ("scores that choose", joined([FACTS[name].title for name in comparison.scores], ", ")),
        ("distance of the silhouette", short(comparison.metric)),
        ("label of noise", noise),
        ("silhouettes", _silhouettes(comparison)),
        ("known classes", "given" if basis.truth else "not given"),
        ("fingerprint of the rows", basis.data),
        *backend_rows(comparison.backend, "", comparison.seconds),
    ]
    code = {"To repeat it from Python:": repeated(comparison)}
    return settings_section(rows, code | ({"To repeat it from a shell:": command} if command else {}))


def _silhouettes(comparison: Comparison) -> str:
    if "silhouette" not in comparison.scores or comparison.silhouette_mode == "skip":
        return "left out"
    if comparison.silhouette_mode == "exact":
        return "of every row"
    asked = comparison.entries.basis.sample[0]
    return said("estimates from {asked:,} rows, the same for every labeling", asked=asked)
