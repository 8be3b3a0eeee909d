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
    /// The entry is NaN, is infinite but must be finite, or is too large to compute with.
    NotANumber {
        /// The position of the entry.
        index: usize,
    },
    /// The weight is below zero.
    Negative {
        /// The position of the entry.
        index: usize,
    },
    /// No entry has a weight above zero; or, in [`SubsetExperts`](crate::weights::SubsetExperts), every set has a
    /// member of weight zero.
    AllZero,
    /// A set of `requested` members cannot be chosen from `available` members.
    SetSize {
        /// The number of members requested.
        requested: usize,
        /// The number of members available.
        available: usize,
    },
    /// Two vectors must have equal lengths, or a vector is longer than the capacity.
    Length {
        /// The length of the given vector.
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

/// Why a sample x was refused.
///
/// Every method of a learner refuses NaN, infinity, and an energy ‖x‖² that overflows. The following learners and
/// methods refuse more:
///
/// - A kernel method: the kernel k(x, x), an output or a sum over the stored points could overflow.
/// - `CenteredPca` and `BatchPca`: the squared distance from the centre overflows; when learning, also if twice the sum
///   of the squared distances of all samples overflows.
/// - `Mahalanobis`: the distance overflows; in `parts`, also if another computed number overflows.
/// - `PairedPca`: when learning, the sum of the energies of one group would be above `MAX`/4; when scoring, the
///   energy of the residual overflows.
/// - `RecursiveLeastSquares`: when predicting, the value or a term of its error bar overflows; when learning, the
///   square of the value overflows.
/// - `inverse_transform` of a Hebbian learner: the energy of the rebuilt sample overflows.
/// - `Lagged`: 2·LAGS·‖x‖² overflows.
/// - A monitor and a `Standardizer`: ‖2x‖² overflows. With `Missing::Impute`, `observe` accepts NaN as a missing
///   channel, unless all channels are NaN.
///
/// After a refusal the learner and the random generator are unchanged. A monitor whose learner refuses a sample that
/// the monitor accepted can have changed its count of wild samples and the spread of a channel that stood still, and
/// more state if the learner scores the sample but refuses to learn it.
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
    /// The channel is NaN or infinite.
    ///
    /// In `RecursiveLeastSquares` the channel `FEATURES` means the value, in `RandomStop` the channel 0 means the loss.
    NotANumber {
        /// The position in the sample.
        channel: usize,
    },
    /// Every channel is finite, but an energy or another number computed from the sample is too large.
    ///
    /// This channel has the largest magnitude: in `PairedPca` the largest within one group, in `Lagged` possibly in an
    /// earlier sample. Exceptions:
    /// - If a sum of squared deviations from a centre overflows, the channel has the largest deviation.
    /// - In `push` of `FeatureVectors` the channel can be the number of a component.
    /// - In `RecursiveLeastSquares` the channel `FEATURES` means the value.
    TooLarge {
        /// The position in the sample.
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
        /// The row of the entry.
        row: usize,
        /// The column of the entry.
        column: usize,
    },
    /// An eigenvalue is not positive; in `cholesky_coordinates`, an eigenvalue is more negative than rounding explains.
    ///
    /// In a Cholesky decomposition, the square of a diagonal entry is at most its rounding error, subnormal, or
    /// overflows.
    NotPositiveDefinite,
    /// An entry, or a number computed from finite entries, is too large.
    Overflow,
    /// The trace of a density matrix differs from one by more than √ε, with the machine epsilon ε.
    Trace,
    /// The keep probability p of a direction is not in 0 ≤ p ≤ 1.
    ///
    /// `start_from` of a learner also refuses p = 1. With RANK < DIM, `TrackingPca::start_from` also refuses a p that
    /// is below the probability of the directions that are not given.
    Probability {
        /// The position of the direction; an index equal to the number of given directions means all other directions.
        index: usize,
    },
    /// The columns are not orthonormal.
    NotOrthonormal,
    /// The learner divides its rate by a running energy, so the given probabilities do not determine the start.
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
