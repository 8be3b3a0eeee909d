//! The settings of a monitor as a plain struct with any numbers: `eig_settings` in C.

use core::ffi::CStr;

use eigenstream::monitor::{self, DecisionSettings, MonitorSettings, Schedule, Threshold};

/// `eig_settings`.
///
/// Choices are plain integers, because C can store any number there.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Bytes of this struct. A struct of another header version is refused.
    pub size: u32,
    /// Samples before the monitor watches.
    pub training: u32,
    /// The level of a channel follows the data in about so many samples; 0 means a tenth of the training, at least 300.
    pub level_memory: u32,
    /// Memory of the exponential mean of each channel, in samples.
    pub input_smoothing: u32,
    /// Scores that are averaged.
    pub smoothing: u32,
    /// Consecutive samples above the threshold that raise the alarm.
    pub confirm: u32,
    /// Samples after a release in which no alarm is raised.
    pub hold_off: u32,
    /// The requested part of false alarms.
    pub false_alarms: f32,
    /// A factor on the threshold.
    pub threshold_factor: f32,
    /// A fixed threshold; 0 means that calibration computes the threshold.
    pub fixed_threshold: f32,
    /// The alarm ends at or below this part of the threshold.
    pub release: f32,
    /// Learning while watching, one of [`Learning`].
    pub learning: u32,
    /// The treatment of NaN, one of [`Missing`].
    pub missing: u32,
    /// The reaction to a steady new level, one of [`NewLevel`].
    pub new_level: u32,
    /// Samples in alarm before this reaction.
    pub new_level_samples: u32,
    /// Of tracking, centered, hebbian and kernel; 0 means the default.
    pub learning_rate: f32,
    /// γ of the Gaussian kernel; 0 means the default.
    pub gamma: f32,
}

/// `eig_learning`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learning {
    /// Learns from samples that are near enough to normal.
    WhileNormal = 0,
    /// Learns from every sample.
    Always = 1,
    /// Learns nothing.
    Frozen = 2,
}

/// `eig_missing`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// NaN is refused.
    Refuse = 0,
    /// The learner fills NaN with the value that it expects.
    Impute = 1,
}

/// `eig_new_level`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewLevel {
    /// Accepted as normal.
    Accept = 0,
    /// Accepted when the program acknowledges it.
    Ask = 1,
    /// Never accepted as normal.
    Never = 2,
}

/// A field of [`Settings`] that can be refused.
///
/// The names are in a function of their own, so that a program links them only if it asks for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `size`.
    Size,
    /// `false_alarms`.
    FalseAlarms,
    /// `threshold_factor`.
    ThresholdFactor,
    /// `fixed_threshold`.
    FixedThreshold,
    /// `release`.
    Release,
    /// `learning`.
    Learning,
    /// `missing`.
    Missing,
    /// `new_level`.
    NewLevel,
    /// `learning_rate`.
    LearningRate,
    /// `gamma`.
    Gamma,
}

impl Field {
    /// As in the header.
    pub(crate) const fn name(self) -> &'static CStr {
        match self {
            Self::Size => c"size",
            Self::FalseAlarms => c"false_alarms",
            Self::ThresholdFactor => c"threshold_factor",
            Self::FixedThreshold => c"fixed_threshold",
            Self::Release => c"release",
            Self::Learning => c"learning",
            Self::Missing => c"missing",
            Self::NewLevel => c"new_level",
            Self::LearningRate => c"learning_rate",
            Self::Gamma => c"gamma",
        }
    }
}

impl Settings {
    /// The values of `eig_settings_default()` in the header.
    pub const DEFAULT: Self = Self {
        size: size_of::<Self>() as u32,
        training: 2_048,
        level_memory: 0,
        input_smoothing: 3,
        smoothing: 5,
        confirm: 1,
        hold_off: 0,
        false_alarms: 1e-7,
        threshold_factor: 1.0,
        fixed_threshold: 0.0,
        release: 1.0,
        learning: Learning::WhileNormal as u32,
        missing: Missing::Refuse as u32,
        new_level: NewLevel::Accept as u32,
        new_level_samples: 2_000,
        learning_rate: 0.0,
        gamma: 0.0,
    };

