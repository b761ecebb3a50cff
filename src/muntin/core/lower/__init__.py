"""Lowering: planned kernels written as programs."""
