"""What is kept with a kernel's machine code comes back as it was."""

import os
import subprocess
import sys

import numpy as np

from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.lower.rows import lower_rows
from muntin.core.plan.facts import KernelFacts, ScratchRows
from muntin.core.plan.fuse import fuse
from muntin.core.plan.stages import form_stages
from tests.pointwise import node_of

_SECOND = """
import sys
import numpy as np
import muntin as mt
x = mt.asarray(np.arange(12, dtype=np.float32).reshape(3, 4))
print(np.asarray(x.at(1, 0) * x + 1).sum(), "muntin.runtime.compiler" in sys.modules)
"""


def test_facts_survive_their_text():
    image = node_of(np.zeros((9, 7), np.uint8), "yx")
    border = Border(BorderMode.REPLICATE)
    total = build.elementwise("add", image, build.neighbour(image, (1, -2), border))
    (kernel,) = fuse(canonical([total])).kernels
    facts = lower_rows(kernel, form_stages(kernel)).facts
    assert facts.is_offset == (True,)
    assert facts.has_rings
    assert KernelFacts.decoded(facts.encoded()) == facts


def test_rows_are_whole_cache_lines():
    rows = ScratchRows(depth=4, extra=3, pixel=2, lead=64)
    assert rows.row_bytes(10) == 128
    assert rows.nbytes(10) == 512


def test_a_second_process_does_not_load_the_compiler(tmp_path):
    told = os.environ | {"MUNTIN_CACHE_DIR": str(tmp_path / "kernels")}
    answers = [
        subprocess.run(
            [sys.executable, "-c", _SECOND], env=told, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert answers == [["630.0", "True"], ["630.0", "False"]]
