"""Programs that read at computed coordinates, run with every access checked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin.runtime import native
from muntin.runtime.native import NativeDevice
from muntin.runtime.reference import ReferenceDevice
from tests.runtime.audit import Interpreting


def interpreted(array, seed=0):
    """Return the elements of an Array, computed by interpreted programs, and the last record."""
    interpreting = Interpreting(np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_launch", interpreting.launch)
        (found,) = NativeDevice().evaluate([array._node], [None], threads=1)
    interpreting.check_written()
    return found, interpreting.record


def expressions(rng, shape):
    """Return expressions that gather, of an image and the indices of some of its rows."""
    image = mt.asarray(rng.integers(0, 256, shape).astype(np.uint8))
    table = mt.asarray(rng.integers(0, 9999, 256).astype(np.int32))
    rows = mt.asarray(rng.integers(-shape[0], shape[0], 3))
    columns = mt.asarray(rng.integers(-shape[1], shape[1], shape).astype(np.int16))
    colours = mt.asarray(rng.integers(0, 256, (*shape, 3)).astype(np.uint8))
    return [
        table[image] * 2 + 1,
        table[:100][image // 3].at(1, 0) + table[image.at(0, 1)],
        image[rows],
        image[:, rows[:, None] % shape[1]] + 1,
        mt.take_along_axis(image, columns, axis=1),
        image.T[rows % shape[1], ::-1],
        colours[rows].at(0, 1) - 1,
        colours[..., rows % 3],
        (image[::2, ::2] + 1)[image[0] % 2 * 0],
        image[:, columns[0] % shape[1]] + image.at(1, 0) - image.at(-1, 0),
        (image[:, columns[0] % shape[1]] * 3).at(1, 1) - image.at(-2, 0),
        image[rows[:1] % shape[0]][:, ::-1] + table[image[:1]],
    ]


@given(st.integers(0, 99), st.integers(0, 11), st.integers(1, 9), st.integers(1, 9))
def test_programs_that_gather_touch_nothing_but_what_they_may(seed, number, rows, columns):
    array = expressions(np.random.default_rng(seed), (rows, columns))[number]
    (wanted,) = ReferenceDevice().evaluate([array._node], [None])
    found, record = interpreted(array, seed)
    np.testing.assert_array_equal(found, wanted, strict=True)
    assert not record.any()


@pytest.mark.parametrize("bad", [-6, 5, 2**63 - 1, -(2**63)])
def test_nothing_is_read_out_of_bounds(bad):
    places = np.array([[0, 1, 4], [2, bad, 3]])
    array = mt.asarray(np.arange(5) + 10)[mt.asarray(places)] * 2
    found, record = interpreted(array)
    assert found.tolist() == [[20, 22, 28], [24, 20, 26]]
    assert record.tolist() == [[1, bad + 5 if bad < 0 else bad]]


def test_the_index_that_is_out_of_bounds_is_told():
    x = mt.asarray(np.arange(12).reshape(3, 4))
    array = x[mt.asarray(np.array([0, 1])), mt.asarray(np.array([3, 4]))]
    assert interpreted(array)[1].tolist() == [[0, 0], [1, 4]]


@settings(max_examples=40)
@given(st.data())
def test_narrow_elements_are_taken_out_of_words_that_lie_within_rows(data):
    dtype = data.draw(st.sampled_from(["bool", "int8", "uint8", "int16", "uint16"]))
    rows, columns, step = (data.draw(st.integers(1, 7)) for _ in range(3))
    rng = np.random.default_rng(rows)
    values = rng.integers(-300, 300, (rows, columns * step)).astype(dtype)
    source = values[:, ::step] if data.draw(st.booleans()) else values[::-1, ::-1]
    at = rng.integers(0, [[rows], [source.shape[1]]], (2, 12))
    found, _ = interpreted(mt.asarray(source)[mt.asarray(at[0]), mt.asarray(at[1])])
    np.testing.assert_array_equal(found, source[at[0], at[1]], strict=True)
    if dtype == "bool":
        return
    image, points = mt.asarray(source, axes="yx"), rng.uniform(-3, 9, (2, 12)).astype(np.float32)
    made = mt.sample(image, *points, border=data.draw(st.sampled_from(["symmetric", "wrap"])))
    (wanted,) = ReferenceDevice().evaluate([made._node], [None])
    np.testing.assert_array_equal(interpreted(made)[0], wanted, strict=True)


@pytest.mark.parametrize(
    ("dtype", "border", "words"),
    [("uint8", "replicate", 2), ("int16", "reflect101", 2), ("uint8", "wrap", 4)],
)
def test_two_elements_side_by_side_are_one_word(dtype, border, words):
    image = mt.asarray(np.zeros((9, 9), dtype), axes="yx")
    made = mt.sample(image, np.zeros(5, np.float32), np.zeros(5, np.float32), border=border)
    program = str(mt.explain(made, what="program"))
    gathering, _, _ = program.partition("function pack_")  # which shortens words too
    assert gathering.count("word at") == words


@settings(max_examples=40)
@given(st.data())
def test_channels_of_points_run_along_in_rows(data):
    rows, columns = (data.draw(st.integers(1, 5)) for _ in range(2))
    channels = data.draw(st.sampled_from([1, 3, 4]))
    rng = np.random.default_rng(rows)
    dtype = data.draw(st.sampled_from(["uint8", "float32"]))
    source = rng.integers(0, 99, (rows, columns, channels)).astype(dtype)
    if data.draw(st.booleans()):
        source = source.transpose(1, 0, 2)[..., ::-1]
    where = rng.uniform(-2, 7, (2, 3, 4)).astype(np.float32)
    points = [mt.asarray(each) for each in where]
    if data.draw(st.booleans()):  # computed from indices
        points = [points[0] * 0 + mt.arange(4, dtype="float32"), mt.arange(3)[:, None] * points[1]]
    image = mt.asarray(source, axes="yxc")
    made = mt.sample(image, *points, border=data.draw(st.sampled_from(["reflect101", "wrap"])))
    (wanted,) = ReferenceDevice().evaluate([made._node], [None])
    np.testing.assert_array_equal(interpreted(made)[0], wanted, strict=True)


@pytest.mark.parametrize("seed", range(4))
def test_of_indices_of_whole_rows_one_element_is_read(seed):
    x = np.arange(40, dtype=np.uint8).reshape(5, 8)
    places = mt.asarray(np.array([4, -1, 0, 2, 2], np.int16))
    taken = mt.asarray(x)[places]
    text = str(mt.explain(taken, what="program"))
    assert "if in1_mode == DIRECT or in1_column == 0 and in0_column == 1" in text
    found, record = interpreted(taken * 2 + 1, seed)
    assert found.tolist() == (x[[4, -1, 0, 2, 2]] * 2 + 1).tolist()
    assert not record.any()
    _, record = interpreted(mt.asarray(x)[mt.asarray(np.array([1, 7, 2]))], seed)
    assert record.tolist() == [[1, 7]]
    both = mt.asarray(x)[places] + places[:, None]
    assert (
        interpreted(both, seed)[0].tolist()
        == (x[[4, -1, 0, 2, 2]] + np.array([[4], [-1], [0], [2], [2]], np.int16)).tolist()
    )
