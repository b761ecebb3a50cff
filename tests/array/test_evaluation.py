"""Evaluation: several results at once, outs, versions of memory, and what is refused."""

import threading

import numpy as np
import pytest

import muntin as mt
from muntin.errors import (
    DTypeError,
    InternalError,
    ParameterError,
    ShapeError,
    StaleInputError,
    UnsupportedError,
)
from muntin.runtime.reference import ReferenceDevice

pytestmark = pytest.mark.usefixtures("device")


class Recorder(ReferenceDevice):
    """The reference device, which tells what it was asked."""

    calls: list[tuple[int, int]] = []  # noqa: RUF012 - emptied by each test

    def evaluate(self, roots: object, outs: object, *, threads: int = 0) -> list[np.ndarray]:
        self.calls.append((len(roots), threads))  # type: ignore[arg-type]
        return super().evaluate(roots, outs, threads=threads)  # type: ignore[arg-type]


@pytest.fixture
def calls() -> list[tuple[int, int]]:
    Recorder.calls.clear()
    return Recorder.calls


def test_several_results_take_one_call(calls: list[tuple[int, int]]) -> None:
    x = mt.asarray(np.arange(6))
    with mt.use(Recorder(), threads=3):
        low, high = mt.eval(x - 1, x + 1)
        mt.eval(low, high)
    assert calls == [(2, 3)]
    np.testing.assert_array_equal(np.asarray(low), np.arange(6) - 1)
    np.testing.assert_array_equal(np.asarray(high), np.arange(6) + 1)


def test_an_evaluated_array_is_not_computed_again(calls: list[tuple[int, int]]) -> None:
    x = mt.asarray(np.arange(6))
    with mt.use(Recorder()):
        y = (x + 1).eval()
        np.asarray(y)
        y.eval()
        assert float(y[2] + 0) == 3.0
    assert calls == [(1, 0), (1, 0)]


def test_threads_are_passed_on(calls: list[tuple[int, int]]) -> None:
    x = mt.asarray(np.arange(6))
    with mt.use(Recorder(), threads=3):
        mt.eval(x + 1, threads=2)
        (x + 1).eval(threads=1)
    assert calls == [(1, 2), (1, 1)]
    with pytest.raises(ParameterError, match="eval: threads is 0; give an integer, 1 or more"):
        (x + 1).eval(threads=0)


def test_eval_returns_what_it_was_given() -> None:
    x, y = mt.asarray([1]) + 1, mt.asarray([2]) * 2
    assert mt.eval(x) is x
    assert mt.eval(x, y) == (x, y)
    assert mt.eval() == ()
    same = mt.eval(x, x)
    assert same[0] is same[1] is x


def test_results_of_several_devices_come_together() -> None:
    x = mt.asarray(np.arange(3))
    a, b = mt.eval((x + 1).to("reference"), (x * 2).to("cpu"))
    np.testing.assert_array_equal(np.asarray(a), [1, 2, 3])
    np.testing.assert_array_equal(np.asarray(b), [0, 2, 4])


class Broken(ReferenceDevice):
    """A device that fails at the last moment."""

    def evaluate(self, roots: object, outs: object, *, threads: int = 0) -> list[np.ndarray]:
        raise InternalError("broken: as it should be")


def test_no_out_is_written_if_another_device_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"reference": ReferenceDevice(), "cpu": Broken()}
    monkeypatch.setattr("muntin.array.evaluation.find_device", known.__getitem__)
    x = mt.asarray(np.arange(3))
    first, second = np.full(3, 7), np.full(3, 8)
    a, b = (x + 1).to("reference"), (x * 2).to("cpu")
    with pytest.raises(InternalError, match="broken"):
        mt.eval(a, b, out=(first, second))
    assert first.tolist() == [7, 7, 7]
    assert second.tolist() == [8, 8, 8]
    assert not a.is_evaluated
    assert np.asarray(x + 1).tolist() == [1, 2, 3]


def test_outs_of_one_device_may_be_inputs_of_another() -> None:
    memory = np.arange(5)
    x = mt.asarray(memory)
    doubled = np.empty(5, np.int64)
    a, b = (x + 1).to("reference"), (x * 2).to("cpu")
    mt.eval(a, b, out=(memory, doubled))
    assert doubled.tolist() == [0, 2, 4, 6, 8]
    assert memory.tolist() == [1, 2, 3, 4, 5]
    assert np.asarray(a) is memory


def test_another_device_writes_the_valid_part_alone() -> None:
    x = mt.asarray(np.arange(5), axes="x")
    out = np.full(5, 9)
    mt.eval(x.at(1, border="undefined").to("reference"), (x * 2).to("cpu"), out=(out, None))  # type: ignore[arg-type]
    assert out.tolist() == [1, 2, 3, 4, 9]


# --- outs -----------------------------------------------------------------------------------------


