"""Very many random graphs, one a seed: interpreted or compiled, they give the reference's bits.

    python -m tests.core.graph.many --graphs 1000000 --processes 2 --summary many.json
    python -m tests.core.graph.many --graphs 1 --first-seed 1234

The second form makes a graph that fails small, and prints it as a `Case` that Python reads again.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from traceback import format_exception_only
from typing import Any, TypeAlias

import click
import numpy as np
import pytest

from muntin.config import settings_override
from muntin.core.graph import row_folds
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological
from muntin.core.program import Program
from muntin.errors import BoundsError
from muntin.runtime import reference
from muntin.runtime.context import use
from muntin.runtime.interpret import Interpreter
from muntin.runtime.native import NativeDevice
from muntin.runtime.reference import ReferenceDevice
from tests.core.graph.choices import Choices, Seeded
from tests.core.graph.laid_out import Layout
from tests.core.graph.recipes import Built, Recipe, draw_recipe, draw_shape, graph
from tests.pointwise import same_bits
from tests.runtime.audit import Auditor, Crowd, Interpreting, assert_same

Array: TypeAlias = np.ndarray[Any, Any]

LONGEST = 8  # steps of a recipe
_SHARD = 500  # graphs that a process takes at a time
_WHOLE = (1 << 40, 1 << 40, 1 << 40)
_REFERENCE = ReferenceDevice()


@dataclass(frozen=True)
class Case:
    """A recipe, and the sizes at which one plan of it is run; `seed` is that of data and pieces."""

    recipe: Recipe
    sizes: tuple[tuple[int, ...], ...]
    seed: int


def case(seed: int, *, is_compiled: bool = False) -> Case:
    """Return the case of a seed; its arrays are small where it is to be interpreted."""
    choices = Seeded(seed)
    recipe = draw_recipe(choices, LONGEST)
    if is_compiled:
        return Case(recipe, (draw_shape(choices, recipe),), seed)
    count = 2 if choices.integer(0, 7) == 0 else 1
    return Case(recipe, tuple([small_shape(choices, recipe) for _ in range(count)]), seed)


def small_shape(choices: Choices, recipe: Recipe) -> tuple[int, ...]:
    """Return sizes of few elements in all, some with rows of more lanes than a vector has."""
    if choices.integer(0, 24) == 0:
        return draw_shape(choices, recipe, 40 if recipe.rank < 3 else 20)
    letters = recipe.axes or "ncyx"[4 - recipe.rank :]
    least = 0 if choices.integer(0, 11) == 0 else 1
    limits = {"n": 2, "c": 3, "y": 3, "x": 4}
    return tuple([choices.integer(least, limits[letter]) for letter in letters])


# --- checks ---------------------------------------------------------------------------------------


@cache
def _device() -> NativeDevice:
    """Return the device of this process, which remembers one plan."""
    return NativeDevice(1)


def check_interpreted(one: Case) -> Counter[str]:
    """Compare the reference with the programs of the kernels, run in Python in random pieces.

    Returns the kinds of nodes; raises an AssertionError, or what the compiler raises.
    """
    rng, kinds = np.random.default_rng(one.seed), Counter[str]()
    device, interpreters = _device(), dict[Program, Interpreter]()
    grain = _WHOLE if one.seed % 2 else None
    for sizes in one.sizes:
        built, wanted = expected(one, sizes, kinds)
        interpreting = Interpreting(rng, grain, interpreters=interpreters)
        interpreting.is_quick = one.seed % 8 > 0
        before = built.snapshot()
        with interpreting.in_place_of_code(), few_rows():
            got = device.evaluate(built.roots, [None] * len(built.roots), threads=1)
        check_outcome(built, got, interpreting.faults, wanted)
        interpreting.check_written()
        assert built.snapshot() == before, "an input, or memory beside one, was written"
    return kinds


def check_compiled(one: Case) -> Counter[str]:
    """Compare the reference with machine code: in one thread, in random pieces, in two threads."""
    kinds = Counter[str]()
    rng, device = np.random.default_rng(one.seed), _device()
    for sizes in one.sizes:
        built, wanted = expected(one, sizes, kinds)
        before = built.snapshot()
        for scheduler in (None, Auditor(rng), Crowd(rng, device.scheduler)):
            changes = {"streaming_threshold": one.seed % 2, "poison": True}
            faults, got = [], []
            with settings_override(**changes), use(scheduler=scheduler), few_rows():
                try:
                    got = device.evaluate(built.roots, [None] * len(built.roots), threads=1)
                except BoundsError as error:
                    faults.append(error)
            check_outcome(built, got, faults, wanted)
            assert built.snapshot() == before, "an input, or memory beside one, was written"
    return kinds


@contextmanager
def few_rows() -> Iterator[None]:
    """Let folds of rows stay in the kernels that use them, however few rows there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_folds, "FEWEST_ROWS", 1)
        yield


