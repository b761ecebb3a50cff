"""Lowering: from the stages of a kernel to a program."""
