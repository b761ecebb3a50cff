"""LLVM: text becomes machine code for this very CPU, and is kept; the only home of llvmlite."""

from __future__ import annotations

import itertools
import os
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

from muntin.config import settings
from muntin.errors import CompileError, InternalError
from muntin.runtime.cache import KernelCache, kernel_cache, source_digest
from muntin.runtime.signals import undisturbed

__all__ = ["NativeModule", "TargetFacts", "assembly", "compile_ir", "optimised_ir", "target_facts"]

_L1, _L2 = 32 << 10, 512 << 10  # where the system does not tell
_LENGTHS = struct.Struct("<II")
_REPORT = "this is a fault of muntin, please report it with the expression"


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """What generated code may rely on.

    Attributes
    ----------
    triple, cpu, features : str
        As LLVM spells them.
    l1, l2 : int
        Bytes of the first two data caches of one core.
    vector_bits : int
        Width of the vectors to aim at: 128, 256 or 512, the setting being the upper limit.
    converts_halves : bool
        Whether there are instructions between float16 and float32: else LLVM calls functions that
        no process need have.
    llvm : str
        Version of llvmlite and of LLVM.
    """

    triple: str
    cpu: str
    features: str
    l1: int
    l2: int
    vector_bits: int
    converts_halves: bool
    llvm: str

    @property
    def holds_tables(self) -> bool:
        """Whether bytes are looked up in tables of 256 that stay in vector registers."""
        return self.vector_bits >= 512 and "+avx512vbmi," in f"{self.features},"


def target_facts() -> TargetFacts:
    """Return the facts about this machine under the current settings."""
    return _facts(settings().prefer_vector_width)


@cache
def _facts(widest: int) -> TargetFacts:
    features = _host_features()
    l1, l2 = _cache_sizes()
    triple = llvm.get_process_triple()
    return TargetFacts(
        triple=triple,
        cpu=llvm.get_host_cpu_name(),
        features=",".join(f"{'+' if has else '-'}{name}" for name, has in sorted(features.items())),
        l1=l1,
        l2=l2,
        vector_bits=min(widest, _vector_bits(features)),
        converts_halves=bool(features.get("f16c")) or triple.startswith(("aarch64", "arm64")),
        llvm=f"{llvmlite.__version__}/{'.'.join(map(str, llvm.llvm_version_info))}",
    )


def _host_features() -> Mapping[str, bool]:
    try:
        return dict(llvm.get_host_cpu_features())
    except RuntimeError:  # LLVM cannot ask this operating system: the CPU's name must do
        return {}


def _vector_bits(features: Mapping[str, bool]) -> int:
    if features.get("avx512f") and features.get("avx512bw"):
        return 512
    return 256 if features.get("avx2") else 128


def _cache_sizes(root: Path = Path("/sys/devices/system/cpu")) -> tuple[int, int]:
    """Return the sizes of the first and second data cache, from sysfs or else from the C library.

    Of unlike cores, the first that this process may use stands for all.
    """
    cpu = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    sizes = {}
    for index in (root / f"cpu{cpu}" / "cache").glob("index*"):
        try:
            level, kind, size = ((index / name).read_text() for name in ("level", "type", "size"))
            if kind.strip() != "Instruction":
                sizes[int(level)] = int(size.strip().removesuffix("K")) << 10
        except (OSError, ValueError):
            continue
    return (
        sizes.get(1) or _configured("SC_LEVEL1_DCACHE_SIZE") or _L1,
        sizes.get(2) or _configured("SC_LEVEL2_CACHE_SIZE") or _L2,
    )


def _configured(name: str) -> int:
    known = getattr(os, "sysconf_names", {})
    return max(os.sysconf(name), 0) if name in known else 0


