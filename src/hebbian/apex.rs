//! APEX, [K01]: learns one component after another.
//! In: samples. Out: codes in the components learned so far, losses, and a learner.
//! Method: equations (8)–(11), with kernels (41)–(53), in corrected form; see `guide::mathematics`, "The feedback of
//! APEX". With kernels each component has its own list of points.

use super::rate::Pace;
use super::representation::{Instructions, Outputs, Representation, StoredComponents};
use super::stability::{Nudge, is_new, limited, longest, shorten};
use super::vectors::rebuilt;
use super::{ApexSettings, FeatureVectors, PointBudget, Response, Vectors};
use crate::codec::{stored, validate};
use crate::learner::{energy_of, own_verbs};
use crate::spectrum::vector::{add_scaled, dot};
use crate::{CodecError, Learner, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// `KEEP` components of `DIM` channels, learned one after another.
///
/// ```
/// use eigenstream::hebbian::{Apex, ApexSettings};
/// let mut apex = Apex::<f32, 3, 2>::new(ApexSettings::DEFAULT.with_span(400));
/// for t in 0..1_200 {
///     let (large, small) = ((t % 7) as f32 - 3.0, (t % 5) as f32 - 2.0);
///     apex.learn(&[large, small, 0.0])?;
/// }
/// assert!(apex.components()[(0, 0)].abs() > 0.99 && apex.components()[(1, 1)].abs() > 0.99);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type Apex<T, const DIM: usize, const KEEP: usize> = Chain<T, Vectors<T, DIM, 1>, DIM, KEEP>;

/// [`Apex`] on kernel features: `KEEP` components, the weights w of each a sum over at most `POINTS` points of its own.
///
/// ```
/// use eigenstream::hebbian::{ApexSettings, KernelApex, PointBudget};
/// use eigenstream::kernel::Gaussian;
/// let mut apex = KernelApex::<f32, _, 2, 2, 8>::new(Gaussian::DEFAULT, ApexSettings::DEFAULT, PointBudget::DEFAULT);
/// apex.learn(&[0.5, 0.5])?;
/// assert!(apex.score(&[0.5, 0.5])? < 1e-6);
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
pub type KernelApex<T, K, const DIM: usize, const KEEP: usize, const POINTS: usize> =
    Chain<T, FeatureVectors<T, K, DIM, 1, POINTS>, DIM, KEEP>;

impl<T: Scalar, const DIM: usize, const KEEP: usize> Apex<T, DIM, KEEP> {
    /// Creates a learner without samples.
    ///
    /// More components than channels do not compile:
    /// ```compile_fail,E0080
    /// use eigenstream::hebbian::{Apex, ApexSettings};
    /// let apex = Apex::<f32, 2, 3>::new(ApexSettings::DEFAULT);
    /// ```
    #[must_use]
    pub const fn new(settings: ApexSettings<T>) -> Self {
        const {
            assert!(KEEP <= DIM, "there are no more components than channels");
        }
        Self::with_components(settings, [Vectors::new(); KEEP])
    }

    /// The components u = w + Σ aⱼuⱼ, one per column; zeros for a component that has not started.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, DIM, KEEP> {
        let mut columns = [[T::ZERO; DIM]; KEEP];
        for p in 0..KEEP {
            let [mut column] = self.components[p].columns().data.0;
            for j in 0..p {
                add_scaled(&mut column, self.feedback[p][j], &columns[j]);
            }
            columns[p] = column;
        }
        SMatrix::from_array_storage(ArrayStorage(columns))
    }

    /// Rebuilds a sample from a code of [`transform`](Self::transform): Σ codeₚuₚ.
    ///
    /// # Errors
    /// [`SampleError`], as in [`Gha::inverse_transform`](super::Gha::inverse_transform).
    pub fn inverse_transform(&self, code: &[T; KEEP]) -> Result<[T; DIM], SampleError> {
        energy_of(code)?;
        rebuilt(&self.components, &self.mixture(code))
    }
}

impl<T: Scalar, K: Copy, const DIM: usize, const KEEP: usize, const POINTS: usize> KernelApex<T, K, DIM, KEEP, POINTS> {
    /// Creates a learner without samples, in the feature space of `kernel`.
    #[must_use]
    pub const fn new(kernel: K, settings: ApexSettings<T>, budget: PointBudget) -> Self {
        Self::with_components(settings, [FeatureVectors::new(kernel, budget); KEEP])
    }
}

