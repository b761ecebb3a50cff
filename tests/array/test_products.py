"""Products of vectors, matrices and tensors are NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import muntin as mt
from muntin.config import settings_override
from muntin.dtypes import DTYPES
from muntin.errors import BorderError, DeviceError, DTypeError, ShapeError

SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((4, 1, 2, 3), (5, 3, 2)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((0,), (0,)),
    ((0, 2, 3), (3, 1)),
    ((1, 1), (1, 1)),
]


def drawn(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if "float" in dtype:  # sums are exact in any order
        return rng.integers(-9, 9, shape).astype(DTYPES[dtype].numpy)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def by_numpy(product, a, b):
    """Return NumPy's product; it has none of bfloat16."""
    if a.dtype.name != "bfloat16":
        return product(a, b)
    return np.asarray(product(a.astype("float32"), b.astype("float32"))).astype(a.dtype)


def check(found, wanted):
    np.testing.assert_array_equal(found, wanted, strict=True)


class TestMatrices:
    @pytest.mark.parametrize("shapes", SHAPES)
    @pytest.mark.parametrize("dtype", list(DTYPES))
    def test_all_types_and_shapes(self, dtype, shapes):
        with np.errstate(all="ignore"):
            a, b = (drawn(shape, dtype, k) for k, shape in enumerate(shapes))
            wanted = by_numpy(np.matmul, a, b)
            for device in ("cpu", "reference"):
                with mt.use(device):
                    check(np.asarray(mt.matmul(a, mt.asarray(b))), wanted)

    @pytest.mark.parametrize(("one", "other"), [("int8", "uint16"), ("bool", "float32")])
    def test_types_are_promoted(self, one, other):
        a, b = drawn((2, 3), one), drawn((3, 2), other)
        check(np.asarray(mt.matmul(a, b)), np.matmul(a, b))
        check(np.asarray(mt.vecdot(a, b.T)), np.vecdot(a, b.T))

    @given(st.data())
    def test_operands_lie_anyhow(self, data):
        n, k, m = (data.draw(st.integers(0, 5)) for _ in range(3))
        held = drawn((12, 12, 2), data.draw(st.sampled_from(["float32", "int16"])))
        steps = st.sampled_from([1, -1, 2, -2])

        def operand(rows, columns):
            row, column = data.draw(steps), data.draw(steps)
            seen = held[::row, ::column, data.draw(st.integers(0, 1))]
            if data.draw(st.booleans()):
                return seen[:columns, :rows].T
            return seen[:rows, :columns]

        a, b = operand(n, k), operand(k, m)
        wanted = np.matmul(a, b)
        check(np.asarray(mt.asarray(a) @ mt.asarray(b)), wanted)
        again = mt.eval(mt.asarray(a) @ mt.asarray(b), out=np.empty((n, m), held.dtype))
        check(np.asarray(again), wanted)

    def test_operators_of_both_sides(self):
        a, b = drawn((2, 3), "float64"), drawn((3, 2), "float64")
        for found in (mt.asarray(a) @ b, a @ mt.asarray(b), mt.asarray(a) @ mt.asarray(b)):
            assert isinstance(found, mt.Array)
            check(np.asarray(found), a @ b)
        value = mt.asarray(a)
        value @= b
        check(np.asarray(value), a @ b)

    def test_work_before_and_after_is_fused(self):
        a, b = drawn((40, 30), "float64"), drawn((30, 20), "float64", 1)
        x, y = mt.asarray(a), mt.asarray(b)
        found = (x * 2 - 1) @ (y[::-1] + x[0, 0]) / 4 + 1
        text = mt.explain(found)
        assert str(text).count("\nkernel ") == 3
        assert "matmul     float64 (40, 20) of (40, 30) and (30, 20), by NumPy" in str(text)
        check(np.asarray(found), (a * 2 - 1) @ (b[::-1] + a[0, 0]) / 4 + 1)

    def test_products_of_products(self):
        a = drawn((6, 6), "int64")
        x = mt.asarray(a)
        with np.errstate(all="ignore"):
            check(np.asarray((x @ x) @ (x @ x).T + x), (a @ a) @ (a @ a).T + a)
            both = mt.eval(x @ x, (x @ x)[::2, 1], (x @ x).sum(axis=0))
            for found, wanted in zip(both, (a @ a, (a @ a)[::2, 1], (a @ a).sum(0)), strict=True):
                check(np.asarray(found), wanted)

    def test_nothing_is_computed_but_when_it_is_asked_for(self):
        product = mt.asarray(np.ones((2, 3))) @ mt.asarray(np.ones((3, 2)))
        assert repr(product) == 'Array((2, 2), float64, axes="yx", lazy)'
        assert "matmul     float64 (2, 2) of (2, 3) and (3, 2), by NumPy" in str(
            mt.explain(product)
        )
        assert repr(product).endswith("lazy)")

    def test_outs_that_are_operands(self):
        for view in (np.s_[:, :], np.s_[::-1], np.s_[:, ::-1]):
            a = drawn((4, 4), "float64")
            wanted = a @ a + 1
            mt.eval(mt.asarray(a) @ mt.asarray(a) + 1, out=a[view])
            check(a[view], wanted)
            b = drawn((4, 4), "float64")
            wanted = (b + 1) @ b
            mt.eval((mt.asarray(b) + 1) @ mt.asarray(b), out=b[view])
            check(b[view], wanted)

    def test_traced_functions_take_other_sizes_and_outs(self):
        traced = mt.function(lambda a, b: (a + 1) @ b.T * 2)
        for n in (3, 5, 3):
            a, b = drawn((n, 4), "float64", n), drawn((n, 4), "float64", n + 1)
            wanted = (a + 1) @ b.T * 2
            check(np.asarray(traced(a, b)), wanted)
            out = np.empty((n, n))
            traced(a, b, out=out)
            check(out, wanted)
            check(np.asarray(traced(a[:, ::-1], b[:, ::-1])), wanted)

    def test_memory_is_taken_once_and_not_read_before_it_is_written(self):
        with settings_override(poison=True):
            x = mt.asarray(drawn((5, 0), "float64"))
            check(np.asarray(x @ x.T), np.zeros((5, 5)))

    def test_numbers_that_are_no_matrices(self):
        x = mt.asarray(np.ones((2, 3)))
        with pytest.raises(
            ShapeError, match=r"matmul: .* \(2, 3\) and \(\); .* multiply by a numb"
        ):
            x @ 3
        with pytest.raises(ShapeError, match=r"matmul: .* \(\) and \(2, 3\)"):
            2.5 @ x
        with pytest.raises(TypeError, match="unsupported operand"):
            x @ "x"
        with pytest.raises(DTypeError, match="matmul: got an operand of type str"):
            mt.matmul(x, "x")

    @pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((3,), (2,)), ((2, 3), (4,))])
    def test_shapes_that_do_not_fit(self, shapes):
        a, b = map(np.ones, shapes)
        with pytest.raises(ShapeError, match=r"matmul: operands have shapes .* as long"):
            mt.matmul(a, b)
        with pytest.raises(ShapeError, match="matmul: "):
            mt.matmul(np.ones((2, 2, 3)), np.ones((3, 3, 2)))

    def test_a_part_is_no_matrix(self):
        x = mt.asarray(np.ones((3, 3)))
        with pytest.raises(BorderError, match=r"matmul: takes whole arrays, but .*valid"):
            x @ x.at(1, 0, border="undefined")

    def test_opencl_devices_refuse(self):
        pytest.importorskip("pyopencl")
        x = mt.asarray(np.ones((3, 3), np.float32))
        with (
            mt.use("opencl"),
            pytest.raises(DeviceError, match="node of kind 'matmul'; OpenCL devices"),
        ):
            np.asarray(x @ x)


