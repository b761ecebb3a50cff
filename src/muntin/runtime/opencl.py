"""OpenCL devices, reached through pyopencl: pointwise graphs as kernels over a device's buffers."""

from __future__ import annotations

import threading
import warnings
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from muntin.config import settings
from muntin.core.emit.opencl_c import OpenClOptions, emit_opencl_c
from muntin.core.graph.canonical import Canonical, canonical
from muntin.core.graph.node import Node, Number
from muntin.core.graph.order import topological
from muntin.core.lower.elementwise import lower_elementwise
from muntin.core.lower.walk import Walk
from muntin.core.plan.facts import ENTRY
from muntin.core.plan.fuse import fuse
from muntin.core.plan.kernel import KernelGraph, Plan
from muntin.core.plan.places import holder, places_within
from muntin.core.program import INDEX
from muntin.dtypes import DTYPES
from muntin.errors import CompileError, DeviceError
from muntin.runtime.cache import kernel_cache
from muntin.runtime.fork import reset_after_fork
from muntin.runtime.lru import LRU
from muntin.runtime.offload import Placed, Run
from muntin.runtime.values import graph_values

__all__ = [
    "OpenClDevice",
    "OpenClGraph",
    "OpenClKernel",
    "count_devices",
    "kernel_source",
    "open_device",
]

Array: TypeAlias = npt.NDArray[Any]

_SEEN = ("view", "reshape", "concat", "part", "keep")
_KINDS = ("input", "scalar", "constant", "index", "elementwise", *_SEEN)
_GROUP = 128  # work-items that start together
_MOST_GROUPS = 65535  # along the second and third dimension: some drivers take no more
_OPTIONS = "-cl-std=CL1.2 -w"


def _devices() -> list[Any]:
    """Return the devices of all platforms in the order in which OpenCL lists them."""
    import pyopencl as cl

    try:
        platforms = cl.get_platforms()
    except cl.LogicError:  # no driver is installed
        return []
    return [device for platform in platforms for device in platform.get_devices()]


def count_devices() -> int:
    """Return how many OpenCL devices there are; raise ImportError without pyopencl."""
    return len(_devices())


def open_device(index: int = 0) -> OpenClDevice:
    """Return an OpenCL device by its number.

    Raises
    ------
    DeviceError
        If pyopencl is not installed, or if there is no such device.
    """
    try:
        devices = _devices()
    except ImportError as error:
        raise DeviceError(
            f"opencl: pyopencl cannot be imported ({error}); install it with "
            'pip install "muntin[opencl]"'
        ) from error
    if index >= len(devices):
        raise DeviceError(
            f"opencl: device {index} was asked for; there are {len(devices)}, numbered from 0; "
            "install the driver's OpenCL part, or run on the CPU"
        )
    return OpenClDevice(devices[index], index)


class OpenClKernel(NamedTuple):
    """A compiled kernel: its OpenCL C, and what a work-item computes along each dimension."""

    source: str
    step: tuple[int, int, int]
    has_index: bool
    entry: Any


