"""Keeps folds of rows in the kernels that use them: what reads them over all columns sees rows.

A sum along the last axis that is subtracted from the rows it was made of needs no pass of its own:
a kernel that goes down the rows folds each row while it lies in cache. Here such a fold becomes one
in the mapping "row", which has the shape of what it folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from muntin.core.graph.build import view
from muntin.core.graph.folds import CHUNK, FOLDS
from muntin.core.graph.node import Node, View
from muntin.core.graph.order import topological
from muntin.core.graph.reductions import fold

__all__ = ["LONGEST_ROW", "fold_in_rows", "is_spread"]

LONGEST_ROW = 16 * CHUNK  # elements: a longer one does not stay in cache
FEWEST_ROWS = 8  # that keep all threads busy


def is_spread(node: Node) -> bool:
    """Say whether all elements of each row are one, since it is a fold of the row."""
    return node.op.kind == "fold" and node.params[1] == "row"


def fold_in_rows(roots: Sequence[Node]) -> Sequence[Node]:
    """Return the roots with folds of rows that are read over all columns as rows of their own."""
    order = topological(roots)
    found = {id(node): rows for node in order if (rows := _rows_folded(node)) is not None}
    if not found or any(node.valid is not None for node in order):
        return roots
    for node in (*roots, *_read_otherwise(order)):
        found.pop(id(node), None)
    made: dict[int, Node] = {}
    for node in order:
        args = tuple([made[id(arg)] for arg in node.args])
        if id(node) in found:
            made[id(node)] = _in_rows(node, found[id(node)], made)
        elif all(new is old for new, old in zip(args, node.args, strict=True)):
            made[id(node)] = node
        else:
            made[id(node)] = Node(
                node.op, args, node.params, node.payload, node.shape, node.dtype, node.axes
            )
    return [made[id(root)] for root in roots]


def _read_otherwise(order: Iterable[Node]) -> list[Node]:
    """Return what is not only read in place, by pointwise work."""
    return [arg for node in order if node.op.kind != "elementwise" for arg in node.args]


def _rows_folded(node: Node) -> Mapping[int, Node] | None:
    """Return the folds that a view spreads over the rows that they fold, if there are any.

    They are what is seen, or what the pointwise work that is seen is done on; there they are known
    by the identity of what stands for them.
    """
    if node.op.kind != "view" or len(node.shape) < 2:
        return None
    columns = node.shape[-1]
    if not 1 < columns <= LONGEST_ROW or prod(node.shape[:-1]) < FEWEST_ROWS:
        return None
    found: dict[int, Node] = {}
    for seen in _work(node.args[0]):
        folded = _folded(seen, node)
        if folded is not None:
            found[id(seen)] = folded
        elif seen.op.kind not in ("elementwise", "input", "scalar", "constant", "view"):
            return None
    return found or None


def _work(root: Node) -> list[Node]:
    """Return the pointwise work of `root` and what it is done on, arguments first."""
    order: list[Node] = []
    done: set[int] = set()
    stack = [root]
    while stack:
        node = stack[-1]
        is_work = node.op.kind == "elementwise"
        waiting = [arg for arg in node.args if id(arg) not in done] if is_work else []
        if waiting and id(node) not in done:
            stack += waiting
            continue
        stack.pop()
        if id(node) not in done:
            done.add(id(node))
            order.append(node)
    return order


def _folded(seen: Node, node: Node) -> Node | None:
    """Return the fold of rows like those of the view `node` that it shows where it shows `seen`."""
    base, shown = seen, node.payload
    if seen.op.kind == "view":
        base, shown = seen.args[0], shown.after(seen.payload)
    folded = base
    if base.op.kind == "combine":
        if len(base.args) > 1 or base.params[1] != (len(base.shape),):
            return None
        (folded,) = base.args
    if folded.op.kind != "fold" or folded.params[1] != "across" or FOLDS[folded.params[0]].finds:
        return None
    is_whole = base is not folded or folded.shape[-1] == 1
    is_like = folded.args[0].shape == node.shape
    return folded if is_whole and is_like and _spreads(shown, len(base.shape)) else None


def _spreads(shown: View, rank: int) -> bool:
    """Say whether a view shows in all columns of a row what an array of `rank` axes has for it."""
    *rows, column = shown.axes
    if any((axis.source, axis.start, axis.step) != (k, 0, 1) for k, axis in enumerate(rows)):
        return False
    return column.source is None or (rank > len(rows) and column.source == len(rows))


def _in_rows(node: Node, folds: Mapping[int, Node], made: Mapping[int, Node]) -> Node:
    """Return the work that is seen by a view, done on folds in rows and on views of the rest."""
    done: dict[int, Node] = {}
    for seen in _work(node.args[0]):
        if id(seen) in folds:
            folded = folds[id(seen)]
            done[id(seen)] = fold(folded.params[0], made[id(folded.args[0])], "row")
        elif seen.op.kind in ("scalar", "constant"):
            done[id(seen)] = seen
        elif seen.op.kind == "elementwise":
            args = tuple([done[id(arg)] for arg in seen.args])
            done[id(seen)] = Node(
                seen.op, args, seen.params, seen.payload, node.shape, seen.dtype, node.axes
            )
        else:
            done[id(seen)] = view(made[id(seen)], node.payload, node.shape, node.axes)
    return done[id(node.args[0])]
