//! Eigenvectors that start from the last step's eigenvectors.
//! In: the eigenvectors of a matrix and its change. Out: the leading eigenvectors of the changed matrix, each measured by its residual; none
//! where the residual is too large, so that the caller decomposes the whole matrix.
//! Method: `after_sample` after a rank-one change, by the secular equation of an arrow matrix (`arrow`); `lanczos` after any change.
//! `combine` turns both results into orthonormal columns.

mod after_sample;
mod arrow;
pub(crate) mod combine;
mod lanczos;

pub(crate) use after_sample::{Change, RankOneTracker};
pub(crate) use lanczos::Lanczos;
