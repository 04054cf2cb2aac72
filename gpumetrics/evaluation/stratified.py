"""A mean over all rows, estimated from a stratified sample of them: the strata, the sizes, the estimate, its error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = [
    "StratifiedMean",
    "StratumMeans",
    "allocate",
    "draw_integers",
    "random_source",
    "strata_of",
    "stratified_mean",
    "stratified_rows",
    "stratum_means",
]

FEWEST = 2  # rows of a stratum from which its variance can be told
LOWEST_RATE = 0.5  # share of the rate of a plain sample at which every stratum is sampled at least


@dataclass(frozen=True)
class StratumMeans:
    """What the sampled rows say of each stratum.

    Attributes
    ----------
    n_rows : ndarray of int64
        Rows that were sampled.
    mean : ndarray of float64
        Their mean; nan where there are none.
    variance : ndarray of float64
        Estimated variance of that mean as the mean of the whole stratum: 0 where all its rows were sampled, nan where
        one of several was, or none.
    """

    n_rows: Array
    mean: Array
    variance: Array


@dataclass(frozen=True)
class StratifiedMean:
    """Estimated means with their standard errors.

    Attributes
    ----------
    value, standard_error : float
        Mean over all rows.
    macro, macro_standard_error : float
        Mean of the strata's means, each stratum with equal weight.
    freedom : float
        Degrees of freedom of the standard error of `value`, by Satterthwaite's approximation; inf where it is 0.
    """

    value: float
    standard_error: float
    macro: float
    macro_standard_error: float
    freedom: float


def strata_of(sizes: Array, n_rows: int, least: float = FEWEST) -> Array:
    """Choose the strata for a sample: the clusters, the small ones of many together.

    A cluster is a stratum of its own if `n_rows` rows, drawn in proportion to the sizes, hold at least `least` of it.
    However small it is so where two rows of each cluster leave enough for the large ones, on which the error rests:
    half of what they have in proportion (and where `least` is no more than 2, since whoever draws can see to that).
    The choice rests on the sizes alone, never on what was drawn.

    Parameters
    ----------
    sizes : ndarray of shape (n_clusters,), int64
    n_rows : int
    least : float

    Returns
    -------
    ndarray of shape (n_clusters,), int64
        Stratum of each cluster, 0..n_strata-1.

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics.evaluation.stratified import strata_of
    >>> strata_of(np.array([50, 20, 40, 3, 5]), 9).tolist()
    [0, 2, 1, 2, 2]
    >>> strata_of(np.array([50, 20, 40, 3, 5]), 12).tolist()
    [0, 1, 2, 3, 4]
    """
    k = len(sizes)
    if least <= FEWEST and _all_have_their_share(sizes, n_rows):
        return np.arange(k)
    by_size = np.argsort(-sizes, kind="stable")
    share = n_rows / sizes.sum()
    own = int(np.count_nonzero(sizes * share >= least))
    rest = sizes[by_size[own:]].sum()
    while own and own < k and rest * share < least:  # what is left over is a stratum too
        own -= 1
        rest += sizes[by_size[own]]
    out = np.full(k, own)
    chosen = np.sort(by_size[:own])
    out[chosen] = np.arange(own)
    return out


def _all_have_their_share(sizes: Array, n_rows: int) -> bool:
    if np.minimum(sizes, FEWEST).sum() > n_rows:
        return False
    rate = allocate(sizes, n_rows) / sizes
    return bool(rate.min() >= LOWEST_RATE * min(1.0, n_rows / sizes.sum()))


def allocate(counts: Array, n_rows: int) -> Array:
    """Share `n_rows` rows among strata, in proportion to their sizes but at least two of each (or all it has).

    Parameters
    ----------
    counts : ndarray of shape (n_strata,), int64
        Rows of each stratum.
    n_rows : int
        Rows in all; more are taken only if two of each stratum are more.

    Returns
    -------
    ndarray of shape (n_strata,), int64

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics.evaluation.stratified import allocate
    >>> allocate(np.array([1, 2, 97]), 10).tolist()
    [1, 2, 7]
    """
    least = np.minimum(counts, FEWEST)
    if n_rows >= counts.sum():
        return counts.copy()
    low, high = 0.0, 1.0  # the rate at which the strata that are not at their least are sampled
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(least, middle * counts).sum() <= n_rows else (low, middle)
    wanted = np.maximum(least, low * counts)
    out = np.floor(wanted).astype(np.int64)
    missing = max(0, n_rows - int(out.sum()))
    largest_remainder = np.argsort(out - wanted, kind="stable")[:missing]
    out[largest_remainder] += out[largest_remainder] < counts[largest_remainder]
    return out


def stratified_rows(codes: Array, counts: Array, n_rows: int, random_state: Any = None) -> Array:
    """Draw `n_rows` rows without replacement, from each stratum in proportion to its size.

    Every stratum gives at least two rows (all it has, where it has fewer), so that its variance is known.

    Parameters
    ----------
    codes : array of shape (n_samples,)
        Stratum of each row, 0..n_strata-1; NumPy's or CuPy's.
    counts : ndarray of shape (n_strata,)
        Rows in each stratum.
    n_rows : int
        Rows wanted.
    random_state : int, Generator, RandomState or None
        Source of the randomness.

    Returns
    -------
    ndarray of int64
        Row numbers, ascending.
    """
    from gpumetrics.evaluation.row_draws import RowDraws

    draws = RowDraws(codes, counts, random_source(random_state))
    return np.sort(draws.up_to(allocate(counts, n_rows)))


def random_source(random_state: Any) -> Any:
    """Return the generator for a seed, or the one that was given; ValueError for anything else."""
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return random_state
    seed = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0
    if random_state is None or seed:
        return np.random.default_rng(random_state)
    msg = f"random_state must be None, an integer from 0, a Generator or a RandomState, got {random_state!r}"
    raise ValueError(msg)


def draw_integers(source: Any, low: Any, high: Any, size: int | None = None) -> Array:
    """Draw integers from `low` up to `high`, which is left out, from a generator of either of NumPy's kinds."""
    draw = source.integers if isinstance(source, np.random.Generator) else source.randint
    out: Array = draw(low, high, size=size, dtype=np.int64)
    return out