/// Learns one component after another: the type behind [`Apex`] and [`KernelApex`].
///
/// ```
/// use eigenstream::hebbian::{Apex, ApexSettings};
/// let apex: Apex<f32, 3, 2> = Apex::new(ApexSettings::DEFAULT);
/// assert_eq!(apex.finished(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Chain<T, W, const DIM: usize, const KEEP: usize> {
    pace: Pace<T>,
    span: u32,
    components: [W; KEEP],
    /// The feedback weights, one row per component: an entry for each earlier component, then zeros.
    feedback: [[T; KEEP]; KEEP],
    finished: usize,
    /// The number of samples learned by the component that learns; zero if it has not started.
    age: u32,
    samples_seen: u64,
}

impl<T: Scalar, W, const DIM: usize, const KEEP: usize> Chain<T, W, DIM, KEEP> {
    const fn with_components(settings: ApexSettings<T>, components: [W; KEEP]) -> Self {
        const {
            assert!(KEEP > 0, "keep at least one component");
        }
        Self {
            pace: Pace::new(settings.rate),
            span: settings.span,
            components,
            feedback: [[T::ZERO; KEEP]; KEEP],
            finished: 0,
            age: 0,
            samples_seen: 0,
        }
    }

    /// The number of finished components; the component after them learns.
    #[must_use]
    pub const fn finished(&self) -> usize {
        self.finished
    }

    /// The weights w of each component: a vector, or points and coefficients.
    #[must_use]
    pub const fn weights(&self) -> &[W; KEEP] {
        &self.components
    }

    /// The feedback of a component, an entry for each earlier one; empty if the component does not exist.
    #[must_use]
    pub fn feedback(&self, component: usize) -> &[T] {
        let row = self.feedback.get(component);
        row.and_then(|row| row.get(..component)).unwrap_or_default()
    }

    /// Finishes the component that learns: it no longer changes, and the next one starts at a later sample.
    ///
    /// Nothing happens if that component has not started. When all components are finished, none learns any more.
    ///
    /// ```
    /// use eigenstream::hebbian::{Apex, ApexSettings};
    /// let mut apex = Apex::<f32, 3, 2>::new(ApexSettings::DEFAULT);
    /// apex.learn(&[1.0, 0.0, 0.0])?;
    /// apex.finish();
    /// assert_eq!(apex.finished(), 1);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn finish(&mut self) {
        if self.age > 0 {
            self.finished = self.finished.saturating_add(1).min(KEEP);
            self.age = 0;
        }
    }

    fn forget_feedback(&mut self) {
        if let Some(row) = self.feedback.get_mut(self.finished) {
            *row = [T::ZERO; KEEP];
        }
    }

    /// The coefficients with Σ mixtureₚwₚ = Σ codeₚuₚ. From the last component to the first, each adds its entry times
    /// its feedback to the entries of the earlier ones.
    fn mixture(&self, code: &[T; KEEP]) -> [T; KEEP] {
        let mut mixture = *code;
        for p in (0..KEEP).rev() {
            for j in 0..p {
                mixture[j] += mixture[p] * self.feedback[p][j];
            }
        }
        mixture
    }

    /// The number of samples accepted by [`learn`](Self::learn) and [`step`](Self::step).
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }

    fn validate(&self) -> Result<(), CodecError> {
        validate::accept(self.finished <= KEEP, CodecError::Count)?;
        // The factor 2 is a margin for rounding errors.
        let short = |row: &[T; KEEP]| dot(row, row) <= T::TWO * longest();
        validate::accept(self.feedback.iter().all(short), CodecError::Range)
    }
}

