"""Folds of rows that are used in the rows: one kernel, and the bits of the reference."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from tests.pointwise import same_bits

Expression = Callable[[Any], Any]


def softmax(xp: Any, x: Any) -> Any:
    powers = xp.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def standardised(xp: Any, x: Any) -> Any:
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) / xp.sqrt(variance + 1e-5)


def centred(xp: Any, x: Any) -> Any:
    return x - x.mean(axis=-1)[..., None]


def ranged(xp: Any, x: Any) -> Any:
    low, high = x.min(axis=-1, keepdims=True), x.max(axis=-1, keepdims=True)
    return (x - low) / (high - low)


def unit_rows(xp: Any, x: Any) -> Any:
    return x / xp.sqrt((x * x).sum(axis=-1, keepdims=True))


EXPRESSIONS = [softmax, standardised, centred, ranged, unit_rows]
SHAPES = [(8, 2), (9, 5), (40, 700), (3, 11, 70), (2, 3, 4, 17), (17, 4096)]
LONG = [(8, 4097), (9, 13000), (8, 65536)]


def sample(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.asarray(np.random.default_rng(0).normal(size=shape) * 3 + 1).astype(dtype)


def kernels(*arrays: mt.Array) -> int:
    return int(str(mt.explain(*arrays)).split(maxsplit=1)[0])


def bits(expression: Expression, x: Any, **use: Any) -> np.ndarray:
    """Return an expression's array, which must be the reference's to the bit."""
    with mt.use(**use):
        found = np.asarray(expression(mt.asarray(x)))
    with mt.use("reference"):
        assert same_bits(found, np.asarray(expression(mt.asarray(x))))
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_rows_use_is_one_kernel(expression: Any, shape: Any, dtype: str) -> None:
    x = sample(shape, dtype)
    lazy = mt.asarray(x)
    assert kernels(expression(mt, lazy)) == 1
    found = bits(lambda array: expression(mt, array), x)
    tolerance = 1e-4 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(found, expression(np, x), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("expression", [softmax, centred, ranged])
def test_the_parts_of_long_rows_are_combined(expression: Any, shape: Any) -> None:
    x = sample(shape, "float32")
    assert kernels(expression(mt, mt.asarray(x))) == 1
    found = bits(lambda array: expression(mt, array), x)
    np.testing.assert_allclose(found, expression(np, x.astype(np.float64)), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float32", "float64"])
def test_every_fold_and_type(name: str, dtype: str) -> None:
    x = sample((11, 9000), dtype)
    if name == "prod":
        x = np.where(x == 0, np.array(1, dtype), x)

    def apart(array: Any) -> Any:
        return array - getattr(array, name)(axis=1, keepdims=True)

    assert kernels(apart(mt.asarray(x))) == 1
    bits(apart, x)


def test_nan_infinity_and_zeros_of_any_sign() -> None:
    x = sample((12, 300), "float32")
    x[1, 5], x[2, 7], x[3], x[4], x[5, ::2] = np.nan, np.inf, -np.inf, 0.0, -0.0
    for expression in EXPRESSIONS:
        bits(lambda array, made=expression: made(mt, array), x)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_any_number_of_threads(threads: int) -> None:
    x = sample((101, 5000), "float32")
    bits(lambda array: softmax(mt, array), x, threads=threads)


def test_views_of_memory() -> None:
    x = sample((60, 1400), "float32")
    for view in (x[::2, ::2], x[::-1, ::-1], x.T, np.broadcast_to(x[:, :1], x.shape), x[4:, 3:]):
        bits(lambda array: softmax(mt, array), view)


def test_a_row_of_a_square_is_no_column() -> None:
    x = sample((64, 64), "float64")
    lazy = mt.asarray(x)
    along = np.asarray(lazy - lazy.sum(axis=1))  # broadcast down the columns
    np.testing.assert_allclose(along, x - x.sum(axis=1), rtol=1e-12)
    down = np.asarray(lazy - lazy.sum(axis=0, keepdims=True))
    np.testing.assert_allclose(down, x - x.sum(axis=0, keepdims=True), rtol=1e-12)
    turned = np.asarray(lazy.T - lazy.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(turned, x.T - x.sum(axis=1, keepdims=True), rtol=1e-12)
    back = np.asarray(lazy - lazy.sum(axis=1, keepdims=True)[::-1])
    np.testing.assert_allclose(back, x - x.sum(axis=1, keepdims=True)[::-1], rtol=1e-12)


def test_rows_of_one_array_serve_another() -> None:
    x, y = sample((30, 200), "float32"), sample((30, 200), "float32") + 1
    scale = sample((30, 1), "float32")
    a, b, c = mt.asarray(x), mt.asarray(y), mt.asarray(scale)
    expression = b - (a.sum(axis=1, keepdims=True) * c + 1)
    assert kernels(expression) == 1
    found = np.asarray(expression)
    theirs = y - (x.astype(np.float64).sum(axis=1, keepdims=True) * scale + 1)
    np.testing.assert_allclose(found, theirs, rtol=1e-4, atol=1e-4)


def test_results_that_are_shown_as_well() -> None:
    x = sample((50, 300), "float32")
    lazy = mt.asarray(x)
    mean = lazy.mean(axis=1, keepdims=True)
    spread = mt.broadcast_to(mean, x.shape)
    apart = lazy - mean
    results = mt.eval(mean, apart, spread, apart.max(), (lazy + spread).keep())
    exact = x.astype(np.float64).mean(axis=1, keepdims=True)
    wanted = (exact, x - exact, np.broadcast_to(exact, x.shape), (x - exact).max(), x + exact)
    for found, theirs in zip(results, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(found), theirs, rtol=1e-5, atol=1e-5)


def test_logarithms_of_sums_read_their_rows_once() -> None:
    x = sample((64, 900), "float64")
    sums = mt.logsumexp(mt.asarray(x), axis=1)
    assert kernels(sums) == 2  # the second takes the logarithms
    exact = np.log(np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1)) + x.max(axis=1)
    np.testing.assert_allclose(np.asarray(sums), exact, rtol=1e-13)


@pytest.mark.parametrize("border", ["replicate", "reflect101", mt.constant(2), "wrap"])
def test_stencils_before_and_after(border: str) -> None:
    x = sample((40, 90), "float32")

    def filtered(array: Any) -> Any:
        image = mt.asarray(array, axes="yx")
        smooth = vx.gaussian3x3(image, border=border)
        rows = softmax(mt, smooth)
        return rows.at(1, -2, border=border) + rows.at(-3, 1, border=border)

    bits(filtered, x)
    assert kernels(softmax(mt, vx.gaussian3x3(mt.asarray(x, axes="yx")))) == 1


def test_few_or_endless_rows_are_folded_by_all_threads() -> None:
    for shape in ((2, 5000), (1, 300), (8, 70000)):
        x = sample(shape, "float32")
        lazy = mt.asarray(x)
        assert kernels(lazy - lazy.sum(axis=1, keepdims=True)) > 1
        bits(lambda array: array - array.sum(axis=1, keepdims=True), x)


def test_compiled_functions_take_other_data() -> None:
    f = mt.function(lambda array: softmax(mt, array))
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=(33, 257)).astype(np.float32)
        out = np.empty_like(x)
        f(x, out=out)
        np.testing.assert_allclose(out, softmax(np, x), rtol=1e-5)
    assert len(f.kernels) == 1
