"""Results as HTML: one-file reports, and small tables for notebooks."""