impl<T: Scalar, W: Representation<T, DIM, 1>, const DIM: usize, const KEEP: usize> Chain<T, W, DIM, KEEP> {
    /// One trial: encodes the sample, reports the loss, then learns the sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn step(&mut self, sample: &[T; DIM]) -> Result<Response<T, KEEP>, SampleError> {
        let outputs = self.outputs(sample)?;
        let code = self.code(&outputs);
        let loss = self.loss(sample, &outputs, &code);
        self.update(sample, &outputs, &code);
        Ok(Response { code, loss })
    }

    /// The loss of a sample's code, ‖x − Σ codeₚuₚ‖²; learns nothing.
    ///
    /// With kernels the result is the approximation k(x, x) − Σ codeₚ²·(2 − ‖wₚ‖²), at least zero, exact for orthogonal
    /// components with ‖uₚ‖ = ‖wₚ‖.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let outputs = self.outputs(sample)?;
        let code = self.code(&outputs);
        Ok(self.loss(sample, &outputs, &code))
    }

    /// Learns from a sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let outputs = self.outputs(sample)?;
        let code = self.code(&outputs);
        self.update(sample, &outputs, &code);
        Ok(())
    }

    /// The unexpected part of each channel: the squares of the entries sum to the score.
    ///
    /// The parts are computed as in [`Parallel::residual`](super::Parallel::residual); with kernels the means are those
    /// over the points of the first component.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let outputs = self.outputs(sample)?;
        let code = self.code(&outputs);
        let loss = self.loss(sample, &outputs, &code);
        let loss_of = |other: &[T; DIM]| self.score(other).unwrap_or(loss);
        Ok(W::residual(
            &self.components,
            sample,
            &self.mixture(&code),
            loss,
            loss_of,
        ))
    }

    /// The code of a sample, with zeros for the components after the one that learns.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        Ok(self.code(&self.outputs(sample)?))
    }

    /// Starts the component that learns, or starts it again, at this sample, scaled to length one, without feedback.
    ///
    /// Nothing changes if the energy of the sample is zero or subnormal, or if all components are finished. Without
    /// this call a component starts by itself, at a later sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn start_at(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let energy = self.outputs(sample)?.energy;
        if self.age > 0 && is_new(energy, energy) {
            if let Some(part) = self.components.get_mut(self.finished) {
                part.clear();
            }
            self.forget_feedback();
            self.age = 0;
        }
        self.start(sample, energy);
        Ok(())
    }

    /// Replaces the component that learns by `component`, without feedback, and finishes it.
    ///
    /// If all components are finished, nothing changes. A kernel component gets the kernel and the point budget of the
    /// learner. With another kernel, a point whose k(z, z) is not positive and finite gets the coefficient zero, and a
    /// component that is now too long is scaled down, as in [`FeatureVectors::push`].
    ///
    /// ```
    /// use eigenstream::hebbian::{Apex, ApexSettings, Vectors};
    /// use eigenstream::nalgebra::SMatrix;
    /// let mut apex = Apex::<f32, 2, 2>::new(ApexSettings::DEFAULT);
    /// apex.replace(Vectors::from_columns(&SMatrix::from_column_slice(&[0.6, 0.8]))?);
    /// assert_eq!((apex.finished(), apex.transform(&[5.0, 0.0])?[0]), (1, 3.0));
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn replace(&mut self, component: W) {
        if let Some(part) = self.components.get_mut(self.finished) {
            part.replace(component);
            self.forget_feedback();
            self.age = 1;
            self.finish();
        }
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        self.pace.reset();
        self.components.iter_mut().for_each(W::clear);
        self.feedback = [[T::ZERO; KEEP]; KEEP];
        self.finished = 0;
        self.age = 0;
        self.samples_seen = 0;
    }

    /// The energy of the sample, and for each component up to the one that learns its output w·x without feedback.
    fn outputs(&self, sample: &[T; DIM]) -> Result<Outputs<T, KEEP>, SampleError> {
        let mut outputs = Outputs {
            energy: T::ZERO,
            values: [T::ZERO; KEEP],
        };
        for (output, part) in outputs
            .values
            .iter_mut()
            .zip(&self.components)
            .take(self.finished.saturating_add(1))
        {
            let Outputs { energy, values: [own] } = part.outputs(sample)?;
            outputs.energy = energy;
            *output = own;
        }
        Ok(outputs)
    }

    /// The code of a sample: ỹₚ = wₚ·x + Σ_{j<p} aₚⱼỹⱼ.
    fn code(&self, outputs: &Outputs<T, KEEP>) -> [T; KEEP] {
        let mut code = outputs.values;
        for p in 0..KEEP {
            for j in 0..p {
                code[p] += self.feedback[p][j] * code[j];
            }
        }
        code
    }

    fn loss(&self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, code: &[T; KEEP]) -> T {
        W::loss(&self.components, sample, outputs.energy, code, &self.mixture(code))
    }

    fn update(&mut self, sample: &[T; DIM], outputs: &Outputs<T, KEEP>, code: &[T; KEEP]) {
        let rate = self.pace.next(outputs.energy, u64::from(self.age));
        self.samples_seen = self.samples_seen.saturating_add(1);
        if self.age == 0 {
            self.start(sample, outputs.energy);
        } else if let (Some(part), Some(&output), Some(&drive)) = (
            self.components.get_mut(self.finished),
            outputs.values.get(self.finished),
            // Feedback through many components can overflow. Then there is no step: zero times an infinite drive would
            // be NaN.
            code.get(self.finished).filter(|drive| drive.is_finite()),
        ) {
            let finished = code.get(..self.finished).unwrap_or_default();
            // The weights w and the feedback weights `a` learn like one vector from the input (x, −y), so the energy of
            // this input limits the rate.
            let energy = outputs.energy + dot(finished, finished);
            let rate = limited(rate, energy.max(drive * drive));
            let Nudge { gain, decay } = Nudge::new(rate, drive, energy);
            let own = Outputs {
                energy: outputs.energy,
                values: [output],
            };
            let instructions = Instructions {
                drives: [drive],
                rates: [rate],
                deflation: T::ZERO,
            };
            part.learn(sample, &own, &instructions);
            if let Some(row) = self.feedback.get_mut(self.finished) {
                for (feedback, &output) in row.iter_mut().zip(finished) {
                    *feedback = decay * *feedback - gain * output;
                }
                shorten(row);
            }
            self.age = self.age.saturating_add(1);
        }
        if self.span > 0 && self.age >= self.span && self.finished.saturating_add(1) < KEEP {
            self.finish();
        }
    }

    fn start(&mut self, sample: &[T; DIM], energy: T) {
        let nothing = Outputs {
            energy,
            values: [T::ZERO],
        };
        if let Some(part) = self.components.get_mut(self.finished)
            && self.age == 0
            && part.start(0, sample, &nothing, &[T::ZERO])
        {
            self.age = 1;
        }
    }
}

