"""Tests that images go from Python to the host tool and to a C program, and from both to Python.

`test_notebook.py` does so with an emulated chip.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import eigenstream

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif("EIGENSTREAM_HARNESS" not in os.environ, reason="`cargo harness python --all` names the host tool"),
]


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def harness(*arguments: str | Path, folder: Path) -> str:
    return run(os.environ["EIGENSTREAM_HARNESS"], *arguments, folder=folder)


def test_the_tool_reads_an_image_of_python_and_python_reads_a_fit_of_the_tool(machine: np.ndarray, tmp_path: Path) -> None:
    pca = eigenstream.TrackingPca(6, 2).learn(machine)
    (tmp_path / "pca.eigs").write_bytes(pca.image())
    shown = harness("inspect", "pca.eigs", folder=tmp_path)
    assert f"{len(pca.image())} bytes, checksum fits" in shown and "TrackingPca" in shown
    np.savetxt(tmp_path / "machine.csv", machine, delimiter=",", header="a,b,c,d,e,f", comments="", fmt="%.9g")
    harness("fit", "machine.csv", "--columns", "a,b,c,d,e,f", "--keep", "2", "--out", "fitted", folder=tmp_path)
    fitted = eigenstream.BatchPca.from_image((tmp_path / "fitted" / "model.eigs").read_bytes())
    # The tool divides each channel by its spread before the fit.
    scaled = (machine - machine.mean(axis=0)) / machine.std(axis=0)
    _, _, rows = np.linalg.svd(scaled, full_matrices=False)
    assert fitted.samples_seen == len(machine)
    np.testing.assert_allclose(fitted.components.T @ fitted.components, rows[:2].T @ rows[:2], atol=1e-3)


PROGRAM = """#include <stdio.h>
#include "motor.h"
#include "motor_image.h"

static motor_t monitor;
static uint8_t image[MOTOR_IMAGE_BYTES];

int main(void) {
  const eig_settings settings = eig_settings_default();
  FILE *samples = fopen("samples.bin", "rb");
  FILE *saved = fopen("saved.bin", "wb");
  float sample[MOTOR_CHANNELS];
  eig_verdict verdict;
  if (samples == NULL || saved == NULL) return 1;
  if (motor_init(&monitor, &settings) != EIG_OK) return 2;
  if (motor_load(&monitor, motor_image, sizeof motor_image, NULL) != EIG_OK) return 3;
  while (fread(sample, sizeof sample, 1, samples) == 1) {
    if (motor_observe(&monitor, sample, &verdict) != EIG_OK) return 4;
  }
  if (motor_save(&monitor, image, sizeof image) != EIG_OK) return 5;
  return fwrite(image, sizeof image, 1, saved) == 1 && fclose(saved) == 0 ? 0 : 6;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_c_program_continues_a_monitor_of_python_and_back(machine: np.ndarray, tmp_path: Path) -> None:
    """Python trains a monitor, C restores it from the header of `to_c`, observes more samples and saves it; Python restores that."""
    harness("c", "--cpu", "host", "--channels", "6", "--out", "motor", folder=tmp_path)
    monitor = eigenstream.Monitor(6, training=600)
    monitor.observe(machine[:1000])
    (tmp_path / "motor_image.h").write_text(monitor.to_c("motor"))
    (tmp_path / "main.c").write_text(PROGRAM)
    (tmp_path / "samples.bin").write_bytes(machine[1000:].tobytes())
    library = ["motor/lib/libeigenstream.a", "-lpthread", "-ldl", "-lm"]
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", "motor/include", "-I", "."]
    run("cc", *strict, "main.c", *library, "-o", "program", folder=tmp_path)
    run(tmp_path / "program", folder=tmp_path)
    monitor.observe(machine[1000:])
    assert eigenstream.Monitor.from_image((tmp_path / "saved.bin").read_bytes()) == monitor
