"""Functions: traced once a signature, with numbers, structures, outs and specifications."""

from typing import NamedTuple

import numpy as np
import pytest

import muntin as mt
from muntin.errors import (
    DeviceError,
    DTypeError,
    ParameterError,
    RangeError,
    ShapeError,
    StaleInputError,
    UnsupportedError,
)

pytestmark = pytest.mark.usefixtures("device")


class Counted:
    """A function that counts how often it is run."""

    def __init__(self, fn: object) -> None:
        self.fn = fn
        self.runs = 0

    def __call__(self, *args: object) -> object:
        self.runs += 1
        return self.fn(*args)  # type: ignore[operator]


def frame(*shape: int, dtype: str = "uint8") -> np.ndarray:
    return (np.arange(np.prod(shape)) % 251).reshape(shape).astype(dtype)


# --- signatures -----------------------------------------------------------------------------------


def test_a_function_is_traced_once_a_signature() -> None:
    counted = Counted(lambda x, y: x * 2 + y)
    f = mt.function(counted)  # type: ignore[arg-type]
    for _ in range(3):
        for shape in ((3, 4), (5, 2)):
            a, b = frame(*shape), frame(*shape)[::-1]
            np.testing.assert_array_equal(np.asarray(f(a, b)), a * 2 + b, strict=True)
    assert counted.runs == 2
    f(frame(3, 4), frame(3, 4, dtype="int16"))
    assert counted.runs == 3
    assert repr(f) == "Function(Counted, 3 traced)"


def test_axes_valid_regions_and_devices_are_in_the_signature() -> None:
    counted = Counted(lambda x: x + 1)
    f = mt.function(counted)  # type: ignore[arg-type]
    x = mt.asarray(frame(3, 4))
    results = [f(x), f(x.T.eval().T), f(x.at(1, 0, border="undefined")), f(x.to("reference"))]
    assert counted.runs == 3  # transposed twice, it is the same as at first
    assert f(mt.asarray(frame(3, 4), axes="zx")).axes == "zx"
    assert [result.axes for result in results] == ["yx"] * 4
    assert results[2].valid_region == mt.Box((0, 0), (2, 4))
    assert results[3].device == "reference"


def test_arguments_of_any_layout_are_read_right() -> None:
    f = mt.function(lambda x: x + 1)
    whole = frame(6, 8)
    packed = np.zeros(13, np.uint8)[1:].view(np.float32)
    for array in (whole[::-2, 1::3], whole.T[:3, :3], frame(2, 3).astype(">i4"), packed):
        np.testing.assert_array_equal(np.asarray(f(array)), array + 1)


def test_axes_of_arguments_may_be_named_anew() -> None:
    def both(x: mt.Array, y: mt.Array) -> tuple[mt.Array, mt.Array]:
        named = mt.asarray(x, axes="zyx")
        return named.at(1, 0, 0) + y, x.at(0, 1) - named

    f = mt.function(both)
    y = np.arange(24).reshape(2, 3, 4)
    for start in (0, 100):
        x = np.arange(start, start + 24).reshape(2, 3, 4)
        above, aside = f(x, y)
        np.testing.assert_array_equal(np.asarray(above), x[[1, 1]] + y)
        np.testing.assert_array_equal(np.asarray(aside), x[:, [1, 2, 2]] - x)


def test_lazy_arrays_numpy_scalars_and_buffers_are_arguments() -> None:
    f = mt.function(lambda x, y: x + y)
    lazy = mt.asarray(frame(4)) + 1
    result = f(lazy, np.int16(300))
    assert result.dtype == np.int16
    np.testing.assert_array_equal(np.asarray(result), np.arange(301, 305))
    np.testing.assert_array_equal(np.asarray(f(memoryview(frame(4)), [1, 2, 3, 4])), [1, 3, 5, 7])


def test_other_arguments_are_constants() -> None:
    counted = Counted(lambda x, mode, flag: x.at(1, border=mode) if flag else x)
    f = mt.function(counted)  # type: ignore[arg-type]
    assert np.asarray(f(frame(3), "wrap", True)).tolist() == [1, 2, 0]
    assert np.asarray(f(frame(3), "replicate", True)).tolist() == [1, 2, 2]
    assert np.asarray(f(frame(3), "replicate", False)).tolist() == [0, 1, 2]
    assert np.asarray(f(frame(3), "wrap", True)).tolist() == [1, 2, 0]
    assert counted.runs == 3


def test_constants_that_are_equal_are_not_the_same() -> None:
    f = mt.function(lambda x, factors: x * factors[0][0])
    for factor in (2, 2.0, True, 1, -0.0, 0.0):
        result = np.asarray(f(frame(3), ((factor,),)))
        expected = frame(3) * factor
        assert result.dtype == expected.dtype
        assert result.tobytes() == expected.tobytes()


