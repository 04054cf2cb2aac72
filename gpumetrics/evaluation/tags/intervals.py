"""Intervals for means over documents, and for quotients of sums over documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["ratio_interval"]

Z = 1.959963984540054  # of 95 %


def ratio_interval(
    numerators: Array, denominators: Array | float = 1.0, weights: Array | None = None
) -> tuple[float, float]:
    """Interval of 95 % for ``sum(numerators) / sum(denominators)``, from 0 to 1, over documents drawn at random.

    The normal interval of a ratio (of a mean, for denominators of 1), with z**2 / 2 documents of average size added of
    which none is right, and as many of which all is. So it has a width even where all documents are right, and for
    shares of right documents it is the interval of Agresti and Coull.

    Parameters
    ----------
    numerators : ndarray of shape (n_documents,)
        From 0 to the denominators; nan for documents to be left out.
    denominators : ndarray of shape (n_documents,), or 1.0
    weights : ndarray of shape (n_documents,), optional

    Returns
    -------
    low, high : float
        nan where there is nothing to divide by.

    References
    ----------
    A. Agresti and B. A. Coull, Approximate is better than "exact" for interval estimation of binomial proportions, The
    American Statistician 52 (1998); W. G. Cochran, Sampling Techniques (1977), section 2.11.

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics.evaluation.tags.intervals import ratio_interval
    >>> [round(end, 3) for end in ratio_interval(np.ones(10))]
    [0.679, 1.0]
    """
    size = np.broadcast_to(np.asarray(denominators, dtype=np.float64), numerators.shape)
    # Divided by the largest, so that no square is too large or small.
    weight = np.ones(len(numerators)) if weights is None else weights / weights.max()
    missing = np.isnan(numerators)
    right = numerators
    if missing.any():
        right, size, weight = numerators[~missing], size[~missing], weight[~missing]
    if not len(right) or not float(weight @ size):
        return math.nan, math.nan
    if weights is not None:
        weight *= weight.sum() / (weight @ weight)  # their sum: of how many equal documents they are worth
    total = float(weight @ size)
    average = total / float(weight.sum())
    added = Z * Z / 2
    total_added = total + 2 * added * average
    centre = (float(weight @ right) + added * average) / total_added
    squares = float(weight @ (right - centre * size) ** 2) + added * average**2 * (centre**2 + (1 - centre) ** 2)
    half = Z * math.sqrt(squares) / total_added
    estimate = min(1.0, float(weight @ right) / total)
    return max(0.0, min(centre - half, estimate)), min(1.0, max(centre + half, estimate))
