"""Rows written past the caches: the same bits in every operation, at every alignment."""

import numpy as np
import pytest

import muntin as mt
from muntin.config import settings_override
from muntin.core.graph import build
from muntin.core.graph.ops import OPS
from muntin.dtypes import dtype_of
from muntin.runtime.device import find_device
from tests.pointwise import same_bits

SPELLED = [
    (name, kind)
    for name, row in OPS.items()
    if row.is_elementwise and "bits" not in row.rule.split("_")
    for kind in row.llvm
]
DTYPES = {
    "b": ["bool"],
    "u": ["uint8", "uint32", "uint64"],
    "i": ["int8", "int16", "int64"],
    "f": ["float16", "bfloat16", "float32", "float64"],
}
CAST = ["uint8", "int16", "uint32", "int64", *DTYPES["f"], "bool"]


def values(dtype, count, seed):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, count).astype(bool)
    if dtype in DTYPES["f"]:
        special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-310]
        values = np.resize(np.concatenate([special, rng.normal(0, 9, count)]), count)
        return values.astype(dtype_of(dtype).numpy)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


@pytest.mark.parametrize(("name", "kind"), SPELLED)
def test_every_spelling_serves_vectors(name, kind):
    row = OPS[name]
    for dtype in ("float32", "float64") if name == "raw_whole" else DTYPES[kind]:
        operands = [values(dtype, 3001, seed) for seed in range(row.arity)]
        if row.rule == "select":
            operands[0] = values("bool", 3001, 9)
        if name == "raw_whole":
            operands = [np.rint(np.nan_to_num(operands[0], posinf=99, neginf=-9))]
        elif name.startswith("raw_"):
            operands[1] = np.full_like(operands[0], 3)
        nodes = [mt.asarray(operand)._node for operand in operands]
        work = build.elementwise(name, *nodes)
        found, wanted = [_run(work, device) for device in ("cpu", "reference")]
        assert same_bits(found, wanted), (name, dtype)


def _run(node, device):
    with settings_override(streaming_threshold=1):
        (result,) = find_device(device).evaluate([node], [None], threads=1)
    return result


@pytest.mark.parametrize("source", CAST)
@pytest.mark.parametrize("target", CAST)
def test_every_cast_serves_vectors(source, target):
    x = mt.asarray(values(source, 3001, 1))
    for overflow in ("wrap", "saturate"):
        node = x.astype(target, overflow=overflow)._node
        if node is not x._node:
            found, wanted = [_run(node, device) for device in ("cpu", "reference")]
            assert same_bits(found, wanted), overflow


@pytest.mark.parametrize("start", range(0, 17, 4))
def test_outs_at_any_alignment(start):
    x = values("float32", 5000, 2)
    memory = np.zeros(5032, np.float32)
    out = memory[start : start + 5000]
    with settings_override(streaming_threshold=1):
        mt.eval(mt.asarray(x) * 2.0 + 1.0, out=out)
    assert same_bits(out, x * np.float32(2) + np.float32(1))
    assert not memory[:start].any()
    assert not memory[start + 5000 :].any()


def test_outs_that_lie_differently_are_written_too():
    x = values("float32", 5000, 3)
    first, second = np.zeros(5016, np.float32)[:5000], np.zeros(5003, np.float32)[3:]
    a = mt.asarray(x)
    with settings_override(streaming_threshold=1):
        mt.eval(a + 1.0, a - 1.0, out=(first, second))
    assert same_bits(first, x + np.float32(1))
    assert same_bits(second, x - np.float32(1))


VOLUME = values("float32", 5 * 9 * 300, 4).reshape(5, 9, 300)


@pytest.mark.parametrize("view", [VOLUME, VOLUME[:, ::-1], VOLUME[:, :, ::-1], VOLUME.T])
def test_rows_that_are_asked_for_change_no_bit(view):
    volume = mt.asarray(np.nan_to_num(view), axes="zyx")
    found = volume.at(1, 0, 0) + volume.at(-1, 2, 0) * volume.at(0, -3, 4)
    with settings_override(streaming_threshold=1):
        streamed = find_device("cpu").evaluate([found._node], [None], threads=2)
    assert same_bits(streamed[0], find_device("reference").evaluate([found._node], [None])[0])


def test_each_operand_is_asked_for_once():
    x, y = (mt.asarray(np.zeros((4, 5, 6), np.float32), axes="zyx") for _ in range(2))
    stencil = x.at(-1, 0, 0) + x.at(1, 2, 0) + y.at(0, 1, 0)
    assert str(mt.explain(stencil, what="program")).count("prefetch") == 2
    plain, streamed = str(mt.explain(x + y, what="program")).split("function final_streamed")
    assert (plain.count("prefetch"), streamed.count("prefetch")) == (0, 2)
    image = mt.asarray(np.zeros((50, 300), np.float32)) + 1
    for axis in (0, 1):
        program = str(mt.explain(image.sum(axis=axis), what="program"))
        assert program.count("prefetch") == 1
