"""`explain`: each form says what is true of the plan."""

import re
import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.errors import DeviceError, ParameterError, UnsupportedError
from muntin.explain import Explanation, explain
from muntin.explain.explanation import FORMS
from muntin.explain.plan_text import plan_text
from muntin.explain.survey import survey
from muntin.runtime.native import NativeDevice


@pytest.fixture
def image() -> mt.Array:
    return mt.asarray(np.zeros((480, 640), np.uint8))


def edges(image: mt.Array) -> mt.Array:
    return vx.magnitude(*vx.sobel3x3(vx.gaussian3x3(image))) > 80


# --- the survey -----------------------------------------------------------------------------------


def test_the_survey_of_a_stencil_chain(image: mt.Array) -> None:
    found = survey([edges(image)._node])
    (kernel,) = found.kernels
    assert (found.bytes_read, found.bytes_written) == (480 * 640, 480 * 640)
    assert (kernel.shape, kernel.extent) == ((480, 640), (1, 480, 640))
    assert [array.origin for array in kernel.reads] == ["array 0"]
    assert [array.origin for array in kernel.writes] == ["result 0"]
    assert kernel.numbers == (80,)
    assert found.stage_count == len(kernel.loops) == len(kernel.compiled.stages.groups)
    made = [target for loop in kernel.loops for target in loop.targets]
    computed = [row.name for row in kernel.rows if not row.stage.is_load]
    assert sorted(made) == sorted([*computed, "out0"])
    reads = {read.name for loop in kernel.loops for read in loop.reads}
    assert reads == {row.name for row in kernel.rows}
    assert kernel.scratch > 640
    assert all(loop.count == sum(dict(loop.work).values()) for loop in kernel.loops)


