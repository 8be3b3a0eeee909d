//! Eigenvectors of a changed matrix, from those of the step before: each is tested by its residual.
//! If a residual is too large, the caller enlarges the basis, and then decomposes the whole matrix.
//! `after_sample` is for a rank-one change, by the secular equation of an arrow matrix (`arrow`), `lanczos` for any
//! change. Proof: `guide::mathematics`, "Eigenpairs from those of the step before".

mod after_sample;
mod arrow;
mod lanczos;

pub(crate) use after_sample::{Change, RankOneTracker};
pub(crate) use lanczos::Lanczos;
