"""Graphs drawn as SVG: a plan by its rows and arrays, an expression by its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from muntin.core.graph.canonical import Canonical
from muntin.explain.graph_text import details
from muntin.explain.layered import Point, layered
from muntin.explain.plan_text import bytes_in_words
from muntin.explain.survey import KernelFacts, LoopFacts, Survey

__all__ = ["Drawing", "draw_graph", "draw_plan"]

_LETTER, _LINE, _PAD, _MARGIN = 7.3, 16.0, 9.0, 6.0


@dataclass(slots=True)
class Drawing:
    """Boxes of text lines with a CSS class each, and arrows between them."""

    boxes: list[tuple[str, Sequence[str]]] = field(default_factory=list)
    arrows: list[tuple[int, int]] = field(default_factory=list)

    def box(self, kind: str, *lines: str) -> int:
        """Add a box and return its number."""
        self.boxes.append((kind, lines))
        return len(self.boxes) - 1

    def arrow(self, start: int, stop: int) -> None:
        """Add an arrow, once."""
        if (start, stop) not in self.arrows:
            self.arrows.append((start, stop))

    def svg(self) -> str:
        """Return the picture."""
        sizes = [
            (
                max(len(line) for line in lines) * _LETTER + 2 * _PAD,
                len(lines) * _LINE + 2 * _PAD - 4,
            )
            for _, lines in self.boxes
        ]
        layout = layered(sizes, self.arrows)
        width, height = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
        size = f'width="{width:.0f}" height="{height:.0f}"'
        view = f'viewBox="{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {height:.0f}"'
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img">']
        parts += [_arrow(path) for path in layout.paths]
        for (kind, lines), centre, extent in zip(self.boxes, layout.centres, sizes, strict=True):
            parts.append(_box(kind, lines, centre, extent))
        return "\n".join([*parts, "</svg>"])


def _arrow(path: Sequence[Point]) -> str:
    (x, y), rest = path[0], path[1:]
    curve = f"M{x:.1f} {y:.1f}"
    for next_x, next_y in rest:
        middle = (y + next_y) / 2
        curve += f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}"
        x, y = next_x, next_y
    head = f"M{x - 3.5:.1f} {y - 7:.1f}L{x:.1f} {y:.1f}L{x + 3.5:.1f} {y - 7:.1f}"
    return f'<path class="arrow" d="{curve}{head}"/>'


def _box(kind: str, lines: Sequence[str], centre: Point, size: Point) -> str:
    (x, y), (width, height) = centre, size
    left, top = x - width / 2, y - height / 2
    place = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
    parts = [f'<g class="{kind}"><rect {place} rx="5"/>']
    for number, line in enumerate(lines):
        weight = ' font-weight="bold"' if number == 0 else ""
        base = top + _PAD + _LINE * (number + 0.65)
        parts.append(
            f'<text x="{x:.1f}" y="{base:.1f}" text-anchor="middle"{weight}>{escape(line)}</text>'
        )
    return "".join([*parts, "</g>"])


# --- plans ----------------------------------------------------------------------------------------


def draw_plan(found: Survey) -> str:
    """Return the picture of the arrays and rows of all kernels."""
    drawing = Drawing()
    arrays: dict[str, int] = {}
    for kernel in found.kernels:
        _draw_kernel(drawing, kernel, arrays)
    return drawing.svg()


def _draw_kernel(drawing: Drawing, kernel: KernelFacts, arrays: dict[str, int]) -> None:
    boxes: dict[str, int] = {}
    for array in kernel.reads:
        if array.origin not in arrays:
            kind = f"{array.source.dtype} {array.source.shape}"
            arrays[array.origin] = drawing.box("array", array.origin, kind)
        boxes[array.name] = arrays[array.origin]
    makers = {target: loop for loop in kernel.loops for target in loop.targets}
    for row in kernel.rows:
        stage = row.stage
        if stage.is_load and stage.depth == 1 and stage.mode is None:
            boxes[row.name] = boxes[f"in{stage.node.payload}"]
            continue
        lines = [f"kernel {kernel.number}, {row.name}: {stage.node.dtype}"]
        if row.name in makers:
            lines += _work(makers[row.name])
        ring = "1 row" if stage.depth == 1 else f"ring of {stage.depth} rows"
        lines.append(f"{ring}, {stage.lead} ahead")
        if stage.mode is not None:
            lines.append(f"border {stage.mode.value}")
        boxes[row.name] = drawing.box("load" if stage.is_load else "rows", *lines)
        if stage.is_load:
            drawing.arrow(boxes[f"in{stage.node.payload}"], boxes[row.name])
    for place, array in enumerate(kernel.writes):
        kind = f"{array.node.dtype} {array.node.shape}"
        lines = [array.origin, kind, bytes_in_words(array.nbytes), *_work(makers[array.name])]
        boxes[array.name] = drawing.box("output", *lines)
        arrays[f"out{place} of kernel {kernel.number}"] = boxes[array.name]
    for loop in kernel.loops:
        for target in loop.targets:
            for read in loop.reads:
                drawing.arrow(boxes[read.name], boxes[target])


def _work(loop: LoopFacts) -> list[str]:
    """Return what a row loop reads, rows with the same offsets together, and how much it does."""
    names: dict[str, list[str]] = {}
    for read in loop.reads:
        names.setdefault(str(read).removeprefix(read.name), []).append(read.name)
    reads = [f"of {' '.join(group)} {offsets}".rstrip() for offsets, group in names.items()]
    return [*reads, "1 operation" if loop.count == 1 else f"{loop.count} operations"]


_STYLES = {
    "input": "array",
    "neighbour": "load",
    "view": "load",
    "reshape": "load",
    "concat": "load",
    "gathered": "load",
}


# --- expressions ----------------------------------------------------------------------------------


def draw_graph(graph: Canonical) -> str:
    """Return the picture of the nodes of an expression; constants stand in their readers."""
    drawing = Drawing()
    boxes: dict[int, int] = {}
    for position, (node, args) in enumerate(zip(graph.nodes, graph.args, strict=True)):
        kind = node.op.kind
        if kind == "constant":
            continue
        roots = [f"result {place}" for place, root in enumerate(graph.roots) if root == position]
        numbers = [repr(graph.nodes[arg].payload) for arg in args if arg not in boxes]
        words = [*numbers, *details(node)] if kind != "input" else []
        lines = [" ".join([node.op.name, *words]), f"{node.dtype} {node.shape}", *roots]
        style = _STYLES.get(kind, "rows")
        boxes[position] = drawing.box("output" if roots else style, *lines)
        for arg in dict.fromkeys(args):
            if arg in boxes:
                drawing.arrow(boxes[arg], boxes[position])
    return drawing.svg()
