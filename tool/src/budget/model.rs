//! Estimates the cost of each learner at a size that was not measured.
//! Bytes of state are exact. Instructions and stack are fitted to the rows of the workloads `sizes` and `windows` in
//! `tests/data/bench.json`; flash is interpolated between the measured sizes. Cycles are instructions times the cycles of one
//! instruction. The cycles of one instruction come from traces of the learner at two sizes or more (workload `cycles`). They
//! change by at most a quarter with the size, and the largest value is used. Some sizes are excluded from the fit; tests check
//! the stated error of the model on these sizes.

use anyhow::{Context, Result};

use super::chip::Measured;
use super::fit::{fit, predict};
use super::learners::{Family, Learner, Size, TERMS};
use super::measured::Row;
use crate::machine::CORTEX_M4F;

/// Sizes that are excluded from the fit (channels, directions, window). They show the error of the model.
pub(super) const HELD_OUT: [Size; 6] = [
    held_out(8, 2, None),
    held_out(16, 3, None),
    held_out(20, 2, None),
    held_out(12, 2, Some(20)),
    held_out(6, 2, Some(24)),
    held_out(20, 4, Some(48)),
];

const fn held_out(dim: usize, keep: usize, window: Option<usize>) -> Size {
    Size { dim, keep, window }
}

/// The allowed relative error of an estimate of [`Estimate::worst`], the instructions of the worst trial over several streams.
pub(super) const WORST_ERROR: f64 = 0.50;
/// The allowed relative error of an estimate of the stack. An error below [`STACK_BYTES`] is always allowed.
pub(super) const STACK_ERROR: f64 = 0.40;
/// Bytes of stack of one more call. Whether there is such a call is the compiler's choice and changes with the size.
pub(super) const STACK_BYTES: f64 = 160.0;

/// The cost of one learner at one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Bytes of the learner itself.
    pub(super) state: usize,
    /// Bytes of stack during a trial.
    pub(super) stack: f64,
    /// Bytes of flash.
    pub(super) flash: f64,
    /// Instructions of a trial on the standard stream.
    pub(super) mean: f64,
    /// Instructions of the worst trial over all streams.
    pub(super) worst: f64,
    /// Cycles of a trial on the standard stream.
    pub(super) cycles_mean: f64,
    /// Cycles of the worst trial.
    pub(super) cycles_worst: f64,
}

/// The model of one learner at one optimisation level.
pub(super) struct Model<'rows> {
    learner: &'rows Learner,
    rows: Vec<&'rows Row>,
    mean: [f64; TERMS],
    worst: [f64; TERMS],
    stack: [f64; TERMS],
    /// Cycles of an instruction, on average and in the worst trial.
    ratio_mean: f64,
    ratio_worst: f64,
}

impl<'rows> Model<'rows> {
    /// Fits the model of a learner.
    pub(super) fn new(rows: &'rows [Row], learner: &'rows Learner, opt: &str) -> Result<Self> {
        let &Learner { variant, family, .. } = learner;
        let ratio = |key: &str| {
            let traced = rows.iter().filter(|row| {
                row["workload"] == "cycles"
                    && row["source"] == "cycles"
                    && row["machine"] == CORTEX_M4F.machine
                    && row["variant"] == variant
                    && row["opt"] == opt
            });
            traced
                .filter_map(|row| row[key].as_f64())
                .reduce(f64::max)
                .with_context(|| format!("no {key} of {variant}: type `cargo harness bench --cycles --save`"))
        };
        let (ratio_mean, ratio_worst) = (ratio("cpi")?, ratio("cpi_worst")?);
        let rows: Vec<&Row> = rows
            .iter()
            .filter(|row| row["workload"] == family.workload() && row["variant"] == variant && row["opt"] == opt)
            .collect();
        let used: Vec<&&Row> = rows.iter().filter(|row| !HELD_OUT.contains(&Size::of(row))).collect();
        let inputs: Vec<[f64; TERMS]> = used.iter().map(|row| learner.terms(Size::of(row))).collect();
        let fitted = |key: &str| -> Result<[f64; TERMS]> {
            let measured: Option<Vec<f64>> = used.iter().map(|row| row[key].as_f64()).collect();
            let measured = measured.filter(|values| !values.is_empty()).with_context(|| {
                let workload = family.workload();
                format!("no {key} of {variant}: type `cargo harness bench --workload {workload} --save`")
            })?;
            Ok(fit(&inputs, &measured))
        };
        Ok(Self {
            learner,
            mean: fitted("instructions_mean")?,
            worst: fitted("instructions_max")?,
            stack: fitted("stack_bytes")?,
            ratio_mean,
            ratio_worst: ratio_worst.max(ratio_mean),
            rows,
        })
    }

