//! Turns scores into an alarm. The settings can keep the alarm from switching on and off with every sample.
//! In: the score and the threshold of each sample. Out: whether there is an alarm.
//! Method: the alarm is raised if the score was above the threshold for `confirm` samples in a row. The alarm is released if
//! the score is at most `release` times the threshold (hysteresis). After a release no alarm is raised for `hold_off` samples.
//! Cost: a few comparisons per sample. Kept: the settings, two counts and a state.

use crate::codec::{stored, stored_choice, validate};
use crate::learner::default_is_constant;
use crate::scalar::constant::of_number;
use crate::{CodecError, Scalar, SettingsError};

/// When an alarm is raised and released.
///
/// ```
/// use eigenstream::monitor::DecisionSettings;
/// let settings = DecisionSettings::new(0.8_f32)?.with_confirm(3).with_hold_off(100);
/// assert_ne!(settings, DecisionSettings::DEFAULT);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DecisionSettings<T> {
    release: T,
    confirm: u32,
    hold_off: u32,
}

impl<T: Scalar> DecisionSettings<T> {
    /// Raises at once, releases at the threshold, no hold-off: there is an alarm if and only if the score is above the
    /// threshold.
    pub const DEFAULT: Self = Self {
        release: T::ONE,
        confirm: 1,
        hold_off: 0,
    };

    /// The alarm is released if the score is at most `release` times the threshold.
    ///
    /// # Errors
    /// [`SettingsError::Hysteresis`] unless 0 < release ≤ 1.
    pub const fn new(release: T) -> Result<Self, SettingsError> {
        if of_number!(release => release > 0.0 && release <= 1.0) {
            Ok(Self {
                release,
                ..Self::DEFAULT
            })
        } else {
            Err(SettingsError::Hysteresis)
        }
    }

    /// The alarm is raised at the earliest by the last of `samples` scores in a row above the threshold; 0 counts as 1.
    #[must_use]
    pub const fn with_confirm(mut self, samples: u32) -> Self {
        self.confirm = if samples == 0 { 1 } else { samples };
        self
    }

    /// After a release no alarm is raised for `samples` samples.
    #[must_use]
    pub const fn with_hold_off(mut self, samples: u32) -> Self {
        self.hold_off = samples;
        self
    }

    /// The largest score that releases an alarm.
    pub(super) fn release_level(&self, threshold: T) -> T {
        self.release * threshold
    }
}

/// Whether there is an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum AlarmState {
    /// No alarm.
    Quiet {
        /// The number of samples in a row above the threshold.
        above: u32,
        /// The number of further samples that cannot raise an alarm.
        held_off: u32,
    },
    Alarm,
}

/// Decides sample by sample whether there is an alarm.
///
/// ```
/// use eigenstream::monitor::DecisionSettings;
/// use eigenstream::monitor::stages::Decision;
///
/// let mut decision = Decision::new(DecisionSettings::new(0.5_f32)?.with_confirm(2));
/// let alarms = [3.0, 0.0, 3.0, 3.0, 0.9, 0.4].map(|score| decision.decide(score, 1.0));
/// assert_eq!(alarms, [false, false, false, true, true, false]);
/// # Ok::<(), eigenstream::SettingsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Decision<T> {
    settings: DecisionSettings<T>,
    state: AlarmState,
}

impl<T: Scalar> Decision<T> {
    /// Starts without an alarm.
    #[must_use]
    pub const fn new(settings: DecisionSettings<T>) -> Self {
        Self {
            settings,
            state: AlarmState::Quiet { above: 0, held_off: 0 },
        }
    }

    /// Takes the score of the next sample and returns whether there is an alarm.
    ///
    /// ```
    /// use eigenstream::monitor::DecisionSettings;
    /// use eigenstream::monitor::stages::Decision;
    /// let mut decision = Decision::new(DecisionSettings::<f32>::DEFAULT.with_hold_off(2));
    /// let alarms = [2.0, 0.5, 2.0, 2.0, 2.0].map(|score| decision.decide(score, 1.0));
    /// assert_eq!(alarms, [true, false, false, false, true]);
    /// ```
    pub fn decide(&mut self, score: T, threshold: T) -> bool {
        self.state = match self.state {
            AlarmState::Alarm if score > self.settings.release_level(threshold) => AlarmState::Alarm,
            AlarmState::Alarm => AlarmState::Quiet {
                above: 0,
                held_off: self.settings.hold_off,
            },
            AlarmState::Quiet { above, held_off } => {
                let above = if score > threshold { above.saturating_add(1) } else { 0 };
                if above >= self.settings.confirm && held_off == 0 {
                    AlarmState::Alarm
                } else {
                    AlarmState::Quiet {
                        above,
                        held_off: held_off.saturating_sub(1),
                    }
                }
            }
        };
        self.is_alarm()
    }

    /// Whether there is an alarm.
    #[must_use]
    pub const fn is_alarm(&self) -> bool {
        matches!(self.state, AlarmState::Alarm)
    }

    /// Replaces the settings. A running alarm continues. A running hold-off ends after at most the new number of samples.
    pub(super) fn set_settings(&mut self, settings: DecisionSettings<T>) {
        if let AlarmState::Quiet { held_off, .. } = &mut self.state {
            *held_off = (*held_off).min(settings.hold_off);
        }
        self.settings = settings;
    }

    /// Ends the alarm. The count of samples above the threshold and the rest of a hold-off become zero.
    pub fn reset(&mut self) {
        *self = Self::new(self.settings);
    }
}

stored!([T: Scalar] DecisionSettings<T> { release, confirm, hold_off } if validate);

impl<T: Scalar> DecisionSettings<T> {
    fn validate(&self) -> Result<(), CodecError> {
        Self::new(self.release)?;
        validate::accept(self.confirm > 0, CodecError::Count)
    }
}

stored!([T: Scalar] Decision<T> { settings, state });

stored_choice!([] AlarmState: [above: u32 = 0, held_off: u32 = 0] { 0 = Quiet { above, held_off }, 1 = Alarm });
default_is_constant!(DecisionSettings);
