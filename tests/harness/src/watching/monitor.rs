//! The monitor at the sizes that a recording may have.
//! In: a model, how many channels and directions, and the settings. Out: something that observes samples of that many channels.
//! It is `eigenstream::monitor::Monitor` and nothing else: the chip runs the same code.
//! A new model is one line in each of `Model`, `Model::ALL`, [`build`] and `choice`, and its learner in `sizes`.

use eigenstream::monitor::{Monitor, MonitorSettings, Phase};
use eigenstream::{Learner, SampleError};

use super::sizes;

/// What learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// `TrackingPca`, \[WK08\] Algorithm 5.
    Tracking,
    /// `CenteredPca`, \[WK08\] Algorithm 6.
    Centered,
    /// `Gha`, \[K01\].
    Hebbian,
    /// `OnlineKernelPca`, \[KW07\] Algorithm 6.
    Kernel,
}

impl Model {
    /// All of them, the first being the usual choice.
    pub(crate) const ALL: [Self; 4] = [Self::Tracking, Self::Centered, Self::Hebbian, Self::Kernel];
}

/// A model and its sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// What learns.
    pub(crate) model: Model,
    /// Channels of a sample.
    pub(crate) channels: usize,
    /// Directions kept.
    pub(crate) keep: usize,
    /// Samples that the learner sees side by side.
    pub(crate) lags: usize,
    /// Learning rate, η, relative to the energy of the samples.
    pub(crate) learning_rate: f32,
}

/// What was seen in a sample, without its contributions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sight {
    /// How unusual it is.
    pub(crate) score: f32,
    /// Where unusual begins; the largest number before that is known.
    pub(crate) threshold: f32,
    /// Whether there is an alarm.
    pub(crate) alarm: bool,
    /// What the monitor was doing.
    pub(crate) phase: Phase,
}

/// A monitor whose sizes are known when the program runs.
pub(crate) trait Watch {
    /// Observes a sample and writes the part of each channel in its score.
    /// An error is a sample that the monitor refuses and has not seen.
    /// Both slices have as many channels as the monitor.
    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError>;

    /// Another one in the same state.
    fn twin(&self) -> Box<dyn Watch>;
}

impl<L: Learner<f32, DIM> + Clone + 'static, const DIM: usize> Watch for Monitor<f32, L, DIM> {
    fn twin(&self) -> Box<dyn Watch> {
        Box::new(self.clone())
    }

    fn observe(&mut self, sample: &[f32], contribution: &mut [f32]) -> Result<Sight, SampleError> {
        let mut channels = [0.0; DIM];
        channels.copy_from_slice(sample);
        let verdict = Self::observe(self, &channels)?;
        contribution.copy_from_slice(&verdict.contribution);
        Ok(Sight {
            score: verdict.score,
            threshold: verdict.threshold,
            alarm: verdict.alarm,
            phase: verdict.phase,
        })
    }
}

/// A monitor of this size, if it was built.
pub(super) fn build(size: Size, settings: MonitorSettings<f32>) -> Option<Box<dyn Watch>> {
    match size.model {
        Model::Tracking => sizes::tracking(size, settings),
        Model::Centered => sizes::centered(size, settings),
        Model::Hebbian => sizes::hebbian(size, settings),
        Model::Kernel => sizes::kernel(size, settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(model: Model, channels: usize, keep: usize, lags: usize) -> Size {
        Size {
            model,
            channels,
            keep,
            lags,
            learning_rate: 1.0,
        }
    }

    #[test]
    fn every_size_observes_as_many_channels_as_it_says() {
        for model in Model::ALL {
            for channels in 1..=16 {
                let lags = if channels == 1 { 4 } else { 1 };
                let mut contribution = vec![f32::NAN; channels];
                let sight = build(size(model, channels, 1, lags), MonitorSettings::DEFAULT)
                    .map(|mut monitor| monitor.observe(&vec![1.0; channels], &mut contribution));
                assert!(sight.is_some_and(|sight| sight.is_ok()), "{model:?} {channels}");
                assert_eq!(contribution, vec![0.0; channels]);
            }
        }
    }

    #[test]
    fn a_size_that_was_not_built_is_refused_in_a_sentence() {
        for (channels, keep, lags, says) in [
            (17, 2, 1, "2 to 16 channels"),
            (1, 1, 1, "2 to 16 channels"),
            (3, 3, 1, "fewer than 3"),
            (8, 3, 1, "1, 2 or 4"),
            (8, 2, 4, "1 to 6 channels"),
            (3, 2, 2, "1 or 4"),
        ] {
            let size = size(Model::Tracking, channels, keep, lags);
            assert!(build(size, MonitorSettings::DEFAULT).is_none());
            let sentence = sizes::refusal(size);
            assert!(sentence.contains(says), "{sentence}");
        }
    }
}
