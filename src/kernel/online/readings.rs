//! Read-only results of an online kernel PCA: codes, directions and their probabilities, eigenvalues, points.
//! In: nothing, or a sample. Out: the present state of the learner, or the code or the residual of the sample.
//! Cost: a function of a sample x needs one kernel call for each point, one k(x, x), and WINDOW multiply-adds for each direction
//! that can be kept; `residual` also needs up to DIM subtractions for each point, `spectrum` (2/3)·WINDOW³ multiply-adds,
//! `components` KEEP·WINDOW multiplications. All other functions need only a few operations.

use super::OnlineKernelPca;
use super::directions::Directions;
use crate::kernel::{GramWindow, Kernel};
use crate::spectrum::vector::dot;
use crate::{SampleError, Scalar};
use nalgebra::SMatrix;

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Distributes the score over the channels: r = √(score)·(x − xⱼ)/‖x − xⱼ‖, with the stored point xⱼ that is nearest to the
    /// sample x in feature space. The squares of r sum to the score, up to rounding. If no point is stored, xⱼ = 0. If the sample
    /// equals xⱼ, all channels get equal values.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let score = self
            .directions
            .expected_loss(&self.coordinates(norm, &row), self.outside_probability());
        let mut residual = *sample;
        let mut nearest = T::INFINITY;
        let compared = self.window.points().iter().zip(&row).zip(self.window.norms());
        for ((point, &entry), &point_norm) in compared {
            // ‖φ(x) − φ(xⱼ)‖² = k(x, x) − 2k(x, xⱼ) + k(xⱼ, xⱼ). k(x, x) is equal for all points and is not added.
            let distance = point_norm - T::TWO * entry;
            if distance < nearest {
                nearest = distance;
                for ((residual, &value), &point) in residual.iter_mut().zip(sample).zip(point) {
                    *residual = value - point;
                }
            }
        }
        Ok(stretched(residual, score))
    }

    /// Returns the coordinates of the features φ(x) of a sample x in the `KEEP` directions vᵢ with the largest keep
    /// probabilities: vᵢ·φ(x), or, if centered, vᵢ·(φ(x) − m) with the mean m of the features of the points. Nothing is drawn at
    /// random.
    ///
    /// The coordinate of a direction that is missing or cannot be kept is zero. If [`push`](Self::push) has replaced points since
    /// the last refresh, these points are left out of vᵢ, and the centring is inexact.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn transform(&self, sample: &[T; DIM]) -> Result<[T; KEEP], SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.window.row(sample, &mut row)?;
        let mut code = [T::ZERO; KEEP];
        for (entry, &coordinate) in code.iter_mut().zip(&self.coordinates(norm, &row).values) {
            *entry = coordinate;
        }
        Ok(code)
    }

    /// The `KEEP` directions with the largest keep probabilities, one in each column, as weighted sums over the points in the
    /// order of their slots: vᵢ = Σⱼ aⱼᵢφ(xⱼ), with the features φ(xⱼ) of the points xⱼ. If centered, φ(xⱼ) minus the mean of the
    /// features replaces φ(xⱼ). The column of a direction that is missing or cannot be kept is zero, and so is the row of a point
    /// that is newer than the last refresh.
    #[must_use]
    pub fn components(&self) -> SMatrix<T, WINDOW, KEEP> {
        let mut components = SMatrix::from_element(T::ZERO);
        let columns = components.data.0.iter_mut().zip(self.directions.vectors());
        let stored = columns.zip(&self.directions.inverse_roots).take(self.directions.count);
        for ((component, vector), &inverse_root) in stored {
            for (slot, (target, &entry)) in component.iter_mut().zip(vector).enumerate() {
                *target = if self.replaced_slots.contains(slot) {
                    T::ZERO
                } else {
                    entry * inverse_root
                };
            }
        }
        components
    }

    /// The probability that each stored direction is kept, descending; zero for a direction that cannot be kept or is missing.
    #[must_use]
    pub const fn keep_probabilities(&self) -> &[T; RANK] {
        &self.directions.probabilities
    }

    /// The probability that a direction outside the span of the points is kept. Only
    /// [`Ambient::Finite`](crate::kernel::Ambient::Finite) gives a value above zero. Before the first refresh this value is
    /// `KEEP`/N, with the number N of dimensions, or 1 if N < `KEEP`.
    #[must_use]
    pub fn outside_probability(&self) -> T {
        if self.directions.points > 0 {
            self.directions.outside
        } else {
            let settings = &self.settings;
            settings.ambient.outlook(&[], 0, settings.learning_rate, KEEP).outside
        }
    }

    /// The known leading eigenvalues of the Gram matrix (of its centred form if centered) at the last refresh, then zeros. They
    /// include the eigenvalues of all stored directions that can be kept.
    #[must_use]
    pub const fn eigenvalues(&self) -> &[T; RANK] {
        &self.directions.values
    }

    /// Computes all eigenvalues of the Gram matrix of the present points (of its centred form if centered), descending. Negative
    /// eigenvalues are replaced by zero.
    ///
    /// ```
    /// use eigenstream::kernel::{Linear, OnlineKernelPca, OnlineKernelSettings};
    /// let mut pca = OnlineKernelPca::<f64, _, 2, 1, 4, 4>::new(Linear, OnlineKernelSettings::DEFAULT);
    /// pca.learn(&[0.0, 2.0])?;
    /// pca.learn(&[1.0, 0.0])?;
    /// let [first, second, third, _] = pca.spectrum();
    /// assert!((first - 4.0).abs() < 1e-12 && (second - 1.0).abs() < 1e-12 && third < 1e-12);
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    #[must_use]
    pub fn spectrum(&mut self) -> [T; WINDOW] {
        Directions::<T, WINDOW, RANK>::spectrum(&mut self.window, self.settings.centering)
    }

    /// The stored points and their Gram matrix.
    #[must_use]
    pub const fn window(&self) -> &GramWindow<T, K, DIM, WINDOW> {
        &self.window
    }

    /// The number of samples learned since the start or the last [`reset`](Self::reset), including skipped samples.
    #[must_use]
    pub const fn samples_seen(&self) -> u64 {
        self.samples_seen
    }
}

/// Scales `difference` so that its squares sum to `energy`. If `difference` is zero, all channels get equal values.
fn stretched<T: Scalar, const DIM: usize>(difference: [T; DIM], energy: T) -> [T; DIM] {
    let mut largest = T::ZERO;
    for value in difference {
        largest = largest.max(value.abs());
    }
    if largest == T::ZERO {
        return [(energy / T::from_usize(DIM.max(1))).sqrt(); DIM];
    }
    // Divides by a power of two first: the square of a difference of two samples can overflow.
    let unit = largest.power_of_two();
    let scaled = difference.map(|value| value / unit);
    let factor = energy.sqrt() / dot(&scaled, &scaled).sqrt();
    scaled.map(|value| value * factor)
}