impl<T: Scalar, W: Representation<T, DIM, 1>, const DIM: usize, const KEEP: usize> Learner<T, DIM>
    for Chain<T, W, DIM, KEEP>
{
    own_verbs!();
    fn energy(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        Ok(self.outputs(sample)?.energy)
    }
}

stored!(
    [T: Scalar, W: StoredComponents, const DIM: usize, const KEEP: usize]
    Chain<T, W, DIM, KEEP> as (if W::KERNEL == 0 { "Apex" } else { "KernelApex" }): Chain [DIM, KEEP, W::POINTS] of T with (W::KERNEL) {
        pace, span, components, feedback, finished, age, samples_seen
    }
    if validate
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Codec;

    #[test]
    fn a_row_of_feedback_that_is_too_long_is_refused() {
        type Pair = Apex<f32, 2, 2>;
        let mut apex = Pair::new(ApexSettings::DEFAULT);
        let mut image = [0; Pair::ENCODED_LEN];
        for (entry, accepted) in [(4.0, true), (31.0, false)] {
            apex.feedback[1][0] = entry;
            assert!(apex.encode(&mut image).is_ok());
            assert_eq!(Pair::decode(&image).err(), (!accepted).then_some(CodecError::Range));
        }
    }

    #[test]
    fn an_output_that_overflows_changes_no_component() -> Result<(), SampleError> {
        // Each component passes four times its output to the next one.
        let mut apex = Apex::<f32, 40, 40>::new(ApexSettings::DEFAULT);
        for p in 0..40 {
            let mut column = SMatrix::zeros();
            column[p] = 1.0;
            apex.components[p] = Vectors::from_columns(&column)?;
            if p > 0 {
                apex.feedback[p][p - 1] = 4.0;
            }
        }
        (apex.finished, apex.age) = (39, 1);
        let before = (apex.feedback, apex.components);
        assert_eq!(apex.learn(&[1e18; 40]), Ok(()));
        assert_eq!((apex.feedback, apex.components), before);
        Ok(())
    }

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 5;
        const KEEP: usize = 2;
        let numbers = 1 // rate
            + 2 // setting of the energy scale
            + 2 // running energy and its weight
            + DIM * KEEP // weights
            + KEEP * KEEP; // feedback
        let counters = 4 + 4 + size_of::<usize>() + size_of::<u64>(); // span, age, components finished, samples seen
        let bytes = 4 * numbers + 4 + counters; // `Decay`, padded
        assert_eq!(
            size_of::<Apex<f32, DIM, KEEP>>(),
            bytes.next_multiple_of(align_of::<u64>())
        );
    }
}
