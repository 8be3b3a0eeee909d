//! Eigenvectors of a changed matrix, computed from the eigenvectors of the step before.
//! In: the eigenvectors of a matrix and its change. Out: the leading eigenvectors of the changed matrix, each tested by its
//! residual. If a residual is too large there is no result, and the caller decomposes the whole matrix.
//! Method: `after_sample` for a rank-one change, by the secular equation of an arrow matrix (`arrow`); `lanczos` for any change.
//! `combine` computes weighted sums of columns in place.

mod after_sample;
mod arrow;
pub(crate) mod combine;
mod lanczos;

pub(crate) use after_sample::{Change, RankOneTracker};
pub(crate) use lanczos::Lanczos;
