"""Scatters: as NumPy's assignments by indices and `ufunc.at`, on all devices and threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin.errors import (
    BorderError,
    BoundsError,
    DTypeError,
    ParameterError,
    RangeError,
    ShapeError,
)

DTYPES = ["bool", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64"]
UFUNCS = {"add": np.add, "minimum": np.minimum, "maximum": np.maximum}
ANYWHERE = np.array([4, -5, 4, 0, 2, -1, 4])


def scattered(x, indices, values, operation="set"):
    """Return what a scatter means: one value after the other."""
    found = np.array(x)
    places = indices if isinstance(indices, tuple) else (indices,)
    common = np.broadcast_shapes(*[np.shape(each) for each in places])
    rows = found.shape[len(places) :]
    # `ufunc.at` is not asked: it reads past values that it stretches.
    values = np.broadcast_to(np.asarray(values).astype(found.dtype), (*common, *rows))
    places = [np.broadcast_to(each, common).reshape(-1) for each in places]
    with np.errstate(all="ignore"):
        for *place, value in zip(*places, values.reshape(-1, *rows), strict=True):
            at = (*place, ...)
            found[at] = value if operation == "set" else UFUNCS[operation](found[at], value)
    return found


def same(found, wanted):
    found = np.asarray(found)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f")
    if wanted.dtype.kind == "f":
        numbers = ~np.isnan(wanted)
        assert np.array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


def hard(rng, shape, dtype):
    if np.dtype(dtype).kind != "f":
        return rng.integers(0, 200, shape).astype(dtype)
    choices = np.array([0.5, -0.25, 3e4, 1.0, np.nan, np.inf, 3.0, -7.5, 1e-4], dtype)
    return rng.choice(choices, shape)


@st.composite
def scatters(draw):
    """Draw an array, indices, values and an operation."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    rank = draw(st.integers(1, 3))
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=rank, max_size=rank)))
    count = draw(st.integers(1, rank))
    common = tuple(draw(st.lists(st.integers(0, 4), max_size=2)))
    dtype, kind = draw(st.sampled_from(DTYPES)), draw(st.sampled_from(["int64", "int8", "uint64"]))
    indices = []
    for size in shape[:count]:
        own = [draw(st.sampled_from([length, 1])) if length else 0 for length in common]
        least = 0 if kind[0] == "u" else -size
        indices.append(rng.integers(least, size, own).astype(kind))
    rows = shape[count:]
    common = np.broadcast_shapes(*[each.shape for each in indices])
    full = (*common, *rows)
    values = hard(rng, full[draw(st.integers(0, len(full))) :], dtype)
    x = hard(rng, shape, dtype)
    if draw(st.booleans()):  # strides
        x = np.repeat(x, 2, axis=0)[::-2]
    if draw(st.booleans()):
        x, values = x.T.copy().T, values.T.copy().T
    return x, tuple(indices), values, draw(st.sampled_from(["set", *UFUNCS]))


@given(scatters())
@settings(max_examples=40)
def test_scatters_are_those_of_numpy(case):
    x, indices, values, operation = case
    wanted, before = scattered(x, indices, values, operation), np.array(x)
    lazy = mt.scatter(x, indices, values, operation=operation)
    assert not lazy.is_evaluated
    same(lazy, wanted)
    with mt.use("reference"):
        same(mt.scatter(x, indices, values, operation=operation), wanted)
    same(x, before)


@pytest.mark.parametrize("operation", ["set", *UFUNCS])
def test_operands_are_expressions_and_runs_are_many(operation):
    x, values = np.arange(5.0), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    f = mt.function(
        lambda x, i, v: mt.sqrt(mt.scatter(x * 2, i - 1, v + 0.5, operation=operation) + 1) * 3
    )
    for shift in (0, 1, 2):
        indices = np.roll(ANYWHERE, shift)
        wanted = np.sqrt(scattered(x * 2, indices, values + shift + 0.5, operation) + 1) * 3
        same(f(x, indices + 1, values + shift), wanted)


def test_scatters_follow_one_another_and_are_joined():
    x = np.zeros((4, 3), np.int32)
    once = mt.scatter(x, np.array([1, 1, 3]), 5, operation="add")
    twice = mt.scatter(once, (np.array([0, 3]), np.array([2, -1])), [7, 8])
    wanted = scattered(x, np.array([1, 1, 3]), 5, "add")
    again = scattered(wanted, (np.array([0, 3]), np.array([2, -1])), [7, 8])
    found, joined, first = mt.eval(twice, mt.concat([twice, once * 2]), once)
    same(found, again)
    same(joined, np.concatenate([again, wanted * 2]))
    same(first, wanted)