class TestVectors:
    @pytest.mark.parametrize("dtype", list(DTYPES))
    @pytest.mark.parametrize(
        "shapes", [((3,), (3,)), ((2, 3), (3,)), ((4, 1, 3), (2, 3)), ((0,),) * 2]
    )
    def test_all_types(self, dtype, shapes):
        a, b = (drawn(shape, dtype, k) for k, shape in enumerate(shapes))
        check(np.asarray(mt.vecdot(a, mt.asarray(b))), by_numpy(np.vecdot, a, b))

    def test_axes(self):
        a, b = drawn((3, 4, 5), "int32"), drawn((4, 5), "int32")
        check(np.asarray(mt.vecdot(a, b, axis=-2)), np.vecdot(a, b, axis=-2))
        check(np.asarray(mt.vecdot(a, a, axis=0)), np.vecdot(a, a, axis=0))

    def test_a_product_and_its_sum_are_one_kernel(self):
        x = mt.asarray(drawn((100, 50), "float64"))
        assert str(mt.explain(mt.vecdot(x + 1, x))).startswith("1 kernel")

    def test_shapes_that_do_not_fit(self):
        with pytest.raises(ShapeError, match=r"vecdot: .* lengths 3 and 1; they must be as long"):
            mt.vecdot(np.ones((2, 3)), np.ones((2, 1)))
        with pytest.raises(ShapeError, match="vecdot: "):
            mt.vecdot(np.ones(3), np.float64(1.0))


