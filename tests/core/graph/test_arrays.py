"""Bodies on NumPy arrays, and rows that only look at bits."""

import numpy as np
import pytest

from muntin.core.graph import build
from muntin.core.graph.arrays import ArrayBuilder, Held, body_meaning
from muntin.core.graph.ops import OPS
from muntin.dtypes import DTYPES
from muntin.errors import DTypeError, InternalError


def builder():
    return ArrayBuilder(OPS)


def held(values, dtype):
    return Held(np.array(values, dtype), DTYPES[dtype])


def test_a_body_means_what_its_rows_do():
    meaning = body_meaning(lambda b, x, y: b.add(b.multiply(x, y), b.like(0.5, x)), OPS)
    x, y = np.float32([[1], [2]]), np.float32([3, 4])
    np.testing.assert_array_equal(meaning(x, y), x * y + np.float32(0.5), strict=True)
    assert meaning(np.float32(2), np.float32(3)).shape == ()


def test_subnormals_are_kept_and_nothing_is_contracted():
    x = held([1 + 2.0**-23, 2.0**-100], "float32")
    y = held([1 - 2.0**-23, 2.0**-49], "float32")
    product = builder().multiply(x, y)
    assert builder().subtract(product, builder().like(1.0, x)).array[0] == 0
    assert product.array[1] == 2.0**-149


def test_numbers_casts_and_choices():
    x = held([1.5, -2.5, np.nan], "float32")
    whole = builder().cast(x, "int8")
    assert whole.dtype is DTYPES["int8"]
    np.testing.assert_array_equal(whole.array, np.int8([1, -2, 0]), strict=True)
    assert builder().interval(whole) == (-128, 127)
    chosen = builder().rarely(builder().isnan(x), builder().typed(7, DTYPES["float32"]), x)
    np.testing.assert_array_equal(chosen.array, np.float32([1.5, -2.5, 7]), strict=True)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (lambda b, x: b.twofold(x), "a body uses 'twofold', which is no elementwise operation"),
        (lambda b, x: b.add(x, b.typed(1, "int32")), "a body gives float32, int32 to add"),
    ],
)
def test_faults_of_bodies_are_told(body, fault):
    with pytest.raises(InternalError, match=fault):
        body_meaning(body, OPS)(np.float32([1]))


@pytest.mark.parametrize("bits", [32, 64])
def test_bits_go_there_and_back(bits):
    x = held([0.0, -0.0, 1.0, np.inf, -np.nan, 1e-40], f"float{bits}")
    there = builder().float_bits(x)
    assert there.dtype is DTYPES[f"int{bits}"]
    np.testing.assert_array_equal(there.array, x.array.view(f"i{bits // 8}"), strict=True)
    back = builder().from_bits(there)
    np.testing.assert_array_equal(back.array.view(f"i{bits // 8}"), there.array, strict=True)


@pytest.mark.parametrize(
    ("name", "dtype", "fault"),
    [
        (
            "float_bits",
            "int32",
            "float_bits: takes float16, .* or float64, but got int32; cast",
        ),
        ("from_bits", "uint32", "from_bits: takes int32 or int64, but got uint32; cast with"),
    ],
)
def test_bits_of_other_types_are_refused(name, dtype, fault):
    node = build.input_node(None, (3,), DTYPES[dtype])
    with pytest.raises(DTypeError, match=fault):
        build.elementwise(name, node)
