"""Programs as functions of Arrays: the same results compiled, checked and interpreted."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import muntin as mt
from examples.components import labelling
from muntin.config import settings_override
from muntin.core.graph.arrays import cast_array
from muntin.core.graph.infer import resolve
from muntin.core.graph.ops import OPS
from muntin.dtypes import DTYPES
from muntin.errors import InternalError
from muntin.runtime.native import NativeDevice
from muntin.runtime.scheduler import CPUScheduler, ThreadsScheduler
from tests.pointwise import hard_values, same_bits, takes

INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]


@mt.program(image=mt.Input("uint8", 2), counts=mt.Output("int32", 1, 256))
def histogram(p, image, counts):
    rows, columns = image.shape
    with p.parallel(rows) as y, p.for_(columns) as x:
        counts.atomic_add(image[y, x], 1)


@mt.program(
    x=mt.Input("float32", 1),
    sums=mt.Output("float32", 1, lambda x: x),
    total=mt.Output("float64", 0, ()),
    scale=mt.Scalar("float32"),
)
def running(p, x, sums, total, scale):
    """Sum what came before."""
    sum = p.variable(0.0, "float32")
    with p.for_(x.shape[0]) as i:
        sum += x[i] * scale
        sums[i] = sum
    total[()] = sum.astype("float64")


@mt.program(
    x=mt.Input("int64", 1), index=mt.Input("int64", 1), y=mt.Output("int64", 1, lambda index: index)
)
def gathered(p, x, index, y):
    with p.for_(index.shape[0]) as i:
        y[i] = x[index[i]]


labels4, labels8 = labelling(4), labelling(8)


def image_of(shape, seed=0, dtype="uint8", high=256):
    return np.random.default_rng(seed).integers(0, high, shape).astype(dtype)


def everywhere(program, *args):
    """Return the results of a program, which must be the same compiled, checked and interpreted."""
    found = program(*args)
    results = [found if isinstance(found, tuple) else (found,)]
    checked = program.checked(*args)
    results.append(checked if isinstance(checked, tuple) else (checked,))
    arrays = [[np.asarray(each) for each in result] for result in results]
    with mt.use("reference"):
        again = program(*args)
        again = again if isinstance(again, tuple) else (again,)
        arrays.append([np.asarray(each) for each in again])
    for other in arrays[1:]:
        for a, b in zip(arrays[0], other, strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return arrays[0]


# --- what programs compute ------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (1, 1), (7, 9)])
def test_a_histogram(shape):
    image = image_of(shape)
    (counts,) = everywhere(histogram, image)
    assert np.array_equal(counts, np.bincount(image.ravel(), minlength=256))


def test_threads_add_to_the_same_elements():
    image = image_of((700, 300), high=3)
    wanted = np.bincount(image.ravel(), minlength=256)
    for threads in (1, 2, 7):
        for scheduler in (ThreadsScheduler(threads), CPUScheduler(threads)):
            with mt.use(threads=threads, scheduler=scheduler):
                assert np.array_equal(histogram(image), wanted)


def test_numbers_and_several_outputs():
    x = np.arange(5, dtype=np.float32)
    sums, total = everywhere(running, x, 0.5)
    assert sums.tolist() == [0, 0.5, 1.5, 3, 5]
    assert (total.shape, total.dtype, float(total)) == ((), np.float64, 5.0)
    sums, total = everywhere(running, x[:0], 0.5)
    assert (sums.shape, float(total)) == ((0,), 0.0)


def test_arguments_may_be_named():
    x = np.ones(3, np.float32)
    sums = running(scale=2, x=x)[0]
    assert np.asarray(sums).tolist() == [2, 4, 6]
    assert running.__doc__ == "Sum what came before."
    assert (running.__name__, repr(running)) == ("running", "Program(running(x, scale))")


def one_operation(row, dtype, result):
    """Return a program that applies a row to the elements of arrays."""

    @mt.program(
        flags=mt.Input("bool", 1),
        x=mt.Input(dtype, 1),
        y=mt.Input(dtype, 1),
        z=mt.Input(dtype, 1),
        out=mt.Output(result, 1, lambda x: x),
    )
    def applied(p, flags, x, y, z, out):
        with p.for_(out.shape[0]) as i:
            parts = [flags[i]] if row.rule == "select" else []
            parts += [x[i], y[i], z[i]]
            out[i] = getattr(p, row.name)(*parts[: row.arity])

    return applied


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_every_row_of_the_table_is_an_operation(dtype):
    names = [
        row.name
        for row in OPS.values()
        if row.is_elementwise
        and row.name not in ("cast", "rounded_sqrt")
        and not row.name.startswith("raw_")
        and takes(row.name, dtype)
    ]
    values = hard_values(dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values))
    c, flags = np.roll(b, 7), np.arange(len(a)) % 3 == 0
    for name in names:
        row = OPS[name]
        pair = (DTYPES["bool"], dtype, dtype) if row.rule == "select" else (dtype,) * row.arity
        result = resolve(name, row.rule, pair)[1]
        parts = [flags, a, b, c] if row.rule == "select" else [a, b, c]
        if row.is_widened(pair):
            parts = [cast_array(part, dtype.computed) for part in parts]
        with settings_override(opt_level=0):
            found = np.asarray(one_operation(row, dtype, result)(flags, a, b, c))
        with np.errstate(all="ignore"):
            wanted = cast_array(row.reference(*parts[: row.arity]), result)
        assert same_bits(found, wanted), name


@pytest.mark.parametrize("source", DTYPES.values(), ids=str)
@pytest.mark.parametrize("target", ["bool", "uint8", "int32", "float32"])
@pytest.mark.parametrize("overflow", ["wrap", "saturate"])
def test_casts(source, target, overflow):
    @mt.program(x=mt.Input(source, 1), y=mt.Output(target, 1, lambda x: x))
    def cast(p, x, y):
        with p.for_(x.shape[0]) as i:
            y[i] = x[i].astype(target, overflow)

    values = hard_values(source)
    wanted = mt.asarray(values).astype(target, overflow)
    assert np.array_equal(cast(values), wanted, equal_nan=target == "float32")


def test_operators_are_those_of_arrays():
    @mt.program(
        a=mt.Input("int16", 1),
        b=mt.Input("int16", 1),
        out=mt.Output("int16", 2, lambda a: (22, *a)),
    )
    def all_operators(p, a, b, out):
        with p.for_(a.shape[0]) as i:
            x, y = a[i], b[i]
            values = [x + y, 3 + x, x - y, 3 - x, x * y, 3 * x, x // y, 7 // x, x % y, 7 % x, -x]
            values += [abs(x), ~x, x & y, 3 & x, x | y, 3 | x, x ^ y, 3 ^ x, x << 2, 3 << x, x >> 1]
            for place, value in enumerate(values):
                out[place, i] = value

    rng = np.random.default_rng(0)
    x, y = rng.integers(-40, 40, (2, 60)).astype(np.int16)
    a, b = mt.asarray(x), mt.asarray(y)
    wanted = [a + b, 3 + a, a - b, 3 - a, a * b, 3 * a, a // b, 7 // a, a % b, 7 % a, -a]
    wanted += [abs(a), ~a, a & b, 3 & a, a | b, 3 | a, a ^ b, 3 ^ a, a << 2, 3 << a, a >> 1]
    assert np.array_equal(
        everywhere(all_operators, x, y)[0], np.array(list(map(np.asarray, wanted)))
    )


def test_comparisons_and_shifts_and_quotients_of_either_side():
    @mt.program(a=mt.Input("int32", 1), out=mt.Output("bool", 2, lambda a: (9, *a)))
    def compared(p, a, out):
        with p.for_(a.shape[0]) as i:
            x, three = a[i], p.variable(3, "int32")
            values = [x < 3, x <= 3, x > 3, x >= 3, x == 3, x != 3, 5 >> x == 1, 6 / x > 2.5]
            for place, value in enumerate([*values, three < x]):
                out[place, i] = value

    x = np.arange(1, 9, dtype=np.int32)
    wanted = [x < 3, x <= 3, x > 3, x >= 3, x == 3, x != 3, 5 >> x == 1, 6 / x > 2.5, x > 3]
    assert np.array_equal(everywhere(compared, x)[0], wanted)


def test_assignments_in_place():
    @mt.program(
        x=mt.Input("int64", 1), out=mt.Output("int64", 1, 11), half=mt.Output("float64", 0, ())
    )
    def assigned(p, x, out, half):
        values = [p.variable(x[0]) for _ in range(10)]
        a, b, c, d, e, f, g, h, i, j = values
        a += 5
        b -= 5
        c *= 5
        d //= 5
        e %= 5
        f &= 5
        g |= 5
        h ^= 5
        i <<= 2
        j >>= 2
        for place, value in enumerate([a, b, c, d, e, f, g, h, i, j]):
            out[place] = value
        out[10] = p.let(a) + 1
        out[10] += 1
        quotient = p.variable(1.0)
        quotient /= 4
        half[()] = quotient

    for n in (37, -37):
        wanted = [n + 5, n - 5, n * 5, n // 5, n % 5, n & 5, n | 5, n ^ 5, n << 2, n >> 2, n + 7]
        out, half = everywhere(assigned, np.array([n]))
        assert out.tolist() == wanted
        assert float(half) == 0.25


def test_a_variable_is_read_where_it_is_written():
    @mt.program(out=mt.Output("int64", 1, 4))
    def read(p, out):
        n = p.variable(1)
        kept, doubled = p.let(n), n * 2
        with p.if_(n == 1):
            n.assign(10)
        for place, value in enumerate([n, kept, doubled, p.let(3)]):
            out[place] = value

    assert everywhere(read)[0].tolist() == [10, 1, 2, 3]


def test_loops_repeat_and_choose():
    @mt.program(start=mt.Input("int64", 1), steps=mt.Output("int32", 1, lambda start: start))
    def collatz(p, start, steps):
        with p.for_(start.shape[0]) as i:
            n, count = p.variable(start[i]), p.variable(0, "int32")
            with p.while_(lambda: n != 1):
                with p.if_(n % 2 == 0):
                    n.assign(n // 2)
                with p.else_():
                    n.assign(3 * n + 1)
                count += 1
            steps[i] = count

    assert everywhere(collatz, np.array([1, 2, 3, 27]))[0].tolist() == [0, 1, 7, 111]


def test_loops_step_and_go_on_while_a_variable_holds():
    @mt.program(out=mt.Output("int64", 1, 20), last=mt.Scalar("uint8"))
    def stepped(p, out, last):
        with p.for_(2, last, 3) as i:
            out[i] = i
        going, n = p.variable(True), p.variable(0)
        with p.while_(going):
            n += 1
            going.assign(n < 4)
        out[0] = n

    wanted = [4, 0, 2, 0, 0, 5, 0, 0, 8, 0, 0, 11] + [0] * 8
    assert everywhere(stepped, 12)[0].tolist() == wanted


def test_elements_outside_are_what_is_asked_for():
    @mt.program(
        x=mt.Input("int32", 2), zero=mt.Input("int32", 0), out=mt.Output("int32", 2, lambda x: x)
    )
    def neighbours(p, x, zero, out):
        with p.for_(x.shape[0]) as i, p.for_(x.shape[1]) as j:
            out[i, j] = x.get((i - 1, j), -1) + x.get((i, j + 1), zero.get((), 3)) * 100

    x = image_of((3, 4), dtype="int32", high=9)
    up = np.pad(x, ((1, 0), (0, 0)), constant_values=-1)[:-1]
    right = np.pad(x, ((0, 0), (0, 1)), constant_values=7)[:, 1:]
    assert np.array_equal(everywhere(neighbours, x, np.int32(7))[0], up + right * 100)


def test_phases_follow_one_another():
    @mt.program(
        x=mt.Input("int64", 2),
        total=mt.Output("int64", 0, ()),
        sums=mt.Scratch("int64", 1, lambda x: x[0]),
        extra=mt.Scalar("int64"),
    )
    def summed(p, x, total, sums, extra):
        rows, columns = x.shape
        twice = extra * 2
        with p.parallel(rows) as y, p.for_(columns) as i:
            sums[y] += x[y, i]
        count = p.variable(0)
        with p.for_(rows) as y:
            count += sums[y]
        total[()] = count
        with p.parallel(rows // 2 + 1) as y:
            total.atomic_add((), twice + y)

    x = image_of((9, 400), dtype="int64")
    assert int(everywhere(summed, x, 3)[0]) == x.sum() + 5 * 6 + 10
    assert len(summed._definition.phases) == 3
    with mt.use(threads=3):
        assert int(summed(x, 3)) == x.sum() + 5 * 6 + 10


# --- connected components -------------------------------------------------------------------------

STRUCTURES = {
    4: (labels4, ndimage.generate_binary_structure(2, 1)),
    8: (labels8, ndimage.generate_binary_structure(2, 2)),
}


@pytest.mark.parametrize("connectivity", STRUCTURES)
@given(
    rows=st.integers(0, 40),
    columns=st.integers(0, 40),
    seed=st.integers(0, 99),
    share=st.floats(0, 1),
)
def test_components_are_those_of_scipy(connectivity, rows, columns, seed, share):
    label, structure = STRUCTURES[connectivity]
    mask = np.random.default_rng(seed).random((rows, columns)) < share
    wanted, number = ndimage.label(mask, structure)
    for program in (label, label.checked):
        found, count = mt.eval(*program(mask))
        assert np.array_equal(found, wanted)
        assert int(count) == number


@pytest.mark.parametrize("connectivity", STRUCTURES)
@pytest.mark.parametrize("name", ["coins", "page", "text", "camera"])
def test_components_of_real_images(connectivity, name):
    data = pytest.importorskip("skimage.data")
    image = getattr(data, name)()
    mask = image > image.mean()
    label, structure = STRUCTURES[connectivity]
    found, count = mt.eval(*label(mask))
    wanted, number = ndimage.label(mask, structure)
    assert number > 5
    assert np.array_equal(found, wanted)
    assert int(count) == number


@pytest.mark.parametrize("connectivity", STRUCTURES)
def test_components_are_the_same_interpreted(connectivity):
    data = pytest.importorskip("skimage.data")
    coins = data.coins()[::7, ::7]
    label, structure = STRUCTURES[connectivity]
    for mask in (np.random.default_rng(1).random((17, 23)) < 0.55, coins > coins.mean()):
        wanted, number = ndimage.label(mask, structure)
        found, count = everywhere(label, mask)
        assert np.array_equal(found, wanted)
        assert int(count) == number > 2


# --- in expressions -------------------------------------------------------------------------------


def test_programs_are_lazy_and_fit_into_expressions():
    image = image_of((40, 50))
    counts = histogram(mt.asarray(image) // 2)
    assert not counts.is_evaluated
    assert (counts.shape, counts.dtype, counts.axes) == ((256,), np.int32, "x")
    shares = counts * 100 // counts.size
    wanted = np.bincount(image.ravel() // 2, minlength=256) * 100 // 256
    assert np.array_equal(shares, wanted)
    mask = mt.asarray(image) > 100
    found, count = labels4(mask)
    assert found.axes == "yx"
    bigger, again = mt.eval(found + count, labels4((found > 3) & mask)[1])
    wanted, number = ndimage.label(image > 100)
    assert np.array_equal(bigger, wanted + number)
    assert int(again) == ndimage.label(wanted > 3)[1]


def test_one_output_of_several_is_enough():
    x = np.arange(6, dtype=np.float32)
    _, total = running(x, 1)
    assert float(total) == 15.0
    assert len(mt.explain(total).text.split("kernel 1")) == 1


def test_two_calls_are_told_apart():
    x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    one, two, three = running(x, 1), running(x, 2), running(y, 1)
    found = mt.eval(one[0], two[0], three[0], one[1])
    assert [each.tolist() for each in map(np.asarray, found)] == [
        [0, 1, 3, 6],
        [0, 2, 6, 12],
        [1, 2, 3, 4],
        6.0,
    ]


def test_shapes_need_not_follow_from_what_is_read():
    sizes = [3, 5]

    @mt.program(x=mt.Input("int8", 1), out=mt.Output("int64", 1, lambda: sizes[0]))
    def sized(p, x, out):
        with p.for_(out.shape[0]) as i:
            out[i] = out.shape[0] + x.shape[0]

    x = mt.asarray(np.zeros(2, np.int8))
    short = sized(x)
    sizes.reverse()
    long = sized(x)
    found = mt.eval(short, long)
    assert [np.asarray(each).tolist() for each in found] == [[5] * 3, [7] * 5]


@pytest.mark.parametrize(
    "seen",
    [
        lambda x: x[::-1],
        lambda x: x[::2, ::3],
        lambda x: x.T,
        lambda x: np.broadcast_to(x[:1], (6, x.shape[1])),
        lambda x: np.asfortranarray(x),
    ],
)
def test_any_strides_are_read(seen):
    image = image_of((30, 40))
    assert np.array_equal(
        everywhere(histogram, seen(image))[0], np.bincount(seen(image).ravel(), minlength=256)
    )
    lazy = mt.asarray(image)
    if seen(image).base is not None:
        mask = seen(image) > 99
        assert np.array_equal(labels8(seen(image) > 99)[0], ndimage.label(mask, np.ones((3, 3)))[0])
    assert np.array_equal(
        histogram(lazy[::-1, 1:]), np.bincount(image[:, 1:].ravel(), minlength=256)
    )


def test_arrays_that_take_no_memory_are_stored_first():
    assert int(histogram(mt.zeros((3, 4), dtype="uint8"))[0]) == 12
    rows = mt.index((5, 4), 0).astype("uint8")
    assert np.asarray(histogram(rows))[:6].tolist() == [4] * 5 + [0]
    x = mt.asarray(np.arange(4)).at(1)
    assert np.asarray(gathered(x, mt.index((3,), 0))).tolist() == [1, 2, 3]
    assert np.asarray(gathered(x + 1, mt.full((2,), 3))).tolist() == [4, 4]

    @mt.program(x=mt.Input("int64", 0), out=mt.Output("int64", 0, ()))
    def same(p, x, out):
        out[()] = x[()]

    assert int(same(mt.full((), 7))) == 7
    assert int(same(mt.asarray(np.arange(9)).keep()[4])) == 4


def test_results_may_be_viewed_and_reshaped():
    image = image_of((12, 20), high=2, dtype="bool")
    wanted = ndimage.label(image)[0]
    found = labels4(image)[0]
    assert np.array_equal(found[2:5, ::-1], wanted[2:5, ::-1])
    assert np.array_equal(labels4(image)[0].T, wanted.T)
    assert np.array_equal(mt.reshape(labels4(image)[0], (20, 12)), wanted.reshape(20, 12))
    assert np.array_equal(
        labels4(mt.reshape(mt.asarray(image), (20, 12)))[0], ndimage.label(image.reshape(20, 12))[0]
    )


def test_results_are_written_where_told():
    image = image_of((30, 40))
    wanted = np.bincount(image.ravel(), minlength=256)
    out = np.full(256, 99, np.int32)
    histogram(image).eval(out=out)
    assert np.array_equal(out, wanted)
    wide = np.full((256, 3), 99, np.int32)
    histogram(image).eval(out=wide[:, 1])
    assert np.array_equal(wide[:, 1], wanted)
    assert (wide[:, ::2] == 99).all()


def test_results_are_written_in_any_strides():
    mask = np.random.default_rng(2).random((9, 11)) < 0.6
    wanted, number = ndimage.label(mask)
    whole = np.full((22, 18), 99, np.int32)
    for out in (whole[::-2, ::2].T, whole[:9, :11], whole[8::-1, 10::-1], whole[1::2, 1::2].T):
        count = np.zeros((), np.int32)
        mt.eval(*labels4(mask), out=(out, count))
        assert np.array_equal(out, wanted)
        assert int(count) == number


@pytest.mark.parametrize("checked", [False, True])
def test_an_out_may_be_an_input(checked):
    @mt.program(x=mt.Input("int64", 1), y=mt.Output("int64", 1, lambda x: x))
    def reverse(p, x, y):
        with p.for_(x.shape[0]) as i:
            y[i] = x[x.shape[0] - 1 - i]

    x = np.arange(7)
    (reverse.checked if checked else reverse)(x).eval(out=x)
    assert x.tolist() == [6, 5, 4, 3, 2, 1, 0]
    y = np.arange(9)
    reverse(mt.asarray(y[:7]) + 1).eval(out=y[2:])
    assert y.tolist() == [0, 1, 7, 6, 5, 4, 3, 2, 1]


def test_programs_are_traced():
    double = mt.function(lambda x, scale: running(x * 2, scale))
    x = np.arange(4, dtype=np.float32)
    for scale in (1.0, 2.0, 0.5):
        sums, total = double(x, scale)
        assert np.array_equal(sums, np.cumsum(x * 2 * np.float32(scale)))
        assert float(total) == 12 * scale
    outs = (np.empty(4, np.float32), np.empty((), np.float64))
    for _ in range(2):
        double(x + 1, 1.0, out=outs)
        assert outs[0].tolist() == [2, 6, 12, 20]
        assert float(outs[1]) == 20


def test_programs_run_in_many_threads():
    masks = [np.random.default_rng(seed).random((60, 70)) < 0.5 for seed in range(4)]
    found = {}

    def work(k):
        for _ in range(5):
            found[k] = np.asarray(labels4(masks[k])[0])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, mask in enumerate(masks):
        assert np.array_equal(found[k], ndimage.label(mask)[0])


def test_boxes_pulled_through_a_program_are_whole():
    image = mt.asarray(image_of((8, 9)))
    (need,) = mt.required(histogram(image + 1), mt.Box((3,), (4,)))
    assert need.box == mt.Box((0, 0), (8, 9))


def test_devices_that_run_no_programs_say_so():
    pytest.importorskip("pyopencl")
    if not any(name.startswith("opencl") for name in mt.devices()):
        pytest.skip("there is no OpenCL device")
    with mt.use("opencl"), pytest.raises(mt.DeviceError, match="a node of kind 'program'"):
        histogram(image_of((3, 4))).eval()


# --- arrays that are changed ----------------------------------------------------------------------


@mt.program(
    counts=mt.Update("int32", 1),
    index=mt.Input("int64", 1),
    before=mt.Output("int32", 1, lambda index: index),
    weights=mt.Update("float32", 2),
    weight=mt.Scalar("float32"),
)
def counting(p, counts, index, before, weights, weight):
    with p.for_(index.shape[0]) as i:
        before[i] = counts[index[i]]
        counts[index[i]] += 1
        weights[index[i], 0] += weight


def test_arrays_that_are_changed_are_given_and_returned():
    counts, weights = np.arange(10, dtype=np.int32), np.ones((10, 3), np.float32)
    index = np.array([1, 1, 9, 0, 1])
    args = (counts, index, weights, 0.5)
    for some in (args, (counts[::-1], index, weights.T.copy().T, 0.5)):
        found = everywhere(counting, *some)
        more, heavy = some[0].copy(), some[2].copy()
        np.add.at(more, index, 1)
        np.add.at(heavy, (index, 0), 0.5)
        first = some[0][index] + [0, 1, 0, 0, 2]
        for each, wanted in zip(found, (more, first, heavy), strict=True):
            assert np.array_equal(each, wanted)
    assert counts.tolist() == list(range(10))


@pytest.mark.parametrize("which", range(3))
def test_some_of_what_is_changed_may_be_left_out(which):
    counts, weights = mt.asarray(np.arange(10, dtype=np.int32)) * 2, np.ones((10, 3), np.float32)
    index = np.array([1, 1, 9, 0, 1])
    all_of_them = counting(counts, index, weights, 2)
    assert np.array_equal(counting(counts, index, weights, 2)[which], mt.eval(*all_of_them)[which])


def test_what_is_changed_may_be_used_elsewhere_and_changed_again():
    zeros = mt.zeros((4, 1), dtype="float32")
    f = mt.function(lambda x, index: (x + 1, counting(x + 1, index, zeros, 1)[0]))

    def twice(x, index):
        y, counts = f(x, index)
        again = counting(counts, index, mt.ones((4, 1), dtype="float32"), 2)
        same = counting(counts, index, mt.ones((4, 1), dtype="float32"), 2)
        return mt.eval(y, counts, again[0], same[2] + again[2], counts * 2)

    for start in range(2):
        x, index = np.arange(start, start + 4, dtype=np.int32), np.array([1, 3, 3, start])
        found = [np.asarray(each) for each in twice(x, index)]
        added = np.bincount(index, minlength=4)
        assert np.array_equal(found[0], x + 1)
        assert np.array_equal(found[1], x + 1 + added)
        assert np.array_equal(found[2], x + 1 + 2 * added)
        assert np.array_equal(found[3][:, 0], 2 + 4 * added)
        assert np.array_equal(found[4], (x + 1 + added) * 2)


def test_an_out_of_what_is_changed_may_be_what_is_read():
    counts, index = np.arange(4, dtype=np.int32), np.array([1, 3, 3, 0])
    wanted = counts + np.bincount(index, minlength=4)
    weights = np.ones((4, 1), np.float32)
    out = np.full((4, 2), 7, np.int32)
    counting(counts, index, weights, 1)[0].eval(out=out[:, 0])
    assert np.array_equal(out[:, 0], wanted)
    assert (out[:, 1] == 7).all()
    counting(counts, index, weights, 1)[0].eval(out=counts)
    assert np.array_equal(counts, wanted)


# --- kernels --------------------------------------------------------------------------------------


def test_sizes_strides_and_numbers_compile_nothing(monkeypatch):
    running(np.ones(3, np.float32), 1)[0].eval()
    monkeypatch.setattr("muntin.runtime.compiled.compile_ir", None)
    for x in (np.ones(9, np.float32), np.ones(20, np.float32)[::-2]):
        assert float(running(x, 0.5)[1]) == len(x) / 2


def test_kernels_have_a_program_but_no_rows():
    kernel = mt.kernel(running(np.ones(3, np.float32), 2)[0])
    assert [function.name for function in kernel.program.functions] == ["phase0", "entry"]
    with pytest.raises(InternalError, match="loops written by hand have no facts; ask their call"):
        _ = kernel.facts


def test_traces_tell_the_memory_of_programs():
    traced = mt.function(lambda x: labels4(x))
    traced(np.zeros((20, 30), bool))
    report = traced.memory_report()
    assert (report["inputs"], report["results"]) == (600, 2404)
    assert report["intermediates"] == 4 * 302


def test_the_next_process_finds_programs_on_the_disk(monkeypatch):
    x = mt.asarray(np.ones(3, np.float32))
    nodes = [each._node for each in running(x, 2)]
    NativeDevice().evaluate(nodes, [None, None], threads=1)
    monkeypatch.setattr("muntin.runtime.cpu._build", None)
    sums, total = NativeDevice().evaluate(nodes, [None, None], threads=1)
    assert (sums.tolist(), float(total)) == ([2, 4, 6], 6.0)


def test_programs_are_explained():
    image = mt.asarray(image_of((30, 40)))
    counts = histogram(image)
    text = str(mt.explain(counts + 1))
    assert "domain     the loops of histogram, in 1 phase\n" in text
    assert "  each step  out0 from in0: 0 operations" in text or "out0 from in0: copied" in text
    assert "program(%0, histogram, counts)" in str(mt.explain(counts, what="graph"))
    assert "then add 1" in str(mt.explain(counts, what="program"))
    assert "atomicrmw add" in str(mt.explain(counts, what="llvm"))
    assert "<svg" in str(mt.explain(counts, what="html"))
    with pytest.raises(mt.DeviceError, match="kernel 0 is a program, which OpenCL devices do not"):
        mt.explain(counts, what="opencl")
    found = mt.explain(labels8(image > 3)[0])
    assert "the loops of label, in 1 phase" in str(found)


# --- checks ---------------------------------------------------------------------------------------


def faulty(place):
    """Return a program that reads, writes or adds at a place of a 4 × 5 array."""

    @mt.program(
        x=mt.Input("int32", 2),
        y=mt.Output("int32", 2, lambda x: x),
        z=mt.Output("int32", 0, ()),
        row=mt.Scalar("int64"),
        column=mt.Scalar("int64"),
    )
    def touching(p, x, y, z, row, column):
        z[()] = 1
        if place == "read":
            y[0, 0] = x[row, column]
        elif place == "written":
            y[row, column] = 5
        else:
            y.atomic_add((row, column), 5)
        z[()] = 2

    return touching


@pytest.mark.parametrize("word", ["read", "written", "added to"])
@pytest.mark.parametrize("index", [(4, 0), (0, 5), (-1, 0), (2, -3), (1 << 40, 0), (-(1 << 63), 4)])
def test_indices_outside_are_told(word, index):
    program, x = faulty(word), np.zeros((4, 5), np.int32)
    name = "x" if word == "read" else "y"
    text = (
        f"touching: {name}\\[{index[0]}, {index[1]}\\] is outside of its shape \\(4, 5\\); it was "
    )
    text += f"{word} at .*test_program.py:\\d+, `.*row, column.*`; an index counts from 0"
    with pytest.raises(mt.BoundsError, match=text):
        mt.eval(*program.checked(x, *index))
    with mt.use("reference"), pytest.raises(mt.BoundsError, match=text):
        mt.eval(*program(x, *index))
    with settings_override(check_programs=True), pytest.raises(mt.BoundsError, match=text):
        mt.eval(*program(x, *index))
    assert np.array_equal(mt.eval(*program.checked(x, 3, 4))[1], 2)


def test_the_first_fault_is_told_and_nothing_is_written():
    @mt.program(x=mt.Input("int64", 1), y=mt.Output("int64", 1, lambda x: x))
    def permuted(p, x, y):
        with p.parallel(x.shape[0]) as i:
            y[x[i]] = i

    x = np.array([1, 0, 7, 9, 3])
    out = np.full(5, -1)
    with pytest.raises(mt.BoundsError, match=r"permuted: y\[7\] is outside"):
        permuted.checked(x).eval(out=out)
    other = np.full(5, -1)
    with pytest.raises(mt.BoundsError, match=r"y\[7\]"):
        mt.eval(mt.asarray(x) + 1, permuted.checked(x), out=(other, out))
    assert (out == -1).all()
    assert (other == -1).all()
    with mt.use("reference"), pytest.raises(mt.BoundsError, match=r"y\[[79]\]"):
        permuted(x).eval(out=out)
    assert (out == -1).all()


def test_checked_programs_end_at_a_fault():
    @mt.program(x=mt.Input("int64", 1), y=mt.Output("int64", 0, ()))
    def endless(p, x, y):
        i = p.variable(0)
        with p.while_(lambda: x[i] >= 0):
            i += 1
            y[()] = i

    with pytest.raises(mt.BoundsError, match=r"endless: x\[3\] is outside of its shape \(3,\)"):
        endless.checked(np.zeros(3, np.int64)).eval()
    assert int(endless.checked(np.array([0, 0, -1]))) == 2


def racing(place):
    """Return a program whose parallel loop uses what its iterations write."""

    @mt.program(x=mt.Input("int64", 1), y=mt.Output("int64", 1, lambda x: x))
    def program(p, x, y):
        with p.parallel(x.shape[0]) as i:
            if place == "read":
                y[i] = x[i] + y.get(i - 1, 0)
            elif place == "written":
                y[i // 2] = x[i]
            elif place == "added and written":
                y.atomic_add(0, x[i])
                with p.if_(i == 3):
                    y[0] = 7
            else:
                y.atomic_add(0, x[i])
                y.atomic_add(i, 1)

    return program


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("read", r"over k reads byte \d+ of y, which another writes"),
        ("written", r"over k writes byte \d+ of y, which another writes"),
        ("added and written", r"over k \w+ byte 0 of y, which another writes"),
    ],
)
def test_parallel_loops_that_race_are_told(place, message):
    with mt.use("reference"), pytest.raises(mt.RaceError, match=message):
        racing(place)(np.ones(5, np.int64)).eval()


def test_parallel_loops_may_add_to_what_others_add_to():
    assert everywhere(racing("added"), np.ones(5, np.int64))[0].tolist() == [6, 1, 1, 1, 1]


def test_inputs_are_not_touched_by_the_interpreter():
    x = np.arange(4.0, dtype=np.float32)
    with mt.use("reference"):
        assert np.asarray(running(x, 1)[0]).tolist() == [0, 1, 3, 6]
    x[0] = 1
    assert x.flags.writeable


# --- what is wrong with a call --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: histogram(np.zeros((3, 4))),
            mt.DTypeError,
            r"histogram: image is float64 \(3, 4\); the program takes uint8; cast it with .asty",
        ),
        (
            lambda: histogram(np.zeros(3, np.uint8)),
            mt.ShapeError,
            r"histogram: image is uint8 \(3,\), of 1 axes; the program takes 2; index it, or give",
        ),
        (
            lambda: histogram(),
            mt.ParameterError,
            r"histogram: missing a required argument: 'image'; it takes \(image\)",
        ),
        (
            lambda: running(np.zeros(3, np.float32), scale="2"),
            mt.DTypeError,
            r"running: scale is '2'; it takes a number of type float32; an Array of no axes goes",
        ),
        (
            lambda: running(np.zeros(3, np.float32), True),
            mt.DTypeError,
            r"running: scale is True; it takes a number of type float32",
        ),
        (
            lambda: faulty("read")(np.zeros((2, 2), np.int32), 1 << 63, 0),
            mt.RangeError,
            r"touching: row is 9223372036854775808, which does not fit in int64 \(-922337203685477",
        ),
        (
            lambda: faulty("read")(np.zeros((2, 2), np.int32), 0.5, 0),
            mt.DTypeError,
            r"touching: row is 0.5; it takes a number of type int64",
        ),
        (
            lambda: histogram(mt.asarray(np.zeros((5, 5), np.uint8)).at(0, 1, border="undefined")),
            mt.BorderError,
            r"histogram: image is valid from \(0, 0\) to \(5, 4\) only; .*with .valid\(\), or stat",
        ),
    ],
)
def test_calls_are_told_what_is_wrong(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize(
    ("shape", "kind", "message"),
    [
        (
            lambda x: (3, 4),
            mt.ShapeError,
            r"shaped: the shape of y is \(3, 4\), of 2 axes; it was dec",
        ),
        (
            lambda x: -1,
            mt.ShapeError,
            r"shaped: the shape of y: shape \(-1,\) has a negative length",
        ),
        (
            lambda x: 0.5,
            mt.UnsupportedError,
            r"shaped: the shape of y: 0.5 is no shape; give an int",
        ),
        (
            lambda z: 3,
            mt.ParameterError,
            r"shaped: the shape of y is a function of z; it may take .*by their names: x, n",
        ),
    ],
)
def test_shapes_are_told_what_is_wrong(shape, kind, message):
    @mt.program(x=mt.Input("int8", 1), y=mt.Output("int8", 1, shape), n=mt.Scalar("int32"))
    def shaped(p, x, y, n):
        y[0] = 1

    with pytest.raises(kind, match=message):
        shaped(np.zeros(3, np.int8), 2)


def test_shapes_may_follow_from_numbers():
    @mt.program(y=mt.Output("int8", 1, lambda n: n), n=mt.Scalar("int32"))
    def sized(p, y, n):
        with p.for_(n) as i:
            y[i] = i.astype("int8")

    assert np.asarray(sized(3)).tolist() == [0, 1, 2]
    assert np.asarray(sized(np.int16(2))).tolist() == [0, 1]
    message = "sized: the shape of y depends on n, a number argument of a traced function"
    with pytest.raises(mt.UnsupportedError, match=message):
        mt.function(lambda n: sized(n))(4)


def test_results_that_no_process_can_hold_are_told():
    @mt.program(y=mt.Output("int64", 2, (1 << 40, 1 << 40)))
    def huge(p, y):
        y[0, 0] = 1

    with pytest.raises(
        MemoryError, match=r"eval: an array of int64 \(1099511627776, 1099511627776\)"
    ):
        huge().eval()
