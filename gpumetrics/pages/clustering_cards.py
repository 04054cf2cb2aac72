"""The numbers of a clustering that are read at a glance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpumetrics.choosing.facts import percent, printed
from gpumetrics.evaluation.remarks import MUCH_NOISE
from gpumetrics.evaluation.score_facts import SCORES
from gpumetrics.pages.common import own
from gpumetrics.pages.model import Card
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.pages.clustering_view import View

__all__ = ["ARROWS", "cards_of"]

TONES = {"distinct": "good", "reasonable": "fair", "weak": "poor", "none": "poor", "": ""}
DIRECTIONS = {"higher": "{range}, higher is better", "lower": "{range}, lower is better"}
ARROWS = {"higher": "↑ higher", "lower": "↓ lower"}
CARDS = ("silhouette", "davies_bouldin", "calinski_harabasz", "adjusted_rand")


def cards_of(view: View) -> list[Card]:
    """Return the cards."""
    report = view.report
    cards = [Card("clusters", f"{report.n_clusters:,}", reading=counted(report.n_samples, "{n:,} row", "{n:,} rows"))]
    cards += [_score_card(view, name) for name in CARDS if not math.isnan(report.scores.get(name, math.nan))]
    if report.noise_label is not None and report.n_noise:
        doubtful = report.noise_fraction > MUCH_NOISE
        cards.append(
            Card(
                "noise",
                percent(report.noise_fraction, 1),
                reading=said("{rows} left out of every score", rows=counted(report.n_noise, "{n:,} row", "{n:,} rows")),
                tone="poor" if doubtful else "",
            )
        )
    if view.stability is not None and not math.isnan(view.stability.mean):
        tone = {"structure": "good", "between": "fair", "trivial": ""}.get(view.stability.band, "poor")
        direction = said(DIRECTIONS["higher"], range=said("-0.5 to 1"))
        cards.append(Card("stability", f"{view.stability.mean:.3f}", direction, tone=tone))
    return cards


def _score_card(view: View, name: str) -> Card:
    report, facts = view.report, SCORES[name]
    reading = report.readings.get(name, "")
    return Card(
        facts.title,
        own(printed(name, report.scores[name])),
        said(DIRECTIONS[facts.better], range=facts.range),
        reading,
        TONES[report.silhouette_band] if name == "silhouette" else "",
    )
