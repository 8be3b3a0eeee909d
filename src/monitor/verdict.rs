//! The report of the monitor: the verdict on each sample, and how far a verdict can be trusted.

use super::score::sum;
use crate::codec::stored_choice;
use crate::{CodecError, Scalar};

/// The phase of a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Phase {
    /// The monitor finds the scale of each channel and trains the learner; no alarm is raised.
    Warmup {
        /// The number of warm-up samples so far.
        ///
        /// The number starts again at 0 if the scale does not fit, for example after a start with the machine switched off.
        /// [`set_settings`](super::Monitor::set_settings) with another schedule can change the number.
        seen: u32,
        /// The number of samples at which the warm-up ends.
        need: u32,
    },
    /// No channel has a spread yet, because all were nearly constant or had too few values; the search for the scale is repeated.
    Standstill,
    /// The monitor collects the scores of normal samples; no alarm is raised.
    Calibrating,
    /// The monitor calibrates again: the last scores gave no threshold, rose, or were too few.
    Unsettled,
    /// The monitor judges samples and learns as [`Learning`](super::Learning) says.
    Watching,
    /// The monitor judges samples; it learns only a second normal state ([`NewLevel`](super::NewLevel)) and the spread of a channel
    /// that stood still in training.
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

    /// Whether the monitor still searches for the scale, which takes `samples` samples.
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
    /// The monitor does not judge yet, because it is in warm-up or calibration.
    Learning,
    /// The machine is normal, as during training.
    Normal,
    /// The machine is normal, at a new level that was accepted or acknowledged.
    SecondNormal,
    /// The machine is unusual, but for too short a time to say more.
    Unusual,
    /// The machine has been unusual for a long time, and at least one channel still moves, as in a fault that grows.
    Moving,
    /// The machine has been unusual for a long time, at a new level that does not move.
    Steady,
    /// A sensor has stopped: its value does not change.
    Stuck,
}

/// The verdict of a monitor on one sample.
///
/// ```
/// use eigenstream::monitor::{Phase, State, Verdict};
/// // A test of code that takes a verdict can use this one.
/// let mut verdict = Verdict::normal([0.5_f32, 4.0, 0.5]);
/// assert_eq!((verdict.score, verdict.guilty()), (5.0, 1));
/// (verdict.state, verdict.alarm) = (State::Unusual, true);
/// assert_eq!(verdict.phase, Phase::Watching);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Verdict<T, const DIM: usize> {
    /// The smoothed score; a high score is unusual.
    pub score: T,
    /// The threshold of the alarm; [`Scalar::MAX`] in warm-up and calibration.
    pub threshold: T,
    /// Whether there is an alarm, raised by the score or by a sensor that has stopped.
    pub alarm: bool,
    /// The phase of the monitor at this sample.
    pub phase: Phase,
    /// The state of the machine.
    pub state: State,
    /// The first channel whose value has stopped changing, or `None`; always `None` in warm-up and calibration.
    pub stuck: Option<usize>,
    /// The drift: the largest change of a channel's level since the monitor last began to watch, in spreads.
    ///
    /// Before the monitor first watches, it is the change since the level was found. The score hardly shows a drift that the level
    /// follows; this field does.
    pub moved: T,
    /// The part of each channel in the score, none negative; the parts sum to the score.
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

    /// The channel to look at first: the stuck channel, or else the channel of the largest contribution.
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

/// The condition of a channel; if several hold, it is the first of `Missing`, `Stuck`, `Unknown`, `Quantised`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ChannelHealth {
    /// The channel has a spread, and none of the conditions below holds.
    Good,
    /// No spread is known, because the channel was nearly constant, had too few values, or the scale is not found yet.
    ///
    /// If the channel moves later, it is `Unknown` until the monitor next begins to watch.
    Unknown,
    /// The value of the channel has stopped changing.
    Stuck,
    /// The last sample has no value for this channel, or there was no sample yet.
    ///
    /// Samples that were refused or held back as outliers do not count.
    Missing,
    /// The spread is less than two steps of the converter: a fault smaller than a step can be invisible.
    ///
    /// The step is the smallest change of the channel in training.
    Quantised,
}

/// The health of a monitor, for a log or a service screen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Health<T, const DIM: usize> {
    /// The condition of each channel.
    pub channels: [ChannelHealth; DIM],
    /// The drift of each channel, in spreads, as in [`Verdict::moved`].
    pub moved: [T; DIM],
    /// The fraction of each channel's variance that the other channels explain; `None` if the learner does not compute it.
    ///
    /// If the fraction is near 0, a fault shows only if the value of the channel itself is unusual.
    pub explained: Option<[T; DIM]>,
    /// The median score of the last calibration; zero until the monitor first watches.
    ///
    /// If a fixed threshold replaced the calibration, it is the mean of the last training scores, or 1 if this mean is zero or
    /// subnormal. With the default learner and score the usual score is about 1 or less if the samples of calibration were like
    /// those of the warm-up.
    pub usual_score: T,
    /// The number of samples since the monitor last began to watch, up to about 2³².
    ///
    /// In warm-up and calibration this count and the counts below are 0.
    pub watched: u32,
    /// The number of the `watched` samples with an alarm.
    pub alarm_samples: u32,
    /// The number of alarms since the monitor last began to watch.
    pub alarms: u32,
    /// The number of samples with an alarm since the last sample without an alarm.
    pub locked_out: u32,
}

impl<T: Scalar, const DIM: usize> Health<T, DIM> {
    /// `alarm_samples` divided by `watched`, to compare with the false-alarm rate of the settings.
    #[must_use]
    pub fn alarm_rate(&self) -> T {
        T::from_usize(self.alarm_samples as usize) / T::from_usize((self.watched as usize).max(1))
    }
}
