"""Checks the types of the package with mypy, and the stub of the compiled part against the compiled part."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

PYTHON = Path(__file__).parents[1]


def run(folder: Path, *arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


USER = """from typing import assert_type
import numpy as np
import eigenstream
pca = eigenstream.TrackingPca(6, 2, learning_rate=0.5).learn(np.zeros((3, 6)))
assert_type(pca, eigenstream.TrackingPca)
assert_type(eigenstream.Monitor.from_image(b""), eigenstream.Monitor)
assert_type(pca.image(), bytes)
assert_type(eigenstream.Monitor(6).settings, dict[str, int | float | str])
assert_type(pca.bound(1.0, learning_rate=0.5), float)
verdicts: eigenstream.Verdicts = eigenstream.Monitor(6).observe(np.zeros((3, 6)))
class Frame:
    columns = ("a", "b")
    def __array__(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        raise NotImplementedError
assert_type(eigenstream.Monitor(6).observe(Frame()), eigenstream.Verdicts)
assert_type(eigenstream.Monitor(2).observe([[1, 2.5], [3, 4]]), eigenstream.Verdicts)
assert_type(eigenstream.Monitor(2).observe([1, 2.5]), eigenstream.Verdict)
assert_type(verdicts[0], eigenstream.Verdict)
assert_type(verdicts[np.argmax(verdicts.score)], eigenstream.Verdict)
assert_type(verdicts[1:], eigenstream.Verdicts)
assert_type(verdicts[verdicts.alarm], eigenstream.Verdicts)
assert_type(verdicts[[0, 2]], eigenstream.Verdicts)
verdicts["alarm"]  # type: ignore[call-overload]
pca.merge(eigenstream.Monitor(6))  # type: ignore[arg-type]
eigenstream.Monitor(6).observe(pca)  # type: ignore[call-overload]
eigenstream.Monitor("six")  # type: ignore[arg-type]
eigenstream.Monitor(6, treshold=1.0)  # type: ignore[call-arg]
"""


def test_the_package_and_a_program_with_it_have_correct_types(tmp_path: Path) -> None:
    """Each wrong call of the program is an error: otherwise its comment were without use, which is an error too."""
    (tmp_path / "user.py").write_text(USER)
    # The cache in the virtual environment makes the next run ten times faster.
    settings = ["--config-file", str(PYTHON / "pyproject.toml"), "--cache-dir", str(Path(sys.prefix) / "mypy")]
    run(tmp_path, "mypy", *settings, "-m", "user", "-p", "eigenstream")


def test_the_stub_is_that_of_the_compiled_part(tmp_path: Path) -> None:
    run(tmp_path, "mypy.stubtest", "eigenstream._native")
