"""One table of cases that is measured, checked and written up: `python -m benchmarks --help`."""