def test_what_is_in_memory_is_copied_once_and_work_not_at_all():
    lazy = mt.scatter(mt.asarray(np.arange(6.0)) + 1, np.array([1, 1]), np.ones(2))
    plan = str(mt.explain(lazy))
    assert plan.startswith("2 kernels;")
    assert "part of result 0" in plan


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_results_do_not_depend_on_threads(threads, dtype):
    rng = np.random.default_rng(3)
    many = rng.integers(-40, 40, 20000)
    values = (rng.standard_normal(20000) * 1000).astype(dtype)
    rows = (rng.standard_normal((60, 1300)) * 1000).astype(dtype)
    with mt.use(threads=threads):
        same(
            mt.scatter(np.zeros(40, dtype), many, values, operation="add"),
            scattered(np.zeros(40, dtype), many, values, "add"),
        )
        same(
            mt.scatter(np.ones((40, 1300), dtype), many[:60], rows, operation="add"),
            scattered(np.ones((40, 1300), dtype), many[:60], rows, "add"),
        )


def test_many_indices_of_few_elements_along_two_axes():
    rng = np.random.default_rng(4)
    at = tuple(rng.integers(-size, size, 9003).astype(np.int8) for size in (5, 7))
    x = rng.integers(0, 1 << 31, (5, 7)).astype(np.uint32)
    values = rng.integers(0, 1 << 32, 9003).astype(np.uint32)
    wanted = scattered(x, at, values, "add")
    same(mt.scatter(x, at, values, operation="add"), wanted)
    with mt.use("reference"):
        same(
            mt.scatter(x[:, ::-1], at, values, operation="add"),
            scattered(x[:, ::-1], at, values, "add"),
        )
    at[1][[100, 8999]] = 7, -8
    with pytest.raises(BoundsError, match=r"scatter: index 7 is out of bounds for axis 1"):
        mt.scatter(x, at, values, operation="add").eval()


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2), (2, 0, 3)])
def test_empty_arrays_and_no_indices(shape):
    none = np.zeros((2, 0), np.int64)
    same(mt.scatter(np.zeros(shape), none, 1.0), np.zeros(shape))
    if shape[0]:
        same(mt.scatter(np.zeros(shape), [1, -1], 1.0), np.zeros(shape))


def test_single_indices_and_numbers():
    x = np.arange(6).reshape(2, 3)
    same(mt.scatter(x, 1, 9), scattered(x, 1, 9))
    same(mt.scatter(x, (1, -1), 9), scattered(x, (1, -1), 9))
    same(mt.scatter(x.astype("float32"), [0], 9), scattered(x.astype("float32"), [0], 9))
    f = mt.function(lambda x, k: mt.scatter(x, np.array([1, 1]), k, operation="add"))
    same(f(x, 3), scattered(x, [1, 1], 3, "add"))
    same(f(x, 4), scattered(x, [1, 1], 4, "add"))


# --- outs -----------------------------------------------------------------------------------------


def test_outs_may_be_what_is_read():
    for place in range(3):
        arrays = [np.arange(7), ANYWHERE.copy(), np.arange(7) * 3]
        x, indices, values = arrays
        wanted = scattered(x, indices, values, "add")
        mt.scatter(x, indices, values, operation="add").eval(out=arrays[place])
        same(arrays[place], wanted)
        f = mt.function(lambda x, i, v: mt.scatter(x, i, v, operation="add"))
        arrays = [np.arange(7), ANYWHERE.copy(), np.arange(7) * 3]
        f(*arrays, out=arrays[place])
        same(arrays[place], wanted)


def test_an_out_is_written_straight_where_no_index_can_be_out_of_bounds():
    x, image = np.arange(256, dtype=np.int32), np.array([3, 3, 255], np.uint8)
    wanted = scattered(x, image, 10, "add")
    out = np.zeros((256, 2), np.int32)
    mt.scatter(x, image, 10, operation="add").eval(out=out[:, 1])
    same(out[:, 1], wanted)
    mt.scatter(x, image, 10, operation="add").eval(out=x)
    same(x, wanted)


