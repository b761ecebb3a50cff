"""What a function of loops may say, and where it is told what is wrong."""

import numpy as np
import pytest

import muntin as mt
from muntin.core.loops.define import define
from muntin.core.loops.definition import every
from muntin.core.program import For, If, Let, While
from muntin.dtypes import DTYPES

ARRAYS = {
    "image": mt.Input("uint8", 2),
    "row": mt.Input("float32", 1),
    "out": mt.Output("int32", 2, (4, 5)),
    "found": mt.Output("bool", 0, ()),
    "work": mt.Scratch("int64", 1, 10),
    "limit": mt.Scalar("int32"),
    "flag": mt.Scalar("bool"),
}


def defined(body):
    """Return the definition of a function that runs `body` first."""

    def sample(p, image, row, out, found, work, limit, flag):
        body(p, image, row, out, found, work, limit, flag)
        out[0, 0] = 1
        found[()] = True

    return define(sample, ARRAYS)


# --- values ---------------------------------------------------------------------------------------


def test_values_have_the_types_of_numpy():
    def body(p, image, row, out, found, work, limit, flag):
        pixel = image[0, 0]
        assert pixel.dtype == np.uint8
        assert (pixel + 1).dtype == np.uint8
        assert (pixel + limit).dtype == np.int32
        assert (pixel * 0.5).dtype == np.float64
        assert (row[0] * 0.5).dtype == np.float32
        assert (pixel / 2).dtype == np.float64
        assert (pixel > 3).dtype == np.bool_
        assert p.sqrt(pixel).dtype == np.float32
        assert p.where(flag, pixel, limit).dtype == np.int32
        assert p.logical_not(pixel).dtype == np.bool_
        assert image.shape[0].dtype == np.int64
        assert (image.dtype, image.ndim, out.dtype) == (np.uint8, 2, np.int32)
        assert p.variable(1).dtype == np.int64
        assert p.variable(1.0).dtype == np.float64
        assert p.let(True).dtype == np.bool_
        assert p.let(3, "uint16").dtype == np.uint16
        assert pixel.astype("float32").dtype == p.cast(2, "float32").dtype == np.float32
        assert (np.uint8(3) + pixel).dtype == np.uint8
        assert repr(pixel) == "Value(uint8)"
        assert repr(p.variable(1)) == "Variable(int64)"
        assert repr(image) == "Elements(image: uint8, 2 axes)"
        assert repr(p) == "Loops(sample)"

    defined(body)


def test_statements_are_recorded_where_they_are_written():
    def body(p, image, row, out, found, work, limit, flag):
        with p.for_(3) as i:
            with p.if_(flag):
                work[i] = i
            with p.else_(), p.while_(lambda: flag):
                out[1, 1] = limit

    (phase,) = defined(body).phases
    kinds = [type(each).__name__ for each in every(phase.body)]
    assert kinds[:3] == ["For", "If", "ElementStore"]
    assert [kinds.count(name) for name in ("While", "Let", "Set")] == [1, 0, 2]
    assert phase.extent is None


def test_what_follows_from_shapes_and_numbers_is_known_in_all_phases():
    def body(p, image, row, out, found, work, limit, flag):
        half = image.shape[0] // 2
        double = limit * 2
        with p.parallel(half + 1) as i:
            work[i] = half
        with p.parallel(2) as i:
            work[i] = double.astype("int64") + half

    definition = defined(body)
    assert len(definition.phases) == 3
    assert [phase.var is None for phase in definition.phases] == [False, False, True]
    assert all(isinstance(let, Let) for let in definition.prelude)
    shapes = {0: (7, 3), 1: (1,), 2: (4, 5), 3: (), 4: (10,)}
    assert [definition.extent(phase, shapes) for phase in definition.phases] == [4, 2, 1]
    assert definition.extent(definition.phases[0], {**shapes, 0: (0, 3)}) == 1


@pytest.mark.parametrize(
    ("count", "wanted"),
    [
        (lambda rows: rows - 9, 0),
        (lambda rows: rows.astype("uint8"), 7),
        (lambda rows: (rows * 2.5).astype("int32"), 17),
        (lambda rows: -rows % 4, 1),
        (lambda rows: 3, 3),
    ],
)
def test_counts_of_parallel_loops_are_computed_ahead(count, wanted):
    def body(p, image, row, out, found, work, limit, flag):
        with p.parallel(count(image.shape[0])) as i:
            work[i] = i

    definition = defined(body)
    shapes = {0: (7, 3), 1: (1,), 2: (4, 5), 3: (), 4: (10,)}
    assert definition.extent(definition.phases[0], shapes) == wanted


