"""The CPU device: any graph gives the bits of the reference, however its memory lies."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muntin.config import settings_override
from muntin.core.border import Border, constant
from muntin.core.graph import build
from muntin.core.graph.node import AxisMap, View
from muntin.dtypes import DTYPES, dtype_of
from muntin.runtime import compiled as compiled_module
from muntin.runtime import native
from muntin.runtime.buffer import Buffer
from muntin.runtime.context import use
from muntin.runtime.native import NativeDevice
from muntin.runtime.reference import ReferenceDevice
from tests.core.graph.laid_out import Layout, embed, values
from tests.core.graph.recipes import graph, recipes, shapes
from tests.runtime.audit import Auditor, Crowd, Interpreting, assert_same

CPU, REFERENCE = NativeDevice(), ReferenceDevice()
U8 = DTYPES["uint8"]

# --- random graphs --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """How a graph is evaluated.

    `outs` says of each root whether it gets fresh memory (0), an out in C order (1), one that lies
    somehow in a larger array (2), or the memory of an input, as it lies (3) or turned over (4).
    """

    threads: int
    is_audited: bool
    streams: bool
    outs: tuple[int, int, int]
    seed: int

    def outs_for(self, built):
        """Return the outs over memory of their own or of the inputs, which they take."""
        rng = np.random.default_rng(self.seed)
        free = list(range(len(built.inputs)))
        outs = []
        for root, kind in zip(built.roots, self.outs, strict=False):
            found = [k for k in free if kind > 2 and _can_hold(built.inputs[k], root)]
            if kind == 0:
                outs.append(None)
            elif found:
                free.remove(found[0])
                given = built.inputs[found[0]].view(root.dtype.numpy)
                turned = (slice(None, None, -1),) * (given.ndim if kind == 4 else 0)
                outs.append(given[turned] if turned else given)
            else:
                steps = tuple(rng.choice([1, -1, 2, -3], 4).tolist())
                layout = Layout(int(rng.integers(24)), steps, int(rng.integers(3)))
                layout = Layout(margin=int(rng.integers(3))) if kind == 1 else layout
                content = values(rng, root.shape, root.dtype)
                out, held = embed(rng, content, layout, root.dtype)
                outs.append(out)
                built.held.append(held)
        return outs


def _can_hold(array, root):
    same = array.shape == root.shape and array.itemsize == root.dtype.itemsize
    # The bits of a NaN are the hardware's: floats are compared as floats.
    kind = dtype_of(array.dtype)
    same = same and (kind is root.dtype or not (kind.is_float or root.dtype.is_float))
    return same and all(stride for stride, n in zip(array.strides, array.shape, strict=True) if n)


ways = st.builds(
    Way,
    st.sampled_from([1, 2]),
    st.booleans(),
    st.booleans(),
    st.tuples(*[st.integers(0, 4)] * 3),
    st.integers(0, 999),
)


def evaluated(roots, outs, way, seed=0):
    """Return the roots' arrays from the CPU device; fresh memory is filled with rubbish."""
    rng = np.random.default_rng(seed)
    scheduler = Crowd(rng, CPU.scheduler) if way.threads == 2 else None
    if way.is_audited:
        scheduler = Auditor(rng)
    changes = {"streaming_threshold": int(way.streams), "poison": True}
    with settings_override(**changes), use(scheduler=scheduler):
        return CPU.evaluate(roots, outs, threads=way.threads)


def check_way(recipe, sizes, seed, way, wanted):
    """Compare results, outs, inputs and all memory around them with what they should be."""
    built, expected = graph(recipe, sizes, seed), graph(recipe, sizes, seed)
    outs = way.outs_for(built)
    for root, out, array in zip(expected.roots, way.outs_for(expected), wanted, strict=True):
        if out is not None:
            region = ... if root.valid is None else root.valid.slices
            out[region] = array[region]
    got = evaluated(built.roots, outs, way)
    for result, out, array in zip(got, outs, wanted, strict=True):
        if out is None:
            assert_same(result, array)
        else:
            assert result is out
    for held, other in zip(built.held, expected.held, strict=True):
        assert_same(held, other)


