//! What the monitor says of a sample.
//! Out: score, threshold, alarm, phase, and the part that each channel has in the score.

use crate::codec::stored_choice;
use crate::{CodecError, Scalar};

/// The phase of a monitor: how it treats samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Phase {
    /// Learns scale and subspace; never an alarm.
    Warmup {
        /// Samples so far.
        seen: u32,
        /// Samples until it ends.
        need: u32,
    },
    /// Learns what scores normal samples have; never an alarm.
    Calibrating,
    /// Watches, and learns as its policy says.
    Watching,
    /// Watches, and learns nothing.
    Frozen,
}

stored_choice!(
    [] Phase: [seen: u32 = 0, need: u32 = 0] { 0 = Warmup { seen, need }, 1 = Calibrating, 2 = Watching, 3 = Frozen }
    if checked
);

impl Phase {
    fn checked(self) -> Result<Self, CodecError> {
        match self {
            Self::Warmup { seen, need } if seen > need => Err(CodecError::Choice),
            phase => Ok(phase),
        }
    }
}

/// The verdict of a monitor on one sample.
///
/// ```
/// use eigenstream::monitor::{Phase, Verdict};
/// let verdict = Verdict { score: 5.0_f32, threshold: 2.0, alarm: true, phase: Phase::Watching, contribution: [0.5, 4.0, 0.5] };
/// assert_eq!(verdict.guilty(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Verdict<T, const DIM: usize> {
    /// How unusual the stream is, smoothed. High is unusual.
    pub score: T,
    /// Where unusual begins; [`Scalar::MAX`] as long as that is not known.
    pub threshold: T,
    /// Whether there is an alarm.
    pub alarm: bool,
    /// The phase that this sample fell into.
    pub phase: Phase,
    /// The part of each channel in the score: none is negative, and they sum to it.
    pub contribution: [T; DIM],
}

impl<T: Scalar, const DIM: usize> Verdict<T, DIM> {
    /// The channel with the largest part in the score, the first of several.
    ///
    /// ```
    /// use eigenstream::monitor::{Phase, Verdict};
    /// let verdict = Verdict { score: 0.0_f32, threshold: 2.0, alarm: false, phase: Phase::Frozen, contribution: [0.0; 3] };
    /// assert_eq!(verdict.guilty(), 0);
    /// ```
    #[must_use]
    pub fn guilty(&self) -> usize {
        let mut guilty = 0;
        let mut largest = T::ZERO;
        for (channel, &part) in self.contribution.iter().enumerate() {
            if part > largest {
                largest = part;
                guilty = channel;
            }
        }
        guilty
    }
}
