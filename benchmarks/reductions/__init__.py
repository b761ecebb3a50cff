"""Reductions and scans of 64 million elements, and how fast they can be read."""
