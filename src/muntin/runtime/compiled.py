"""One kernel of the CPU device, from its graph to its machine code."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from muntin.core.emit.llvm import ENTRY, LlvmOptions, emit_llvm
from muntin.core.lower.rows import Lowered, lower_rows
from muntin.core.plan.kernel import KernelGraph
from muntin.core.plan.stages import Stages, form_stages
from muntin.core.regions import Box
from muntin.runtime.bind import Binding, Limits, bind
from muntin.runtime.cache import LRU
from muntin.runtime.cpu import NativeModule, compile_ir, target_facts

__all__ = ["CompiledKernel"]

_BINDINGS = 64  # sizes and strides remembered for each kernel


class CompiledKernel:
    """A kernel: its graph, stages, program and machine code, each made when first needed."""

    def __init__(self, graph: KernelGraph) -> None:
        self.graph = graph
        self._bindings: LRU[Any, Binding] = LRU(_BINDINGS)

    @cached_property
    def stages(self) -> Stages:
        """What is inlined, rolled and stored."""
        return form_stages(self.graph)

    @cached_property
    def lowered(self) -> Lowered:
        """The program and the memory that it needs."""
        return lower_rows(self.graph, self.stages)

    @property
    def llvm(self) -> str:
        """The LLVM IR before optimisation."""
        return emit_llvm(self.lowered.program, LlvmOptions(target_facts().vector_bits))

    @cached_property
    def module(self) -> NativeModule:
        """The machine code, compiled or loaded at the first use."""
        return compile_ir(lambda: self.llvm, repr(self.graph.key))

    @cached_property
    def entry(self) -> int:
        """The address of the machine code."""
        return self.module.address(ENTRY)

    def binding(
        self,
        shape: tuple[int, ...],
        box: Box,
        operands: tuple[tuple[int, ...], ...],
        outputs: tuple[tuple[int, ...], ...],
        in_place: tuple[bool, ...],
        limits: Limits,
    ) -> Binding:
        """Return the slots and windows for some sizes and strides: see `bind`."""
        key = (shape, box, operands, outputs, in_place, limits)
        return self._bindings.get_or_make(key, lambda: bind(self.lowered, self.graph.domain, *key))

    @cached_property
    def operand_is_offset(self) -> tuple[bool, ...]:
        """Whether each operand is read elsewhere than at the element that is written."""
        offset = [False] * len(self.graph.operands)
        for stage in self.stages.stages:
            ahead = stage.lead or stage.start or stage.left or stage.right
            if stage.is_load and (ahead or any(stage.outer)):
                offset[stage.node.payload] = True
        return tuple(offset)
