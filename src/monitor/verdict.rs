//! The verdict of the monitor on a sample.
//! Out: score, threshold, alarm, phase, state, and the part that each channel has in the score.

use crate::codec::stored_choice;
use crate::{CodecError, Scalar};

/// The phase of a monitor: how it treats samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Phase {
    /// Learns scale and shape; never an alarm.
    Warmup {
        /// Samples so far.
        seen: u32,
        /// Samples until it ends.
        need: u32,
    },
    /// No channel has moved yet, so there is no scale: the warm-up begins again until one does.
    Standstill,
    /// Learns what scores normal samples have; never an alarm.
    Calibrating,
    /// The scores of the last calibration were all alike, or still rising at its end: calibrates again.
    Unsettled,
    /// Watches, and learns as its policy says.
    Watching,
    /// Watches, and learns nothing.
    Frozen,
}

stored_choice!(
    [] Phase: [seen: u32 = 0, need: u32 = 0] {
        0 = Warmup { seen, need }, 1 = Calibrating, 2 = Watching, 3 = Frozen, 4 = Standstill, 5 = Unsettled
    }
    if checked
);

impl Phase {
    fn checked(self) -> Result<Self, CodecError> {
        match self {
            Self::Warmup { seen, need } if seen > need => Err(CodecError::Choice),
            phase => Ok(phase),
        }
    }

    /// Whether the monitor judges samples.
    #[must_use]
    pub const fn is_watching(self) -> bool {
        matches!(self, Self::Watching | Self::Frozen)
    }

    /// Whether the scale is still to be found, from this many samples.
    pub(super) const fn settles(self, samples: u32) -> bool {
        match self {
            Self::Warmup { seen, .. } => seen < samples,
            Self::Standstill => true,
            _ => false,
        }
    }
}

/// How the machine stands, as far as the monitor can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum State {
    /// Not judged yet: the monitor still learns.
    Learning,
    /// As it was learned.
    Normal,
    /// As in a new level that was accepted or acknowledged.
    SecondNormal,
    /// Unusual, and not long enough to say more.
    Unusual,
    /// Unusual for long, and some channel still moves: a fault that grows.
    Moving,
    /// Unusual for long, at a level that stands still.
    Steady,
    /// A sensor has stopped: its value does not change any more.
    Stuck,
}

/// The verdict of a monitor on one sample.
///
/// ```
/// use eigenstream::monitor::{Phase, State, Verdict};
/// let verdict = Verdict {
///     score: 5.0_f32,
///     threshold: 2.0,
///     alarm: true,
///     phase: Phase::Watching,
///     state: State::Unusual,
///     stuck: None,
///     moved: 0.0,
///     contribution: [0.5, 4.0, 0.5],
/// };
/// assert_eq!(verdict.guilty(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Verdict<T, const DIM: usize> {
    /// How unusual the stream is, smoothed. High is unusual.
    pub score: T,
    /// Where unusual begins; [`Scalar::MAX`] as long as that is not known.
    pub threshold: T,
    /// Whether there is an alarm: the score is above the threshold, or a sensor has stopped.
    pub alarm: bool,
    /// The phase that this sample fell into.
    pub phase: Phase,
    /// How the machine stands.
    pub state: State,
    /// The first channel whose value has stopped changing.
    pub stuck: Option<usize>,
    /// By how many spreads the level of the channel that moved most has moved since the threshold was found. Drift that is slow
    /// enough to be followed shows here and nowhere else.
    pub moved: T,
    /// The part of each channel in the score: none is negative, and they sum to it.
    pub contribution: [T; DIM],
}

impl<T: Scalar, const DIM: usize> Verdict<T, DIM> {
    /// The channel to look at: one that is stuck, else the one with the largest part in the score, the first of several.
    ///
    /// ```
    /// use eigenstream::monitor::{Phase, State, Verdict};
    /// let mut verdict = Verdict {
    ///     score: 0.0_f32, threshold: 2.0, alarm: false, phase: Phase::Frozen, state: State::Normal, stuck: None, moved: 0.0,
    ///     contribution: [0.0; 3],
    /// };
    /// assert_eq!(verdict.guilty(), 0);
    /// verdict.stuck = Some(2);
    /// assert_eq!(verdict.guilty(), 2);
    /// ```
    #[must_use]
    pub fn guilty(&self) -> usize {
        if let Some(stuck) = self.stuck {
            return stuck;
        }
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
