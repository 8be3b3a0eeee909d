//! Every way in which this crate says no.
//! A wrong size does not compile and needs no value here; a wrong setting, weight vector or matrix is refused at the call
//! that brings it, and whatever was there before stays as it was. Each error is a few bytes, `Copy`, and names the place.

use core::fmt;

/// Why a vector of weights, probabilities or losses was refused.
///
/// ```
/// use eigenstream::{WeightsError, weights::cap};
///
/// let mut weights = [0.5_f32, f32::NAN];
/// assert_eq!(cap(&mut weights, 1), Err(WeightsError::NotANumber { index: 1 }));
/// assert_eq!(WeightsError::NotANumber { index: 1 }.to_string(), "entry 1 is not a usable number");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum WeightsError {
    /// The entry at `index` is NaN, or infinite where a finite number is needed.
    NotANumber {
        /// Position of the entry.
        index: usize,
    },
    /// The weight at `index` is below zero.
    Negative {
        /// Position of the entry.
        index: usize,
    },
    /// No entry carries any weight.
    AllZero,
    /// A set of `requested` members cannot be taken from `available` ones.
    SetSize {
        /// Members asked for.
        requested: usize,
        /// Members there are.
        available: usize,
    },
    /// Two vectors that belong together differ in length, or one is longer than the capacity.
    Length {
        /// Length of the vector given.
        given: usize,
        /// Length that fits.
        expected: usize,
    },
    /// The learning rate is negative or not finite.
    LearningRate,
}

impl fmt::Display for WeightsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotANumber { index } => write!(formatter, "entry {index} is not a usable number"),
            Self::Negative { index } => write!(formatter, "weight {index} is negative"),
            Self::AllZero => formatter.write_str("no entry carries any weight"),
            Self::SetSize { requested, available } => {
                write!(formatter, "cannot take a set of {requested} from {available}")
            }
            Self::Length { given, expected } => {
                write!(formatter, "length {given} does not fit, expected {expected}")
            }
            Self::LearningRate => formatter.write_str("the learning rate is negative or not finite"),
        }
    }
}

impl core::error::Error for WeightsError {}

/// Why a setting was refused.
///
/// ```
/// use eigenstream::{SettingsError, weights::HedgeSettings};
///
/// assert_eq!(HedgeSettings::new(-1.0_f32, 2), Err(SettingsError::LearningRate));
/// assert_eq!(SettingsError::LearningRate.to_string(), "the learning rate must be positive and finite");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SettingsError {
    /// The learning rate is not a positive, finite number.
    LearningRate,
    /// A set needs at least one member.
    SetSize,
    /// The ceiling of the evidence is not positive.
    Ceiling,
    /// The part that is shared out is not between zero and one.
    Share,
    /// The bound on the length of a sample is not positive, or its square is no usable number.
    NormBound,
    /// The weight of the initial centre is negative or not finite.
    CenterRate,
    /// The forgetting factor is not above 0 and at most 1, or the memory is not longer than one sample.
    Forgetting,
    /// The width parameter γ of a kernel is not positive and finite.
    Gamma,
    /// The constant term of a polynomial kernel is negative or not finite.
    Coef0,
    /// The degree of a polynomial kernel is zero.
    Degree,
    /// An iteration needs at least one pass.
    Iterations,
    /// The tolerance of an iteration is negative or not finite.
    Tolerance,
    /// The regularisation of a ridge regression is negative or not finite.
    Regularization,
    /// The smallest spread of a channel is negative or not finite.
    Spread,
    /// The largest deviation is not between one and a million spreads.
    Limit,
    /// The quantile is not above 0 and below 1.
    Quantile,
    /// The threshold, its factor or its floor is negative or not finite.
    Threshold,
    /// An alarm is released somewhere above where it is raised, or at no positive level.
    Hysteresis,
    /// A phase of the monitor has no samples, or there are more than can be counted.
    Schedule,
    /// The worth of one count of a channel is zero or not finite.
    CountScale,
    /// A stride of zero takes no sample.
    Stride,
    /// The least novelty of a sample is not between zero and one.
    Novelty,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::LearningRate => "the learning rate must be positive and finite",
            Self::SetSize => "a set needs at least one member",
            Self::Ceiling => "the ceiling of the evidence must be positive",
            Self::Share => "the shared part must be between zero and one",
            Self::NormBound => "the bound on a sample's length must be positive and its square finite",
            Self::CenterRate => "the weight of the initial centre must be finite and not negative",
            Self::Forgetting => {
                "the forgetting factor must be above 0 and at most 1, the memory longer than one sample"
            }
            Self::Gamma => "gamma must be positive and finite",
            Self::Coef0 => "the constant term of a polynomial kernel must be finite and not negative",
            Self::Degree => "the degree of a polynomial kernel must be at least one",
            Self::Iterations => "an iteration needs at least one pass",
            Self::Tolerance => "the tolerance must be finite and not negative",
            Self::Regularization => "the regularisation must be finite and not negative",
            Self::Spread => "the smallest spread must be finite and not negative",
            Self::Limit => "the largest deviation must be between one and a million spreads",
            Self::Quantile => "the quantile must be above 0 and below 1",
            Self::Threshold => "the threshold, its factor and its floor must be finite and not negative",
            Self::Hysteresis => "an alarm must be released above 0 and no higher than it is raised",
            Self::Schedule => "every phase of the monitor needs at least one sample, two to settle",
            Self::CountScale => "one count of a channel must be worth a finite amount other than zero",
            Self::Stride => "the stride must be at least one",
            Self::Novelty => "the least novelty of a sample must be at least zero and below one",
        })
    }
}