def check_recipe(data, longest):
    recipe = data.draw(recipes(longest))
    sizes, seed = data.draw(shapes(recipe)), data.draw(st.integers(0, 999))
    roots = graph(recipe, sizes, seed).roots
    wanted = REFERENCE.evaluate(roots, [None] * len(roots))
    for way in data.draw(st.lists(ways, min_size=2, max_size=4)):
        check_way(recipe, sizes, seed, way, wanted)


@pytest.mark.timeout(600)
@settings(max_examples=3 * settings().max_examples)
@given(st.data())
def test_graphs_have_the_bits_of_the_reference(data):
    check_recipe(data, 12)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@settings(max_examples=200 * settings().max_examples)
@given(st.data())
def test_very_many_graphs_have_the_bits_of_the_reference(data):
    check_recipe(data, 30)


def check_interpreted(data, longest):
    recipe = data.draw(recipes(longest))
    sizes, seed = data.draw(shapes(recipe, 12)), data.draw(st.integers(0, 999))
    way = data.draw(ways)
    roots = graph(recipe, sizes, seed).roots
    wanted = REFERENCE.evaluate(roots, [None] * len(roots))
    interpreting = Interpreting(np.random.default_rng(seed))
    with interpreting.in_place_of_code():
        check_way(recipe, sizes, seed, way, wanted)
    interpreting.check_written()


@pytest.mark.timeout(600)
@given(st.data())
def test_programs_touch_nothing_but_what_they_may(data):
    check_interpreted(data, 12)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@settings(max_examples=200 * settings().max_examples)
@given(st.data())
def test_very_many_programs_touch_nothing_but_what_they_may(data):
    check_interpreted(data, 30)


@given(st.data())
def test_fused_is_one_at_a_time(data):
    recipe = data.draw(recipes(8))
    sizes, seed = data.draw(shapes(recipe, 40)), data.draw(st.integers(0, 999))
    fused, apart = graph(recipe, sizes, seed), graph(recipe, sizes, seed, keep_all=True)
    way = Way(1, False, False, (0, 0, 0), 0)
    outs = [None] * len(fused.roots)
    pairs = zip(evaluated(fused.roots, outs, way), evaluated(apart.roots, outs, way), strict=True)
    for one, other in pairs:
        assert_same(one, other)


@given(st.data())
def test_compiled_graphs_take_other_arrays(data):
    recipe = data.draw(recipes())
    sizes, seeds = data.draw(shapes(recipe)), data.draw(st.tuples(*[st.integers(0, 999)] * 2))
    traced = graph(recipe, sizes, seeds[0])
    nodes = {id(node.payload.array): node for node in traced.nodes if node.op.kind == "input"}
    placeholders = [nodes[id(array)] for array in traced.inputs]
    compiled = CPU.compile(placeholders, traced.roots)
    layout = data.draw(st.sampled_from([Layout(), Layout(5, (-1, 2, 1, -2), 2), Layout(23)]))
    leaves = tuple([replace(leaf, layout=layout) for leaf in recipe.leaves])
    other = graph(replace(recipe, leaves=leaves), sizes, seeds[1])
    for built in (other, traced, other):
        outs = [None] * len(built.roots)
        wanted = REFERENCE.evaluate(built.roots, outs)
        for got, array in zip(compiled.run(built.inputs, outs, threads=1), wanted, strict=True):
            assert_same(got, array)


# --- one fault each -------------------------------------------------------------------------------


def image_of(array, axes="yx"):
    return build.input_node(Buffer(array), array.shape, DTYPES[array.dtype.name], axes)


def random_image(shape=(20, 30), dtype=np.uint8, seed=0):
    return np.random.default_rng(seed).integers(0, 255, shape, dtype)