class TestTensors:
    AXES = (0, 1, 2, ((0,), (1,)), ((1, 2), (0, 1)), ((-1,), (-2,)), ((2, 1), (1, 0)), ((), ()))

    @pytest.mark.parametrize("axes", AXES)
    @pytest.mark.parametrize("dtype", ["int8", "float64", "bool"])
    def test_axes_are_numpys(self, dtype, axes):
        a, b = drawn((3, 3, 3), dtype), drawn((3, 3, 2), dtype, 1)
        check(np.asarray(mt.tensordot(a, mt.asarray(b), axes=axes)), np.tensordot(a, b, axes))

    def test_nothing_to_add(self):
        a, b = np.ones((2, 0)), np.ones((0, 3))
        check(np.asarray(mt.tensordot(a, b, axes=1)), np.zeros((2, 3)))

    @pytest.mark.parametrize(
        ("axes", "text"),
        [
            (3, "axes is 3 for operands"),
            (-1, "axes is -1 for operands"),
            (((0,), (0, 1)), "as many and as long"),
            (((1,), (0,)), "as many and as long"),
            (((0,),), "give a number, or the axes"),
            (((5,), (0,)), "tensordot: "),
        ],
    )
    def test_axes_that_do_not_meet(self, axes, text):
        with pytest.raises(ShapeError, match=text):
            mt.tensordot(np.ones((2, 3)), np.ones((2, 3)), axes=axes)


class TestNumPysFunctions:
    def test_they_are_lazy(self):
        a, b = drawn((2, 3, 3), "float64"), drawn((3, 3), "float64", 1)
        x = mt.asarray(a)
        for found, wanted in (
            (np.matmul(x, b), np.matmul(a, b)),
            (np.dot(x, b), np.dot(a, b)),
            (np.dot(b, x), np.dot(b, a)),
            (np.dot(x, 2.0), np.dot(a, 2.0)),
            (np.dot(x, b[0]), np.dot(a, b[0])),
            (np.inner(x, b), np.inner(a, b)),
            (np.inner(x, 2.0), np.inner(a, 2.0)),
            (np.outer(x, b), np.outer(a, b)),
            (np.tensordot(x, b), np.tensordot(a, b)),
            (np.tensordot(x, b, axes=(1, 0)), np.tensordot(a, b, axes=(1, 0))),
            (np.vecdot(x, b), np.vecdot(a, b)),
        ):
            assert isinstance(found, mt.Array)
            check(np.asarray(found), wanted)

    def test_outs_are_written(self):
        a, out = drawn((3, 3), "float64"), np.empty((3, 3))
        assert np.matmul(mt.asarray(a), a, out=out) is out
        check(out, a @ a)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_of_halves_are_rounded_at_the_end(dtype):
    pytest.importorskip("ml_dtypes")
    kind = DTYPES[dtype].numpy
    a, b = (np.random.default_rng(k).normal(size=(3, 700)).astype(kind) for k in (0, 1))
    found = np.asarray(mt.vecdot(a, b))
    single = (mt.asarray(a).astype("float32") * mt.asarray(b).astype("float32")).sum(axis=1)
    assert found.dtype == kind
    np.testing.assert_array_equal(found, np.asarray(single).astype(kind))
