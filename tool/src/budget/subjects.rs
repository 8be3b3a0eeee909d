//! The learners that are measured: those of the table of sizes.
//! In: a size. Out: for each learner the lines of Rust that construct and call it, and the samples that it is measured on.
//! Method: the calls and the samples are like those of the committed measurements, so that a measured row and a modelled row of
//! one table can be compared.

use super::learners::Size;
use crate::program::LearnerType;
use crate::watching::{Model, learner_type};

/// The Rust source of one learner.
pub(super) struct Subject {
    /// Name of the learner's variant in the committed measurements.
    pub(super) variant: &'static str,
    /// The type of the learner.
    pub(super) kind: String,
    /// An expression for a new learner; its value is `None` if the settings are refused.
    pub(super) fresh: String,
    /// The call that is measured.
    pub(super) call: &'static str,
    /// The samples of the calls.
    pub(super) stream: Stream,
}

/// The samples that a learner is measured on: sources that move all channels, and a little noise.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    /// The number of sources.
    pub(super) sources: usize,
    /// The mean of every channel.
    pub(super) level: f32,
    /// After this number of samples the sources move the channels in other ways.
    pub(super) segment: u32,
    /// The number of first samples that do not count for the mean: they train a monitor or fill a window.
    pub(super) filling: usize,
    /// The number of samples after the filling.
    pub(super) calls: u32,
    /// From this sample on, one channel has a fault.
    pub(super) fault: u32,
}

impl Stream {
    /// Samples around zero from `sources` sources that change once.
    const fn new(sources: usize) -> Self {
        Self {
            sources,
            level: 0.0,
            segment: 500,
            filling: 0,
            calls: 560,
            fault: u32::MAX,
        }
    }

    /// Samples around a level, as a sensor gives them.
    const fn around_a_level(self) -> Self {
        Self { level: 1.0, ..self }
    }
}

/// A trial of a learner that draws.
const STEP: &str = "subject.step(black_box(sample), generator)";

/// A program without a learner. Its flash is subtracted from the flash of the other programs.
pub(super) const EMPTY: &str = "empty";

/// All learners of a size, and the empty program.
pub(super) fn subjects(size: Size) -> Vec<Subject> {
    let Size { dim, keep, .. } = size;
    let mut all = vec![
        Subject {
            variant: EMPTY,
            kind: "u32".into(),
            fresh: "Some(0)".into(),
            call: "(subject, sample)",
            stream: Stream::new(keep),
        },
        Subject {
            variant: "monitor",
            kind: format!("eigenstream::monitor::SensorMonitor<f32, {dim}>"),
            fresh: "Some(Subject::standard(eigenstream::monitor::MonitorSettings::DEFAULT.with_training(FILLING)))"
                .into(),
            call: "subject.observe(black_box(sample))",
            stream: Stream {
                segment: u32::MAX,
                filling: 512,
                calls: 2_560,
                fault: 2_872,
                ..Stream::new(2).around_a_level()
            },
        },
    ];
    let mut learner = |variant, learner: LearnerType, arguments: String, call, stream| {
        all.push(Subject {
            variant,
            kind: learner.path("eigenstream"),
            fresh: format!("Some({}::new({arguments}))", learner.constructor()),
            call,
            stream,
        });
    };
    let zero = Stream::new(keep);
    let level = zero.around_a_level();
    if keep < dim {
        let of = |model| learner_type(model, dim, keep, 0);
        let density = LearnerType::new("pca", "DensityPca", "DensitySettings", &[dim, keep]);
        for (variant, it, call, stream) in [
            ("tracking", of(Model::Tracking), STEP, zero),
            ("centered", of(Model::Centered), STEP, level),
            ("density", density, STEP, zero),
            ("gha", of(Model::Hebbian), "subject.step(black_box(sample))", zero),
        ] {
            let settings = format!("{}::DEFAULT", it.settings_path());
            learner(variant, it, settings, call, stream);
        }
        let batch = LearnerType::new("pca", "BatchPca", "", &[dim, keep]);
        let call = "(subject.learn(black_box(sample)), subject.fit())";
        learner("batch", batch, "eigenstream::Centering::Centered".into(), call, level);
    }
    if let Some(window) = size.window {
        let sizes = [dim, keep, window, window.min(2 * keep + 2)];
        let kernel = LearnerType::new("kernel", "OnlineKernelPca", "OnlineKernelSettings", &sizes);
        let settings = format!(
            "eigenstream::kernel::Gaussian::DEFAULT, {}::DEFAULT",
            kernel.settings_path()
        );
        let stream = Stream {
            filling: window,
            ..zero
        };
        learner("kernel_exact", kernel, settings, STEP, stream);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_that_the_size_does_not_have_is_left_out() {
        let variants = |dim, keep, window| -> Vec<&str> {
            let all = subjects(Size { dim, keep, window });
            all.iter().map(|subject| subject.variant).collect()
        };
        assert_eq!(
            variants(20, 2, None),
            ["empty", "monitor", "tracking", "centered", "density", "gha", "batch"]
        );
        assert_eq!(variants(2, 3, Some(8)), ["empty", "monitor", "kernel_exact"]);
    }
}