def test_equal_programs_have_one_digest():
    def body(p, image, row, out, found, work, limit, flag):
        work[0] = 3

    def same(p, image, row, out, found, work, limit, flag):
        work[0] = 3

    def other(p, image, row, out, found, work, limit, flag):
        work[0] = 4

    assert defined(body).digest == defined(same).digest != defined(other).digest


def test_statements_inside_of_others_are_found():
    def body(p, image, row, out, found, work, limit, flag):
        with p.for_(3) as i, p.while_(lambda: work[i] > 0), p.if_(flag):
            work[i] = 0

    kinds = {type(each) for each in every(defined(body).phases[0].body)}
    assert {For, While, If, Let} <= kinds


# --- what is wrong with a function ----------------------------------------------------------------

CASES = {
    "index of a wrong rank": (
        lambda p, s: s.image[3],
        mt.ShapeError,
        r"sample: image has 2 axes, but its index has 1 parts; give one for each axis",
    ),
    "index of a wrong type": (
        lambda p, s: s.image[0, 1.5],
        mt.DTypeError,
        r"sample: an index of image is 1\.5; give an integer for each axis",
    ),
    "a float as index": (
        lambda p, s: s.row[s.row[0]],
        mt.DTypeError,
        r"sample: an index of row is a float32; give an integer",
    ),
    "a slice as index": (
        lambda p, s: s.row[1:2],
        mt.DTypeError,
        r"an index of row is slice\(1, 2, None\); give an integer for each axis",
    ),
    "a negative index": (
        lambda p, s: s.image[0, -1],
        mt.ParameterError,
        r"an index of image is -1; indices count from 0; from the end, use image.shape\[axis\] - 1",
    ),
    "a store of a wrong type": (
        lambda p, s: s.out.__setitem__((0, 0), s.image[0, 0]),
        mt.DTypeError,
        r"out\[…\] =: got a uint8 for int32; cast it with .astype\('int32'\)",
    ),
    "a store of a number of a wrong type": (
        lambda p, s: s.out.__setitem__((0, 0), 0.5),
        mt.DTypeError,
        r"out\[…\] =: got 0\.5 for int32; give a number of that type",
    ),
    "a store of a number out of range": (
        lambda p, s: s.out.__setitem__((0, 0), 1 << 40),
        mt.RangeError,
        r"the number 1099511627776 does not fit in int32",
    ),
    "a store of something else": (
        lambda p, s: s.out.__setitem__((0, 0), "1"),
        mt.DTypeError,
        r"out\[…\] =: got a str; give a value of the program or a number",
    ),
    "a store to an input": (
        lambda p, s: s.image.__setitem__((0, 0), 1),
        mt.UnsupportedError,
        r"sample: image is an Input, which is only read; it cannot be written; declare an Output",
    ),
    "an addition to an input": (
        lambda p, s: s.image.atomic_add((0, 0), 1),
        mt.UnsupportedError,
        r"sample: image is an Input, which is only read; it cannot be added to",
    ),
    "an addition of truth values": (
        lambda p, s: s.found.atomic_add((), True),
        mt.DTypeError,
        r"atomic_add: found is bool; it takes arrays of integers of 32 and 64 bits",
    ),
    "an assignment to a value": (
        lambda p, s: s.limit.assign(3),
        mt.UnsupportedError,
        r"assign: this is a value, which does not change; declare what changes with variable\(\)",
    ),
    "an assignment of a wrong type": (
        lambda p, s: p.variable(0).assign(0.5),
        mt.DTypeError,
        r"assign: got 0\.5 for int64",
    ),
    "an assignment in place that changes the type": (
        lambda p, s: p.variable(0, "uint8").__iadd__(s.limit),
        mt.DTypeError,
        r"assign: got a int32 for uint8; cast it",
    ),
    "a value as a condition of Python": (
        lambda p, s: bool(s.limit > 3),
        mt.UnsupportedError,
        r"program: Python asks for a value while the program is recorded.*choose with if_\(\)",
    ),
    "an array as an iterable": (
        lambda p, s: list(s.row),
        mt.UnsupportedError,
        r"program: row cannot be iterated.*with p.for_\(row.shape\[0\]\) as i",
    ),
    "the length of an array": (
        lambda p, s: len(s.row),
        mt.ParameterError,
        r"program: the length of row is not known while .*; use row.shape\[0\]",
    ),
    "a condition that is no truth value": (
        lambda p, s: p.if_(s.limit).__enter__(),
        mt.DTypeError,
        r"if_: the condition is int32; compare it, as in x != 0",
    ),
    "a condition that never changes": (
        lambda p, s: p.while_(s.flag).__enter__(),
        mt.UnsupportedError,
        r"while_: the condition is computed once.*while_\(lambda: i < n\), or a variable",
    ),
    "a choice without a condition": (
        lambda p, s: p.else_().__enter__(),
        mt.UnsupportedError,
        r"else_: it must follow the block of an if_\(\) at once",
    ),
    "a step of 0": (
        lambda p, s: p.for_(0, 3, 0).__enter__(),
        mt.ParameterError,
        r"for_: step is 0; give a Python integer, 1 or more; to count down",
    ),
    "a bound of a wrong type": (
        lambda p, s: p.for_(s.row[0]).__enter__(),
        mt.DTypeError,
        r"for_: got a float32 for int64",
    ),
    "a count that depends on data": (
        lambda p, s: p.parallel(s.work[0]).__enter__(),
        mt.UnsupportedError,
        r"parallel: the count depends on data of the call; it must follow from the shapes",
    ),
    "a count that depends on a number": (
        lambda p, s: p.parallel(s.limit).__enter__(),
        mt.UnsupportedError,
        r"parallel: the count depends on a number of the call",
    ),
    "an operation that there is not": (
        lambda p, s: p.frobnicate(1),
        AttributeError,
        r"program: there is no operation 'frobnicate'; docs/operations.md lists them",
    ),
    "an operation without a meaning for some numbers": (
        lambda p, s: p.raw_divide(s.limit, 0),
        AttributeError,
        r"there is no operation 'raw_divide'",
    ),
    "too few operands": (
        lambda p, s: p.minimum(s.limit),
        mt.ParameterError,
        r"minimum: takes 2 operands, but got 1; give that many",
    ),
    "operands of other kinds": (
        lambda p, s: p.minimum(s.limit, "3"),
        mt.DTypeError,
        r"minimum: got a str; it takes values of the program and numbers",
    ),
    "operands that no type holds": (
        lambda p, s: s.limit < s.limit.astype("uint64"),
        mt.DTypeError,
        r"greater: operands are uint64 and int32|less: operands are int32 and uint64, and no int",
    ),
    "types that an operation does not take": (
        lambda p, s: s.row[0] & 1,
        mt.DTypeError,
        r"bitwise_and: takes integers or bool",
    ),
    "an unknown overflow": (
        lambda p, s: s.limit.astype("uint8", overflow="clip"),
        mt.ParameterError,
        r'cast: overflow is \'clip\'; use "wrap" or "saturate"',
    ),
    "a default of a wrong type": (
        lambda p, s: s.image.get((0, 0), 0.5),
        mt.DTypeError,
        r"image.get: got 0\.5 for uint8",
    ),
}