def read(node, *offsets, border="replicate"):
    return build.neighbour(node, offsets, Border.of(border))


def total(*nodes):
    first, *others = nodes
    for node in others:
        first = build.elementwise("add", first, node)
    return first


def costly(node):
    """Return work that is kept in rows rather than done again for every offset."""
    third = build.elementwise("floor_divide", node, build.constant(3, node.dtype))
    return build.elementwise("floor_divide", build.elementwise("multiply", node, node), third)


def check(make, outs=lambda images: [None]):
    """Compare the roots that `make` builds, of fresh arrays each time, with the reference.

    They are computed twice: as they come, and in audited pieces.
    """
    roots, _ = make()
    wanted = REFERENCE.evaluate(roots, [None] * len(roots))
    for scheduler in (None, Auditor(np.random.default_rng(0))):
        roots, images = make()
        given = outs(images)
        with use(scheduler=scheduler):
            got = CPU.evaluate(roots, given, threads=1)
        for root, each, expected, out in zip(roots, got, wanted, given, strict=True):
            region = ... if root.valid is None or out is None else root.valid.slices
            assert_same(each[region], expected[region])


class TestResultsInPlace:
    """An out may be the memory of an input."""

    def test_work_that_is_rolled_reads_the_rows_before_they_are_overwritten(self):
        def make():
            array = random_image()
            image = image_of(array)
            rolled = costly(image)
            around = [read(rolled, dy, dx) for dy, dx in [(-1, 0), (1, 0), (0, 1), (0, -1)]]
            return [total(image, *around)], [array]

        check(make, lambda arrays: [arrays[0]])

    def test_two_launches_read_what_one_of_them_would_overwrite(self):
        def make():
            array = random_image()
            image, other = image_of(array), image_of(random_image(seed=1))
            product = build.elementwise("multiply", image, image)
            part = total(product, read(other, 1, 1, border="undefined"))
            return [total(image, other), part], [array]

        check(make, lambda arrays: [arrays[0], None])

    @pytest.mark.parametrize("first", [True, False])
    @pytest.mark.parametrize("is_offset", [True, False])
    @pytest.mark.parametrize("is_flipped", [True, False])
    def test_another_root_shows_the_input(self, first, is_offset, is_flipped):
        def make():
            array = random_image()
            image = image_of(array)
            work = read(image, 1, 0) if is_offset else build.elementwise("multiply", image, image)
            flip = View((AxisMap(0, 19, -1), AxisMap(1)))
            shown = build.view(image, flip, (20, 30), "yx") if is_flipped else image
            return ([work, shown] if first else [shown, work]), [array]

        check(make, lambda arrays: [arrays[0], None] if first else [None, arrays[0]])

    def test_two_images_change_places(self):
        a, b = random_image(), random_image(seed=1)
        expected = b.copy(), a.copy()
        CPU.evaluate([image_of(b), image_of(a)], [a, b], threads=1)
        assert_same(a, expected[0])
        assert_same(b, expected[1])


def test_results_that_no_process_can_hold():
    wide = build.broadcast_to(build.scalar(1, DTYPES["float64"]), (1 << 30, 1 << 31))
    work = build.elementwise("add", wide, wide)
    text = r"eval: an array of float64 \(1073741824, 2147483648\) takes 18446744073709551616 bytes"
    with pytest.raises(MemoryError, match=text):
        CPU.evaluate([work], [None], threads=1)


