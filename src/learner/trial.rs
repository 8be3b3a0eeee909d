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
    /// The coordinates vᵢ·x in the directions vᵢ that were drawn, in the order of the learner's directions. Entries without a
    /// drawn direction are zero. x is the sample; with a kernel, x is the feature vector of the sample. If the learner has a
    /// centre, x is the difference from the centre. A refresh of a kernel PCA computes the directions of its stored points. The
    /// centre of a centred kernel PCA is the mean of the features of the stored points at the last refresh, and zero before the
    /// first refresh. The method `push` of a kernel PCA can replace a stored point. The replaced point is missing in the
    /// directions until the next refresh, and until then code and losses are inexact.
    pub code: [T; KEEP],
    /// The part of the energy ‖x‖² that the code does not represent, ‖x‖² − Σ codeᵢ²; x as in `code`.
    pub loss: T,
    /// The expected loss, ‖x‖² − Σ pᵢ(vᵢ·x)² over all directions vᵢ, with the keep probability pᵢ of vᵢ. If the settings have
    /// no ceiling (upper limit of the evidence), this is the mean of `loss` over all draws. Exception: in kernel PCA the sum also
    /// contains directions that are not stored, and `code` cannot contain these.
    pub expected_loss: T,
}
