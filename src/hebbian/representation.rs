//! The common interface of the two representations of components: as vectors, and as expansions (weighted sums) over points. So
//! each learning rule is written once. x is a sample, or with kernels its features φ(x). wₚ are the weights of component p.
//! `parts` is the list of the representations of a learner. In GHA the list has one element with all components, in APEX one
//! element for each component.

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
    /// The outputs of the components; in APEX the outputs corrected by feedback.
    pub code: [T; KEEP],
    /// The part of the sample's energy that the code does not represent, ‖x − Σ codeₚ·componentₚ‖²; φ(x) in place of x with
    /// kernels. Approximate for `KernelApex`.
    pub loss: T,
}

/// The outputs of the components for a sample, and the energy of the sample.
pub struct Outputs<T, const KEEP: usize> {
    /// The energy ‖x‖² of the sample x, or k(x, x) with a kernel k.
    pub(super) energy: T,
    /// The output wₚ·x of each component wₚ, or wₚ·φ(x) with a kernel.
    pub(super) values: [T; KEEP],
}

/// The instructions of a learning rule to the components for one sample.
pub struct Instructions<T, const KEEP: usize> {
    /// The drive of each component: the output that the step uses, corrected by feedback in APEX.
    pub(super) drives: [T; KEEP],
    /// The learning rate η of each component; with zero the component learns nothing.
    pub(super) rates: [T; KEEP],
    /// The deflation factor β: the input of the next component is the input of this component minus β·drive·w, with the drive and
    /// the old weights w of this component.
    pub(super) deflation: T,
}

/// A representation of `KEEP` components. The module is private: other crates can neither call nor implement this trait.
pub trait Representation<T: Scalar, const DIM: usize, const KEEP: usize>: Sized {
    /// The outputs for a sample, or the reason why the sample is refused.
    fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError>;

    /// Starts component p = `component` at x − Σ_{j<p} sharesⱼwⱼ, scaled to length one, and returns true. If a list of points is
    /// full, the removal of a point then changes the components. If the energy of x − Σ_{j<p} sharesⱼwⱼ is zero, subnormal or
    /// only rounding error, or if p ≥ `KEEP`, changes nothing and returns false.
    fn start(&mut self, component: usize, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, shares: &[T; KEEP]) -> bool;

    /// Updates the weights of all components by one step.
    fn learn(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>);

    /// The loss ‖x − Σ codeₚuₚ‖² over the components uₚ of all `parts`; approximate for APEX with kernels. In GHA uₚ are the
    /// weights wₚ. `mixture` has the coefficients of this sum over the weights: Σ mixtureₚwₚ = Σ codeₚuₚ.
    fn loss(parts: &[Self], sample: &[T; DIM], energy: T, code: &[T], mixture: &[T]) -> T;

    /// The loss per channel: the squares of the entries sum to `loss`. `loss_of` computes the loss of any other sample.
    fn residual(
        parts: &[Self],
        sample: &[T; DIM],
        mixture: &[T],
        loss: T,
        loss_of: impl Fn(&[T; DIM]) -> T,
    ) -> [T; DIM];

    /// Replaces the components by the components of `other`; the settings stay.
    fn replace(&mut self, other: Self);

    /// Sets all components to zero.
    fn clear(&mut self);
}

/// Components that can be stored in an image (the encoded bytes of a learner).
pub trait StoredComponents: Stored + Copy {
    /// The number of the kernel in the header of an image; 0 for vectors.
    const KERNEL: u8;
    /// Largest number of points; 0 for vectors.
    const POINTS: usize;
}