class TestValidRegions:
    def test_a_root_beside_another_of_a_larger_region_has_strides_of_its_own(self):
        def make():
            image, other = image_of(random_image()), image_of(random_image(seed=1))
            part = total(image, read(other, 1, 1, border="undefined"))
            return [total(image, other), part], []

        wide = np.zeros((2, 40, 60), np.uint8)
        check(make, lambda images: [wide[0, ::2, ::2], wide[1, ::-2, ::2]])

    @pytest.mark.parametrize("is_viewed", [True, False])
    def test_what_an_out_holds_beside_the_region_is_not_shown(self, is_viewed):
        part = costly(read(image_of(random_image()), 1, 1, border="undefined"))
        again = part
        if is_viewed:
            again = build.view(part, View((AxisMap(0, 0, 2), AxisMap(1))), (10, 30), "yx")
        out = np.full((20, 30), 7, np.uint8)
        got = CPU.evaluate([part, again], [out, None], threads=1)
        wanted = REFERENCE.evaluate([again], [None])
        assert_same(got[1], wanted[0])
        assert (out[19] == 7).all()
        assert (out[:, 29] == 7).all()


class TestPlanes:
    """Rows and columns of images whose axes have other names or places."""

    def test_outputs_that_roll_along_different_axes(self):
        arrays = [random_image((5, 6, 4), seed=seed) for seed in range(3)]
        pixels, planes = image_of(arrays[0], "yxc"), image_of(arrays[1], "cyx")
        both = image_of(arrays[2], None)
        p, q = total(costly(pixels), both), total(costly(planes), both)
        roots = [
            total(read(p, 1, 1, 0), read(p, -1, 0, 0), read(p, 0, -2, 0)),
            total(read(q, 0, 1, 1), read(q, 0, -1, 0), read(q, 0, 0, -1)),
        ]
        check(lambda: (roots, []), lambda images: [None, None])

    @pytest.mark.parametrize("axes", ["yx", "yxc"])
    def test_reads_without_named_axes_beside_rolled_ones(self, axes):
        shape = (5, 6, 4)[: len(axes)]
        named, plain = image_of(random_image(shape), axes), image_of(random_image(shape), None)
        rest = (0,) * (len(axes) - 2)
        rolled = costly(named)
        root = total(
            read(plain, 1, 1, *rest),
            read(plain, 2, -1, *rest),
            read(rolled, 1, 0, *rest),
            read(rolled, -1, 1, *rest),
        )
        check(lambda: ([root], []))

    def test_reads_across_channels(self):
        image = image_of(random_image((5, 6, 4)), "yxc")
        rolled = costly(image)
        roots = [
            total(read(rolled, 1, 0, 0), read(rolled, -1, 1, 0)),
            total(read(image, 0, 0, 1), read(image, 1, 1, -1)),
        ]
        check(lambda: (roots, []), lambda images: [None, None])


class TestBorders:
    def test_a_constant_above_and_below_needs_a_row_of_its_own(self):
        image = image_of(random_image())
        check(lambda: ([build.neighbour(image, (1, 0), constant(3))], []))

    def test_a_constant_in_another_plane_needs_a_row_of_its_own(self):
        image = image_of(random_image((3, 5, 6)), "nyx")
        check(lambda: ([build.neighbour(image, (1, 0, 0), constant(3))], []))

    def test_a_part_of_a_wrapped_image_reads_the_other_side(self):
        image = image_of(random_image())
        root = total(read(image, 0, -1, border="wrap"), read(image, 0, 2, border="wrap"))
        part = build.view(root, View((AxisMap(0, 2), AxisMap(1, 5))), (4, 20), "yx")
        check(lambda: ([part], []))

    def test_columns_read_far_below_the_image_are_not_touched(self):
        image = image_of(random_image())
        rolled = costly(total(read(image, 0, 1), read(image, 0, -1)))
        check(lambda: ([total(read(rolled, 3, 0), read(rolled, -3, 0))], []))

    def test_a_read_of_a_read(self):
        image = image_of(random_image())
        root = build.neighbour(build.neighbour(image, (0, 1), constant(4)), (1, 0), constant(3))
        check(lambda: ([root], []))


