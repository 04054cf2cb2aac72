"""Metrics of clusterings."""
