"""Windows: the iterations of a kernel, x first, and how they are cut into valid sub-windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, isfinite, prod
from typing import ClassVar, NamedTuple

from muntin.core.coordinates import MAX_DIMENSIONS, Steps, TensorShape, checked_dimension
from muntin.core.regions import BorderSize, ValidRegion
from muntin.errors import BoundsError, ParameterError, ShapeError

__all__ = ["Dimension", "Window", "calculate_max_window"]


class Dimension(NamedTuple):
    """The iterations start, start + step, ... below end; step 0 pins one, at start."""

    start: int = 0
    end: int = 1
    step: int = 1

    @property
    def num_iterations(self) -> int:
        if self.step == 0:
            return 1
        return max(0, -(-(self.end - self.start) // self.step))

    def first(self) -> Dimension:
        """Return the first iteration alone, or none if there is none."""
        if self.step == 0 or self.num_iterations == 0:
            return self
        return Dimension(self.start, self.start + self.step, self.step)


_PINNED = Dimension(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Window:
    """The iterations of a kernel over at most six dimensions, x first.

    Dimensions left out have one iteration. Every method returns a new window.

    Parameters
    ----------
    dimensions : tuple of Dimension
        From x on.
    thread_id, num_threads : int
        The thread that runs the window, of how many; no part of the window's value.

    Examples
    --------
    >>> window = Window((Dimension(0, 640, 16), Dimension(0, 480)))
    >>> window.num_iterations_total
    19200
    >>> [window.split_window(Window.Y, i, 7).y.num_iterations for i in range(7)]
    [69, 69, 69, 69, 68, 68, 68]
    """

    X: ClassVar[int] = 0
    Y: ClassVar[int] = 1
    Z: ClassVar[int] = 2
    W: ClassVar[int] = 3
    V: ClassVar[int] = 4
    U: ClassVar[int] = 5

    dimensions: tuple[Dimension, ...] = ()
    thread_id: int = field(default=0, compare=False)
    num_threads: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        given = tuple(Dimension(*dimension) for dimension in self.dimensions)
        if len(given) > MAX_DIMENSIONS:
            raise ShapeError(f"Window: got {len(given)} dimensions; at most {MAX_DIMENSIONS} exist")
        rest = (Dimension(),) * (MAX_DIMENSIONS - len(given))
        object.__setattr__(self, "dimensions", given + rest)
        if not 0 <= self.thread_id < self.num_threads:
            raise ParameterError(
                f"Window: thread {self.thread_id} of {self.num_threads}; "
                "a thread is numbered from 0 to the number of threads - 1"
            )

    def __getitem__(self, dimension: int) -> Dimension:
        return self.dimensions[checked_dimension(dimension)]

    @property
    def x(self) -> Dimension:
        return self.dimensions[0]

    @property
    def y(self) -> Dimension:
        return self.dimensions[1]

    @property
    def z(self) -> Dimension:
        return self.dimensions[2]

    def num_iterations(self, dimension: int) -> int:
        return self[dimension].num_iterations

    @property
    def num_iterations_total(self) -> int:
        return prod(dimension.num_iterations for dimension in self.dimensions)

    def validate(self) -> None:
        """Raise ParameterError unless every dimension is a whole number of steps, 0 or more."""
        for d, (start, end, step) in enumerate(self.dimensions):
            if step < 0:
                raise ParameterError(f"Window: dimension {d} has step {step}; steps are positive")
            if step == 0 and end != start:
                raise ParameterError(
                    f"Window: dimension {d} goes from {start} to {end} in steps of 0; "
                    "a pinned dimension ends where it starts"
                )
            if end < start:
                raise ParameterError(
                    f"Window: dimension {d} ends at {end}, before its start {start}"
                )
            if step and (end - start) % step:
                raise ParameterError(
                    f"Window: dimension {d} goes from {start} to {end}, no whole number of its "
                    f"steps of {step}; move the end"
                )

    def set(self, dimension: int, value: Dimension | tuple[int, int, int]) -> Window:
        """Return the window with one dimension replaced."""
        return self._replace({checked_dimension(dimension): Dimension(*value)})

    def set_step(self, dimension: int, step: int) -> Window:
        """Return the window with one dimension's step replaced."""
        return self._replace({dimension: self[dimension]._replace(step=step)})

    def set_thread(self, thread_id: int, num_threads: int) -> Window:
        """Return the window for one thread of several, which its kernel may ask about."""
        return Window(self.dimensions, thread_id, num_threads)

    def shift(self, dimension: int, distance: int) -> Window:
        """Return the window moved by `distance`."""
        start, end, step = self[dimension]
        return self._replace({dimension: Dimension(start + distance, end + distance, step)})

    def adjust(self, dimension: int, distance: int, is_at_start: bool) -> Window:
        """Return the window with its start or its end moved by `distance`."""
        start, end, step = self[dimension]
        moved = (start + distance, end) if is_at_start else (start, end + distance)
        return self._replace({dimension: Dimension(*moved, step)})

    def scale(self, dimension: int, factor: float | Fraction) -> Window:
        """Return the window over a tensor that is `factor` times as long.

        The start and the step are rounded down (the step to 1 at least), the length up to
        whole steps.
        """
        if not isfinite(factor) or factor <= 0:
            raise ParameterError(f"scale: factor {factor} must be positive and finite")
        ratio = Fraction(factor).limit_denominator(1 << 16)
        start, end, step = self[dimension]
        scaled = max(1, floor(step * ratio)) if step else 0
        length = ceil((end - start) * ratio / scaled) * scaled if step else 0
        first = floor(start * ratio)
        return self._replace({dimension: Dimension(first, first + length, scaled)})

    def use_tensor_dimensions(self, shape: Sequence[int], first: int = 0) -> Window:
        """Return the window with dimensions from `first` on over all of a shape, x first."""
        sizes = TensorShape(*shape)
        dimensions = range(checked_dimension(first), len(sizes))
        return self._replace({d: Dimension(0, sizes[d], 1) for d in dimensions})

    def split_window(self, dimension: int, id: int, total: int) -> Window:
        """Return piece `id` of `total` of the window, cut across one dimension.

        Pieces are whole steps; the first ones have one step more if it does not come out even,
        the last ones none if there are more pieces than steps.
        """
        if not 0 <= id < total:
            raise ParameterError(
                f"split_window: piece {id} of {total} does not exist; pieces are 0 to total - 1"
            )
        start, end, step = self[dimension]
        if step == 0 and total > 1:
            raise ParameterError(
                f"split_window: dimension {dimension} is pinned and cannot be cut in {total}; "
                "split another"
            )
        each, rest = divmod(self[dimension].num_iterations, total)
        begin = id * each + min(id, rest)
        stop = begin + each + (id < rest)
        piece = Dimension(start + begin * step, min(start + stop * step, end), step)
        return self._replace({dimension: piece})

    def is_valid_sub_window(self, full: Window) -> bool:
        """Return whether a kernel whose maximum window is `full` may run over this window.

        In every dimension the window starts inside `full`, is not empty, ends inside it, has
        the same step, starts a whole number of steps from its start and is a whole number of
        steps long. A pinned dimension must be pinned at the same place.
        """
        return self._broken_rule(full) is None

    def validate_sub_window(self, full: Window) -> None:
        """Raise BoundsError, which names the rule, unless this is a valid sub-window."""
        broken = self._broken_rule(full)
        if broken is not None:
            raise BoundsError(f"Window: no valid sub-window: {broken}")

    def _broken_rule(self, full: Window) -> str | None:
        for d, (sub, whole) in enumerate(zip(self.dimensions, full.dimensions, strict=True)):
            spans = f"dimension {d} is {sub} of {whole}"
            if sub.step != whole.step:
                return f"{spans}; steps must be equal"
            if sub.step <= 0:
                if sub.step == 0 and sub == whole:
                    continue
                return f"{spans}; a pinned dimension must be pinned at the same place"
            if not whole.start <= sub.start < whole.end:
                return f"{spans}; the start must be inside"
            if not sub.start < sub.end <= whole.end:
                return f"{spans}; the end must be after the start and inside"
            if (sub.start - whole.start) % sub.step:
                return f"{spans}; the starts must be whole steps apart"
            if (sub.end - sub.start) % sub.step:
                return f"{spans}; the length must be whole steps"
        return None

    def first_slice_window_1d(self) -> Window:
        """Return the first slice: all of x, the first iteration of every other dimension."""
        return self._first_slice(1)

    def first_slice_window_2d(self) -> Window:
        """Return the first slice: all of x and y."""
        return self._first_slice(2)

    def first_slice_window_3d(self) -> Window:
        """Return the first slice: all of x, y and z."""
        return self._first_slice(3)

    def slide_window_slice_1d(self, piece: Window) -> Window | None:
        """Return the slice after `piece`, or None after the last."""
        return self._next_slice(piece, 1)

    def slide_window_slice_2d(self, piece: Window) -> Window | None:
        """Return the slice after `piece`, or None after the last."""
        return self._next_slice(piece, 2)

    def slide_window_slice_3d(self, piece: Window) -> Window | None:
        """Return the slice after `piece`, or None after the last."""
        return self._next_slice(piece, 3)

    def slices(self, ndim: int) -> Iterator[Window]:
        """Yield every slice of `ndim` dimensions; none if the window is empty above them."""
        piece: Window | None = self._first_slice(ndim)
        if any(dimension.num_iterations == 0 for dimension in self.dimensions[ndim:]):
            return
        while piece is not None:
            yield piece
            piece = self._next_slice(piece, ndim)

    def _first_slice(self, ndim: int) -> Window:
        return self._replace({d: self[d].first() for d in range(ndim, MAX_DIMENSIONS)})

    def _next_slice(self, piece: Window, ndim: int) -> Window | None:
        moved: dict[int, Dimension] = {}
        for d in range(ndim, MAX_DIMENSIONS):
            _, end, step = self[d]
            start = piece[d].start + step
            if step and start < end:
                moved[d] = Dimension(start, start + step, step)
                return piece._replace(moved)
            moved[d] = self[d].first()
        return None

    def collapse_if_possible(
        self, full: Window, first: int = 0, last: int = MAX_DIMENSIONS
    ) -> Window:
        """Return the window with dimensions from `first` to before `last` made one.

        They collapse if this window is one run of `full` counted along them: each dimension of
        `full` starts at 0, the ones after `first` have step 1, and below each dimension that
        this sub-window of `full` iterates, it covers all of `full`. Strides are not looked at.

        Returns
        -------
        Window
            This window itself if it does not collapse.
        """
        checked_dimension(first)
        start, end, step = self[first]
        extent = full[first].end
        if full[first].start or step < 1 or step != full[first].step or extent % step:
            return self
        for d in range(first + 1, last):
            sub, whole = self[d], full[d]
            if whole.start or sub.step != 1 or whole.step != 1:
                return self
            if (start, end) == (0, extent):
                start, end = sub.start * extent, sub.end * extent
            elif sub.end - sub.start == 1:
                start, end = start + sub.start * extent, end + sub.start * extent
            else:
                return self
            extent *= whole.end
        merged = {d: Dimension() for d in range(first + 1, last)}
        return self._replace({first: Dimension(start, end, step)} | merged)

    def broadcast_if_dimension_le_one(self, shape: Sequence[int]) -> Window:
        """Return the window over a tensor that is broadcast: dimensions of size 1 are pinned.

        Size 0 is not stretched.
        """
        sizes = TensorShape(*shape)
        return self._replace({d: _PINNED for d in range(MAX_DIMENSIONS) if sizes[d] == 1})

    def _replace(self, dimensions: dict[int, Dimension]) -> Window:
        new = tuple(dimensions.get(d, old) for d, old in enumerate(self.dimensions))
        return Window(new, self.thread_id, self.num_threads)


