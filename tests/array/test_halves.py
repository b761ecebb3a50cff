"""Floats of 16 bits: every number of them, cast and computed as NumPy does."""

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from ml_dtypes import bfloat16

import muntin as mt
from muntin import vision
from muntin.core.graph.arrays import ArrayBuilder, Held
from muntin.core.graph.halves import cast_half
from muntin.core.graph.ops import OPS
from muntin.dtypes import DTYPES, dtype_of
from muntin.errors import BorderError, DTypeError, ExchangeError
from tests.pointwise import same_bits
from tests.reference.halves import nearest, number

HALVES = (np.float16, bfloat16)
ALL = np.arange(1 << 16, dtype=np.uint16)
halves = pytest.mark.parametrize("half", HALVES, ids=["float16", "bfloat16"])
devices = pytest.mark.parametrize("device", ["cpu", "reference", "opencl"])
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")


def name_of(half):
    return np.dtype(half).name


def floats(count, seed=1):
    """Return float32 numbers: of all bits, and of the sizes of halves."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 1 << 32, count, np.uint32).view(np.float32)
    return np.concatenate([bits, rng.standard_normal(count, np.float32)])


def middles(half):
    """Return what lies in the middle of two halves, as float64."""
    numbers = ALL.view(half).astype(np.float64)
    numbers = np.sort(numbers[np.isfinite(numbers)])
    return (numbers[1:] + numbers[:-1]) / 2


# --- casts ----------------------------------------------------------------------------------------


@halves
def test_bits_are_the_numbers_of_the_definition(half):
    name = name_of(half)
    row, numbers = DTYPES[name], [number(bits, name) for bits in range(1 << 16)]
    assert same_bits(ALL.view(half).astype(np.float64), np.array(numbers))
    known = [(bits, each) for bits, each in enumerate(numbers) if not math.isnan(each)]
    assert all(row.float_bits(each) == bits for bits, each in known)
    finite = [each for each in numbers if math.isfinite(each)]
    assert row.greatest_finite == max(finite)
    assert row.smallest_subnormal == min(each for each in finite if each > 0)


@halves
def test_numbers_are_rounded_by_the_definition(half):
    row = DTYPES[name_of(half)]
    ties = middles(half)[::97]
    numbers = [
        *ties,
        *(ties * (1 + 2**-50)),
        *(ties * (1 - 2**-50)),
        1e300,
        -1e300,
        1e-320,
        -1e-320,
    ]
    for each in map(float, numbers):
        assert math.copysign(1, row.rounded(each)) == math.copysign(1, each)
        assert row.rounded(each) == nearest(each, row.name)


@halves
@devices
def test_halves_become_all_other_types(half, device):
    x = ALL.view(half)
    with mt.use(device):
        for target in DTYPES.values():
            wide = mt.asarray(x.astype(np.float32))
            wanted = wide if target.is_half else wide.eval()
            found = mt.asarray(x).astype(target)
            assert same_bits(np.asarray(found), np.asarray(wanted.astype(target))), target


@halves
@devices
def test_floats_become_halves_in_one_step(half, device):
    ties = middles(half)
    past = np.concatenate([ties, ties * (1 + 2**-50), ties * (1 - 2**-50), floats(999)])
    past = np.concatenate([past[::7], [1e300, -1e300, 1e-320, -1e-320, math.nan]])
    singles = np.concatenate([ties.astype(np.float32), floats(1 << 14)])
    wanted = np.array([nearest(each, name_of(half)) for each in past.tolist()]).astype(half)
    with mt.use(device):
        assert same_bits(np.asarray(mt.asarray(past).astype(half)), wanted)
        assert same_bits(np.asarray(mt.asarray(singles).astype(half)), singles.astype(half))


@halves
@devices
@pytest.mark.parametrize("name", ["int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_become_halves_in_one_step(half, device, name):
    row = DTYPES[name]
    powers = [1 << place for place in range(row.bits)]
    sums = [s * (a + b + c) for a in powers for b in powers for c in (-1, 0, 1) for s in (1, -1)]
    sums = sums[:: 5 if row.bits == 64 else 1] + [row.least, row.greatest]
    numbers = [each for each in sums if row.least <= each <= row.greatest]
    wanted = np.array([nearest(each, name_of(half)) for each in numbers]).astype(half)
    with mt.use(device):
        found = mt.asarray(np.array(numbers, row.numpy)).astype(half)
        assert same_bits(np.asarray(found), wanted)


@halves
def test_rows_convert_as_instructions_do(half):
    row, builder = dtype_of(half), ArrayBuilder(OPS)
    x = ALL.view(half)
    found = cast_half(builder, Held(x, row), DTYPES["float32"])
    assert same_bits(found.array, x.astype(np.float32))
    singles = np.concatenate([floats(1 << 16), middles(half).astype(np.float32)])
    found = cast_half(builder, Held(singles, DTYPES["float32"]), row)
    assert same_bits(found.array, singles.astype(half))


# --- arithmetic -----------------------------------------------------------------------------------

UNARY = {
    "negative": np.negative,
    "abs": np.abs,
    "square": np.square,
    "sqrt": np.sqrt,
    "reciprocal": np.reciprocal,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
    "sign": lambda x: np.sign(x.astype(np.float32)).astype(x.dtype),  # of -0.0, ml_dtypes' is that
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
}
BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "fmod": np.fmod,
    "copysign": np.copysign,
    "nextafter": np.nextafter,
    "less": np.less,
    "equal": np.equal,
    "greater_equal": np.greater_equal,
}


@halves
@devices
def test_every_half_has_numpys_functions(half, device):
    x = ALL.view(half)
    with mt.use(device):
        found = mt.eval(*[getattr(mt, name)(mt.asarray(x)) for name in UNARY])
    for array, (name, function) in zip(found, UNARY.items(), strict=True):
        assert same_bits(np.asarray(array), function(x)), name


@halves
@devices
def test_pairs_of_halves_have_numpys_functions(half, device):
    a, b = ALL.view(half), np.random.default_rng(2).permutation(ALL).view(half)
    with mt.use(device):
        found = mt.eval(*[getattr(mt, name)(mt.asarray(a), mt.asarray(b)) for name in BINARY])
    for array, (name, function) in zip(found, BINARY.items(), strict=True):
        assert same_bits(np.asarray(array), function(a, b)), name


@halves
@devices
def test_a_chain_is_rounded_at_each_step(half, device):
    a, b = ALL.view(half), np.random.default_rng(3).permutation(ALL).view(half)
    with mt.use(device):
        x, y = mt.asarray(a), mt.asarray(b)
        found = np.asarray(mt.maximum(-(x * 2.5 + y), y) * abs(x) - mt.where(x < y, x, y))
    inner = -(a * half(2.5) + b)
    widest = np.maximum(inner, b)
    wanted = widest * np.abs(a) - np.where(a < b, a, b)
    is_told = ~((inner == 0) & (b == 0))  # NumPy takes any of two zeros
    assert same_bits(found[is_told], wanted[is_told])


@halves
def test_functions_are_those_of_float32_rounded(half):
    x = mt.asarray(ALL.view(half))
    for name in ("exp", "log1p", "sin", "tanh", "cbrt"):
        function = getattr(mt, name)
        found, wide = mt.eval(function(x), function(x.astype("float32")))
        assert same_bits(np.asarray(found), np.asarray(wide).astype(half)), name


@halves
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, -1, 0.5])
def test_powers_are_rounded_once(half, exponent):
    x = mt.asarray(ALL.view(half))
    wide = np.asarray(x.astype("float32") ** exponent)
    assert same_bits(np.asarray(x**exponent), wide.astype(half))


def test_numbers_beside_halves_are_halves():
    for half in HALVES:
        x = mt.asarray(np.ones(2, half))
        for found in (x + 1, x * 2.5, 1 - x, x + True, x + half(2), x**2, mt.atan2(x, 1)):
            assert found.dtype == np.dtype(half)
        assert np.asarray(x * 1e9).tolist() == [float(half(1e9))] * 2


# --- reductions -----------------------------------------------------------------------------------


@halves
@devices
def test_folds_are_those_of_float32_rounded(half, device):
    if device == "opencl":
        pytest.skip("reductions run on the CPU")
    x = np.random.default_rng(4).standard_normal((37, 610)).astype(half)
    with mt.use(device):
        halves, wide = mt.asarray(x), mt.asarray(x.astype(np.float32))
        for axis in (None, 0, 1):
            for name in ("sum", "prod", "mean", "var", "std", "max", "min", "logsumexp"):
                fold = getattr(mt, name)
                found, wanted = mt.eval(fold(halves, axis=axis), fold(wide, axis=axis))
                assert same_bits(np.asarray(found), np.asarray(wanted).astype(half)), name
            for name in ("argmax", "argmin", "count_nonzero", "any"):
                fold = getattr(mt, name)
                assert np.array_equal(fold(halves, axis=axis), fold(wide, axis=axis)), name


@halves
@pytest.mark.parametrize("axis", [0, 1])
def test_scans_are_those_of_float32_rounded(half, axis):
    x = np.random.default_rng(5).standard_normal((37, 610)).astype(half)
    halves, wide = mt.asarray(x), mt.asarray(x.astype(np.float32))
    for name in ("cumulative_sum", "cumulative_prod", "cumulative_max", "cumulative_min"):
        scan = getattr(mt, name)
        found, wanted = mt.eval(scan(halves, axis=axis), scan(wide, axis=axis))
        assert same_bits(np.asarray(found), np.asarray(wanted).astype(half)), name


def test_sums_hold_more_than_a_half_does():
    x = mt.asarray(np.full(4096, 8, np.float16))
    assert mt.sum(x).item() == 32768
    assert mt.mean(mt.asarray(np.full(99999, 100, np.float16))).item() == 100
    assert mt.sum(mt.asarray(np.full(99999, 100, np.float16))).item() == math.inf
    assert mt.sum(x, dtype="float32").dtype == np.float32


# --- memory ---------------------------------------------------------------------------------------


@halves
def test_halves_are_moved_as_they_are(half):
    x = ALL.view(half).reshape(128, 512)
    a = mt.asarray(x)
    pairs = [
        (a[::-1, ::3].T, x[::-1, ::3].T),
        (mt.concat([a, a[:5]]), np.concatenate([x, x[:5]])),
        (a.reshape(-1)[7:], x.reshape(-1)[7:]),
        (mt.roll(a, 3, axis=1), np.roll(x, 3, axis=1)),
        (mt.take(a, mt.asarray([5, 0, -1]), axis=0), x[[5, 0, -1]]),
        (a.at(1, 0), x[[*range(1, 128), 127]]),
        (mt.where(mt.asarray(x == 0), a, a), x),
    ]
    for found, wanted in pairs:
        bits = np.asarray(found).view(np.uint16)
        assert np.array_equal(bits, np.ascontiguousarray(wanted).view(np.uint16))


@halves
def test_outs_of_any_strides_are_written(half):
    x = np.arange(12).reshape(3, 4).astype(half)
    whole = np.zeros((6, 8), half)
    (mt.asarray(x) * 2).eval(out=whole[::2, ::-2])
    assert np.array_equal(whole[::2, ::-2], x * half(2))
    assert np.count_nonzero(whole) == 11
    np.add(mt.asarray(x), 1, out=x)
    assert np.array_equal(x, np.arange(1, 13).reshape(3, 4).astype(half))


@halves
def test_neighbours_are_rounded_as_halves(half):
    x = np.random.default_rng(6).standard_normal((19, 70)).astype(half)
    a = mt.asarray(x)
    found = np.asarray(a.at(0, -1, border=mt.constant(2.5)) + a.at(1, 1, border=mt.constant(2.5)))
    wide = np.pad(x, 1, constant_values=half(2.5))
    assert same_bits(found, wide[1:-1, :-2] + wide[2:, 2:])
    smooth = (a + 1).at(-1, 0) * 2 + (a + 1)
    whole = np.pad(x + half(1), ((1, 0), (0, 0)), mode="edge")
    assert same_bits(np.asarray(smooth), whole[:-1] * half(2) + whole[1:])
    with pytest.raises(BorderError, match=r"overflows in a (b?)float16 image"):
        a.at(1, 0, border=mt.constant(1e39))


@halves
def test_programs_take_halves(half):
    name = name_of(half)

    @mt.program(
        x=mt.Input(name, 1),
        y=mt.Output(name, 1, lambda x: x),
        wide=mt.Output("float64", 1, lambda x: x),
        scale=mt.Scalar(name),
    )
    def scaled(p, x, y, wide, scale):
        total = p.variable(1.5, name)
        kept = p.variable(0.0, name)
        with p.for_(x.shape[0]) as i:
            value = p.where(x[i] < 0, x[i] * scale, p.sqrt(x[i]))
            kept.assign(value)
            y[i] = kept + total.astype("int32").astype(name)
            wide[i] = value.astype("float64")

    x = np.random.default_rng(7).standard_normal(200).astype(half)
    value = np.where(x < 0, x * half(2.5), np.sqrt(x))
    for call in (scaled, scaled.checked):
        y, wide = call(x, 2.5)
        assert same_bits(np.asarray(y), value + half(1))
        assert same_bits(np.asarray(wide), value.astype(np.float64))
    with mt.use("reference"):
        assert same_bits(np.asarray(scaled(x, 2.5)[0]), value + half(1))


@halves
def test_traces_take_numbers_beside_halves(half):
    f = mt.function(lambda x, k: x * k + 1)
    x = np.linspace(-2, 2, 9).astype(half)
    for k in (2, 2.5, 1e39, -0.0):
        assert same_bits(np.asarray(f(x, k)), x * half(k) + half(1))


# --- other libraries ------------------------------------------------------------------------------


class _Foreign:
    """A tensor of another library, with the type's name that such a one has."""

    def __init__(self, array):
        self.array = array
        self.dtype = f"torch.{array.dtype.name}"

    def __dlpack__(self, **options):
        return mt.asarray(self.array).__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


