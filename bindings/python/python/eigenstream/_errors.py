"""The exceptions of the package. After each of them the learner is as it was."""

from __future__ import annotations


class SampleError(ValueError):
    """A sample was refused: NaN, infinite, or too large.

    `row` is its place in the batch, `channel` the channel that is to blame.
    """

    def __init__(self, message: str, row: int = 0, channel: int | None = None) -> None:
        super().__init__(message, row, channel)
        self.row = row
        self.channel = channel

    def __str__(self) -> str:
        return str(self.args[0])


class ImageError(ValueError):
    """Bytes that are no image of this learner: torn, damaged, of another version, or with impossible numbers."""


class SettingsError(ValueError):
    """A setting that does not exist, or with a value that cannot be used."""


class SizeError(ValueError):
    """Sizes that this build has no type for; `eigenstream.sizes()` lists those it has."""


class MergeError(ValueError):
    """Two learners that cannot be merged: their settings differ, or one of them forgets."""


class FitError(ValueError):
    """A start from a learner that was not fitted."""
