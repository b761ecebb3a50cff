"""Filters of volumes beside SciPy's, one thread, into a given output."""
