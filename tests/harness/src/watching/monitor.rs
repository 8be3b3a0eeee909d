//! The models that a recording may be watched with.
//! In: a model, how many channels and directions, and the settings. Out: something that observes samples of that many channels.
//! The default monitor is built in `eigenstream_sizes`, the others in `sizes`.
//! A new model is one line in each of `Model`, `Model::ALL`, [`build`] and `choice`, and its learner in `sizes`.

use eigenstream::monitor::MonitorSettings;
use eigenstream_sizes::Watch;

use super::sizes;

/// What learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// `Mahalanobis`, the learner of the default monitor.
    Mahalanobis,
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
    pub(crate) const ALL: [Self; 5] = [
        Self::Mahalanobis,
        Self::Tracking,
        Self::Centered,
        Self::Hebbian,
        Self::Kernel,
    ];

    /// Whether it keeps some directions of many, and so has a rate and may see several rows side by side.
    pub(crate) const fn keeps_directions(self) -> bool {
        !matches!(self, Self::Mahalanobis)
    }
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

/// A monitor of this size, if it was built.
pub(super) fn build(size: Size, settings: MonitorSettings<f32>) -> Option<Box<dyn Watch>> {
    match size.model {
        Model::Mahalanobis => eigenstream_sizes::standard(size.channels, settings),
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
        for (model, channels, keep, lags, says) in [
            (Model::Mahalanobis, 65, 2, 1, "1 to 64 channels"),
            (Model::Tracking, 17, 2, 1, "2 to 16 channels"),
            (Model::Tracking, 1, 1, 1, "2 to 16 channels"),
            (Model::Tracking, 3, 3, 1, "fewer than 3"),
            (Model::Tracking, 8, 3, 1, "1, 2 or 4"),
            (Model::Tracking, 8, 2, 4, "1 to 6 channels"),
            (Model::Tracking, 3, 2, 2, "1 or 4"),
        ] {
            let size = size(model, channels, keep, lags);
            assert!(build(size, MonitorSettings::DEFAULT).is_none());
            let sentence = sizes::refusal(size);
            assert!(sentence.contains(says), "{sentence}");
        }
    }
}
