//! The verdict of the monitor on a sample.
//! Out: score, threshold, alarm, phase, state, stuck channel, drift, and the part of each channel in the score.

use super::score::sum;
use crate::codec::stored_choice;
use crate::{CodecError, Scalar};

/// The phase of a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Phase {
    /// The monitor finds level (centre) and spread (usual standard deviation) of each channel and trains the learner. No alarm is
    /// raised.
    Warmup {
        /// The number of warm-up samples so far. If the search for level and spread was repeated, only the samples of the last
        /// search count: the number starts again at 0 if the machine has a state far outside of the first spreads, as after a
        /// start with the machine switched off. [`set_settings`](super::Monitor::set_settings) with another schedule can change this number.
        seen: u32,
        /// The number of samples at which the warm-up ends.
        need: u32,
    },
    /// No spread is known yet: each channel was constant except for a few values, or had too few values
    /// ([`Settling`](super::stages::Settling)). The part of the warm-up that finds level and spread is repeated until a channel has a
    /// spread.
    Standstill,
    /// The monitor collects the scores of normal samples. No alarm is raised.
    Calibrating,
    /// The last calibration was not usable: the scores gave no threshold, rose during the calibration, or were too few because of
    /// missing channels. The monitor calibrates again.
    Unsettled,
    /// The monitor judges samples and learns as [`Learning`](super::Learning) says.
    Watching,
    /// The monitor judges samples; level and learner do not learn. A new level can still be accepted as a second normal state
    /// ([`NewLevel`](super::NewLevel)).
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

    /// Whether the monitor still searches level and spread. A search takes `samples` samples.
    pub(super) const fn settles(self, samples: u32) -> bool {
        match self {
            Self::Warmup { seen, .. } => seen < samples,
            Self::Standstill => true,
            _ => false,
        }
    }
}

/// The state of the machine, as far as the monitor can tell.
///
/// A later version can have more states, so a `match` needs an arm for the others:
/// ```
/// use eigenstream::State;
/// fn lamp(state: State) -> &'static str {
///     match state {
///         State::Learning => "blue",
///         State::Normal | State::SecondNormal => "green",
///         _ => "red",
///     }
/// }
/// # assert_eq!(lamp(State::Stuck), "red");
/// ```
/// Without this arm the program does not compile:
/// ```compile_fail,E0004
/// use eigenstream::State::{self, *};
/// fn is_good(state: State) -> bool {
///     match state {
///         Normal | SecondNormal => true,
///         Learning | Unusual | Moving | Steady | Stuck => false,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum State {
    /// Not judged yet: the monitor is in warm-up or calibration.
    Learning,
    /// Normal, as during training.
    Normal,
    /// Normal, at a new level (other averages of the channels) that was accepted or acknowledged.
    SecondNormal,
    /// Unusual, but not yet long enough to say more.
    Unusual,
    /// Unusual for a long time, and at least one channel still moves, as in a fault that grows.
    Moving,
    /// Unusual for a long time, at a new level that does not move.
    Steady,
    /// A sensor has stopped: its value does not change.
    Stuck,
}

/// The verdict of a monitor on one sample.
///
/// ```
/// use eigenstream::monitor::{Phase, State, Verdict};
/// // To test code that takes a verdict.
/// let mut verdict = Verdict::normal([0.5_f32, 4.0, 0.5]);
/// assert_eq!((verdict.score, verdict.guilty()), (5.0, 1));
/// (verdict.state, verdict.alarm) = (State::Unusual, true);
/// assert_eq!(verdict.phase, Phase::Watching);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Verdict<T, const DIM: usize> {
    /// The smoothed score. A high score is unusual.
    pub score: T,
    /// A score above this threshold is unusual. [`Scalar::MAX`] in warm-up and calibration.
    pub threshold: T,
    /// Whether there is an alarm, raised by the score or by a sensor that has stopped.
    pub alarm: bool,
    /// The phase of the monitor at this sample.
    pub phase: Phase,
    /// The state of the machine.
    pub state: State,
    /// The stuck channel (its value has stopped changing) of the smallest index; `None` if no channel is stuck, and in warm-up
    /// and calibration.
    pub stuck: Option<usize>,
    /// The largest absolute change of a channel's level (its centre) since the monitor last began to watch, in spreads (usual
    /// standard deviations). Before it first watches: since the level was found. If a drift is so slow that the level follows it,
    /// the score hardly shows the drift, but this field does.
    pub moved: T,
    /// The part of each channel in the score. No part is negative, and the parts sum to the score.
    pub contribution: [T; DIM],
}

impl<T: Scalar, const DIM: usize> Verdict<T, DIM> {
    /// The verdict of a watching monitor on a normal sample with these contributions.
    ///
    /// The threshold is [`Scalar::MAX`], and no sensor is stuck. To test your own code, change the fields.
    #[must_use]
    pub fn normal(contribution: [T; DIM]) -> Self {
        Self {
            score: sum(&contribution),
            threshold: T::MAX,
            alarm: false,
            phase: Phase::Watching,
            state: State::Normal,
            stuck: None,
            moved: T::ZERO,
            contribution,
        }
    }

    /// The channel to look at first. This is the channel in `stuck`. If `stuck` is `None`, this is the channel with the largest
    /// part in the score; if several channels have the largest part, the one of the smallest index.
    ///
    /// ```
    /// use eigenstream::Verdict;
    /// let mut verdict = Verdict::normal([0.0_f32; 3]);
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