def test_nothing_is_written_if_an_index_is_out_of_bounds():
    x, out = np.arange(6.0), np.full(6, 7.0)
    lazy = mt.scatter(x, np.array([[1, 2], [6, -7]]), 3.0)
    message = r"scatter: index 6 is out of bounds for axis 0 with size 6; give -6 to 5, or"
    for device in ("cpu", "reference"):
        with mt.use(device), pytest.raises(BoundsError, match=message):
            lazy.eval(out=out)
    assert (out == 7).all()
    f = mt.function(lambda i: mt.scatter(x, i, 3.0))
    for _ in range(2):
        with pytest.raises(BoundsError, match=r"scatter: index -7 is out of bounds"):
            f(np.array([1, -7]))
        same(f(np.array([1, -6])), scattered(x, [1, -6], 3.0))
    with pytest.raises(BoundsError, match="scatter: index 922337"):
        mt.scatter(x, np.array([2**64 - 1], np.uint64), 3.0).eval()


def test_several_threads_agree_on_the_first_index_out_of_bounds():
    x, at = np.zeros((9, 5000), np.float32), np.array([1, 9, -12])
    for threads in (1, 3):
        with (
            mt.use(threads=threads),
            pytest.raises(BoundsError, match="scatter: index 9 is out of bounds for axis 0"),
        ):
            mt.scatter(x, at, np.float32(1), operation="add").eval()


def test_devices_that_run_no_scatters_say_so():
    if not any(name.startswith("opencl") for name in mt.devices()):
        pytest.skip("there is no OpenCL device")
    with mt.use("opencl"), pytest.raises(mt.DeviceError, match="a node of kind 'program'"):
        mt.scatter(np.arange(3.0), np.array([1, 1]), 2.0).eval()


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda x: mt.scatter(x, [0], 1, operation="sub"),
            ParameterError,
            "scatter: operation is 'sub'; use one of 'set', 'add', 'minimum', 'maximum'",
        ),
        (lambda x: mt.scatter(x, (), 1), ParameterError, "scatter: there are no indices; give"),
        (
            lambda x: mt.scatter(x, (0, 0, 0), 1),
            BoundsError,
            r"scatter: 3 indices are given for an array of shape \(2, 3\); give one for each axis",
        ),
        (
            lambda x: mt.scatter(x, [0.5], 1),
            DTypeError,
            r"scatter: indices are float64; they must be integers; cast them with .astype\(",
        ),
        (
            lambda x: mt.scatter(x, [0], 1.5),
            DTypeError,
            r'scatter: values are float64 for an array of int64; cast them with .astype\("int64"\)',
        ),
        (
            lambda x: mt.scatter(x.astype("uint8"), [0, 1], [[1], [-1]]),
            RangeError,
            r"scatter: the number -1 does not fit in uint8 \(0 to 255\)",
        ),
        (lambda x: mt.scatter(x, [0], [1, 2]), ShapeError, "scatter: .*"),
        (lambda x: mt.scatter(x, ([0, 1], [0, 1, 2]), 1), ShapeError, "scatter: .*"),
        (
            lambda x: mt.scatter(x[:0], [0], 1),
            BoundsError,
            r"scatter: an index is given for axis 0 of shape \(0, 3\), which is empty; there is no",
        ),
        (
            lambda x: mt.scatter(mt.asarray(x).at(0, 1, border="undefined"), [0], 1),
            BorderError,
            "scatter: takes a whole array, but ",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(np.zeros((2, 3), np.int64))


def test_lists_take_the_type_of_the_array():
    for dtype in ("uint8", "int16", "uint64", "float32"):
        found = np.asarray(mt.scatter(mt.zeros(4, dtype=dtype), [1, 3], [7, 200]))
        assert (found.dtype, found[1]) == (dtype, 7)
    assert np.asarray(mt.scatter(mt.zeros(3, dtype="uint8"), [], [])).tolist() == [0, 0, 0]


def test_indices_of_empty_rows_are_checked():
    with pytest.raises(BoundsError, match="5 is out of bounds for axis 0 with size 3"):
        np.asarray(mt.scatter(mt.zeros((3, 0)), np.array([5]), np.zeros((1, 0))))
    assert np.asarray(mt.scatter(mt.zeros((3, 0)), np.array([2]), np.zeros((1, 0)))).shape == (3, 0)
