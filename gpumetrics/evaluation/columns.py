"""How the variance of a table is shared among its columns: one that dominates decides every distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host, beside, row_squares
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["ColumnShares", "column_shares"]

SAMPLED_ROWS = 10_000
SAMPLED_VALUES = 1 << 22  # of a dense sample: 32 MiB
MUCH, TIMES = 0.9, 10.0  # a dominating column has this share, and so many times the median of the others
UNIT = 0.01  # by which the squared length of a row of unit length may be off, as in half precision


@dataclass(frozen=True)
class ColumnShares:
    """Shares of the total variance.

    Attributes
    ----------
    share : ndarray of shape (n_features,), float64
        They add up to 1; nan where no column varies.
    names : list of str
        Names of the columns; messages, "column 0", ... where they have none.
    n_rows : int
        Rows that were looked at, evenly spaced.
    exact : bool
        Whether these are all rows.
    unit_length : bool
        Whether all of them have length 1.
    """

    share: Array
    names: list[str]
    n_rows: int
    exact: bool
    unit_length: bool

    @property
    def largest(self) -> Array:
        """Columns, the one with most of the variance first."""
        return np.argsort(-np.nan_to_num(self.share), kind="stable")

    @property
    def dominating(self) -> int | None:
        """The column with nine tenths of the variance, and ten times the median of the others; None if there is none.

        Examples
        --------
        >>> import numpy as np
        >>> from gpumetrics.evaluation.columns import ColumnShares
        >>> ColumnShares(np.array([0.02, 0.98]), ["age", "income"], 50, True, False).dominating
        1
        """
        if len(self.share) < 2 or np.isnan(self.share).any():
            return None
        top = int(self.largest[0])
        others = float(np.median(np.delete(self.share, top)))
        return top if self.share[top] >= MUCH and self.share[top] >= TIMES * others else None


def column_shares(features: Features, X: Any) -> ColumnShares:
    """Measure the variance of each column from a sample of rows.

    Parameters
    ----------
    features : Features
    X : object
        The table as it was given, which may have names of columns.

    Returns
    -------
    ColumnShares
    """
    n, d = features.n_samples, features.n_features
    wanted = min(n, SAMPLED_ROWS if features.sparse else max(2, min(SAMPLED_ROWS, SAMPLED_VALUES // d)))
    rows = np.arange(wanted) * n // wanted
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        variance, squares = (_sparse if features.sparse else _dense)(features, rows)
        share = variance / variance.sum()
    unit = d > 1 and bool((np.abs(squares - 1) < UNIT).all())
    return ColumnShares(share, _names(X, d), wanted, wanted == n, unit)


def _dense(features: Features, rows: Array) -> tuple[Array, Array]:
    index = beside(rows, features.data)
    variance = as_host(features.rows(index).var(axis=0))
    return variance, as_host(row_squares(features.plain().rows(index)))


def _sparse(features: Features, rows: Array) -> tuple[Array, Array]:
    block = features.take(rows).astype(np.float64)
    squares = block.multiply(block)
    mean = np.asarray(block.mean(axis=0)).ravel()
    variance = np.maximum(np.asarray(squares.mean(axis=0)).ravel() - mean**2, 0.0)
    return variance, np.asarray(squares.sum(axis=1)).ravel()


def _names(X: Any, d: int) -> list[str]:
    names = list(getattr(X, "columns", ()))
    return [str(name) for name in names] if len(names) == d else [said("column {n}", n=at) for at in range(d)]
