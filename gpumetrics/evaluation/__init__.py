"""Reports over many metrics at once."""
