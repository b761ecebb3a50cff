"""The passes from a kernel's graph to LLVM IR, in one place for whoever compiles one."""

from __future__ import annotations

from muntin.core.emit.llvm import LlvmOptions, emit_llvm, emit_llvm_function
from muntin.core.lower.joining import join_function
from muntin.core.lower.packing import shared_function
from muntin.core.lower.rows import lower_rows
from muntin.core.plan import stages
from muntin.core.plan.kernel import KernelGraph
from muntin.core.program import Program
from muntin.runtime.cpu import target_facts

__all__ = ["form_stages", "llvm_text", "lower_rows", "shared_text"]


def form_stages(kernel: KernelGraph) -> stages.Stages:
    """Return the stages of a kernel on this machine."""
    return stages.form_stages(kernel, converts_halves=target_facts().converts_halves)


def llvm_text(program: Program) -> str:
    """Return the LLVM IR of a program for this machine."""
    return emit_llvm(program, _options())


def shared_text(name: str) -> str:
    """Return the LLVM IR of a function that is the same for all: it packs rows, or joins parts."""
    function = join_function(name) if name.startswith("join_") else shared_function(name)
    return emit_llvm_function(function, _options())


def _options() -> LlvmOptions:
    facts = target_facts()
    return LlvmOptions(facts.vector_bits, facts.holds_tables)