    /// The cost of the learner at this size.
    pub(super) fn estimate(&self, size: Size) -> Estimate {
        let terms = self.learner.terms(size);
        let [mean, worst] = [&self.mean, &self.worst].map(|coefficients| predict(&terms, coefficients));
        // Far from the measured sizes the two fits can cross.
        let worst = worst.max(mean);
        Estimate {
            state: (self.learner.state_bytes)(size),
            stack: predict(&terms, &self.stack),
            flash: self.flash(size),
            mean,
            worst,
            cycles_mean: self.ratio_mean * mean,
            cycles_worst: self.ratio_worst * worst,
        }
    }

    /// The cost of a learner that was measured on the chip at this size. The stack is an estimate of the model. One stream does
    /// not contain the worst trial of all streams, so `worst` is the larger of the measured and the modelled number. Cycles are
    /// `mean` and `worst` times the cycles of one instruction in the traces.
    pub(super) fn measured(&self, size: Size, measured: &Measured) -> Estimate {
        let terms = self.learner.terms(size);
        let (mean, worst) = (measured.mean as f64, measured.worst as f64);
        let worst = worst.max(predict(&terms, &self.worst));
        Estimate {
            state: measured.state as usize,
            stack: predict(&terms, &self.stack),
            flash: measured.flash as f64,
            mean,
            worst,
            cycles_mean: self.ratio_mean * mean,
            cycles_worst: self.ratio_worst * worst,
        }
    }

