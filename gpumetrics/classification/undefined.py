"""What a score is where it is 0/0: the one rule behind every ``zero_division``."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

from gpumetrics.backends.array_modules import array_module
from gpumetrics.exceptions import warn_undefined

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["check_zero_division", "divide", "is_warn", "mean_of_defined", "warn_ill_defined"]


def check_zero_division(zero_division: Any, function: str) -> float:
    """Return the value that 0/0 shall have: 0.0, 1.0 or nan; ``"warn"`` stands for 0.0.

    Raises
    ------
    ValueError
        For any other value, with the name of the function in the message.
    """
    if is_warn(zero_division):
        return 0.0
    if isinstance(zero_division, Real) and (math.isnan(zero_division) or zero_division in {0, 1}):
        return float(zero_division)
    msg = (
        f"The 'zero_division' parameter of {function} must be a float among {{0.0, 1.0}}, numpy.nan or a str among "
        f"{{'warn'}}. Got {zero_division!r} instead."
    )
    raise ValueError(msg)


def is_warn(zero_division: Any) -> bool:
    """Whether 0/0 is to be warned of."""
    return isinstance(zero_division, str) and zero_division == "warn"


def divide(numerator: Array, denominator: Array, undefined: float) -> tuple[Array, bool]:
    """Divide counts; where the denominator is 0 the quotient is `undefined`.

    Parameters
    ----------
    numerator, denominator : ndarray of NumPy or CuPy, of one shape
    undefined : float

    Returns
    -------
    quotient : ndarray of float64
        In the library of the counts.
    any_undefined : bool
        Whether a denominator is 0. Reading it waits for the device.
    """
    xp = array_module(denominator)
    nothing = denominator == 0
    any_undefined = bool(nothing.any())
    if not any_undefined:
        return numerator / denominator, False
    quotient = numerator / xp.where(nothing, 1, denominator)
    return xp.where(nothing, undefined, quotient), True


def mean_of_defined(scores: Array, weights: Array | None = None, times: Array | None = None) -> float:
    """Mean of scores without those that are nan; nan if none is left.

    Weights that add up to 0 are ignored; then each score counts as many `times` as it stands for (None: once).
    """
    missing = array_module(scores).isnan(scores)
    if bool(missing.any()):
        scores, (weights, times) = scores[~missing], (x if x is None else x[~missing] for x in (weights, times))
    if not len(scores):
        return math.nan
    for factors in (weights, times):
        total = 0.0 if factors is None else float(factors.sum())
        if total:
            return float((scores * factors).sum() / total)
    return float(scores.mean())


def warn_ill_defined(score: str, missing: str, *, n_scores: int, samplewise: bool = False) -> None:
    """Warn that a score is 0.0 for want of a denominator, in scikit-learn's words.

    Parameters
    ----------
    score : str
        Its name, as it begins the sentence.
    missing : str
        What there is none of: "predicted", "true", "true nor predicted", "true or predicted".
    n_scores : int
        How many values were computed: of one, nothing is said about where it stands.
    samplewise : bool
        Whether they belong to samples rather than to labels.
    """
    counted, scored = ("label", "sample") if samplewise else ("sample", "label")
    where = "due to" if n_scores == 1 else f"in {scored}s with"
    warn_undefined(
        f"{score} is ill-defined and being set to 0.0 {where} no {missing} {counted}s. "
        "Use `zero_division` parameter to control this behavior."
    )
