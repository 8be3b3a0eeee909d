//! Components as weight vectors.
//! In: samples of `DIM` channels, and the instructions of a learning rule. Out: outputs, losses, residuals, rebuilt samples, and
//! updated vectors.
//! Method: x is the sample, yⱼ the output of component j, β the deflation factor. Component p learns from the input
//! dₚ = x − β·Σ_{j<p} yⱼwⱼ: wₚ ← decayₚ·wₚ + gainₚ·dₚ ([K01] (6), (13)). All weights on the right sides are old weights.
//! `stability` computes gain and decay. The length of wₚ is limited to 4.
//! Cost: DIM·KEEP numbers, DIM of scratch; DIM multiply-adds per step for the energy, and at most 6·DIM and a few more for each
//! component, outputs included; DIM more for a component that must be shortened to the length 4.

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
    /// Creates components that have not started: all weights are zero.
    pub(super) const fn new() -> Self {
        Self {
            rows: [[T::ZERO; DIM]; KEEP],
        }
    }

    /// Makes a component from each column. A column that is longer than 4 is shortened to the length 4.
    ///
    /// # Errors
    /// [`SampleError`] if a weight is NaN or infinite, or if the energy of a column overflows. The channel in the error is a row
    /// of the column: that of the first weight that is not finite, or, after an overflow, of the weight of largest magnitude.
    pub fn from_columns(columns: &SMatrix<T, DIM, KEEP>) -> Result<Self, SampleError> {
        let mut rows = columns.data.0;
        for row in &mut rows {
            energy_of(row)?;
            shorten(row);
        }
        Ok(Self { rows })
    }

    /// The components, one per column; a component that has not started is a column of zeros.
    #[must_use]
    pub fn columns(&self) -> SMatrix<T, DIM, KEEP> {
        SMatrix::from_array_storage(ArrayStorage(self.rows))
    }
}

/// Rebuilds a sample: Σ mixtureₚwₚ over the weight vectors wₚ of all `parts`.
pub(super) fn rebuilt<T: Scalar, const DIM: usize, const KEEP: usize>(
    parts: &[Vectors<T, DIM, KEEP>],
    mixture: &[T],
) -> Result<[T; DIM], SampleError> {
    let mut sample = [T::ZERO; DIM];
    for (row, &entry) in parts.iter().flat_map(|part| &part.rows).zip(mixture) {
        add_scaled(&mut sample, entry, row);
    }
    // The energy of the sample can overflow although the energy of the code does not: components can be longer than one, or not
    // orthogonal.
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
            // The order of the arguments matters: `energy.max(…)` returns NaN if `energy` is NaN, and then the component is
            // not updated.
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
            // The drive is the output that the step uses; APEX corrects it by feedback. Component 0 learns by Oja's rule if its
            // drive is its output. By Oja's rule a length of at most √2 stays at most √2, and a longer component does not get
            // longer. So such a component 0 need not be shortened. On a chip without a floating-point unit, `shorten` would take
            // about a tenth of the time of a step.
            if p > 0 || drive != outputs.values[p] {
                shorten(&mut self.rows[p]);
            }
            if p + 1 < KEEP {
                energy = dot(&rest, &rest);
            }
        }
    }

    fn loss(parts: &[Self], sample: &[T; DIM], _: T, _: &[T], mixture: &[T]) -> T {
        let left = remainder(parts, sample, mixture);
        dot(&left, &left).min(T::MAX)
    }

    fn residual(parts: &[Self], sample: &[T; DIM], mixture: &[T], _: T, _: impl Fn(&[T; DIM]) -> T) -> [T; DIM] {
        remainder(parts, sample, mixture)
    }

    fn replace(&mut self, other: Self) {
        *self = other;
    }

    fn clear(&mut self) {
        *self = Self::new();
    }
}

/// x − Σ mixtureₚwₚ over the weight vectors wₚ of all `parts`, with x = `sample`.
fn remainder<T: Scalar, const DIM: usize, const KEEP: usize>(
    parts: &[Vectors<T, DIM, KEEP>],
    sample: &[T; DIM],
    mixture: &[T],
) -> [T; DIM] {
    let mut left = *sample;
    for (row, &entry) in parts.iter().flat_map(|part| &part.rows).zip(mixture) {
        add_scaled(&mut left, -entry, row);
    }
    left
}

stored!([T: Scalar, const DIM: usize, const KEEP: usize] Vectors<T, DIM, KEEP> as wrapper { rows } if validate);

impl<T: Scalar, const DIM: usize, const KEEP: usize> StoredComponents for Vectors<T, DIM, KEEP> {
    const KERNEL: u8 = 0;
    const POINTS: usize = 0;
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Vectors<T, DIM, KEEP> {
    fn validate(&self) -> Result<(), CodecError> {
        // By construction no squared length is above `longest` (4²). The factor 2 is for rounding.
        let short = |row: &[T; DIM]| dot(row, row) <= T::TWO * longest();
        validate::accept(self.rows.iter().all(short), CodecError::Range)
    }
}
