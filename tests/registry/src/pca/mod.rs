//! The linear learners.

mod beside;

use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AdditivePca, AdditiveSettings, BatchPca, Center, CenteredPca, CenteredSettings, DensityPca, DensitySettings,
    Mahalanobis, MahalanobisSettings, ReadOut, Share, TrackingPca, TrackingSettings,
};
use eigenstream::spectrum::orthogonality_error;
use eigenstream::{Centering, Forgetting, Scalar, ScaleSettings};

use crate::{Generator, Listener, Loss, Outcome, Refused, Steps, Subject, good};

/// The error ‖VᵀV − I‖ of the matrix V of components without its zero columns, which are directions not found yet.
pub(crate) fn known_error<T: Scalar, const DIM: usize, const KEEP: usize>(components: &SMatrix<T, DIM, KEEP>) -> T {
    let unknown = |column: &&[T; DIM]| column.iter().all(|&entry| entry == T::ZERO);
    let known = KEEP - components.data.0.iter().filter(unknown).count();
    orthogonality_error(components, known)
}

pub(crate) fn sum_error<T: Scalar>(probabilities: &[T], keep: usize) -> f64 {
    let sum: f64 = probabilities.iter().map(|probability| probability.to_f64()).sum();
    (sum - keep as f64).abs()
}

/// The matrix x·xᵀ of a sample x.
fn outer<T: Scalar, const DIM: usize>(sample: &[T; DIM]) -> SMatrix<T, DIM, DIM> {
    SMatrix::from_fn(|row, column| sample[row] * sample[column])
}

/// Implements [`Steps`] and [`Subject`] for a PCA learner that draws directions; the learners differ in settings and
/// further outputs.
macro_rules! online_pca {
    ($learner:ident [$($size:ident),+], $choice:ident => $settings:expr, $pca:ident says $($told:expr),+; $($more:item)*) => {
        impl<T: Scalar, $(const $size: usize),+> Steps<DIM> for $learner<T, $($size),+> {
            type Number = T;

            #[inline(always)]
            fn fresh($choice: usize) -> Self {
                Self::new($settings)
            }

            #[inline(always)]
            fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                listener.hear(self.step(sample, rng)?);
                Ok(())
            }
        }

        impl<T: Scalar, $(const $size: usize),+> Subject<DIM> for $learner<T, $($size),+> {
            /// Of every three samples, one is learned with directions drawn by the mixture decomposition.
            fn live(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
                if self.samples_seen() % 3 == 2 {
                    listener.hear(self.step_with_corners(sample, rng)?);
                    return Ok(());
                }
                self.trial(sample, rng, listener)
            }

            fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
                let code = self.transform(sample)?;
                listener.hear(self.inverse_transform(&code)?);
                listener.hear(self.residual(sample)?);
                listener.hear(self.score(sample)?);
                let $pca = self;
                $(listener.hear($told);)+
                Ok(())
            }

            forget_by_reset!();

            fn orthogonality_error(&self) -> Option<T> {
                Some(known_error(&self.components()))
            }

            fn probability_sum_error(&self) -> Option<f64> {
                Some(sum_error(&self.keep_probabilities(), KEEP))
            }

            $($more)*
        }
    };
}

/// The first KEEP axes, with the values of the sample as probabilities.
fn axes<T: Scalar, const DIM: usize, const KEEP: usize>(sample: &[T; DIM]) -> (SMatrix<T, DIM, KEEP>, [T; KEEP]) {
    let axes = SMatrix::from_fn(|row, column| if row == column { T::ONE } else { T::ZERO });
    (
        axes,
        core::array::from_fn(|place| sample.get(place).copied().unwrap_or(T::ZERO)),
    )
}

fn batch_of<T: Scalar, const DIM: usize>(
    sample: &[T; DIM],
    centering: Centering,
) -> Result<BatchPca<T, DIM, 1>, Refused> {
    let mut batch = BatchPca::new(centering);
    batch.learn(sample)?;
    let _ = batch.fit();
    Ok(batch)
}

online_pca!(TrackingPca [DIM, KEEP, RANK], choice => {
    let default = TrackingSettings::DEFAULT;
    let shared = TrackingSettings::unscaled(T::HALF).and_then(|it| it.with_share(Share::Uniform(T::from_f64(1e-3))));
    match choice % 3 {
        0 => default,
        1 => good(shared, default),
        _ => default.without_ceiling().with_scale(good(ScaleSettings::bound(T::TWO), ScaleSettings::OFF)),
    }
}, pca says pca.evidence(), pca.keep_probabilities(), pca.components();
    join_by_merge!();

    fn start(&mut self, sample: &[T; DIM]) -> Outcome {
        let (axes, probabilities) = axes(sample);
        if self.start_from(&axes, &probabilities).is_err() {
            self.start_from_batch(&batch_of(sample, Centering::Uncentered)?)?;
        }
        Ok(())
    }
);

