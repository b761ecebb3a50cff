"""Random programs do what Python does: compiled, checked and interpreted."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt

SIZE, VARIABLES = 6, 3
OPERATIONS = ("+", "-", "*", "//", "%", "min", "<", "where")


def nested(children):
    return st.one_of(
        st.tuples(st.just("load"), children),
        st.tuples(st.just("get"), children, children),
        st.tuples(st.sampled_from(OPERATIONS), children, children),
    )


EXPRESSIONS = st.recursive(
    st.one_of(
        st.tuples(st.just("number"), st.integers(-3, 9)),
        st.tuples(st.just("variable"), st.integers(0, VARIABLES - 1)),
        st.tuples(st.just("index"), st.integers(0, 2)),
    ),
    nested,
    max_leaves=4,
)
SIMPLE = st.one_of(
    st.tuples(st.just("assign"), st.integers(0, VARIABLES - 1), EXPRESSIONS),
    st.tuples(st.just("increase"), st.integers(0, VARIABLES - 1), EXPRESSIONS),
    st.tuples(st.just("store"), EXPRESSIONS, EXPRESSIONS),
    st.tuples(st.just("atomic"), EXPRESSIONS, EXPRESSIONS),
)


def compound(children):
    block = st.lists(children, min_size=1, max_size=3)
    return st.one_of(
        st.tuples(st.just("if"), EXPRESSIONS, block, block),
        st.tuples(st.just("for"), st.integers(0, 3), block),
        st.tuples(st.just("while"), st.integers(1, 3), block),
    )


BODIES = st.lists(st.recursive(SIMPLE, compound, max_leaves=5), min_size=1, max_size=5)


# --- as a program ---------------------------------------------------------------------------------


class Recording:
    def __init__(self, p, cells):
        self.p, self.cells = p, cells
        self.variables = [p.variable(k, "int32") for k in range(VARIABLES)]
        self.indices = [p.let(7, "int32")] * 3

    def value(self, expression):
        kind, *parts = expression
        if kind == "number":
            return self.p.let(parts[0], "int32")
        if kind == "variable":
            return self.p.let(self.variables[parts[0]])
        if kind == "index":
            return self.indices[-1 - parts[0]]
        a, *rest = map(self.value, parts)
        if kind == "load":
            return self.cells[a % SIZE]
        (b,) = rest
        if kind == "get":
            return self.cells.get(a, b)
        return {
            "+": lambda: a + b,
            "-": lambda: a - b,
            "*": lambda: a * b,
            "//": lambda: a // b,
            "%": lambda: a % b,
            "min": lambda: self.p.minimum(a, b),
            "<": lambda: (a < b).astype("int32"),
            "where": lambda: self.p.where(a > 2, a, b),
        }[kind]()

    def run(self, body):
        p = self.p
        for kind, *parts in body:
            if kind in ("assign", "increase"):
                value = self.value(parts[1])
                if kind == "assign":
                    self.variables[parts[0]].assign(value)
                else:
                    self.variables[parts[0]] += value
            elif kind == "store":
                self.cells[self.value(parts[0]) % SIZE] = self.value(parts[1])
            elif kind == "atomic":
                old = self.cells.atomic_add(self.value(parts[0]) % SIZE, self.value(parts[1]))
                self.variables[0].assign(old)
            elif kind == "if":
                with p.if_(self.value(parts[0]) > 0):
                    self.run(parts[1])
                with p.else_():
                    self.run(parts[2])
            elif kind == "for":
                with p.for_(parts[0]) as i:
                    self.indices.append(i.astype("int32"))
                    self.run(parts[1])
                    self.indices.pop()
            else:
                left = p.variable(parts[0])
                with p.while_(lambda left=left: left > 0):
                    left -= 1
                    self.run(parts[1])


# --- as Python does it ----------------------------------------------------------------------------


def wrapped(number):
    return (number + 2**31) % 2**32 - 2**31


class Running:
    def __init__(self, cells):
        self.cells = cells
        self.variables = list(range(VARIABLES))
        self.indices = [7] * 3

    def value(self, expression):
        kind, *parts = expression
        if kind == "number":
            return parts[0]
        if kind == "variable":
            return self.variables[parts[0]]
        if kind == "index":
            return self.indices[-1 - parts[0]]
        a, *rest = map(self.value, parts)
        if kind == "load":
            return self.cells[a % SIZE]
        (b,) = rest
        if kind == "get":
            return self.cells[a] if 0 <= a < SIZE else b
        found = {
            "+": lambda: a + b,
            "-": lambda: a - b,
            "*": lambda: a * b,
            "//": lambda: a // b if b else 0,
            "%": lambda: a % b if b else 0,
            "min": lambda: min(a, b),
            "<": lambda: int(a < b),
            "where": lambda: a if a > 2 else b,
        }[kind]()
        return wrapped(found)

    def run(self, body):
        for kind, *parts in body:
            if kind == "assign":
                self.variables[parts[0]] = self.value(parts[1])
            elif kind == "increase":
                self.variables[parts[0]] = wrapped(self.value(parts[1]) + self.variables[parts[0]])
            elif kind == "store":
                place = self.value(parts[0]) % SIZE
                self.cells[place] = self.value(parts[1])
            elif kind == "atomic":
                place, added = self.value(parts[0]) % SIZE, self.value(parts[1])
                self.variables[0] = self.cells[place]
                self.cells[place] = wrapped(self.cells[place] + added)
            elif kind == "if":
                self.run(parts[1] if self.value(parts[0]) > 0 else parts[2])
            elif kind == "for":
                for i in range(parts[0]):
                    self.indices.append(i)
                    self.run(parts[1])
                    self.indices.pop()
            else:
                for _ in range(parts[0]):
                    self.run(parts[1])


@given(body=BODIES, seed=st.integers(0, 9))
@settings(max_examples=60)
def test_random_programs_do_what_python_does(body, seed):
    @mt.program(
        start=mt.Input("int32", 1),
        cells=mt.Output("int32", 1, SIZE),
        last=mt.Output("int32", 1, VARIABLES),
    )
    def program(p, start, cells, last):
        with p.for_(SIZE) as i:
            cells[i] = start[i]
        recording = Recording(p, cells)
        recording.run(body)
        for place, variable in enumerate(recording.variables):
            last[place] = variable

    start = np.random.default_rng(seed).integers(-5, 12, SIZE).astype(np.int32)
    running = Running(start.tolist())
    running.run(body)
    wanted = (running.cells, running.variables)
    for outputs in (program(start), program.checked(start)):
        assert tuple(np.asarray(each).tolist() for each in outputs) == wanted
    with mt.use("reference"):
        assert tuple(np.asarray(each).tolist() for each in program(start)) == wanted
