"""LLVM's names for types and numbers, of single values and of vectors."""

from __future__ import annotations

import struct

from muntin.dtypes import DType

__all__ = ["literal", "memory_type", "suffix", "value_type"]


def _vector(kind: str, lanes: int) -> str:
    return kind if lanes == 1 else f"<{lanes} x {kind}>"


def value_type(dtype: DType, lanes: int = 1) -> str:
    """Return the type of a value in a register."""
    if dtype.is_float and not dtype.is_half:  # which is known by its bits
        return _vector("float" if dtype.bits == 32 else "double", lanes)
    return "ptr" if dtype.kind == "p" else _vector(f"i{dtype.bits}", lanes)


def memory_type(dtype: DType, lanes: int = 1) -> str:
    """Return the type of an element in memory."""
    return _vector("i8", lanes) if dtype.kind == "b" else value_type(dtype, lanes)


def suffix(dtype: DType, lanes: int = 1) -> str:
    """Return what an intrinsic's name ends with."""
    kind = f"f{dtype.bits}" if dtype.kind == "f" else f"i{dtype.bits}"
    return kind if lanes == 1 else f"v{lanes}{kind}"


def _float_bits(value: float) -> str:
    """Return a floating number by its bits."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def literal(value: int | float, dtype: DType, lanes: int = 1) -> str:
    """Return a number as LLVM writes it, in every lane."""
    if dtype.is_half:
        text = str(dtype.float_bits(value))
    elif dtype.kind == "f":
        text = _float_bits(dtype.rounded(value))
    elif dtype.kind == "b":
        text = "true" if value else "false"
    else:
        text = str(int(value))
    return text if lanes == 1 else f"splat ({value_type(dtype)} {text})"