online_pca!(DensityPca [DIM, KEEP], choice => {
    let default = DensitySettings::DEFAULT;
    let slow = good(DensitySettings::new(T::HALF), default);
    let part = T::from_f64(1e-3);
    match choice % 4 {
        0 => default,
        1 => good(slow.with_share(Share::Uniform(part)).and_then(|it| it.with_ceiling(T::FOURTEEN)), slow),
        2 => good(slow.with_share(Share::PastAverage(part)), slow),
        _ => good(slow.with_share(Share::PastPosteriors(part)), slow),
    }
}, pca says pca.evidence(), pca.keep_probabilities(), pca.components(););

online_pca!(CenteredPca [DIM, KEEP], choice => {
    let default = CenteredSettings::DEFAULT;
    let forgetting = good(Forgetting::memory(T::from_f64(50.0)), Forgetting::NONE);
    let weighted = default.with_center(Center::Weighted(T::TWO));
    match choice % 4 {
        0 => default,
        1 => default.with_forgetting(forgetting).with_read_out(ReadOut::Leader),
        2 => good(default.with_center(Center::Fixed), default),
        _ => good(weighted, default).with_scale(ScaleSettings::running(forgetting)),
    }
}, pca says pca.explained_variance(), pca.keep_probabilities(), pca.components();
    join_by_merge!();

    fn start(&mut self, sample: &[T; DIM]) -> Outcome {
        let (axes, probabilities) = axes(sample);
        if self.start_from(&axes, &probabilities).is_err() {
            self.start_from_batch(&batch_of(sample, Centering::Centered)?)?;
        }
        Ok(())
    }
);

impl<T: Scalar, const DIM: usize, const KEEP: usize> Steps<DIM> for BatchPca<T, DIM, KEEP> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        Self::new([Centering::Centered, Centering::Uncentered][choice % 2])
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, _: &mut impl Listener<T>) -> Outcome {
        self.learn(sample)?;
        let _ = core::hint::black_box(self.fit());
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Subject<DIM> for BatchPca<T, DIM, KEEP> {
    /// Fits after every seventh sample, so that an image is also taken between two fits.
    fn live(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        self.learn(sample)?;
        if self.samples_seen().is_multiple_of(7) {
            let _ = self.fit();
        }
        listener.hear([self.score(sample)?, self.loss()]);
        Ok(())
    }

    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        let code = self.transform(sample)?;
        listener.hear(self.inverse_transform(&code)?);
        listener.hear(self.residual(sample)?);
        listener.hear([self.score(sample)?, self.loss()]);
        listener.hear(self.explained_variance());
        listener.hear(self.explained_variance_ratio());
        Ok(())
    }

    join_by_merge!();

    forget_by_reset!();

    fn orthogonality_error(&self) -> Option<T> {
        Some(orthogonality_error(&self.components(), KEEP))
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Steps<DIM> for AdditivePca<T, DIM, KEEP, RANK> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let default = AdditiveSettings::DEFAULT;
        Self::new(match choice % 2 {
            0 => default,
            _ => good(AdditiveSettings::unscaled(T::HALF), default),
        })
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(Loss(self.score(sample)?));
        self.learn(sample)?;
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Subject<DIM>
    for AdditivePca<T, DIM, KEEP, RANK>
{
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        let code = self.transform(sample)?;
        listener.hear(self.inverse_transform(&code)?);
        listener.hear(self.residual(sample)?);
        listener.hear(self.keep_probabilities());
        listener.hear(self.components());
        let mut projection = SMatrix::from_element(T::ZERO);
        self.projection(&mut projection);
        listener.hear(projection);
        Ok(())
    }

    forget_by_reset!();

    fn orthogonality_error(&self) -> Option<T> {
        Some(known_error(&self.components()))
    }

    fn probability_sum_error(&self) -> Option<f64> {
        Some(sum_error(&self.keep_probabilities(), KEEP))
    }
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for Mahalanobis<T, DIM> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let default = MahalanobisSettings::DEFAULT;
        Self::new(match choice % 2 {
            0 => default,
            _ => good(MahalanobisSettings::new(T::HALF), default).with_memory(20),
        })
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.parts(sample)?);
        self.learn(sample)?;
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for Mahalanobis<T, DIM> {
    fn live(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        self.trial(sample, rng, listener)?;
        self.refine(sample, 30)?;
        Ok(())
    }

    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.residual(sample)?);
        listener.hear(self.score(sample)?);
        listener.hear(self.explained());
        listener.hear(self.covariance());
        Ok(())
    }

    forget_by_reset!();
}
