"""The exceptions of the package. A call that raises one of them leaves the learner unchanged."""

from __future__ import annotations


class SampleError(ValueError):
    """A sample was refused: NaN, infinite, or too large.

    `row` is the index of the sample in the batch, `channel` the channel that caused the refusal.
    """

    def __init__(self, message: str, row: int = 0, channel: int | None = None) -> None:
        super().__init__(message, row, channel)
        self.row = row
        self.channel = channel

    def __str__(self) -> str:
        return str(self.args[0])


class ImageError(ValueError):
    """The bytes are not an image of this learner: incomplete, damaged, of another version, or with impossible numbers."""


class SettingsError(ValueError):
    """A setting does not exist, or its value cannot be used."""


class SizeError(ValueError):
    """This build does not have these sizes; `eigenstream.sizes()` lists the sizes that it has."""


class MergeError(ValueError):
    """Two learners cannot be merged: their settings differ, or one of them forgets old samples."""


class FitError(ValueError):
    """`start_from` was called with a learner that was not fitted."""
