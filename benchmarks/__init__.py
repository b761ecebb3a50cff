"""Comparisons of muntin with other libraries at their best: run `python -m benchmarks --help`."""
