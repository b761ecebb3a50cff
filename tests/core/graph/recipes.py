"""Recipes of graphs: drawn by a seed or by Hypothesis, and built at any sizes over any memory.

A recipe is plain data, whose repr makes it again. Every recipe can be built: what does not fit a
node is left out or cast, so that leaving out steps and making sizes smaller finds small graphs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from muntin.core.graph import build
from muntin.core.graph.node import Node
from muntin.dtypes import DTYPES
from muntin.runtime.buffer import Buffer
from tests.core.graph.choices import Choices, Drawn
from tests.core.graph.laid_out import Layout, embed, values
from tests.core.graph.steps.beside import Read, Stencil, WindowSum
from tests.core.graph.steps.chosen import Take, TakeAlong
from tests.core.graph.steps.made import Made, Step
from tests.core.graph.steps.points import Sample, Scatter
from tests.core.graph.steps.pointwise import TYPES, Cast, Count, Keep, Number, Work
from tests.core.graph.steps.products import Product
from tests.core.graph.steps.runs import Combine, Fold, RowFold, Scan
from tests.core.graph.steps.shapes import Join, Look, Reshape

Array: TypeAlias = np.ndarray[Any, Any]

# The kinds of steps; one that is there twice is drawn twice as often. A new kind is a class with
# `drawn` and `add`, and an entry here.
STEPS: tuple[Callable[[Choices, str | None], Step], ...] = tuple(
    [
        kind.drawn
        for kind, weight in {
            Work: 3,
            Cast: 1,
            Number: 1,
            Count: 1,
            Keep: 1,
            Look: 2,
            Read: 1,
            Stencil: 3,
            WindowSum: 1,
            Fold: 1,
            Combine: 1,
            RowFold: 1,
            Scan: 1,
            Reshape: 1,
            Join: 1,
            Take: 1,
            TakeAlong: 1,
            Sample: 1,
            Scatter: 1,
            Product: 1,
        }.items()
        for _ in range(weight)
    ]
)
PLAIN = Layout()
AXES = (None, "x", "yx", "yx", "xy", "yxc", "yxc", "cyx", "nyxc")


@dataclass(frozen=True)
class Leaf:
    """An input; axes in `ones` have length 1, and the first `dropped` axes are missing."""

    dtype: str
    layout: Layout = PLAIN
    ones: tuple[bool, ...] = (False,) * 4
    dropped: int = 0

    @classmethod
    def drawn(cls, choices: Choices) -> Leaf:
        layout = Layout(margin=0)
        if choices.integer(0, 1):
            steps = choices.several(lambda: choices.one_of((1, 1, 1, -1, 2, -2, 3, 0)), 4, 4)
            layout = Layout(choices.integer(0, 23), steps, choices.integer(0, 2))
        ones: tuple[bool, ...] = (False,) * 4
        if choices.integer(0, 1):
            ones = choices.several(lambda: choices.one_of((False, False, True)), 4, 4)
        return cls(choices.one_of(TYPES), layout, ones, choices.one_of((0, 0, 0, 0, 1, 2)))

    def add(self, made: Made) -> None:
        dtype = DTYPES[self.dtype]
        dropped = self.dropped % (len(made.shape) + 1)
        shape = tuple([1 if one else n for n, one in zip(made.shape, self.ones, strict=False)])
        shape = shape[dropped:]
        axes = made.axes if dropped == 0 else None
        array, held = embed(made.rng, values(made.rng, shape, dtype), self.layout, dtype)
        made.inputs.append(array)
        made.held.append(held)
        made.nodes.append(build.input_node(Buffer(array), shape, dtype, axes if shape else ""))


@dataclass(frozen=True)
class Recipe:
    """A graph without sizes and data; `roots` count from the last node."""

    rank: int
    axes: str | None
    leaves: tuple[Leaf, ...]
    steps: tuple[Step, ...]
    roots: tuple[int, ...]


@dataclass
class Built:
    """A recipe's graph over memory of its own; `held` has the larger arrays around the inputs."""

    roots: list[Node]
    nodes: list[Node]
    inputs: list[Array]
    held: list[Array]

    def snapshot(self) -> list[bytes]:
        """Return all bytes of the inputs and around them."""
        return [held.tobytes() for held in self.held]


def graph(recipe: Recipe, sizes: tuple[int, ...], seed: int, *, keep_all: bool = False) -> Built:
    """Build a recipe for a shape and a seed of the data; `keep_all` stores every node."""
    rng = np.random.default_rng(seed)
    made = Made(sizes[: recipe.rank], recipe.axes, rng, keep_all)
    for part in (*recipe.leaves, *recipe.steps):
        part.add(made)
    return Built([made.pick(root) for root in recipe.roots], made.nodes, made.inputs, made.held)


# --- drawing --------------------------------------------------------------------------------------


def draw_recipe(choices: Choices, longest: int) -> Recipe:
    """Return a recipe of at most so many steps."""
    axes = choices.one_of(AXES)
    rank = choices.integer(0, 4) if axes is None else len(axes)
    return Recipe(
        rank,
        axes,
        choices.several(lambda: Leaf.drawn(choices), 1, 3),
        choices.several(lambda: choices.one_of(STEPS)(choices, axes), min(4, longest), longest),
        choices.several(lambda: choices.integer(0, 3), 1, 3),
    )


def draw_shape(choices: Choices, recipe: Recipe, widest: int = 300) -> tuple[int, ...]:
    """Return the sizes of a recipe's axes: few channels, and few rows or few columns."""
    letters = recipe.axes or "ncyx"[4 - recipe.rank :]
    columns, rows = choices.one_of(((70, 9), (70, 9), (300, 9), (9, 40)))
    columns = min(columns, widest)
    limits = {"x": columns * 4 if recipe.rank == 1 else columns, "y": rows, "n": 3}
    least = 0 if choices.integer(0, 9) == 9 else 1
    return tuple(
        [
            choices.one_of((3, 4, 2, 1, least))
            if letter == "c"
            else choices.integer(least, limits[letter])
            for letter in letters
        ]
    )


@st.composite
def recipes(draw: st.DrawFn, longest: int = 10) -> Recipe:
    """Draw a recipe, whose indices are within bounds."""
    recipe = draw_recipe(Drawn(draw), longest)
    return replace(recipe, steps=tuple(map(_inside, recipe.steps)))


def _inside(step: Step) -> Step:
    """Return a step with its indices brought within bounds."""
    if isinstance(step, Take | TakeAlong | Scatter) and step.bounds == "any":
        return replace(step, bounds="both")
    return step


@st.composite
def shapes(draw: st.DrawFn, recipe: Recipe, widest: int = 300) -> tuple[int, ...]:
    """Draw the sizes of a recipe's axes."""
    return draw_shape(Drawn(draw), recipe, widest)
