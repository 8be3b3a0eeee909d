//! Runs a learner in `f32` and its twin in `f64` over the same stream and checks every 997 steps what must hold.
//! In: the two learners, a stream, how many steps. Out: the worst that was seen, and the first promise that was broken.

use std::fmt;

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use eigenstream_registry::Refused;
use rand_xoshiro::Xoshiro128PlusPlus;

use super::stream::Stream;

/// Steps between two checks: a prime, so that they fall on every place between two corrections, which learners make every so
/// many samples.
pub const CHECK_EVERY: u64 = 997;

/// What must hold, with reasons.
mod limit {
    /// |VᵀV − I| of the components: a hundred roundings, so that losses have five digits.
    pub(super) const ORTHOGONALITY: f64 = 1e-5;
    /// |Σp − KEEP|: the default ceiling alone takes up to KEEP·e⁻¹⁴ from the sum.
    pub(super) const PROBABILITY_SUM: f64 = 1e-3;
    /// Mean loss of `f32` against `f64`, in units of the mean energy of the stream.
    pub(super) const LOSS: f64 = 1e-3;
}

/// A learner that can be soaked.
pub trait Subject<T, const DIM: usize>: Sized {
    /// One trial: what was lost and what was to be expected.
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused>;
    /// |VᵀV − I| of the components, for who promises to keep them orthonormal.
    fn orthogonality_error(&self) -> Option<T>;
    /// |Σp − KEEP|, for who has probabilities.
    fn probability_sum_error(&self) -> Option<f64>;
    /// The learner after it was saved and restored; none if its own image is refused.
    fn reborn(&self) -> Option<Self>;
}

/// What a run found.
pub struct Report {
    /// Its type and what is set.
    pub learner: &'static str,
    /// Samples that it learned.
    pub steps: u64,
    /// Worst |VᵀV − I|; none for a learner whose components are orthonormal in the limit alone.
    pub orthogonality: Option<f64>,
    /// Worst |Σp − KEEP|; none for a learner without probabilities.
    pub probability_sum: Option<f64>,
    /// Mean expected loss in `f32`,
    pub loss: f64,
    /// in `f64`,
    pub twin_loss: f64,
    /// and their difference at the end, in units of the mean energy.
    pub difference: f64,
    /// The first promise that was broken.
    pub violation: Option<Violation>,
}

/// A broken promise.
pub struct Violation {
    /// When it was seen.
    pub step: u64,
    /// What was promised and is not so.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} after step {}", self.what, self.step)
    }
}

/// How long a learner lives.
#[derive(Clone, Copy)]
pub struct Life {
    /// Samples that it learns.
    pub steps: u64,
    /// Of these, so many in which its losses have to be those of its twin.
    pub compared: u64,
}

/// Runs both learners, until the end or the first broken promise; `checked` is told of every check.
pub fn soak<const DIM: usize>(
    learner: &'static str,
    mut single: impl Subject<f32, DIM>,
    mut double: impl Subject<f64, DIM>,
    mut stream: Stream<DIM>,
    Life { steps, compared }: Life,
    checked: &mut dyn FnMut(),
) -> Report {
    let mut rngs = [1, 2].map(Xoshiro128PlusPlus::seed_from_u64);
    let mut report = Report {
        learner,
        steps: 0,
        orthogonality: single.orthogonality_error().map(|_| 0.0),
        probability_sum: single.probability_sum_error(),
        loss: 0.0,
        twin_loss: 0.0,
        difference: 0.0,
        violation: None,
    };
    let (mut energy, mut loss, mut twin_loss) = (0.0, 0.0, 0.0);
    for step in 1..=steps {
        let sample = stream.next_sample();
        // Where the data are is news to a centering learner: the first sample does not count.
        let counts = step > 1 || steps == 1;
        if counts {
            energy += stream.energy(&sample);
        }
        let trial = single.trial(&sample, &mut rngs[0]).map(|losses| losses.map(f64::from));
        let twin = double.trial(&sample.map(f64::from), &mut rngs[1]);
        report.steps = step;
        let outcome = usable(trial).and_then(|own| usable(twin).map(|twin| (own, twin)));
        match outcome {
            Ok((own, twin)) if counts => {
                loss += own;
                twin_loss += twin;
            }
            Ok(_) => (),
            Err(what) => {
                report.violation = Some(Violation { step, what });
                return report;
            }
        }
        if step % CHECK_EVERY == 0 || step == steps {
            let count = step as f64;
            report.loss = loss / count;
            report.twin_loss = twin_loss / count;
            if step <= compared {
                report.difference = (loss - twin_loss) / energy;
            }
            let mut broken = check(&mut report, &single, &double);
            // The power goes at every check, and nobody notices.
            match single.reborn() {
                Some(again) => single = again,
                None => broken = Some("its own image is refused".into()),
            }
            report.violation = broken.map(|what| Violation { step, what });
            checked();
            if report.violation.is_some() {
                return report;
            }
        }
    }
    report
}

/// The expected loss of a trial, if both of its losses make sense.
fn usable(trial: Result<[f64; 2], Refused>) -> Result<f64, String> {
    match trial {
        Ok([loss, expected]) if loss >= 0.0 && loss.is_finite() && expected >= 0.0 && expected.is_finite() => {
            Ok(expected)
        }
        Ok([loss, expected]) => Err(format!("loss {loss}, expected {expected}")),
        Err(Refused) => Err("refused".into()),
    }
}

/// What does not hold, if anything.
fn check<const DIM: usize>(
    report: &mut Report,
    single: &impl Subject<f32, DIM>,
    double: &impl Subject<f64, DIM>,
) -> Option<String> {
    let worst = |seen: f64, now: f64| if now <= seen { seen } else { now };
    let twin = double.orthogonality_error().unwrap_or(0.0);
    report.orthogonality =
        (report.orthogonality.zip(single.orthogonality_error())).map(|(seen, now)| worst(seen, now.to_f64()));
    let own = report.orthogonality.unwrap_or(0.0);
    report.probability_sum =
        (report.probability_sum.zip(single.probability_sum_error())).map(|(seen, now)| worst(seen, now));
    let sum = report.probability_sum.unwrap_or(0.0);
    // Written so that no NaN passes.
    let orthonormal = own <= limit::ORTHOGONALITY && twin <= limit::ORTHOGONALITY;
    let complete = sum <= limit::PROBABILITY_SUM;
    let accurate = report.difference.abs() <= limit::LOSS;
    match (orthonormal, complete, accurate) {
        (true, true, true) => None,
        (false, ..) => Some(format!("orthogonality error {own:.1e}, twin {twin:.1e}")),
        (_, false, _) => Some(format!("probabilities sum to KEEP ± {sum:.1e}")),
        _ => {
            let off = report.difference;
            Some(format!("mean loss off that of f64 by {off:.1e} of the energy"))
        }
    }
}
