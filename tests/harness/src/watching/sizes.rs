//! Sizes are types: every combination that a user may ask for has to be written out once, which the macro does.

use eigenstream::hebbian::{Gha, GhaSettings};
use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings};
use eigenstream::monitor::{Lagged, Monitor, MonitorSettings};
use eigenstream::pca::{CenteredPca, CenteredSettings};
use eigenstream::{Centering, Learner};
use eigenstream_sizes::{MOST_CHANNELS, Watch};

use super::certified::{Certified, Certifies, Metered};
use super::{Model, Size};

type Built = Option<Box<dyn Watch>>;

/// Samples side by side, where there are several.
const LAGS: usize = 4;

/// Builds `$learner!(channels, keep)` in a monitor for the size that was asked for, plain or with lags.
macro_rules! by_size {
    ($size:expr, $settings:expr, $learner:ident) => {
        by_size!($size, $settings, $learner, watch)
    };
    ($size:expr, $settings:expr, $learner:ident, $watch:ident) => {
        by_size!(@list $size, $settings, $learner, $watch;
            plain 2 => 1; 3 => 1 2; 4 => 1 2; 5 => 1 2 4; 6 => 1 2 4; 7 => 1 2 4; 8 => 1 2 4; 9 => 1 2 4; 10 => 1 2 4;
                11 => 1 2 4; 12 => 1 2 4; 13 => 1 2 4; 14 => 1 2 4; 15 => 1 2 4; 16 => 1 2 4;
            lagged 1 => 1 2; 2 => 1 2 4; 3 => 1 2 4; 4 => 1 2 4; 5 => 1 2 4; 6 => 1 2 4;)
    };
    (@list $size:expr, $settings:expr, $learner:ident, $watch:ident;
        plain $($channels:literal => $($keep:literal)+;)+ lagged $($narrow:literal => $($few:literal)+;)+) => {
        match ($size.channels, $size.keep, $size.lags) {
            $($( ($channels, $keep, 1) => $watch::<_, $channels>($settings, $learner!($channels, $keep)), )+)+
            $($( ($narrow, $few, LAGS) => $watch::<_, $narrow>(
                $settings,
                Lagged::<_, _, $narrow, LAGS, { $narrow * LAGS }>::new($learner!({ $narrow * LAGS }, $few)),
            ), )+)+
            _ => None,
        }
    };
}

pub(super) fn tracking(size: Size, settings: MonitorSettings<f32>) -> Built {
    macro_rules! learner {
        ($channels:expr, $keep:literal) => {
            Metered::<{ $channels }, $keep, { rank($channels, $keep) }>::new(size.learning_rate)?
        };
    }
    by_size!(size, settings, learner, certified)
}

pub(super) fn centered(size: Size, settings: MonitorSettings<f32>) -> Built {
    let rate = CenteredSettings::new(size.learning_rate).ok()?;
    macro_rules! learner {
        ($channels:expr, $keep:literal) => {
            CenteredPca::<f32, { $channels }, $keep>::new(rate)
        };
    }
    by_size!(size, settings, learner)
}

pub(super) fn hebbian(size: Size, settings: MonitorSettings<f32>) -> Built {
    // A Hebbian learner steps by part of the way; `GhaSettings::DEFAULT` has this part where the others have 1.
    let rate = GhaSettings::new(size.learning_rate / 32.0).ok()?;
    macro_rules! learner {
        ($channels:expr, $keep:literal) => {
            Gha::<f32, { $channels }, $keep>::new(rate)
        };
    }
    by_size!(size, settings, learner)
}

/// Points that kernel PCA keeps.
const WINDOW: usize = 32;
/// Samples for each point: neighbours are much alike.
const STRIDE: u16 = 4;
/// How much wider the kernel is than a standardised sample is long, squared: γ = 1/(WIDTH·DIM). No score is above one, so that
/// a narrow kernel, to which every other sample is foreign, leaves no room for a threshold above the normal ones.
const WIDTH: f32 = 256.0;

/// γ, learning rate, stride and window of kernel PCA over `wide` numbers, for a rate relative to their energy.
pub(crate) fn kernel_numbers(wide: usize, rate: f32) -> (f32, f32, u16, usize) {
    // About their centre the features of a wide kernel have the energy 2γ‖x‖² = 2/WIDTH of a standardised sample; a point
    // stands for all samples of its stride.
    let rate = rate * f32::from(STRIDE) * WIDTH / 2.0;
    (1.0 / (WIDTH * wide as f32), rate, STRIDE, WINDOW)
}

pub(super) fn kernel(size: Size, settings: MonitorSettings<f32>) -> Built {
    let (gamma, rate, stride, _) = kernel_numbers(size.channels * size.lags, size.learning_rate);
    let kernel = Gaussian::new(gamma).ok()?;
    let rate = OnlineKernelSettings::new(rate)
        .ok()?
        .with_centering(Centering::Centered);
    let rate = rate.with_stride(stride.into()).ok()?;
    macro_rules! learner {
        ($channels:expr, $keep:literal) => {
            OnlineKernelPca::<f32, _, { $channels }, $keep, WINDOW, { $keep + 4 }>::new(kernel, rate)
        };
    }
    by_size!(size, settings, learner)
}

fn watch<L: Learner<f32, DIM> + Clone + 'static, const DIM: usize>(
    settings: MonitorSettings<f32>,
    learner: L,
) -> Built {
    Some(Box::new(Monitor::<f32, L, DIM>::new(settings, learner)))
}

fn certified<L: Learner<f32, DIM> + Certifies + Clone + 'static, const DIM: usize>(
    settings: MonitorSettings<f32>,
    learner: L,
) -> Built {
    Some(Box::new(Certified(Monitor::<f32, L, DIM>::new(settings, learner))))
}

/// Room for directions, as the documentation of `TrackingPca` advises.
const fn rank(channels: usize, keep: usize) -> usize {
    let advised = 2 * keep + 2;
    if advised < channels { advised } else { channels }
}

/// Which sizes there are instead of this one.
pub(super) fn refusal(size: Size) -> String {
    let Size {
        channels, keep, lags, ..
    } = size;
    let wide = channels * lags;
    if size.model == Model::Mahalanobis {
        format!("there is no monitor of {channels} channels: name 1 to {MOST_CHANNELS} channels")
    } else if ![1, LAGS].contains(&lags) {
        format!("{lags} samples side by side were not built: ask for 1 or {LAGS} with --lags")
    } else if lags == 1 && !(2..=16).contains(&channels) {
        format!("there is no learner of {channels} channels alone: name 2 to 16 channels, or one with --lags {LAGS}")
    } else if lags == LAGS && !(1..=6).contains(&channels) {
        format!("there is no learner of {channels} channels with --lags {LAGS}: name 1 to 6 channels")
    } else if !(size.learning_rate > 0.0 && size.learning_rate.is_finite()) {
        format!(
            "a learning rate of {} is none: ask for one above zero with --rate",
            size.learning_rate
        )
    } else if keep >= wide {
        format!("of {wide} channels fewer than {wide} directions can be kept: ask for less with --keep")
    } else {
        format!("{keep} directions were not built: ask for 1, 2 or 4 with --keep")
    }
}
