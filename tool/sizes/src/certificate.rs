//! A total loss beside its bound.

/// The loss of a learner in the units of its scale, and the bound on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Total expected loss of all samples that it learned.
    pub loss: f64,
    /// Total loss of the best fixed subspace in hindsight.
    pub best: f64,
    /// The most that the total can be on any stream with this best subspace.
    pub bound: f64,
    /// The part of rank cap, merging and ceiling in the bound, E.
    pub excess: f64,
}
