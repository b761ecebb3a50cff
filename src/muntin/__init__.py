"""Lazy NumPy expressions and OpenVX-class vision, fused into a few fast kernels."""

from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.errors import MuntinError
from muntin.runtime.context import use

__all__ = ["Array", "MuntinError", "asarray", "use"]
