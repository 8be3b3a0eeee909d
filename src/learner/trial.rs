//! The report of one trial, for every PCA learner, linear or of a kernel.

/// One trial: predict, see the sample, lose, learn.
///
/// ```
/// use eigenstream::Trial;
/// let trial = Trial { code: [0.5_f32, 0.0], loss: 0.25, expected_loss: 0.5 };
/// assert!(trial.loss <= trial.expected_loss);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Trial<T, const KEEP: usize> {
    /// The sample in the directions that were drawn, vᵢ·x, in the order of the learner's directions.
    pub code: [T; KEEP],
    /// The energy of the sample that the code does not hold, ‖x‖² − Σ codeᵢ².
    pub loss: T,
    /// The expected loss over all draws, ‖x‖² − Σ pᵢ(vᵢ·x)².
    pub expected_loss: T,
}
