//! Opens an image of unknown kind, if the table has its size.

use eigenstream::codec::{Header, Kind};
use eigenstream::hebbian::GhaSettings;
use eigenstream::kernel::{Gaussian, OnlineKernelSettings};
use eigenstream::monitor::{MonitorSettings, SensorMonitor};
use eigenstream::pca::{CenteredSettings, DensitySettings, Mahalanobis, MahalanobisSettings, TrackingSettings};
use eigenstream::{Centering, Codec};

use crate::any_learner::AnyLearner;
use crate::any_monitor::AnyMonitor;
use crate::learners::{self, LAGS, Shape, rank};
use crate::refusal::Refusal;
use crate::splice;
use crate::table::channel_counts;

/// The monitor of an image.
///
/// # Errors
/// A damaged image, another content, or [`Refusal::Size`] if the table does not have the size.
pub fn monitor_of_image(image: &[u8]) -> Result<Box<dyn AnyMonitor>, Refusal> {
    let header = Header::read(image)?;
    let [channels, median, ..] = header.sizes();
    if header.kind() != Some(Kind::Monitor) || header.precision() != 4 || median != 1 {
        return Err(Refusal::Size);
    }
    macro_rules! fields {
        ($($count:literal)+) => {
            match channels {
                $($count => splice::fields(SensorMonitor::<f32, $count>::ENCODED_LEN, Mahalanobis::<f32, $count>::ENCODED_LEN),)+
                _ => return Err(Refusal::Size),
            }
        };
    }
    let fields = channel_counts!(fields!());
    let learner = splice::inside(image, fields)?;
    let mut monitor = fresh(&learner)?.monitored(MonitorSettings::DEFAULT);
    monitor.decode(image)?;
    Ok(monitor)
}

/// The learner of an image.
///
/// # Errors
/// As [`monitor_of_image`].
pub fn learner_of_image(image: &[u8]) -> Result<Box<dyn AnyLearner>, Refusal> {
    let mut learner = fresh(image)?;
    learner.decode(image)?;
    Ok(learner)
}

fn fresh(image: &[u8]) -> Result<Box<dyn AnyLearner>, Refusal> {
    let header = Header::read(image)?;
    let sizes = header.sizes().map(usize::from);
    let Some(kind) = header.kind().filter(|_| header.precision() == 4) else {
        return Err(Refusal::Size);
    };
    match kind {
        Kind::Lagged => {
            let [channels, lags, wide, _] = sizes;
            let fields = lagged_fields(channels).filter(|_| (lags, wide) == (LAGS, channels * LAGS));
            let inner = splice::inside(image, fields.ok_or(Refusal::Size)?)?;
            let inner = Header::read(&inner)?;
            of_kind(inner.kind(), inner.sizes().map(usize::from), Some((channels, lags)))
        }
        kind => of_kind(Some(kind), sizes, None),
    }
    .ok_or(Refusal::Size)
}

fn of_kind(kind: Option<Kind>, sizes: [usize; 4], lags: Option<(usize, usize)>) -> Option<Box<dyn AnyLearner>> {
    let [wide, second, third, fourth] = sizes;
    let (channels, lags) = lags.unwrap_or((wide, 1));
    let shape = |keep| Shape { channels, lags, keep };
    match kind? {
        Kind::Mahalanobis if lags == 1 => learners::mahalanobis(channels, MahalanobisSettings::DEFAULT),
        Kind::Tracking if third == rank(wide, second) => learners::tracking(shape(second), TrackingSettings::DEFAULT),
        Kind::Centered => learners::centered(shape(second), CenteredSettings::DEFAULT),
        Kind::Density => learners::density(shape(second), DensitySettings::DEFAULT),
        Kind::Batch => learners::batch(shape(second), Centering::Centered),
        Kind::Parallel => learners::hebbian(shape(second), GhaSettings::DEFAULT),
        Kind::OnlineKernel if fourth == second + 4 => learners::kernel(
            shape(second),
            third,
            Gaussian::DEFAULT,
            OnlineKernelSettings::new(1.0).ok()?,
        ),
        _ => None,
    }
}

/// Bytes of the own fields of a `Lagged` in an image, without the learner inside.
fn lagged_fields(channels: usize) -> Option<usize> {
    macro_rules! fields {
        ($($count:literal => $($keep:literal)+;)+) => {
            match channels {
                $($count => Some(splice::fields(
                    eigenstream::monitor::Lagged::<f32, Mahalanobis<f32, { $count * LAGS }>, $count, LAGS, { $count * LAGS }>::ENCODED_LEN,
                    Mahalanobis::<f32, { $count * LAGS }>::ENCODED_LEN,
                )),)+
                _ => None,
            }
        };
    }
    crate::table::lagged_sizes!(fields!())
}