impl core::error::Error for SettingsError {}

/// Why a sample was refused. The learner it was meant for is as it was.
///
/// ```
/// use eigenstream::SampleError;
/// assert_eq!(SampleError::NotANumber { channel: 2 }.to_string(), "channel 2 is not a finite number");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SampleError {
    /// The channel is NaN or infinite.
    NotANumber {
        /// Position in the sample.
        channel: usize,
    },
    /// Every channel is finite, but their squares sum to infinity; this channel is the largest.
    TooLarge {
        /// Position in the sample.
        channel: usize,
    },
}

impl fmt::Display for SampleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotANumber { channel } => write!(formatter, "channel {channel} is not a finite number"),
            Self::TooLarge { channel } => {
                write!(
                    formatter,
                    "the sample's energy overflows, most of it in channel {channel}"
                )
            }
        }
    }
}

impl core::error::Error for SampleError {}

/// Why a matrix was refused.
///
/// ```
/// use eigenstream::{MatrixError, nalgebra::SMatrix, spectrum::Eigen};
///
/// let mut eigen = Eigen::<f32, 2>::new();
/// let broken = SMatrix::<f32, 2, 2>::new(1.0, f32::NAN, f32::NAN, 1.0);
/// let refused = eigen.decompose(&broken);
/// assert_eq!(refused, Err(MatrixError::NotANumber { row: 0, column: 1 }));
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MatrixError {
    /// The entry is NaN or infinite.
    NotANumber {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// An eigenvalue is zero or negative, where only positive ones have a logarithm.
    NotPositiveDefinite,
    /// Every entry is finite, but what is computed from them is beyond the largest number.
    Overflow,
    /// The trace of a density matrix is one, this one's is not.
    Trace,
    /// What a direction is to be kept with is no probability.
    Probability {
        /// Position of the direction.
        index: usize,
    },
}

impl fmt::Display for MatrixError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotANumber { row, column } => {
                write!(formatter, "matrix entry ({row}, {column}) is not a finite number")
            }
            Self::NotPositiveDefinite => formatter.write_str("the matrix has an eigenvalue that is not positive"),
            Self::Overflow => formatter.write_str("the matrix is too large to compute with"),
            Self::Trace => formatter.write_str("the trace of a density matrix must be one"),
            Self::Probability { index } => write!(formatter, "probability {index} is not between zero and one"),
        }
    }
}

impl core::error::Error for MatrixError {}

/// Why the numbers of a fitted model were refused.
///
/// ```
/// use eigenstream::PartsError;
/// assert_eq!(PartsError::NotAFit.to_string(), "the numbers are not those of a fit with this kernel");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum PartsError {
    /// A number is NaN, infinite, or too large to compute with.
    NotANumber,
    /// More points are said to be in use than there is room for.
    Length {
        /// Points said to be in use.
        given: usize,
        /// Room for points.
        capacity: usize,
    },
    /// The directions are no eigenvectors of the points' Gram matrix: a number was changed, or the kernel is another.
    NotAFit,
}

impl fmt::Display for PartsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotANumber => formatter.write_str("a number is not finite, or too large to compute with"),
            Self::Length { given, capacity } => write!(formatter, "{given} points do not fit into {capacity} slots"),
            Self::NotAFit => formatter.write_str("the numbers are not those of a fit with this kernel"),
        }
    }
}

