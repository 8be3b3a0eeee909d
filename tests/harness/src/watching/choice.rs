//! The names of choices on the command line.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use eigenstream::monitor::{Learning, Scaling, Score};

use super::Model;

/// Where the options start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// `MonitorSettings::DEFAULT`, as the examples have it.
    Default,
    /// Means of 15 rows, scale settled first, frozen after the calibration: for processes that are slow and drift.
    Slow,
    /// Four rows side by side, learning all the time: for movements, in which the new is foreign and soon is not.
    Movement,
}

/// Gives a choice of the crate its names.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident($of:ty): $($value:path => $word:expr),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) $of);

        impl $name {
            /// As it is spelled.
            pub(crate) const fn word(self) -> &'static str {
                match self.0 {
                    $($value => $word,)+
                }
            }
        }

        impl ValueEnum for $name {
            fn value_variants<'a>() -> &'a [Self] {
                &[$(Self($value)),+]
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                Some(PossibleValue::new(self.word()))
            }
        }
    };
}

choice!(
    /// A model.
    ModelName(Model):
    Model::Tracking => "tracking",
    Model::Centered => "centered",
    Model::Hebbian => "hebbian",
    Model::Kernel => "kernel",
);
choice!(
    /// What is unusual.
    ScoreName(Score):
    Score::Loss => "loss",
    Score::Relative => "relative",
    Score::Leverage => "leverage",
    Score::Combined => "combined",
);
choice!(
    /// What is learned after the calibration.
    LearningName(Learning):
    Learning::Frozen => "frozen",
    Learning::WhileNormal => "while-normal",
    Learning::Always => "always",
);
choice!(
    /// How long the scale is learned.
    ScalingName(Scaling):
    Scaling::Settled => "settled",
    Scaling::Fixed => "fixed",
    Scaling::Following => "following",
);
