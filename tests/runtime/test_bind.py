"""Binding: slots for strides, and windows that fit the caches and cover everything."""

import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.plan.facts import KernelFacts, RowMode, ScratchRows
from muntin.core.plan.kernel import Domain
from muntin.core.regions import Box
from muntin.dtypes import DTYPES
from muntin.runtime.bind import Limits, bind, scalar_bits
from tests.runtime.audit import pieces

U8, F32 = DTYPES["uint8"], DTYPES["float32"]
LIMITS = Limits(32 << 10, 1 << 20, 2, 1 << 40)
PLANE = Domain(2, 0, 1, 1, True)
IMAGE = Domain(2, 0, 1, 1, False)
PIXELS = Domain(3, 0, 1, 3, False)


def facts_of(dtypes=(U8, U8), **changes):
    """Return the facts of a kernel of one operand and one output."""
    facts = KernelFacts(
        operands=dtypes[:1],
        outputs=dtypes[1:],
        scalars=(),
        is_offset=(False,),
        rows=(ScratchRows(1, 0, 1), ScratchRows(1, 0, 1)),
        blocks=(ScratchRows(16, 0, 1),),
        fixed_scratch=64,
        has_rings=False,
        seam=0,
        reach=0,
        row_unit=1,
        column_unit=1,
        streams=False,
        shared=(),
        indices=(0,),
        level=(),
    )
    return facts._replace(**changes)


def bound(strides, out, shape=(40, 50), domain=PLANE, facts=None, box=None, **rest):
    facts = facts_of() if facts is None else facts
    limits = rest.get("limits", LIMITS)
    box = Box.full(shape) if box is None else box
    in_place = [rest.get("in_place", False)]
    return bind(facts, domain, shape, box, [strides], [out], in_place, limits)


def modes(binding, rank=2):
    """Return the modes of the operand and of the output."""
    step = 3 + max(rank - 2, 0) + 1
    return [RowMode(binding.slots[first + step]) for first in (0, step + 1)]


class TestNumbers:
    @pytest.mark.parametrize("name", DTYPES)
    @given(st.data())
    def test_the_low_bytes_are_the_number_in_memory(self, name, data):
        dtype = DTYPES[name]
        if dtype.is_float:
            value = data.draw(st.floats(width=dtype.bits))
        else:
            value = data.draw(st.integers(dtype.least, dtype.greatest))
        memory = struct.pack("<q", scalar_bits(value, dtype))[: dtype.itemsize]
        assert memory == np.array(value, dtype.numpy).tobytes()

    @pytest.mark.parametrize("value", [1e300, -1e300, 1 << 1000])
    def test_what_overflows_is_infinite(self, value):
        memory = struct.pack("<q", scalar_bits(value, F32))[:4]
        assert struct.unpack("<f", memory) == (np.copysign(np.inf, float(value)),)


class TestModes:
    def test_contiguous_rows_are_read_and_written_where_they_lie(self):
        assert modes(bound((50, 1), (50, 1))) == [RowMode.DIRECT, RowMode.DIRECT]

    def test_padded_rows_too(self):
        assert modes(bound((64, 1), (80, 1))) == [RowMode.DIRECT, RowMode.DIRECT]

    @pytest.mark.parametrize("strides", [(50, -1), (100, 2), (50, 0)])
    def test_other_columns_are_packed(self, strides):
        assert modes(bound(strides, (50, 1))) == [RowMode.PACKED, RowMode.DIRECT]
        assert modes(bound((64, 1), (-200, -4)))[1] == RowMode.PACKED

    def test_transposed_operands_are_read_in_blocks(self):
        assert modes(bound((1, 40), (50, 1))) == [RowMode.BLOCKED, RowMode.DIRECT]
        assert modes(bound((1, 40), (50, 1), domain=IMAGE))[0] == RowMode.PACKED

    def test_what_is_overwritten_is_packed_first(self):
        assert modes(bound((50, 1), (50, 1), in_place=True))[0] == RowMode.PACKED

    def test_outputs_past_the_caches(self):
        limits, facts = replace(LIMITS, stream_bytes=2000), facts_of(streams=True)
        given = {"facts": facts, "limits": limits}
        assert modes(bound((50, 1), (50, 1), **given))[1] == RowMode.STREAMED
        assert modes(bound((50, 1), (50, 1), (39, 50), **given))[1] == RowMode.DIRECT
        assert modes(bound((50, 1), (100, 2), **given))[1] == RowMode.PACKED

    def test_pointwise_outputs_pass_the_caches_only_if_a_loop_writes_them_so(self):
        limits = replace(LIMITS, stream_bytes=2000)
        assert modes(bound((50, 1), (50, 1), limits=limits))[1] == RowMode.DIRECT
        assert modes(bound((50, 1), (50, 1), domain=IMAGE, limits=limits))[1] == RowMode.STREAMED

    def test_channels_count_for_what_passes_the_caches(self):
        limits = replace(LIMITS, stream_bytes=40 * 50 * 3)
        shape, strides = (40, 50, 3), (150, 3, 1)
        assert modes(bound(strides, strides, shape, PIXELS, limits=limits))[1] == RowMode.STREAMED
        limits = replace(limits, stream_bytes=limits.stream_bytes + 1)
        assert modes(bound(strides, strides, shape, PIXELS, limits=limits))[1] == RowMode.DIRECT

    def test_pixels_are_contiguous_with_their_channels(self):
        def mode(*strides):
            binding = bound(strides, (150, 3, 1), (40, 50, 3), PIXELS)
            return modes(binding)[0]

        assert mode(150, 3, 1) == mode(-150, 3, 1) == RowMode.DIRECT
        assert mode(200, 4, 1) == mode(150, 3, -1) == RowMode.PACKED


