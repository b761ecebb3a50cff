"""Text becomes code for this CPU, wide vectors and all, and comes back from disk."""

import ctypes
import gc
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from muntin.config import settings_override
from muntin.errors import CompileError, InternalError
from muntin.runtime import cpu as cpu_module
from muntin.runtime.cache import KernelCache
from muntin.runtime.cpu import assembly, compile_ir, optimised_ir, target_facts
from tests.runtime.kernels import SIGNATURE

SQUARE = """
define i64 @square(i64 %x) {
  %y = mul i64 %x, %x
  ret i64 %y
}
define internal void @hidden() {
  ret void
}
declare void @elsewhere()
"""

# Adds 7 to rows of bytes, never past 255. Args: from, to, row stride in bytes.
BRIGHTEN = f"""
declare i8 @llvm.uadd.sat.i8(i8, i8)

define internal void @row(ptr noalias %from, ptr noalias %to, i64 %x0, i64 %x1) #0 {{
entry:
  br label %head
head:
  %x = phi i64 [%x0, %entry], [%x.next, %body]
  %more = icmp slt i64 %x, %x1
  br i1 %more, label %body, label %exit
body:
  %from.x = getelementptr i8, ptr %from, i64 %x
  %value = load i8, ptr %from.x
  %sum = call i8 @llvm.uadd.sat.i8(i8 %value, i8 7)
  %to.x = getelementptr i8, ptr %to, i64 %x
  store i8 %sum, ptr %to.x
  %x.next = add i64 %x, 1
  br label %head
exit:
  ret void
}}

define void @brighten{SIGNATURE} #0 {{
entry:
  %from = load ptr, ptr %args
  %a1 = getelementptr i64, ptr %args, i64 1
  %to = load ptr, ptr %a1
  %a2 = getelementptr i64, ptr %args, i64 2
  %stride = load i64, ptr %a2
  br label %head
head:
  %y = phi i64 [%y0, %entry], [%y.next, %body]
  %more = icmp slt i64 %y, %y1
  br i1 %more, label %body, label %exit
body:
  %offset = mul i64 %y, %stride
  %from.y = getelementptr i8, ptr %from, i64 %offset
  %to.y = getelementptr i8, ptr %to, i64 %offset
  call void @row(ptr %from.y, ptr %to.y, i64 %x0, i64 %x1)
  %y.next = add i64 %y, 1
  br label %head
exit:
  ret void
}}
attributes #0 = {{ nounwind "prefer-vector-width"="WIDTH" }}
"""