@halves
def test_dlpack_both_ways(half):
    x = np.arange(6).reshape(2, 3).astype(half)
    for take in (mt.from_dlpack, mt.asarray):
        found = take(_Foreign(x))
        assert found.dtype == np.dtype(half)
        assert np.array_equal(np.asarray(found), x)
    assert np.shares_memory(np.asarray(mt.from_dlpack(mt.asarray(x))), x)
    if half is bfloat16:
        with pytest.raises(RuntimeError, match="dtype"):  # NumPy's own has no such kind
            np.from_dlpack(mt.asarray(x))


@halves
def test_copies_pickles_and_representations(half):
    x = mt.asarray(np.arange(6).reshape(2, 3).astype(half))
    for again in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert same_bits(np.asarray(again), np.asarray(x))
    assert repr(x + 1) == f'Array((2, 3), {name_of(half)}, axes="yx", lazy)'
    assert x.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert (x.itemsize, x.nbytes) == (2, 12)


def test_pythons_buffers_have_no_bfloat16():
    x = mt.asarray(np.ones(2, bfloat16))
    with pytest.raises(ExchangeError, match="memoryview: Python's buffers have no bfloat16; take"):
        x.__buffer__(0)
    assert mt.asarray(np.ones(2, np.float16)).__buffer__(0).format == "e"


