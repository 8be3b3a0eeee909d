//! The common interface of the two representations of components: as vectors, and as expansions over points. With it each
//! learning rule is written once.

use crate::codec::Stored;
use crate::{SampleError, Scalar};

/// The result of a Hebbian learner for one sample, computed before the sample is learned.
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
    /// The outputs y of the components; in APEX ỹ, the outputs corrected by feedback.
    pub code: [T; KEEP],
    /// The energy of the sample that the code does not represent, ‖x − Σ codeₚ·componentₚ‖².
    pub loss: T,
}

/// The outputs of the components for a sample, and the energy of the sample.
pub struct Outputs<T, const KEEP: usize> {
    /// ‖x‖², or k(x, x).
    pub(super) energy: T,
    /// wₚ·x.
    pub(super) values: [T; KEEP],
}

/// The instructions of a learning rule to the components for one sample.
pub struct Instructions<T, const KEEP: usize> {
    /// The drive of each component: the output that the step uses. The rule may have corrected it.
    pub(super) drives: [T; KEEP],
    /// The learning rate of each component; zero leaves the component unchanged.
    pub(super) rates: [T; KEEP],
    /// β: a component times β and its drive is subtracted from the sample before the next component learns the sample.
    pub(super) deflation: T,
}

/// A representation of `KEEP` components. The module is private: other crates can neither call nor implement this trait.
pub trait Representation<T: Scalar, const DIM: usize, const KEEP: usize>: Sized {
    /// The outputs for a sample, or the reason why the sample is refused.
    fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError>;

    /// Starts a component at x − Σ_{j<p} shareⱼwⱼ, scaled to length one. Returns false if this vector is zero up to rounding.
    fn start(&mut self, component: usize, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, shares: &[T; KEEP]) -> bool;

    /// Takes one step.
    fn learn(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>);

    /// ‖x − Σ codeₚuₚ‖² over all components uₚ of all `parts`. `mixture` holds the coefficients
    /// of this sum over the weights: Σ codeₚuₚ = Σ mixtureₚwₚ.
    fn loss(parts: &[Self], sample: &[T; DIM], energy: T, code: &[T], mixture: &[T]) -> T;

    /// The loss per channel: the squares of the entries sum to `loss`. `loss_of` computes the loss of any other sample.
    fn residual(
        parts: &[Self],
        sample: &[T; DIM],
        mixture: &[T],
        loss: T,
        loss_of: impl Fn(&[T; DIM]) -> T,
    ) -> [T; DIM];

    /// Replaces the components by those of `other`; the settings stay.
    fn replace(&mut self, other: Self);

    /// Forgets all components.
    fn clear(&mut self);
}

/// Components that can be stored in an image.
pub trait StoredComponents: Stored + Copy {
    /// The kernel's number in the header; 0 for vectors.
    const KERNEL: u8;
    /// Largest number of points; 0 for vectors.
    const POINTS: usize;
}