class TestAxes:
    def test_axes_of_pointwise_work_are_merged(self):
        assert bound((50, 1), (50, 1)).extent == (1, 1, 2000)
        assert bound((64, 1), (50, 1)).extent == (1, 40, 50)

    def test_axes_follow_the_output(self):
        binding = bound((1, 40), (1, 40))
        assert binding.extent == (1, 1, 2000)
        assert modes(binding) == [RowMode.DIRECT, RowMode.DIRECT]

    def test_axes_of_images_stay(self):
        assert bound((50, 1), (50, 1), domain=IMAGE).extent == (1, 40, 50)
        binding = bound((150, 3, 1), (150, 3, 1), (40, 50, 3), PIXELS)
        assert binding.extent == (1, 40, 50)

    def test_images_without_channels_have_no_windows(self):
        domain = Domain(3, 0, 1, 0, False)
        assert bound((0, 0, 1), (0, 0, 1), (4, 5, 0), domain).extent == (0, 4, 5)

    def test_a_part_is_offset_where_axes_have_no_meaning(self):
        box = Box((3, 4), (13, 24))
        part = bound((64, 1), (50, 1), box=box)
        assert (part.extent, part.operand_offsets) == ((1, 10, 20), (3 * 64 + 4,))
        assert part.output_offsets == (3 * 50 + 4,)
        image = bound((64, 1), (50, 1), box=box, domain=IMAGE)
        assert (image.extent, image.operand_offsets) == ((1, 10, 20), (0,))
        assert list(image.slots[image.phase_slot - 4 : image.phase_slot]) == [40, 50, 3, 4]

    @pytest.mark.parametrize(
        ("shape", "extent"), [((), (1, 1, 1)), ((7,), (1, 1, 7)), ((2, 3, 4, 5), (6, 4, 5))]
    )
    def test_any_rank(self, shape, extent):
        rank = len(shape)
        row, column = (rank - 2 if rank > 1 else None), (rank - 1 if rank else None)
        domain = Domain(rank, row, column, 1, True)
        strides = np.zeros(shape, np.uint8).strides
        padded = tuple([stride * 3 for stride in strides])
        binding = bound(padded, strides, shape, domain)
        assert np.prod(binding.extent) == np.prod(shape)
        image = bound(strides, strides, shape, Domain(rank, row, column, 1, False))
        assert image.extent == extent


shapes = st.tuples(st.integers(1, 3000), st.integers(1, 40_000))
kernels = st.builds(
    lambda rings, seam, reach, pixel, streams: facts_of(
        has_rings=rings,
        seam=seam * rings,
        reach=reach * rings,
        rows=(ScratchRows(8, reach, pixel), ScratchRows(1, 0, 1)),
        streams=streams,
    ),
    st.booleans(),
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from([1, 2, 4, 12]),
    st.booleans(),
)


@given(shapes, kernels, st.integers(1, 16), st.sampled_from([(1, 1), (0, 3), (0, -1)]))
def test_windows_cover_everything_once_and_fit(shape, facts, threads, padding):
    rows, columns = shape
    more, step = padding
    strides = (columns * abs(step) + more, step)
    limits = Limits(32 << 10, 1 << 20, threads, 1 << 40)
    binding = bound(strides, (columns, 1), shape, IMAGE, facts, limits=limits)
    covered = sum((y1 - y0) * (x1 - x0) for _, _, y0, y1, x0, x1 in pieces(*launch(binding)))
    assert covered == rows * columns
    pairs = zip(binding.grain, binding.extent, strict=True)
    assert all(1 <= grain <= max(size, 1) for grain, size in pairs)
    assert 1 <= binding.threads <= threads
    width = binding.grain[2]
    if facts.has_rings:
        rings = sum(row.nbytes(width) for row in facts.rows)
        assert binding.scratch_bytes == rings + 64
        seams = facts.seam * -(-rows // binding.grain[1])
        assert seams <= max(rows / 10, facts.seam) + facts.seam
    elif step != 1:
        assert binding.scratch_bytes <= 64 + 2 * (2048 * 12 + 64) * 8


def launch(binding):
    return binding.extent, binding.grain


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_small_work_stays_in_the_calling_thread(threads):
    limits = Limits(32 << 10, 1 << 20, threads, 1 << 40)
    assert bound((50, 1), (50, 1), limits=limits).threads == 1
    large = bound((5000, 1), (5000, 1), (4000, 5000), limits=limits)
    assert large.threads == threads
    assert len(list(pieces(*launch(large)))) >= threads


def test_shared_code_is_asked_for_only_where_rows_are_packed():
    asked = []

    def code(name):
        asked.append(name)
        return 4096

    facts = facts_of(shared=("pack8",))
    box = Box.full((40, 50))
    for strides, wanted in (((50, 1), 0), ((100, 2), 4096)):
        binding = bind(facts, PLANE, (40, 50), box, [strides], [(50, 1)], [False], LIMITS, code)
        assert binding.slots[-1] == wanted
    assert asked == ["pack8"]
