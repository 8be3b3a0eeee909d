//! Eigenvectors of a changed matrix, computed from the eigenvectors of the step before.
//! In: the changed matrix and the eigenvectors of the step before; for `after_sample` also their eigenvalues and the change. Out:
//! the leading eigenvectors of the changed matrix, each tested by its residual. If a residual is too large, the caller enlarges
//! the basis; if this does not help, the caller decomposes the whole matrix.
//! Method: `after_sample` for a rank-one change, by the secular equation of an arrow matrix (`arrow`); `lanczos` for any change.
//! `combine` computes weighted sums of columns in place.

mod after_sample;
mod arrow;
mod lanczos;

pub(crate) use after_sample::{Change, RankOneTracker};
pub(crate) use lanczos::Lanczos;
