"""Tests a fleet on Dask: 200 devices and two workers, one of which dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")
import pandas as pd

import eigenstream
from eigenstream import fleet

pytestmark = pytest.mark.whole

DEVICES, WRONG, ROWS = 200, 137, 400
NAMES = list("abcdef")


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[np.ndarray]]:
    folder = tmp_path_factory.mktemp("recordings")
    mixture = np.random.default_rng(0).normal(size=(2, 6))
    recordings = []
    for device in range(DEVICES):
        random = np.random.default_rng(1000 + device)
        samples = random.normal(size=(ROWS, 2)) @ mixture + 0.1 * random.normal(size=(ROWS, 6))
        if device == WRONG:
            # Two sensors of this device are exchanged.
            samples[:, [1, 4]] = samples[:, [4, 1]]
        samples = samples.astype(np.float32)
        recordings.append(samples)
        pd.DataFrame(samples, columns=NAMES).to_parquet(folder / f"device{device:03}.parquet")
    return str(folder), recordings


@pytest.fixture(scope="module")
def client():
    with fleet.connect(workers=2) as client:
        yield client


def test_the_merged_fit_is_one_pass_and_the_wrong_device_is_found(client, devices) -> None:
    folder, recordings = devices
    prior = fleet.fit(client, folder, keep=2)
    one_pass = eigenstream.BatchPca(6, 2, centering="uncentered").learn(np.concatenate(recordings))
    one_pass.fit()
    assert prior.samples_seen == DEVICES * ROWS
    # The tolerance is the rounding error of 80,000 sums in float32, relative to the largest eigenvalue.
    np.testing.assert_allclose(prior.eigenvalues, one_pass.eigenvalues, rtol=0, atol=1e-5 * one_pass.eigenvalues[0])
    np.testing.assert_allclose(
        prior.components.T @ prior.components, one_pass.components.T @ one_pass.components, atol=1e-3
    )
    table = fleet.compare(client, folder, prior)
    assert len(table) == DEVICES and (table["rows"] == ROWS).all()
    assert fleet.odd_devices(table) == [f"device{WRONG:03}"]
    factory = eigenstream.TrackingPca.from_image(fleet.factory_image(prior))
    # From its first sample on, the factory learner explains a device whose samples it has not learned itself.
    assert factory.score(recordings[5]).mean() < 0.05 * (recordings[5] ** 2).sum(axis=1).mean()


def test_in_double_precision_merging_is_exact_to_rounding(client, devices) -> None:
    folder, recordings = devices
    prior = fleet.fit(client, folder, keep=2, dtype="float64")
    one_pass = eigenstream.BatchPca(6, 2, centering="uncentered", dtype="float64")
    one_pass.learn(np.concatenate(recordings))
    one_pass.fit()
    # The tolerance is the rounding error of 80,000 sums, relative to the largest eigenvalue.
    np.testing.assert_allclose(prior.eigenvalues, one_pass.eigenvalues, rtol=0, atol=1e-12 * one_pass.eigenvalues[0])


def test_a_replay_of_every_device(client, devices) -> None:
    folder, _ = devices
    table = fleet.replay(client, folder, columns=NAMES, training=300)
    assert len(table) == DEVICES and (table["watched"] == ROWS - 300).all()
    assert isinstance(eigenstream.from_image(table["image"].iloc[0]), eigenstream.Monitor)
    again = fleet.replay(client, folder, columns=NAMES, image=table["image"].iloc[0])
    assert (again["watched"] >= ROWS).all()


def test_a_worker_that_dies_loses_nothing(client, devices) -> None:
    folder, _ = devices
    expected = fleet.fit(client, folder, keep=2).image()
    workers = client.run(os.getpid)
    assert len(workers) == 2
    victim = next(iter(workers.values()))
    killed = threading.Event()

    def kill() -> None:
        time.sleep(0.15)
        os.kill(victim, signal.SIGKILL)
        killed.set()

    thread = threading.Thread(target=kill)
    thread.start()
    fits = [fleet.fit(client, folder, keep=2).image() for _ in range(3)]
    thread.join()
    assert killed.is_set() and victim not in client.run(os.getpid).values()
    assert all(image == expected for image in fits)


def written(folder: Path, *frames: pd.DataFrame) -> str:
    for device, frame in enumerate(frames):
        frame.to_parquet(folder / f"device{device}.parquet")
    return str(folder)


def test_channels_are_read_by_name(client, machine: np.ndarray, tmp_path: Path) -> None:
    """The columns of a recording may be in any order, and the index of a DataFrame is no channel."""
    frame = pd.DataFrame(machine, columns=NAMES)
    timed = frame[2000:].set_index(pd.date_range("2024", periods=2000, freq="s", name="time"))
    folder = written(tmp_path, frame[:1000], frame[1000:2000][NAMES[::-1]], timed)
    for columns in (NAMES, NAMES[::-1], None):
        one_pass = eigenstream.BatchPca(6, 2, centering="uncentered").learn(frame[columns or NAMES])
        one_pass.fit()
        prior = fleet.fit(client, folder, keep=2, columns=columns)
        assert prior.samples_seen == 4000
        np.testing.assert_allclose(prior.eigenvalues, one_pass.eigenvalues, rtol=0, atol=1e-5 * one_pass.eigenvalues[0])
        np.testing.assert_allclose(np.abs(prior.components), np.abs(one_pass.components), atol=1e-3)
        assert fleet.compare(client, folder, prior, columns=columns)["lost_part"].max() < 0.05
    assert (fleet.replay(client, folder, training=300)["alarms"] == 0).all()


def test_a_column_that_is_no_channel_is_refused_by_name(client, machine: np.ndarray, tmp_path: Path) -> None:
    frame = pd.DataFrame(machine[:100], columns=NAMES)
    folder = written(tmp_path, frame, frame.rename(columns={"c": "x"}))
    with pytest.raises(ValueError, match="device1.parquet has no column 'c'"):
        fleet.fit(client, folder)
    with pytest.raises(ValueError, match="device0.parquet has no column 'x'"):
        fleet.fit(client, folder, columns=["a", "b", "x"])
    for wrong in ("pump", pd.Timestamp("2024-01-01")):
        written(tmp_path, frame.assign(c=wrong), frame)
        with pytest.raises(TypeError, match=r"column 'c' of .*device0.parquet has .*, not numbers"):
            fleet.fit(client, folder)
