//! Errors of fitting a model, of building a model from the numbers of a fit, and of starting a learner from a fit.

use core::fmt;

/// Why a fitted model, or its numbers, were refused.
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
    /// The numbers are not those of a fit with this kernel, for example because a number was changed, or because the fit used
    /// another kernel.
    ///
    /// Two conditions must hold up to rounding:
    /// - The directions are orthonormal eigenvectors of the Gram matrix of the points (if the fit is centred, of the centred Gram
    ///   matrix).
    /// - If the fit is centred, the stored means are the means of the Gram matrix.
    ///
    /// Three conditions must hold exactly:
    /// - The eigenvalues are in descending order. Neither an eigenvalue nor `left_out` (the sum of the eigenvalues that are not
    ///   kept) is negative.
    /// - If the fit is uncentered, all stored means are zero.
    /// - The coefficients of unused slots, and of directions with the eigenvalue zero, are zero.
    NotAFit,
    /// There is no fit: call `fit` first.
    NotFitted,
    /// The batch PCA is not centred, but the learner has a moving centre: the batch PCA does not contain the mean of the samples.
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

/// Why a ridge regression could not be fitted. The last fit does not change.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum RidgeError {
    /// The target of a point in use is NaN or infinite.
    Target {
        /// The slot of the point that this target belongs to.
        slot: usize,
    },
    /// The Gram matrix plus the regularisation is not positive definite up to rounding, for example because the points are too
    /// similar for this small regularisation.
    Singular,
    /// The coefficients, or the Gram matrix plus the regularisation, are too large to compute with.
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
