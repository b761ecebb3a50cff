"""Special functions under SciPy's names.

Notes
-----
Types, broadcasting, errors and NaN are those of `muntin.array.mathematics`.
"""

from __future__ import annotations

from typing import Any

from muntin.array.applying import applied
from muntin.array.array import Array

__all__ = [
    "beta",
    "betaln",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "expit",
    "gamma",
    "lgamma",
    "log_expit",
    "log_ndtr",
    "logit",
    "ndtr",
    "rel_entr",
    "xlog1py",
    "xlogy",
]


def beta(x1: Any, x2: Any, /) -> Array:
    """Return the beta function, gamma(x1) gamma(x2) / gamma(x1 + x2).

    Notes
    -----
    Operands are positive: below 0 the result is NaN. 0 gives inf, inf gives 0.0. The relative
    error is in units of the terms of the logarithm. DLMF 5.12.1; SciPy's `beta` where that is
    positive.
    """
    return applied("beta", x1, x2)


def betaln(x1: Any, x2: Any, /) -> Array:
    """Return the logarithms of the beta function.

    Notes
    -----
    Operands are positive: below 0 the result is NaN. 0 gives inf, inf gives -inf. SciPy's
    `betaln`.
    """
    return applied("betaln", x1, x2)


def digamma(x: Any, /) -> Array:
    """Return the derivatives of log(gamma(x)).

    Notes
    -----
    ±0 gives ∓inf, inf gives inf. Negative whole numbers and -inf give NaN. DLMF 5.2.2; SciPy's
    `digamma`.
    """
    return applied("digamma", x)


def entr(x: Any, /) -> Array:
    """Return -x log(x), the terms of an entropy.

    Notes
    -----
    ±0 gives 0.0; below 0 the result is -inf. SciPy's `entr`.
    """
    return applied("entr", x)


def erf(x: Any, /) -> Array:
    """Return the error function, 2/sqrt(pi) times the integral of exp(-t²) from 0 to x.

    Notes
    -----
    ±0 gives ±0, ±inf gives ±1. C17, F.10.5.1.
    """
    return applied("erf", x)


def erfc(x: Any, /) -> Array:
    """Return 1 - erf(x), with all digits where that is small.

    Notes
    -----
    -inf gives 2, inf gives 0.0. C17, F.10.5.2.
    """
    return applied("erfc", x)


def expit(x: Any, /) -> Array:
    """Return the logistic function, 1 / (1 + exp(-x)).

    Notes
    -----
    -inf gives 0.0, inf gives 1. SciPy's `expit`.
    """
    return applied("expit", x)


def gamma(x: Any, /) -> Array:
    """Return the gamma function.

    Notes
    -----
    ±0 gives ±inf, inf gives inf. Negative whole numbers and -inf give NaN. C17, F.10.5.4
    (`tgamma`).
    """
    return applied("gamma", x)


def lgamma(x: Any, /) -> Array:
    """Return log(|gamma(x)|).

    Notes
    -----
    1 and 2 give 0.0; 0, negative whole numbers and ±inf give inf. Below 0, the error is in
    units of log(gamma(-x)). C17, F.10.5.3; SciPy's `gammaln`.
    """
    return applied("lgamma", x)


def log_expit(x: Any, /) -> Array:
    """Return the logarithms of the logistic function, -log(1 + exp(-x)).

    Notes
    -----
    -inf gives -inf, inf gives 0.0. SciPy's `log_expit`.
    """
    return applied("log_expit", x)


def log_ndtr(x: Any, /) -> Array:
    """Return the logarithms of the normal distribution function.

    Notes
    -----
    -inf gives -inf, inf gives 0.0. Far below 0 it is nearly -x²/2. SciPy's `log_ndtr`.
    """
    return applied("log_ndtr", x)


def logit(x: Any, /) -> Array:
    """Return log(x / (1 - x)), the inverse of `expit`.

    Notes
    -----
    0 gives -inf, 1 gives inf, 1/2 gives 0.0. Outside [0, 1] the result is NaN. SciPy's `logit`.
    """
    return applied("logit", x)


def ndtr(x: Any, /) -> Array:
    """Return the normal distribution function, the part of the distribution below x.

    Notes
    -----
    -inf gives 0.0, inf gives 1. SciPy's `ndtr`.
    """
    return applied("ndtr", x)


def rel_entr(x1: Any, x2: Any, /) -> Array:
    """Return x1 log(x1 / x2), the terms of a relative entropy.

    Notes
    -----
    0.0 where x1 is 0 and x2 is not negative; inf where an operand is negative, or x2 alone is
    0. SciPy's `rel_entr`.
    """
    return applied("rel_entr", x1, x2)


def xlog1py(x1: Any, x2: Any, /) -> Array:
    """Return x1 log(1 + x2), and 0 where x1 is 0.

    Notes
    -----
    0 also where x2 is -1 or less, but not where it is NaN. SciPy's `xlog1py`.
    """
    return applied("xlog1py", x1, x2)


def xlogy(x1: Any, x2: Any, /) -> Array:
    """Return x1 log(x2), and 0 where x1 is 0.

    Notes
    -----
    0 also where x2 is 0 or less, but not where it is NaN. SciPy's `xlogy`.
    """
    return applied("xlogy", x1, x2)
