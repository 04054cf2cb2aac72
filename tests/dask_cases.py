"""What the tests of Dask share, in several files and with the workers."""

import time

UNEVEN = (1, 299, 0, 1, 400, 199)
"""Chunks of one row, and one without rows."""


def slow(block):
    """A block that takes long enough to arrive for a worker to die meanwhile."""
    time.sleep(0.05)
    return block
