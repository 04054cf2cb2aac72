"""Choosing among clusterings of the same data: comparisons, sweeps over settings, stability."""