    /// Linear interpolation between the nearest measured sizes; outside of the measured range the value of the nearest size.
    fn flash(&self, size: Size) -> f64 {
        let place = |size: Size| match self.learner.family {
            Family::Channels { .. } | Family::ClosedForm => size.dim as f64,
            Family::Window => size.window.unwrap_or(0) as f64,
        };
        let mut known: Vec<(f64, f64)> = self
            .rows
            .iter()
            .filter_map(|row| Some((place(Size::of(row)), row["text_bytes"].as_f64()?)))
            .collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0));
        let at = place(size);
        let below = known.iter().rev().find(|(n, _)| *n <= at);
        let above = known.iter().find(|(n, _)| *n >= at);
        match (below, above) {
            (Some(&(low, from)), Some(&(high, to))) if high > low => from + (to - from) * (at - low) / (high - low),
            (Some(&(_, bytes)), _) | (None, Some(&(_, bytes))) => bytes,
            (None, None) => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::learners::LEARNERS;
    use crate::budget::measured::committed;

    /// Calls `look` for the measured rows of every learner at both optimisation levels, with the estimate of the model.
    fn for_each(mut look: impl FnMut(&Learner, &Row, Estimate)) -> Result<()> {
        let rows = committed()?;
        for learner in &LEARNERS {
            for opt in ["3", "s"] {
                let model = Model::new(&rows, learner, opt)?;
                for row in &model.rows {
                    look(learner, row, model.estimate(Size::of(row)));
                }
            }
        }
        Ok(())
    }

    #[test]
    fn no_mean_is_above_the_worst() -> Result<()> {
        let rows = committed()?;
        for learner in &LEARNERS {
            for (dim, keep, window) in [(16, 15, 16), (20, 8, 16), (64, 20, 64), (64, 63, 64)] {
                let window = Some(window);
                let size = Size { dim, keep, window };
                if learner.family.has(size) {
                    let estimate = Model::new(&rows, learner, "s")?.estimate(size);
                    assert!(
                        estimate.mean <= estimate.worst,
                        "{} {size:?} {estimate:?}",
                        learner.name
                    );
                    assert!(
                        estimate.cycles_mean <= estimate.cycles_worst,
                        "{} {size:?}",
                        learner.name
                    );
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_learner_without_a_choice_of_directions_costs_the_same_at_every_keep() -> Result<()> {
        let rows = committed()?;
        for variant in ["monitor", "variance", "oja", "kernel_oja"] {
            let learner = LEARNERS.iter().find(|learner| learner.variant == variant);
            let learner = learner.with_context(|| format!("no learner {variant}"))?;
            for opt in ["3", "s"] {
                let model = Model::new(&rows, learner, opt)?;
                let [few, many] = [1, 19].map(|keep| {
                    let estimate = model.estimate(held_out(20, keep, Some(32)));
                    [estimate.mean, estimate.worst, estimate.stack, estimate.flash]
                });
                assert_eq!(few, many, "{variant}");
            }
        }
        Ok(())
    }

    #[test]
    fn the_model_knows_how_many_directions_were_measured() -> Result<()> {
        let rows = committed()?;
        let fitted = rows
            .iter()
            .filter(|row| row["workload"] == "sizes" || row["workload"] == "windows");
        assert_eq!(
            fitted.map(|row| Size::of(row).keep).max(),
            Some(crate::budget::learners::MODELLED_KEEP)
        );
        Ok(())
    }

    #[test]
    fn the_bytes_of_state_are_exact() -> Result<()> {
        for_each(|learner, row, estimate| {
            assert_eq!(
                row["state_bytes"],
                estimate.state,
                "{} {:?}",
                learner.name,
                Size::of(row)
            );
        })
    }

    #[test]
    fn the_cycles_are_those_of_the_trace_where_there_is_one() -> Result<()> {
        let rows = committed()?;
        let mut seen = 0;
        for learner in &LEARNERS {
            for opt in ["3", "s"] {
                let model = Model::new(&rows, learner, opt)?;
                let traced = rows.iter().filter(|row| {
                    row["workload"] == "cycles"
                        && row["source"] == "cycles"
                        && row["variant"] == learner.variant
                        && row["opt"] == opt
                });
                for row in traced {
                    seen += 1;
                    let number = |key: &str| row[key].as_f64().unwrap_or(0.0);
                    let ratio = number("cycles_mean") / number("instructions_mean");
                    // The model uses the size with the most cycles for one instruction: never less than the trace, and at most
                    // a quarter more.
                    assert!(
                        (0.99 * ratio..=1.25 * ratio).contains(&model.ratio_mean),
                        "{} {:?}: {} for {ratio}",
                        learner.name,
                        Size::of(row),
                        model.ratio_mean
                    );
                    let estimate = model.estimate(Size::of(row));
                    assert_eq!(estimate.cycles_mean, estimate.mean * model.ratio_mean);
                    assert_eq!(estimate.cycles_worst, estimate.worst * model.ratio_worst);
                }
            }
        }
        assert_eq!(seen, 2 * 2 * LEARNERS.len());
        Ok(())
    }

    #[test]
    fn the_stated_error_holds_on_sizes_that_the_fit_did_not_see() -> Result<()> {
        let mut seen = 0;
        for_each(|learner, row, estimate| {
            if !HELD_OUT.contains(&Size::of(row)) {
                return;
            }
            seen += 1;
            for (key, value, error, least) in [
                ("instructions_mean", estimate.mean, learner.family.mean_error(), 0.0),
                ("instructions_max", estimate.worst, WORST_ERROR, 0.0),
                ("stack_bytes", estimate.stack, STACK_ERROR, STACK_BYTES),
            ] {
                let measured = row[key].as_f64().unwrap_or(0.0);
                assert!(
                    (value - measured).abs() <= (error * measured).max(least),
                    "{} {:?} {key}: {value:.0} for {measured}",
                    learner.name,
                    Size::of(row)
                );
            }
        })?;
        assert_eq!(seen, LEARNERS.len() * 2 * HELD_OUT.len() / 2);
        Ok(())
    }
}
