//! The verdicts of a batch, column by column.

use eigenstream::monitor::{Phase, State};
use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::{in_row, matrix, samples};
use crate::model::{Model, Sight};
use crate::refusal::Refusal;
use crate::table::Precision;

/// Phases and states have the numbers of the conformance program.
pub(crate) struct Verdicts<T> {
    score: Vec<T>,
    threshold: Vec<T>,
    moved: Vec<T>,
    alarm: Vec<bool>,
    phase: Vec<u8>,
    seen: Vec<u32>,
    need: Vec<u32>,
    state: Vec<u8>,
    stuck: Vec<i32>,
    guilty: Vec<i32>,
    contribution: Vec<T>,
}

impl<T: Precision> Verdicts<T> {
    /// Observes every row.
    pub(crate) fn of(model: &mut dyn Model<T>, numbers: &[T], rows: usize) -> Result<Self, Refusal> {
        let width = model.channels();
        let mut verdicts = Self {
            score: Vec::with_capacity(rows),
            threshold: Vec::with_capacity(rows),
            moved: Vec::with_capacity(rows),
            alarm: Vec::with_capacity(rows),
            phase: Vec::with_capacity(rows),
            seen: Vec::with_capacity(rows),
            need: Vec::with_capacity(rows),
            state: Vec::with_capacity(rows),
            stuck: Vec::with_capacity(rows),
            guilty: Vec::with_capacity(rows),
            contribution: vec![T::ZERO; rows * width],
        };
        let mut contribution = std::mem::take(&mut verdicts.contribution);
        for (sample, parts) in samples(numbers, width).zip(contribution.chunks_exact_mut(width)) {
            let (row, sample) = sample?;
            verdicts.push(&in_row(row, model.observe(sample, parts))?);
        }
        verdicts.contribution = contribution;
        Ok(verdicts)
    }

    fn push(&mut self, sight: &Sight<T>) {
        let (phase, seen, need) = match sight.phase {
            Phase::Warmup { seen, need } => (0, seen, need),
            Phase::Watching => (2, 0, 0),
            Phase::Frozen => (3, 0, 0),
            Phase::Standstill => (4, 0, 0),
            Phase::Unsettled => (5, 0, 0),
            _ => (1, 0, 0),
        };
        let state = match sight.state {
            State::Learning => 0,
            State::Normal => 1,
            State::SecondNormal => 2,
            State::Moving => 4,
            State::Steady => 5,
            State::Stuck => 6,
            _ => 3,
        };
        self.score.push(sight.score);
        self.threshold.push(sight.threshold);
        self.moved.push(sight.moved);
        self.alarm.push(sight.alarm);
        self.phase.push(phase);
        self.seen.push(seen);
        self.need.push(need);
        self.state.push(state);
        self.stuck.push(sight.stuck.map_or(-1, |channel| channel as i32));
        self.guilty.push(sight.guilty as i32);
    }
}

impl<T: Precision + Element> Verdicts<T> {
    /// The columns as numpy arrays, by name.
    pub(crate) fn into_columns(self, py: Python<'_>, width: usize) -> PyResult<Bound<'_, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("score", self.score.into_pyarray(py))?;
        columns.set_item("threshold", self.threshold.into_pyarray(py))?;
        columns.set_item("moved", self.moved.into_pyarray(py))?;
        columns.set_item("alarm", self.alarm.into_pyarray(py))?;
        columns.set_item("phase", self.phase.into_pyarray(py))?;
        columns.set_item("seen", self.seen.into_pyarray(py))?;
        columns.set_item("need", self.need.into_pyarray(py))?;
        columns.set_item("state", self.state.into_pyarray(py))?;
        columns.set_item("stuck", self.stuck.into_pyarray(py))?;
        columns.set_item("guilty", self.guilty.into_pyarray(py))?;
        columns.set_item("contribution", matrix(py, self.contribution, width)?)?;
        Ok(columns)
    }
}