class TestNumbers:
    def test_a_constant_that_is_also_a_root(self):
        image = image_of(random_image((4,)), "x")
        wide = build.view(read(image, 1), View((AxisMap(None), AxisMap(0))), (1, 4))
        number = build.constant(5, U8)
        roots = [total(number, total(wide, wide)), number]
        check(lambda: (roots, []), lambda images: [None, None])

    @pytest.mark.parametrize("number", [1e300, -1e300, 1 << 1000, 3.4028235e38, 1e-320])
    @pytest.mark.parametrize("make", [build.scalar, build.constant])
    def test_numbers_past_the_floats_are_infinite(self, number, make):
        image = image_of(np.ones(3, np.float32), "x")
        root = build.elementwise("multiply", image, make(number, DTYPES["float32"]))
        check(lambda: ([root], []))

    def test_a_stretched_number_that_is_stored(self):
        wide = build.broadcast_to(build.scalar(9, U8), (3, 4))
        check(lambda: ([read(wide, 1, 0)], []))


def test_an_image_without_channels():
    image = image_of(random_image((3, 4, 0)), "yxc")
    check(lambda: ([read(image, 0, 1, 0)], []))


@pytest.mark.parametrize("border", ["replicate", "symmetric", "reflect101"])
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("height", [1, 2, 5, 9])
def test_rows_made_in_vain_read_what_was_made(border, rows, height, monkeypatch):
    image = image_of(random_image((height, 3)))
    node = image
    for offsets in ([-1, 2], [0, 1], [-3, 1]):
        node = total(*[read(costly(node), dy, 0, border=border) for dy in offsets])
    node = total(read(costly(node), 0, 1, border=border), read(node, 2, 0, border=border))
    wanted = REFERENCE.evaluate([node], [None])
    interpreting = Interpreting(np.random.default_rng(0), grain=(1, rows, 3))
    monkeypatch.setattr(native, "_launch", interpreting.launch)
    assert_same(CPU.evaluate([node], [None], threads=1)[0], wanted[0])


@pytest.mark.parametrize("height", [1, 2, 3, 7])
def test_rows_made_in_vain_see_a_border_that_another_loop_reads(height, monkeypatch):
    image = image_of(random_image((height, 2)))
    work = costly(image)
    sums = total(*[read(work, dy, dx, border="reflect101") for dy, dx in ((1, 2), (-1, 0))], work)
    ahead = read(sums, 9, 1, border="reflect101")
    behind = total(*[read(work, dy, dx, border="symmetric") for dy, dx in ((0, 9), (-2, 0))])
    wanted = REFERENCE.evaluate([ahead, behind], [None, None])
    interpreting = Interpreting(np.random.default_rng(0))
    monkeypatch.setattr(native, "_launch", interpreting.launch)
    got = CPU.evaluate([ahead, behind], [None, None], threads=1)
    for one, other in zip(got, wanted, strict=True):
        assert_same(one, other)


def test_rows_made_in_vain_do_not_trap():
    int64 = DTYPES["int64"]
    array = np.random.default_rng(0).integers(-(2**62), 2**62, (13, 7))
    image = image_of(array)
    divisor = build.elementwise("maximum", total(costly(image), image), build.constant(1, int64))
    root = total(
        *[
            build.elementwise("truncated_divide", image, read(divisor, dy, 0, border="symmetric"))
            for dy in (2, -2)
        ]
    )
    wanted = REFERENCE.evaluate([root], [None])
    with use(scheduler=Auditor(np.random.default_rng(0), grain=(1, 1, 7), rubbish=0)):
        got = CPU.evaluate([root], [None], threads=1)
    assert_same(got[0], wanted[0])


def test_a_view_that_is_a_root_and_an_operand():
    image = image_of(random_image((6,)), "x")
    work = costly(read(image, 1))
    flipped = build.view(work, View((AxisMap(0, 5, -1),)), (6,), "x")
    roots = [total(build.keep(flipped), image), flipped]
    check(lambda: (roots, []), lambda images: [None, None])


