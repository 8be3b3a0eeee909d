//! The common interface of vectors and of weighted sums over points. `parts` is the list of the representations of a
//! learner: in GHA one element with all components, in APEX one element for each component.

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
    /// The outputs of the components; in APEX corrected by feedback.
    pub code: [T; KEEP],
    /// ‖x − Σ codeₚuₚ‖² for the sample x and the components u; approximate for `KernelApex`.
    pub loss: T,
}

/// The outputs of the components for a sample, and its energy.
pub struct Outputs<T, const KEEP: usize> {
    pub(super) energy: T,
    pub(super) values: [T; KEEP],
}

/// The changes that a learning rule asks of the components for one sample.
pub struct Instructions<T, const KEEP: usize> {
    pub(super) drives: [T; KEEP],
    /// The rate η of each component; with rate zero a component learns nothing.
    pub(super) rates: [T; KEEP],
    /// The deflation factor β.
    pub(super) deflation: T,
}

/// A representation of `KEEP` components, which no other crate can call or implement.
pub trait Representation<T: Scalar, const DIM: usize, const KEEP: usize>: Sized {
    /// The outputs for a sample, or the reason why it is refused.
    fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError>;

    /// Starts `component` at x − Σ sharesⱼwⱼ over the earlier components, scaled to length one.
    ///
    /// Returns false if the energy of this vector is zero, subnormal or only rounding error, or if there is no such
    /// component. If a list of points is full, a point is removed from it, which changes the components.
    fn start(&mut self, component: usize, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, shares: &[T; KEEP]) -> bool;

    /// Updates all components by one step.
    fn learn(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>);

    /// The loss ‖x − Σ codeₚuₚ‖² over all `parts`; `mixture` has the coefficients with Σ mixtureₚwₚ = Σ codeₚuₚ.
    fn loss(parts: &[Self], sample: &[T; DIM], energy: T, code: &[T], mixture: &[T]) -> T;

    /// The unexpected part of each channel: the squares of the entries sum to `loss`. `loss_of` computes the loss of
    /// any other sample.
    fn residual(
        parts: &[Self],
        sample: &[T; DIM],
        mixture: &[T],
        loss: T,
        loss_of: impl Fn(&[T; DIM]) -> T,
    ) -> [T; DIM];

    /// Replaces the components by those of `other`; the settings stay.
    fn replace(&mut self, other: Self);

    fn clear(&mut self);
}

/// Components that can be stored in an image.
pub trait StoredComponents: Stored + Copy {
    /// The number of the kernel in the header of an image; 0 for vectors.
    const KERNEL: u8;
    /// The largest number of points; 0 for vectors.
    const POINTS: usize;
}
