//! The kernel learners, with the Gaussian kernel.

use eigenstream::kernel::{Ending, Gaussian, GramEigen, GramWindow, KernelPca, OnlineKernelPca, PreimageSettings};
use eigenstream::spectrum::Convergence;
use eigenstream::{Codec, Scalar};

use super::{columns, counted, drawn_step, fixed, image_of, only_reset, row, shared_calls, stored, unknown};
use crate::generator::Generator;
use crate::model::{Losses, Model, Reading};
use crate::refusal::Refusal;

impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> Model<T>
    for OnlineKernelPca<T, Gaussian<T>, DIM, KEEP, WINDOW, RANK>
{
    shared_calls!(DIM, KEEP);
    drawn_step!();
    only_reset!();
    counted!();

    fn type_name(&self) -> String {
        let bits = 8 * size_of::<T>();
        format!("kernel::OnlineKernelPca<f{bits}, kernel::Gaussian<f{bits}>, {DIM}, {KEEP}, {WINDOW}, {RANK}>")
    }

    fn reading(&self, name: &str) -> Option<Reading<T>> {
        match name {
            "components" => columns(&self.components()),
            "points" => Some(Reading {
                numbers: self.window().points().as_flattened().to_vec(),
                columns: DIM,
            }),
            "keep_probabilities" => row(self.keep_probabilities()),
            "eigenvalues" => row(self.eigenvalues()),
            _ => None,
        }
    }
}

/// Batch kernel PCA, and the window of points for its fit.
#[derive(Clone)]
pub(crate) struct BatchKernel<T, const DIM: usize, const KEEP: usize, const WINDOW: usize> {
    window: GramWindow<T, Gaussian<T>, DIM, WINDOW>,
    pca: KernelPca<T, Gaussian<T>, DIM, KEEP, WINDOW>,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize> BatchKernel<T, DIM, KEEP, WINDOW> {
    /// A new learner.
    pub(crate) fn new(kernel: Gaussian<T>, centering: eigenstream::Centering) -> Self {
        Self {
            window: GramWindow::new(kernel),
            pca: KernelPca::new(kernel, centering),
        }
    }

    /// The points of its fit become the window.
    pub(crate) fn decode(image: &[u8]) -> Result<Self, Refusal> {
        let pca = KernelPca::<T, Gaussian<T>, DIM, KEEP, WINDOW>::decode(image)?;
        let mut window = GramWindow::new(*pca.kernel());
        for point in pca.fitted().points.iter().take(pca.fitted().len) {
            window.push(point)?;
        }
        Ok(Self { window, pca })
    }

    /// Samples from which an empty window gets the same points in the same slots: all points by slot, then again those
    /// before the oldest.
    fn history(&self) -> Vec<[T; DIM]> {
        let points = self.window.points();
        let oldest = self.window.oldest_first().next();
        let before = points
            .iter()
            .take_while(|point| !oldest.is_some_and(|oldest| std::ptr::eq(oldest, *point)));
        points.iter().chain(before).copied().collect()
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize> Model<T>
    for BatchKernel<T, DIM, KEEP, WINDOW>
{
    fn channels(&self) -> usize {
        DIM
    }

    fn codes(&self) -> usize {
        KEEP
    }

    fn type_name(&self) -> String {
        let bits = 8 * size_of::<T>();
        format!("kernel::KernelPca<f{bits}, kernel::Gaussian<f{bits}>, {DIM}, {KEEP}, {WINDOW}>")
    }

    /// `fit` computes directions from the points.
    fn learn(&mut self, sample: &[T]) -> Result<(), Refusal> {
        self.window.push(fixed(sample)?)?;
        Ok(())
    }

    fn score(&self, sample: &[T]) -> Result<T, Refusal> {
        Ok(self.pca.score(fixed(sample)?)?)
    }

    fn transform(&self, sample: &[T], code: &mut [T]) -> Result<(), Refusal> {
        code.copy_from_slice(&self.pca.transform(fixed(sample)?)?);
        Ok(())
    }

    /// Computes the pre-image of the sample's projection.
    fn denoise(&self, sample: &[T], clean: &mut [T]) -> Result<(Ending, usize), Refusal> {
        let preimage = self.pca.denoise(fixed(sample)?, PreimageSettings::DEFAULT)?;
        clean.copy_from_slice(&preimage.sample);
        Ok((preimage.ending, preimage.iterations))
    }

    fn reading(&self, name: &str) -> Option<Reading<T>> {
        match name {
            "points" => Some(Reading {
                numbers: self.window.points().as_flattened().to_vec(),
                columns: DIM,
            }),
            "history" => Some(Reading {
                numbers: self.history().as_flattened().to_vec(),
                columns: DIM,
            }),
            "eigenvalues" => row(self.pca.eigenvalues()),
            "explained_variance" => row(&self.pca.explained_variance()),
            "explained_variance_ratio" => row(&self.pca.explained_variance_ratio()),
            "loss" => row(&[self.pca.loss()]),
            _ => None,
        }
    }

    fn command(&mut self, name: &str) -> Result<bool, Refusal> {
        match name {
            "fit" => Ok(self.pca.fit(&self.window, &mut GramEigen::new()) == Convergence::Reached),
            // Removes the points; the fit stays.
            "reset" => {
                self.window.clear();
                Ok(true)
            }
            _ => Err(unknown(name)),
        }
    }

    fn encode(&self) -> Result<Vec<u8>, Refusal> {
        image_of(&self.pca)
    }

    fn twin(&self) -> Box<dyn Model<T>> {
        Box::new(self.clone())
    }
}
