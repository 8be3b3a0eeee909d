"""Runs programs of the guide `src/guide/python.md`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eigenstream

GUIDE = (Path(__file__).parents[3] / "src" / "guide" / "python.md").read_text()
NAMES = list("abcdef")


def programs(heading: str) -> list[str]:
    # A heading has an empty line before and after it; a comment in a program has not.
    section = re.split(r"\n\n# [^\n]*\n\n", GUIDE.split(f"\n\n# {heading}\n\n")[1])[0]
    return re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)


def test_the_first_program_prints_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = programs("A first program")
    exec(program, {})
    assert f"It prints `{capsys.readouterr().out.strip()}`." in GUIDE


class Devices:
    """The part of Spark's grouped data that the guide uses, in this process."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def groupBy(self, column: str) -> Devices:
        self.groups = [group for _, group in self.frame.groupby(column)]
        return self

    def applyInPandas(self, function: Any, schema: str) -> Devices:
        assert schema == "image binary"
        self.rows = pd.concat([function(group) for group in self.groups])
        return self

    def collect(self) -> list[Any]:
        return list(self.rows.itertuples())


def stand_in() -> Any:
    return SimpleNamespace(read=SimpleNamespace(parquet=lambda folder: Devices(pd.read_parquet(folder))))


def local_spark() -> Any:
    """Returns a session of Spark in this process. `cargo harness python` does not install pyspark, which also needs Java."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    return sql.SparkSession.builder.master("local[1]").getOrCreate()


@pytest.mark.whole
def test_the_lines_for_a_fleet_are_a_script(machine: np.ndarray, tmp_path: Path) -> None:
    pytest.importorskip("dask.distributed")
    (tmp_path / "recordings").mkdir()
    for device in range(8):
        rows = machine[:, [5, 2, 0, 1, 3, 4]] if device == 3 else machine
        pd.DataFrame(rows, columns=NAMES).to_parquet(tmp_path / "recordings" / f"device{device}.parquet")
    (tmp_path / "script.py").write_text(programs("A fleet")[0])
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['device3']\n"
    assert eigenstream.TrackingPca.from_image((tmp_path / "factory.bin").read_bytes()).keep == 2


@pytest.mark.whole
@pytest.mark.parametrize("session", [stand_in, local_spark])
def test_the_lines_for_spark_merge_the_devices(
    session: Callable[[], Any], machine: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    # The workers of Spark run this interpreter, which has the package.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    frame = pd.DataFrame(machine, columns=NAMES)
    frame["device"] = np.arange(len(frame)) % 5
    frame.to_parquet(tmp_path / "all.parquet")
    program = programs("A fleet")[1].replace('"recordings/"', repr(str(tmp_path)))
    names = {"spark": session(), "eigenstream": eigenstream, "pd": pd, "names": NAMES}
    exec(program, names)
    one_pass = eigenstream.BatchPca(6, 2, centering="uncentered").learn(machine)
    one_pass.fit()
    prior: Any = names["prior"]
    assert prior.samples_seen == len(machine)
    np.testing.assert_allclose(prior.eigenvalues, one_pass.eigenvalues, rtol=0, atol=1e-5 * one_pass.eigenvalues[0])
