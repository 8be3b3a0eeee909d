//! Runs a learner in `f32` and its twin in `f64` on one stream and checks their promises every 997 samples.
//! Out: the largest errors and the first broken promise. The columns of V are the components, and p are the keep
//! probabilities.

use std::fmt;

use eigenstream::Scalar;
use eigenstream::rand_core::SeedableRng;
use eigenstream_registry::Refused;
use rand_xoshiro::Xoshiro128PlusPlus;

use super::stream::Stream;

/// Number of samples between two checks; prime, so that the checks do not stay in step with a periodic correction.
pub const CHECK_EVERY: u64 = 997;

/// Largest errors that pass.
mod limit {
    /// Largest entry of |VᵀV − I|, about 84 times the ε of `f32`.
    pub(super) const ORTHOGONALITY: f64 = 1e-5;
    /// |Σp − KEEP|; the default ceiling alone removes up to KEEP·e⁻¹⁴ from the sum.
    pub(super) const PROBABILITY_SUM: f64 = 1e-3;
    /// Difference of the mean losses in `f32` and `f64`, as a part of the mean energy.
    pub(super) const LOSS: f64 = 1e-3;
}

/// A learner that can be run by [`soak`].
pub trait Subject<T, const DIM: usize>: Sized {
    /// Runs one trial and returns the loss and the expected loss.
    fn trial(&mut self, sample: &[T; DIM], rng: &mut Xoshiro128PlusPlus) -> Result<[T; 2], Refused>;
    /// Largest entry of |VᵀV − I|, if the learner keeps its components orthonormal.
    fn orthogonality_error(&self) -> Option<T>;
    /// |Σp − KEEP|, if the learner has probabilities.
    fn probability_sum_error(&self) -> Option<f64>;
    /// The learner restored from its own image; `None` if the image is refused.
    fn reborn(&self) -> Option<Self>;
}

/// Result of a run.
pub struct Report {
    /// Name of the learner.
    pub learner: &'static str,
    /// Number of trials, including one that failed.
    pub steps: u64,
    /// Worst |VᵀV − I| in `f32`; `None` for a learner that does not keep components orthonormal.
    pub orthogonality: Option<f64>,
    /// Worst |Σp − KEEP| in `f32`; `None` for a learner without probabilities.
    pub probability_sum: Option<f64>,
    /// Mean expected loss in `f32` at the last check.
    pub loss: f64,
    /// Mean expected loss in `f64` at the last check.
    pub twin_loss: f64,
    /// Total loss in `f32` minus total loss in `f64` at the last comparison, divided by the total energy.
    pub difference: f64,
    /// The first broken promise.
    pub violation: Option<Violation>,
}

/// A broken promise.
pub struct Violation {
    /// Number of samples after which the violation was found.
    pub step: u64,
    /// The broken promise in words.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} after step {}", self.what, self.step)
    }
}

/// Length of a run.
#[derive(Clone, Copy)]
pub struct Life {
    /// Samples to learn.
    pub steps: u64,
    /// Number of samples after which the loss is no longer compared with that of the twin.
    pub compared: u64,
}

/// Runs both learners until the end or the first broken promise; calls `checked` after every check.
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
        // The loss of the first of several samples is ignored: a centering learner does not know the mean yet.
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
            // Every check also restarts the `f32` learner from its image, as after a power cut.
            match single.reborn() {
                Some(again) => single = again,
                None => broken = Some("the learner refuses its own image".into()),
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

/// The expected loss of a trial; an error unless both losses are finite and not negative.
fn usable(trial: Result<[f64; 2], Refused>) -> Result<f64, String> {
    match trial {
        Ok([loss, expected]) if loss >= 0.0 && loss.is_finite() && expected >= 0.0 && expected.is_finite() => {
            Ok(expected)
        }
        Ok([loss, expected]) => Err(format!("loss {loss}, expected {expected}")),
        Err(Refused) => Err("the learner refused a sample".into()),
    }
}

/// The first broken promise, if any.
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
    // A NaN fails each of these comparisons.
    let orthonormal = own <= limit::ORTHOGONALITY && twin <= limit::ORTHOGONALITY;
    let complete = sum <= limit::PROBABILITY_SUM;
    let accurate = report.difference.abs() <= limit::LOSS;
    match (orthonormal, complete, accurate) {
        (true, true, true) => None,
        (false, ..) => Some(format!("orthogonality error {own:.1e}, twin {twin:.1e}")),
        (_, false, _) => Some(format!("probabilities sum to KEEP ± {sum:.1e}")),
        _ => {
            let off = report.difference;
            Some(format!("mean loss differs from that of f64 by {off:.1e} of the energy"))
        }
    }
}
