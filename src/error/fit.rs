//! Errors of fitting, of merging, of building a model from numbers, and of starting a learner from a fit.

use core::fmt;

/// Why a fitted model, or a list of its numbers, was refused.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum FitError {
    /// A number is NaN, infinite, or too large to compute with.
    NotANumber,
    /// The number of points in use is larger than the capacity.
    Length {
        /// The given number of points in use.
        given: usize,
        /// The largest number of points.
        capacity: usize,
    },
    /// The numbers are not those of a fit with this kernel: a number was changed, or the fit used another kernel.
    ///
    /// Up to rounding, the directions must be orthonormal eigenvectors of the Gram matrix of the points. For a centred
    /// fit this is the centred matrix, and the stored means must be those of the uncentred one. These conditions must
    /// hold exactly: the eigenvalues are descending and not negative, `left_out` is not negative, and zero are all
    /// means of an uncentered fit, the coefficients of unused slots, and those of directions with the eigenvalue zero.
    NotAFit,
    /// There is no fit: call `fit` first.
    NotFitted,
    /// The batch PCA is not centred and has no mean, but the learner has a moving centre.
    Centering,
}

impl fmt::Display for FitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotANumber => formatter.write_str("a number is not finite, or too large to compute with"),
            Self::Length { given, capacity } => write!(formatter, "{given} points do not fit into {capacity} slots"),
            Self::NotAFit => formatter.write_str("the numbers are not those of a fit with this kernel"),
            Self::NotFitted => formatter.write_str("there is no fit to start from: fit first"),
            Self::Centering => formatter.write_str("a fit about zero has no mean for a centre that moves"),
        }
    }
}

impl core::error::Error for FitError {}

/// Why a ridge regression could not be fitted; the last fit does not change.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum RidgeError {
    /// The target of a point in use is NaN or infinite.
    Target {
        /// The slot of the point.
        slot: usize,
    },
    /// The Gram matrix plus the regularisation is not positive definite: the points are too similar.
    Singular,
    /// The coefficients, or the Gram matrix plus the regularisation, are too large.
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

/// Why two learners were not merged; neither of them was changed.
///
/// ```
/// use eigenstream::{Centering, MergeError, pca::BatchPca};
///
/// let mut centered = BatchPca::<f32, 3, 1>::new(Centering::Centered);
/// let uncentered = BatchPca::<f32, 3, 1>::new(Centering::Uncentered);
/// assert_eq!(centered.merge(&uncentered), Err(MergeError::Settings));
/// assert_eq!(MergeError::Settings.to_string(), "the two learners have different settings");
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum MergeError {
    /// The settings, the kernels or the starting centres differ.
    Settings,
    /// A learner or its energy scale forgets, so the order of all samples would matter.
    Forgetting,
    /// A number of the merged learner could overflow.
    Overflow,
    /// The points of the two learners do not fit into one window.
    Room {
        /// The number of points of the two learners together.
        needed: usize,
        /// The largest number of points in the window.
        capacity: usize,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Settings => formatter.write_str("the two learners have different settings"),
            Self::Forgetting => formatter.write_str("a learner that forgets cannot be merged"),
            Self::Overflow => formatter.write_str("the sums of both learners are too large to compute with"),
            Self::Room { needed, capacity } => write!(formatter, "{needed} points do not fit into {capacity} slots"),
        }
    }
}

impl core::error::Error for MergeError {}
