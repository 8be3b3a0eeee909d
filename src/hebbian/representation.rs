//! The common interface of the two ways to hold components, vectors and expansions over points, so that each learning rule is
//! written once.

use crate::codec::Stored;
use crate::{SampleError, Scalar};

/// The answer of a Hebbian learner to one sample, before it learns the sample.
///
/// ```
/// use eigenstream::hebbian::{GhaSettings, Oja};
/// let mut oja = Oja::<f32, 2>::new(GhaSettings::DEFAULT);
/// oja.learn(&[2.0, 0.0])?;
/// let response = oja.step(&[3.0, 4.0])?;
/// assert_eq!((response.code, response.loss), ([3.0], 16.0));
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Response<T, const KEEP: usize> {
    /// The outputs of the components, y; ỹ for the component that APEX learns.
    pub code: [T; KEEP],
    /// The energy of the sample that the code does not hold, ‖x − Σ codeₚ·componentₚ‖².
    pub loss: T,
}

/// The outputs of the components for a sample, and its energy.
pub struct Outputs<T, const KEEP: usize> {
    /// ‖x‖², or k(x, x).
    pub(super) energy: T,
    /// wₚ·x.
    pub(super) values: [T; KEEP],
}

/// The instructions of a learning rule to the components for one sample.
pub struct Instructions<T, const KEEP: usize> {
    /// The drive of each component: its output, corrected by the rule.
    pub(super) drives: [T; KEEP],
    /// The learning rate of each component; zero leaves it as it is.
    pub(super) rates: [T; KEEP],
    /// β: the factor by which each component is subtracted from the sample before the next component learns it.
    pub(super) deflation: T,
}

/// A way to hold `KEEP` components. Its module is private: no other crate can call it or add another.
pub trait Representation<T: Scalar, const DIM: usize, const KEEP: usize>: Sized {
    /// The outputs for a sample, if it can be used.
    fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError>;

    /// Starts a component at x − Σ_{j<p} shareⱼwⱼ, brought to length one; false if that is nothing.
    fn start(&mut self, component: usize, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, shares: &[T; KEEP]) -> bool;

    /// Takes one step.
    fn learn(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>);

    /// ‖x − Σ codeₚuₚ‖² over all components uₚ of all parts; in terms of the weights, Σ codeₚuₚ = Σ mixtureₚwₚ.
    fn loss(parts: &[Self], sample: &[T; DIM], energy: T, code: &[T], mixture: &[T]) -> T;

    /// The loss channel by channel: entries whose squares sum to it. `loss_of` is the loss of any other sample.
    fn residual(
        parts: &[Self],
        sample: &[T; DIM],
        mixture: &[T],
        loss: T,
        loss_of: impl Fn(&[T; DIM]) -> T,
    ) -> [T; DIM];

    /// Becomes the components that another holds; settings stay.
    fn replace(&mut self, other: Self);

    /// Forgets all components.
    fn clear(&mut self);
}

/// Components that can be part of an image.
pub trait StoredComponents: Stored + Copy {
    /// The kernel's number in the header; 0 for vectors.
    const KERNEL: u8;
    /// Points that there is room for; 0 for vectors.
    const POINTS: usize;
}
