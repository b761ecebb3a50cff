"""Every coefficient comes from the script, which gives the same numbers again."""

import mpmath as mp
import pytest

from docs.generate_coefficients import TARGET, Fit, fitted, parts, rounded, source


def test_a_fit_is_the_best_polynomial():
    # The best line for x**2 from 0 to 1 is x - 1/8.
    coefficients, error = fitted(Fit(lambda x: x**2, 0, 1, 2), 24)
    assert coefficients == pytest.approx((-0.125, 1.0), abs=1e-5)
    assert error == pytest.approx(-3, abs=1e-3)


def test_errors_count_by_their_weight():
    coefficients, error = fitted(Fit(lambda x: x, 1, 3, 1, lambda x: 1 / x), 24)
    assert coefficients == pytest.approx((1.5,), abs=1e-4)
    assert error == pytest.approx(-1, abs=1e-3)


def test_numbers_are_rounded_and_cut_in_parts():
    assert rounded(mp.mpf(1) / 3, 2) == 0.375
    first, second = parts(mp.pi, (8, 24))
    assert first == 3.140625
    assert first + second == pytest.approx(float(mp.pi), rel=2.0**-31)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_script_writes_what_is_there():
    assert TARGET.read_text(encoding="utf-8") == source()
