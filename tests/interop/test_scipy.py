"""SciPy's functions that run on any array library stay lazy on Arrays."""

import os
import subprocess
import sys

import pytest
import scipy

CODE = """
import numpy as np
from scipy import integrate, special, stats

import muntin as mt

x = np.array([1.0, 2.5, -3.0, 0.25])
for function in (special.softmax, stats.skew, integrate.trapezoid):
    result = function(mt.asarray(x))
    assert isinstance(result, mt.Array) and not result.is_evaluated, function
    np.testing.assert_allclose(result, function(x), 1e-14)
print("done")
"""


_VERSION = tuple(int(part) for part in scipy.__version__.split(".")[:2])


@pytest.mark.skipif(_VERSION < (1, 17), reason="older ones make NumPy arrays of others")
def test_functions_of_any_array_library_stay_lazy() -> None:
    output = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},  # which SciPy reads when it is imported
        capture_output=True,
        text=True,
        check=False,
    )
    assert output.stdout.strip() == "done", output.stderr
