//! The less common linear learners: paired PCA, variance, the average of the past, a random stop, a clip, and the
//! scale.

use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, AverageSubspace, ClipSettings, Clipped, PairedPca, PairedSettings, RandomStop, TrackingPca,
    VarianceMinimizer, VarianceSettings,
};
use eigenstream::spectrum::Eigen;
use eigenstream::{EnergyScale, Forgetting, Learner, Scalar, ScaleSettings};

use super::{outer, sum_error};
use crate::{Generator, Listener, Loss, Outcome, Steps, Subject, good};

/// The right group of channels for a sample: the channels of the sample in reverse order, repeated if needed.
fn partner<T: Scalar, const DIM: usize, const RIGHT: usize>(sample: &[T; DIM]) -> [T; RIGHT] {
    let mut partner = [T::ZERO; RIGHT];
    for (partner, &value) in partner.iter_mut().zip(sample.iter().rev().cycle()) {
        *partner = value;
    }
    partner
}

impl<T: Scalar, const DIM: usize, const RIGHT: usize, const KEEP: usize> Steps<DIM> for PairedPca<T, DIM, RIGHT, KEEP> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let default = PairedSettings::DEFAULT;
        let forgetting = good(Forgetting::memory(T::from_f64(50.0)), Forgetting::NONE);
        Self::new(match choice % 3 {
            0 => default,
            1 => good(PairedSettings::unscaled(T::HALF), default).with_forgetting(forgetting),
            _ => good(PairedSettings::new(T::TWO), default).with_scale(ScaleSettings::running(forgetting)),
        })
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        let trial = self.step(sample, &partner(sample), rng)?;
        listener.hear([trial.gain, trial.expected_gain]);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const RIGHT: usize, const KEEP: usize> Subject<DIM>
    for PairedPca<T, DIM, RIGHT, KEEP>
{
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        let partner = partner(sample);
        let (left, right) = self.residual(sample, &partner)?;
        listener.hear(left);
        listener.hear(right);
        listener.hear([self.score(sample, &partner)?, self.expected_gain(sample, &partner)?]);
        listener.hear(*self.cross_scatter());
        listener.hear(self.unpaired_probability());
        for pair in self.pairs() {
            listener.hear(*pair.left);
            listener.hear(*pair.right);
            listener.hear([pair.singular_value, pair.keep_probability, pair.opposed_probability]);
        }
        Ok(())
    }

    forget_by_reset!();

    fn probability_sum_error(&self) -> Option<f64> {
        let mut sum = self.unpaired_probability().to_f64() * DIM.abs_diff(RIGHT) as f64;
        for pair in self.pairs() {
            sum += pair.keep_probability.to_f64() + pair.opposed_probability.to_f64();
        }
        Some((sum - KEEP as f64).abs())
    }
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for VarianceMinimizer<T, DIM> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let default = VarianceSettings::DEFAULT;
        Self::new(match choice % 2 {
            0 => default,
            _ => good(VarianceSettings::new(T::HALF), default),
        })
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.step(&outer(sample), rng)?);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for VarianceMinimizer<T, DIM> {
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear([self.expected_variance(&outer(sample))?, self.best_variance()]);
        listener.hear(self.weights());
        Ok(())
    }

    fn start(&mut self, sample: &[T; DIM]) -> Outcome {
        let density = SMatrix::from_fn(|row, column| if row == column { sample[row] } else { T::ZERO });
        Ok(self.start_from(&density, &mut Eigen::new())?)
    }

    forget_by_reset!();

    fn probability_sum_error(&self) -> Option<f64> {
        Some(sum_error(&self.weights(), 1))
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Steps<DIM> for AverageDensity<T, DIM, KEEP> {
    type Number = T;

    #[inline(always)]
    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        let loss = self.expected_loss(sample)?;
        let axis = core::array::from_fn(|channel| if channel == 0 { T::ONE } else { T::ZERO });
        self.add(T::from_f64(0.25), [(T::HALF, &axis)])?;
        listener.hear(Loss(loss));
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Subject<DIM> for AverageDensity<T, DIM, KEEP> {
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        let mut density = SMatrix::from_element(T::ZERO);
        self.density(&mut density);
        listener.hear(density);
        listener.hear([self.expected_loss(sample)?, self.loss_bound(T::ONE)]);
        let mut subspace = AverageSubspace::<T, DIM, KEEP>::new();
        let _ = subspace.fit(self);
        listener.hear(subspace.keep_probabilities());
        listener.hear(subspace.components());
        Ok(())
    }

    join_by_merge!();

    forget_by_reset!();
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Steps<DIM>
    for RandomStop<T, TrackingPca<T, DIM, KEEP, RANK>>
{
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        Self::new(TrackingPca::fresh(choice))
    }

    /// Offers a copy of the stored learner that has learned one more sample.
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        let mut learner = self.learner().clone();
        learner.learn(sample)?;
        self.offer(&learner, learner.score(sample)?, rng)?;
        listener.hear(Loss(self.mean_loss()));
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Subject<DIM>
    for RandomStop<T, TrackingPca<T, DIM, KEEP, RANK>>
{
    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear([
            self.learner().score(sample)?,
            self.mean_loss(),
            T::from_usize(self.trials()),
        ]);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Steps<DIM>
    for Clipped<T, TrackingPca<T, DIM, KEEP, RANK>>
{
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        let default = ClipSettings::DEFAULT;
        let forgetting = good(Forgetting::memory(T::TWO), Forgetting::NONE);
        let settings = match choice % 3 {
            0 => default,
            1 => good(ClipSettings::new(T::from_f64(1.5)), default).with_forgetting(forgetting),
            _ => default.with_forgetting(Forgetting::NONE),
        };
        Self::new(settings, TrackingPca::fresh(choice))
    }

    #[inline(always)]
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.step(sample, rng)?);
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Subject<DIM>
    for Clipped<T, TrackingPca<T, DIM, KEEP, RANK>>
{
    /// Of every three samples, one is learned with `pass` and `learn_by` instead of `step`.
    fn live(&mut self, sample: &[T; DIM], rng: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        if self.learner().samples_seen() % 3 == 2 {
            self.pass(sample)?;
            self.learn_by(sample, TrackingPca::learn)?;
            return Ok(());
        }
        self.trial(sample, rng, listener)
    }

    fn look(&self, sample: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.residual(sample)?);
        listener.hear(self.clip(sample)?);
        listener.hear([self.score(sample)?, self.energy(sample)?, self.limit()]);
        listener.hear(self.learner().components());
        Ok(())
    }

    fn orthogonality_error(&self) -> Option<T> {
        self.learner().orthogonality_error()
    }

    fn probability_sum_error(&self) -> Option<f64> {
        self.learner().probability_sum_error()
    }
}

impl<T: Scalar, const DIM: usize> Steps<DIM> for EnergyScale<T> {
    type Number = T;

    #[inline(always)]
    fn fresh(choice: usize) -> Self {
        Self::new(match choice % 3 {
            0 => ScaleSettings::DEFAULT,
            1 => good(ScaleSettings::bound(T::TWO), ScaleSettings::OFF),
            _ => ScaleSettings::OFF,
        })
    }

    fn trial(&mut self, sample: &[T; DIM], _: &mut Generator, listener: &mut impl Listener<T>) -> Outcome {
        self.observe(sample[0] * sample[0]);
        listener.hear(self.factor());
        Ok(())
    }
}

impl<T: Scalar, const DIM: usize> Subject<DIM> for EnergyScale<T> {
    fn look(&self, _: &[T; DIM], listener: &mut impl Listener<T>) -> Outcome {
        listener.hear(self.factor());
        Ok(())
    }

    join_by_merge!();

    forget_by_reset!();
}
