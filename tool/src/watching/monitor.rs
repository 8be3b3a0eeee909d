//! The models with which a recording can be watched. A new one needs a line in `Model`, `Model::ALL`, `choice`, `plan`,
//! `sizes`, `tune::snippet`, `tune::c` and `program`, and its learner in `eigenstream_sizes`.

/// The learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
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
    /// All models, the default first.
    pub const ALL: [Self; 5] = [
        Self::Mahalanobis,
        Self::Tracking,
        Self::Centered,
        Self::Hebbian,
        Self::Kernel,
    ];

    /// Whether the model keeps only some directions; such a model has a learning rate and can have lags.
    pub const fn keeps_directions(self) -> bool {
        !matches!(self, Self::Mahalanobis)
    }
}

/// A model and its sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The learner.
    pub model: Model,
    /// Channels of a sample.
    pub channels: usize,
    /// Directions kept.
    pub keep: usize,
    /// Consecutive samples that the learner gets as one sample.
    pub lags: usize,
    /// Learning rate, η, relative to the energy of the samples.
    pub learning_rate: f32,
}

#[cfg(test)]
mod tests {
    use eigenstream::monitor::MonitorSettings;

    use super::super::sizes::{self, build};
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
                let verdict = build(size(model, channels, 1, lags), MonitorSettings::DEFAULT)
                    .map(|mut monitor| monitor.observe(&vec![1.0; channels], &mut contribution));
                if cfg!(feature = "few") && verdict.is_none() {
                    continue;
                }
                assert!(verdict.is_some_and(|verdict| verdict.is_ok()), "{model:?} {channels}");
                assert_eq!(contribution, vec![0.0; channels]);
            }
        }
    }

    #[test]
    fn a_size_that_cannot_be_is_refused_in_a_sentence() {
        for (model, channels, keep, lags, says) in [
            (Model::Mahalanobis, 0, 2, 1, "1 to 1024"),
            (Model::Mahalanobis, 1_025, 2, 1, "1 to 1024"),
            (Model::Tracking, 400, 2, 4, "1 to 1024"),
            (Model::Tracking, 1, 1, 1, "2 or more"),
            (Model::Tracking, 3, 3, 1, "fewer than 3"),
            (Model::Tracking, 3, 0, 1, "1 or more"),
            (Model::Kernel, 64, 29, 1, "28 directions"),
        ] {
            let size = size(model, channels, keep, lags);
            assert!(build(size, MonitorSettings::DEFAULT).is_none());
            let sentence = sizes::refusal(size).unwrap_or_default();
            assert!(sentence.contains(says), "{sentence}");
        }
    }

    #[test]
    fn a_rate_that_its_learner_cannot_have_is_refused_in_a_sentence() {
        for (model, learning_rate) in [(Model::Kernel, 1e38), (Model::Hebbian, 1e-44)] {
            let size = Size {
                learning_rate,
                ..size(model, 4, 2, 1)
            };
            let sentence = sizes::refusal(size).unwrap_or_default();
            assert!(
                sentence.contains("ask for one near 1 with --rate"),
                "{model:?}: {sentence}"
            );
        }
    }

    #[test]
    fn a_size_beyond_the_table_is_left_to_cargo() {
        for (model, channels, keep, lags) in [
            (Model::Mahalanobis, 65, 2, 1),
            (Model::Tracking, 65, 2, 1),
            (Model::Tracking, 8, 5, 1),
            (Model::Kernel, 17, 2, 1),
            (Model::Kernel, 64, 28, 1),
            (Model::Tracking, 3, 2, 2),
        ] {
            let size = size(model, channels, keep, lags);
            assert!(build(size, MonitorSettings::DEFAULT).is_none());
            assert_eq!(sizes::refusal(size), None);
        }
    }
}
