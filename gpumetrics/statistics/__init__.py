"""Statistics that metrics are formulas over; two of a kind can be merged."""
