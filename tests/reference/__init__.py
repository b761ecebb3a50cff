"""Naive references in plain NumPy, from the definitions alone; y and x are the first two axes."""
