"""A mean over all rows, estimated from a stratified sample of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["StratifiedMean", "random_source", "stratified_mean", "stratified_rows"]


@dataclass(frozen=True)
class StratifiedMean:
    """Estimated means with their standard errors.

    Attributes
    ----------
    value, standard_error : float
        Mean over all rows.
    macro, macro_standard_error : float
        Mean of the strata's means, each stratum with equal weight.
    """

    value: float
    standard_error: float
    macro: float
    macro_standard_error: float


def stratified_rows(codes: Array, counts: Array, n_rows: int, random_state: Any = None) -> Array:
    """Draw about `n_rows` rows without replacement, from each stratum in proportion to its size.

    Every stratum gives at least two rows (all it has, where it has fewer), so that its variance is known.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Stratum of each row, 0..n_strata-1.
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
    n = len(codes)
    wanted = np.minimum(counts, np.maximum(2, np.rint(n_rows * (counts / n)).astype(np.int64)))
    # Rows in random order inside each stratum, stratum after stratum: the first rows of each are a sample.
    order = np.lexsort((random_source(random_state).random(n), codes))
    starts = np.cumsum(counts) - counts
    position = np.arange(n) - np.repeat(starts, counts)
    chosen: Array = np.sort(order[position < np.repeat(wanted, counts)])
    return chosen


def random_source(random_state: Any) -> Any:
    """Return the generator for a seed, or the one that was given; ValueError for anything else."""
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return random_state
    seed = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0
    if random_state is None or seed:
        return np.random.default_rng(random_state)
    msg = f"random_state must be None, an integer from 0, a Generator or a RandomState, got {random_state!r}"
    raise ValueError(msg)


def stratified_mean(values: Array, codes: Array, counts: Array) -> StratifiedMean:
    """Estimate the mean over all rows from the values of sampled ones.

    The estimate is unbiased; its variance is that of stratified sampling without replacement, with
    the finite population correction (Cochran, "Sampling Techniques", 1977, chapter 5).

    Parameters
    ----------
    values : ndarray of shape (n_sampled,)
        Value of each sampled row.
    codes : ndarray of shape (n_sampled,)
        Stratum of each sampled row; every stratum has at least one.
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
    k = len(counts)
    m = np.bincount(codes, minlength=k)
    mean = np.bincount(codes, weights=values, minlength=k) / m
    squares = np.bincount(codes, weights=(values - mean[codes]) ** 2, minlength=k)
    variance = (1 - m / counts) * squares / np.maximum(m - 1, 1) / m
    share = counts / counts.sum()
    return StratifiedMean(
        value=float(share @ mean),
        standard_error=math.sqrt(float(share**2 @ variance)),
        macro=float(mean.mean()),
        macro_standard_error=math.sqrt(float(variance.sum())) / k,
    )
