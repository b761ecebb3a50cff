"""Steps that read beside an element: at an offset, stencils, and sums over windows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce

from muntin.core.border import BorderMode
from muntin.core.graph import build
from muntin.dtypes import DTYPES
from tests.core.graph.choices import Choices
from tests.core.graph.steps.made import Made, border_of

MODES = tuple(BorderMode)
NEAR = (0, 0, 1, -1, 1, -1, 2, -2, 3)
FAR = (0, 0, 1, -1, 1, -1, 2, -2, 3, -3, 4, -4, 9, -26)
_OFF_PLANE = (0, 0, 0, 0, 0, 1, -2)


@dataclass(frozen=True)
class Read:
    """A read at an offset along each of up to four axes."""

    pick: int
    offsets: tuple[int, ...]
    mode: BorderMode
    constant: int = 0

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Read:
        offsets = []
        for axis in range(4):
            in_plane = axes is not None and axes[axis : axis + 1] in ("y", "x")
            offsets.append(choices.one_of(FAR if in_plane else _OFF_PLANE))
        mode = choices.one_of(MODES)
        return cls(choices.integer(0, 7), tuple(offsets), mode, choices.integer(0, 99))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        offsets = self.offsets[: len(node.shape)]
        made.add(build.neighbour(node, offsets, border_of(node, self)))


@dataclass(frozen=True)
class Stencil:
    """The sum or maximum of reads in the plane of an image, of work that is worth keeping."""

    pick: int
    offsets: tuple[tuple[int, int], ...]
    mode: BorderMode
    constant: int = 0
    is_sum: bool = True
    is_costly: bool = True

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Stencil:
        few = NEAR if choices.integer(0, 7) else FAR

        def offset() -> tuple[int, int]:
            return choices.one_of(few), choices.one_of(few)

        return cls(
            choices.integer(0, 3),
            tuple(dict.fromkeys(choices.several(offset, 2, 5))),
            choices.one_of(MODES),
            choices.integer(0, 99),
            choices.one_of((False, True)),
            choices.one_of((True, True, False)),
        )

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if self.is_costly and not node.dtype.is_bool:
            number = build.constant(3, node.dtype)
            square = build.elementwise("multiply", node, node)
            node = build.elementwise("floor_divide", square, number)
        border = border_of(node, self)
        reads = []
        for dy, dx in self.offsets:
            along = dict(zip(node.plane, (dy, dx), strict=True))
            offsets = tuple([along.get(axis, 0) for axis in range(len(node.shape))])
            reads.append(build.neighbour(node, offsets, border))
        name = "add" if self.is_sum else "maximum"
        made.add(reduce(partial(build.elementwise, name), reads))


@dataclass(frozen=True)
class WindowSum:
    """A sum over a window along an axis."""

    pick: int
    axis: int
    before: int
    after: int
    mode: BorderMode
    constant: int = 0

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> WindowSum:
        far = (choices.integer(0, 6), choices.integer(0, 6))
        axis, mode = choices.integer(0, 3), choices.one_of(MODES)
        return cls(choices.integer(0, 7), axis, *far, mode, choices.integer(0, 99))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if node.shape:
            if not node.dtype.is_integer:
                node = build.cast(node, DTYPES["int16"])
            axis = self.axis % len(node.shape)
            border = border_of(node, self)
            made.add(build.window_sum(node, axis, self.before, self.after, border))
