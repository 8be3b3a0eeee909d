//! A monitor before it is built: what learns, and everything that can be set about it.
//! In: a preset and changes to it. Out: a monitor of as many channels as a recording has, and the plan in words.

use anyhow::{Result, anyhow};
use clap::ValueEnum;
use eigenstream::monitor::{DecisionSettings, Learning, Missing, MonitorSettings, Scaling, Schedule, Score, Threshold};

use super::{LearningName, Model, ModelName, Preset, ScalingName, ScoreName, Size, Watch, monitor};

/// What a monitor is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    /// What learns.
    pub(crate) model: Model,
    /// Directions kept.
    pub(crate) keep: usize,
    /// Samples that the learner sees side by side.
    pub(crate) lags: usize,
    /// Learning rate, η, relative to the energy of the samples.
    pub(crate) rate: f32,
    /// Rows to settle, learn and calibrate.
    pub(crate) schedule: [u32; 3],
    pub(crate) scaling: Scaling,
    pub(crate) input_smoothing: u32,
    pub(crate) smoothing: u32,
    pub(crate) score: Score,
    pub(crate) quantile: f32,
    pub(crate) factor: f32,
    /// Rows without a new alarm after one.
    pub(crate) hold_off: u32,
    pub(crate) learning: Learning,
}

impl Plan {
    /// `MonitorSettings::DEFAULT`.
    pub(crate) const DEFAULT: Self = Self {
        model: Model::Tracking,
        keep: 2,
        lags: 1,
        rate: 1.0,
        schedule: [64, 192, 256],
        scaling: Scaling::Fixed,
        input_smoothing: 1,
        smoothing: 8,
        score: Score::Loss,
        quantile: 0.99,
        factor: 2.0,
        hold_off: 0,
        learning: Learning::WhileNormal,
    };

    /// For processes in which levels matter and drift: what `evaluate skab` measures.
    pub(crate) const SLOW: Self = Self {
        // Neighbouring means have most samples in common: each says less, and should move the learner less.
        rate: 0.3,
        schedule: [200, 100, 100],
        scaling: Scaling::Settled,
        input_smoothing: 15,
        smoothing: 1,
        factor: 5.0,
        learning: Learning::Frozen,
        ..Self::DEFAULT
    };

    /// For movements, each of which is foreign while it is new: what `evaluate imu` measures.
    pub(crate) const MOVEMENT: Self = Self {
        // A movement is known by how it goes on.
        lags: 4,
        schedule: [100, 50, 50],
        smoothing: 10,
        factor: 5.0,
        hold_off: 50,
        learning: Learning::Always,
        ..Self::DEFAULT
    };

    /// The plan of a preset.
    pub(crate) const fn of(preset: Preset) -> Self {
        match preset {
            Preset::Default => Self::DEFAULT,
            Preset::Slow => Self::SLOW,
            Preset::Movement => Self::MOVEMENT,
        }
    }

    /// Rows until it watches.
    pub(crate) fn training(&self) -> usize {
        self.schedule.iter().map(|&rows| rows as usize).sum()
    }

    /// The same with phases in the same proportions that take so many rows together.
    pub(crate) fn trained_in(self, rows: usize) -> Self {
        let whole = self.training().max(1);
        let part = |phase: u32| (phase as usize * rows / whole) as u32;
        let [settle, learn, _] = self.schedule.map(part);
        Self {
            schedule: [settle, learn, (rows as u32).saturating_sub(settle + learn)],
            ..self
        }
    }

    /// A monitor of so many channels.
    pub(crate) fn monitor(&self, channels: usize) -> Result<Box<dyn Watch>> {
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
        let refused = |option: &'static str| move |error| anyhow!("{option} does not do: {error}");
        let [settle, learn, calibrate] = self.schedule;
        let schedule = Schedule::new(settle, learn, calibrate).map_err(refused("--schedule"))?;
        let threshold = Threshold::quantile(self.quantile).map_err(refused("--quantile"))?;
        let threshold = threshold.with_factor(self.factor).map_err(refused("--factor"))?;
        Ok(MonitorSettings::DEFAULT
            .with_schedule(schedule)
            .with_scaling(self.scaling)
            .with_input_smoothing(self.input_smoothing)
            .with_smoothing(self.smoothing)
            .with_score(self.score)
            .with_threshold(threshold)
            .with_decision(DecisionSettings::DEFAULT.with_hold_off(self.hold_off))
            .with_learning(self.learning)
            .with_missing(Missing::Impute))
    }

    /// The plan in words.
    pub(crate) fn describe(&self) -> String {
        let [settle, learn, calibrate] = self.schedule;
        let over = |rows: u32| {
            if rows > 1 {
                format!(" over {rows}")
            } else {
                String::new()
            }
        };
        let lags = if self.lags > 1 {
            format!(" of {} rows side by side", self.lags)
        } else {
            String::new()
        };
        format!(
            "keep {}{lags}, rate {}; input{}; {settle} rows settle, {learn} learn, {calibrate} calibrate, then {}; {}{} above {} × {} quantile",
            self.keep,
            self.rate,
            match self.input_smoothing {
                0 | 1 => " as it is".into(),
                rows => over(rows),
            },
            LearningName(self.learning).word(),
            ScoreName(self.score).word(),
            over(self.smoothing),
            self.factor,
            self.quantile,
        )
    }

    /// What to type for it after `replay`: the preset that learns alike, and what differs from that.
    pub(crate) fn options(&self) -> Vec<String> {
        let alike = |preset: &&Preset| Self::of(**preset).learning == self.learning;
        let presets = Preset::value_variants();
        let preset = presets.iter().find(alike).copied().unwrap_or(Preset::Default);
        let mut typed = vec!["--preset".to_owned(), format!("{preset:?}").to_ascii_lowercase()];
        let [these, those] = [self, &Self::of(preset)].map(Self::values);
        for ((option, this), (_, that)) in these.into_iter().zip(those) {
            if this != that {
                typed.extend([option.to_owned(), this]);
            }
        }
        typed
    }

    /// Every setting by its option.
    fn values(&self) -> [(&'static str, String); 13] {
        [
            ("--model", ModelName(self.model).word().to_owned()),
            ("--keep", self.keep.to_string()),
            ("--lags", self.lags.to_string()),
            ("--rate", self.rate.to_string()),
            ("--schedule", self.schedule.map(|rows| rows.to_string()).join(",")),
            ("--scaling", ScalingName(self.scaling).word().to_owned()),
            ("--input-smoothing", self.input_smoothing.to_string()),
            ("--smoothing", self.smoothing.to_string()),
            ("--score", ScoreName(self.score).word().to_owned()),
            ("--quantile", self.quantile.to_string()),
            ("--factor", self.factor.to_string()),
            ("--hold-off", self.hold_off.to_string()),
            ("--learning", LearningName(self.learning).word().to_owned()),
        ]
    }
}
