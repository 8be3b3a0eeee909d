//! The linear learners.

use eigenstream::Scalar;
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, Center, CenteredPca, CenteredSettings, Centering, DensityPca, DensitySettings, Draw,
    Forgetting, ReadOut, ScaleSettings, Share, TrackingPca, TrackingSettings, VarianceMinimizer, VarianceSettings,
};
use rand_xoshiro::Xoshiro128PlusPlus;

use super::{DIM, Life, Said, bits, good, heard, of_type, outer, read};

impl<T: Scalar, const RANK: usize> Life for TrackingPca<T, DIM, 2, RANK> {
    fn fresh(choice: usize) -> Self {
        Self::new(match choice % 3 {
            0 => TrackingSettings::DEFAULT,
            1 => good(
                TrackingSettings::unscaled(T::HALF)
                    .and_then(|settings| settings.with_share(Share::Uniform(T::from_f64(1e-3)))),
            )
            .with_draw(Draw::Corners),
            _ => TrackingSettings::DEFAULT
                .without_ceiling()
                .with_scale(good(ScaleSettings::bound(T::TWO))),
        })
    }

    fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
        let trial = self.step(&of_type(sample), rng)?;
        Ok(heard(trial, self.keep_probabilities()))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let back = self.inverse_transform(&self.transform(&sample)?)?;
        let known = self.evidence().into_iter().chain(self.keep_probabilities());
        read(self, &sample, back.into_iter().chain(known))
    }
}

impl<T: Scalar> Life for DensityPca<T, DIM, 2> {
    fn fresh(choice: usize) -> Self {
        let settings = good(DensitySettings::new(T::HALF));
        let part = T::from_f64(1e-3);
        Self::new(match choice % 4 {
            0 => settings,
            1 => good(
                settings
                    .with_share(Share::Uniform(part))
                    .and_then(|settings| settings.with_ceiling(T::FOURTEEN)),
            ),
            2 => good(settings.with_share(Share::PastAverage(part))),
            _ => good(settings.with_share(Share::PastPosteriors(part))).with_draw(Draw::Corners),
        })
    }

    fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
        let trial = self.step(&of_type(sample), rng)?;
        Ok(heard(trial, self.evidence()))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let back = self.inverse_transform(&self.transform(&sample)?)?;
        let known = self.evidence().into_iter().chain(self.keep_probabilities());
        read(self, &sample, back.into_iter().chain(known))
    }
}

impl<T: Scalar> Life for CenteredPca<T, DIM, 2> {
    fn fresh(choice: usize) -> Self {
        let settings = CenteredSettings::DEFAULT;
        let forgetting = good(Forgetting::memory(T::from_f64(50.0)));
        Self::new(match choice % 4 {
            0 => settings,
            1 => settings.with_forgetting(forgetting).with_read_out(ReadOut::Leader),
            2 => good(settings.with_center(Center::Fixed)).with_draw(Draw::Corners),
            _ => good(settings.with_center(Center::Weighted(T::TWO))).with_scale(ScaleSettings::running(forgetting)),
        })
    }

    fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
        let trial = self.step(&of_type(sample), rng)?;
        Ok(heard(trial, self.explained_variance()))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let back = self.inverse_transform(&self.transform(&sample)?)?;
        let known = self.explained_variance().into_iter().chain(self.keep_probabilities());
        read(self, &sample, back.into_iter().chain(known))
    }
}

impl<T: Scalar> Life for BatchPca<T, DIM, 2> {
    fn fresh(choice: usize) -> Self {
        Self::new([Centering::Centered, Centering::Uncentered][choice % 2])
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let sample = of_type(sample);
        self.learn(&sample)?;
        if self.samples_seen().is_multiple_of(7) {
            let _ = self.fit();
        }
        Ok(bits(
            [self.score(&sample)?, self.loss()]
                .into_iter()
                .chain(self.explained_variance()),
        ))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let residual = self.residual(&sample)?;
        let back = self.inverse_transform(&self.transform(&sample)?)?;
        let known = self
            .explained_variance()
            .into_iter()
            .chain(self.explained_variance_ratio());
        Ok(bits(
            residual
                .into_iter()
                .chain(back)
                .chain(known)
                .chain([self.score(&sample)?, self.loss()]),
        ))
    }
}

impl<T: Scalar> Life for VarianceMinimizer<T, DIM> {
    fn fresh(_: usize) -> Self {
        Self::new(good(VarianceSettings::new(T::HALF)))
    }

    fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
        let sample = of_type::<T>(sample);
        let trial = self.step(&outer(&sample), rng)?;
        Ok(bits(trial.direction.into_iter().chain([
            trial.variance,
            trial.expected_variance,
            self.best_variance(),
        ])))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let expected = self.expected_variance(&outer(&of_type::<T>(sample)))?;
        Ok(bits(self.weights().into_iter().chain([expected, self.best_variance()])))
    }
}

impl<T: Scalar> Life for AverageDensity<T, DIM, 2> {
    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let sample = of_type::<T>(sample);
        let loss = self.expected_loss(&sample)?;
        good(self.add(T::from_f64(0.25), [(T::HALF, &[T::ONE, T::ZERO, T::ZERO, T::ZERO])]));
        Ok(bits([loss]))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let mut density = SMatrix::repeat(T::ZERO);
        self.density(&mut density);
        Ok(bits(
            density.iter().copied().chain([self.expected_loss(&of_type(sample))?]),
        ))
    }
}