impl core::error::Error for PartsError {}

/// Why a ridge regression could not be fitted. The last fit stays.
///
/// ```
/// use eigenstream::RidgeError;
/// assert_eq!(RidgeError::Target { slot: 3 }.to_string(), "the target of slot 3 is not a finite number");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum RidgeError {
    /// The target is NaN or infinite.
    Target {
        /// Slot of the point that it belongs to.
        slot: usize,
    },
    /// Points are too alike for so little regularisation: the equations have no one solution.
    Singular,
    /// The coefficients are too large to compute with.
    Overflow,
}

impl fmt::Display for RidgeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Target { slot } => write!(formatter, "the target of slot {slot} is not a finite number"),
            Self::Singular => formatter.write_str("points are too alike for so little regularisation"),
            Self::Overflow => formatter.write_str("the coefficients are too large to compute with"),
        }
    }
}

impl core::error::Error for RidgeError {}

/// Why bytes were not taken for a learner, or a learner not put into bytes. Nothing was changed.
///
/// ```
/// use eigenstream::{Codec, CodecError, weights::FollowTheLeader};
///
/// let refused = FollowTheLeader::<f32, 3>::decode(&[0xff; 64]);
/// assert_eq!(refused, Err(CodecError::Magic));
/// assert_eq!(CodecError::Magic.to_string(), "these bytes are no image of a learner");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum CodecError {
    /// The buffer is too short to save to.
    Buffer {
        /// Bytes of the image.
        needed: usize,
        /// Bytes there are.
        found: usize,
    },
    /// There are too few bytes: an image of which the end is missing.
    Torn {
        /// Bytes that were expected.
        needed: usize,
        /// Bytes there are.
        found: usize,
    },
    /// The first bytes are not those of an image.
    Magic,
    /// The image has a format of another version.
    Version {
        /// Its version.
        found: u8,
    },
    /// The image holds another learner.
    Learner {
        /// Its number, see [`Kind`](crate::codec::Kind).
        found: u8,
    },
    /// The image holds numbers of another precision.
    Precision {
        /// Bytes of its numbers.
        found: u8,
    },
    /// The learner in the image compares samples with another kernel.
    Kernel {
        /// The number of its kernel.
        found: u8,
    },
    /// The learner in the image has other sizes.
    Sizes {
        /// Its sizes.
        found: [u16; 4],
    },
    /// The checksum does not fit: bits have changed, or the image was not written to its end.
    Checksum,
    /// Settings that no learner can have.
    Settings(SettingsError),
    /// A number is NaN or infinite.
    NotANumber,
    /// A choice that there is not.
    Choice,
    /// A count beyond what there is room for.
    Count,
    /// Directions that are not orthonormal.
    Directions,
    /// A probability that is not between zero and one.
    Probability,
    /// A number beyond those that a learner can have come to.
    Range,
}

impl From<SettingsError> for CodecError {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Buffer { needed, found } => {
                write!(formatter, "an image takes {needed} bytes, the buffer has {found}")
            }
            Self::Torn { needed, found } => write!(formatter, "the image is torn: {found} bytes of {needed}"),
            Self::Magic => formatter.write_str("these bytes are no image of a learner"),
            Self::Version { found } => write!(formatter, "the image has format {found}, which is not read here"),
            Self::Learner { found } => write!(formatter, "the image holds another learner, number {found}"),
            Self::Precision { found } => write!(formatter, "the image holds numbers of {found} bytes"),
            Self::Kernel { found } => write!(formatter, "the image holds another kernel, number {found}"),
            Self::Sizes { found } => write!(formatter, "the image holds a learner of other sizes, {found:?}"),
            Self::Checksum => formatter.write_str("the checksum of the image does not fit its bytes"),
            Self::Settings(error) => write!(formatter, "the image holds impossible settings: {error}"),
            Self::NotANumber => formatter.write_str("the image holds a number that is not finite"),
            Self::Choice => formatter.write_str("the image holds a choice that there is not"),
            Self::Count => formatter.write_str("the image holds a count that there is no room for"),
            Self::Directions => formatter.write_str("the image holds directions that are not orthonormal"),
            Self::Probability => formatter.write_str("the image holds a probability that is not between zero and one"),
            Self::Range => formatter.write_str("the image holds a number that no learner can have come to"),
        }
    }
}

impl core::error::Error for CodecError {}

/// Any of what firmware has to answer for: its settings, its samples, what it has saved. One function can so use `?` on all of them.
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
    /// An image was refused.
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
