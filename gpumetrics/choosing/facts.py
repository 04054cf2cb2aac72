"""What a comparison must know of each score: its names in a table, its direction, how many decimals to print."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from gpumetrics.evaluation.score_facts import EXTERNAL, SCORES, ScoreFacts
from gpumetrics.text.messages import Message, enumerated, said

__all__ = [
    "DEFAULT_SCORES",
    "EXTERNAL_NAMES",
    "FACTS",
    "SHORT",
    "check_scores",
    "percent",
    "printed",
    "printed_estimate",
    "score_value",
    "score_words",
]

DEFAULT_SCORES = ("silhouette", "calinski_harabasz", "davies_bouldin")
SMALLEST_ERROR = 1e-8  # of an estimate that is not rounding
MOST_DECIMALS = 12
DENSITY = ScoreFacts("density_validity", said("density validity"), "higher", said("-1 to 1"))
FACTS = {**SCORES, DENSITY.name: DENSITY}
FIRST = {"silhouette": said("Silhouette"), DENSITY.name: said("Density validity")}  # at the beginning of a sentence
CHOICES = (*DEFAULT_SCORES, DENSITY.name)
EXTERNAL_NAMES = tuple(facts.name for facts in EXTERNAL)
SHORT = {
    "silhouette_macro": "macro s",
    "calinski_harabasz": "CH",
    "davies_bouldin": "DB",
    "density_validity": "DBCV",
    "adjusted_rand": "ARI",
    "adjusted_mutual_info": "AMI",
    "homogeneity": "homog.",
    "completeness": "compl.",
}


def check_scores(scores: Any) -> tuple[str, ...]:
    """Return the names of the scores, each once.

    Raises
    ------
    ValueError
        If one is unknown, or there is none.
    """
    given = [scores] if isinstance(scores, str) else scores
    names = tuple(given) if isinstance(given, Iterable) else ()
    unknown = [name for name in names if name not in CHOICES]
    if unknown or not names:
        got = repr(unknown[0]) if unknown else repr(scores)
        msg = f"scores must be some of {CHOICES}, got {got}; labels_true adds those against known classes"
        raise ValueError(msg)
    return tuple(dict.fromkeys(names))


def printed(name: str, value: float) -> str:
    """Return a score as a table has it: three decimals, Calinski-Harabasz without.

    Examples
    --------
    >>> from gpumetrics.choosing.facts import printed
    >>> printed("silhouette", 0.83350), printed("calinski_harabasz", 5285.6), printed("davies_bouldin", float("nan"))
    ('0.834', '5,286', '-')
    """
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if name == "calinski_harabasz" and (abs(value) >= 10 or value == 0):
        return f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.3g}"
    return f"{value:z.3f}" if abs(value) < 1e4 else f"{value:.3g}"


def printed_estimate(value: float, error: float) -> str:
    """Return an estimate with its standard error: as many decimals as the error needs, three at least.

    Examples
    --------
    >>> from gpumetrics.choosing.facts import printed_estimate
    >>> printed_estimate(0.8335, 0.012), printed_estimate(0.83351234, 0.000021)
    ('0.834 +/- 0.012', '0.83351 +/- 0.00002')
    """
    decimals = 3 if error < SMALLEST_ERROR else max(3, math.ceil(-math.log10(error)))
    return f"{value:z.{decimals}f} +/- {error:.{decimals}f}"


def percent(share: float, decimals: int = 0) -> Message:
    """Return a share in percent, with as many more decimals as keep what is not all from 100 %, and some from 0 %.

    Examples
    --------
    >>> from gpumetrics.choosing.facts import percent
    >>> percent(0.42), percent(0.998), percent(0.9999, 1), percent(1.0), percent(0.0003, 1)
    ('42 %', '99.8 %', '99.99 %', '100 %', '0.03 %')
    """
    text = f"{100 * share:.{decimals}f}"
    while float(text) in {0, 100} and share not in {0, 1} and decimals < MOST_DECIMALS:
        decimals += 1
        text = f"{100 * share:.{decimals}f}"
    return said("{number} %", number=text)


def score_words(names: Iterable[str], *, first: bool = False) -> Message:
    """Return scores as they stand in a sentence, or at the beginning of one: "Silhouette and Davies-Bouldin"."""
    start, *others = names
    words = [FIRST.get(start, FACTS[start].title) if first else FACTS[start].title]
    return enumerated(words + [FACTS[name].title for name in others])


def score_value(name: str, value: float) -> Message:
    """Return a score with its value: "silhouette 0.834"."""
    return said("{score} {value}", score=FACTS[name].title, value=printed(name, value))
