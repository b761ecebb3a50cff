"""Loops written by hand: a user's function is run once, on values that record what it does."""
