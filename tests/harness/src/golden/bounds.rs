//! File 20: learning rates and bounds; also the bounds in other files.

use eigenstream::Scalar;
use eigenstream::bounds::{Bounds, CenterStart};

use super::check::{Check, Refusal};
use super::schema::Case;

/// Numbers behind expected values of file 20 that its cases do not state.
mod note {
    /// The learning rate η of `thm6_eta1`, `thm8` and `cor9`.
    pub(super) const LEARNING_RATE: f64 = 1.0;
    /// The number of trials of `thm8` and `cor9`.
    pub(super) const TRIALS: usize = 100;
    /// `CenterStart::inverse_rate` of `thm8`.
    pub(super) const INVERSE_RATE: f64 = 2.0;
    /// `CenterStart::distance` of `thm8`.
    pub(super) const DISTANCE: f64 = 0.125;
    /// The length of the first sample of `cor9`.
    pub(super) const FIRST_LENGTH: f64 = 0.75;
}

/// Compares the bound of [WK08] Theorem 3 or 6, if a case has one, and checks that the total loss is not above it.
pub(super) fn check_bound<T: Scalar>(
    bounds: &Bounds<T>,
    total: T,
    case: &Case,
    check: &mut Check,
) -> Result<(), Refusal> {
    if !case.output.has("bound") {
        return Ok(());
    }
    let best_loss = T::from_f64(case.output.number("best")?);
    let learning_rate = T::from_f64(case.input.number("eta")?);
    let bound = case.output.number("bound")?;
    check.number("bound", bounds.loss(best_loss, learning_rate), bound);
    let excess = (total.to_f64() - bound).max(0.0);
    let allowed = check.allowance(bound, bound);
    check.error_within(|| format!("total {total} is above its bound {bound}"), excess, allowed);
    Ok(())
}

pub(super) fn run<T: Scalar>(case: &Case, check: &mut Check) -> Result<(), Refusal> {
    let (dim, keep) = (case.input.count("n")?, case.input.count("k")?);
    let best_loss = T::from_f64(case.input.number("L")?);
    let norm_bound = T::from_f64(case.input.number("Q")?);
    let exact = Bounds::<T>::new(dim, keep);
    let printed = Bounds::<T>::printed(dim, keep);
    let long = printed.with_norm_bound(norm_bound).map_err(Refusal::by_crate)?;
    let learning_rate = T::from_f64(note::LEARNING_RATE);
    let start = CenterStart {
        inverse_rate: T::from_f64(note::INVERSE_RATE),
        distance: T::from_f64(note::DISTANCE),
    };
    let first_length = T::from_f64(note::FIRST_LENGTH);
    let computed = [
        ("D_exact", exact.divergence()),
        ("D_paper", printed.divergence()),
        ("D_inf", Bounds::<T>::dimension_free(keep).divergence()),
        ("eta_exact", exact.learning_rate(best_loss)),
        ("eta_paper", printed.learning_rate(best_loss)),
        ("bound_exact", exact.tuned_loss(best_loss)),
        ("bound_eq4", printed.tuned_loss(best_loss)),
        ("eta_Q_corrected", long.learning_rate(best_loss)),
        ("bound7_Q", long.tuned_loss(best_loss)),
        ("thm6_eta1", exact.loss(best_loss, learning_rate)),
        (
            "thm8",
            exact.centered_loss(best_loss, learning_rate, start, note::TRIALS),
        ),
        (
            "cor9",
            exact.mean_centered_loss(best_loss, learning_rate, first_length, note::TRIALS),
        ),
    ];
    for (key, value) in computed {
        check.number(key, value, case.output.number(key)?);
    }
    Ok(())
}