class NativeModule:
    """Machine code in memory, for as long as this object lives.

    Attributes
    ----------
    names : tuple of str
        The functions that the text defines for others.
    nbytes : int
        Size of the object file.
    notes : str
        What was kept with the code.
    from_disk : bool
        Whether it was read from the kernel cache, not compiled.
    """

    def __init__(
        self, names: Sequence[str], image: bytes, notes: str = "", *, from_disk: bool
    ) -> None:
        self.names = tuple(names)
        self.notes = notes
        self.nbytes = len(image)
        self.from_disk = from_disk
        self._library = _link(self.names, image)

    def address(self, name: str) -> int:
        """Return the address of a function.

        Raises
        ------
        InternalError
            If the module has no function of that name.
        """
        if name not in self.names:
            raise InternalError(
                f"native module: no function {name!r} among {', '.join(self.names)}; {_REPORT}"
            )
        return int(self._library[name])

    def __repr__(self) -> str:
        return f"NativeModule({', '.join(self.names)}; {self.nbytes} bytes)"


def compile_ir(
    text: str | Callable[[], str],
    key: str | None = None,
    cache: KernelCache | None = None,
    notes: Callable[[], str] | None = None,
) -> NativeModule:
    """Compile LLVM IR for this CPU, or load what it became the last time.

    Parameters
    ----------
    text : str or callable
        The IR, or what makes it: not called if the kernel is found on disk.
    key : str, optional
        What the code depends on, but for target, settings and muntin's own sources, which are
        added here. Without a key nothing is read from disk or kept there.
    cache : KernelCache, optional
        Where to look and keep; the one of the settings by default.
    notes : callable, optional
        Gives what the caller wants kept with the code, as `NativeModule.notes`; not called if the
        kernel is found on disk.

    Raises
    ------
    InternalError
        If LLVM does not accept the text.
    CompileError
        If no code can be made of it, or if it calls functions that this process does not have.
    """
    written = "" if notes is None else notes
    if key is None:
        return NativeModule(*_build(_text(text)), _text(written), from_disk=False)
    store = kernel_cache() if cache is None else cache
    full_key = _full_key(key)
    payload = store.get(full_key)
    if payload is not None:
        return NativeModule(*_unpack(payload), from_disk=True)
    names, image = _build(_text(text))
    kept = _text(written)
    store.put(full_key, _pack(names, kept, image))
    return NativeModule(names, image, kept, from_disk=False)


@undisturbed
def optimised_ir(text: str) -> str:
    """Return the IR after LLVM's passes, as `compile_ir` runs them."""
    with _machine() as machine, _optimised(text, machine) as module:
        return str(module)


@undisturbed
def assembly(text: str) -> str:
    """Return the assembly that `compile_ir` makes of the IR."""
    with _machine() as machine, _optimised(text, machine) as module:
        return str(machine.emit_assembly(module))


def _full_key(key: str) -> str:
    # Cache sizes tell how work is cut, not what it becomes: unlike cores share their kernels.
    facts = replace(target_facts(), l1=0, l2=0)
    parts = ("cpu", facts, settings().opt_level, source_digest(), key)
    return "\n".join(map(str, parts))


def _text(text: str | Callable[[], str]) -> str:
    return text if isinstance(text, str) else text()


def _pack(names: Sequence[str], notes: str, image: bytes) -> bytes:
    listed, noted = "\n".join(names).encode(), notes.encode()
    return _LENGTHS.pack(len(listed), len(noted)) + listed + noted + image


def _unpack(payload: bytes) -> tuple[list[str], bytes, str]:
    listed, noted = _LENGTHS.unpack_from(payload)
    start = _LENGTHS.size
    middle, end = start + listed, start + listed + noted
    names = payload[start:middle].decode().split("\n")
    return names, payload[end:], payload[middle:end].decode()


# Every call of llvmlite holds its one lock, and each compilation has an LLVM context of its own: so
# threads need no lock of ours, and loading waits for a single pass run of another thread at most.
# What one object of LLVM refers to must outlive it, and a garbage collection knows no order: so all
# are closed here, also when an exception's traceback would keep them, and no signal comes between.


