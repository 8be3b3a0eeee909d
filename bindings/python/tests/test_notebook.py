"""Tests that the notebook runs to its end, with an emulated chip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

PYTHON = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is missing")
@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is missing")
def test_the_notebook_learns_on_the_chip_and_writes_back(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, PYTHON / "examples" / "notebook.py", tmp_path],
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "on the chip as here" in done.stdout
    for picture in ("before.png", "after.png"):
        assert (tmp_path / picture).stat().st_size > 10_000
    assert "motor_load" in (tmp_path / "motor_image.h").read_text()
