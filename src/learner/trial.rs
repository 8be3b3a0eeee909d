//! The result of one trial of a PCA learner, linear or with a kernel.

/// The result of one trial: the learner predicts, gets the sample, computes the loss, then learns the sample.
///
/// ```
/// use eigenstream::Trial;
/// let trial = Trial { code: [0.5_f32, 0.0], loss: 0.25, expected_loss: 0.5 };
/// assert!(trial.loss <= trial.expected_loss);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Trial<T, const KEEP: usize> {
    /// The coordinates vᵢ·x in the directions vᵢ that were drawn, in the order of the learner's directions. x is the sample, or
    /// with a kernel the feature vector of the sample. If the learner has a centre, the centre is subtracted from x; with a
    /// kernel the centre is the mean of the features of the stored points. Entries without a drawn direction are zero.
    pub code: [T; KEEP],
    /// The part of the energy ‖x‖² that the code does not represent, ‖x‖² − Σ codeᵢ²; x as in `code`.
    pub loss: T,
    /// The expected loss over all draws, ‖x‖² − Σ pᵢ(vᵢ·x)² over all directions vᵢ, with pᵢ the probability that vᵢ is kept. In
    /// kernel PCA the sum also contains the directions that the stored points do not span; `code` cannot contain these.
    pub expected_loss: T,
}