    /// The settings of the monitor, or the field that is refused.
    // Inlined, the settings go to the monitor without a copy: 224 bytes of flash less on a Cortex-M4F.
    #[inline(always)]
    pub(crate) fn monitor(&self) -> Result<MonitorSettings<f32>, Field> {
        if self.learning > Learning::Frozen as u32 {
            return Err(Field::Learning);
        }
        if self.missing > Missing::Impute as u32 {
            return Err(Field::Missing);
        }
        if self.new_level > NewLevel::Never as u32 {
            return Err(Field::NewLevel);
        }
        let threshold = if self.fixed_threshold == 0.0 {
            Threshold::false_alarms(self.false_alarms).map_err(|_| Field::FalseAlarms)?
        } else {
            Threshold::fixed(self.fixed_threshold).map_err(|_| Field::FixedThreshold)?
        };
        let factor = self.threshold_factor;
        let threshold = threshold.with_factor(factor).map_err(|_| Field::ThresholdFactor)?;
        let decision = DecisionSettings::new(self.release)
            .map_err(|_| Field::Release)?
            .with_confirm(self.confirm)
            .with_hold_off(self.hold_off);
        let learning = match self.learning {
            0 => monitor::Learning::WhileNormal,
            1 => monitor::Learning::Always,
            _ => monitor::Learning::Frozen,
        };
        let missing = match self.missing {
            0 => monitor::Missing::Refuse,
            _ => monitor::Missing::Impute,
        };
        let new_level = match self.new_level {
            0 => monitor::NewLevel::Accept(self.new_level_samples),
            1 => monitor::NewLevel::Ask(self.new_level_samples),
            _ => monitor::NewLevel::Never,
        };
        // As `with_training`, which would copy all settings.
        let schedule = Schedule::training(self.training);
        let level_memory = match self.level_memory {
            0 => (schedule.total() / 10).max(300),
            chosen => chosen,
        };
        Ok(MonitorSettings::DEFAULT
            .with_schedule(schedule)
            .with_level_memory(level_memory)
            .with_input_smoothing(self.input_smoothing)
            .with_smoothing(self.smoothing)
            .with_threshold(threshold)
            .with_decision(decision)
            .with_learning(learning)
            .with_missing(missing)
            .with_new_level(new_level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn training_alone_is_with_training() -> Result<(), eigenstream::SettingsError> {
        let rule = Threshold::false_alarms(Settings::DEFAULT.false_alarms)?;
        for training in [0, 20, 2_048, 3_000, 3_010, 100_000, 1 << 31, u32::MAX] {
            let settings = Settings {
                training,
                ..Settings::DEFAULT
            };
            let expected = MonitorSettings::DEFAULT.with_training(training).with_threshold(rule);
            assert_eq!(settings.monitor(), Ok(expected), "{training}");
            let settings = Settings {
                level_memory: 77,
                ..settings
            };
            assert_eq!(settings.monitor(), Ok(expected.with_level_memory(77)), "{training}");
        }
        Ok(())
    }

    #[test]
    fn a_number_that_is_no_choice_is_refused() {
        let mut settings = [Settings::DEFAULT; 6];
        (settings[0].learning, settings[1].learning) = (3, u32::MAX);
        (settings[2].missing, settings[3].missing) = (2, u32::MAX);
        (settings[4].new_level, settings[5].new_level) = (3, u32::MAX);
        let fields = [Field::Learning, Field::Missing, Field::NewLevel];
        for (place, settings) in settings.into_iter().enumerate() {
            assert_eq!(settings.monitor(), Err(fields[place / 2]), "{settings:?}");
        }
    }
}
