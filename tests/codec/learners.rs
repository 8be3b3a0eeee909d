//! Every learner as these tests see it: it lives through samples and tells what it says, as bits.

use eigenstream::bounds::RegretMeter;
use eigenstream::hebbian::{
    Apex, ApexSettings, Eviction, Gha, GhaSettings, KernelApex, KernelGha, Memory, Norm, RateSettings, Response,
};
use eigenstream::kernel::{
    Ambient, Cosine, Gaussian, GramEigen, GramWindow, Kernel, KernelPca, KernelRidge, Laplacian, Linear,
    OnlineKernelPca, OnlineKernelSettings, Polynomial, Refresh, RidgeSettings,
};
use eigenstream::monitor::{
    DecisionSettings, Lagged, Learning, Missing, Monitor, MonitorSettings, Scaling, Schedule, Score, Standardizer,
    StandardizerSettings, Threshold,
};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, Center, CenteredPca, CenteredSettings, Centering, DensityPca, DensitySettings, Draw,
    EnergyScale, Forgetting, ReadOut, ScaleSettings, Share, TrackingPca, TrackingSettings, VarianceMinimizer,
    VarianceSettings,
};
use eigenstream::spectrum::Cholesky;
use eigenstream::weights::{FollowTheLeader, Hedge, HedgeSettings};
use eigenstream::{Codec, Learner, MatrixError, SampleError, Scalar, WeightsError};
use rand_xoshiro::Xoshiro128PlusPlus;

/// Channels of every stream.
pub(crate) const DIM: usize = 4;

/// What a learner says, as the bits of numbers in `f64`.
pub(crate) type Said = Result<Vec<u64>, Refused>;

/// The sample was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl From<SampleError> for Refused {
    fn from(_: SampleError) -> Self {
        Self
    }
}

impl From<MatrixError> for Refused {
    fn from(_: MatrixError) -> Self {
        Self
    }
}

impl From<WeightsError> for Refused {
    fn from(_: WeightsError) -> Self {
        Self
    }
}

/// A learner with a life.
pub(crate) trait Life: Codec + Clone {
    /// One that has seen nothing; the number chooses among its settings.
    fn fresh(choice: usize) -> Self;
    /// Takes in one sample and says what it makes of it.
    fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said;
    /// Says what it knows, and what it makes of a sample without learning it.
    fn look(&self, sample: &[f64; DIM]) -> Said;
}

/// The image of a learner.
pub(crate) fn image<L: Codec>(learner: &L) -> Vec<u8> {
    let mut image = vec![0; L::ENCODED_LEN];
    assert_eq!(learner.encode(&mut image), Ok(L::ENCODED_LEN));
    image
}

fn bits<T: Scalar>(numbers: impl IntoIterator<Item = T>) -> Vec<u64> {
    numbers.into_iter().map(|number| number.to_f64().to_bits()).collect()
}

fn of_type<T: Scalar>(sample: &[f64; DIM]) -> [T; DIM] {
    sample.map(T::from_f64)
}

fn outer<T: Scalar>(sample: &[T; DIM]) -> SMatrix<T, DIM, DIM> {
    SMatrix::from_fn(|row, column| sample[row] * sample[column])
}

/// Settings that are known to be good.
fn good<S, E: core::fmt::Debug>(settings: Result<S, E>) -> S {
    settings.unwrap_or_else(|error| unreachable!("{error:?}"))
}

impl<T: Scalar, const RANK: usize> Life for TrackingPca<T, DIM, 2, RANK> {
    fn fresh(choice: usize) -> Self {
        Self::new(match choice % 3 {
            0 => TrackingSettings::DEFAULT,
            1 => good(TrackingSettings::new(T::HALF).and_then(|settings| settings.with_share(T::from_f64(1e-3))))
                .with_draw(Draw::Corners),
            _ => TrackingSettings::DEFAULT
                .without_ceiling()
                .with_scale(good(ScaleSettings::bound(T::TWO))),
        })
    }

    fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
        let trial = self.step(&of_type(sample), rng)?;
        Ok(bits(
            trial
                .code
                .into_iter()
                .chain([trial.loss, trial.expected_loss])
                .chain(self.keep_probabilities()),
        ))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let residual = self.residual(&sample)?;
        let back = self.inverse_transform(&self.transform(&sample)?)?;
        let known = self.evidence().into_iter().chain(self.keep_probabilities());
        Ok(bits(
            residual
                .into_iter()
                .chain(back)
                .chain(known)
                .chain([self.score(&sample)?]),
        ))
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
        Ok(bits(
            trial
                .code
                .into_iter()
                .chain([trial.loss, trial.expected_loss])
                .chain(self.evidence()),
        ))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let residual = self.residual(&sample)?;
        let back = self.inverse_transform(&self.transform(&sample)?)?;
        let known = self.evidence().into_iter().chain(self.keep_probabilities());
        Ok(bits(
            residual
                .into_iter()
                .chain(back)
                .chain(known)
                .chain([self.score(&sample)?]),
        ))
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
        let said = bits(trial.code.into_iter().chain([trial.loss, trial.expected_loss]));
        Ok(said.into_iter().chain(bits(self.explained_variance())).collect())
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let residual = self.residual(&sample)?;
        let back = self.inverse_transform(&self.transform(&sample)?)?;
        let known = self.explained_variance().into_iter().chain(self.keep_probabilities());
        Ok(bits(
            residual
                .into_iter()
                .chain(back)
                .chain(known)
                .chain([self.score(&sample)?]),
        ))
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
        self.add(T::from_f64(0.25), [(T::HALF, &[T::ONE, T::ZERO, T::ZERO, T::ZERO])]);
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

impl<T: Scalar> Life for EnergyScale<T> {
    fn fresh(choice: usize) -> Self {
        Self::new(
            [
                ScaleSettings::OFF,
                good(ScaleSettings::bound(T::TWO)),
                ScaleSettings::DEFAULT,
            ][choice % 3],
        )
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.observe(T::from_f64(sample[0] * sample[0]));
        Ok(bits([self.factor()]))
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits([self.factor()]))
    }
}

impl<T: Scalar> Life for Hedge<T, DIM> {
    fn fresh(choice: usize) -> Self {
        Self::new(good(HedgeSettings::new(T::HALF, choice % 5 + 1)))
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let loss = self.step(&of_type(sample))?;
        Ok(bits(self.weights().into_iter().chain([loss])))
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits(self.weights()))
    }
}

impl<T: Scalar> Life for FollowTheLeader<T, DIM> {
    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.learn(&of_type(sample))?;
        Ok(self.leaders(2).iter().map(|leader| leader as u64).collect())
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits(*self.cumulative_losses()))
    }
}

impl<T: Scalar> Life for RegretMeter<T> {
    fn fresh(_: usize) -> Self {
        Self::new()
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.record(T::from_f64(sample[0] * sample[0]));
        Ok(bits([self.total_loss()]))
    }

    fn look(&self, _: &[f64; DIM]) -> Said {
        Ok(bits([self.total_loss(), self.regret(T::ONE)]))
    }
}

impl<T: Scalar> Life for Standardizer<T, DIM> {
    fn fresh(choice: usize) -> Self {
        let settings = StandardizerSettings::DEFAULT;
        Self::new(match choice % 2 {
            0 => settings,
            _ => good(settings.with_limit(T::TWO)).with_forgetting(good(Forgetting::memory(T::from_f64(50.0)))),
        })
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        self.learn(&of_type(sample))?;
        Ok(bits(self.standardize(&of_type(sample))?))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let standard = self.standardize(&of_type(sample))?;
        Ok(bits(standard.into_iter().chain(self.spread()).chain(*self.mean())))
    }
}

/// A learner of three samples in a row.
type Rows<T> = Lagged<T, TrackingPca<T, 12, 2, 6>, DIM, 3, 12>;

impl<T: Scalar> Life for Rows<T> {
    fn fresh(_: usize) -> Self {
        Self::new(TrackingPca::new(TrackingSettings::DEFAULT))
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let said = bits(self.residual(&of_type(sample))?);
        self.learn(&of_type(sample))?;
        Ok(said)
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let residual = self.residual(&sample)?;
        Ok(bits(
            residual
                .into_iter()
                .chain([self.score(&sample)?, self.energy(&sample)?]),
        ))
    }
}

