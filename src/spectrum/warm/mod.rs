//! Eigenvectors of a changed matrix, from those of the step before: each is tested by its residual.
//! The residual is measured or estimated. If it is too large, the caller enlarges the basis or decomposes the whole
//! matrix. `after_sample` handles a rank-one change, by the eigenvalue equation of an
//! arrow matrix (`arrow`); `lanczos` handles any change. Proof: `guide::mathematics`, "Eigenpairs from those of the
//! step before".

mod after_sample;
mod arrow;
mod lanczos;

pub(crate) use after_sample::{Change, RankOneTracker};
pub(crate) use lanczos::Lanczos;