class Sample:
    """The parameters of `sample`, by their names."""

    def __init__(self, *arrays):
        self.image, self.row, self.out, self.found, self.work, self.limit, self.flag = arrays


@pytest.mark.parametrize("case", CASES)
def test_faults_are_told_at_their_line(case):
    fault, kind, message = CASES[case]

    def body(p, *arrays):
        fault(p, Sample(*arrays))

    with pytest.raises(kind, match=message):
        defined(body)


def test_values_of_other_types_are_no_operands():
    def body(p, image, row, out, found, work, limit, flag):
        with pytest.raises(TypeError, match="unsupported operand"):
            limit + "3"

    defined(body)


def test_values_end_with_their_block():
    message = "a int64 is used outside of the loop, choice or phase in which it was made; declare a"

    def after_loop(p, image, row, out, found, work, limit, flag):
        with p.for_(3) as i:
            inner = i + 1
        work[0] = inner

    def after_choice(p, image, row, out, found, work, limit, flag):
        with p.if_(flag):
            inner = p.variable(0)
        inner += 1

    def in_another_phase(p, image, row, out, found, work, limit, flag):
        first = work[0] + 1
        with p.parallel(3) as i:
            work[i] = first

    def of_a_parallel_loop(p, image, row, out, found, work, limit, flag):
        with p.parallel(3) as i:
            work[i] = i
        work[i] = 1

    for body in (after_loop, after_choice, in_another_phase, of_a_parallel_loop):
        with pytest.raises(mt.UnsupportedError, match=message):
            defined(body)


