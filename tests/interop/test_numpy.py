"""NumPy's ufuncs and functions given Arrays."""

import io

import numpy as np
import pytest
from scipy import special

import muntin as mt
from muntin.errors import DTypeError, ParameterError, ShapeError, UnsupportedError
from muntin.interop.ufunc_names import SPECIAL, UFUNCS
from tests.pointwise import MATHEMATICS

pytestmark = pytest.mark.usefixtures("device")


@pytest.fixture
def pixels() -> np.ndarray:
    return np.arange(1, 13, dtype=np.uint8).reshape(3, 4)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_are_lazy_and_numpys(ufunc: np.ufunc) -> None:
    name = ufunc.__name__
    whole = name.startswith("bitwise") or name in ("invert", "left_shift", "right_shift")
    values = np.arange(1, 8) if whole else np.array([0.5, 1.5, -2.5, 4.0, -0.0])
    operands = (values,) * ufunc.nin
    with np.errstate(all="ignore"):
        expected = ufunc(*operands)
    result = ufunc(mt.asarray(values), *operands[1:])
    assert isinstance(result, mt.Array)
    assert not result.is_evaluated
    error = 1e-15 if UFUNCS[ufunc] in MATHEMATICS else 0
    np.testing.assert_allclose(np.asarray(result), expected, error, strict=True)
    if ufunc.nin == 2:
        other = ufunc(values, mt.asarray(values))
        np.testing.assert_allclose(np.asarray(other), expected, error)


def test_the_ufuncs_of_scipy_are_lazy() -> None:
    values = np.array([0.25, 0.5, 0.75, 1.5])
    for ufunc in {value for value in vars(special).values() if isinstance(value, np.ufunc)}:
        if ufunc.__name__ in SPECIAL:
            result = ufunc(*[mt.asarray(values)] * ufunc.nin)
            assert isinstance(result, mt.Array)
            np.testing.assert_allclose(result, ufunc(*[values] * ufunc.nin), 1e-14)
    assert {
        ufunc for ufunc in SPECIAL if not isinstance(getattr(special, ufunc), np.ufunc)
    } == set()
    with pytest.raises(UnsupportedError, match=r"numpy\.j0: is not defined for muntin Arrays"):
        special.j0(mt.asarray(values))


def test_the_sinc_of_numpy_is_lazy() -> None:
    assert isinstance(np.sinc(mt.asarray([0.0, 0.5])), mt.Array)
    np.testing.assert_allclose(np.sinc(mt.asarray([0.0, 0.5])), [1, 2 / np.pi], 1e-15)


def test_operators_of_numpy_arrays_are_lazy(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    for result in (pixels + x, np.uint8(3) * x, pixels[0] - x, pixels > x):
        assert isinstance(result, mt.Array)
        assert not result.is_evaluated


# --- outs -----------------------------------------------------------------------------------------


def test_an_out_is_written_at_once(pixels: np.ndarray) -> None:
    out = np.zeros((3, 4), np.uint8)
    assert np.add(pixels, mt.asarray(pixels), out=out) is out
    np.testing.assert_array_equal(out, pixels * 2)


def test_in_place_operators_of_numpy_arrays_write_at_once(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels.copy())
    before, array = pixels.copy(), pixels
    array += x
    assert array is pixels
    np.testing.assert_array_equal(pixels, before * 2)
    array[::2] -= x[::2]
    np.testing.assert_array_equal(pixels[::2], before[::2])
    real = np.ones((3, 4))
    real *= x
    np.testing.assert_array_equal(real, before)


def test_a_result_is_cast_and_broadcast_to_its_out(pixels: np.ndarray) -> None:
    out = np.zeros((2, 3, 4), np.float32)
    np.multiply(mt.asarray(pixels), 2, out=out)
    np.testing.assert_array_equal(out, np.broadcast_to(pixels * 2, (2, 3, 4)))
    with pytest.raises(
        DTypeError, match=r"numpy\.multiply: the result is float64, which does not become uint8 by"
    ):
        np.multiply(mt.asarray(pixels), 2.5, out=np.zeros((3, 4), np.uint8))
    with pytest.raises(ShapeError, match=r"numpy.add: shape \(3, 4\) does not broadcast to \(4,\)"):
        np.add(mt.asarray(pixels), 1, out=np.zeros(4, np.uint8))
    with pytest.raises(ParameterError, match="out is read-only"):
        np.add(mt.asarray(pixels), 1, out=np.broadcast_to(np.uint8(0), (3, 4)))


def test_an_array_is_no_out(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    with pytest.raises(
        UnsupportedError, match=r"numpy\.add: out is a muntin Array, a value that does"
    ):
        np.add(pixels, pixels, out=x)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: np.subtract.reduce(x), "subtract.reduce"),
        (lambda x: np.add.at(np.zeros(3), [0], x), "add.at"),
        (lambda x: np.add.reduceat(x, [0]), "add.reduceat"),
        (lambda x: np.gcd(x, x), "gcd"),
        (lambda x: np.frexp(x), "frexp"),
        (lambda x: np.partition(x, 1), "partition"),
        (lambda x: np.linalg.inv(x), "inv"),
        (lambda x: np.fmod(x, 2), "fmod of integers"),
        (lambda x: np.reciprocal(x), "reciprocal of integers"),
    ],
)
def test_unlisted_functions_say_what_to_call(call: object, name: str, pixels: np.ndarray) -> None:
    text = (
        rf"numpy.{name}: is not defined for muntin Arrays; compute the elements first.* numpy.asarr"
    )
    with pytest.raises(TypeError, match=text):
        call(mt.asarray(pixels))  # type: ignore[operator]


