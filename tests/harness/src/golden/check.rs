//! Compares results with expected values, with the tolerances of `tests/data/golden/README.md`.
//! Out: the first failure, and the worst error divided by its tolerance.

use std::fmt::{Debug, Display};

use clap::ValueEnum;
use eigenstream::Scalar;

/// The tolerance in `f32`, relative to the largest expected magnitude of the array, or to 1 if this magnitude is below
/// 1.
const SINGLE: f64 = 1e-5;
/// The tolerance in `f32` of cases named `far_offset`, whose data are 256 away from zero.
const SINGLE_FAR_OFFSET: f64 = 5e-4;
/// The tolerance in `f32` of eigenvalue problems, per unit of matrix size; in `f64` the tolerance is that of the case.
const SINGLE_EIGEN: f64 = 2e-6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    /// Single precision.
    F32,
    /// Double precision, as in the golden files.
    F64,
}

impl Precision {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// Why a case was not compared.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The crate, or this build of the harness, does not support the case.
    Unsupported(String),
    /// The case is damaged, or the crate refused its input or panicked.
    Failed(String),
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

impl Refusal {
    pub(super) fn operation(name: &str) -> Self {
        Self::Unsupported(format!("operation `{name}`"))
    }

    /// The crate refused an input that it should accept.
    pub(super) fn by_crate(error: impl Display) -> Self {
        Self::Failed(format!("the crate refused the input: {error}"))
    }
}

pub(super) struct Check {
    precision: Precision,
    tolerance: f64,
    eigen_tolerance: f64,
    /// The worst error divided by its tolerance; `None` before the first comparison of numbers.
    pub(super) worst: Option<f64>,
    pub(super) complaint: Option<String>,
}

impl Check {
    /// A check with the tolerance and the name of a case.
    pub(super) fn new(precision: Precision, tolerance: f64, name: &str) -> Self {
        let single = if name.contains("far_offset") {
            SINGLE_FAR_OFFSET
        } else {
            SINGLE
        };
        let (tolerance, eigen_tolerance) = match precision {
            Precision::F32 => (single, SINGLE_EIGEN),
            Precision::F64 => (tolerance, tolerance),
        };
        Self {
            precision,
            tolerance,
            eigen_tolerance,
            worst: None,
            complaint: None,
        }
    }

    /// Tolerance of an eigenvalue problem, before it is multiplied by size and scale.
    pub(super) fn eigen_tolerance(&self) -> f64 {
        self.eigen_tolerance
    }

    /// Tolerance for an expected value `want`, in an array whose largest magnitude is `largest`.
    pub(super) fn allowance(&self, want: f64, largest: f64) -> f64 {
        let scale = match self.precision {
            Precision::F32 => largest,
            Precision::F64 => want.abs(),
        };
        self.tolerance * scale.max(1.0)
    }

    pub(super) fn number<T: Scalar>(&mut self, what: &str, got: T, want: f64) {
        self.vector(what, &[got], &[want]);
    }

    pub(super) fn vector<T: Scalar>(&mut self, what: &str, got: &[T], want: &[f64]) {
        self.equal(&format!("length of {what}"), &got.len(), &want.len());
        let largest = want.iter().fold(0.0_f64, |largest, want| largest.max(want.abs()));
        for (index, (got, &want)) in got.iter().zip(want).enumerate() {
            let got = got.to_f64();
            // The difference of equal infinities is NaN.
            let error = if got == want { 0.0 } else { (got - want).abs() };
            let allowed = self.allowance(want, largest);
            self.error_within(
                || format!("{what}[{index}] is {got:e} where {want:e} was expected"),
                error,
                allowed,
            );
        }
    }

    /// Compares a matrix; in `f32` all its entries have one tolerance.
    pub(super) fn matrix<T: Scalar>(&mut self, what: &str, got: &[Vec<T>], want: &[Vec<f64>]) {
        let shape = |rows: usize, columns: Option<usize>| (rows, columns.unwrap_or_default());
        let (got_shape, want_shape) = (
            shape(got.len(), got.first().map(Vec::len)),
            shape(want.len(), want.first().map(Vec::len)),
        );
        self.equal(&format!("shape of {what}"), &got_shape, &want_shape);
        self.vector(what, &got.concat(), &want.concat());
    }

    pub(super) fn equal<V: PartialEq + Debug>(&mut self, what: &str, got: &V, want: &V) {
        self.holds(got == want, || format!("{what} is {got:?} where {want:?} was expected"));
    }

    /// Checks an error against its tolerance; a NaN fails.
    pub(super) fn error_within(&mut self, complaint: impl FnOnce() -> String, error: f64, allowed: f64) {
        let ratio = match error {
            0.0 => 0.0,
            error if error.is_nan() => f64::INFINITY,
            error => error / allowed,
        };
        self.worst = Some(self.worst.map_or(ratio, |worst| worst.max(ratio)));
        self.holds(ratio <= 1.0, complaint);
    }

    pub(super) fn holds(&mut self, truth: bool, complaint: impl FnOnce() -> String) {
        if !truth && self.complaint.is_none() {
            self.complaint = Some(complaint());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_precision_is_judged_by_each_value() {
        let mut check = Check::new(Precision::F64, 1e-3, "");
        // The number 1000 may be off by 1, the number 0.1 by 0.001.
        check.vector("w", &[1000.5_f64, 0.1], &[1000.0, 0.1]);
        assert_eq!(check.complaint, None);
        check.vector("w", &[1000.0_f64, 0.102], &[1000.0, 0.1]);
        assert!(check.complaint.is_some());
    }

    #[test]
    fn single_precision_is_judged_by_the_largest_value() {
        let mut check = Check::new(Precision::F32, 1e-12, "");
        // The tolerance is 1e-5 · 1000 = 0.01 for every entry.
        check.vector("w", &[1000.0_f32, 0.105], &[1000.0, 0.1]);
        assert_eq!(check.complaint, None);
        check.vector("w", &[1000.0_f32, 0.12], &[1000.0, 0.1]);
        assert!(
            check
                .complaint
                .is_some_and(|complaint| complaint.starts_with("w[1] is"))
        );
    }

    #[test]
    fn a_nan_never_passes() {
        let mut check = Check::new(Precision::F64, 1e-12, "");
        check.number("total", f64::NAN, 1.0);
        assert_eq!(check.worst, Some(f64::INFINITY));
        assert!(check.complaint.is_some());
    }

    #[test]
    fn a_tolerance_of_zero_allows_only_an_exact_result() {
        let mut check = Check::new(Precision::F64, 1e-14, "");
        check.error_within(String::new, 0.0, 0.0);
        assert_eq!(check.complaint, None);
        check.error_within(|| "off".into(), 1e-300, 0.0);
        assert_eq!(check.complaint.as_deref(), Some("off"));
    }
}
