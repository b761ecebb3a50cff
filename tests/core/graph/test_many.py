"""Many random graphs of all kinds of nodes give the bits of the reference."""

from itertools import count

import pytest

from muntin.core.border import BorderMode
from muntin.core.graph.ops import OPS
from muntin.core.graph.weighting import Weighting
from muntin.runtime.reference import ReferenceDevice
from tests.core.graph import many, recipes
from tests.core.graph.choices import Seeded
from tests.core.graph.laid_out import Layout
from tests.core.graph.steps import beside, chosen, made, points, pointwise, products, runs, shapes

MANY, SHARD = 10_000, 1000
KINDS = {row.kind for row in OPS.values()}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(0, MANY, SHARD))
def test_interpreted_graphs_have_the_bits_of_the_reference(first):
    kinds = many.check_seeds(range(first, first + SHARD))
    assert set(kinds) == {*KINDS, "out of bounds"}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(0, 150, 50))
def test_compiled_graphs_have_the_bits_of_the_reference(first):
    kinds = many.check_seeds(range(first, first + 50), is_compiled=True)
    assert {"elementwise", "fold", "gather", "neighbour", "scan", "view"} <= set(kinds)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("first", range(0, 1_000_000, MANY))
def test_a_million_graphs_have_the_bits_of_the_reference(first):
    many.check_seeds(range(first, first + MANY))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("first", range(0, 10_000, 500))
def test_ten_thousand_compiled_graphs_have_the_bits_of_the_reference(first):
    many.check_seeds(range(first, first + 500), is_compiled=True)


# --- what the tests are made of -------------------------------------------------------------------


def has_scan_of(one, dtype):
    leaves = any(leaf.dtype == dtype for leaf in one.recipe.leaves)
    return leaves and any(isinstance(step, runs.Scan) for step in one.recipe.steps)


def test_a_case_is_made_as_small_as_still_fails():
    large = next(one for one in map(many.case, count()) if has_scan_of(one, "uint8"))
    small = many.smallest(large, lambda one: has_scan_of(one, "uint8"))
    assert [type(step) for step in small.recipe.steps] == [runs.Scan]
    assert [leaf.dtype for leaf in small.recipe.leaves] == ["uint8"]
    assert small.recipe.leaves[0].layout == Layout(margin=0)
    assert (len(small.recipe.roots), set(small.sizes[0])) == (1, {0})


def test_a_failure_is_told_as_what_python_reads_again():
    known = {"Case": many.Case, "BorderMode": BorderMode, "Weighting": Weighting}
    for module in (recipes, beside, chosen, made, pointwise, points, products, runs, shapes):
        known |= vars(module)
    for seed in range(50):
        one = many.case(seed)
        text = many.told(one, ValueError("wrong")).splitlines()
        assert eval(text[0], known) == one
        assert text[1] == "ValueError: wrong"


def test_failures_are_raised_with_the_command_that_repeats_them(monkeypatch):
    def check(one):
        assert one.seed != 3, "the third"
        return many.Counter()

    monkeypatch.setattr(many, "check_interpreted", check)
    with pytest.raises(AssertionError, match=r"1 fail; .* --graphs 1 --first-seed 3\n.*\n.*third"):
        many.check_seeds(range(5))


@pytest.mark.parametrize("check", [many.check_interpreted, many.check_compiled])
def test_another_result_is_a_failure(check, monkeypatch):
    class Wrong:
        def evaluate(self, roots, outs):
            return [array + 1 for array in ReferenceDevice().evaluate(roots, outs)]

    leaves, steps = (recipes.Leaf("int32"),), (pointwise.Work("square", (0, 0, 0)),)
    one = many.Case(recipes.Recipe(1, None, leaves, steps, (0,)), ((3,),), 0)
    check(one)
    monkeypatch.setattr(many, "_REFERENCE", Wrong())
    with pytest.raises(AssertionError, match="3 of 3 differ"):
        check(one)


def test_seeds_are_followed():
    assert many.case(5) == many.case(5)
    assert many.case(5) != many.case(6)
    drawn = Seeded(1)
    assert {drawn.integer(2, 4) for _ in range(99)} == {2, 3, 4}
