"""Many recordings at once, on Dask: fit each recording, merge the fits, compare the devices, write the factory image.

A recording is one Parquet file of one device, with a column for each channel. The channels are `columns`, or the columns of the
first recording. They are read by name, and the index of a DataFrame is no channel. Dask schedules the work: by default on a
`LocalCluster` of this machine, otherwise on the scheduler at an address. A task reads one recording and returns an image of some
hundred bytes. If a worker dies, only a few tasks are lost, and Dask runs them again. The processes of a `LocalCluster` import the
script that starts them, so a script calls `connect` below `if __name__ == "__main__":`.

>>> from pathlib import Path
>>> from eigenstream import fleet
>>> with fleet.connect() as client:                       # or connect("tcp://scheduler:8786")
...     prior = fleet.fit(client, "recordings/", keep=2)
...     table = fleet.compare(client, "recordings/", prior)
>>> fleet.odd_devices(table)
>>> Path("factory.bin").write_bytes(fleet.factory_image(prior))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet
import pyarrow.types as types
from dask.distributed import Client, LocalCluster

from ._learner import Learner
from ._monitor import Monitor
from ._pca import BatchPca, TrackingPca
from ._samples import Array

__all__ = ["compare", "connect", "factory_image", "fit", "odd_devices", "recordings", "replay"]

#: Rows that are in memory at once.
_ROWS = 65_536


@contextmanager
def connect(address: str | None = None, workers: int = 2) -> Iterator[Client]:
    """Connects to the scheduler at `address`, or to a new cluster of `workers` processes on this machine."""
    if address is not None:
        with Client(address) as client:
            yield client
        return
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, Client(cluster) as client:
        yield client


def recordings(source: str | Path | Iterable[str | Path]) -> list[str]:
    """Returns the Parquet files of a folder in the order of their names, or the files of a list; one file for each device."""
    if isinstance(source, (str, Path)):
        path = Path(source)
        files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    else:
        files = [Path(each) for each in source]
    if not files:
        raise FileNotFoundError(f"no Parquet files in {source}")
    return [str(file) for file in files]


def _columns_of(path: str) -> list[str]:
    """Returns the columns of a recording without the index of a DataFrame."""
    schema = parquet.ParquetFile(path).schema_arrow
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in schema.names if name not in index]


def _channels(client: Client, files: list[str], columns: list[str] | None) -> list[str]:
    """Returns `columns`, or the columns of the first recording, which a worker reads: all recordings have the same channels."""
    return list(columns) if columns is not None else client.submit(_columns_of, files[0], pure=False).result()


def _rows(path: str, columns: list[str]) -> Iterator[Array]:
    """Yields the rows of a recording in which all channels have a finite value. The channels have the order of `columns`."""
    file = parquet.ParquetFile(path)
    for name in columns:
        if name not in file.schema_arrow.names:
            raise ValueError(f"{path} has no column {name!r}")
        kind = file.schema_arrow.field(name).type
        if not any(test(kind) for test in (types.is_floating, types.is_integer, types.is_decimal, types.is_boolean)):
            raise TypeError(f"column {name!r} of {path} has {kind}, not numbers: give the channels as `columns`")
    # A batch has the order of the file, whatever the order of `columns`.
    for batch in file.iter_batches(batch_size=_ROWS, columns=columns):
        arrays = [batch.column(name).to_numpy(zero_copy_only=False) for name in columns]
        rows = np.column_stack([array.astype(np.float64) for array in arrays])
        rows = rows[np.isfinite(rows).all(axis=1)]
        if len(rows):
            yield rows


def _fit_one(path: str, columns: list[str], keep: int, centering: str, dtype: str) -> bytes | None:
    pca = None
    for rows in _rows(path, columns):
        if pca is None:
            pca = BatchPca(rows.shape[1], keep, centering=centering, dtype=dtype)
        pca.learn(rows)
    return None if pca is None else pca.image()


def _merge_two(first: bytes | None, second: bytes | None) -> bytes | None:
    if first is None or second is None:
        return first or second
    return BatchPca.from_image(first).merge(BatchPca.from_image(second)).image()


def fit(
    client: Client,
    source: str | Path | Iterable[str | Path],
    *,
    keep: int = 2,
    columns: list[str] | None = None,
    centering: str = "uncentered",
    dtype: str = "float32",
) -> BatchPca:
    """Fits one model to all recordings: the worker that reads a recording learns it, then the fits are merged in pairs."""
    files = recordings(source)
    channels = _channels(client, files, columns)
    images = client.map(_fit_one, files, columns=channels, keep=keep, centering=centering, dtype=dtype, pure=False)
    while len(images) > 1:
        rest = images[len(images) // 2 * 2 :]
        pairs = zip(images[0::2], images[1::2], strict=False)
        images = [client.submit(_merge_two, first, second, pure=False) for first, second in pairs] + rest
    image = images[0].result()
    if image is None:
        raise ValueError("no recording has a row in which every channel has a value")
    prior = BatchPca.from_image(image)
    prior.fit()
    return prior


def _compare_one(path: str, columns: list[str], image: bytes) -> dict[str, Any]:
    prior = BatchPca.from_image(image)
    count, loss, energy = 0, 0.0, 0.0
    parts = np.zeros(prior.channels)
    for rows in _rows(path, columns):
        residual = prior.residual(rows).astype(np.float64)
        count += len(rows)
        parts += (residual**2).sum(axis=0)
        energy += float(((rows - prior.mean) ** 2).sum())
    loss = float(parts.sum())
    return {
        "device": Path(path).stem,
        "rows": count,
        "loss": loss / max(count, 1),
        "lost_part": loss / energy if energy > 0 else 0.0,
        "guilty": int(parts.argmax()),
    }


def compare(
    client: Client,
    source: str | Path | Iterable[str | Path],
    prior: BatchPca,
    *,
    columns: list[str] | None = None,
) -> pd.DataFrame:
    """Returns how well the common fit explains each device.

    Columns: the mean loss of a row, the lost part of the energy, and the channel with the largest loss.
    """
    files = recordings(source)
    channels = _channels(client, files, columns)
    tasks = client.map(_compare_one, files, columns=channels, image=prior.image(), pure=False)
    return pd.DataFrame(client.gather(tasks)).set_index("device")


def odd_devices(table: pd.DataFrame, column: str = "lost_part", distance: float = 10.0) -> list[str]:
    """Returns the devices that are more than `distance` median absolute deviations above the median."""
    values = table[column]
    middle = values.median()
    spread = (values - middle).abs().median()
    return list(table.index[values > middle + distance * max(spread, np.finfo(float).tiny)])


def _replay_one(path: str, columns: list[str], image: bytes | None, settings: dict[str, Any]) -> dict[str, Any]:
    monitor = None if image is None else Monitor.from_image(image)
    count, first_alarm = 0, None
    for rows in _rows(path, columns):
        if monitor is None:
            monitor = Monitor(rows.shape[1], **settings)
        verdicts = monitor.observe(rows)
        if first_alarm is None and verdicts.alarm.any():
            first_alarm = count + int(verdicts.alarm.argmax())
        count += len(rows)
    if monitor is None:
        return {"device": Path(path).stem, "rows": 0}
    health = monitor.health
    return {
        "device": Path(path).stem,
        "rows": count,
        "watched": health["watched"],
        "alarms": health["alarms"],
        "alarm_rate": health["alarm_rate"],
        "first_alarm": first_alarm,
        "threshold": monitor.threshold,
        "image": monitor.image(),
    }


def replay(
    client: Client,
    source: str | Path | Iterable[str | Path],
    *,
    columns: list[str] | None = None,
    image: bytes | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Runs a separate monitor over each recording: a new monitor with these settings, or the monitor of `image`."""
    files = recordings(source)
    channels = _channels(client, files, columns)
    tasks = client.map(_replay_one, files, columns=channels, image=image, settings=settings, pure=False)
    return pd.DataFrame(client.gather(tasks)).set_index("device")


def factory_image(prior: BatchPca, **settings: Any) -> bytes:
    """Returns the image of a `TrackingPca` that starts from the fit: the first state of every device."""
    learner: Learner = TrackingPca(prior.channels, prior.keep, dtype=prior.dtype, **settings).start_from(prior)
    return learner.image()