class TestCompilation:
    """What differs between runs of one kernel compiles nothing."""

    @pytest.fixture
    def compiled(self, monkeypatch):
        """Return the list of the keys of all kernels compiled."""
        keys = []
        compile_ir = compiled_module.compile_ir

        def counted(text, key=None, cache=None, **rest):
            if not key.startswith("shared"):
                keys.append(key)
            return compile_ir(text, key, cache, **rest)

        monkeypatch.setattr(compiled_module, "compile_ir", counted)
        return keys

    def pipeline(self, array, start=0, step=1, number=3, border=1, out=None):
        """Return the result of a chain over a slice, checked, from a device that knows nothing."""
        image = image_of(array)
        part = AxisMap(0, start, step), AxisMap(1)
        image = build.view(image, View(part), (5, array.shape[1]), "yx")
        work = costly(build.elementwise("add", image, build.scalar(number, U8)))
        around = [build.neighbour(work, (dy, 1), constant(border)) for dy in (-1, 1)]
        root = build.elementwise("multiply", total(work, *around), build.scalar(number, U8))
        got = self.device.evaluate([root], [out], threads=1)
        assert_same(got[0], REFERENCE.evaluate([root], [None])[0])

    def test_sizes_numbers_slices_strides_and_data(self, compiled):
        self.device = NativeDevice()
        array = random_image((20, 30))
        self.pipeline(array)
        assert len(compiled) == 1
        for size in ((5, 1), (7, 2), (40, 70), (9, 300)):
            self.pipeline(random_image(size))
        for number in (0, 255):
            self.pipeline(array, number=number, border=number)
        self.pipeline(array, start=9)
        self.pipeline(array, start=9, step=-1)
        wide = random_image((60, 90))
        for strided in (wide[::2], wide[:, ::-3], wide.T, np.broadcast_to(wide[0], wide.shape)):
            self.pipeline(strided)
        self.pipeline(array, out=np.zeros((5, 60), np.uint8)[:, ::2])
        assert len(compiled) == 1
        self.pipeline(array, step=2)  # a stepped view is another graph, of the same kernel
        assert len(compiled) == 1

    def test_equal_kernels_of_one_graph(self, compiled):
        image = image_of(random_image())
        node = image
        for _ in range(5):
            node = build.keep(total(node, image))
        NativeDevice().evaluate([node], [None], threads=1)
        assert len(compiled) == 2  # the first adds an image to itself

    def test_what_was_compiled_before_is_found_on_disk(self, compiled):
        root = total(image_of(random_image()), build.constant(77, U8))
        for device in (NativeDevice(), NativeDevice()):
            device.evaluate([root], [None], threads=1)
            form = native.canonical([root])
            modules = [kernel.module for kernel in device.plan(form).kernels]
        assert [module.from_disk for module in modules] == [True]

    def test_ten_thousand_operations(self, compiled):
        array = random_image((7, 9))
        image = node = image_of(array)
        for _ in range(5_000):
            node = build.elementwise("maximum", node, build.constant(7, U8))
            node = total(node, image)
        device = NativeDevice()
        (got,) = device.evaluate([node], [None], threads=1)
        wanted = array
        for _ in range(5_000):
            wanted = np.maximum(wanted, 7) + array
        assert_same(got, wanted)
        assert len(device.plan(native.canonical([node])).kernels) == 20
        assert len(compiled) == 3  # the first, which reads one operand, those between, the last


def test_a_part_of_what_no_process_can_hold():
    array = random_image((1, 1))
    wide = build.broadcast_to(image_of(array), (1 << 40, 1 << 40))
    root = build.elementwise("add", wide, build.scalar(1, U8))
    part = View((AxisMap(0, 1 << 39), AxisMap(1, 1 << 38, 2)))
    (got,) = CPU.evaluate([build.view(root, part, (3, 5), "yx")], [None], threads=1)
    assert_same(got, np.full((3, 5), array[0, 0] + 1, np.uint8))
