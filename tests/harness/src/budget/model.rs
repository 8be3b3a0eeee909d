//! What each learner takes at a size that nobody measured.
//! Bytes of state are exact, a formula for 32-bit chips. Instructions and stack are fitted to the rows of the workload `sizes` in
//! `tests/data/bench.json`; flash is read off between the measured sizes. Some sizes are kept out of the fit, and tests hold
//! the model to its stated error on them.
//! A new learner is one entry in [`LEARNERS`].

use anyhow::{Context, Result};

use super::fit::{fit, predict};
use crate::bench::Row;

/// Sizes that the fit does not see: they show how wrong it is.
pub(super) const HELD_OUT: [(usize, usize); 3] = [(8, 2), (16, 3), (20, 2)];

/// How far an estimate of the mean instructions may be off.
pub(super) const MEAN_ERROR: f64 = 0.25;
/// How far an estimate of the worst instructions may be off: a maximum over streams, in which `CenteredPca` now follows its
/// directions and now decomposes a matrix.
pub(super) const WORST_ERROR: f64 = 0.60;
/// How far an estimate of the stack may be off.
pub(super) const STACK_ERROR: f64 = 0.25;

/// Terms of the model.
const TERMS: usize = 8;

/// What a learner's cost consists of: start, passes over the sample, over the directions, over a matrix, a decomposition, and what
/// begins beyond the turn.
fn terms(dim: usize, keep: usize, turn: usize) -> [f64; TERMS] {
    let (n, k) = (dim as f64, keep as f64);
    let beyond = if dim > turn { 1.0 } else { 0.0 };
    [1.0, n, n * k, k * k * k, n * n, n * n * k, n * n * n, beyond]
}

/// A learner and its bytes of state on a 32-bit chip.
pub(super) struct Learner {
    /// The variant in the rows.
    pub(super) variant: &'static str,
    /// Its type, with sizes in words.
    pub(super) name: &'static str,
    /// Bytes of state.
    pub(super) state_bytes: fn(usize, usize) -> usize,
    /// Channels beyond which it goes about it in another way.
    turn: usize,
}

/// Room for directions that a `TrackingPca` is given: 2k + 2, or all.
fn rank(dim: usize, keep: usize) -> usize {
    dim.min(2 * keep + 2)
}

/// Every learner with measurements.
pub(super) const LEARNERS: [Learner; 4] = [
    Learner {
        variant: "tracking",
        name: "TrackingPca",
        state_bytes: |n, k| tracking_bytes(n, rank(n, k)),
        turn: usize::MAX,
    },
    Learner {
        variant: "centered",
        name: "CenteredPca",
        state_bytes: centered_bytes,
        turn: 12,
    },
    Learner {
        variant: "density",
        name: "DensityPca",
        state_bytes: density_bytes,
        turn: usize::MAX,
    },
    Learner {
        variant: "monitor",
        name: "Monitor",
        state_bytes: |n, k| aligned(tracking_bytes(n, rank(n, k)) + 4 * 5 * n + 228),
        turn: usize::MAX,
    },
];

/// An alignment of eight, that of the sample count.
fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

/// Directions, their evidence and how they are kept; settings, scale and counts.
fn tracking_bytes(dim: usize, rank: usize) -> usize {
    aligned(4 * (dim * rank + 2 * rank) + 64)
}

/// Scatter, eigensolver and directions; start, centre and its rest, the solver's four vectors, probabilities, eigenvalues; settings and counts.
fn centered_bytes(dim: usize, _: usize) -> usize {
    aligned(4 * (3 * dim * dim + 9 * dim) + 68)
}

/// Directions, eigensolver, workspace and mean of the past; evidence, probabilities, the solver's four vectors; settings and counts.
fn density_bytes(dim: usize, _: usize) -> usize {
    aligned(4 * (4 * dim * dim + 6 * dim) + 40)
}

/// What one learner takes at one size.
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
}

/// The model of one learner at one optimisation level.
pub(super) struct Model<'rows> {
    rows: Vec<&'rows Row>,
    mean: [f64; TERMS],
    worst: [f64; TERMS],
    stack: [f64; TERMS],
}

fn size(row: &Row) -> (usize, usize) {
    let whole = |key: &str| row[key].as_u64().unwrap_or(0) as usize;
    (whole("dim"), whole("keep"))
}

