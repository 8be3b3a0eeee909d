//! All errors of this crate, except `StorageError` of `storage`.
//!
//! A type with a wrong const parameter does not compile. A call with a wrong setting, sample, weight vector or matrix
//! returns an error, and the learner is unchanged; [`SampleError`](crate::SampleError) names the exception of a
//! monitor. Each error is a few bytes and `Copy`.

mod codec;
mod fit;
mod input;
mod settings;

pub use codec::CodecError;
pub use fit::{FitError, MergeError, RidgeError};
pub use input::{MatrixError, SampleError, WeightsError};
pub use settings::SettingsError;

use core::fmt;

/// Any error of settings, samples or images, for a function that uses `?` on all three.
///
/// ```
/// use eigenstream::monitor::{Monitor, MonitorSettings, Schedule};
/// use eigenstream::pca::{TrackingPca, TrackingSettings};
/// use eigenstream::{Codec, Error, SampleError};
///
/// type Watch = Monitor<f32, TrackingPca<f32, 3, 1, 3>, 3>;
///
/// fn firmware(sample: [f32; 3]) -> Result<(), Error> {
///     let settings = MonitorSettings::DEFAULT.with_schedule(Schedule::new(50, 100, 100)?);
///     let mut monitor = Watch::new(settings, TrackingPca::new(TrackingSettings::new(0.3)?));
///     monitor.observe(&sample)?;
///     monitor.encode(&mut [0; Watch::ENCODED_LEN])?;
///     Ok(())
/// }
///
/// assert_eq!(firmware([1.0, 2.0, 3.0]), Ok(()));
/// assert_eq!(firmware([1.0, f32::NAN, 3.0]), Err(Error::Sample(SampleError::NotANumber { channel: 1 })));
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Error {
    /// A setting was refused.
    Settings(SettingsError),
    /// A sample was refused.
    Sample(SampleError),
    /// An image was refused, or the buffer for an image is too short.
    Codec(CodecError),
}

impl From<SettingsError> for Error {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl From<SampleError> for Error {
    fn from(error: SampleError) -> Self {
        Self::Sample(error)
    }
}

impl From<CodecError> for Error {
    fn from(error: CodecError) -> Self {
        Self::Codec(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(error) => error.fmt(formatter),
            Self::Sample(error) => error.fmt(formatter),
            Self::Codec(error) => error.fmt(formatter),
        }
    }
}

impl core::error::Error for Error {}