@undisturbed
def _build(text: str) -> tuple[list[str], bytes]:
    with _machine() as machine, _optimised(text, machine) as module:
        names = [
            function.name
            for function in module.functions
            if not function.is_declaration and function.linkage == llvm.Linkage.external
        ]
        try:
            return names, machine.emit_object(module)
        except RuntimeError as error:
            raise CompileError(
                f"compile: LLVM made no machine code of {', '.join(names)} for {machine.triple}: "
                f"{error}; try MUNTIN_OPT_LEVEL=0, and report it"
            ) from error


@contextmanager
def _optimised(text: str, machine: Any) -> Iterator[Any]:
    with (
        llvm.create_context() as context,
        _parse(text, context) as module,
        _tuning(settings().opt_level) as tuning,
        llvm.create_pass_builder(machine, tuning) as builder,
        _passes(builder) as passes,
    ):
        _verify(text, module)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        passes.run(module, builder)
        yield module


@contextmanager
def _passes(builder: Any) -> Iterator[Any]:
    passes = builder.getModulePassManager()
    try:
        yield passes
    finally:
        # the class's own `close` leaves all the memory: its `_dispose` hides that of the mixin
        NewPassManager._dispose(passes)
        passes.detach()


def _parse(text: str, context: Any) -> Any:
    try:
        return llvm.parse_assembly(text, context)
    except RuntimeError as error:
        raise InternalError(_fault(text, str(error))) from error


def _verify(text: str, module: Any) -> None:
    try:
        module.verify()
    except RuntimeError as error:
        raise InternalError(_fault(text, str(error))) from error


def _tuning(level: int) -> Any:
    tuning = llvm.create_pipeline_tuning_options(speed_level=level)
    tuning.loop_vectorization = tuning.slp_vectorization = level >= 2
    tuning.loop_interleaving = tuning.loop_unrolling = level >= 1
    return tuning


def _fault(text: str, message: str) -> str:
    """Return the words for a fault that LLVM found in the text, with the line that has it."""
    lines = text.splitlines()
    located = re.search(r"<string>:(\d+):\d+: error: (.*)", message)
    if located:
        number, reason = int(located[1]), located[2]
    else:  # the verifier quotes an instruction after its reason
        reason, *quoted = message.splitlines()
        wanted = {"".join(quote.split()) for quote in quoted}
        number = next((i for i, line in enumerate(lines, 1) if "".join(line.split()) in wanted), 0)
    shown = f"line {number}, `{lines[number - 1].strip()}`" if 0 < number <= len(lines) else message
    return f"compile: LLVM does not accept the generated IR: {reason.strip()}: {shown}; {_REPORT}"


# One slab for code and constants is what the linker of these platforms gives: there addresses may
# be relative and short. Elsewhere they must be able to reach anywhere.
_HAS_SLABS = sys.platform in ("linux", "darwin")


def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    facts = target_facts()
    places = {"reloc": "pic", "codemodel": "small"} if _HAS_SLABS else {}
    return llvm.Target.from_triple(facts.triple).create_target_machine(
        cpu=facts.cpu, features=facts.features, opt=settings().opt_level, jit=True, **places
    )


_linkers: list[Any] = []  # all there ever were: a linker must outlive what it has linked


@cache
def _linker() -> Any:
    with _machine() as machine:
        linker = llvm.create_lljit_compiler(machine, use_jit_link=_HAS_SLABS, suppress_errors=True)
    _linkers.append(linker)
    return linker


_numbers = itertools.count()


def _link(names: Sequence[str], image: bytes) -> Any:
    library = llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
    for name in names:
        library.export_symbol(name)
    try:
        return library.link(_linker(), f"muntin{next(_numbers)}")
    except RuntimeError as error:
        raise CompileError(
            f"load: the machine code of {', '.join(names)} cannot be linked: {error}; a function "
            "that it calls is missing from this process; clear the kernel cache, and report it"
        ) from error


# A thread that holds llvmlite's lock while another forks would leave it locked in the child.
_llvm_lock = getattr(llvm.ffi.lib, "_lock", None)

if _llvm_lock is not None and hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_llvm_lock.__enter__,
        after_in_parent=_llvm_lock.__exit__,
        after_in_child=_llvm_lock.__exit__,
    )
