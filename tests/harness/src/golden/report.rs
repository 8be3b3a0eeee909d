//! What the golden files came to, as a table or as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use serde_json::{Value, json};

use super::check::{Check, Precision};

/// A case that failed.
pub(crate) struct Failure {
    /// Its name in the file.
    pub(crate) case: String,
    /// What was wrong.
    pub(crate) message: String,
}

/// One file in one precision.
pub(crate) struct FileReport {
    /// The file's name without its folder.
    pub(crate) file: String,
    precision: Precision,
    /// Cases whose every comparison held.
    pub(crate) passed: usize,
    /// Cases that did not, or could not be read.
    pub(crate) failed: usize,
    /// Cases that this crate does not do.
    pub(crate) unsupported: usize,
    /// Worst error over tolerance; `None` when nothing was compared.
    pub(crate) worst: Option<f64>,
    /// One for each failed case.
    pub(crate) failures: Vec<Failure>,
    /// Why cases are unsupported, and how many for each reason.
    reasons: BTreeMap<String, usize>,
}

impl FileReport {
    /// An empty report.
    pub(super) fn new(file: &str, precision: Precision) -> Self {
        Self {
            file: file.to_owned(),
            precision,
            passed: 0,
            failed: 0,
            unsupported: 0,
            worst: None,
            failures: Vec::new(),
            reasons: BTreeMap::new(),
        }
    }

    /// A case ran to its end.
    pub(super) fn record(&mut self, case: &str, check: Check) {
        if let Some(worst) = check.worst {
            self.worst = Some(self.worst.map_or(worst, |before| before.max(worst)));
        }
        match check.complaint {
            None => self.passed += 1,
            Some(complaint) => self.fail(case, &complaint),
        }
    }

    /// A case failed.
    pub(super) fn fail(&mut self, case: &str, message: &str) {
        self.failed += 1;
        self.failures.push(Failure {
            case: case.to_owned(),
            message: message.to_owned(),
        });
    }

    /// A case is not supported.
    pub(super) fn leave_out(&mut self, reason: &str) {
        self.unsupported += 1;
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }

    /// The failures in words, one line each; last, that cases are not supported.
    pub(crate) fn complaints(&self) -> impl Iterator<Item = String> {
        let place = format!("{} {}", self.file, self.precision.name());
        let left_out = (self.unsupported > 0).then(|| format!("{place}: {} cases are not supported", self.unsupported));
        let failures = self.failures.iter();
        failures
            .map(move |failure| format!("{place}: {}: {}", failure.case, failure.message))
            .chain(left_out)
    }

    fn row(&self) -> Value {
        let failures: Vec<&str> = self.failures.iter().map(|failure| failure.case.as_str()).collect();
        json!({
            "file": self.file,
            "precision": self.precision.name(),
            "passed": self.passed,
            "failed": self.failed,
            "unsupported": self.unsupported,
            // JSON has no infinity.
            "worst_error_over_tolerance": self.worst.map(|worst| worst.min(f64::MAX)),
            "failures": failures,
        })
    }
}

/// `N passed, N failed` over all files.
pub(crate) fn closing_line(reports: &[FileReport]) -> String {
    let passed: usize = reports.iter().map(|report| report.passed).sum();
    let failed: usize = reports.iter().map(|report| report.failed).sum();
    format!("{passed} passed, {failed} failed")
}

/// Prints one JSON array on standard output; what went wrong, in words, on standard error.
pub(super) fn print_json(reports: &[FileReport]) -> Result<()> {
    let rows: Vec<Value> = reports.iter().map(FileReport::row).collect();
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&rows)?)?;
    reports
        .iter()
        .flat_map(FileReport::complaints)
        .for_each(|complaint| eprintln!("{complaint}"));
    eprintln!("{}", closing_line(reports));
    Ok(())
}

/// Prints a table, then what went wrong or was left out, and closes with the counts.
pub(super) fn print_table(reports: &[FileReport]) -> Result<()> {
    let mut out = io::stdout().lock();
    let width = reports
        .iter()
        .map(|report| report.file.chars().count())
        .max()
        .unwrap_or_default();
    writeln!(
        out,
        "{:width$}  type  passed  failed  unsupported  worst error / tolerance",
        "file"
    )?;
    for report in reports {
        let worst = report.worst.map_or_else(|| "-".into(), |worst| format!("{worst:.3}"));
        let FileReport {
            file,
            precision,
            passed,
            failed,
            unsupported,
            ..
        } = report;
        let precision = precision.name();
        writeln!(
            out,
            "{file:width$}  {precision}   {passed:6}  {failed:6}  {unsupported:11}  {worst:>23}"
        )?;
    }
    for report in reports {
        for (reason, cases) in &report.reasons {
            writeln!(
                out,
                "unsupported: {} {}: {cases} cases, {reason}",
                report.file,
                report.precision.name()
            )?;
        }
    }
    for complaint in reports.iter().flat_map(FileReport::complaints) {
        writeln!(out, "failed: {complaint}")?;
    }
    writeln!(out, "{}", closing_line(reports))?;
    Ok(())
}