@halves
def test_what_is_known_of_halves(half):
    row, limits = dtype_of(half), mt.finfo(half)
    assert (limits.bits, limits.max, limits.min) == (16, row.greatest_finite, -row.greatest_finite)
    assert half(1) + half(limits.eps) > half(1)
    assert half(1) + half(limits.eps / 4) == half(1)
    assert limits.dtype == np.dtype(half)
    assert mt.isdtype(half, "real floating")
    assert not mt.isdtype(half, "integral")
    assert mt.can_cast("int8", half)
    assert not mt.can_cast("int16", half)
    assert mt.result_type(half, 2.5, True) == np.dtype(half)
    assert mt.result_type(half, "int16", 1) == np.float32


def test_the_two_halves_meet_in_float32():
    a, b = mt.asarray(np.ones(3, np.float16)), mt.asarray(np.ones(3, bfloat16))
    assert (a + b).dtype == mt.result_type(a, b) == np.float32
    assert (b + np.ones(3, np.int32)).dtype == np.float64


@halves
def test_numpys_functions_of_halves(half):
    x = np.array([-2.5, -0.0, 0.3, 1.0, 7.0, math.inf, math.nan]).astype(half)
    a = mt.asarray(x)
    for ufunc in (np.positive, np.fabs, np.rint, np.spacing, np.exp2):
        assert ufunc(a).dtype == np.dtype(half), ufunc
    assert same_bits(np.asarray(np.spacing(a[2:5])), np.spacing(x[2:5]))
    parts, wanted = np.modf(a), np.modf(x.astype(np.float32))
    for found, part in zip(parts, wanted, strict=True):
        assert same_bits(np.asarray(found), part.astype(half))
    assert np.asarray(np.nan_to_num(a)).tolist()[5:] == [mt.finfo(half).max, 0.0]
    assert np.asarray(np.isclose(a[2:5], x[2:5] + half(1e-6))).all()
    assert same_bits(np.asarray(a[:5].round(1)), np.round(x[:5].astype("f4"), 1).astype(half))