MULTIPLY_ADD = """
define void @multiply_add(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %a.i = getelementptr float, ptr %a, i64 %i
  %b.i = getelementptr float, ptr %b, i64 %i
  %x = load float, ptr %a.i
  %y = load float, ptr %b.i
  %product = fmul float %x, %y
  %sum = fadd float %product, %x
  store float %sum, ptr %b.i
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

has_512 = pytest.mark.skipif(target_facts().vector_bits < 512, reason="the CPU lacks AVX-512")


@pytest.fixture
def cache(tmp_path):
    return KernelCache(tmp_path / "muntin", 1 << 24)


def square(module: object, number: int) -> int:
    address = module.address("square")  # type: ignore[attr-defined]
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(number)


def never() -> str:
    raise AssertionError("the text was asked for")


def test_code_runs():
    module = compile_ir(SQUARE)
    assert square(module, 12) == 144
    assert module.names == ("square",)
    assert not module.from_disk
    assert module.nbytes > 100
    assert repr(module) == f"NativeModule(square; {module.nbytes} bytes)"


def test_a_kernel_computes_its_box():
    source = np.arange(40 * 100, dtype=np.uint8).reshape(40, 100)
    result = np.zeros_like(source)
    module = compile_ir(BRIGHTEN.replace("WIDTH", "512"))
    types = (ctypes.c_void_p, *(ctypes.c_int64,) * 6, ctypes.c_void_p)
    kernel = ctypes.CFUNCTYPE(None, *types)(module.address("brighten"))
    args = np.array([source.ctypes.data, result.ctypes.data, 100], np.int64)
    kernel(args.ctypes.data, 0, 1, 3, 17, 5, 99, None)
    expected = np.zeros_like(source)
    expected[3:17, 5:99] = np.minimum(source[3:17, 5:99].astype(int) + 7, 255)
    np.testing.assert_array_equal(result, expected)


@has_512
def test_vectors_are_as_wide_as_the_emitter_prefers():
    wide = assembly(BRIGHTEN.replace("WIDTH", "512"))
    narrow = assembly(BRIGHTEN.replace("WIDTH", "256"))
    assert "vpaddusb" in wide
    assert "zmm" in wide
    assert "ymm" in narrow
    assert "zmm" not in narrow
    assert "<64 x i8>" in optimised_ir(BRIGHTEN.replace("WIDTH", "512"))
    assert "<32 x i8>" in optimised_ir(BRIGHTEN.replace("WIDTH", "256"))


def test_loops_become_vectors_and_constant_ends_vanish():
    text = optimised_ir(BRIGHTEN.replace("WIDTH", str(target_facts().vector_bits)))
    assert f"<{target_facts().vector_bits // 8} x i8> @llvm.uadd.sat" in text


def test_multiplication_and_addition_stay_two_roundings():
    text = assembly(MULTIPLY_ADD)
    assert "fmadd" not in text
    assert "fmla" not in text


def test_the_optimisation_level_is_a_setting():
    with settings_override(opt_level=0):
        assert "<16 x i8>" not in optimised_ir(BRIGHTEN.replace("WIDTH", "128"))
        assert square(compile_ir(SQUARE), 3) == 9


def test_the_second_time_comes_from_disk_without_a_text(cache):
    first = compile_ir(lambda: SQUARE, "key", cache)
    second = compile_ir(never, "key", cache)
    assert (first.from_disk, second.from_disk) == (False, True)
    assert square(second, 7) == 49
    assert second.names == first.names
    assert second.nbytes == first.nbytes
    assert (cache.stats().hits, cache.stats().entries) == (1, 1)


def test_without_a_key_nothing_is_kept(tmp_path):
    with settings_override(cache_dir=tmp_path / "muntin"):
        compile_ir(SQUARE)
        assert not (tmp_path / "muntin").exists()
        compile_ir(SQUARE, "key")
        assert compile_ir(never, "key").from_disk


def test_a_damaged_kernel_is_compiled_again(cache):
    compile_ir(SQUARE, "key", cache)
    (path,) = (cache.folder / "kernels").iterdir()
    path.write_bytes(path.read_bytes()[:-10] + bytes(10))
    again = compile_ir(SQUARE, "key", cache)
    assert not again.from_disk
    assert square(again, 5) == 25
    assert compile_ir(never, "key", cache).from_disk


@pytest.mark.parametrize("change", [{"opt_level": 1}, {"prefer_vector_width": 128}])
def test_what_settings_change_is_kept_apart(cache, change):
    if change == {"prefer_vector_width": 128} and target_facts().vector_bits == 128:
        pytest.skip("the CPU has no wider vectors")
    compile_ir(SQUARE, "key", cache)
    with settings_override(**change):
        assert not compile_ir(SQUARE, "key", cache).from_disk
    assert cache.stats().entries == 2


def test_cores_with_other_caches_share_kernels(cache, monkeypatch):
    compile_ir(SQUARE, "key", cache)
    other = replace(target_facts(), l1=target_facts().l1 * 2, l2=target_facts().l2 * 2)
    monkeypatch.setattr(cpu_module, "target_facts", lambda: other)
    assert compile_ir(never, "key", cache).from_disk


def test_the_compilers_sources_are_part_of_the_key(cache, monkeypatch):
    compile_ir(SQUARE, "key", cache)
    monkeypatch.setattr(cpu_module, "source_digest", lambda: "edited")
    assert not compile_ir(SQUARE, "key", cache).from_disk


UNDOMINATED = """
define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1,2
  br label %b
b:
  ret i32 %x
}
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rubbish", "expected top-level entity: line 1, `rubbish`"),
        (
            "define i32 @f() {\n  ret i64 0\n}",
            "value doesn't match function result type 'i32': line 2, `ret i64 0`",
        ),
        (UNDOMINATED, "Instruction does not dominate all uses!: line 5, `%x = add i32 1,2`"),
    ],
)
@pytest.mark.parametrize("use", [compile_ir, assembly, optimised_ir])
def test_text_that_llvm_does_not_accept(use, text, words):
    with pytest.raises(InternalError) as raised:
        use(text)
    assert words in str(raised.value)
    assert str(raised.value).endswith("please report it with the expression")


def test_a_fault_that_quotes_no_line_is_shown_whole():
    assert "odd words: odd words;" in cpu_module._fault("a\nb", "odd words")


def test_a_function_that_is_nowhere(cache):
    text = "declare void @nowhere()\ndefine void @f() {\n  call void @nowhere()\n  ret void\n}"
    with pytest.raises(
        CompileError, match=r"load: the machine code of f cannot be linked: .*repor"
    ):
        compile_ir(text, "key", cache)
    assert square(compile_ir(SQUARE), 2) == 4


def test_no_machine_code(monkeypatch):
    machine_type = type(cpu_module._machine())

    def emit(self: object, module: object) -> bytes:
        raise RuntimeError("cannot select")

    monkeypatch.setattr(machine_type, "emit_object", emit)
    with pytest.raises(CompileError, match=r"no machine code of square for .*: cannot select; try"):
        compile_ir(SQUARE)