/// Every stage of a monitor, around a learner inside another.
impl<T: Scalar, const MEDIAN: usize> Life for Monitor<T, Rows<T>, DIM, MEDIAN> {
    fn fresh(choice: usize) -> Self {
        let settings = MonitorSettings::DEFAULT
            .with_schedule(good(Schedule::new(10, 40, 50)))
            .with_decision(good(DecisionSettings::new(T::HALF)).with_confirm(2).with_hold_off(5));
        let settings = match choice % 4 {
            0 => settings,
            1 => settings.with_score(Score::Combined).with_learning(Learning::Always),
            2 => (settings.with_threshold(good(Threshold::fixed(T::ONE)))).with_scaling(Scaling::Following),
            _ => (settings.with_threshold(good(Threshold::quantile(T::HALF)))).with_missing(Missing::Impute),
        };
        Self::new(settings, Rows::fresh(0))
    }

    fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
        let verdict = self.observe(&of_type(sample))?;
        let said = bits(
            verdict
                .contribution
                .into_iter()
                .chain([verdict.score, verdict.threshold]),
        );
        Ok(said.into_iter().chain([u64::from(verdict.alarm)]).collect())
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let known = self.standardizer().look(sample)?;
        Ok(known.into_iter().chain(bits([self.threshold()])).collect())
    }
}

/// What a window has to say: how a sample compares with its points, and they with each other.
fn compare<T: Scalar, K: Kernel<T, DIM>>(window: &GramWindow<T, K, DIM, 5>, sample: &[f64; DIM]) -> Said {
    let (mut row, mut gram) = ([T::ZERO; 5], SMatrix::repeat(T::ZERO));
    let norm = window.row(&of_type(sample), &mut row)?;
    window.gram(&mut gram);
    Ok(bits(row.into_iter().chain([norm]).chain(gram.iter().copied())))
}

macro_rules! window_life {
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
    };
}

window_life!(Linear, Linear);
window_life!(Cosine, Cosine);
window_life!(Gaussian<T>, good(Gaussian::new(T::HALF)));
window_life!(Laplacian<T>, good(Laplacian::new(T::HALF)));
window_life!(Polynomial<T>, good(Polynomial::new(T::HALF, 3)));

/// A Hebbian learner: it loses without chance.
macro_rules! hebbian_life {
    ($learner:ty, $settings:ident => $new:expr) => {
        impl<T: Scalar> Life for $learner {
            fn fresh(choice: usize) -> Self {
                let rate = [
                    RateSettings::DEFAULT,
                    good(RateSettings::constant(T::from_f64(0.3))),
                    good(RateSettings::falling(T::ONE)),
                ][choice % 3];
                let $settings = rate;
                $new
            }

            fn live(&mut self, sample: &[f64; DIM], _: &mut Xoshiro128PlusPlus) -> Said {
                let Response { code, loss } = self.step(&of_type(sample))?;
                Ok(bits(code.into_iter().chain([loss])))
            }

            fn look(&self, sample: &[f64; DIM]) -> Said {
                let sample = of_type(sample);
                let residual = self.residual(&sample)?;
                Ok(bits(
                    residual
                        .into_iter()
                        .chain(self.transform(&sample)?)
                        .chain([self.score(&sample)?]),
                ))
            }
        }
    };
}

hebbian_life!(Gha<T, DIM, 2>, rate => Self::new(GhaSettings::DEFAULT.with_rate(rate)));
hebbian_life!(Apex<T, DIM, 2>, rate => Self::new(ApexSettings::DEFAULT.with_rate(rate).with_span(30)));
hebbian_life!(
    KernelGha<T, Gaussian<T>, DIM, 2, 6>,
    rate => Self::new(good(Gaussian::new(T::HALF)), GhaSettings::DEFAULT.with_rate(rate), Memory::DEFAULT)
);
hebbian_life!(
    KernelApex<T, Polynomial<T>, DIM, 2, 6>,
    rate => Self::new(
        good(Polynomial::new(T::ONE, 2)),
        ApexSettings::DEFAULT.with_rate(rate).with_span(30),
        Memory::new(Eviction::Fifo, Norm::Reduced)
    )
);

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