@halves
def test_numbers_in_a_row(half):
    assert np.array_equal(mt.arange(0, 30, 0.1, dtype=half), np.arange(0, 30, 0.1, dtype=half))
    found = mt.linspace(0, 1, 7, dtype=half).tolist()
    assert found == [nearest(each, name_of(half)) for each in np.linspace(0, 1, 7).tolist()]


@halves
def test_vision_refuses_halves(half):
    image = mt.asarray(np.ones((4, 5), half))
    with pytest.raises(DTypeError, match=r"takes integers and floats of 32 and 64 bits; cast it"):
        vision.gaussian(image)
    smooth = vision.gaussian(image.astype("float32")).astype(half)
    assert np.array_equal(smooth, image)


def test_the_package_of_bfloat16_is_imported_when_it_is_asked_for():
    text = """
import sys
import numpy as np
import muntin as mt
mt.eval(mt.asarray(np.ones(2, np.float16)) + 1)
assert "ml_dtypes" not in sys.modules
assert mt.bfloat16.name == "bfloat16" and mt.xp.bfloat16 is mt.bfloat16
assert "ml_dtypes" in sys.modules
"""
    subprocess.run([sys.executable, "-c", text], check=True)


def test_without_its_package_bfloat16_is_an_error_that_says_so():
    text = """
import sys
sys.modules["ml_dtypes"] = None
import muntin as mt
for ask in (lambda: mt.bfloat16, lambda: mt.zeros(2, dtype="bfloat16")):
    try:
        ask()
    except mt.DTypeError as error:
        assert 'install it with `pip install "muntin[bfloat16]"`' in str(error)
    else:
        raise SystemExit(1)
"""
    subprocess.run([sys.executable, "-c", text], check=True)
