//! The plan of a monitor: the learner and all settings, before the monitor is built.

use anyhow::{Result, anyhow};
use eigenstream::monitor::{
    DecisionSettings, Learning, Missing, MonitorSettings, NewLevel, Schedule, Score, Threshold,
};
use eigenstream_sizes::AnyMonitor;

use super::choice::new_level_word;
use super::{LearningName, Model, ModelName, ScoreName, Size, monitor};
use crate::counted;

/// The false-alarm rate that `Threshold::DEFAULT` asks for.
pub const USUAL_RATE: f32 = 1e-7;

/// How the threshold is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// The threshold that this part of the normal rows would exceed.
    FalseAlarms(f32),
    /// This quantile of the calibration scores.
    Quantile(f32),
    /// This score.
    Fixed(f32),
}

/// The plan of a monitor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The learner.
    pub model: Model,
    /// Directions kept.
    pub keep: usize,
    /// Consecutive samples that the learner gets as one sample.
    pub lags: usize,
    /// Learning rate, η, relative to the energy of the samples.
    pub rate: f32,
    /// Rows before the monitor watches.
    pub training: u32,
    /// `None` for the value of `with_training`.
    pub level_memory: Option<u32>,
    pub input_smoothing: u32,
    pub smoothing: u32,
    pub score: Score,
    pub limit: Limit,
    /// The factor on the threshold.
    pub factor: f32,
    /// Rows after an alarm in which no new alarm can begin.
    pub hold_off: u32,
    pub learning: Learning,
    pub new_level: NewLevel,
    /// Whether the recording has gaps: firmware fills gaps only then, the tool always.
    pub gaps: bool,
}

impl Plan {
    /// The default monitor: `SensorMonitor` with `MonitorSettings::DEFAULT`.
    pub const DEFAULT: Self = Self {
        model: Model::Mahalanobis,
        keep: 2,
        lags: 1,
        rate: 1.0,
        training: 2_048,
        level_memory: None,
        input_smoothing: 3,
        smoothing: 5,
        score: Score::Loss,
        limit: Limit::FalseAlarms(USUAL_RATE),
        factor: 1.0,
        hold_off: 0,
        learning: Learning::WhileNormal,
        new_level: NewLevel::Accept(2_000),
        gaps: false,
    };

    /// The default plan of a model.
    ///
    /// A subspace does not see changes inside itself, so its score combines loss and leverage. A Gaussian kernel sees them;
    /// it has few points with large weights, so it learns slower.
    pub const fn of(model: Model) -> Self {
        let (score, rate) = match model {
            Model::Mahalanobis => (Score::Loss, 1.0),
            Model::Tracking | Model::Centered | Model::Hebbian => (Score::Combined, 1.0),
            Model::Kernel => (Score::Loss, 0.3),
        };
        Self {
            model,
            rate,
            score,
            ..Self::DEFAULT
        }
    }

    /// Two, or one of two channels.
    pub const fn usual_keep(channels: usize) -> usize {
        if channels > Self::DEFAULT.keep {
            Self::DEFAULT.keep
        } else {
            channels.saturating_sub(1)
        }
    }

    /// This plan with a training of `rows` rows, but at least the shortest one.
    pub const fn trained_in(self, rows: usize) -> Self {
        Self {
            training: Schedule::training(rows as u32).total(),
            ..self
        }
    }

    /// A fixed threshold needs no calibration.
    pub const fn unwatched(&self) -> u32 {
        match self.limit {
            Limit::Fixed(_) => Schedule::training(self.training).warmup(),
            _ => self.training,
        }
    }

    pub fn monitor(&self, channels: usize) -> Result<Box<dyn AnyMonitor>> {
        let size = Size {
            model: self.model,
            channels,
            keep: self.keep,
            lags: self.lags,
            learning_rate: self.rate,
        };
        monitor(size, self.settings()?)
    }

