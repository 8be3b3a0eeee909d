"""Streams and figures that the tests share."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest

FIGURES = pytest.StashKey[list[str]]()


@pytest.fixture
def machine() -> np.ndarray:
    """4,000 samples of a machine in its normal state: six channels that depend on two hidden signals, with noise."""
    random = np.random.default_rng(7)
    mixture = random.normal(size=(2, 6))
    return (random.normal(size=(4000, 2)) @ mixture + 0.1 * random.normal(size=(4000, 6))).astype(np.float32)


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> list[str]:
    """Lines with measured figures. They are printed after all tests."""
    return request.config.stash.setdefault(FIGURES, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in config.stash.get(FIGURES, []):
        terminalreporter.write_line(line)
