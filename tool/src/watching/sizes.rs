//! The settings of each model's learner, and the sizes that there can be.
//! In: a model, its sizes and its learning rate. Out: its learner from the table of sizes, or a sentence that says why there can be none.

use eigenstream::Centering;
use eigenstream::hebbian::GhaSettings;
use eigenstream::kernel::{Gaussian, OnlineKernelSettings};
use eigenstream::monitor::MonitorSettings;
use eigenstream::pca::{CenteredSettings, TrackingSettings};
use eigenstream_sizes::{LAGS, Learn, Shape, Watch};

use super::{Model, Size};

/// A monitor of this size, if it was built.
pub(super) fn build(size: Size, settings: MonitorSettings<f32>) -> Option<Box<dyn Watch>> {
    if size.model == Model::Mahalanobis {
        return eigenstream_sizes::standard(size.channels, settings);
    }
    Some(learner(size)?.monitored(settings))
}

/// The learner of a model that keeps directions.
fn learner(size: Size) -> Option<Box<dyn Learn>> {
    let shape = Shape {
        channels: size.channels,
        lags: size.lags,
        keep: size.keep,
    };
    let rate = size.learning_rate;
    match size.model {
        Model::Mahalanobis => None,
        // The rate is relative to the energy of the samples.
        Model::Tracking => {
            let learner = eigenstream_sizes::tracking(shape, TrackingSettings::new(rate).ok()?)?;
            Some(learner.metered(rate))
        }
        Model::Centered => eigenstream_sizes::centered(shape, CenteredSettings::new(rate).ok()?),
        // A Hebbian learner steps by part of the way; `GhaSettings::DEFAULT` has this part where the others have 1.
        Model::Hebbian => eigenstream_sizes::hebbian(shape, GhaSettings::new(rate / 32.0).ok()?),
        Model::Kernel => kernel(shape, rate),
    }
}

/// Points that kernel PCA keeps.
const WINDOW: usize = 32;
/// Samples for each point: neighbours are much alike.
const STRIDE: u16 = 4;
/// How much wider the kernel is than a standardised sample is long, squared: γ = 1/(WIDTH·DIM). No score is above one, so that
/// a narrow kernel, to which every other sample is foreign, leaves no room for a threshold above the normal ones.
const WIDTH: f32 = 256.0;

/// γ, learning rate, stride and window of kernel PCA over `wide` numbers, for a rate relative to their energy.
pub fn kernel_numbers(wide: usize, rate: f32) -> (f32, f32, u16, usize) {
    // About their centre the features of a wide kernel have the energy 2γ‖x‖² = 2/WIDTH of a standardised sample; a point
    // stands for all samples of its stride.
    let rate = rate * f32::from(STRIDE) * WIDTH / 2.0;
    (1.0 / (WIDTH * wide as f32), rate, STRIDE, WINDOW)
}

fn kernel(shape: Shape, rate: f32) -> Option<Box<dyn Learn>> {
    let (gamma, rate, stride, points) = kernel_numbers(shape.wide(), rate);
    let settings = OnlineKernelSettings::new(rate)
        .ok()?
        .with_centering(Centering::Centered);
    let settings = settings.with_stride(stride.into()).ok()?;
    eigenstream_sizes::kernel(shape, points, Gaussian::new(gamma).ok()?, settings)
}

/// No size is larger, in numbers that a learner sees at once: its matrix would not fit into any chip.
const LARGEST: usize = 1_024;

/// Why there can be no learner of this size; nothing if cargo can build it.
pub(super) fn refusal(size: Size) -> Option<String> {
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
    } else if keep == 0 {
        "no direction is none to keep: ask for 1 or more with --keep".into()
    } else if keep >= wide {
        format!("of {wide} channels fewer than {wide} directions can be kept: ask for less with --keep")
    } else {
        return None;
    };
    Some(sentence)
}
