"""Functions of floats in mpmath, and how far a result is from them in units in the last place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath as mp
import numpy as np

__all__ = ["CASES", "Case", "error", "errors", "samples"]

PRECISION = 240
FAR = 1400  # bits in which an angle of 2**1023 is reduced


@dataclass(frozen=True, slots=True)
class Case:
    """What a function should give.

    Attributes
    ----------
    right
        The function in mpmath; NaN where it raises or is not real.
    spans
        Where, besides everywhere, the operands are taken: an interval an operand.
    precision
        The bits in which `right` computes.
    terms
        The size of terms that cancel in the result: the error counts in units of theirs.
    """

    right: Callable[..., object]
    spans: Sequence[tuple[tuple[float, float], ...]] = (((-10, 10),),)
    precision: int = PRECISION
    terms: Callable[..., object] = lambda *_: 0


def _spans(*spans):
    return tuple((span,) for span in spans)


def _log(base=mp.e):
    return lambda x: mp.log(x) / mp.log(base)


def _power(x, y):
    return mp.power(x, y) if x > 0 or y == mp.floor(y) else mp.nan


def _lgamma(x):
    return mp.re(mp.loggamma(x)) if x > 0 or x != mp.floor(x) else mp.inf


def _erfc(x):
    return mp.erfc(x) if x < 1000 else mp.mpf(0)  # which is below every float; mpmath may overflow


def _betaln(x, y):
    if x <= 0 or y <= 0:
        return mp.inf if x >= 0 and y >= 0 else mp.nan
    return (mp.loggamma(x) - mp.loggamma(x + y)) + mp.loggamma(y)


def _betaln_terms(x, y):
    p, q = min(x, y), max(x, y)
    return max(1, abs(_betaln(x, y))) + p * mp.log(q + 3 if q < 2.5 else q) if p > 0 else 0


def _beta(x, y):
    logarithm = _betaln(x, y)
    return mp.exp(logarithm) if logarithm > -2000 else logarithm * 0


def _ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2 if x > -1000 else mp.mpf(0)


def _log_ndtr(x):
    if x > 100:
        return -_ndtr(-x)
    if x > -1000:
        return mp.log1p(-_ndtr(-x)) if x > 0 else mp.log(_ndtr(x))
    return -x * x / 2 - mp.log(-x * mp.sqrt(2 * mp.pi)) + mp.log1p(-1 / x**2 + 3 / x**4)


def _xlogy(x, y):
    return mp.mpf(0) if x == 0 and not mp.isnan(y) else x * mp.log(y)


def _xlog1py(x, y):
    return mp.mpf(0) if x == 0 and not mp.isnan(y) else x * mp.log1p(y)


def _entr(x):
    return (-x * mp.log(x) if x else mp.mpf(0)) if x >= 0 else mp.ninf


def _rel_entr(x, y):
    if x > 0 and y > 0:
        return x * mp.log(x / y)
    return mp.mpf(0) if x == 0 and y >= 0 else mp.inf


_EXPONENTS = _spans((-110, 90), (-760, 710), (-1, 1))
_BETA = (((0, 4), (0, 4)), ((0, 2.5), (0, 50)), ((0, 50), (0, 50)))
_ANGLES = _spans((-10, 10), (-4000, 4000), (-60000, 60000))

CASES: dict[str, Case] = {
    "exp": Case(mp.exp, _EXPONENTS),
    "exp2": Case(lambda x: mp.power(2, x), _EXPONENTS),
    "expm1": Case(mp.expm1, _EXPONENTS),
    "log": Case(_log(), _spans((0.5, 2), (0.99, 1.01), (0, 1e6))),
    "log2": Case(_log(2), _spans((0.5, 2), (0.99, 1.01), (0, 1e6))),
    "log10": Case(_log(10), _spans((0.5, 2), (0.99, 1.01), (0, 1e6))),
    "log1p": Case(mp.log1p, _spans((-1, 1), (-0.01, 0.01), (0, 1e6))),
    "logaddexp": Case(
        lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
        (((-5, 5), (-5, 5)), ((-300, 300), (-300, 300))),
        terms=lambda x, y: max(abs(x), abs(y)),
    ),
    "pow": Case(_power, (((0, 10), (-20, 20)), ((0.9, 1.1), (-700, 700)), ((-9, 9), (-9, 9)))),
    "sin": Case(mp.sin, _ANGLES, FAR),
    "cos": Case(mp.cos, _ANGLES, FAR),
    "tan": Case(mp.tan, _ANGLES, FAR),
    "asin": Case(mp.asin, _spans((-1, 1), (0.4, 0.6), (0.99, 1))),
    "acos": Case(mp.acos, _spans((-1, 1), (0.4, 0.6), (0.99, 1), (-1, -0.99))),
    "atan": Case(mp.atan, _spans((-3, 3), (0.3, 0.5), (0.9, 1.1), (-1e3, 1e3))),
    "atan2": Case(mp.atan2, (((-1, 1), (-1, 1)), ((-1e-3, 1e-3), (-1, 1)), ((-9, 9), (-1, 1)))),
    "sinh": Case(mp.sinh, _spans((-3, 3), (-91, 91), (-711, 711))),
    "cosh": Case(mp.cosh, _spans((-3, 3), (-91, 91), (-711, 711))),
    "tanh": Case(mp.tanh, _spans((-1, 1), (-11, 11), (-21, 21))),
    "asinh": Case(mp.asinh, _spans((-1, 1), (-100, 100), (-1e9, 1e9))),
    "acosh": Case(mp.acosh, _spans((1, 1.1), (1, 3), (1, 1e9))),
    "atanh": Case(mp.atanh, _spans((-0.5, 0.5), (-1, 1), (0.99, 1))),
    "rsqrt": Case(lambda x: 1 / mp.sqrt(x), _spans((0, 4), (0, 1e6))),
    "cbrt": Case(lambda x: mp.sign(x) * mp.cbrt(abs(x)), _spans((-8, 8), (-1e6, 1e6))),
    "hypot": Case(mp.hypot, (((-5, 5), (-5, 5)), ((-1e-3, 1e-3), (-1, 1)))),
    "sinc": Case(mp.sincpi, _spans((-1, 1), (-20, 20), (-3e3, 3e3)), FAR),
    "deg2rad": Case(lambda x: x * mp.pi / 180, _spans((-360, 360))),
    "rad2deg": Case(lambda x: x * 180 / mp.pi, _spans((-7, 7))),
    "erf": Case(mp.erf, _spans((-1, 1), (0.9, 1.1), (-4.5, 4.5), (-7, 7))),
    "gamma": Case(mp.gamma, _spans((0, 3), (-3, 0), (-40, 36), (-180, 172))),
    "lgamma": Case(
        _lgamma,
        _spans((0, 3), (2, 3), (0.9, 1.1), (1.9, 2.1), (-3, 0), (-40, 36), (0, 1e6)),
        terms=lambda x: max(abs(_lgamma(-x)), 1) if x < 0 else 0,
    ),
    "digamma": Case(
        lambda x: mp.psi(0, x),
        _spans((0, 3), (1.4, 1.5), (-3, 0), (-40, 36), (0, 1e6)),
        terms=lambda x: max(abs(mp.psi(0, -x)), 1) if x < 0 else 0,
    ),
    "erfc": Case(_erfc, _spans((-1, 1), (-4.5, 4.5), (0, 11), (0, 28))),
    "ndtr": Case(_ndtr, _spans((-1, 1), (-6, 6), (-15, 0), (-39, 0))),
    "log_ndtr": Case(_log_ndtr, _spans((-2, 1), (-6, 6), (-16, 9), (-45, 0))),
    "beta": Case(
        _beta,
        _BETA,
        FAR,
        terms=lambda x, y: _beta(x, y) * max(1, _betaln_terms(x, y)),
    ),
    "betaln": Case(_betaln, _BETA, FAR, terms=_betaln_terms),
    "expit": Case(lambda x: 1 / (1 + mp.exp(-x)), _EXPONENTS),
    "log_expit": Case(lambda x: -mp.log1p(mp.exp(-x)), _EXPONENTS),
    "logit": Case(lambda x: mp.log(x / (1 - x)), _spans((0, 1), (0.3, 0.7), (0.49, 0.51))),
    "xlogy": Case(_xlogy, (((-9, 9), (0, 2)), ((-9, 9), (0.99, 1.01)))),
    "xlog1py": Case(_xlog1py, (((-9, 9), (-1, 2)), ((-9, 9), (-0.01, 0.01)))),
    "entr": Case(_entr, _spans((0, 2), (0.9, 1.1), (0, 1e6))),
    "rel_entr": Case(_rel_entr, (((0, 2), (0, 2)), ((0.9, 1.1), (0.9, 1.1)))),
}


def samples(name, dtype, count, seed=0):
    """Return operands: of all exponents with random fractions, and from the spans."""
    random = np.random.default_rng(seed)
    case = CASES[name]
    arity = len(case.spans[0])
    digits = np.finfo(dtype).nmant
    bits = np.dtype(dtype).itemsize * 8
    parts = []
    for _ in range(arity):
        exponents = random.permutation(
            np.linspace(0, 2 ** (bits - 1 - digits) - 2, count).astype(int)
        )
        fractions = random.integers(0, 1 << digits, count)
        values = ((exponents << digits) | fractions).astype(f"u{bits // 8}").view(dtype)
        parts.append([values * random.choice([-1, 1], count).astype(dtype)])
    for spans in case.spans:
        for part, span in zip(parts, spans, strict=True):
            part.append(random.uniform(*span, count).astype(dtype))
    return [np.concatenate(part) for part in parts]


def errors(name, got, operands):
    """Return the error of each result in units in the last place."""
    case = CASES[name]
    found = []
    with mp.workprec(case.precision):
        for value, *numbers in zip(got, *operands, strict=True):
            exact = [mp.mpf(float(number)) for number in numbers]
            wanted, terms = _real(case.right, exact), _real(case.terms, exact)
            found.append(error(value, wanted, got.dtype, terms))
    return np.array(found)


def _real(function, operands):
    try:
        value = function(*operands)
    except (ValueError, ZeroDivisionError, OverflowError):
        return mp.nan
    return mp.nan if isinstance(value, mp.mpc) else mp.mpf(value)


def error(got, wanted, dtype, terms=0):
    """Return |got - wanted| in units in the last place of what is wanted, or of its terms.

    A result past the greatest number is right if infinite.
    """
    info = np.finfo(dtype)
    if mp.isnan(wanted) or np.isnan(got):
        return 0.0 if mp.isnan(wanted) and np.isnan(got) else np.inf
    if mp.isinf(wanted):
        return 0.0 if got == float(wanted) else np.inf
    beyond = mp.mpf(2) ** info.maxexp
    size = min(abs(wanted), beyond)
    greater = max(size, terms) if mp.isfinite(terms) else size
    exponent = mp.frexp(greater)[1] if greater else info.minexp
    unit = mp.mpf(2) ** max(int(exponent) - info.nmant - 1, info.minexp - info.nmant)
    value = mp.sign(got) * beyond if np.isinf(got) else mp.mpf(float(got))
    return float(abs(value - mp.sign(wanted) * size) / unit)
