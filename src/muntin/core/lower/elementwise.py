"""Lowers a pointwise kernel to a loop over a box of any rank, for devices: a work-item, a box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from muntin.core.graph.node import Node
from muntin.core.plan.expand import expand
from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Apply,
    Builder,
    Const,
    Convert,
    Expr,
    Load,
    Parameter,
    Program,
    Var,
    index,
)
from muntin.dtypes import DType
from muntin.errors import InternalError

__all__ = ["lower_elementwise"]


def lower_elementwise(
    nodes: Sequence[Node], outputs: Sequence[Node], *, rank: int, offsets: DType = INDEX
) -> Program:
    """Return the program of a pointwise kernel.

    Parameters
    ----------
    nodes : sequence of Node
        Operands before those that use them: inputs and scalars, whose payloads are their numbers,
        constants, indices and elementwise nodes.
    outputs : sequence of Node
        Some of the nodes.
    rank : int
        The number of axes of the iteration space. The last two are the columns and the rows of
        the box, the others are counted together as its outer part.
    offsets : DType
        The type in which positions and byte offsets are computed: int64, or int32 where the
        elements of every array lie within 2**31 bytes of the first.

    Notes
    -----
    The slots are: for each operand by its number, then for each output, a pointer to the element
    where the box begins and `rank` byte strides; the scalars by their numbers; the sizes of the
    outer axes; and, if there is an index node, the position along each axis where the box begins.
    """
    expansion = expand(nodes, "opencl")
    results = [expansion.replaced[node] for node in outputs]
    return _Lowering(expansion.nodes, results, rank, offsets).program()


@dataclass(frozen=True, slots=True)
class _Array:
    """The slots of an operand or output."""

    dtype: DType
    pointer: Var
    strides: tuple[Var, ...]


@dataclass(slots=True)
class _Lowering:
    nodes: Sequence[Node]
    outputs: Sequence[Node]
    rank: int
    offsets: DType
    builder: Builder = field(default_factory=Builder)
    values: dict[Node, Expr] = field(default_factory=dict)
    bases: dict[Var, Expr] = field(default_factory=dict)
    operands: list[_Array] = field(default_factory=list)
    results: list[_Array] = field(default_factory=list)
    scalars: list[Var] = field(default_factory=list)
    sizes: list[Var] = field(default_factory=list)
    origins: list[Var] = field(default_factory=list)

    def program(self) -> Program:
        self.take_slots()
        b = self.builder
        for node in self.nodes:
            self.hoist(node)
        with b.loop("o", Var(INDEX, "o0"), Var(INDEX, "o1"), independent=True) as o:
            outer = self.outer_positions(b.let(self.narrow(o), "outer"))
            with b.loop("y", Var(INDEX, "y0"), Var(INDEX, "y1"), independent=True) as y:
                row = b.let(self.narrow(y), "row")
                for array in (*self.operands, *self.results):
                    self.bases[array.pointer] = self.row_base(array, [*outer, row])
                with b.loop("x", Var(INDEX, "x0"), Var(INDEX, "x1"), independent=True) as x:
                    self.element([*outer, row, b.let(self.narrow(x), "column")])
        arrays = [*self.operands, *self.results]
        slots = [var for array in arrays for var in (array.pointer, *array.strides)]
        slots += [*self.scalars, *self.sizes, *self.origins]
        written = {array.pointer for array in self.results}
        parameters = [Parameter(Var(INDEX, name)) for name in ("o0", "o1", "y0", "y1", "x0", "x1")]
        parameters += [
            Parameter(array.pointer, unaliased=True, written=array.pointer in written)
            for array in arrays
        ]
        entry = b.function("entry", parameters)
        return Program((entry,), tuple(slots))

    def take_slots(self) -> None:
        inputs = self.leaves("input")
        self.operands = [self.array(f"in{k}", node.dtype) for k, node in enumerate(inputs)]
        self.results = [self.array(f"out{k}", node.dtype) for k, node in enumerate(self.outputs)]
        scalars = self.leaves("scalar")
        self.scalars = [Var(node.dtype, f"scalar{k}") for k, node in enumerate(scalars)]
        self.sizes = [Var(INDEX, f"size{k}") for k in range(self.rank - 2)]
        if any(node.op.kind == "index" for node in self.nodes):
            self.origins = [Var(INDEX, f"origin{k}") for k in range(self.rank)]

    def leaves(self, kind: str) -> list[Node]:
        """Return the leaves of a kind by their numbers, which must be 0, 1, …."""
        found = {node.payload: node for node in self.nodes if node.op.kind == kind}
        if sorted(found) != list(range(len(found))):
            raise InternalError(f"lower.elementwise: {kind} nodes are numbered {sorted(found)}")
        return [found[number] for number in range(len(found))]

    def array(self, name: str, dtype: DType) -> _Array:
        strides = tuple([Var(INDEX, f"{name}_stride{k}") for k in range(self.rank)])
        return _Array(dtype, Var(POINTER, name), strides)

    # --- positions --------------------------------------------------------------------------------

    def narrow(self, expr: Expr) -> Expr:
        return expr if self.offsets is INDEX else Convert(self.offsets, expr)

    def outer_positions(self, rest: Expr) -> list[Expr]:
        """Return the position along each outer axis of a step through all of them."""
        b = self.builder
        positions: list[Expr] = []
        for size in reversed(self.sizes[1:]):
            extent = b.let(self.narrow(size), "size")
            quotient = b.let(rest // extent, "quotient")
            positions.append(b.let(rest - quotient * extent, "position"))
            rest = quotient
        if self.sizes:
            positions.append(rest)
        return positions[::-1]

    def row_base(self, array: _Array, positions: Sequence[Expr]) -> Expr:
        """Return where column 0 of a row of an array lies."""
        strides = array.strides[:-1]
        if not strides:
            return array.pointer
        offset: Expr = Const(self.offsets, 0)
        for stride, position in zip(
            strides, positions[len(positions) - len(strides) :], strict=True
        ):
            offset = offset + position * self.narrow(stride)
        return self.builder.let(self.moved(array.pointer, offset), f"{array.pointer.name}_row")

    def moved(self, pointer: Expr, offset: Expr) -> Expr:
        return Advance(
            POINTER, pointer, offset if self.offsets is INDEX else Convert(INDEX, offset)
        )

    def place(self, array: _Array, column: Expr) -> Expr:
        base = self.bases[array.pointer]
        if not array.strides:
            return base
        return self.moved(base, column * self.narrow(array.strides[-1]))

    # --- values -----------------------------------------------------------------------------------

    def hoist(self, node: Node) -> None:
        """Compute a node ahead of the loops if it is the same for all elements."""
        if node.op.kind == "constant":
            self.values[node] = Const(node.dtype, node.payload)
        elif node.op.kind == "scalar":
            self.values[node] = self.scalars[node.payload]
        elif node.op.is_elementwise and all(arg in self.values for arg in node.args):
            self.values[node] = self.builder.let(self.work(node))

    def element(self, positions: Sequence[Expr]) -> None:
        """Compute one element of every output."""
        b = self.builder
        for node in self.nodes:
            if node in self.values:
                continue
            if node.op.kind == "input":
                array = self.operands[node.payload]
                value: Expr = Load(node.dtype, self.place(array, positions[-1]), index(0))
            elif node.op.kind == "index":
                (axis,) = node.params
                position = positions[len(positions) - self.rank + axis]
                value = Convert(INDEX, position) + self.origins[axis]
            elif node.op.is_elementwise:
                value = self.work(node)
            else:
                raise InternalError(
                    f"lower.elementwise: a node of kind {node.op.kind!r} is not pointwise; "
                    "the plan should have cut the graph there"
                )
            self.values[node] = b.let(value)
        for array, node in zip(self.results, self.outputs, strict=True):
            b.store(self.place(array, positions[-1]), index(0), self.values[node])

    def work(self, node: Node) -> Expr:
        args = tuple([self.values[arg] for arg in node.args])
        if node.op.name == "cast":
            return Convert(node.dtype, args[0], "saturate" in node.params)
        return Apply(node.dtype, node.op, args)