def test_pieces_cover_the_window(image: mt.Array) -> None:
    with mt.use(threads=2):
        (kernel,) = survey([edges(image)._node]).kernels
    assert (kernel.threads, kernel.pieces) == (2, -(-480 // kernel.grain[1]))
    with mt.use(threads=1):
        (kernel,) = survey([edges(image)._node]).kernels
    assert (kernel.threads, kernel.pieces) == (1, 1)


def test_offsets_of_reads(image: mt.Array) -> None:
    (kernel,) = survey([(image.at(-2, 0) + image.at(1, 3))._node]).kernels
    (loop,) = kernel.loops
    assert [str(read) for read in loop.reads] == ["r0[-2…+1, 0…+3]"]
    volume = mt.asarray(np.zeros((4, 5, 6)), axes="zyx")
    (kernel,) = survey([volume.at(-1, 0, 2)._node]).kernels
    assert [row.holds for row in kernel.rows] == ["rows of in0, z -1"]
    (kernel,) = survey([(image.at(-1, 2))._node]).kernels
    assert [str(read) for read in kernel.loops[0].reads] == ["r0[-1, +2]"]


def test_stored_results_and_views(image: mt.Array) -> None:
    kept = vx.gaussian3x3(image).keep()
    found = survey([vx.box(kept)._node, kept._node, image[::2, 5:9]._node])
    first, second = found.kernels
    assert first.writes[0].origin == "result 1, stored for kernel 1"
    assert second.reads[0].origin == "out0 of kernel 0"
    colour = mt.asarray(np.zeros((40, 50, 3), np.uint8))
    (kernel,) = survey([(colour[..., 0] + colour[..., 2])._node]).kernels
    assert [(array.origin, array.how) for array in kernel.reads] == [
        ("array 0", "axes [0, 1, 2: at 0], rows are packed"),
        ("array 0", "axes [0, 1, 2: at 2], rows are packed"),
    ]
    assert kernel.reads[0].source.shape == (40, 50, 3)
    assert kernel.bytes_read == 2 * 40 * 50


def test_plans_that_share_a_kernel_keep_their_names_apart(
    image: mt.Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = NativeDevice()  # whose cache holds no plan that outlived its kernel
    monkeypatch.setattr(sys.modules[survey.__module__], "find_device", lambda name: device)
    other = mt.asarray(np.zeros((480, 640), np.uint8))
    twice = survey([(image.at(1, 0) * 2)._node, (other + 7)._node])
    once = survey([(image + 9)._node])
    assert twice.kernels[1].compiled is once.kernels[0].compiled
    assert twice.kernels[1].reads[0].origin == "array 1"
    assert twice.kernels[1].writes[0].origin == "result 1"
    assert once.kernels[0].reads[0].origin == "array 0"
    assert (twice.kernels[1].numbers, once.kernels[0].numbers) == ((7,), (9,))


def test_stretched_axes_are_read_once() -> None:
    a = mt.asarray(np.zeros((100, 200), np.float32))
    row = mt.asarray(np.zeros(200, np.float32))
    (kernel,) = survey([(a + row)._node]).kernels
    assert [array.nbytes for array in kernel.reads] == [80_000, 800]


def test_nothing_to_do(image: mt.Array) -> None:
    assert survey([image._node]).kernels == ()
    assert survey([]).kernels == ()
    empty = survey([(mt.asarray(np.zeros((0, 3))) + 1)._node])
    assert empty.bytes_written == 0


def test_surveys_compute_nothing(image: mt.Array) -> None:
    expression = edges(image)
    for what in FORMS:
        if what != "opencl":
            explain(expression, what=what)
    assert not expression.is_evaluated


# --- texts ----------------------------------------------------------------------------------------


def test_the_plan_in_words(image: mt.Array) -> None:
    with mt.use(threads=1):
        text = str(explain(vx.gaussian3x3(image)))
    lines = text.splitlines()
    assert lines[0] == "1 kernel; 300.0 KiB read, 300.0 KiB written"
    assert lines[2:5] == [
        "kernel 0",
        "  domain     480 rows × 640 columns",
        "  window     480 × 640 in one piece, 1 thread",
    ]
    assert "  reads      in0  uint8 (480, 640)  300.0 KiB  array 0" in lines
    assert "  writes     out0  uint8 (480, 640)  300.0 KiB  result 0" in lines
    assert re.search(r"rows of in0 +ring of \d+ rows +1 ahead +replicate", text)
    assert re.search(r"each step  r0 from r1\[-1…\+1, 0\]", text)
    assert re.search(r"scratch    [\d.]+ KiB for each thread", text)
    assert all(line == line.rstrip() for line in lines)


def test_plans_of_other_shapes() -> None:
    volume = mt.asarray(np.zeros((4, 30, 40, 3), np.uint8))
    text = str(explain(vx.box(volume)))
    assert "4 along n × 30 rows × 40 columns × 3 channels" in text
    text = str(explain(volume * 2 + 1))
    assert "4 × 30 × 40 × 3, pointwise" in text
    assert "numbers    s0 = 2, s1 = 1" in text
    assert "rows       r0  rows of in0" in text
    assert "out0 from r0: 2 operations" in text
    scalar = str(explain(mt.asarray(np.float32(3)) + 1))
    assert "a single element" in scalar
    assert "1 operation\n" in scalar
    assert explain(volume).text == "no kernel: everything is there already\n"


def test_folds_and_scans_are_work() -> None:
    image = mt.asarray(np.zeros((40, 50), np.uint8))
    along = mt.cumulative_sum(image, axis=1, dtype="uint32")
    both = str(mt.explain(mt.cumulative_max(along, axis=0), image.min(axis=0)))
    assert both.startswith("1 kernel;")
    for words in ("cast, scan by sum, scan by max", "fold by min"):
        assert words in both


def test_many_numbers_are_folded() -> None:
    x = mt.asarray(np.zeros(9))
    for number in range(40):
        x = x + number * 1_000_001
    lines = str(explain(x)).splitlines()
    assert max(map(len, lines)) <= 100
    assert any(line.startswith(" " * 13 + "s") for line in lines)


def test_the_graph_as_a_list() -> None:
    x = mt.asarray(np.zeros((6, 8), np.int16))
    y = (x[1:5, ::-2].at(0, -1, border=mt.constant(7)) + x[0, 0]).astype("uint8")
    lines = str(explain(y, what="graph")).splitlines()
    assert lines[0].split()[:2] == ["%0", "input(array)"]
    assert any("axes [0: 4 from 1 by 1, 1: 4 from 7 by -2]" in line for line in lines)
    assert any(re.search(r"neighbour\(%\d+, %\d+, \[0, -1\], constant\)", line) for line in lines)
    assert any("0: at 0, 1: at 0" in line and "new" in line for line in lines)
    assert lines[-1].endswith("result 0")
    stretched = mt.broadcast_to(mt.asarray(np.zeros((6, 1))), (6, 9)) + 0.5
    assert "1: stretched" in str(explain(stretched, what="graph"))


def test_programs_and_sources(image: mt.Array) -> None:
    expression = vx.gaussian3x3(image)
    program = str(explain(expression, what="program"))
    assert program.startswith("# kernel 0\n\nfunction rows0\n")
    assert "function entry" in program
    llvm = str(explain(expression, what="llvm"))
    written, optimised = llvm.split("; as optimised")
    assert "; as written" in written
    assert "define void @muntin_kernel(" in written
    assert " x i16>" in optimised
    assert " x i16>" not in written
    asm = str(explain(expression, what="asm"))
    assert "muntin_kernel:" in asm
    assert explain(image, what="asm").text == "# no kernel: everything is there already\n"


def test_opencl_sources(image: mt.Array) -> None:
    pytest.importorskip("muntin.runtime.opencl")
    text = str(explain(image * 3, image.T + 1, what="opencl"))
    assert text.count("__kernel void muntin_kernel(") == 2
    assert "// kernel 1\n" in text
    with pytest.raises(DeviceError, match=r'kernel 0 reads neighbours; OpenCL .*ask for what="llv'):
        explain(vx.box(image), what="opencl")


# --- the page -------------------------------------------------------------------------------------


def pictures(text: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(part) for part in re.findall(r"<svg.*?</svg>", text, re.S)]


def words(picture: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in picture.iter() if element.tag.endswith("text")]


def test_the_page_needs_nothing_else(image: mt.Array) -> None:
    text = str(explain(edges(image), what="html"))
    assert text.startswith("<!DOCTYPE html>\n")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in text
    for title in ("Program", "LLVM IR as written", "LLVM IR as optimised", "Assembly"):
        assert f"<summary>{title}</summary>" in text
    assert "&lt;64 x i8&gt;" in text or "&lt;32 x i8&gt;" in text or "&lt;16 x i8&gt;" in text
    plan, graph = pictures(text)
    assert {"array 0", "result 0"} <= set(words(plan))
    assert any("kernel 0, r0" in word for word in words(plan))
    assert "greater" in words(graph)


def test_a_page_of_nothing_and_of_much(image: mt.Array) -> None:
    text = str(explain(image, what="html"))
    assert "<h1>0 kernels</h1>" in text
    assert len(pictures(text)) == 1
    x = image
    for number in range(200):
        x = x + number
    text = str(explain(x, what="html"))
    assert len(pictures(text)) == 1
    assert "401 nodes as a list" in text


def test_several_kernels_share_a_picture(image: mt.Array) -> None:
    kept = vx.gaussian3x3(image).keep()
    plan, _ = pictures(str(explain(vx.box(kept), what="html")))
    found = words(plan)
    assert "stored for kernel 1" in found
    assert any(word.startswith("kernel 1, ") for word in found)


# --- the object -----------------------------------------------------------------------------------


def test_explanations_show_themselves(image: mt.Array) -> None:
    plan = explain(image + 1)
    assert isinstance(plan, Explanation)
    assert str(plan) == repr(plan) == plan.text == plan_text(survey([(image + 1)._node]))
    assert plan._repr_html_().startswith("<pre>1 kernel; ")
    page: Any = explain(image + 1, what="html")._repr_html_()
    assert page.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert page.count('"') == 4


def test_explain_refuses(image: mt.Array) -> None:
    with pytest.raises(UnsupportedError, match="explain: got a ndarray; it takes Arrays; make"):
        explain(np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="what is 'ptx'; use one of plan, graph, program,"):
        explain(image, what="ptx")
    assert mt.explain is explain