def test_names_that_move_away_from_variables_are_told():
    def moved(p, image, row, out, found, work, limit, flag):
        n = p.variable(0)
        with p.while_(lambda: n < 10):
            n = n + 1

    def used(p, image, row, out, found, work, limit, flag):
        n = p.variable(0)
        with p.for_(3):
            n += 1
        n = n + 1
        work[0] = n

    message = (
        r"sample: what is computed of a variable is never used: .*test_define.py:\d+, `n = n \+ 1`"
    )
    with pytest.raises(mt.UnsupportedError, match=message):
        defined(moved)
    assert defined(used).phases


def test_blocks_are_not_left_by_exceptions():
    def body(p, image, row, out, found, work, limit, flag):
        try:
            with p.for_(3):
                raise KeyError
        except KeyError:
            pass

    with pytest.raises(mt.UnsupportedError, match="sample: an exception has left a loop or choice"):
        defined(body)

    def returning(p, image, row, out, found, work, limit, flag):
        with p.for_(3) as i:
            work[i] = 1
            return

    assert len(defined(returning).phases) == 1


def test_parallel_loops_are_outermost():
    def body(p, image, row, out, found, work, limit, flag):
        with p.for_(3), p.parallel(3):
            pass

    with pytest.raises(mt.UnsupportedError, match="parallel: it stands inside of a loop or choice"):
        defined(body)


def test_programs_do_not_mix():
    def outer(p, image, row, out, found, work, limit, flag):
        other, number = image, limit + 1

        def inner(p, image, row, out, found, work, limit, flag):
            with pytest.raises(mt.UnsupportedError, match=r"of another program \(sample\) is used"):
                limit + number
            with pytest.raises(mt.UnsupportedError, match=r"of another program \(sample\) is used"):
                image[other[0, 0], 0]

        defined(inner)

    defined(outer)


def test_values_are_not_used_later():
    kept = []

    def body(p, image, row, out, found, work, limit, flag):
        kept.extend([limit, image, p])

    defined(body)
    value, array, loops = kept
    for late in (lambda: value + 1, lambda: array[0, 0], lambda: loops.for_(3).__enter__()):
        with pytest.raises(mt.UnsupportedError, match="used after the program was recorded; use"):
            late()


# --- what is wrong with a declaration -------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "parameters", "kind", "message"),
    [
        (
            lambda p, a: None,
            {"b": mt.Output("int8", 1, 3)},
            mt.ParameterError,
            r"<lambda>: the function's parameters are p, a, those declared b; the first builds",
        ),
        (lambda: None, {}, mt.ParameterError, "the function's parameters are , those declared ;"),
        (
            lambda p, *a: None,
            {"a": mt.Output("int8", 1, 3)},
            mt.ParameterError,
            "the function's parameters are p, a, those declared a",
        ),
        (
            lambda p, a: None,
            {"a": "int32"},
            mt.ParameterError,
            "<lambda>: a is 'int32'; declare an Input, an Output, .* a Scratch array or a Scalar",
        ),
        (
            lambda p, a: None,
            {"a": mt.Input("int8", 1)},
            mt.ParameterError,
            "<lambda>: it has no output; declare one or more as Output",
        ),
        (
            lambda p, a: None,
            {"a": mt.Output("int8", 1, 3)},
            mt.UnsupportedError,
            r"nothing is stored in the output a; store its elements, as in a\[…\] = value",
        ),
        (
            lambda p, a: a,
            {"a": mt.Output("int8", 1, 3)},
            mt.UnsupportedError,
            r"the function returned Elements\(a: int8, 1 axes\); it returns nothing",
        ),
    ],
)
def test_declarations_fit_their_function(function, parameters, kind, message):
    with pytest.raises(kind, match=message):
        define(function, parameters)


@pytest.mark.parametrize("kind", [mt.Output, mt.Scratch])
def test_ranks_are_integers(kind):
    for ndim in (-1, 17, 1.0, True):
        message = f"{kind.__name__}: ndim is {ndim!r}; give the number of axes, an integer from 0"
        with pytest.raises(mt.ParameterError, match=message):
            kind("int8", ndim, 3)
    with pytest.raises(mt.ParameterError, match="Input: ndim is None"):
        mt.Input("int8", None)
    with pytest.raises(mt.DTypeError, match="complex"):
        mt.Input("complex64", 1)


def test_types_are_rows_of_the_table():
    assert mt.Scalar("int8").dtype is mt.Input(np.int8, 1).dtype is DTYPES["int8"]