    pub(super) fn settings(&self) -> Result<MonitorSettings<f32>> {
        let mut settings = MonitorSettings::DEFAULT
            .with_training(self.training)
            .with_input_smoothing(self.input_smoothing)
            .with_smoothing(self.smoothing)
            .with_score(self.score)
            .with_threshold(self.threshold()?)
            .with_decision(DecisionSettings::DEFAULT.with_hold_off(self.hold_off))
            .with_learning(self.learning)
            .with_new_level(self.new_level)
            .with_missing(Missing::Impute);
        if let Some(rows) = self.level_memory {
            settings = settings.with_level_memory(rows);
        }
        Ok(settings)
    }

    fn threshold(&self) -> Result<Threshold<f32>> {
        let refused = |option: &'static str| move |error| anyhow!("{option} does not do: {error}");
        let threshold = match self.limit {
            Limit::FalseAlarms(USUAL_RATE) => Threshold::DEFAULT,
            Limit::FalseAlarms(rate) => Threshold::false_alarms(rate).map_err(refused("--false-alarms"))?,
            Limit::Quantile(probability) => Threshold::quantile(probability).map_err(refused("--quantile"))?,
            Limit::Fixed(level) => Threshold::fixed(level).map_err(refused("--threshold"))?,
        };
        threshold.with_factor(self.factor).map_err(refused("--factor"))
    }

    /// The plan in words.
    pub fn describe(&self) -> String {
        let over = |rows: u32| match rows {
            0 | 1 => " as it is".into(),
            rows => format!(" over {rows}"),
        };
        let learner = match (self.model, self.lags) {
            (Model::Mahalanobis, _) => String::new(),
            (_, 1) => format!("keep {}, rate {}; ", self.keep, self.rate),
            (_, lags) => format!("keep {} of {lags} rows side by side, rate {}; ", self.keep, self.rate),
        };
        let level = self
            .level_memory
            .map_or(String::new(), |rows| format!(", level over {rows}"));
        let times = match self.factor {
            1.0 => String::new(),
            factor => format!("{factor} × "),
        };
        let limit = match self.limit {
            Limit::FalseAlarms(rate) => format!("the rate {rate:e}"),
            Limit::Quantile(probability) => format!("the quantile {probability}"),
            Limit::Fixed(level) => format!("{level}"),
        };
        let hold_off = match self.hold_off {
            0 => String::new(),
            rows => format!("; hold-off {}", counted(rows.into(), "row")),
        };
        let new_level = match self.new_level == Self::DEFAULT.new_level {
            true => String::new(),
            false => format!("; new level {}", new_level_word(self.new_level)),
        };
        format!(
            "{learner}{} rows train, then {}{level}; input{}; {}{}, alarm above {times}{limit}{hold_off}{new_level}",
            self.unwatched(),
            LearningName(self.learning).word(),
            over(self.input_smoothing),
            ScoreName(self.score).word(),
            over(self.smoothing),
        )
    }

    /// Only what differs from the default plan of the model.
    pub fn options(&self) -> Vec<String> {
        let start = Self::of(self.model);
        let mut typed = Vec::new();
        if self.model != Self::DEFAULT.model {
            typed.extend(["--model".to_owned(), ModelName(self.model).word().to_owned()]);
        }
        for (this, that) in self.values().into_iter().zip(start.values()) {
            if this != that {
                typed.extend([this.0.to_owned(), this.1]);
            }
        }
        typed
    }

    pub(super) fn values(&self) -> [(&'static str, String); 13] {
        let (limit, level) = match self.limit {
            Limit::FalseAlarms(rate) => ("--false-alarms", rate),
            Limit::Quantile(probability) => ("--quantile", probability),
            Limit::Fixed(level) => ("--threshold", level),
        };
        [
            ("--keep", self.keep.to_string()),
            ("--lags", self.lags.to_string()),
            ("--rate", self.rate.to_string()),
            ("--training", self.training.to_string()),
            (
                "--level-memory",
                self.level_memory.map_or(String::new(), |rows| rows.to_string()),
            ),
            ("--input-smoothing", self.input_smoothing.to_string()),
            ("--smoothing", self.smoothing.to_string()),
            ("--score", ScoreName(self.score).word().to_owned()),
            (limit, format!("{level:e}")),
            ("--factor", self.factor.to_string()),
            ("--hold-off", self.hold_off.to_string()),
            ("--learning", LearningName(self.learning).word().to_owned()),
            ("--new-level", new_level_word(self.new_level)),
        ]
    }
}
