"""Positions, steps, strides and sizes: what is left out, what is refused."""

import copy
import pickle

import pytest

from muntin.core.coordinates import Coordinates, Steps, Strides, TensorShape
from muntin.errors import BoundsError, ParameterError, ShapeError, UnsupportedError


def test_what_is_left_out():
    assert [Coordinates(3, -2)[d] for d in range(4)] == [3, -2, 0, 0]
    assert [TensorShape(3)[d] for d in range(3)] == [3, 1, 1]
    assert [Steps(8)[d] for d in range(3)] == [8, 1, 1]
    assert [Strides(1, -640)[d] for d in range(3)] == [1, -640, 0]


def test_names_of_dimensions():
    position = Coordinates(1, 2, 3)
    assert (position.x, position.y, position.z) == (1, 2, 3)
    assert position[1:] == (2, 3)


def test_coordinates_keep_zeros_and_shapes_drop_ones():
    assert Coordinates(1, 0).num_dimensions == 2
    assert TensorShape(5, 1, 1) == TensorShape(5) == (5,)
    assert TensorShape(1).num_dimensions == 0
    assert TensorShape(1, 5).num_dimensions == 2


def test_one_element_and_none_differ():
    assert TensorShape().total_size == TensorShape(1).total_size == 1
    assert TensorShape(0).total_size == TensorShape(4, 0).total_size == 0
    assert TensorShape(4, 0).num_dimensions == 2


def test_set_returns_a_new_one():
    shape = TensorShape(5)
    assert shape.set(2, 3) == TensorShape(5, 1, 3)
    assert shape == TensorShape(5)
    assert TensorShape(5, 4).set(1, 1) == TensorShape(5)
    assert Coordinates().set(1, -3) == Coordinates(0, -3)


def test_sizes():
    shape = TensorShape(2, 3, 4)
    assert shape.total_size_lower(2) == 6
    assert shape.total_size_upper(1) == 12
    assert shape.total_size_upper(4) == 1
    assert shape.collapse(2) == TensorShape(6, 4)
    assert shape.collapse(2, 1) == TensorShape(2, 12)
    assert shape.collapse(3, 2) == shape
    assert shape.collapse(2, 4) == shape


def test_numpy_order():
    assert TensorShape.from_numpy((480, 640)) == TensorShape(640, 480)
    assert TensorShape.from_numpy((1, 640)).to_numpy(2) == (1, 640)
    assert TensorShape(640, 480, 3).to_numpy() == (3, 480, 640)


def test_broadcast_aligns_at_x():
    assert TensorShape.broadcast(TensorShape(4), TensorShape(1, 3)) == TensorShape(4, 3)
    assert TensorShape.broadcast(TensorShape(1), TensorShape(0)) == TensorShape(0)
    with pytest.raises(ShapeError, match=r"\(4,\) and \(5,\) do not broadcast"):
        TensorShape.broadcast(TensorShape(4), TensorShape(5))


@pytest.mark.parametrize("value", [Coordinates(1, 0), TensorShape(5, 4), Steps(2), Strides(-1)])
def test_copies_are_equal(value):
    for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value)):
        assert twin == value
        assert type(twin) is type(value)


def test_text():
    assert repr(TensorShape(640, 480, 1)) == "TensorShape(640, 480)"
    assert repr(Coordinates()) == "Coordinates()"


@pytest.mark.parametrize("kind", [Coordinates, Steps, Strides, TensorShape])
def test_refuses_a_seventh_dimension(kind):
    assert kind(*[2] * 6).num_dimensions == 6
    with pytest.raises(ShapeError, match=f"{kind.__name__}: got 7 dimensions; at most 6 exist"):
        kind(*[2] * 7)
    for dimension in (6, -1):
        with pytest.raises(BoundsError, match=f"dimension {dimension} does not exist; .* to 5"):
            kind(2)[dimension]


def test_refuses_numbers_out_of_range():
    with pytest.raises(ParameterError, match=r"Steps: \(1, 0\) has a number below 1"):
        Steps(1, 0)
    with pytest.raises(ParameterError, match=r"TensorShape: \(-1,\) has a number below 0"):
        TensorShape(-1)


def test_refuses_what_is_no_integer():
    with pytest.raises(UnsupportedError, match=r"Coordinates: \(1.5,\) are not all integers"):
        Coordinates(1.5)


@pytest.mark.parametrize(("count", "first"), [(0, 0), (2, 5), (1, -1)])
def test_refuses_to_collapse_what_is_not_there(count, first):
    with pytest.raises(BoundsError, match=f"collapse: {count} dimensions from {first} on do"):
        TensorShape(2, 3).collapse(count, first)