def test_objects_of_llvm_die_in_order_whatever_is_raised():
    faults = []
    for _ in range(20):
        for text in ("rubbish", SQUARE.replace("ret i64 %y", "ret i64 %z\n  %z = add i64 1, 1")):
            try:
                compile_ir(text)
            except InternalError as error:
                faults.append([error])
                faults[-1].append(faults[-1])  # a cycle, for the collector alone
    assert len(faults) == 40
    del faults
    gc.collect()
    assert square(compile_ir(SQUARE), 3) == 9


def test_a_name_that_the_module_lacks():
    with pytest.raises(InternalError, match="no function 'hidden' among square; this is a fault"):
        compile_ir(SQUARE).address("hidden")


def test_functions_of_the_c_library_are_found():
    text = (
        "declare i64 @strlen(ptr)\n"
        "define i64 @length(ptr %s) {\n  %n = call i64 @strlen(ptr %s)\n  ret i64 %n\n}"
    )
    module = compile_ir(text)
    length = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p)(module.address("length"))
    assert length(b"muntin") == 6


def test_many_modules_live_beside_each_other_and_die():
    modules = [compile_ir(f"define i64 @f() {{\n  ret i64 {number}\n}}") for number in range(20)]
    call = ctypes.CFUNCTYPE(ctypes.c_int64)
    assert [call(module.address("f"))() for module in modules] == list(range(20))
    del modules[::2]
    gc.collect()
    assert [call(module.address("f"))() for module in modules] == list(range(1, 20, 2))


def test_threads_compile_and_load_at_once(cache):
    def work(number: int) -> int:
        text = SQUARE.replace("mul i64 %x, %x", f"add i64 %x, {number}")
        return square(compile_ir(text, f"key {number % 3}" if number % 2 else None, cache), 1)

    with ThreadPoolExecutor(8) as executor:
        results = list(executor.map(work, range(24)))
    assert results[::2] == [number + 1 for number in range(0, 24, 2)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")
def test_a_child_compiles_while_its_parent_does():
    stop = threading.Event()

    def compile_on() -> None:
        while not stop.is_set():
            compile_ir(BRIGHTEN.replace("WIDTH", "256"))

    thread = threading.Thread(target=compile_on)
    thread.start()
    try:
        for _ in range(5):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = 0 if square(compile_ir(SQUARE), 6) == 36 else 2
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


def test_facts():
    facts = target_facts()
    assert facts.triple
    assert facts.cpu
    assert facts.llvm.count("/") == 1
    assert facts.vector_bits in (128, 256, 512)
    assert 4 << 10 <= facts.l1 <= facts.l2
    assert target_facts() is facts


def test_the_setting_bounds_the_vectors():
    with settings_override(prefer_vector_width=128):
        assert target_facts().vector_bits == 128


@pytest.mark.parametrize(
    ("features", "bits"),
    [
        ({}, 128),
        ({"avx2": True}, 256),
        ({"avx2": True, "avx512f": True}, 256),
        ({"avx2": True, "avx512f": True, "avx512bw": True}, 512),
        ({"neon": True}, 128),
    ],
)
def test_vectors_by_features(features, bits):
    assert cpu_module._vector_bits(features) == bits


def test_a_system_that_tells_no_features(monkeypatch):
    def unknown() -> None:
        raise RuntimeError("not implemented")

    monkeypatch.setattr(cpu_module.llvm, "get_host_cpu_features", unknown)
    assert cpu_module._host_features() == {}


def test_cache_sizes_come_from_sysfs(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {7, 9}, raising=False)
    for index, (level, kind, size) in enumerate(
        [("1", "Data", "48K"), ("1", "Instruction", "64K"), ("2", "Unified", "2048K")]
    ):
        folder = tmp_path / "cpu7" / "cache" / f"index{index}"
        folder.mkdir(parents=True)
        for name, text in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(text + "\n")
    (tmp_path / "cpu7" / "cache" / "index9").mkdir()
    assert cpu_module._cache_sizes(tmp_path) == (48 << 10, 2048 << 10)


def test_cache_sizes_without_sysfs(tmp_path, monkeypatch):
    names = {"SC_LEVEL1_DCACHE_SIZE": 1, "SC_LEVEL2_CACHE_SIZE": 2}
    sizes = {"SC_LEVEL1_DCACHE_SIZE": 64 << 10, "SC_LEVEL2_CACHE_SIZE": 0}
    monkeypatch.setattr(os, "sysconf_names", names, raising=False)
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
    assert cpu_module._cache_sizes(tmp_path) == (64 << 10, 512 << 10)
    monkeypatch.setattr(os, "sysconf_names", {}, raising=False)
    assert cpu_module._cache_sizes(tmp_path) == (32 << 10, 512 << 10)
