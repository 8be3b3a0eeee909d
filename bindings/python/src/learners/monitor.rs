//! The monitor with its default learner.

use eigenstream::monitor::{ChannelHealth, Learning, Monitor};
use eigenstream::pca::Mahalanobis;
use eigenstream::{Codec, Scalar};

use super::{fixed, image_of, row, stored, unknown};
use crate::model::{Model, Reading, Sight};
use crate::refusal::Refusal;
use crate::settings::{self, Settings};

impl<T: Scalar, const DIM: usize, const MEDIAN: usize> Model<T> for Monitor<T, Mahalanobis<T, DIM>, DIM, MEDIAN> {
    stored!();

    fn channels(&self) -> usize {
        DIM
    }

    fn codes(&self) -> usize {
        0
    }

    fn type_name(&self) -> String {
        let bits = 8 * size_of::<T>();
        if MEDIAN == 1 {
            format!("monitor::SensorMonitor<f{bits}, {DIM}>")
        } else {
            format!("monitor::Monitor<f{bits}, pca::Mahalanobis<f{bits}, {DIM}>, {DIM}, {MEDIAN}>")
        }
    }

    /// Observes the sample and discards the verdict.
    fn learn(&mut self, sample: &[T]) -> Result<(), Refusal> {
        Self::observe(self, fixed(sample)?)?;
        Ok(())
    }

    fn score(&self, sample: &[T]) -> Result<T, Refusal> {
        Ok(Self::score(self, fixed(sample)?)?)
    }

    fn observe(&mut self, sample: &[T], parts: &mut [T]) -> Result<Sight<T>, Refusal> {
        let verdict = Self::observe(self, fixed(sample)?)?;
        parts.copy_from_slice(&verdict.contribution);
        Ok(Sight {
            score: verdict.score,
            threshold: verdict.threshold,
            moved: verdict.moved,
            alarm: verdict.alarm,
            phase: verdict.phase,
            state: verdict.state,
            stuck: verdict.stuck,
            guilty: verdict.guilty(),
        })
    }

    fn reading(&self, name: &str) -> Option<Reading<T>> {
        let health = self.health();
        match name {
            "threshold" => row(&[self.threshold()]),
            "center" => row(self.level().center()),
            "spread" => row(self.level().spread()),
            "moved" => row(&health.moved),
            "explained" => row(&health.explained?),
            "channel_health" => row(&health.channels.map(|channel| {
                T::from_usize(match channel {
                    ChannelHealth::Good => 0,
                    ChannelHealth::Stuck => 2,
                    ChannelHealth::Missing => 3,
                    ChannelHealth::Quantised => 4,
                    _ => 1,
                })
            })),
            "usual_score" => row(&[health.usual_score]),
            "alarm_rate" => row(&[health.alarm_rate()]),
            "watching" => row(&[if self.phase().is_watching() { T::ONE } else { T::ZERO }]),
            _ => None,
        }
    }

    fn count(&self, name: &str) -> Option<u64> {
        let health = self.health();
        let number = match name {
            "watched" => health.watched,
            "alarm_samples" => health.alarm_samples,
            "alarms" => health.alarms,
            "locked_out" => health.locked_out,
            _ => return None,
        };
        Some(number.into())
    }

    fn settings(&self) -> Result<Settings, Refusal> {
        settings::of(&image_of(self)?, &Self::LAYOUT)
    }

    fn command(&mut self, name: &str) -> Result<bool, Refusal> {
        match name {
            "acknowledge" => return Ok(self.acknowledge()),
            "recalibrate" => self.recalibrate(),
            "interrupt" => self.interrupt(),
            "always" => self.set_learning(Learning::Always),
            "while_normal" => self.set_learning(Learning::WhileNormal),
            "frozen" => self.set_learning(Learning::Frozen),
            _ => return Err(unknown(name)),
        }
        Ok(true)
    }
}
