//! Windows, and what is fitted to them.

use eigenstream::Scalar;
use eigenstream::kernel::{
    Ambient, Cosine, Gaussian, GramEigen, GramWindow, Kernel, KernelPca, KernelRidge, Laplacian, Linear,
    OnlineKernelPca, OnlineKernelSettings, Polynomial, Refresh, RidgeSettings,
};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::Centering;
use eigenstream::spectrum::Cholesky;
use rand_xoshiro::Xoshiro128PlusPlus;

use super::{DIM, Life, Refused, Said, bits, good, heard, of_type, read};

/// What a window has to say: how a sample compares with its points, and they with each other.
fn compare<T: Scalar, K: Kernel<T, DIM>>(window: &GramWindow<T, K, DIM, 5>, sample: &[f64; DIM]) -> Said {
    let (mut row, mut gram) = ([T::ZERO; 5], SMatrix::repeat(T::ZERO));
    let norm = window.row(&of_type(sample), &mut row)?;
    window.gram(&mut gram);
    Ok(bits(row.into_iter().chain([norm]).chain(gram.iter().copied())))
}

/// The lives of what compares with a kernel.
macro_rules! kernel_lives {
    ($kernel:ty, $new:expr) => {
        impl<T: Scalar> Life for GramWindow<T, $kernel, DIM, 5> {
            fn fresh(_: usize) -> Self {
                Self::new($new)
            }

            fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
                self.push(&of_type(sample))?;
                compare(self, sample)
            }

            fn look(&self, sample: &[f64; DIM]) -> Said {
                compare(self, sample)
            }
        }

        impl<T: Scalar, const WINDOW: usize, const RANK: usize> Life
            for OnlineKernelPca<T, $kernel, DIM, 2, WINDOW, RANK>
        {
            fn fresh(choice: usize) -> Self {
                let settings = match choice % 4 {
                    0 => OnlineKernelSettings::DEFAULT,
                    1 => OnlineKernelSettings::DEFAULT.with_refresh(Refresh::Fast),
                    2 => good(OnlineKernelSettings::DEFAULT.with_stride(3)).with_ambient(Ambient::Finite(20)),
                    _ => good(OnlineKernelSettings::DEFAULT.with_novelty(T::from_f64(0.01)))
                        .with_centering(Centering::Centered),
                };
                Self::new($new, settings)
            }

            fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
                // Now and then the work is left for later, and an image taken in between.
                if self.samples_seen() % 4 == 3 {
                    let score = self.score(&of_type(sample))?;
                    let _ = self.push(&of_type(sample))?;
                    return Ok(bits([score]));
                }
                let trial = self.step(&of_type(sample), rng)?;
                Ok(heard(trial, []))
            }

            fn look(&self, sample: &[f64; DIM]) -> Said {
                let sample = of_type(sample);
                read(self, &sample, self.transform(&sample)?)
            }
        }
    };
}

kernel_lives!(Linear, Linear);
kernel_lives!(Cosine, Cosine);
kernel_lives!(Gaussian<T>, good(Gaussian::new(T::HALF)));
kernel_lives!(Laplacian<T>, good(Laplacian::new(T::HALF)));
kernel_lives!(Polynomial<T>, good(Polynomial::new(T::HALF, 3)));

/// A window around a sample, for what is fitted to windows.
fn window_about<T: Scalar>(sample: &[f64; DIM]) -> Result<GramWindow<T, Gaussian<T>, DIM, 5>, Refused> {
    let mut window = GramWindow::new(good(Gaussian::new(T::HALF)));
    for turn in 0..5 {
        let mut point = of_type::<T>(sample);
        point[turn % DIM] += T::from_usize(turn) * T::HALF;
        window.push(&point)?;
    }
    Ok(window)
}

impl<T: Scalar> Life for KernelPca<T, Gaussian<T>, DIM, 5, 2> {
    fn fresh(choice: usize) -> Self {
        let centering = [Centering::Centered, Centering::Uncentered][choice % 2];
        Self::new(good(Gaussian::new(T::HALF)), centering)
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let window = window_about(sample)?;
        let _ = self.fit(&window, &mut GramEigen::new());
        self.look(&[0.3, 0.2, 0.1, 0.4])
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let code = self.transform(&sample)?;
        Ok(bits(
            code.into_iter().chain([self.score(&sample)?, self.energy(&sample)?]),
        ))
    }
}

impl<T: Scalar> Life for KernelRidge<T, Gaussian<T>, DIM, 5> {
    fn fresh(_: usize) -> Self {
        Self::new(good(Gaussian::new(T::HALF)), good(RidgeSettings::new(T::HALF)))
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let window = window_about(sample)?;
        let targets = [1.0, -1.0, 0.5, 2.0, 0.0].map(|target| T::from_f64(target * sample[0]));
        self.fit(&window, &targets, &mut Cholesky::new()).map_err(|_| Refused)?;
        self.look(&[0.3, 0.2, 0.1, 0.4])
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        Ok(bits([self.predict(&of_type(sample))?]))
    }
}