def test_results_are_written_to_outs() -> None:
    x = mt.asarray(np.arange(12, dtype=np.int32).reshape(3, 4))
    first, second = np.empty((3, 4), np.int32), np.zeros((8, 3), np.int64)[::-2].T
    a, b = mt.eval(x + 1, x.astype("int64") * 2, out=(first, second))
    np.testing.assert_array_equal(first, np.arange(1, 13).reshape(3, 4))
    np.testing.assert_array_equal(second, np.arange(0, 24, 2).reshape(3, 4))
    assert np.shares_memory(np.asarray(a), first)
    assert np.asarray(b) is second


def test_an_out_may_be_none_among_others() -> None:
    x = mt.asarray(np.arange(3))
    out = np.empty(3, np.int64)
    a, b = mt.eval(x + 1, x + 2, out=(None, out))  # type: ignore[arg-type]
    assert np.asarray(a).tolist() == [1, 2, 3]
    assert out.tolist() == [2, 3, 4]
    assert np.asarray(b) is out


def test_an_evaluated_array_is_copied_to_an_out() -> None:
    source, out = np.arange(4), np.empty(4, np.int64)
    x = mt.asarray(source)
    assert x.eval(out=out) is x
    np.testing.assert_array_equal(out, source)
    assert not np.shares_memory(out, source)


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (np.s_[:-1], np.s_[1:]),
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:-1], np.s_[:0:-1]),
        (np.s_[:-1], np.s_[:-1]),
    ],
)
def test_an_out_may_overlap_an_input(read: slice, written: slice) -> None:
    memory = np.arange(10_000)
    expected = memory[read] * 3 + 1
    (mt.asarray(memory[read]) * 3 + 1).eval(out=memory[written])
    np.testing.assert_array_equal(memory[written], expected)


def test_a_filter_may_be_written_onto_its_image() -> None:
    image = np.arange(400, dtype=np.int32).reshape(20, 20)
    x = mt.asarray(image)
    expected = np.asarray(mt.asarray(image.copy()).at(-1, 1) + mt.asarray(image.copy()).at(1, -1))
    (x.at(-1, 1) + x.at(1, -1)).eval(out=image)
    np.testing.assert_array_equal(image, expected)


@pytest.mark.parametrize(
    ("out", "error", "text"),
    [
        (
            np.empty((4, 3)),
            ShapeError,
            r"eval: out has shape \(4, 3\), the result \(3, 4\); give an",
        ),
        (
            np.empty((3, 4), np.float32),
            DTypeError,
            "eval: out is float32, the result float64; give",
        ),
        (np.empty((3, 4), ">f8"), DTypeError, "eval: out is >f8, the result float64"),
        (
            [[0.0] * 4] * 3,
            ParameterError,
            "eval: got 3 outs for 1 results; give one array for each",
        ),
        (bytearray(96), UnsupportedError, "eval: out is a bytearray; results are written to NumPy"),
        (
            np.broadcast_to(0.0, (3, 4)),
            ParameterError,
            "eval: out is read-only; give an array that",
        ),
        (
            np.lib.stride_tricks.as_strided(np.zeros(4), (3, 4), (0, 8)),
            ParameterError,
            r"eval: out has strides \(0, 8\), by which several elements share memory",
        ),
        (
            np.zeros(97, np.uint8)[1:].view(np.float64).reshape(3, 4),
            ParameterError,
            "eval: out is not aligned; give an aligned array",
        ),
    ],
)
def test_outs_that_do_not_fit_are_refused(out: object, error: type[Exception], text: str) -> None:
    x = mt.asarray(np.arange(12.0).reshape(3, 4)) + 1
    with pytest.raises(error, match=text):
        mt.eval(x, out=out)  # type: ignore[arg-type]
    assert not x.is_evaluated


def test_nothing_is_written_if_one_out_is_wrong() -> None:
    x = mt.asarray(np.arange(3))
    good, bad = np.full(3, -1), np.full(4, -1)
    with pytest.raises(ShapeError, match="eval: out has shape"):
        mt.eval(x, x + 1, out=(good, bad))
    assert (good == -1).all()


def test_outs_may_not_overlap_each_other() -> None:
    x = mt.asarray(np.arange(3))
    memory = np.zeros(6, np.int64)
    with pytest.raises(
        ParameterError, match=r"eval: two outs, int64 \(3,\) and int64 \(3,\), share"
    ):
        mt.eval(x, x + 1, out=(memory[:3], memory[2:5]))
    mt.eval(x, x + 1, out=(memory[::2], memory[1::2]))
    np.testing.assert_array_equal(memory, [0, 1, 1, 2, 2, 3])


# --- versions -------------------------------------------------------------------------------------

STALE = r"eval: an input, int64 \(4,\), was written by a later evaluation with out= after the expr"


