"""`explain`: what becomes of expressions, in the form that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

from muntin.array.array import Array
from muntin.errors import DeviceError, ParameterError, UnsupportedError
from muntin.explain.graph_text import graph_text
from muntin.explain.page import page
from muntin.explain.plan_text import plan_text
from muntin.explain.program_text import program_text
from muntin.explain.survey import KernelFacts, Survey, survey

__all__ = ["FORMS", "Explanation", "explain"]


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """A text about expressions; `str` gives it, and notebooks show it.

    Attributes
    ----------
    what : str
        The form that was asked for.
    text : str
        The text; of ``"html"`` a page of its own.
    """

    what: str
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        if self.what != "html":
            return f"<pre>{escape(self.text)}</pre>"
        style = "width: 100%; height: 40rem; border: 0"
        return f'<iframe srcdoc="{escape(self.text)}" style="{style}"></iframe>'


def explain(*arrays: Array, what: str = "plan") -> Explanation:
    """Return what becomes of expressions when they are evaluated together on the CPU.

    Nothing is evaluated. Stages are formed and, for ``"asm"``, ``"llvm"`` and ``"html"``, LLVM's
    passes are run.

    Parameters
    ----------
    *arrays : Array
        The expressions.
    what : {"plan", "graph", "program", "llvm", "asm", "opencl", "html"}
        The plan in words; the nodes after equal ones were merged; the kernels' programs in the
        statement language; LLVM IR as written and as optimised; assembly of this CPU; OpenCL C;
        or all of it, with pictures, as a page.

    Returns
    -------
    Explanation
        To be printed, or shown by a notebook.

    Raises
    ------
    UnsupportedError
        If an argument is no Array.
    ParameterError
        If there is no such form.
    DeviceError
        If OpenCL C is asked for work that OpenCL devices do not run.

    Notes
    -----
    A kernel marches down the rows of its window. *Rows* are values that stay in cache while it
    does: a ring of as many rows as are still read, computed so many rows ahead of the output.
    ``r0[-1…+1, 0]`` is a read of r0 one row above to one row below, in the same column. Bytes are
    those of whole arrays; halos that several pieces read count once.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> x = mt.asarray(np.zeros((4, 6), np.uint8))
    >>> print(explain(x + 1, what="graph"))
    %0  input(array)  uint8 (4, 6)  yx
    %1  scalar(1)     uint8 ()
    %2  add(%0, %1)   uint8 (4, 6)  yx  result 0
    <BLANKLINE>
    """
    for array in arrays:
        if not isinstance(array, Array):
            raise UnsupportedError(
                f"explain: got a {type(array).__name__}; it takes Arrays; make one with "
                "muntin.asarray()"
            )
    if what not in FORMS:
        raise ParameterError(f"explain: what is {what!r}; use one of {', '.join(FORMS)}")
    return Explanation(what, FORMS[what](survey([array._node for array in arrays])))


def _each(write: Callable[[KernelFacts], str], comment: str) -> Callable[[Survey], str]:
    """Return what writes a text for each kernel, under a comment that numbers it."""

    def written(found: Survey) -> str:
        parts = [
            f"{comment} kernel {kernel.number}\n\n{write(kernel).rstrip()}\n"
            for kernel in found.kernels
        ]
        return "\n".join(parts) or f"{comment} no kernel: everything is there already\n"

    return written


def _program(kernel: KernelFacts) -> str:
    return program_text(kernel.compiled.lowered.program)


# LLVM and OpenCL are imported when a text of theirs is asked for, as devices are: importing muntin
# loads neither.


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
    if not all(stage.stage.is_load and stage.stage.mode is None for stage in kernel.rows):
        raise DeviceError(
            f"explain: kernel {kernel.number} reads neighbours; OpenCL devices run pointwise work "
            'alone; ask for what="llvm" or "program"'
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


FORMS: Mapping[str, Callable[[Survey], str]] = {
    "plan": plan_text,
    "graph": lambda found: graph_text(found.graph),
    "program": _each(_program, "#"),
    "llvm": _each(_llvm, ";"),
    "asm": _each(_assembly, "#"),
    "opencl": _each(_opencl, "//"),
    "html": _page,
}
