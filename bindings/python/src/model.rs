//! A learner whose sizes are known when the program runs.
//! In: samples as slices. Out: the answers of the learner, bit for bit those of the chip.
//! Method: `dyn` over the types of the table. A call that a learner does not have is refused by name.

use std::any::Any;
use std::fmt;

use eigenstream::kernel::Ending;
use eigenstream::monitor::{Phase, State};
use eigenstream::{CodecError, FitError, MergeError, SampleError, Scalar, SettingsError};

use crate::generator::Generator;

/// Why a call was refused. The learner is then as it was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// A sample, with its row in the batch.
    Sample(usize, SampleError),
    /// The bytes of an image.
    Image(CodecError),
    /// A setting of the core.
    Settings(SettingsError),
    /// A setting that cannot be read.
    Option(String),
    /// Two learners that do not belong together.
    Merge(MergeError),
    /// A start from something that was not fitted.
    Fit(FitError),
    /// A size that was not built.
    Size(String),
    /// Two objects of different types.
    Type(String),
    /// A call that this learner does not have.
    Absent(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(row, error) => write!(formatter, "row {row}: {error}"),
            Self::Image(error) => error.fmt(formatter),
            Self::Settings(error) => error.fmt(formatter),
            Self::Option(text) | Self::Size(text) | Self::Type(text) => formatter.write_str(text),
            Self::Merge(error) => error.fmt(formatter),
            Self::Fit(error) => error.fmt(formatter),
            Self::Absent(call) => write!(formatter, "this learner has no `{call}`"),
        }
    }
}

impl From<CodecError> for Refusal {
    fn from(error: CodecError) -> Self {
        Self::Image(error)
    }
}

impl From<SettingsError> for Refusal {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl From<FitError> for Refusal {
    fn from(error: FitError) -> Self {
        Self::Fit(error)
    }
}

impl From<MergeError> for Refusal {
    fn from(error: MergeError) -> Self {
        Self::Merge(error)
    }
}

/// For a call with one sample, which is row 0.
impl From<SampleError> for Refusal {
    fn from(error: SampleError) -> Self {
        Self::Sample(0, error)
    }
}

/// A verdict without the parts of its channels.
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

/// Numbers that a learner tells of itself: row after row, in rows of `columns`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reading<T> {
    pub(crate) numbers: Vec<T>,
    pub(crate) columns: usize,
}

/// The losses of a trial: the one of the draw, and the expected one.
pub(crate) type Losses<T> = [T; 2];

/// The calls of all learners. Slices have the lengths that `channels` and `codes` tell.
pub(crate) trait Model<T: Scalar>: Any + Send + Sync {
    /// Numbers of a sample.
    fn channels(&self) -> usize;

    /// Numbers of a code; 0 where there is none.
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

    /// Calls without a sample: `reset`, `fit`, `acknowledge` and others, by name. The answer is false where nothing happened.
    fn command(&mut self, name: &str) -> Result<bool, Refusal>;

    /// Takes in another learner of the same type.
    fn merge(&mut self, _other: &dyn Model<T>) -> Result<(), Refusal> {
        Err(Refusal::Absent("merge"))
    }

    /// Starts over from a batch fit.
    fn start_from(&mut self, _batch: &dyn Model<T>) -> Result<(), Refusal> {
        Err(Refusal::Absent("start_from"))
    }

    /// The sample without the part that the directions do not explain, how the search for it ended, and its passes.
    fn denoise(&self, _sample: &[T], _clean: &mut [T]) -> Result<(Ending, usize), Refusal> {
        Err(Refusal::Absent("denoise"))
    }

    /// The image.
    fn encode(&self) -> Result<Vec<u8>, Refusal>;

    /// Another one in the same state.
    fn twin(&self) -> Box<dyn Model<T>>;
}
