"""A graph as a list: a line a node, each named by its number."""

from __future__ import annotations

from muntin.core.graph.canonical import Canonical
from muntin.core.graph.node import Node

__all__ = ["details", "graph_text"]


def graph_text(graph: Canonical) -> str:
    """Return the nodes after equal ones were merged, arguments first."""
    rows = []
    for position, (node, args) in enumerate(zip(graph.nodes, graph.args, strict=True)):
        words = [f"%{arg}" for arg in args] + details(node)
        roots = [f"result {place}" for place, root in enumerate(graph.roots) if root == position]
        kind = f"{node.dtype} {node.shape}"
        axes = node.axes or ""
        rows.append((f"%{position}", f"{node.op.name}({', '.join(words)})", kind, axes, *roots))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, ", ".join(row[4:])]).rstrip())
    return "\n".join(lines) + "\n"


def details(node: Node) -> list[str]:
    """Return in words what a node has beside its arguments."""
    kind = node.op.kind
    if kind == "input":
        return ["array"]
    if kind in ("scalar", "constant"):
        return [repr(node.payload)]
    if kind == "neighbour":
        offsets, mode = node.params
        return [
            f"[{', '.join(f'{offset:+d}' if offset else '0' for offset in offsets)}]",
            mode.value,
        ]
    if kind in ("view", "gathered"):
        return [_view(node)]
    if kind == "concat":
        return [f"along axis {node.params[0]}"]
    if kind == "reshape":
        return [f"in C order from {node.args[0].shape}"]
    if kind == "program":
        definition = node.payload.definition
        return [definition.name, definition.names[node.params[1]]]
    return [word for param in node.params if (word := str(param))]


def _view(node: Node) -> str:
    """Return a view as an index of its argument: what is fixed, and start and step of the rest."""
    affine = node.payload
    words = []
    for axis, length in zip(affine.axes, node.shape, strict=True):
        if axis.source is None:
            words.append("new")
        elif axis.step == 0:
            words.append(f"{axis.source}: stretched")
        elif (axis.start, axis.step) == (0, 1):
            words.append(f"{axis.source}")
        else:
            words.append(f"{axis.source}: {length} from {axis.start} by {axis.step}")
    words += [f"{axis}: at {index}" for axis, index in affine.fixed]
    return f"axes [{', '.join(words)}]"