def kernel_source(
    graph: KernelGraph, rank: int, *, is_short: bool = True
) -> tuple[str, tuple[int, int, int]]:
    """Return the OpenCL C of a kernel for walks of a rank, and the step of its work-items."""
    nodes = topological(graph.outputs)
    offsets = DTYPES["int32"] if is_short else INDEX
    program = lower_elementwise(nodes, graph.outputs, rank=rank, offsets=offsets)
    leaves = [node for node in nodes if node.op.kind == "input"]
    widest = max(node.dtype.itemsize for node in (*leaves, *graph.outputs))
    step = (1, 1, min(16 // widest, 8))
    return emit_opencl_c(program, OpenClOptions(step)), step


class OpenClDevice:
    """Evaluates graphs of pointwise work on one OpenCL device.

    Parameters
    ----------
    device : pyopencl.Device
        The device.
    index : int
        Its number in the name.
    """

    def __init__(self, device: Any, index: int) -> None:
        import pyopencl as cl

        self.device = device
        self.name = f"opencl:{index}"
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        self.options = _OPTIONS
        if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
            self.options += " -cl-fp32-correctly-rounded-divide-sqrt"
        self.lock = threading.RLock()
        self.is_forked = False
        capacity = settings().memory_cache
        self._plans: LRU[Any, Plan] = LRU(capacity)
        self._kernels: LRU[Any, OpenClKernel] = LRU(capacity)
        reset_after_fork(self)

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the device cannot do as the reference does, each with a reason."""
        import pyopencl as cl

        found = []
        single, bits = self.device.single_fp_config, cl.device_fp_config
        if not single & bits.CORRECTLY_ROUNDED_DIVIDE_SQRT:
            found.append("float32 quotients and square roots: they are not rounded correctly")
        if not single & bits.DENORM:
            found.append("float32 numbers below 1.2e-38: they are flushed to 0")
        if not self.device.double_fp_config:
            found.append("float64: the device has no double precision")
        return tuple(found)

    def reset(self) -> None:
        """Note that this process was forked: drivers do not survive it."""
        self.is_forked = True

    def evaluate(
        self, roots: Sequence[Node], outs: Sequence[Array | None], *, threads: int = 0
    ) -> list[Array]:
        """Return the arrays of the roots.

        Raises
        ------
        DeviceError
            If the graph has other work than pointwise work, or the device cannot run it.
        """
        graph = canonical(roots)
        return Run(self, graph, self.plan(graph), graph_values(graph)).results(outs)

    def compile(self, placeholders: Sequence[Node], roots: Sequence[Node]) -> OpenClGraph:
        """Return the graph compiled for repeated runs."""
        return OpenClGraph(self, placeholders, roots)

    def plan(self, graph: Canonical) -> Plan:
        """Return the kernels of a graph; raise DeviceError if the device cannot run it."""
        if self.is_forked:
            raise DeviceError(
                f"{self.name}: this process was forked from one that had opened the device, whose "
                'driver does not survive that; start processes with the method "spawn"'
            )
        for node in graph.nodes:
            if node.op.kind not in _KINDS:
                raise DeviceError(
                    f"{self.name}: the graph has a node of kind {node.op.kind!r}; OpenCL devices "
                    'run pointwise work alone; evaluate it on the CPU with muntin.use("cpu")'
                )
            if node.dtype is DTYPES["float64"] and not self.device.double_fp_config:
                raise DeviceError(
                    f"{self.name}: {node.op.name} is float64, which the device lacks; cast the "
                    'arrays with .astype("float32"), or evaluate on the CPU with muntin.use("cpu")'
                )
        return self._plans.get_or_make(graph.key, lambda: fuse(graph))

    def kernel(self, graph: KernelGraph, rank: int, *, is_short: bool) -> OpenClKernel:
        """Return a kernel compiled for walks of a rank, with 32-bit offsets if they are short."""
        key = (graph.key, rank, is_short)
        return self._kernels.get_or_make(key, lambda: self._compiled(graph, rank, is_short))

    def _compiled(self, graph: KernelGraph, rank: int, is_short: bool) -> OpenClKernel:
        source, step = kernel_source(graph, rank, is_short=is_short)
        has_index = any(node.op.kind == "index" for node in topological(graph.outputs))
        return OpenClKernel(source, step, has_index, self.build(source))

    def run_kernel(
        self, graph: KernelGraph, size: Walk, arrays: Sequence[Placed], scalars: Sequence[int]
    ) -> None:
        """Start a kernel on all elements of a walk of its operands and outputs."""
        kernel = self.kernel(graph, size.rank, is_short=size.is_short)
        slots = size.slots(scalars, has_index=kernel.has_index)
        for place, placed in enumerate(arrays):
            slots[place * (size.rank + 1)] += placed.offset
        self.launch(kernel, slots, [placed.buffer for placed in arrays], size.extent)

    # --- what needs pyopencl ----------------------------------------------------------------------

    def build(self, source: str) -> Any:
        """Return the kernel of a source text, compiled or loaded from the disk.

        Raises
        ------
        CompileError
            If the driver refuses the text.
        """
        import pyopencl as cl

        facts = [self.device.platform.name, self.device.platform.version]
        facts += [self.device.name, self.device.version, self.device.driver_version]
        key = "\n".join(["opencl", *facts, self.options, source])
        with self.lock, warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            binary = kernel_cache().get(key)
            if binary is not None:
                try:
                    loaded = cl.Program(self.context, [self.device], [binary])
                    return cl.Kernel(loaded.build(self.options), ENTRY)
                except cl.Error:
                    pass  # made by a driver that says to be this one but is not
            program: Any = cl.Program(self.context, source)
            try:
                program.build(self.options)
            except cl.Error as error:
                raise CompileError(
                    f"{self.name}: the driver refused a kernel: {error}\n{source}"
                ) from error
            (binary,) = program.get_info(cl.program_info.BINARIES)
            kernel_cache().put(key, binary)
            return cl.Kernel(program, ENTRY)

    def upload(self, values: Array) -> Placed:
        """Return a copy of an array in the device's memory; gaps between elements may go along."""
        if values.size:
            low, high = byte_bounds(values)
            if high - low <= 2 * values.nbytes:
                return Placed(
                    self._buffer(high - low, _span(values, high - low)),
                    values.ctypes.data - low,
                    values.strides,
                )
        packed = np.array(values, order="C")
        return Placed(self._buffer(packed.nbytes, packed), 0, packed.strides)

    def allocate(self, node: Node) -> Placed:
        """Return memory for the elements of a node, in C order."""
        strides = [node.dtype.itemsize] * len(node.shape)
        for axis in range(len(node.shape) - 1, 0, -1):
            strides[axis - 1] = strides[axis] * node.shape[axis]
        return Placed(self._buffer(prod(node.shape) * node.dtype.itemsize), 0, tuple(strides))

    def _buffer(self, nbytes: int, values: Any = None) -> Any:
        import pyopencl as cl

        size, most = max(nbytes, 1), self.device.max_mem_alloc_size
        if size > most:
            raise DeviceError(
                f"{self.name}: an array takes {size} bytes, but the device allows {most} for one; "
                'evaluate smaller parts, or on the CPU with muntin.use("cpu")'
            )
        flags = cl.mem_flags.READ_WRITE
        with self._memory():
            if values is not None and nbytes:
                return cl.Buffer(self.context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
            return cl.Buffer(self.context, flags, size=size)

    @contextmanager
    def _memory(self) -> Iterator[None]:
        """Tell that the device's memory is full, which drivers find out at any use of it."""
        import pyopencl as cl

        try:
            yield
        except cl.MemoryError as error:
            raise DeviceError(
                f"{self.name}: the device's memory is full ({error}); evaluate smaller parts, or "
                'on the CPU with muntin.use("cpu")'
            ) from error

    def launch(
        self,
        kernel: OpenClKernel,
        slots: Sequence[int],
        buffers: Sequence[Any],
        extent: tuple[int, int, int],
    ) -> None:
        """Start a kernel on a box that begins at (0, 0, 0)."""
        import pyopencl as cl

        o1, y1, x1 = extent
        so, sy, _ = kernel.step
        with self.lock, self._memory():
            for number, buffer in enumerate(buffers):
                kernel.entry.set_arg(number + 1, buffer)
            for o in range(0, o1, so * _MOST_GROUPS):
                for y in range(0, y1, sy * _MOST_GROUPS):
                    o2, y2 = min(o1, o + so * _MOST_GROUPS), min(y1, y + sy * _MOST_GROUPS)
                    words = array("q", [*slots, o, o2, y, y2, 0, x1])
                    held = self._buffer(8 * len(words), np.array(words))  # until it is enqueued
                    kernel.entry.set_arg(0, held)
                    counts, group = _split((o2 - o, y2 - y, x1), kernel.step)
                    cl.enqueue_nd_range_kernel(self.queue, kernel.entry, counts, group)

    def download(self, placed: Placed, node: Node) -> Array:
        """Return the elements of a node that lie in C order."""
        import pyopencl as cl

        values = np.empty(node.shape, node.dtype.numpy)
        if values.size:
            with self._memory():
                cl.enqueue_copy(self.queue, values, placed.buffer)
        return values


def _split(
    extent: tuple[int, int, int], step: tuple[int, int, int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the work-items along x, y and o, a multiple of those that start together."""
    counts, group, left = [], [], _GROUP
    for length, width in zip(reversed(extent), reversed(step), strict=True):
        count = -(-length // width)
        size = min(left, 1 << (count - 1).bit_length())
        left //= size
        group.append(size)
        counts.append(-(-count // size) * size)
    return tuple(counts), tuple(group)


def _span(values: Array, nbytes: int) -> npt.NDArray[np.uint8]:
    """Return the bytes from the lowest to the highest address of an array."""
    lowest = values[tuple([slice(-1, None) if s < 0 else slice(1) for s in values.strides])]
    element = (lowest if values.ndim else values).reshape(1).view(np.uint8)
    return as_strided(element, (nbytes,), (1,), writeable=False)


class OpenClGraph:
    """A traced graph: it runs again and again with other values for its placeholders."""

    def __init__(
        self, device: OpenClDevice, placeholders: Sequence[Node], roots: Sequence[Node]
    ) -> None:
        self.device = device
        self.graph = canonical(roots)
        self.plan = device.plan(self.graph)
        places = {id(node): position for position, node in enumerate(self.graph.nodes)}
        self.positions = [places.get(id(node), -1) for node in placeholders]
        self.fixed = graph_values(self.graph, self.positions)

    @property
    def kernels(self) -> tuple[KernelGraph, ...]:
        """The kernels in the order in which they run."""
        return self.plan.kernels

    def run(
        self, values: Sequence[Array | Number], outs: Sequence[Array | None], *, threads: int = 0
    ) -> list[Array]:
        """Return the arrays of the roots."""
        given = dict(zip(self.positions, values, strict=True))
        run = Run(self.device, self.graph, self.plan, {**self.fixed, **given})
        return run.results(outs)

    def memory_report(self) -> dict[str, int]:
        """Return the bytes of the inputs, of stored intermediates and of the outputs."""
        nodes = self.graph.nodes
        outputs = {root.node for root in self.plan.roots}
        within = places_within(self.graph)
        written = dict.fromkeys(
            holder(within, result.node)[0]
            for kernel in self.plan.kernels
            for result in kernel.results
        )
        between = [position for position in written if position not in outputs]
        inputs = [position for position, node in enumerate(nodes) if node.op.kind == "input"]
        groups = {"inputs": inputs, "intermediates": between, "outputs": sorted(outputs)}
        return {
            word: sum(prod(nodes[at].shape) * nodes[at].dtype.itemsize for at in positions)
            for word, positions in groups.items()
        }
