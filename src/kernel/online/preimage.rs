//! Computes feature vectors and samples from codes of an online kernel PCA.
//! In: a code, or a sample. Out: the feature vector of the code as a weighted sum over the points, or the denoised sample.
//! Method: [C15]; m + Σ codeᵢ·vᵢ with the directions vᵢ = Σⱼ aⱼᵢ(φ(xⱼ) − m) over the points xⱼ. φ are the features, m is their
//! mean if centered, else zero, and `components` returns the coefficients aⱼᵢ. The search for the pre-image starts at the sample.
//! Cost: KEEP·WINDOW multiply-adds and as many multiplications for a feature vector; for a denoised sample also its code
//! (`transform`) and the search. Scratch: KEEP·WINDOW numbers for `components`.

use super::OnlineKernelPca;
use crate::kernel::{Expansion, Kernel, Preimage, PreimageKernel, PreimageSettings};
use crate::learner::{energy_of, refusal};
use crate::spectrum::vector::add_scaled;
use crate::{Centering, SampleError, Scalar};

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Returns the feature vector m + Σ codeᵢ·vᵢ of a code of [`transform`](Self::transform), as a weighted sum over the points.
    /// vᵢ are the `KEEP` directions with the largest keep probabilities. m is the mean of the features of the points of the last
    /// refresh that are still in the window; m = 0 if uncentered.
    ///
    /// # Errors
    /// [`SampleError`]; the channel in the error is the position in `code`.
    pub fn expansion(&self, code: &[T; KEEP]) -> Result<Expansion<'_, T, K, DIM, WINDOW>, SampleError> {
        energy_of(code)?;
        let mut weights = [T::ZERO; WINDOW];
        for (&coordinate, column) in code.iter().zip(&self.components().data.0) {
            add_scaled(&mut weights, coordinate, column);
        }
        let known = self.directions.points.min(self.window.len());
        let in_use = |slot: &usize| *slot < known && !self.replaced_slots.contains(*slot);
        if self.settings.centering == Centering::Centered {
            // m + Σ βⱼ(φ(xⱼ) − m) with βⱼ = `weights`: the mean m has the weight 1 − Σ βⱼ, which is divided equally among the
            // points of the last refresh that are still in the window.
            let mut sum = T::ZERO;
            for &weight in &weights {
                sum += weight;
            }
            let share = (T::ONE - sum) / T::from_usize((0..WINDOW).filter(in_use).count().max(1));
            for (slot, weight) in weights.iter_mut().enumerate() {
                if in_use(&slot) {
                    *weight += share;
                }
            }
        }
        Expansion::over(self.window.as_points(), weights).ok_or_else(|| refusal(code))
    }
}

impl<T: Scalar, K: PreimageKernel<T, DIM>, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize>
    OnlineKernelPca<T, K, DIM, KEEP, WINDOW, RANK>
{
    /// Removes the unexpected part of a sample: searches for the sample whose features are nearest to the projection of the given
    /// sample's features onto the `KEEP` directions with the largest keep probabilities. The search starts at the given sample.
    ///
    /// # Errors
    /// [`SampleError`], as in [`KernelPca::denoise`](crate::kernel::KernelPca::denoise).
    ///
    /// ```
    /// use eigenstream::kernel::{Gaussian, OnlineKernelPca, OnlineKernelSettings, PreimageSettings};
    ///
    /// let settings = OnlineKernelSettings::new(5.0_f32)?;
    /// // On a ring the eigenvalues after the first come in equal pairs. Five directions contain both directions of two pairs.
    /// let mut pca = OnlineKernelPca::<f32, _, 2, 5, 16, 8>::new(Gaussian::DEFAULT, settings);
    /// for step in 0..16 {
    ///     let angle = step as f32 * core::f32::consts::TAU / 16.0;
    ///     pca.learn(&[angle.cos(), angle.sin()])?;
    /// }
    /// // A sample outside the ring is moved back to the ring.
    /// let [x, y] = pca.denoise(&[1.3, 0.0], PreimageSettings::DEFAULT)?.sample;
    /// assert!((x - 1.0).abs() < 0.1 && y.abs() < 0.1, "{x} {y}");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn denoise(&self, sample: &[T; DIM], settings: PreimageSettings<T>) -> Result<Preimage<T, DIM>, SampleError> {
        self.expansion(&self.transform(sample)?)?
            .preimage_from(sample, settings)
    }
}
