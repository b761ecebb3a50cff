"""OpenCL devices: the bits of the reference, whatever arrays come in, and faults told."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings

from muntin.config import settings_override
from muntin.core.border import Border
from muntin.core.emit.opencl_c import OpenClOptions, emit_opencl_c
from muntin.core.graph import build
from muntin.core.graph.gathering import gather
from muntin.core.graph.joining import concat
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.graph.reshaping import reshape
from muntin.core.lower.walk import Walk
from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Builder,
    Call,
    Convert,
    CopyBytes,
    Expr,
    Load,
    Parameter,
    Program,
    Var,
    index,
)
from muntin.core.regions import Box
from muntin.dtypes import DTYPES
from muntin.errors import CompileError, DeviceError
from muntin.runtime import opencl
from muntin.runtime.buffer import Buffer
from muntin.runtime.cache import kernel_cache
from muntin.runtime.device import Device, find_device
from muntin.runtime.interpret import BOX, Memory, interpret
from muntin.runtime.reference import ReferenceDevice
from tests.pointwise import graphs, hard_values, node_of, rows_of, same_bits

cl = pytest.importorskip("pyopencl")
pytestmark = pytest.mark.skipif(not opencl.count_devices(), reason="there is no OpenCL device")

F32, I32, U8 = DTYPES["float32"], DTYPES["int32"], DTYPES["uint8"]


@pytest.fixture(scope="module")
def device():
    return opencl.open_device(0)


def check(device, roots):
    expected = ReferenceDevice().evaluate(roots, [None] * len(roots))
    found = device.evaluate(roots, [None] * len(roots), threads=1)
    for root, a, b in zip(roots, found, expected, strict=True):
        assert same_bits(a, b), (root, a, b)
        assert a.flags.c_contiguous
    return found


def image(shape=(3, 4), dtype="float32"):
    return node_of(np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype))


# --- the same bits --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_every_row_gives_the_bits_of_its_reference(device, dtype):
    check(device, rows_of(dtype))


@pytest.mark.parametrize("source", DTYPES.values(), ids=str)
def test_every_cast_gives_the_bits_of_the_reference(device, source):
    values = node_of(hard_values(source, 64))
    targets = [target for target in DTYPES.values() if target is not source]
    roots = [build.cast(values, t, saturate=saturate) for t in targets for saturate in (0, 1)]
    check(device, roots)


@settings(max_examples=15)
@given(roots=graphs())
def test_random_graphs_give_the_bits_of_the_reference(device, roots):
    check(device, roots)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_are_not_fused_with_sums(device, dtype):
    a, b, c = (node_of(np.random.default_rng(k).normal(0, 1, 4096).astype(dtype)) for k in range(3))
    product = build.elementwise("multiply", a, b)
    roots = [build.elementwise("add", product, c), build.elementwise("subtract", c, product)]
    roots += [
        build.elementwise("divide", a, b),
        build.elementwise("sqrt", build.elementwise("abs", a)),
    ]
    check(device, roots)


@pytest.mark.parametrize("rank", range(9))
def test_every_rank_is_walked(device, rank):
    shape = (2, 3, 1, 2, 2, 1, 2, 3)[:rank]
    values = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    a = node_of(np.asfortranarray(values))
    b = node_of(values[..., ::-1] if rank else values)
    roots = [build.elementwise("subtract", a, b)]
    if rank:
        roots.append(build.elementwise("multiply", build.index(0, shape), a))
    check(device, roots)


@pytest.mark.parametrize("shape", [(1,), (7,), (129,), (1, 1000), (1000, 1), (70, 3), (3, 5, 300)])
def test_every_size_is_covered(device, shape):
    values = node_of(np.arange(np.prod(shape)).reshape(shape).astype(np.uint8))
    stepped = node_of(np.ones((*shape, 2), np.uint8)[..., 0])
    check(device, [build.elementwise("add", values, stepped)])


def test_empty_arrays_stay_empty(device):
    (found,) = check(device, [build.elementwise("add", image((0, 4)), 1.0)])
    assert found.shape == (0, 4)


def test_large_launches_are_cut(device, monkeypatch):
    monkeypatch.setattr(opencl, "_MOST_GROUPS", 2)
    a = node_of(np.arange(210, dtype=np.int32).reshape(5, 6, 7))
    b = node_of(np.ones((5, 6, 14), np.int32)[:, ::-1, ::2])
    c = node_of(np.ones((5, 12, 7), np.int32)[:, ::2])
    check(device, [build.elementwise("add", build.elementwise("add", a, b), c)])


def test_wide_walks_count_in_64_bits(device, monkeypatch):
    monkeypatch.setattr(Walk, "is_short", property(lambda size: False))
    fresh, sources = counted(monkeypatch)
    check(fresh, [build.elementwise("subtract", image((3, 5, 4)), 1.0)])
    (source,) = sources
    assert "const int" not in source


def counted(monkeypatch):
    """Return a device and the list of the sources that it is going to build."""
    fresh, sources = opencl.open_device(0), []

    def build_source(source):
        sources.append(source)
        return opencl.OpenClDevice.build(fresh, source)

    monkeypatch.setattr(fresh, "build", build_source)
    return fresh, sources


# --- what a graph may hold ------------------------------------------------------------------------


def test_inputs_numbers_and_views_can_be_roots(device):
    a = image()
    flipped = build.view(a, View((AxisMap(1, 3, -1), AxisMap(0))), (4, 3))
    roots = [a, flipped, a, build.scalar(3, I32), build.constant(-0.0, F32), build.index(1, (2, 3))]
    found = check(device, roots)
    assert not np.shares_memory(found[0], a.payload.array)
    assert not np.shares_memory(found[0], found[2])


def test_results_can_be_viewed_kept_and_read_again(device):
    a = image()
    total = build.keep(build.elementwise("add", a, 1.0))
    flipped = build.view(total, View((AxisMap(0, 2, -1), AxisMap(1))), (3, 4))
    both = build.elementwise("multiply", flipped, total)
    column = build.view(both, View((AxisMap(0),), ((1, 2),)), (3,))
    check(device, [both, column, build.elementwise("negative", column), total])


def test_inputs_and_results_are_reshaped(device):
    a = image()
    turned = build.view(a, View((AxisMap(1), AxisMap(0))), (4, 3))
    total = build.elementwise("add", turned, 1.0)
    moved = [reshape(node, (2, 6)) for node in (turned, total)]
    roots = [reshape(a, (2, 6)), *moved, *[build.elementwise("negative", node) for node in moved]]
    roots.append(build.elementwise("negative", reshape(a, (12,))))
    check(device, roots)


def test_results_are_joined(device):
    a = image()
    both = concat([build.elementwise("add", a, 1.0), a], 1)
    check(device, [both, build.elementwise("negative", concat([both, both], 0))])


def test_gathers_are_refused(device):
    places = node_of(np.array([2, 0], np.int64))
    chosen = gather(image((5,)), [places], (2,))
    with pytest.raises(DeviceError, match=r"the graph has a node of kind 'gathered'.*CPU"):
        device.evaluate([chosen], [None])


def test_long_chains_are_cut_into_kernels(device):
    node = image((2, 3), "int32")
    for _ in range(1200):
        node = build.elementwise("add", node, build.constant(1, I32))
    assert check(device, [node])[0][0, 0] == 1200


def test_many_inputs_fit_one_kernel(device):
    total = image((4, 6), "int32")
    for number in range(40):
        values = np.full((4, 12), number, np.int32)[:, ::2]
        total = build.elementwise("add", total, node_of(values))
    check(device, [total])


def test_outs_are_written_in_their_valid_region_alone(device):
    a = node_of(np.ones((3, 4), np.float32))
    inner = Box((1, 1), (3, 3))
    part = Node(a.op, (), (), a.payload, a.shape, a.dtype, None, inner)
    root = build.elementwise("add", part, 1.0)
    (fresh,) = device.evaluate([root], [None])
    assert fresh.tolist() == [[0, 0, 0, 0], [0, 2, 2, 0], [0, 2, 2, 0]]
    out = np.full((3, 8), 7, np.float32)[:, ::2]
    (found,) = device.evaluate([root], [out])
    assert found is out
    assert out.tolist() == [[7, 7, 7, 7], [7, 2, 2, 7], [7, 2, 2, 7]]


def test_outs_may_be_the_inputs(device):
    values = np.arange(6, dtype=np.int32)
    a = node_of(values)
    flipped = build.view(a, View((AxisMap(0, 5, -1),)), (6,))
    device.evaluate([build.elementwise("subtract", flipped, a)], [values])
    assert values.tolist() == [5, 3, 1, -1, -3, -5]


def test_sparse_inputs_are_packed(device):
    values = np.arange(1000, dtype=np.float32)
    check(device, [build.elementwise("negative", node_of(values[::100]))])
    check(device, [build.elementwise("negative", node_of(np.broadcast_to(values[:3], (5, 3))))])


def test_graphs_run_again_with_other_values(device):
    a, number = image(), build.scalar(2.0, F32)
    traced = device.compile([a, number], [build.elementwise("multiply", a, number)])
    assert len(traced.kernels) == 1
    out = np.empty((3, 4), np.float32)
    (found,) = traced.run([np.full((3, 4), 3, np.float32), 5.0], [out], threads=0)
    assert found is out
    assert (out == 15).all()
    (found,) = traced.run([np.full((3, 4), 3, np.float32), -1.0], [None], threads=0)
    assert (found == -3).all()
    assert (a.payload.array == np.arange(12).reshape(3, 4)).all()


def test_graphs_tell_what_memory_they_take(device):
    a = image()
    total = build.elementwise("add", a, 1.0)
    flipped = build.view(build.keep(total), View((AxisMap(0, 2, -1), AxisMap(1))), (3, 4))
    traced = device.compile([a], [build.elementwise("multiply", flipped, total)])
    assert traced.memory_report() == {"inputs": 48, "intermediates": 48, "outputs": 48}


def test_placeholders_that_nothing_reads_are_ignored(device):
    a, other = image(), image()
    traced = device.compile([a, other], [build.elementwise("negative", a)])
    (found,) = traced.run([np.ones((3, 4), np.float32), np.zeros((3, 4), np.float32)], [None])
    assert (found == -1).all()


def moved(base, nbytes):
    return Advance(POINTER, base, nbytes if isinstance(nbytes, Expr) else index(nbytes))


def collatz_program():
    """Return a program with most kinds of statements; item x0 writes 16 bytes."""
    target, source, count = Var(POINTER, "target"), Var(POINTER, "source"), Var(INDEX, "count")
    place, value, x = Var(POINTER, "place"), Var(I32, "value"), Var(INDEX, "x0")
    b = Builder()
    total = b.variable(Load(I32, source, x), "total")
    steps = b.variable(index(0), "steps")
    with b.repeat((total > 1).both(steps < count)):
        odd = b.let((total & 1).equals(1))
        with b.when(odd):
            b.set(total, total * 3 + 1)
        with b.otherwise():
            b.set(total, total // 2)
        b.set(steps, steps + 1)
    b.add(Call("twice", (moved(target, x * 16), Convert(I32, steps))))
    b.add(CopyBytes(moved(target, x * 16 + 8), moved(source, x * 4), index(4)))
    last = x.equals(2).choose(moved(target, 44), moved(target, x * 16 + 12))
    b.store(last, index(0), total)
    body = Builder()
    with body.loop("k", index(0), index(2)) as k:
        body.store(place, k, value)
    twice = [Parameter(place, unaliased=True, written=True), Parameter(value)]
    entry = b.function("entry", [Parameter(Var(INDEX, name)) for name in BOX])
    return Program((body.function("twice", twice), entry), (target, source, count))


def test_programs_with_loops_and_calls_run_as_interpreted(device):
    program = collatz_program()
    values, expected = np.array([27, 8, 97], np.int32), np.zeros(12, np.int32)
    slots = [Memory(expected).first, Memory(values).first, 200]
    for x in range(3):
        interpret(program, slots, (0, 1, 0, 1, x, x + 1), Memory.scratch(0))
    text = emit_opencl_c(program, OpenClOptions((1, 1, 1)))
    kernel = opencl.OpenClKernel(text, (1, 1, 1), False, device.build(text))
    written, read = device.upload(np.zeros(12, np.int32)), device.upload(values)
    device.launch(kernel, [0, 0, 200], [written.buffer, read.buffer], (1, 1, 3))
    found = device.download(written, Node(image().op, (), (), None, (3, 4), I32))
    assert found.ravel().tolist() == expected.tolist()
    assert found.tolist() == [[111, 111, 27, 1], [3, 3, 8, 1], [118, 118, 97, 1]]


def test_work_items_add_to_the_same_element(device):
    counts, values = Var(POINTER, "counts"), Var(POINTER, "values")
    b = Builder()
    with b.loop("x", Var(INDEX, "x0"), Var(INDEX, "x1"), independent=True) as x:
        b.atomic_add(counts, Convert(INDEX, Load(I32, values, x)), Convert(I32, index(1)))
    entry = b.function("entry", [Parameter(Var(INDEX, name)) for name in BOX])
    text = emit_opencl_c(Program((entry,), (counts, values)), OpenClOptions((1, 1, 1)))
    kernel = opencl.OpenClKernel(text, (1, 1, 1), False, device.build(text))
    numbers = np.random.default_rng(0).integers(0, 4, 5000).astype(np.int32)
    written, read = device.upload(np.zeros(4, np.int32)), device.upload(numbers)
    device.launch(kernel, [0, 0], [written.buffer, read.buffer], (1, 1, len(numbers)))
    found = device.download(written, Node(image().op, (), (), None, (4,), I32))
    assert found.tolist() == np.bincount(numbers).tolist()


# --- kernels are kept -----------------------------------------------------------------------------


def test_sizes_strides_and_numbers_compile_nothing(monkeypatch):
    fresh, sources = counted(monkeypatch)
    for shape, number in (((3, 4), 1.0), ((7, 2), 2.0), ((40, 50), 3.0)):
        check(fresh, [build.elementwise("multiply", image(shape), number)])
    assert len(sources) == 1
    check(fresh, [build.elementwise("multiply", node_of(np.ones((3, 9), np.float32)[:, :4]), 2.0)])
    assert len(sources) == 2  # its axes cannot be merged
    for step in (2, -3):
        values = np.ones((3, 13), np.float32)[:, ::step]
        check(fresh, [build.elementwise("multiply", node_of(values), 2.0)])
    assert len(sources) == 2


def test_kernels_are_loaded_from_the_disk(device, tmp_path):
    with settings_override(cache_dir=tmp_path / "kernels"):
        root = build.elementwise("maximum", image(), 4.5)
        check(opencl.open_device(0), [root])
        assert kernel_cache().stats().stores == 1
        check(opencl.open_device(0), [root])
        stats = kernel_cache().stats()
        assert (stats.stores, stats.hits) == (1, 1)


def test_binaries_that_the_driver_refuses_are_made_again(device, tmp_path, monkeypatch):
    with settings_override(cache_dir=tmp_path / "kernels"):
        cache = kernel_cache()
        monkeypatch.setattr(type(cache), "get", lambda self, key: b"not a program")
        check(opencl.open_device(0), [build.elementwise("minimum", image(), 4.5)])
        assert cache.stats().stores == 1


def test_many_threads_share_a_device(device):
    faults = []

    def work(seed):
        values = np.random.default_rng(seed).random((50, 60)).astype(np.float32)
        root = build.elementwise("add", node_of(values), float(seed))
        for _ in range(20):
            (found,) = device.evaluate([root], [None])
            if not np.array_equal(found, values + np.float32(seed)):
                faults.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


# --- faults ---------------------------------------------------------------------------------------


def test_neighbours_are_refused(device):
    beside = build.neighbour(image(), (0, 1), Border.of("replicate"))
    with pytest.raises(
        DeviceError, match=r"opencl:0: the graph has a node of kind 'neighbour'.*CPU"
    ):
        device.evaluate([build.elementwise("add", beside, 1.0)], [None])


def test_devices_without_doubles_say_so(device, monkeypatch):
    class Single:
        double_fp_config = 0
        single_fp_config = 0

    lesser = opencl.open_device(0)
    lesser.device = Single()
    with pytest.raises(DeviceError, match=r"opencl:0: input is float64, which the device lacks"):
        lesser.evaluate([build.elementwise("add", image(dtype="float64"), 1.0)], [None])
    assert len(lesser.lacks) == 3
    assert device.lacks == () or "gpu" in device.device.name.lower()


def test_refused_sources_are_shown(device):
    with pytest.raises(
        CompileError, match=r"(?s)opencl:0: the driver refused a kernel.*kernel void"
    ):
        device.build("kernel void muntin_kernel(] {}")


def test_arrays_that_are_too_large_are_told(device):
    node = Node(image().op, (), (), None, (1 << 23, 1 << 23), F32)
    with pytest.raises(DeviceError, match=rf"an array takes {1 << 48} bytes, .* \d+ for one; eval"):
        device.allocate(node)


@pytest.mark.parametrize("call", ["Buffer", "enqueue_nd_range_kernel", "enqueue_copy"])
def test_memory_that_runs_out_is_told(device, monkeypatch, call):
    def refuse(*args, **rest):
        raise cl.MemoryError("clEnqueue failed: MEM_OBJECT_ALLOCATION_FAILURE")

    root = build.elementwise("add", image(), 1.0)
    monkeypatch.setattr(cl, call, refuse)
    with pytest.raises(
        DeviceError, match=r"opencl:0: the device's memory is full \(clEnq.*smaller"
    ):
        device.evaluate([root], [None])
    monkeypatch.undo()
    check(device, [root])


def test_missing_devices_are_told():
    count = opencl.count_devices()
    with pytest.raises(DeviceError, match=rf"device {count} was asked for; there are {count}"):
        opencl.open_device(count)


def test_missing_pyopencl_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    with pytest.raises(DeviceError, match=r'pyopencl cannot .* pip install "muntin\[opencl\]"'):
        opencl.open_device(0)
    with pytest.raises(ImportError, match="pyopencl"):
        opencl.count_devices()


def test_no_driver_is_no_device(monkeypatch):
    def refuse():
        raise cl.LogicError("clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR")

    monkeypatch.setattr(cl, "get_platforms", refuse)
    assert opencl.count_devices() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forked_processes_are_told_to_spawn():
    script = """
import os, numpy as np
from muntin.core.emit.opencl_c import OpenClOptions, emit_opencl_c
from muntin.core.graph import build
from muntin.dtypes import DTYPES
from muntin.errors import DeviceError
from muntin.runtime.buffer import Buffer
from muntin.runtime.opencl import open_device
device = open_device(0)
node = build.input_node(Buffer(np.ones(3, np.float32)), (3,), DTYPES["float32"])
root = build.elementwise("add", node, 1.0)
device.evaluate([root], [None])
child = os.fork()
if child == 0:
    try:
        device.evaluate([root], [None])
    except DeviceError as error:
        os._exit(7 if "spawn" in str(error) else 1)
    os._exit(2)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=100).returncode == 7


def test_devices_are_found_by_name():
    found = find_device("opencl:0")
    assert isinstance(found, Device)
    assert found.name == "opencl:0"
    assert isinstance(Buffer(np.ones(3, np.float32)).array, np.ndarray)
