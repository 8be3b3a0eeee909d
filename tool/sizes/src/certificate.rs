//! The total loss of a learner, and the bound on this loss.

/// The loss of a learner and the bound on the loss, both in units of the learner's scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Total expected loss of all learned samples.
    pub loss: f64,
    /// Total loss of the best fixed subspace in hindsight.
    pub best: f64,
    /// The upper limit of `loss` for every stream with this `best`, this `excess` and this largest energy of a sample.
    pub bound: f64,
    /// E: the part of `bound` that is due to the rank limit, to merged directions and to the upper limit of the evidence.
    pub excess: f64,
}
