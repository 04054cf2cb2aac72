"""Products of counts, exact also where they overflow int64."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

LARGEST_SQUARED = 3_037_000_499  # the largest integer whose square fits int64


def divide_product(a: Array, b: Array, n: int) -> tuple[Array, Array]:
    """Quotient ``a b // n`` (int64) and the fraction that is left (float64), for counts up to n."""
    if n <= LARGEST_SQUARED:
        whole, rest = np.divmod(a * b, n)
        return whole, rest / n
    product = a.astype(object) * b.astype(object)
    whole = product // n
    return whole.astype(np.int64), ((product - whole * n) / n).astype(np.float64)
