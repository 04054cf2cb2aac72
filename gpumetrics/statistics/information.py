"""Entropy and mutual information of a table, in nats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends import choose
from gpumetrics.statistics.divergence import divergence

if TYPE_CHECKING:
    from gpumetrics.statistics.contingency import Contingency
    from gpumetrics.types import Array


def entropy_of(counts: Array) -> float:
    """Compute the entropy of positive counts; their order does not change a bit of it."""
    if len(counts) <= 1:
        return 0.0
    n = int(counts.sum())
    share = counts / n
    # log(1 - x) for shares near 1, where log(share) has lost the digits of the rest.
    logs = np.where(share > 0.5, np.log1p(-(n - counts) / n), np.log(share))
    return float(np.sort(-share * logs).sum())


def mutual_info_from(table: Contingency) -> float:
    """Compute the mutual information of a table; its transpose gives the same bits."""
    if table.is_empty or table.has_single_side:
        return 0.0
    # One labeling refines the other, whose entropy is all shared.
    if table.is_homogeneous:
        return entropy_of(table.row_margins)
    if table.is_complete:
        return entropy_of(table.col_margins)
    excess, product = table.excess()
    if not excess.any():
        return 0.0
    # The empty cells together: each has divergence 1 at its share of the product of the margins, and the
    # products of all cells sum to n squared, in integers.
    square = table.n_samples**2
    empty = (square - int(product.sum())) / square
    ratio = (excess / product).astype(np.float64)
    terms = (product / square).astype(np.float64) * divergence(ratio)
    return float(np.sort(terms).sum() + empty)


def log_counts_of(counts: Array) -> float:
    """Compute ``sum(c log c) / n`` of positive counts, which is log(n) less their entropy; in any order."""
    return float(np.sort(counts * np.log(counts)).sum() / int(counts.sum()))


def expected_mutual_info_from(table: Contingency, *, log_counts: bool = False) -> float:
    """Compute the mean, over all tables with these margins, of the mutual information or of `log_counts_of`."""
    if table.is_empty or table.has_single_side:
        return 0.0
    ops = choose().ops
    margins = table.row_margins, table.col_margins
    return float(ops.expected_mutual_information(*margins, table.n_samples, log_counts=log_counts))
