"""The forms of an explanation, each from the survey of what is planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from muntin.core.graph.node import Node
from muntin.errors import DeviceError
from muntin.explain.graph_text import graph_text
from muntin.explain.page import page
from muntin.explain.plan_text import plan_text
from muntin.explain.program_text import program_text
from muntin.explain.survey import KernelFacts, Survey, survey

__all__ = ["written"]


def written(roots: Sequence[Node], what: str) -> str:
    """Return the text of the form `what` about graphs."""
    return _WRITERS[what](survey(roots))


def _each(write: Callable[[KernelFacts], str], comment: str) -> Callable[[Survey], str]:
    """Return what writes a text for each kernel, under a comment that numbers it."""

    def write_all(found: Survey) -> str:
        parts = [
            f"{comment} kernel {kernel.number}\n\n{write(kernel).rstrip()}\n"
            for kernel in found.kernels
        ]
        return "\n".join(parts) or f"{comment} no kernel: everything is there already\n"

    return write_all


def _program(kernel: KernelFacts) -> str:
    return program_text(kernel.compiled.program)


# LLVM and OpenCL are imported when a text of theirs is asked for, as devices are.


def _optimised(kernel: KernelFacts) -> str:
    text: str = import_module("muntin.runtime.cpu").optimised_ir(kernel.compiled.llvm)
    return text


def _assembly(kernel: KernelFacts) -> str:
    text: str = import_module("muntin.runtime.cpu").assembly(kernel.compiled.llvm)
    return text


def _llvm(kernel: KernelFacts) -> str:
    written: str = kernel.compiled.llvm
    return f"; as written\n\n{written.rstrip()}\n\n; as optimised\n\n{_optimised(kernel)}"


def _opencl(kernel: KernelFacts) -> str:
    if kernel.compiled.graph.is_program:
        raise DeviceError(
            f"explain: kernel {kernel.number} is a program, which OpenCL devices do not run; ask "
            'for what="llvm" or "program"'
        )
    if not all(stage.stage.is_load and stage.stage.mode is None for stage in kernel.rows):
        raise DeviceError(
            f"explain: kernel {kernel.number} reads neighbours; OpenCL devices run pointwise work "
            'alone; ask for what="llvm" or "program"'
        )
    if kernel.compiled.graph.gathers:
        raise DeviceError(
            f"explain: kernel {kernel.number} reads at indices, which OpenCL devices do not; ask "
            'for what="llvm" or "program"'
        )
    rank = max(sum(size != 1 for size in kernel.extent), 1)
    if not kernel.domain.pointwise:
        rank = kernel.domain.rank
    opencl: Any = import_module("muntin.runtime.opencl")
    source: str = opencl.kernel_source(kernel.compiled.graph, rank)[0]
    return source


def _page(found: Survey) -> str:
    sources = (
        ("Program", _program),
        ("LLVM IR as written", lambda kernel: str(kernel.compiled.llvm)),
        ("LLVM IR as optimised", _optimised),
        ("Assembly", _assembly),
    )
    return page(found, sources)


_WRITERS: Mapping[str, Callable[[Survey], str]] = {
    "plan": plan_text,
    "graph": lambda found: graph_text(found.graph),
    "program": _each(_program, "#"),
    "llvm": _each(_llvm, ";"),
    "asm": _each(_assembly, "#"),
    "opencl": _each(_opencl, "//"),
    "html": _page,
}
