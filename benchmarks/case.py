"""What a comparison is: contenders that do the same work, and how far their results may differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.product import Product

__all__ = ["EXACT", "Agreement", "Array", "Arrays", "Case", "Contender"]

Array = npt.NDArray[Any]
Arrays = tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a result may be from what is expected, and why it may be so far.

    `difference` is absolute, `relative` a part of the expected value, `share` the part of all
    values that may differ at all.
    """

    difference: float = 0.0
    relative: float = 0.0
    share: float = 1.0
    why: str = ""

    def fault(self, expected: Arrays, got: Arrays) -> str:
        """Return what is wrong with a result, or nothing."""
        if len(expected) != len(got):
            return f"gave {len(got)} arrays where {len(expected)} were expected"
        faults = (self._fault_of_one(e, g) for e, g in zip(expected, got, strict=True))
        return next(filter(None, faults), "")

    def _fault_of_one(self, expected: Array, got: Array) -> str:
        if expected.shape != got.shape:
            return f"gave {got.shape} where {expected.shape} was expected"
        if np.array_equal(expected, got):
            return ""
        wide = expected.astype(np.float64)
        apart = np.abs(wide - got)
        beyond = ~(apart <= self.difference + self.relative * np.abs(wide))
        if beyond.any():
            place = tuple(int(i) for i in np.unravel_index(np.argmax(beyond), beyond.shape))
            return (
                f"{beyond.mean():.2%} of the values are too far off; at {place} it is "
                f"{got[place]} where {expected[place]} was expected"
            )
        share = float(np.mean(apart > 0))
        if share > self.share:
            return f"{share:.2%} of the values differ, and {self.share:.2%} may"
        return ""

    def words(self, expected: Arrays, got: Arrays) -> str:
        """Say how a result that has no fault agrees with what is expected."""
        if all(np.array_equal(e, g) for e, g in zip(expected, got, strict=True)):
            return "equal" if got else ""
        pairs = [(e.astype(np.float64), g) for e, g in zip(expected, got, strict=True)]
        most = max(float(np.max(np.abs(e - g))) for e, g in pairs)
        share = max(float(np.mean(e != g)) for e, g in pairs)
        why = f": {self.why}" if self.why else ""
        return f"{share:.2%} differ, by at most {most:.3g}{why}"


EXACT = Agreement()


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do the work of a case.

    Attributes
    ----------
    name : str
        The library.
    call : callable
        Does the work once. If `measures_itself`, returns the number that is measured.
    outputs : tuple of arrays
        What the call fills; compared with what is expected before anything is timed.
    form : str
        Which of the library's ways this is.
    expected : tuple of arrays, optional
        What this contender has to give, where its arithmetic is not that of the case.
    """

    name: str
    call: Callable[[], object]
    outputs: Arrays = ()
    form: str = ""
    expected: Arrays | None = None
    measures_itself: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison.

    Attributes
    ----------
    enter : callable
        Makes the contenders, given muntin or None. Each inner sequence holds the forms of one
        contender, of which the fastest is timed; muntin comes first.
    reference : callable, optional
        Gives what every contender has to give; without it, the first contender does.
    unit : str
        `"s"` or `"B"`.
    rounds : int, optional
        Number of rounds where it is not the usual one.
    limit : float, optional
        What muntin may take at most.
    """

    name: str
    about: str
    enter: Callable[[Product | None], Sequence[Sequence[Contender]]]
    threads: int = 1
    agreement: Agreement = EXACT
    reference: Callable[[], Arrays] | None = None
    unit: str = "s"
    rounds: int | None = None
    limit: float | None = None
