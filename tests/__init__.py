"""Tests, in folders that mirror src/muntin."""
