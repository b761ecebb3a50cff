"""A launch: a kernel, its arguments and its pieces; and what a scheduler is, which runs it."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

from muntin.errors import ParameterError

__all__ = ["Launch", "Scheduler"]

_MOST_PIECES = 1 << 62


class Launch(NamedTuple):
    """A kernel, its arguments, and how its iteration space is cut into pieces.

    Attributes
    ----------
    entry : int
        Address of the kernel: `void (args, o0, o1, y0, y1, x0, x1, scratch)`.
    args : int
        Address of its argument slots, which must stay until the launch returns.
    extent : tuple of int
        Size of the iteration space: outer, rows, columns.
    grain : tuple of int
        Size of a piece; those at the upper ends may be smaller. Pieces count in C order.
    scratch_bytes : int
        Memory that each thread gets for itself, 64-byte aligned.
    threads : int
        How many threads at most; 0 takes the scheduler's number.
    unit : tuple of int
        A piece must start at multiples of it: a scheduler of its own mind may take any such grain.
    """

    entry: int
    args: int
    extent: tuple[int, int, int]
    grain: tuple[int, int, int]
    scratch_bytes: int = 0
    threads: int = 0
    unit: tuple[int, int, int] = (1, 1, 1)

    def counts(self) -> tuple[int, int, int]:
        """Return the number of pieces along each axis.

        Raises
        ------
        ParameterError
            If a size is negative, a grain less than 1, or the pieces too many to count.
        """
        (e0, e1, e2), (g0, g1, g2) = self.extent, self.grain
        if min(g0, g1, g2) < 1 or min(e0, e1, e2, self.scratch_bytes, self.threads) < 0:
            raise ParameterError(
                f"launch: extent is {self.extent}, grain {self.grain}, scratch_bytes "
                f"{self.scratch_bytes}, threads {self.threads}; a grain must be 1 or more, all "
                "others 0 or more; give such numbers"
            )
        counts = -(-e0 // g0), -(-e1 // g1), -(-e2 // g2)
        if counts[0] * counts[1] * counts[2] > _MOST_PIECES:
            raise ParameterError(
                f"launch: extent {self.extent} in grains of {self.grain} makes {counts} pieces; "
                "2**62 are the most in all; take a coarser grain"
            )
        return counts

    @property
    def is_one_piece(self) -> bool:
        """Whether there is exactly one piece."""
        return (
            self.grain == self.extent
            and min(self.extent) > 0
            and self.scratch_bytes >= 0
            and self.threads >= 0
        )


@runtime_checkable
class Scheduler(Protocol):
    """What runs launches: any object with these two."""

    @property
    def threads(self) -> int:
        """The number of threads that a launch may use."""
        ...

    def launch(self, launch: Launch) -> None:
        """Run every piece once; return when all are done."""
        ...