def stratum_means(values: Array, codes: Array, counts: Array) -> StratumMeans:
    """Estimate the mean of each stratum from sampled rows, drawn without replacement inside it.

    Parameters
    ----------
    values : ndarray of shape (n_sampled,)
        Value of each sampled row.
    codes : ndarray of shape (n_sampled,)
        Stratum of each sampled row.
    counts : ndarray of shape (n_strata,)
        Rows of each stratum in the whole.
    """
    k = len(counts)
    m = np.bincount(codes, minlength=k)
    with np.errstate(invalid="ignore"):
        mean = np.where(m, np.bincount(codes, weights=values, minlength=k) / np.maximum(m, 1), np.nan)
    squares = np.bincount(codes, weights=(values - mean[codes]) ** 2, minlength=k)
    variance = (1 - m / counts) * squares / np.maximum(m - 1, 1) / np.maximum(m, 1)
    return StratumMeans(m, mean, np.where((m > 1) | (m == counts), variance, np.nan))


def stratified_mean(values: Array, codes: Array, counts: Array) -> StratifiedMean:
    """Estimate the mean over all rows from the values of sampled ones.

    The estimate is unbiased; its variance is that of stratified sampling without replacement, with
    the finite population correction (Cochran, "Sampling Techniques", 1977, chapter 5).

    Parameters
    ----------
    values : ndarray of shape (n_sampled,)
        Value of each sampled row.
    codes : ndarray of shape (n_sampled,)
        Stratum of each sampled row; every stratum has two at least, or all its rows.
    counts : ndarray of shape (n_strata,)
        Rows of each stratum in the whole.

    Returns
    -------
    StratifiedMean

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics.evaluation.stratified import stratified_mean
    >>> stratified_mean(np.array([1.0, 3.0]), np.array([0, 0]), np.array([2])).standard_error
    0.0
    """
    strata = stratum_means(values, codes, counts)
    share = counts / counts.sum()
    parts = share**2 * strata.variance
    variance = float(parts.sum())
    loss = float((parts**2 / np.maximum(strata.n_rows - 1, 1)).sum())
    return StratifiedMean(
        value=float(share @ strata.mean),
        standard_error=math.sqrt(variance),
        macro=float(strata.mean.mean()),
        macro_standard_error=math.sqrt(float(strata.variance.sum())) / len(counts),
        freedom=variance**2 / loss if loss > 0 else math.inf,
    )
