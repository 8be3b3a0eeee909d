//! The results of the golden files, as a table or as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use serde_json::{Value, json};

use super::check::{Check, Precision};

pub(crate) struct Failure {
    pub(crate) case: String,
    pub(crate) message: String,
}

pub(crate) struct FileReport {
    /// File name without folder.
    pub(crate) file: String,
    precision: Precision,
    pub(crate) passed: usize,
    /// Cases that failed or could not be read; a file that could not be read counts as one.
    pub(crate) failed: usize,
    /// Cases that the crate or this build does not support.
    pub(crate) unsupported: usize,
    /// The worst error divided by its tolerance; `None` before the first comparison of numbers.
    pub(crate) worst: Option<f64>,
    pub(crate) failures: Vec<Failure>,
    /// Reasons for unsupported cases, with the number of cases.
    reasons: BTreeMap<String, usize>,
}

impl FileReport {
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

    /// Records a case that ran to its end.
    pub(super) fn record(&mut self, case: &str, check: Check) {
        if let Some(worst) = check.worst {
            self.worst = Some(self.worst.map_or(worst, |before| before.max(worst)));
        }
        match check.complaint {
            None => self.passed += 1,
            Some(complaint) => self.fail(case, &complaint),
        }
    }

    pub(super) fn fail(&mut self, case: &str, message: &str) {
        self.failed += 1;
        self.failures.push(Failure {
            case: case.to_owned(),
            message: message.to_owned(),
        });
    }

    /// Records a case that is not supported.
    pub(super) fn leave_out(&mut self, reason: &str) {
        self.unsupported += 1;
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }

    /// The failures, one line each; the last line is about unsupported cases, if there are some.
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

pub(crate) fn closing_line(reports: &[FileReport]) -> String {
    let passed: usize = reports.iter().map(|report| report.passed).sum();
    let failed: usize = reports.iter().map(|report| report.failed).sum();
    format!("{passed} passed, {failed} failed")
}

/// Prints a JSON array on standard output, and the failures on standard error.
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

/// Prints a table, the unsupported cases, the failures, and the counts.
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
