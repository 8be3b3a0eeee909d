//! The total loss of a learner, and the bound on this loss.

/// The losses and the bound on the loss of a learner, in units of the mean energy ‖x‖² of the samples so far. The bound is valid
/// only for a learner with the default scale, `ScaleSettings::DEFAULT`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Total expected loss of all learned samples.
    pub loss: f64,
    /// Total loss of the best fixed subspace in hindsight.
    pub best: f64,
    /// The upper limit of `loss` for every stream with this `best`, this `excess` and this largest energy of a sample.
    pub bound: f64,
    /// E: the number that rank limit, merged directions and the upper limit of the evidence add to the divergence D in `bound`.
    pub excess: f64,
}
