"""A plan in words and columns."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.core.plan.kernel import KernelGraph
from muntin.explain.survey import ArrayFacts, KernelFacts, LoopFacts, RowFacts, Survey

__all__ = ["bytes_in_words", "kernel_text", "moved_in_words", "plan_text"]

_WIDTH = 100


def plan_text(found: Survey) -> str:
    """Return what is read, kept, computed and written by each kernel."""
    count = len(found.kernels)
    hosted = _hosted(found)
    if not count and not hosted:
        return "no kernel: everything is there already\n"
    kernels = {0: "no kernel", 1: "1 kernel"}.get(count, f"{count} kernels")
    first = f"{kernels}; {moved_in_words(found)}" if count else kernels
    return "\n\n".join([first, *map(kernel_text, found.kernels), *hosted]) + "\n"


def _hosted(found: Survey) -> list[str]:
    """Return what the host multiplies."""
    products = [node for node in found.graph.nodes if node.op.kind == "matmul"]
    lines = []
    for node in products:
        shapes = " and ".join([str(factor.shape) for factor in node.args])
        lines.append(f"  matmul     {node.dtype} {node.shape} of {shapes}, by NumPy")
    return ["\n".join(["host", *lines])] if lines else []


def moved_in_words(found: Survey) -> str:
    """Return what all kernels read and write."""
    read, written = bytes_in_words(found.bytes_read), bytes_in_words(found.bytes_written)
    return f"{read} read, {written} written"


def kernel_text(kernel: KernelFacts) -> str:
    """Return the description of one kernel."""
    lines = [f"kernel {kernel.number}"]
    graph = kernel.compiled.graph
    lines += _entry("domain", [_program(graph) if graph.is_program else _domain(kernel)])
    lines += _entry("window", [_window(kernel)])
    lines += _entry("reads", _columns([_array(array) for array in kernel.reads]))
    lines += _entry("writes", _columns([_array(array) for array in kernel.writes]))
    if kernel.numbers:
        numbers = [f"s{k} = {number!r}" for k, number in enumerate(kernel.numbers)]
        lines += _entry("numbers", _wrapped(numbers, ", "))
    if any(_is_kept(row) for row in kernel.rows):
        lines += _entry("rows", _columns([_row(row) for row in kernel.rows]))
    else:
        lines += _entry("rows", _columns([(row.name, row.holds) for row in kernel.rows]))
    steps = [line for loop in kernel.loops for line in _loop(loop)]
    lines += _entry("each step", steps)
    lines += _entry("scratch", [f"{bytes_in_words(kernel.scratch)} for each thread"])
    return "\n".join(lines)


def bytes_in_words(count: float) -> str:
    """Return a number of bytes with its unit.

    >>> bytes_in_words(0), bytes_in_words(1536), bytes_in_words(5 << 20)
    ('0 B', '1.5 KiB', '5.0 MiB')
    """
    units = ("B", "KiB", "MiB", "GiB", "TiB")
    unit = 0
    while count >= 1024 and unit < len(units) - 1:
        count /= 1024
        unit += 1
    return f"{count:.0f} B" if unit == 0 else f"{count:.1f} {units[unit]}"


def _entry(name: str, lines: Sequence[str]) -> list[str]:
    heads = [name, *[""] * (len(lines) - 1)]
    return [f"  {head:<10} {line}".rstrip() for head, line in zip(heads, lines, strict=True)]


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    if not rows:
        return ["nothing"]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _wrapped(words: Sequence[str], glue: str) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > _WIDTH - 16 and lines[-1]:
            lines[-1] = lines[-1].rstrip() + glue.rstrip()
            lines.append("")
        lines[-1] += (glue if lines[-1] else "") + word
    return lines


def _domain(kernel: KernelFacts) -> str:
    domain, shape = kernel.domain, kernel.shape
    size = " × ".join(map(str, shape)) or "a single element"
    if domain.pointwise:
        return f"{size}, pointwise: axes are merged and ordered as memory lies"
    words = []
    for axis, length in enumerate(shape):
        if axis == domain.row_axis:
            words.append(f"{length} rows")
        elif axis == domain.column_axis:
            words.append(f"{length} columns")
        elif axis == domain.channel_axis:
            words.append(f"{length} channels")
        else:
            letter = kernel.axes[axis] if kernel.axes else f"axis {axis}"
            words.append(f"{length} along {letter}")
    return " × ".join(words)


def _program(graph: KernelGraph) -> str:
    definition = graph.outputs[0].payload.definition
    count = len(definition.phases)
    phases = "1 phase" if count == 1 else f"{count} phases, of which the first has the window"
    return f"the loops of {definition.name}, in {phases}"


def _window(kernel: KernelFacts) -> str:
    sizes = [size for size in kernel.extent if size != 1] or [1]
    grain = [step for step, size in zip(kernel.grain, kernel.extent, strict=True) if size != 1]
    whole = " × ".join(map(str, sizes))
    threads = "1 thread" if kernel.threads == 1 else f"{kernel.threads} threads"
    if kernel.pieces <= 1:
        return f"{whole} in one piece, {threads}"
    piece = " × ".join(map(str, grain))
    return f"{whole} in {kernel.pieces} pieces of up to {piece}, {threads}"


def _array(array: ArrayFacts) -> tuple[str, ...]:
    kind = f"{array.node.dtype} {array.node.shape}"
    words = ", ".join(word for word in (array.origin, array.how) if word)
    return array.name, kind, bytes_in_words(array.nbytes), words


def _is_kept(row: RowFacts) -> bool:
    return not row.stage.is_load or row.stage.depth > 1 or row.stage.mode is not None


def _row(row: RowFacts) -> tuple[str, ...]:
    stage = row.stage
    border = "" if stage.mode is None else stage.mode.value
    depth = "1 row" if stage.depth == 1 else f"ring of {stage.depth} rows"
    halo = f"{stage.left} + {stage.right} more columns" if stage.left or stage.right else ""
    return row.name, stage.node.dtype.name, row.holds, depth, f"{stage.lead} ahead", border, halo


def _loop(loop: LoopFacts) -> list[str]:
    targets = ", ".join(loop.targets)
    reads = ", ".join(map(str, loop.reads)) or "nothing"
    rows = "" if loop.rows == 1 else f", {loop.rows} rows at once"
    head = f"{targets} from {reads}{rows}"
    if not loop.work:
        return [f"{head}: copied"]
    operations = "1 operation" if loop.count == 1 else f"{loop.count} operations"
    names = [name if count == 1 else f"{count} {name}" for name, count in loop.work]
    return [f"{head}: {operations}", *[f"    {line}" for line in _wrapped(names, ", ")]]