def expected(
    one: Case, sizes: tuple[int, ...], kinds: Counter[str]
) -> tuple[Built, list[Array] | BoundsError]:
    """Return a case's graph and what it gives; its nodes are counted."""
    built = graph(one.recipe, sizes, one.seed)
    kinds.update([node.op.kind for node in topological(built.roots)])
    try:
        return built, _REFERENCE.evaluate(built.roots, [None] * len(built.roots))
    except BoundsError as error:
        kinds["out of bounds"] += 1
        return built, error


def check_outcome(
    built: Built, got: list[Array], faults: list[BoundsError], wanted: list[Array] | BoundsError
) -> None:
    """Compare results, or that an index was found to be out of bounds.

    An index that chooses nothing which is looked at may be out of bounds: the reference computes
    whole arrays, a kernel only what is needed.
    """
    if isinstance(wanted, BoundsError):
        if faults:
            return
        first, last = [_with_any_index(built, end) for end in (0, 1)]
        alike = all(map(same_bits, first, last))
        assert alike, f"no index was found out of bounds; the reference says {wanted}"
        wanted = first
    assert not faults, f"the reference finds all indices within bounds, but: {faults[0]}"
    for one, other in zip(got, wanted, strict=True):
        assert_same(one, other)


def _with_any_index(built: Built, end: int) -> list[Array]:
    """Return what the reference gives if indices out of bounds choose the first or last element."""

    def gather(node: Node, args: list[Array]) -> Array:
        held, *indices = args
        sizes = held.shape[len(node.shape) :]
        for place, size in enumerate(sizes):
            outside = (indices[place] < 0) | (indices[place] >= size)
            indices[place] = np.where(outside, end * (size - 1), indices[place])
        return reference.gathered(node, held, indices)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(reference._RULES, "gather", gather)
        return _REFERENCE.evaluate(built.roots, [None] * len(built.roots))


# --- failures -------------------------------------------------------------------------------------


def failure(check: Callable[[Case], object], one: Case) -> BaseException | None:
    """Return what a check raises."""
    try:
        check(one)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is to be shown
        return error
    return None


