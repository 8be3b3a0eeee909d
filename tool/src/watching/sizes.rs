//! The settings of each model's learner, and the possible sizes. Out: the learner from the table, or a sentence that says
//! why the size is impossible.

use eigenstream::Centering;
use eigenstream::hebbian::GhaSettings;
use eigenstream::kernel::{Gaussian, OnlineKernelSettings};
use eigenstream::monitor::MonitorSettings;
use eigenstream::pca::{CenteredSettings, TrackingSettings};
use eigenstream_sizes::{AnyLearner, AnyMonitor, LAGS, Shape, rank};

use super::{Model, Size};
use crate::program::LearnerType;

/// `None` if the table does not have the size.
pub(super) fn build(size: Size, settings: MonitorSettings<f32>) -> Option<Box<dyn AnyMonitor>> {
    if size.model == Model::Mahalanobis {
        return eigenstream_sizes::standard(size.channels, settings);
    }
    Some(learner(size)?.monitored(settings))
}

fn learner(size: Size) -> Option<Box<dyn AnyLearner>> {
    let shape = Shape {
        channels: size.channels,
        lags: size.lags,
        keep: size.keep,
    };
    let rate = size.learning_rate;
    match size.model {
        Model::Mahalanobis => None,
        Model::Tracking => {
            let mut learner = eigenstream_sizes::tracking(shape, TrackingSettings::new(rate).ok()?)?;
            learner.sum_losses(rate);
            Some(learner)
        }
        Model::Centered => eigenstream_sizes::centered(shape, CenteredSettings::new(rate).ok()?),
        Model::Hebbian => eigenstream_sizes::hebbian(shape, GhaSettings::new(rate / HEBBIAN).ok()?),
        Model::Kernel => kernel(shape, rate),
    }
}

/// `GhaSettings::DEFAULT` has 1/32 where the other learners have 1: a step goes only a part of the way.
pub(crate) const HEBBIAN: f32 = 32.0;
/// Points that kernel PCA stores.
pub(crate) const WINDOW: usize = 32;
/// Directions that kernel PCA stores beyond those that it keeps.
pub(crate) const SPARE: usize = 4;
/// One of so many samples can become a point: neighbours are similar.
const STRIDE: u16 = 4;
/// γ = 1/(WIDTH·DIM). With a narrow kernel every score is near one, its maximum, and leaves no place for a threshold.
const WIDTH: f32 = 256.0;

/// The type of a model's learner for samples of `wide` numbers.
pub(crate) fn learner_type(model: Model, wide: usize, keep: usize, points: usize) -> LearnerType {
    match model {
        Model::Mahalanobis => LearnerType::new("pca", "Mahalanobis", "MahalanobisSettings", &[wide]),
        Model::Tracking => LearnerType::new(
            "pca",
            "TrackingPca",
            "TrackingSettings",
            &[wide, keep, rank(wide, keep)],
        ),
        Model::Centered => LearnerType::new("pca", "CenteredPca", "CenteredSettings", &[wide, keep]),
        Model::Hebbian => LearnerType::new("hebbian", "Gha", "GhaSettings", &[wide, keep]),
        Model::Kernel => {
            let sizes = [wide, keep, points, keep + SPARE];
            LearnerType::new("kernel", "OnlineKernelPca", "OnlineKernelSettings", &sizes)
        }
    }
}

/// γ, learning rate, stride and window of kernel PCA over `wide` numbers.
pub fn kernel_numbers(wide: usize, rate: f32) -> (f32, f32, u16, usize) {
    // A wide kernel's centred features have the energy 2γ‖x‖² = 2/WIDTH, and a point represents its stride.
    let rate = rate * f32::from(STRIDE) * WIDTH / 2.0;
    (1.0 / (WIDTH * wide as f32), rate, STRIDE, WINDOW)
}

fn kernel(shape: Shape, rate: f32) -> Option<Box<dyn AnyLearner>> {
    let (gamma, rate, stride, points) = kernel_numbers(shape.wide(), rate);
    let settings = OnlineKernelSettings::new(rate)
        .ok()?
        .with_centering(Centering::Centered);
    let settings = settings.with_stride(stride.into()).ok()?;
    eigenstream_sizes::kernel(shape, points, Gaussian::new(gamma).ok()?, settings)
}

fn own_rate(size: Size) -> f32 {
    match size.model {
        Model::Mahalanobis | Model::Tracking | Model::Centered => size.learning_rate,
        Model::Hebbian => size.learning_rate / HEBBIAN,
        Model::Kernel => kernel_numbers(size.channels.saturating_mul(size.lags), size.learning_rate).1,
    }
}

/// The matrix of a larger learner would not fit into any chip.
pub(crate) const LARGEST: usize = 1_024;

/// Why a learner of this size is impossible; `None` if cargo can build it.
pub(crate) fn refusal(size: Size) -> Option<String> {
    let Size {
        channels, keep, lags, ..
    } = size;
    let wide = channels.saturating_mul(lags);
    let sentence = if wide == 0 || wide > LARGEST {
        format!("there is no monitor of {wide} channels: name 1 to {LARGEST}, times --lags")
    } else if size.model == Model::Mahalanobis {
        return None;
    } else if wide == 1 {
        format!("there is no learner of one channel alone: name 2 or more, or one with --lags {LAGS}")
    } else if !(size.learning_rate > 0.0 && size.learning_rate.is_finite()) {
        format!(
            "a learning rate of {} is none: ask for one above zero with --rate",
            size.learning_rate
        )
    } else if !(own_rate(size) > 0.0 && own_rate(size).is_finite()) {
        format!(
            "a learning rate of {:e} is beyond the numbers of this learner: ask for one near 1 with --rate",
            size.learning_rate
        )
    } else if keep == 0 {
        "no direction is none to keep: ask for 1 or more with --keep".into()
    } else if keep >= wide {
        format!("of {wide} channels fewer than {wide} directions can be kept: ask for less with --keep")
    } else if size.model == Model::Kernel && keep + SPARE > WINDOW {
        format!(
            "the kernel learner has {WINDOW} points, which is enough for {} directions: ask for less with --keep",
            WINDOW - SPARE
        )
    } else {
        return None;
    };
    Some(sentence)
}

#[cfg(test)]
mod tests {
    use anyhow::{Result, anyhow};
    use eigenstream::kernel::OnlineKernelPca;
    use eigenstream_c::{Configured, Settings};

    use super::super::Plan;
    use super::*;

    /// These numbers are also in `bindings/c/src/configured.rs`, which cannot depend on the tool.
    #[test]
    fn the_default_kernel_learner_of_c_is_that_of_the_tool() -> Result<()> {
        // With a power of two no rounding differs.
        type Learner = OnlineKernelPca<f32, Gaussian<f32>, 4, 2, WINDOW, { 2 + SPARE }>;
        let chosen = Learner::chosen(&Settings::DEFAULT);
        let of_c = chosen.map_err(|status| anyhow!("the settings of C are refused: {status:?}"))?;
        let (gamma, rate, stride, _) = kernel_numbers(4, Plan::of(Model::Kernel).rate);
        let settings = OnlineKernelSettings::new(rate)?
            .with_centering(Centering::Centered)
            .with_stride(stride.into())?;
        assert_eq!(of_c, (Gaussian::new(gamma)?, settings));
        Ok(())
    }
}
