"""`explain`: what becomes of expressions, in the form that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib import import_module

from muntin.array.array import Array
from muntin.errors import ParameterError, UnsupportedError

__all__ = ["FORMS", "Explanation", "explain"]

FORMS = ("plan", "graph", "program", "llvm", "asm", "opencl", "html")
_WRITERS = "muntin.explain.forms"  # imported when something is explained: it needs the compiler


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
    text: str = import_module(_WRITERS).written([array._node for array in arrays], what)
    return Explanation(what, text)
