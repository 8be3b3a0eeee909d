//! Windows and the learners on them, with each kernel.

use core::hint::black_box;

use eigenstream::hebbian::{ApexSettings, Eviction, GhaSettings, KernelApex, KernelGha, Norm, PointBudget};
use eigenstream::kernel::{
    Ambient, Cosine, Gaussian, GramEigen, GramWindow, Kernel, KernelPca, KernelRidge, Laplacian, Linear,
    OnlineKernelPca, OnlineKernelSettings, Polynomial, RidgeSettings,
};
use eigenstream::nalgebra::SMatrix;
use eigenstream::spectrum::Cholesky;
use eigenstream::{Centering, Scalar};

use crate::hebbian::{hebbian_subject, rate};
use crate::pca::known_error;
use crate::{Generator, Listener, Outcome, Refused, Steps, Subject, good};

/// Passes on the kernel values of a sample with the points of a window, and the Gram matrix.
fn compare<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    window: &GramWindow<T, K, DIM, WINDOW>,
    sample: &[T; DIM],
    listener: &mut impl Listener<T>,
) -> Outcome {
    let (mut row, mut gram) = ([T::ZERO; WINDOW], SMatrix::from_element(T::ZERO));
    listener.hear(window.row(sample, &mut row)?);
    window.gram(&mut gram);
    listener.hear(row);
    listener.hear(gram);
    Ok(())
}

/// A full window of points that differ from the sample in at most one channel.
fn window_about<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize>(
    kernel: K,
    sample: &[T; DIM],
) -> Result<GramWindow<T, K, DIM, WINDOW>, Refused> {
    let mut window = GramWindow::new(kernel);
    for turn in 0..WINDOW {
        let mut point = *sample;
        // The remainder by a constant that is not zero cannot panic.
        if let Some(entry) = point.get_mut(turn % const { if DIM > 0 { DIM } else { 1 } }) {
            *entry += T::from_usize(turn) * T::HALF;
        }
        window.push(&point)?;
    }
    Ok(window)
}

/// The sample on which every fit is evaluated.
fn probe<T: Scalar, const DIM: usize>() -> [T; DIM] {
    core::array::from_fn(|channel| T::from_f64(0.1) * T::from_usize(channel + 1))
}

