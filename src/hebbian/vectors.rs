//! Components as weight vectors.
//! In: samples, and the instructions of a learning rule. Out: outputs, losses, residuals, rebuilt samples, updated
//! vectors.
//! Method: wₚ ← decayₚ·wₚ + gainₚ·dₚ ([K01] (6), (13)), with the old weights on all right sides.
//! Cost of a step: DIM multiply-adds for the energy, about 6·DIM for each component, and DIM more to shorten a
//! component; DIM numbers of scratch.

use super::representation::{Instructions, Outputs, Representation, StoredComponents};
use super::stability::{Nudge, is_new, longest, shorten};
use crate::codec::{stored, validate};
use crate::learner::energy_of;
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::{CodecError, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// `KEEP` components, each a vector of `DIM` weights.
///
/// ```
/// use eigenstream::hebbian::{GhaSettings, Oja, Vectors};
/// use eigenstream::nalgebra::Vector2;
/// let mut oja = Oja::<f32, 2>::new(GhaSettings::DEFAULT);
/// oja.learn(&[0.0, 5.0])?;
/// assert_eq!(oja.components(), Vector2::new(0.0, 1.0));
/// let vectors = Vectors::from_columns(&oja.components())?;
/// assert_eq!(vectors.columns(), oja.components());
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vectors<T, const DIM: usize, const KEEP: usize> {
    rows: [[T; DIM]; KEEP],
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Vectors<T, DIM, KEEP> {
    pub(super) const fn new() -> Self {
        Self {
            rows: [[T::ZERO; DIM]; KEEP],
        }
    }

    /// Makes a component from each column; a column that is longer than 4 is shortened to 4.
    ///
    /// # Errors
    /// [`SampleError`] if a weight is NaN or infinite, or if the energy of a column overflows. The channel is the row
    /// of the first weight that is not finite, or of the largest one.
    pub fn from_columns(columns: &SMatrix<T, DIM, KEEP>) -> Result<Self, SampleError> {
        let mut rows = columns.data.0;
        for row in &mut rows {
            energy_of(row)?;
            shorten(row);
        }
        Ok(Self { rows })
    }

    /// The components, one per column; zeros for a component that has not started.
    #[must_use]
    pub fn columns(&self) -> SMatrix<T, DIM, KEEP> {
        SMatrix::from_array_storage(ArrayStorage(self.rows))
    }

    fn validate(&self) -> Result<(), CodecError> {
        // The factor 2 is a margin for rounding errors.
        let short = |row: &[T; DIM]| dot(row, row) <= T::TWO * longest();
        validate::accept(self.rows.iter().all(short), CodecError::Range)
    }
}

/// The sample Σ mixtureₚwₚ over all `parts`; an error if its energy is not finite.
pub(super) fn rebuilt<T: Scalar, const DIM: usize, const KEEP: usize>(
    parts: &[Vectors<T, DIM, KEEP>],
    mixture: &[T],
) -> Result<[T; DIM], SampleError> {
    let sample = combined(parts, [T::ZERO; DIM], T::ONE, mixture);
    // The energy of the sample can overflow although that of the code does not.
    energy_of(&sample).map(|_| sample)
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Representation<T, DIM, KEEP> for Vectors<T, DIM, KEEP> {
    fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError> {
        let energy = energy_of(sample)?;
        let mut outputs = [T::ZERO; KEEP];
        for (output, row) in outputs.iter_mut().zip(&self.rows) {
            *output = dot(row, sample);
        }
        Ok(Outputs {
            energy,
            values: outputs,
        })
    }

    fn start(&mut self, component: usize, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, shares: &[T; KEEP]) -> bool {
        let mut rest = *sample;
        for (row, &share) in self.rows.iter().zip(shares).take(component) {
            add_scaled(&mut rest, -share, row);
        }
        let left = dot(&rest, &rest);
        if let Some(row) = self.rows.get_mut(component)
            && is_new(left, outputs.energy)
        {
            scale(&mut rest, T::ONE / left.sqrt());
            *row = rest;
            true
        } else {
            false
        }
    }

    fn learn(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, instructions: &Instructions<T, KEEP>) {
        let mut rest = *sample;
        let mut energy = outputs.energy;
        for p in 0..KEEP {
            let drive = instructions.drives[p];
            // If `energy` is NaN, `energy.max(…)` is NaN too, and the component is not updated.
            let nudge = Nudge::new(instructions.rates[p], drive, energy.max(outputs.energy));
            let share = instructions.deflation * drive;
            for (weight, rest) in self.rows[p].iter_mut().zip(&mut rest) {
                let old = *weight;
                if !nudge.is_none() {
                    *weight = nudge.decay * old + nudge.gain * *rest;
                }
                if p + 1 < KEEP {
                    *rest -= share * old;
                }
            }
            // If its drive is its output, component 0 stays short enough by Oja's rule.
            if p > 0 || drive != outputs.values[p] {
                shorten(&mut self.rows[p]);
            }
            if p + 1 < KEEP {
                energy = dot(&rest, &rest);
            }
        }
    }

    fn loss(parts: &[Self], sample: &[T; DIM], _: T, _: &[T], mixture: &[T]) -> T {
        let left = combined(parts, *sample, -T::ONE, mixture);
        dot(&left, &left).min(T::MAX)
    }

    fn residual(parts: &[Self], sample: &[T; DIM], mixture: &[T], _: T, _: impl Fn(&[T; DIM]) -> T) -> [T; DIM] {
        combined(parts, *sample, -T::ONE, mixture)
    }

    fn replace(&mut self, other: Self) {
        *self = other;
    }

    fn clear(&mut self) {
        *self = Self::new();
    }
}

/// `sample` + `sign`·Σ mixtureₚwₚ over all `parts`.
fn combined<T: Scalar, const DIM: usize, const KEEP: usize>(
    parts: &[Vectors<T, DIM, KEEP>],
    mut sample: [T; DIM],
    sign: T,
    mixture: &[T],
) -> [T; DIM] {
    for (row, &entry) in parts.iter().flat_map(|part| &part.rows).zip(mixture) {
        add_scaled(&mut sample, sign * entry, row);
    }
    sample
}

stored!([T: Scalar, const DIM: usize, const KEEP: usize] Vectors<T, DIM, KEEP> as wrapper { rows } if validate);

impl<T: Scalar, const DIM: usize, const KEEP: usize> StoredComponents for Vectors<T, DIM, KEEP> {
    const KERNEL: u8 = 0;
    const POINTS: usize = 0;
}
