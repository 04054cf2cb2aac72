"""Statistics that metrics are formulas over."""
