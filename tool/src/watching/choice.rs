//! The names of choices on the command line.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use eigenstream::monitor::{Learning, NewLevel, Score};

use super::Model;

/// Gives the variants of a choice of the crate their names.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident($of:ty): $($value:path => $word:expr),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub $of);

        impl $name {
            /// The name on the command line.
            pub const fn word(self) -> &'static str {
                match self.0 {
                    $($value => $word,)+
                    #[allow(unreachable_patterns, reason = "a model of this tool; choices of the crate can grow")]
                    _ => "other",
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
    Model::Mahalanobis => "mahalanobis",
    Model::Tracking => "tracking",
    Model::Centered => "centered",
    Model::Hebbian => "hebbian",
    Model::Kernel => "kernel",
);
choice!(
    /// The score.
    ScoreName(Score):
    Score::Loss => "loss",
    Score::Relative => "relative",
    Score::Leverage => "leverage",
    Score::Combined => "combined",
);
choice!(
    /// The learning after the calibration.
    LearningName(Learning):
    Learning::Frozen => "frozen",
    Learning::WhileNormal => "while-normal",
    Learning::Always => "always",
);

/// `accept:ROWS`, `ask:ROWS` or `never`.
pub(super) fn new_level(typed: &str) -> Result<NewLevel, String> {
    let wrong = || "accept:ROWS, ask:ROWS or never is wanted".to_owned();
    let (word, rows) = typed.split_once(':').unwrap_or((typed, ""));
    match (word, rows.parse()) {
        ("accept", Ok(rows)) => Ok(NewLevel::Accept(rows)),
        ("ask", Ok(rows)) => Ok(NewLevel::Ask(rows)),
        ("never", Err(_)) if rows.is_empty() => Ok(NewLevel::Never),
        _ => Err(wrong()),
    }
}

pub(super) fn new_level_word(new_level: NewLevel) -> String {
    match new_level {
        NewLevel::Accept(rows) => format!("accept:{rows}"),
        NewLevel::Ask(rows) => format!("ask:{rows}"),
        _ => "never".into(),
    }
}
