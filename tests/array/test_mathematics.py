"""The functions of mathematics under their own names: types, shapes, and values near NumPy's."""

import numpy as np
import pytest
import scipy.special

import muntin as mt
from muntin.array import mathematics, special
from muntin.core.graph.mathematics import FUNCTIONS
from muntin.dtypes import DTYPES
from muntin.errors import DTypeError

pytestmark = pytest.mark.usefixtures("device")

ARITY = {function.name: function.arity for function in FUNCTIONS}
NAMES = [*mathematics.__all__, *special.__all__]
RENAMED = {"digamma": "psi", "lgamma": "gammaln"}
X = np.array([0.1, 0.25, 0.5, 0.75])


def right(name: str, *operands: np.ndarray) -> np.ndarray:
    """Return what NumPy or SciPy gives."""
    if name == "rsqrt":
        return 1 / np.sqrt(*operands)
    if name == "acosh":
        operands = tuple([1 + operand for operand in operands])
    module = np if name in mathematics.__all__ else scipy.special
    return getattr(module, RENAMED.get(name, name))(*operands)


def test_every_function_has_a_name() -> None:
    assert sorted(NAMES) == sorted(ARITY)
    assert set(NAMES) <= set(mt.__all__)
    assert {name for name in mathematics.__all__ if name in mt.xp.__all__} >= {"exp", "pow", "sin"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_values_are_numpys(name: str, dtype: str) -> None:
    operands = [X.astype(dtype), X[::-1].astype(dtype)][: ARITY[name]]
    given = [1 + operand if name == "acosh" else operand for operand in operands]
    result = getattr(mt, name)(*given)
    assert isinstance(result, mt.Array)
    expected = right(name, *operands)
    np.testing.assert_allclose(
        np.asarray(result), expected, rtol=16 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps
    )
    assert result.dtype == dtype


@pytest.mark.parametrize("name", [name for name in NAMES if name != "pow"])
def test_integers_give_floats(name: str) -> None:
    for dtype in DTYPES.values():
        x = np.ones(3, dtype.numpy)
        wanted = np.float32 if dtype.bits <= 16 else np.float64
        result = getattr(mt, name)(*[x] * ARITY[name])
        assert result.dtype == (dtype.numpy if dtype.is_float else wanted)


def test_two_operands_broadcast_and_numbers_are_weak() -> None:
    column, row = np.array([[1.0], [2.0]], np.float32), np.array([3.0, 4.0, 5.0], np.float32)
    assert mt.atan2(column, row).shape == (2, 3)
    np.testing.assert_allclose(mt.hypot(column, row), np.hypot(column, row), rtol=1e-6)
    assert mt.pow(column, 0.5).dtype == mt.pow(0.5, column).dtype == np.float32
    assert mt.xlogy(2, row).dtype == np.float32
    assert float(mt.exp(0)) == 1


def test_powers_are_those_of_the_operator() -> None:
    np.testing.assert_array_equal(np.asarray(mt.pow(X, 3)), np.asarray(mt.asarray(X) ** 3))
    np.testing.assert_array_equal(np.asarray(mt.pow(X, X)), np.asarray(mt.asarray(X) ** X))
    assert int(mt.pow(3, 4)) == 81


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(DTypeError, match="complex128"):
        mt.exp(np.ones(2, np.complex128))
