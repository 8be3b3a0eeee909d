//! Every learner as these tests see it: it lives through samples and tells what it says, as bits.

mod hebbian;
mod kernel;
mod linear;
mod monitor;
mod weights;

use eigenstream::bounds::RegretMeter;
use eigenstream::hebbian::{Apex, Gha, KernelApex, KernelGha};
use eigenstream::kernel::{
    Cosine, Gaussian, GramWindow, KernelPca, KernelRidge, Laplacian, Linear, OnlineKernelPca, Polynomial,
};
use eigenstream::monitor::{Monitor, Standardizer};
use eigenstream::nalgebra::SMatrix;
use eigenstream::pca::{
    AverageDensity, BatchPca, CenteredPca, DensityPca, EnergyScale, TrackingPca, Trial, VarianceMinimizer,
};
use eigenstream::weights::{FollowTheLeader, Hedge};
use eigenstream::{Codec, Learner, MatrixError, SampleError, Scalar, WeightsError};
use rand_xoshiro::Xoshiro128PlusPlus;

use monitor::Rows;

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

/// What a trial said, before what else the learner tells.
fn heard<T: Scalar, const KEEP: usize>(trial: Trial<T, KEEP>, told: impl IntoIterator<Item = T>) -> Vec<u64> {
    bits(
        trial
            .code
            .into_iter()
            .chain([trial.loss, trial.expected_loss])
            .chain(told),
    )
}

/// What a learner makes of a sample without learning it, around what else it tells.
fn read<T: Scalar>(learner: &impl Learner<T, DIM>, sample: &[T; DIM], told: impl IntoIterator<Item = T>) -> Said {
    let residual = learner.residual(sample)?;
    Ok(bits(residual.into_iter().chain(told).chain([learner.score(sample)?])))
}

/// Settings that are known to be good.
fn good<S, E: core::fmt::Debug>(settings: Result<S, E>) -> S {
    settings.unwrap_or_else(|error| unreachable!("{error:?}"))
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