def smallest(one: Case, fails: Callable[[Case], bool]) -> Case:
    """Return a case that fails still, and from which nothing can be taken away."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for other in simpler(one):
            if fails(other):
                one, is_smaller = other, True
                break
    return one


def simpler(one: Case) -> Iterator[Case]:
    """Return cases from which one thing is taken away."""
    recipe = one.recipe
    if len(one.sizes) > 1:
        yield from [replace(one, sizes=(sizes,)) for sizes in one.sizes]
    for name in ("steps", "roots", "leaves"):
        parts = getattr(recipe, name)
        for place in reversed(range(len(parts))):
            fewer = (*parts[:place], *parts[place + 1 :])
            if fewer or name == "steps":
                yield replace(one, recipe=replace(recipe, **{name: fewer}))
    for place, leaf in enumerate(recipe.leaves):
        plain = replace(leaf, layout=Layout(margin=0), ones=(False,) * 4, dropped=0)
        for other in (plain, replace(leaf, layout=plain.layout), replace(leaf, dtype="int32")):
            if other != leaf:
                leaves = (*recipe.leaves[:place], other, *recipe.leaves[place + 1 :])
                yield replace(one, recipe=replace(recipe, leaves=leaves))
    for sizes in one.sizes[:1]:
        for axis, size in enumerate(sizes):
            for less in {size // 2, size - 1} - {size, -1}:
                shape = (*sizes[:axis], less, *sizes[axis + 1 :])
                yield replace(one, sizes=(shape, *one.sizes[1:]))


def told(one: Case, error: BaseException) -> str:
    """Return a failure as text: the case, which Python reads again, and what went wrong."""
    plain = re.sub(r"<(\w+\.\w+): '\w+'>", r"\1", repr(one))
    return f"{plain}\n{''.join(format_exception_only(error))}"


def check_seeds(seeds: Iterable[int], *, is_compiled: bool = False) -> Counter[str]:
    """Check the cases of some seeds; the first that fails is made small and told."""
    summary = _summary(seeds, is_compiled)
    if summary.failures:
        seed = min(summary.failures)
        flag = " --compiled" if is_compiled else ""
        raise AssertionError(
            f"{len(summary.failures)} fail; python -m tests.core.graph.many --graphs 1 "
            f"--first-seed {seed}{flag}\n{summary.failures[seed]}"
        )
    return summary.kinds


# --- the command ----------------------------------------------------------------------------------


@dataclass
class Summary:
    """What came of some seeds: the failures by seed, and how often there was each kind of node."""

    graphs: int = 0
    failures: dict[int, str] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, seeds: Iterable[int], *, is_compiled: bool = False) -> Summary:
        check = check_compiled if is_compiled else check_interpreted
        found = cls()
        for seed in seeds:
            one = case(seed, is_compiled=is_compiled)
            found.graphs += 1
            try:
                found.kinds += check(one)
            except Exception as error:  # noqa: BLE001 - what fails is told, and the rest is run
                found.failures[seed] = told(one, error)
        return found

    def __iadd__(self, other: Summary) -> Summary:
        self.graphs += other.graphs
        self.failures |= other.failures
        self.kinds += other.kinds
        return self

    def write(self, path: Path, first: int, seconds: float) -> None:
        told = {
            "first seed": first,
            "graphs": self.graphs,
            "seconds": round(seconds),
            "kinds": dict(self.kinds.most_common()),
            "failures": self.failures,
        }
        path.write_text(json.dumps(told, indent=1) + "\n")


@click.command()
@click.option("--graphs", default=10_000, help="How many seeds.")
@click.option("--first-seed", default=0, help="The first of them.")
@click.option("--processes", default=1, help="How many work at a time.")
@click.option("--compiled", is_flag=True, help="Compile the graphs; else they are interpreted.")
@click.option("--summary", type=click.Path(path_type=Path), help="A file for the summary, JSON.")
def main(
    graphs: int, first_seed: int, processes: int, compiled: bool, summary: Path | None
) -> None:
    """Check the graphs of many seeds; a single one that fails is made small."""
    if graphs == 1:
        _check_one(first_seed, compiled)
        return
    start, total = time.monotonic(), Summary()
    shown = start
    stop = first_seed + graphs
    shards = [range(k, min(k + _SHARD, stop)) for k in range(first_seed, stop, _SHARD)]
    with ProcessPoolExecutor(processes) as pool:
        waiting = [pool.submit(_summary, shard, compiled) for shard in shards]
        for done in as_completed(waiting):
            found = done.result()
            total += found
            for seed, text in found.failures.items():
                click.echo(f"seed {seed} fails: {text}")
            now = time.monotonic()
            if now - shown > 60 or total.graphs == graphs:
                shown, each = now, (now - start) / total.graphs
                click.echo(
                    f"{total.graphs} of {graphs} graphs, {len(total.failures)} failures, "
                    f"{each * 1e3:.1f} ms a graph"
                )
                if summary is not None:
                    total.write(summary, first_seed, now - start)
    sys.exit(bool(total.failures))


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Look less often for garbage in cycles, of which there is little."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    yield
    gc.set_threshold(*before)


def _summary(seeds: Iterable[int], is_compiled: bool) -> Summary:
    with _rarely_collected():
        return Summary.of(seeds, is_compiled=is_compiled)


def _check_one(seed: int, is_compiled: bool) -> None:
    check = check_compiled if is_compiled else check_interpreted
    one = case(seed, is_compiled=is_compiled)
    error = failure(check, one)
    if error is None:
        click.echo(f"seed {seed} is right: {one!r}")
        return
    small = smallest(one, lambda other: type(failure(check, other)) is type(error))
    click.echo(told(small, failure(check, small) or error))
    sys.exit(1)


if __name__ == "__main__":
    main()