def test_traces_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muntin.array.function._KEPT_TRACES", 3)
    f = mt.function(lambda x: x + 1)
    for size in range(1, 6):
        f(frame(size))
    assert repr(f).endswith("3 traced)")


# --- numbers --------------------------------------------------------------------------------------


def test_numbers_compile_nothing_and_keep_their_rules() -> None:
    counted = Counted(lambda x, k: (x + k, x > k, mt.where(x > k, x, k)))
    f = mt.function(counted)  # type: ignore[arg-type]
    x = frame(300)
    for k in (0, 3, 255):
        added, above, chosen = f(x, k)
        np.testing.assert_array_equal(np.asarray(added), x + k, strict=True)
        np.testing.assert_array_equal(np.asarray(above), x > k, strict=True)
        np.testing.assert_array_equal(np.asarray(chosen), np.where(x > k, x, k), strict=True)
    assert counted.runs == 1
    assert f(x, 1.5)[0].dtype == np.float64
    assert counted.runs == 2


def test_arithmetic_of_numbers_is_done_anew_at_each_call() -> None:
    def blend(x: mt.Array, k: int, w: float) -> mt.Array:
        return x * (k * 2 - 1) + (1 - w) / 2 + abs(-k) // 2 % 5 + (+k) ** 2 + 2**k - (3 * w - k)

    counted = Counted(blend)
    f = mt.function(counted)  # type: ignore[arg-type]
    x = np.linspace(0, 1, 7)
    for k, w in ((1, 0.5), (4, 0.25), (9, -1.0)):
        expected = blend(x, k, w)  # type: ignore[arg-type]
        np.testing.assert_array_equal(np.asarray(f(x, k, w)), expected)
    assert counted.runs == 1


def test_numbers_stand_on_either_side() -> None:
    f = mt.function(
        lambda x, k: (k - x, 100 // (k + 1) + x, 7 - k, 7 % k, 2 / k, np.float32(2) * x)
    )
    first, second, third, fourth, fifth, _ = f(np.array([1, 2], np.int16), 5)
    assert np.asarray(first).tolist() == [4, 3]
    assert np.asarray(second).tolist() == [17, 18]
    assert (third, fourth, fifth) == (2, 2, 0.4)
    assert f(np.array([1, 2], np.int16), 10)[2:5] == (-3, 7, 0.2)


def test_a_number_out_of_range_has_the_answer_of_the_plain_call() -> None:
    compare = mt.function(lambda x, k: x < k)
    x = frame(4)
    for k in (300, 2, -1, 300, 3):  # out of range first and later
        np.testing.assert_array_equal(np.asarray(compare(x, k)), x < k)
    add = mt.function(lambda x, k: x + k)
    assert np.asarray(add(x, 255)).tolist() == [255, 0, 1, 2]
    for k in (256, -1):
        with pytest.raises(RangeError, match=f"add: the number {k} does not fit in uint8"):
            add(x, k)
    clip = mt.function(lambda x, low, high: mt.clip(x, low, high))
    for low, high in ((1, 2), (-5, 300), (0, 1)):
        np.testing.assert_array_equal(np.asarray(clip(x, low, high)), np.clip(x, low, high))
    real = mt.function(lambda x, k: x * k)
    assert np.asarray(real(np.ones(1), 2**1000)).tolist() == [2.0**1000]
    with pytest.raises(RangeError, match="multiply: an integer of 1101 bits does not fit in float"):
        real(np.ones(1), 2**1100)


def test_an_untraced_call_writes_to_outs_as_well() -> None:
    f = mt.function(
        lambda x, k: {"below": x < k, "k": k}, mt.spec("n", "uint8", "y"), mt.spec((), "int64")
    )
    out = np.zeros(3, bool)
    result = f(frame(3), 300, out=out)
    assert out.all()
    assert result["k"] == 300
    assert result["below"].axes == "y"


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, k: x + 1 if k > 2 else x,
        lambda x, k: x[k],
        lambda x, k: x + int(k),
        lambda x, k: x + float(k),
        lambda x, k: x + 1 if k else x,
        lambda x, k: [x] * k,
        lambda x, k: x + hash(k),
        lambda x, k: x + round(k),
        lambda x, k: x + np.asarray(k),
    ],
)
def test_the_value_of_a_number_is_not_known_while_tracing(fn: object) -> None:
    f = mt.function(fn)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        f(frame(3), 3)


def test_asking_for_a_numbers_value_says_what_to_do() -> None:
    f = mt.function(lambda x, k: x + 1 if k == 2 else x)
    with pytest.raises(
        UnsupportedError, match="function: the value of a number argument was asked"
    ):
        f(frame(3), 2)
    g = mt.function(lambda x, k: x + k._anything)
    with pytest.raises(AttributeError, match="_anything"):
        g(frame(3), 2)


