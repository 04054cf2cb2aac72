"""Chunks of Dask's arrays that the tests of several files share."""

UNEVEN = (1, 299, 0, 1, 400, 199)
"""Chunks of one row, and one without rows."""