def test_an_expression_whose_input_was_written_is_stale() -> None:
    memory = np.arange(4)
    x = mt.asarray(memory)
    y = x + 1
    (x * 2).eval(out=memory)
    with pytest.raises(StaleInputError, match=STALE):
        y.eval()
    with pytest.raises(StaleInputError, match=r"or build it again from muntin\.asarray"):
        np.asarray(x)
    with pytest.raises(RuntimeError, match="evaluate the expression before that write"):
        mt.eval(x)
    np.testing.assert_array_equal(np.asarray(mt.asarray(memory) + 1), [1, 3, 5, 7])


def test_an_expression_evaluated_before_the_write_is_safe() -> None:
    memory = np.arange(4)
    x = mt.asarray(memory)
    y = (x + 1).eval()
    z = (x * 2).eval(out=memory)
    np.testing.assert_array_equal(np.asarray(y), [1, 2, 3, 4])
    np.testing.assert_array_equal(np.asarray(z), [0, 2, 4, 6])
    np.testing.assert_array_equal(np.asarray(z + 1), [1, 3, 5, 7])


def test_a_result_in_an_out_is_stale_once_the_out_is_written_again() -> None:
    out = np.empty(4, np.int64)
    x = mt.asarray(np.arange(4))
    first = (x + 1).eval(out=out)
    (x + 2).eval(out=out)
    with pytest.raises(StaleInputError, match=STALE):
        np.asarray(first)


def test_writing_elsewhere_makes_nothing_stale() -> None:
    memory = np.zeros((4, 8), np.int64)
    left = mt.asarray(memory[:, :4]) + 1
    mt.full((4, 4), 7).eval(out=memory[:, 4:])
    assert (np.asarray(left) == 1).all()


def test_writing_through_numpy_is_the_callers_affair() -> None:
    memory = np.arange(4)
    y = mt.asarray(memory) + 1
    memory *= 2
    np.testing.assert_array_equal(np.asarray(y), [1, 3, 5, 7])


def test_a_failed_evaluation_writes_nothing() -> None:
    memory, other = np.arange(4), np.zeros(4, np.int64)
    x = mt.asarray(memory)
    stale = x + 1
    (x * 2).eval(out=memory)
    with pytest.raises(StaleInputError, match=STALE):
        stale.eval(out=other)
    assert (other == 0).all()


# --- without waiting ------------------------------------------------------------------------------


def test_an_evaluation_may_run_beside_the_caller() -> None:
    x = mt.asarray(np.arange(5))
    pending = mt.eval(x + 1, x * 2, block=False)
    assert isinstance(pending, mt.Pending)
    a, b = pending.wait()
    assert pending.is_done
    assert repr(pending) == "Pending(done)"
    assert np.asarray(a).tolist() == [1, 2, 3, 4, 5]
    assert np.asarray(b).tolist() == [0, 2, 4, 6, 8]
    y = x - 1
    assert mt.eval(y, block=False).wait() is y


def test_a_pending_evaluation_uses_the_context_and_says_when_it_is_done() -> None:
    begin, names = threading.Event(), []

    class Slow(ReferenceDevice):
        def evaluate(self, *args: object, **options: object) -> list[np.ndarray]:
            begin.wait()
            names.append(threading.current_thread().name)
            return super().evaluate(*args, **options)  # type: ignore[arg-type]

    with mt.use(Slow()):
        pending = mt.eval(mt.asarray([1]) + 1, block=False)
        assert not pending.is_done
        assert repr(pending) == "Pending(running)"
        begin.set()
        pending.wait()
    assert names == ["muntin-eval"]


def test_a_pending_evaluation_raises_where_it_is_waited_for() -> None:
    class Broken(ReferenceDevice):
        def evaluate(self, *args: object, **options: object) -> list[np.ndarray]:
            raise InternalError("broken: on purpose")

    with mt.use(Broken()):
        pending = mt.eval(mt.asarray([1]) + 1, block=False)
    with pytest.raises(InternalError, match="broken: on purpose"):
        pending.wait()


# --- what is refused ------------------------------------------------------------------------------


def test_only_arrays_are_evaluated() -> None:
    with pytest.raises(
        UnsupportedError, match="eval: got a ndarray; it takes Arrays; make one with"
    ):
        mt.eval(np.zeros(3))  # type: ignore[arg-type]


def test_a_kernel_is_one_kernel() -> None:
    with mt.use("reference"), pytest.raises(UnsupportedError, match="becomes 0 kernels; take them"):
        mt.kernel(mt.asarray([1]) + 1)
    with pytest.raises(UnsupportedError, match="kernel: got a int; it takes an Array"):
        mt.kernel(3)  # type: ignore[arg-type]
    with mt.use("cpu"):
        x = mt.asarray(np.zeros((4, 5), np.uint8))
        assert mt.kernel(x + 1) is not None