def test_numbers_beside_other_objects_are_refused() -> None:
    f = mt.function(lambda x, k: k + "text")
    with pytest.raises(TypeError, match="unsupported operand"):
        f(frame(3), 2)
    shown = mt.function(lambda x, k: (x, repr(k)))
    assert shown(frame(3), 2)[1] == "TracedNumber(int)"


# --- results --------------------------------------------------------------------------------------


class Pair(NamedTuple):
    low: mt.Array
    high: mt.Array


def test_results_keep_their_structure() -> None:
    f = mt.function(lambda x: ([x + 1, {"a": (x,)}], Pair(x - 1, x), None, "word", 3))
    for _ in range(2):
        (first, named), pair, nothing, word, three = f(frame(4))
        assert isinstance(pair, Pair)
        assert isinstance(named["a"], tuple)
        assert (nothing, word, three) == (None, "word", 3)
        assert all(array.is_evaluated for array in (first, named["a"][0], *pair))
        np.testing.assert_array_equal(np.asarray(named["a"][0]), frame(4))
        np.testing.assert_array_equal(np.asarray(pair.low), frame(4) - 1)


def test_results_never_share_memory_with_arguments() -> None:
    x = frame(4)
    same, reverse = mt.function(lambda x: (x, x[::-1]))(x)
    x[:] = 9
    assert np.asarray(same).tolist() == [0, 1, 2, 3]
    assert np.asarray(reverse).tolist() == [3, 2, 1, 0]


def test_a_function_returns_arrays() -> None:
    with pytest.raises(
        ParameterError, match="function: it returned NoneType, in which there is no"
    ):
        mt.function(lambda x: None)(frame(3))


def test_results_are_written_to_outs() -> None:
    f = mt.function(lambda x: (x + 1, [x.astype("int32") * 2]))
    x, a, b = frame(3, 4), np.empty((3, 4), np.uint8), np.empty((3, 4), np.int32)
    for _ in range(2):
        first, (second,) = f(x, out=(a, b))
        assert np.asarray(first) is a
        assert np.asarray(second) is b
        np.testing.assert_array_equal(a, x + 1)
        np.testing.assert_array_equal(b, x.astype(np.int32) * 2)
        x = x[::-1]
    with pytest.raises(ParameterError, match="function: got 1 outs for 2 results"):
        f(x, out=a)
    with pytest.raises(DTypeError, match="function: out is uint8, the result int32"):
        f(x, out=(b.astype(np.uint8), a))  # type: ignore[arg-type]


def test_an_out_may_be_an_argument() -> None:
    f = mt.function(lambda x: x.at(1) + x.at(-1))
    x = frame(5)
    expected = np.asarray(f(x.copy()))
    f(x, out=x)
    np.testing.assert_array_equal(x, expected)


def test_an_out_that_an_expression_reads_makes_it_stale() -> None:
    f = mt.function(lambda x: x + 1)
    memory = frame(4)
    y = mt.asarray(memory) * 2
    f(frame(4), out=memory)
    with pytest.raises(StaleInputError, match="was written by a later evaluation"):
        y.eval()


def test_what_a_function_captures_is_read_at_each_call() -> None:
    table = frame(4)
    captured = mt.asarray(table)
    f = mt.function(lambda x: x + captured)
    assert np.asarray(f(frame(4))).tolist() == [0, 2, 4, 6]
    table[:] = 10
    assert np.asarray(f(frame(4))).tolist() == [10, 11, 12, 13]
    mt.asarray(frame(4)).eval(out=table)
    with pytest.raises(StaleInputError, match="was written by a later evaluation"):
        f(frame(4))


# --- while tracing --------------------------------------------------------------------------------

ASKED = "a value was asked for while muntin.function traces, where there is none yet"


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x if x[0] > 3 else x + 1,
        lambda x: x * float(x[0]),
        lambda x: x * int(x[0]),
        lambda x: x[x[0]],
        lambda x: x + np.asarray(x),
        lambda x: (x + 1).eval(),
        lambda x: mt.eval(x + 1),
        lambda x: mt.eval(x + 1, block=False),
        lambda x: x + mt.asarray(3).item(),
        lambda x: x.__copy__(),
    ],
)
def test_nothing_is_evaluated_while_tracing(fn: object) -> None:
    with pytest.raises(UnsupportedError, match=ASKED):
        mt.function(fn)(frame(4))  # type: ignore[arg-type]
    assert bool(mt.asarray(1))  # tracing has ended


def test_an_argument_that_escapes_is_refused() -> None:
    kept = []
    f = mt.function(lambda x: kept.append(x) or x + 1)
    f(frame(3))
    with pytest.raises(
        UnsupportedError, match="an Array of a function's argument was kept after mu"
    ):
        (kept[0] * 2).eval()


