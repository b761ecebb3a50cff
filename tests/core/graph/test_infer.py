"""Type rules: NumPy's promotion, and what each refuses."""

import numpy as np
import pytest

from muntin.core.graph.infer import resolve, weak_dtype
from muntin.core.graph.ops import OPS
from muntin.dtypes import DTYPES, dtype_of
from muntin.errors import DTypeError, RangeError

B, U8, I8, I64, F32, F64 = (
    DTYPES[name] for name in ("bool", "uint8", "int8", "int64", "float32", "float64")
)
ARITHMETIC = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "minimum": np.minimum,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "bitwise_and": np.bitwise_and,
    "equal": np.equal,
    "copysign": np.copysign,
}


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("a", DTYPES.values(), ids=str)
def test_results_have_the_type_that_numpy_gives(name, a):
    row = OPS[name]
    for b in DTYPES.values():
        try:
            wanted = ARITHMETIC[name](np.ones(1, a.numpy), np.ones(1, b.numpy)).dtype
        except TypeError:
            with pytest.raises(DTypeError, match=name):
                resolve(name, row.rule, (a, b))
            continue
        if name == "copysign" and not (a.is_half and a is b) and dtype_of(wanted).is_half:
            wanted = np.dtype("float32")  # in which functions of small integers are computed
        assert resolve(name, row.rule, (a, b))[1].numpy == wanted, b


@pytest.mark.parametrize(
    ("name", "dtypes", "fault"),
    [
        ("subtract", (B, B), r"subtract: is not defined for bool; use logical_xor"),
        ("negative", (B,), r"negative: is not defined for bool; use logical_xor or logical_not"),
        ("add_saturate", (F32, U8), "add_saturate: takes integers, but got float32 and uint8; ca"),
        ("rounded_sqrt", (F64,), "rounded_sqrt: takes integers, but got float64; cast with"),
        ("bitwise_or", (U8, F32), "bitwise_or: takes integers or bool, but got uint8 and float32"),
        ("bitwise_invert", (F32,), "bitwise_invert: takes integers or bool, but got float32"),
        ("float_bits", (I64,), "float_bits: takes float16, bfloat16, float32 or float64, but got"),
        ("float16_from_bits", (I64,), "float16_from_bits: takes int16, but got int64; cast with"),
        ("from_bits", (F32,), "from_bits: takes int32 or int64, but got float32; cast with"),
    ],
)
def test_types_that_an_operation_does_not_take(name, dtypes, fault):
    with pytest.raises(DTypeError, match=fault):
        resolve(name, OPS[name].rule, dtypes)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
@pytest.mark.parametrize("value", [True, 3, 3.5], ids=str)
def test_python_numbers_are_weak(dtype, value):
    wanted = dtype.numpy if dtype.is_float else (np.ones(1, dtype.numpy) + value).dtype
    assert weak_dtype("add", value, dtype).numpy == wanted


def test_integers_where_floats_are_made_are_floats():
    assert weak_dtype("divide", 1 << 40, U8, "floating").is_float


@pytest.mark.parametrize(
    ("value", "dtype", "fault"),
    [
        (-1, U8, r"add: the number -1 does not fit in uint8 \(0 to 255\), the type of the array"),
        (128, I8, r"add: the number 128 does not fit in int8 \(-128 to 127\)"),
        (1 << 63, I64, "add: the number 9223372036854775808 does not fit in int64"),
        (1 << 1100, F64, "add: an integer of 1101 bits does not fit in float64; use a float"),
    ],
)
def test_numbers_that_do_not_fit(value, dtype, fault):
    with pytest.raises(RangeError, match=fault):
        weak_dtype("add", value, dtype)