impl<'rows> Model<'rows> {
    /// Fits the model of a learner.
    pub(super) fn new(rows: &'rows [Row], learner: &Learner, opt: &str) -> Result<Self> {
        let variant = learner.variant;
        let rows: Vec<&Row> = rows
            .iter()
            .filter(|row| row["workload"] == "sizes" && row["variant"] == variant && row["opt"] == opt)
            .collect();
        let used: Vec<&&Row> = rows.iter().filter(|row| !HELD_OUT.contains(&size(row))).collect();
        let inputs: Vec<[f64; TERMS]> = used
            .iter()
            .map(|row| terms(size(row).0, size(row).1, learner.turn))
            .collect();
        let fitted = |key: &str| -> Result<[f64; TERMS]> {
            let measured: Option<Vec<f64>> = used.iter().map(|row| row[key].as_f64()).collect();
            let measured = measured.filter(|values| !values.is_empty()).with_context(|| {
                format!("no {key} of {variant}: type `cargo harness bench --workload sizes --save`")
            })?;
            Ok(fit(&inputs, &measured))
        };
        Ok(Self {
            mean: fitted("instructions_mean")?,
            worst: fitted("instructions_max")?,
            stack: fitted("stack_bytes")?,
            rows,
        })
    }

    /// What the learner takes at this size.
    pub(super) fn estimate(&self, learner: &Learner, dim: usize, keep: usize) -> Estimate {
        let terms = terms(dim, keep, learner.turn);
        Estimate {
            state: (learner.state_bytes)(dim, keep),
            stack: predict(&terms, &self.stack),
            flash: self.flash(dim),
            mean: predict(&terms, &self.mean),
            worst: predict(&terms, &self.worst),
        }
    }

    /// Between the nearest measured sizes on a straight line; beyond them the nearest.
    fn flash(&self, dim: usize) -> f64 {
        let mut known: Vec<(f64, f64)> = self
            .rows
            .iter()
            .filter_map(|row| Some((size(row).0 as f64, row["text_bytes"].as_f64()?)))
            .collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0));
        let dim = dim as f64;
        let below = known.iter().rev().find(|(n, _)| *n <= dim);
        let above = known.iter().find(|(n, _)| *n >= dim);
        match (below, above) {
            (Some(&(low, from)), Some(&(high, to))) if high > low => from + (to - from) * (dim - low) / (high - low),
            (Some(&(_, bytes)), _) | (None, Some(&(_, bytes))) => bytes,
            (None, None) => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::committed;

    /// The measured rows of a learner at both levels, with what the model says about them.
    fn for_each(mut look: impl FnMut(&Learner, &Row, Estimate)) -> Result<()> {
        let rows = committed()?;
        for learner in &LEARNERS {
            for opt in ["3", "s"] {
                let model = Model::new(&rows, learner, opt)?;
                for row in &model.rows {
                    let (dim, keep) = size(row);
                    look(learner, row, model.estimate(learner, dim, keep));
                }
            }
        }
        Ok(())
    }

    #[test]
    fn the_bytes_of_state_are_exact() -> Result<()> {
        for_each(|learner, row, estimate| {
            assert_eq!(row["state_bytes"], estimate.state, "{} {:?}", learner.name, size(row));
        })
    }

    #[test]
    fn the_stated_error_holds_on_sizes_that_the_fit_did_not_see() -> Result<()> {
        let mut seen = 0;
        for_each(|learner, row, estimate| {
            if !HELD_OUT.contains(&size(row)) {
                return;
            }
            seen += 1;
            for (key, value, error) in [
                ("instructions_mean", estimate.mean, MEAN_ERROR),
                ("instructions_max", estimate.worst, WORST_ERROR),
                ("stack_bytes", estimate.stack, STACK_ERROR),
            ] {
                let measured = row[key].as_f64().unwrap_or(0.0);
                let off = (value - measured).abs() / measured;
                assert!(
                    off <= error,
                    "{} {:?} {key}: {value:.0} for {measured}",
                    learner.name,
                    size(row)
                );
            }
        })?;
        assert_eq!(seen, LEARNERS.len() * 2 * HELD_OUT.len());
        Ok(())
    }
}
