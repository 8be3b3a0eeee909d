//! Errors of the numbers that a caller passes: weights, samples, matrices.

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
    /// The entry at `index` is NaN, is infinite but must be finite, or is too large to compute with.
    NotANumber {
        /// Position of the entry.
        index: usize,
    },
    /// The weight at `index` is below zero.
    Negative {
        /// Position of the entry.
        index: usize,
    },
    /// No entry has a weight above zero. In [`SubsetExperts`](crate::weights::SubsetExperts): every set has a member of weight
    /// zero.
    AllZero,
    /// A set of `requested` members cannot be chosen from `available` members.
    SetSize {
        /// The number of members requested.
        requested: usize,
        /// The number of members available.
        available: usize,
    },
    /// Two vectors must have equal numbers of entries, but their numbers differ; or a vector has more entries than the capacity.
    Length {
        /// Length of the vector given.
        given: usize,
        /// The expected length, or the capacity.
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
            Self::AllZero => formatter.write_str("too few weights are above zero"),
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

/// Why a sample was refused.
///
/// Every method of a learner that computes with a sample x refuses NaN, infinity, and an energy ‖x‖² that overflows. Some refuse
/// more samples:
///
/// - A kernel method refuses x if the energy k(x, x) in feature space, an output, or a sum over the stored points could overflow.
/// - `CenteredPca` and `BatchPca` refuse x if its squared distance from the centre overflows. They do not learn x if twice the
///   sum of the squared distances of all samples, x included, overflows.
/// - `Mahalanobis` does not score x if the distance of x overflows. Its method `parts` also refuses x if another number of
///   its computation overflows.
/// - `PairedPca` does not learn a pair if the sum of the energies of one group over all samples would be above a quarter of
///   `MAX`, the largest number. It does not score a pair whose residual overflows.
/// - `RecursiveLeastSquares` does not predict from features if the predicted value overflows, or if the leverage (a term of the
///   error bar) overflows. It does not learn a value that is NaN or infinite or whose square overflows.
/// - `Lagged` refuses x if 2·LAGS·‖x‖² overflows.
/// - A monitor and a `Standardizer` refuse x if ‖2x‖² overflows. With `Missing::Impute`, `observe` of a monitor accepts NaN as a
///   missing channel, unless all channels are NaN.
///
/// After a refusal the learner, and the random generator if there is one, are unchanged. An exception is a monitor that accepts a
/// sample which its learner then refuses to fill in or to score. Two things in this monitor can have changed: the spread of a
/// channel that stood still when the monitor found the spreads, and the counts that limit the number of wild samples (training
/// samples so far from normal that the monitor does not learn them). If its learner has scored the sample and then refuses to
/// learn it, more of the monitor has changed.
///
/// ```
/// use eigenstream::{SampleError, pca::{TrackingPca, TrackingSettings}};
///
/// let mut pca = TrackingPca::<f32, 3, 1, 3>::new(TrackingSettings::DEFAULT);
/// assert_eq!(pca.learn(&[0.0, 0.0, f32::NAN]), Err(SampleError::NotANumber { channel: 2 }));
/// assert_eq!(pca.samples_seen(), 0);
/// assert_eq!(SampleError::NotANumber { channel: 2 }.to_string(), "channel 2 is not a finite number");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum SampleError {
    /// The channel is NaN or infinite. In `RecursiveLeastSquares` the channel `FEATURES` means the value.
    NotANumber {
        /// Position in the sample.
        channel: usize,
    },
    /// Every channel is finite, but an energy, or another number computed from the sample, is too large. This channel has the
    /// largest magnitude of all channels, in `PairedPca` of all channels of one group. In `Lagged` the largest magnitude can be
    /// that of an earlier sample. Exceptions:
    /// - If a sum of squared deviations from a centre overflows, this channel has the largest deviation from the centre.
    /// - If a monitor or a `Standardizer` refuses x because an entry of 2x overflows, this is the first such channel.
    /// - In `RecursiveLeastSquares` the channel `FEATURES` means the value.
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
    /// The operation needs a positive definite matrix, but an eigenvalue is not positive. In a Cholesky decomposition: the square
    /// of a diagonal entry of the factor is not positive, is subnormal, is not larger than its rounding error, or overflows. In
    /// `cholesky_coordinates`: an eigenvalue of the Gram matrix is negative, and its magnitude is larger than rounding error.
    NotPositiveDefinite,
    /// An entry is finite but too large, or a number computed from finite entries is too large.
    Overflow,
    /// The trace of a density matrix is not one, with a tolerance of √ε (ε: machine epsilon).
    Trace,
    /// The keep probability p of a direction is not in 0 ≤ p ≤ 1. The start of a learner (`start_from`) refuses p = 1 too.
    /// `TrackingPca::start_from` with RANK < DIM also refuses a given direction whose p is below the p of the directions that are
    /// not given.
    Probability {
        /// Position of the direction. A position equal to the number of given directions means all directions that are not given.
        index: usize,
    },
    /// The columns are not orthonormal.
    NotOrthonormal,
    /// The learner divides its rate by the running energy of its samples. So the learner cannot convert a given probability to a
    /// scatter (a sum of x·xᵀ over samples x): the result would change with the samples.
    Scale,
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
            Self::NotOrthonormal => formatter.write_str("the columns of the matrix are not orthonormal"),
            Self::Scale => {
                formatter.write_str("a running energy is not known at the start: give the rate a fixed scale")
            }
        }
    }
}

impl core::error::Error for MatrixError {}
