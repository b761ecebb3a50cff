"""Tests of muntin.runtime."""
