"""One kernel of the CPU device, from its graph to its machine code."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from muntin.core.plan.facts import ENTRY, KernelFacts
from muntin.core.plan.kernel import KernelGraph
from muntin.core.regions import Box
from muntin.errors import InternalError
from muntin.runtime.bind import Binding, Limits, bind
from muntin.runtime.cpu import NativeModule, compile_ir, target_facts
from muntin.runtime.lru import LRU

if TYPE_CHECKING:
    from muntin.core.lower.rows import Lowered
    from muntin.core.plan.stages import Stages
    from muntin.core.program import Program

__all__ = ["CompiledKernel", "CompiledProgram"]

_COMPILER = "muntin.runtime.compiler"  # not imported where machine code is found on disk
_LOOPS = "muntin.core.lower.loops"  # imported for programs alone
_BINDINGS = 64  # sizes and strides remembered for each kernel
_PARTS = 4  # stages, lowered, module, facts


class CompiledKernel:
    """A kernel: its graph, stages, program and machine code, each made when first needed.

    Each is made once, also where threads ask at the same time: code that a second one replaced
    would vanish while it runs.
    """

    def __init__(self, graph: KernelGraph) -> None:
        self.graph = graph
        self._parts: LRU[str, Any] = LRU(_PARTS)
        self._bindings: LRU[Any, Binding] = LRU(_BINDINGS)
        self._entry: int | None = None

    @property
    def stages(self) -> Stages:
        """What is inlined, rolled and stored."""
        stages: Stages = self._parts.get_or_make(
            "stages", lambda: import_module(_COMPILER).form_stages(self.graph)
        )
        return stages

    @property
    def lowered(self) -> Lowered:
        """The program, the order of its slots, and what a caller must know."""
        lowered: Lowered = self._parts.get_or_make(
            "lowered", lambda: import_module(_COMPILER).lower_rows(self.graph, self.stages)
        )
        return lowered

    @property
    def program(self) -> Program:
        """What the machine code is made of."""
        return self.lowered.program

    @property
    def notes(self) -> str:
        """What is kept with the machine code."""
        return self.lowered.facts.encoded()

    @property
    def llvm(self) -> str:
        """The LLVM IR before optimisation."""
        text: str = import_module(_COMPILER).llvm_text(self.program)
        return text

    @property
    def module(self) -> NativeModule:
        """The machine code, compiled or loaded at the first use."""
        module: NativeModule = self._parts.get_or_make("module", self._compiled)
        return module

    def _compiled(self) -> NativeModule:
        return compile_ir(lambda: self.llvm, repr(self.graph.key), notes=lambda: self.notes)

    @property
    def facts(self) -> KernelFacts:
        """What a caller must know, kept with the machine code."""
        facts: KernelFacts = self._parts.get_or_make(
            "facts", lambda: KernelFacts.decoded(self.module.notes)
        )
        return facts

    @property
    def entry(self) -> int:
        """The address of the machine code."""
        entry = self._entry
        if entry is None:
            entry = self._entry = self.module.address(ENTRY)
        return entry

    def binding(
        self,
        shape: tuple[int, ...],
        box: Box,
        operands: tuple[tuple[int, ...], ...],
        outputs: tuple[tuple[int, ...], ...],
        in_place: tuple[bool, ...],
        limits: Limits,
        indexed: tuple[int, ...] = (),
    ) -> Binding:
        """Return the slots and windows for some sizes and strides: see `bind`."""
        key = (shape, box, operands, outputs, in_place, limits)
        return self._bindings.get_or_make(
            (*key, indexed),
            lambda: bind(self.facts, self.graph.domain, *key, shared_code, indexed),
        )


class CompiledProgram(CompiledKernel):
    """A kernel whose loops were written by hand."""

    @property
    def program(self) -> Program:
        """What the machine code is made of."""
        call = self.graph.outputs[0].payload
        program: Program = self._parts.get_or_make(
            "program",
            lambda: import_module(_LOOPS).lower_loops(
                call.definition,
                checked=call.checked,
                converts_halves=target_facts().converts_halves,
            ),
        )
        return program

    @property
    def notes(self) -> str:
        """Nothing: its definition tells all."""
        return ""

    @property
    def facts(self) -> KernelFacts:
        """None: it has no rows, and its call says what it takes."""
        raise InternalError("compiled: loops written by hand have no facts; ask their call")


_shared: LRU[str, NativeModule] = LRU(1 << 30)  # all: bindings hold their addresses


def shared_code(name: str) -> int:
    """Return the address of a function that kernels share, compiled or loaded at the first use."""
    module = _shared.get_or_make(
        name,
        lambda: compile_ir(lambda: import_module(_COMPILER).shared_text(name), f"shared {name}"),
    )
    return module.address(name)
