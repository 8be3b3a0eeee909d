//! A learner whose sizes are chosen at run time, by `dyn` over the types of the table. A call that a learner does not have
//! is refused with its name.

use std::any::Any;

use eigenstream::Scalar;
use eigenstream::kernel::Ending;
use eigenstream::monitor::{Phase, State};

use crate::generator::Generator;
use crate::refusal::Refusal;
use crate::settings::Settings;

/// A verdict without the contributions of the channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sight<T> {
    pub(crate) score: T,
    pub(crate) threshold: T,
    pub(crate) moved: T,
    pub(crate) alarm: bool,
    pub(crate) phase: Phase,
    pub(crate) state: State,
    pub(crate) stuck: Option<usize>,
    pub(crate) guilty: usize,
}

/// Numbers of a learner, row by row; each row has `columns` numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading<T> {
    pub(crate) numbers: Vec<T>,
    pub(crate) columns: usize,
}

/// Of the drawn code, and expected.
pub(crate) type Losses<T> = [T; 2];

/// One trial: writes the code.
pub(crate) type Step<T> = fn(&mut dyn Model<T>, &[T], &mut Generator, &mut [T]) -> Result<Losses<T>, Refusal>;

/// The calls of all learners; `channels` and `codes` give the lengths of slices.
pub(crate) trait Model<T: Scalar>: Any + Send + Sync {
    /// Number of entries of a sample.
    fn channels(&self) -> usize;

    /// Number of entries of a code; 0 if the learner has no codes.
    fn codes(&self) -> usize;

    /// The type of the learner in Rust.
    fn type_name(&self) -> String;

    fn learn(&mut self, sample: &[T]) -> Result<(), Refusal>;

    fn score(&self, sample: &[T]) -> Result<T, Refusal>;

    fn residual(&self, _sample: &[T], _residual: &mut [T]) -> Result<(), Refusal> {
        Err(Refusal::Absent("residual"))
    }

    fn step(&mut self, _sample: &[T], _rng: &mut Generator, _code: &mut [T]) -> Result<Losses<T>, Refusal> {
        Err(Refusal::Absent("step"))
    }

    fn step_with_corners(
        &mut self,
        _sample: &[T],
        _rng: &mut Generator,
        _code: &mut [T],
    ) -> Result<Losses<T>, Refusal> {
        Err(Refusal::Absent("step_with_corners"))
    }

    fn transform(&self, _sample: &[T], _code: &mut [T]) -> Result<(), Refusal> {
        Err(Refusal::Absent("transform"))
    }

    fn inverse_transform(&self, _code: &[T], _sample: &mut [T]) -> Result<(), Refusal> {
        Err(Refusal::Absent("inverse_transform"))
    }

    fn observe(&mut self, _sample: &[T], _parts: &mut [T]) -> Result<Sight<T>, Refusal> {
        Err(Refusal::Absent("observe"))
    }

    /// Matrices, vectors and single numbers by name.
    fn reading(&self, name: &str) -> Option<Reading<T>>;

    /// No readings: `f32` rounds a count above 2²⁴.
    fn count(&self, _name: &str) -> Option<u64> {
        None
    }

    /// The settings by name.
    fn settings(&self) -> Result<Settings, Refusal> {
        Err(Refusal::Absent("settings"))
    }

    /// `reset`, `fit`, `acknowledge` and others. Returns false if there was nothing to acknowledge or the fit did not
    /// converge.
    fn command(&mut self, name: &str) -> Result<bool, Refusal>;

    fn merge(&mut self, _other: &dyn Model<T>) -> Result<(), Refusal> {
        Err(Refusal::Absent("merge"))
    }

    /// Starts again from a batch fit.
    fn start_from(&mut self, _batch: &dyn Model<T>) -> Result<(), Refusal> {
        Err(Refusal::Absent("start_from"))
    }

    /// Writes the sample without the part that the directions do not explain; returns the ending and the passes of the
    /// search.
    fn denoise(&self, _sample: &[T], _clean: &mut [T]) -> Result<(Ending, usize), Refusal> {
        Err(Refusal::Absent("denoise"))
    }

    /// The image of the learner.
    fn encode(&self) -> Result<Vec<u8>, Refusal>;

    /// A copy in the same state.
    fn twin(&self) -> Box<dyn Model<T>>;
}