impl<T: Scalar> Life for OnlineKernelPca<T, Gaussian<T>, DIM, 2, 6, 5> {
    fn fresh(choice: usize) -> Self {
        let settings = match choice % 4 {
            0 => OnlineKernelSettings::DEFAULT,
            1 => OnlineKernelSettings::DEFAULT.with_refresh(Refresh::Fast),
            2 => good(OnlineKernelSettings::DEFAULT.with_stride(3)).with_ambient(Ambient::Finite(20)),
            _ => {
                good(OnlineKernelSettings::DEFAULT.with_novelty(T::from_f64(0.01))).with_centering(Centering::Centered)
            }
        };
        Self::new(good(Gaussian::new(T::HALF)), settings)
    }

    fn live(&mut self, sample: &[f64; DIM], rng: &mut Xoshiro128PlusPlus) -> Said {
        // Now and then the work is left for later, and an image taken in between.
        if self.samples_seen() % 4 == 3 {
            let score = self.score(&of_type(sample))?;
            let _ = self.push(&of_type(sample))?;
            return Ok(bits([score]));
        }
        let trial = self.step(&of_type(sample), rng)?;
        Ok(bits(trial.code.into_iter().chain([trial.loss, trial.expected_loss])))
    }

    fn look(&self, sample: &[f64; DIM]) -> Said {
        let sample = of_type(sample);
        let residual = self.residual(&sample)?;
        Ok(bits(
            residual
                .into_iter()
                .chain(self.transform(&sample)?)
                .chain([self.score(&sample)?]),
        ))
    }
}

/// A question that is put to every learner.
pub(crate) trait Question {
    fn ask<L: Life>(&mut self, name: &str);
}

/// Puts a question to every learner, in both precisions.
pub(crate) fn ask_all(question: &mut impl Question) {
    ask_in::<f32>("f32", question);
    ask_in::<f64>("f64", question);
}

fn ask_in<T: Scalar>(precision: &str, question: &mut impl Question) {
    let named = |learner: &str| format!("{learner}_{precision}");
    question.ask::<TrackingPca<T, DIM, 2, DIM>>(&named("tracking"));
    question.ask::<DensityPca<T, DIM, 2>>(&named("density"));
    question.ask::<CenteredPca<T, DIM, 2>>(&named("centered"));
    question.ask::<BatchPca<T, DIM, 2>>(&named("batch"));
    question.ask::<VarianceMinimizer<T, DIM>>(&named("variance"));
    question.ask::<AverageDensity<T, DIM, 2>>(&named("average"));
    question.ask::<EnergyScale<T>>(&named("scale"));
    question.ask::<Hedge<T, DIM>>(&named("hedge"));
    question.ask::<FollowTheLeader<T, DIM>>(&named("leader"));
    question.ask::<RegretMeter<T>>(&named("regret"));
    question.ask::<Standardizer<T, DIM>>(&named("standardizer"));
    question.ask::<Rows<T>>(&named("lagged"));
    question.ask::<Monitor<T, Rows<T>, DIM, 3>>(&named("monitor"));
    question.ask::<Gha<T, DIM, 2>>(&named("gha"));
    question.ask::<Apex<T, DIM, 2>>(&named("apex"));
    question.ask::<KernelGha<T, Gaussian<T>, DIM, 2, 6>>(&named("kernel_gha"));
    question.ask::<KernelApex<T, Polynomial<T>, DIM, 2, 6>>(&named("kernel_apex"));
    question.ask::<KernelPca<T, Gaussian<T>, DIM, 5, 2>>(&named("kernel_pca"));
    question.ask::<KernelRidge<T, Gaussian<T>, DIM, 5>>(&named("kernel_ridge"));
    question.ask::<OnlineKernelPca<T, Gaussian<T>, DIM, 2, 6, 5>>(&named("online_kernel"));
    question.ask::<GramWindow<T, Linear, DIM, 5>>(&named("window_linear"));
    question.ask::<GramWindow<T, Cosine, DIM, 5>>(&named("window_cosine"));
    question.ask::<GramWindow<T, Gaussian<T>, DIM, 5>>(&named("window_gaussian"));
    question.ask::<GramWindow<T, Laplacian<T>, DIM, 5>>(&named("window_laplacian"));
    question.ask::<GramWindow<T, Polynomial<T>, DIM, 5>>(&named("window_polynomial"));
}
