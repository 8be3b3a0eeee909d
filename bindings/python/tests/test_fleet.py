"""Tests a fleet on Dask: 200 devices and two workers, one of which dies."""

from __future__ import annotations

import os
import signal
import threading
import time

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