def test_arguments_may_be_given_by_name() -> None:
    f = mt.function(lambda image, scale=2, offset=1: image * scale + offset)
    x = frame(4)
    np.testing.assert_array_equal(np.asarray(f(x, offset=3)), x * 2 + 3)
    np.testing.assert_array_equal(np.asarray(f(image=x, scale=5)), x * 5 + 1)
    assert repr(f).endswith("1 traced)")
    g = mt.function(lambda image, *, offset: image + offset)
    with pytest.raises(UnsupportedError, match="function: offset can be given by name alone; arg"):
        g(x, offset=3)


def test_a_function_within_a_function_is_part_of_it() -> None:
    inner = mt.function(lambda x, k: x * k)
    outer = mt.function(lambda x, k: inner(x, k) + inner(x, 2))
    for k in (3, 5):
        np.testing.assert_array_equal(np.asarray(outer(frame(4), k)), frame(4) * (k + 2))
    writing = mt.function(lambda x: inner(x, 2, out=np.empty(4, np.uint8)))
    with pytest.raises(
        UnsupportedError, match="function: out= was given while another function is"
    ):
        writing(frame(4))


# --- specifications -------------------------------------------------------------------------------


def test_specifications_name_sizes() -> None:
    f = mt.function(
        lambda a, b: a + b[0],
        mt.spec(("n", "m"), "uint8"),
        mt.spec((3, "n", "m"), "float32", "cyx"),
    )
    assert f(frame(2, 4), frame(3, 2, 4, dtype="float32")).shape == (2, 4)
    text = (
        r"function: argument 1 has shape \(3, 2, 5\), but was specified as \(3, 'n', 'm'\) with n ="
    )
    with pytest.raises(ShapeError, match=text):
        f(frame(2, 4), frame(3, 2, 5, dtype="float32"))
    with pytest.raises(ShapeError, match="argument 1 has shape"):
        f(frame(2, 4), frame(2, 2, 4, dtype="float32"))
    with pytest.raises(ShapeError, match=r"argument 0 has shape \(2,\)"):
        f(frame(2), frame(3, 2, 4, dtype="float32"))
    with pytest.raises(
        DTypeError, match="function: argument 1 is uint8, but was specified as float3"
    ):
        f(frame(2, 4), frame(3, 2, 4))
    with pytest.raises(
        ParameterError, match="function: got 1 arguments, but 2 were specified; give"
    ):
        f(frame(2, 4))
    with pytest.raises(ShapeError, match=r"function: argument 0 is 3; it was specified as uint8"):
        f(3, frame(3, 2, 4, dtype="float32"))


def test_specifications_are_checked() -> None:
    assert mt.spec(3, "int8").shape == (3,)
    assert mt.spec("n", "int8").axes == "x"
    assert mt.spec(("a", 2), "int8").sizes is None
    assert mt.spec((1, 2), "int8").sizes == (1, 2)
    with pytest.raises(ShapeError, match=r"spec: shape \(2, -1\) has a negative size; sizes start"):
        mt.spec((2, -1), "int8")
    with pytest.raises(UnsupportedError, match=r"spec: shape \(2.5,\); give an integer or a name"):
        mt.spec((2.5,), "int8")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="function: got 'uint8' as a specification; make it"):
        mt.function(lambda x: x, "uint8")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="function: got 3; give a callable"):
        mt.function(3)  # type: ignore[arg-type]


# --- what was compiled ----------------------------------------------------------------------------


def test_kernels_are_those_of_the_latest_call() -> None:
    with mt.use("cpu"):
        f = mt.function(lambda x: x + 1)
        f(frame(4))
        assert len(f.kernels) == 1
        assert f.memory_report() is not None


def test_kernels_exist_before_the_first_call_if_sizes_are_given() -> None:
    counted = Counted(lambda x: x + 1)
    f = mt.function(counted, mt.spec((3, 4), "uint8"))  # type: ignore[arg-type]
    assert f.kernels is not None
    f(frame(3, 4))
    assert counted.runs == 1


@pytest.mark.parametrize("specs", [(), (mt.spec(("n",), "uint8"),)])
def test_kernels_need_a_signature(specs: tuple[mt.Spec, ...]) -> None:
    f = mt.function(lambda x: x + 1, *specs)
    with pytest.raises(
        ParameterError, match="function: there is nothing compiled to give kernels of"
    ):
        f.kernels  # noqa: B018
    with pytest.raises(ParameterError, match="nothing compiled to give memory_report of; call the"):
        f.memory_report()


def test_devices_of_results_must_agree() -> None:
    f = mt.function(lambda x, y: (x + 1, y + 1))
    with pytest.raises(
        DeviceError, match="function: operands are on devices 'cpu' and 'reference'"
    ):
        f(mt.asarray([1]).to("cpu"), mt.asarray([1]).to("reference"))