_NO_STEPS = Steps()
_NO_BORDER = BorderSize()


def calculate_max_window(
    shape: Sequence[int] | ValidRegion,
    steps: Sequence[int] = _NO_STEPS,
    border: BorderSize = _NO_BORDER,
    skip_border: bool = False,
) -> Window:
    """Return the largest window of a kernel over a shape.

    Parameters
    ----------
    shape : sequence of int or ValidRegion
        The sizes, x first, or the region at whose anchor the window starts.
    steps : sequence of int
        Elements per iteration of each dimension. Lengths are rounded up to whole steps, so
        the window may pass the end of the shape.
    border : BorderSize
        Rows and columns that the window leaves out if `skip_border`; it is empty at worst.
    skip_border : bool
        Whether the border is left out.

    Examples
    --------
    >>> window = calculate_max_window((641, 480), (8,), BorderSize(1), skip_border=True)
    >>> window.x, window.y
    (Dimension(start=1, end=641, step=8), Dimension(start=1, end=479, step=1))
    """
    region = shape if isinstance(shape, ValidRegion) else ValidRegion((), tuple(shape))
    if skip_border:
        region = region.shrink(border)
    counts = Steps(*steps)
    dimensions = []
    for d, size in enumerate(region.shape):
        start, step = region.start(d), counts[d]
        dimensions.append(Dimension(start, start + -(-size // step) * step, step))
    return Window(tuple(dimensions))