macro_rules! kernel_subjects {
    ($($kernel:ty: $usual:expr),+ $(,)?) => { $(
        impl<T: Scalar, const DIM: usize, const WINDOW: usize> Steps<DIM> for GramWindow<T, $kernel, DIM, WINDOW> {
            type Number = T;

            #[inline(always)]
            fn fresh(_: usize) -> Self {
                Self::new($usual)
            }

            fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                self.push(sample)?;
                compare(self, sample, listener)
            }
        }

        impl<T: Scalar, const DIM: usize, const WINDOW: usize> Subject<DIM> for GramWindow<T, $kernel, DIM, WINDOW> {
            fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
                compare(self, sample, listener)
            }

            join_by_merge!();

            fn forget(&mut self) -> bool {
                self.clear();
                true
            }
        }

        impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> Steps<DIM>
            for OnlineKernelPca<T, $kernel, DIM, KEEP, WINDOW, RANK>
        {
            type Number = T;

            #[inline(always)]
            fn fresh(choice: usize) -> Self {
                let default = OnlineKernelSettings::DEFAULT;
                let settings = match choice % 4 {
                    0 | 1 => default,
                    2 => good(default.with_stride(3), default).with_ambient(Ambient::Finite(20)),
                    _ => good(default.with_novelty(T::from_f64(0.01)), default).with_centering(Centering::Centered),
                };
                Self::new($usual, settings)
            }

            #[inline(always)]
            fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                listener.hear(self.step(sample, rng)?);
                Ok(())
            }
        }

        impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize, const RANK: usize> Subject<DIM>
            for OnlineKernelPca<T, $kernel, DIM, KEEP, WINDOW, RANK>
        {
            /// Of every four samples, one is learned with directions drawn by the mixture decomposition, and one is
            /// only pushed.
            fn live(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                if self.samples_seen() % 4 == 1 {
                    listener.hear(self.step_with_corners(sample, rng)?);
                    return Ok(());
                }
                if self.samples_seen() % 4 == 3 {
                    let score = self.score(sample)?;
                    let _ = self.push(sample)?;
                    listener.hear(score);
                    return Ok(());
                }
                self.trial(sample, rng, listener)
            }

            fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
                listener.hear(self.transform(sample)?);
                listener.hear(self.residual(sample)?);
                listener.hear(self.score(sample)?);
                Ok(())
            }

            forget_by_reset!();

            /// The orthogonality error of the eigenvectors of the Gram matrix. An eigenvector is a component times the
            /// square root of its eigenvalue.
            fn orthogonality_error(&self) -> Option<T> {
                let mut vectors = self.components();
                for (vector, &value) in vectors.data.0.iter_mut().zip(self.eigenvalues()) {
                    vector.iter_mut().for_each(|entry| *entry *= value.sqrt());
                }
                Some(known_error(&vectors))
            }
        }

        impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize> Steps<DIM>
            for KernelPca<T, $kernel, DIM, KEEP, WINDOW>
        {
            type Number = T;

            #[inline(always)]
            fn fresh(choice: usize) -> Self {
                Self::new($usual, [Centering::Centered, Centering::Uncentered][choice % 2])
            }

            fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                let window = window_about(*self.kernel(), sample)?;
                let _ = self.fit(&window, &mut GramEigen::new());
                self.look(&probe(), listener)
            }
        }

        impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize> Subject<DIM>
            for KernelPca<T, $kernel, DIM, KEEP, WINDOW>
        {
            fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
                listener.hear(self.transform(sample)?);
                listener.hear([self.score(sample)?, self.energy(sample)?, self.loss()]);
                listener.hear(self.explained_variance());
                Ok(())
            }
        }

        impl<T: Scalar, const DIM: usize, const WINDOW: usize> Steps<DIM> for KernelRidge<T, $kernel, DIM, WINDOW> {
            type Number = T;

            #[inline(always)]
            fn fresh(_: usize) -> Self {
                Self::new($usual, good(RidgeSettings::new(T::HALF), RidgeSettings::DEFAULT))
            }

            fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                let window = window_about($usual, sample)?;
                let first = sample.first().copied().unwrap_or(T::ZERO);
                let targets = core::array::from_fn(|slot| first * (T::from_usize(slot % 3) - T::HALF));
                self.fit(&window, &targets, &mut Cholesky::new())?;
                self.look(&probe(), listener)
            }
        }

        impl<T: Scalar, const DIM: usize, const WINDOW: usize> Subject<DIM> for KernelRidge<T, $kernel, DIM, WINDOW> {
            fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
                listener.hear(self.predict(sample)?);
                Ok(())
            }
        }

        hebbian_subject!(
            [const DIM: usize, const KEEP: usize, const POINTS: usize] KernelGha<T, $kernel, DIM, KEEP, POINTS>,
            choice => Self::new($usual, GhaSettings::DEFAULT.with_rate(rate(choice)), PointBudget::DEFAULT)
        );
        hebbian_subject!(
            [const DIM: usize, const KEEP: usize, const POINTS: usize] KernelApex<T, $kernel, DIM, KEEP, POINTS>,
            choice => match choice % 4 {
                0 => Self::new($usual, ApexSettings::DEFAULT, PointBudget::DEFAULT),
                _ => Self::new(
                    $usual,
                    ApexSettings::DEFAULT.with_rate(rate(choice)).with_span(30),
                    PointBudget::new(Eviction::Fifo, Norm::Reduced),
                ),
            }
        );
    )+ };
}

kernel_subjects! {
    Linear: Linear,
    Cosine: Cosine,
    Gaussian<T>: Gaussian::DEFAULT,
    Laplacian<T>: Laplacian::DEFAULT,
    Polynomial<T>: Polynomial::DEFAULT,
}

/// Batch kernel PCA for a measurement: it is fitted again at each sample once the window is full.
pub struct Refitted<T, const DIM: usize, const KEEP: usize, const WINDOW: usize> {
    window: GramWindow<T, Gaussian<T>, DIM, WINDOW>,
    room: GramEigen<T, WINDOW>,
    pca: KernelPca<T, Gaussian<T>, DIM, KEEP, WINDOW>,
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const WINDOW: usize> Steps<DIM>
    for Refitted<T, DIM, KEEP, WINDOW>
{
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        Self {
            window: GramWindow::fresh(choice),
            room: GramEigen::new(),
            pca: KernelPca::fresh(choice),
        }
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, _: &mut impl Listener<T>) -> Outcome {
        self.window.push(sample)?;
        if self.window.len() == WINDOW {
            let _ = black_box(self.pca.fit(&self.window, &mut self.room));
        }
        Ok(())
    }
}

/// Kernel ridge regression on a window around one point, to measure a prediction with its variance.
pub struct Predicted<T, const DIM: usize, const WINDOW: usize> {
    ridge: KernelRidge<T, Gaussian<T>, DIM, WINDOW>,
    factor: Cholesky<T, WINDOW>,
}

impl<T: Scalar, const DIM: usize, const WINDOW: usize> Steps<DIM> for Predicted<T, DIM, WINDOW> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let mut predicted = Self {
            ridge: KernelRidge::fresh(choice),
            factor: Cholesky::new(),
        };
        // If the fit is refused, the prediction is zero.
        if let Ok(window) = window_about(Gaussian::DEFAULT, &probe()) {
            let targets = core::array::from_fn(|slot| T::from_usize(slot % 3));
            let _ = predicted.ridge.fit(&window, &targets, &mut predicted.factor);
        }
        predicted
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear([self.ridge.predict(sample)?, self.ridge.variance(sample, &self.factor)?]);
        Ok(())
    }
}
