"""Tests that the digests of the conformance program in Python equal the digests of the chips."""

from __future__ import annotations

from pathlib import Path

import conformance
import numpy as np
import pytest

import eigenstream

DATA = Path(__file__).parents[3] / "tests" / "data"
DIGESTS, IMAGES = DATA / "digests.txt", DATA / "images"


def expected() -> dict[tuple[str, str], str]:
    lines = (line.split() for line in DIGESTS.read_text().splitlines())
    return {(name, number): digest for name, number, digest in lines}


@pytest.mark.parametrize("number", ["f32", "f64"])
@pytest.mark.parametrize("name", conformance.ROWS)
def test_the_digest_is_that_of_the_chip(name: str, number: str) -> None:
    digest = conformance.Digest()
    conformance.ROWS[name](digest, np.float32 if number == "f32" else np.float64)
    assert f"{digest.value:016x}" == expected()[name, number]


def test_one_bit_makes_a_difference() -> None:
    first, second = conformance.Digest(), conformance.Digest()
    first.number(np.float32(0.1))
    second.number(np.nextafter(np.float32(0.1), np.float32(1)))
    assert first.value != second.value


@pytest.mark.parametrize("file", sorted(IMAGES.iterdir()), ids=lambda file: file.name)
def test_an_image_of_the_test_data_is_restored_or_refused(file: Path) -> None:
    image = file.read_bytes()
    try:
        learner = eigenstream.from_image(image)
    except (eigenstream.ImageError, eigenstream.SizeError):
        # The package does not have this learner, this kernel or this size.
        return
    assert learner.image() == image


def test_some_images_of_the_test_data_are_restored() -> None:
    kinds = set()
    for file in IMAGES.iterdir():
        try:
            kinds.add(type(eigenstream.from_image(file.read_bytes())))
        except (eigenstream.ImageError, eigenstream.SizeError):
            continue
    assert {eigenstream.Monitor, eigenstream.BatchPca} <= kinds