def test_other_arguments_are_refused(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    with pytest.raises(
        UnsupportedError, match=r"numpy\.where: muntin Arrays take no such arguments: m"
    ):
        np.where(x > 3)


def test_functions_write_to_their_outs(pixels: np.ndarray) -> None:
    out = np.zeros((3, 4), np.uint8)
    assert np.clip(mt.asarray(pixels), 3, 7, out=out) is out
    np.testing.assert_array_equal(out, pixels.clip(3, 7))
    with pytest.raises(UnsupportedError, match=r"numpy\.clip: out is a muntin Array, a value that"):
        np.clip(pixels, 3, 7, out=mt.asarray(pixels))


# --- functions ------------------------------------------------------------------------------------


def test_listed_functions_are_lazy(pixels: np.ndarray) -> None:
    calls = [
        lambda x: np.where(x > 3, x, np.uint8(0)),
        lambda x: np.clip(x, 3, 7),
        lambda x: np.round(x * 0.3),
        lambda x: np.broadcast_arrays(x, 3)[0] + 1,
        lambda x: np.clip(x, min=3, max=None),
        lambda x: np.clip(x, a_min=None, a_max=5),
        lambda x: np.transpose(x),
        lambda x: np.transpose(x, (1, 0)),
        lambda x: np.moveaxis(x, 0, 1),
        lambda x: np.flip(x, 1),
        lambda x: np.flip(x),
        lambda x: np.expand_dims(x, 1),
        lambda x: np.squeeze(x[:1], 0),
        lambda x: np.matrix_transpose(x),
        lambda x: np.broadcast_to(x, (2, 3, 4)),
        lambda x: np.zeros_like(x),
        lambda x: np.ones_like(x, dtype=np.float32),
        lambda x: np.full_like(x, 7),
        lambda x: np.concatenate([x, pixels, x + 1], axis=1),
        lambda x: np.concatenate([x, x], axis=None),
        lambda x: np.stack([x, x * 2], axis=1),
        lambda x: np.tile(x, (2, 1)),
        lambda x: np.roll(x, (1, 2), (0, 1)),
        lambda x: np.roll(x, 5),
        lambda x: np.tril(x, -1),
        lambda x: np.diagonal(x, 1),
        lambda x: np.diagonal(x, -1, 1, 0),
        lambda x: np.take(x, [2, 0, -1], axis=1),
        lambda x: np.take_along_axis(x, np.array([[1], [0], [3]]), 1),
        lambda x: np.repeat(x, 2, axis=1),
        lambda x: np.triu(x, 1),
        lambda x: np.meshgrid(x[0], x[1])[1],
    ]
    for call in calls:
        result = call(mt.asarray(pixels))
        assert isinstance(result, mt.Array)
        np.testing.assert_array_equal(np.asarray(result), call(pixels), strict=True)


def test_shapes_are_known_without_computing(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels) + 1
    assert (np.shape(x), np.ndim(x)) == ((3, 4), 2)
    assert not x.is_evaluated


def test_comparisons_of_whole_arrays_compute(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels) + 1
    assert np.allclose(x, pixels + 1)
    assert np.array_equal(pixels + 1, x)
    assert not np.array_equal(x, pixels)
    assert np.array_equiv(x, pixels + 1)
    np.testing.assert_array_equal(x, pixels + 1)


def test_files_take_the_elements(pixels: np.ndarray) -> None:
    file = io.BytesIO()
    np.save(file, mt.asarray(pixels) + 1)
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), pixels + 1)
    for function in (np.savez, np.savez_compressed):
        packed = io.BytesIO()
        function(packed, a=mt.asarray(pixels) * 2)
        packed.seek(0)
        np.testing.assert_array_equal(np.load(packed)["a"], pixels * 2)


def test_elements_are_written_out() -> None:
    x = mt.asarray([1, 2]) + 1
    assert np.array2string(x, separator=",") == "[2,3]"
    assert np.array_str(x) == "[2 3]"


def test_memory_may_be_shared(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)[::2]
    for function in (np.shares_memory, np.may_share_memory):
        assert function(x.eval(), np.asarray(x))
        assert not function(mt.asarray(pixels) + 1, pixels)


def test_copyto_writes_to_a_numpy_array(pixels: np.ndarray) -> None:
    target = np.zeros((2, 3, 4), np.int32)
    np.copyto(target, mt.asarray(pixels) + 1)
    np.testing.assert_array_equal(target, np.broadcast_to(pixels + 1, (2, 3, 4)))
    view = np.zeros((3, 8), np.uint8)
    view[:, ::2] = mt.asarray(pixels)
    np.testing.assert_array_equal(view[:, ::2], pixels)


class Other:
    """An array of another library, which knows what to do."""

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> str:
        return f"{ufunc.__name__} elsewhere"

    def __array_function__(self, function: object, *rest: object) -> str:
        return "a function elsewhere"

    def __radd__(self, other: object) -> str:
        return "a sum elsewhere"


def test_other_libraries_may_know_what_to_do(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    assert np.add(x, Other()) == "add elsewhere"
    assert np.add(x, 1, out=Other()) == "add elsewhere"
    assert np.where(x, Other(), 0) == "a function elsewhere"
    assert x + Other() == "a sum elsewhere"


class Stranger:
    """An object that NumPy knows nothing about."""


def test_objects_without_numbers_are_refused(pixels: np.ndarray) -> None:
    with pytest.raises(DTypeError, match="add: got an operand of type Stranger; it takes Arrays"):
        np.add(mt.asarray(pixels), Stranger())
