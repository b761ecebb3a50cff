"""NumPy's protocols, and any memory as an array without a copy."""
