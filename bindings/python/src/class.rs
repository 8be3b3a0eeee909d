//! The Python class: a learner of either precision.
//! In: numpy arrays, without a copy. Out: new arrays, or an exception, after which the learner is unchanged.

use std::collections::BTreeMap;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use eigenstream::kernel::Ending;
use numpy::{Element, IntoPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};

use crate::batch::{all_or_none, learn, matrix, rows_of, score, step, with_rows};
use crate::generator::Random;
use crate::model::{Model, Step};
use crate::options::{Options, Value};
use crate::refusal::{Refusal, exception, free};
use crate::table::{self, Origin, Precision, Sizes};
use crate::verdicts::Verdicts;

/// A learner of either precision.
enum Inner {
    Single(Box<dyn Model<f32>>),
    Double(Box<dyn Model<f64>>),
}

/// Evaluates an expression for either precision.
macro_rules! either {
    ($inner:expr, $model:ident => $words:expr) => {
        match $inner {
            Inner::Single($model) => $words,
            Inner::Double($model) => $words,
        }
    };
}

/// A learner of the crate whose sizes are chosen at run time.
#[pyclass(module = "eigenstream._native", frozen)]
pub(crate) struct Native {
    /// A call is refused while another thread uses the learner; it does not wait.
    inner: RwLock<Inner>,
    name: &'static str,
    sizes: Sizes,
}

/// Three arrays.
type Triple<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Reads settings from keyword arguments.
fn options_of(settings: &Bound<'_, PyDict>, bytes: u8) -> PyResult<Options> {
    let mut values = BTreeMap::new();
    for (name, value) in settings {
        let name: String = name.extract()?;
        let value = if let Ok(word) = value.extract::<String>() {
            Value::Word(word)
        } else if let Ok(number) = value.extract::<f64>() {
            Value::Number(number)
        } else {
            let words = format!("{name} has to be a number or a word, not {}", value.repr()?);
            return Err(PyTypeError::new_err(words));
        };
        values.insert(name, value);
    }
    Ok(Options::new(values, bytes))
}

impl Native {
    fn made(name: &'static str, sizes: Sizes, bytes: u8, origin: Origin<'_>) -> Result<Self, Refusal> {
        let inner = match bytes {
            4 => Inner::Single(f32::make(name, sizes, origin)?),
            _ => Inner::Double(f64::make(name, sizes, origin)?),
        };
        let inner = RwLock::new(inner);
        Ok(Self { inner, name, sizes })
    }

    fn read(&self) -> PyResult<RwLockReadGuard<'_, Inner>> {
        free("learner", self.inner.try_read())
    }

    fn write(&self) -> PyResult<RwLockWriteGuard<'_, Inner>> {
        free("learner", self.inner.try_write())
    }
}

#[pymethods]
impl Native {
    /// Creates a new learner.
    #[staticmethod]
    fn create(py: Python<'_>, name: &str, bytes: u8, sizes: Sizes, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let known = table::rows().into_iter().find(|row| row.0 == name);
        let Some((name, ..)) = known else {
            return Err(PyTypeError::new_err(format!("there is no learner {name:?}")));
        };
        let options = options_of(settings, bytes)?;
        Self::made(name, sizes, bytes, Origin::Settings(options)).map_err(|refusal| exception(py, &refusal))
    }

    /// Restores the learner of an image.
    #[staticmethod]
    fn restore(py: Python<'_>, image: &[u8]) -> PyResult<Self> {
        let made = table::read_header(image)
            .and_then(|(name, sizes, bytes)| Self::made(name, sizes, bytes, Origin::Image(image)));
        made.map_err(|refusal| exception(py, &refusal))
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn sizes(&self) -> Sizes {
        self.sizes
    }

    #[getter]
    fn channels(&self) -> PyResult<usize> {
        Ok(either!(&*self.read()?, model => model.channels()))
    }

    #[getter]
    fn codes(&self) -> PyResult<usize> {
        Ok(either!(&*self.read()?, model => model.codes()))
    }

    #[getter]
    fn bytes(&self) -> PyResult<usize> {
        Ok(match *self.read()? {
            Inner::Single(_) => 4,
            Inner::Double(_) => 8,
        })
    }

    #[getter]
    fn rust_type(&self) -> PyResult<String> {
        Ok(either!(&*self.read()?, model => model.type_name()))
    }

    fn learn<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<()> {
        either!(&mut *self.write()?, model => {
            let width = model.channels();
            with_rows(py, rows, width, |numbers| learn(model, numbers))
        })
    }

    fn score<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        either!(&*self.read()?, model => {
            let scores = with_rows(py, rows, model.channels(), |numbers| score(&**model, numbers))?;
            Ok(scores.into_pyarray(py).into_any())
        })
    }

    fn residual<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        either!(&*self.read()?, model => {
            let width = model.channels();
            let numbers = with_rows(py, rows, width, |numbers| {
                rows_of(numbers, width, width, |sample, residual| model.residual(sample, residual))
            })?;
            Ok(matrix(py, numbers, width)?.into_any())
        })
    }

    fn transform<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        either!(&*self.read()?, model => {
            let (width, codes) = (model.channels(), model.codes());
            let numbers = with_rows(py, rows, width, |numbers| {
                rows_of(numbers, width, codes, |sample, code| model.transform(sample, code))
            })?;
            Ok(matrix(py, numbers, codes)?.into_any())
        })
    }

    fn inverse_transform<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        either!(&*self.read()?, model => {
            let (width, codes) = (model.channels(), model.codes());
            if codes == 0 {
                return Err(exception(py, &Refusal::Absent("inverse_transform")));
            }
            let numbers = with_rows(py, rows, codes, |numbers| {
                rows_of(numbers, codes, width, |code, sample| model.inverse_transform(code, sample))
            })?;
            Ok(matrix(py, numbers, width)?.into_any())
        })
    }

    /// Returns the clean samples, the ending of each search (0 converged, 1 iteration limit, 2 no next sample) and its
    /// passes.
    fn denoise<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Triple<'py>> {
        either!(&*self.read()?, model => {
            let width = model.channels();
            let (clean, endings, passes) = with_rows(py, rows, width, |numbers| {
                let (mut endings, mut passes) = (Vec::new(), Vec::new());
                let clean = rows_of(numbers, width, width, |sample, clean| {
                    let (ending, iterations) = model.denoise(sample, clean)?;
                    endings.push(match ending {
                        Ending::Settled => 0_u8,
                        Ending::BoundHit => 1,
                        Ending::Vanished => 2,
                    });
                    passes.push(iterations as u64);
                    Ok(())
                })?;
                Ok((clean, endings, passes))
            })?;
            Ok((
                matrix(py, clean, width)?.into_any(),
                endings.into_pyarray(py).into_any(),
                passes.into_pyarray(py).into_any(),
            ))
        })
    }

    /// Returns codes, losses and expected losses.
    fn step<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>, random: &Random) -> PyResult<Triple<'py>> {
        either!(&mut *self.write()?, model => trials(py, model, rows, random, |model, sample, rng, code| {
            model.step(sample, rng, code)
        }))
    }

    /// `step`, but draws by [WK08] Algorithm 2 (`weights::Corners`).
    fn step_with_corners<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        random: &Random,
    ) -> PyResult<Triple<'py>> {
        either!(&mut *self.write()?, model => trials(py, model, rows, random, |model, sample, rng, code| {
            model.step_with_corners(sample, rng, code)
        }))
    }

    /// Returns the columns of the verdicts, by name.
    fn observe<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        either!(&mut *self.write()?, model => {
            let width = model.channels();
            let verdicts = with_rows(py, rows, width, |numbers| {
                let rows = numbers.len() / width;
                all_or_none(model, rows, |model| Verdicts::of(model, numbers, rows))
            })?;
            verdicts.into_columns(py, width)
        })
    }

    /// Returns a matrix of the learner by name; `None` if the learner has no matrix of this name.
    fn reading<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        either!(&*self.read()?, model => match model.reading(name) {
            Some(reading) => Ok(Some(matrix(py, reading.numbers, reading.columns)?.into_any())),
            None => Ok(None),
        })
    }

    /// Returns a count of the learner by name; `None` if the learner has no count of this name.
    fn count(&self, name: &str) -> PyResult<Option<u64>> {
        Ok(either!(&*self.read()?, model => model.count(name)))
    }

    /// Returns the settings of the learner by name.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let settings = either!(&*self.read()?, model => model.settings());
        settings.map_err(|refusal| exception(py, &refusal))?.into_py_dict(py)
    }

    fn command(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        either!(&mut *self.write()?, model => model.command(name).map_err(|refusal| exception(py, &refusal)))
    }

    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        let merged = match (&mut *self.write()?, &*other.read()?) {
            (Inner::Single(model), Inner::Single(other)) => model.merge(&**other),
            (Inner::Double(model), Inner::Double(other)) => model.merge(&**other),
            _ => Err(Refusal::Type("only learners of the same dtype are merged".into())),
        };
        merged.map_err(|refusal| exception(py, &refusal))
    }

    fn start_from(&self, py: Python<'_>, batch: &Self) -> PyResult<()> {
        let started = match (&mut *self.write()?, &*batch.read()?) {
            (Inner::Single(model), Inner::Single(batch)) => model.start_from(&**batch),
            (Inner::Double(model), Inner::Double(batch)) => model.start_from(&**batch),
            _ => Err(Refusal::Type("a start has the dtype of the learner".into())),
        };
        started.map_err(|refusal| exception(py, &refusal))
    }

    fn image<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let image = either!(&*self.read()?, model => model.encode());
        let image = image.map_err(|refusal| exception(py, &refusal))?;
        Ok(PyBytes::new(py, &image))
    }

    fn copy(&self) -> PyResult<Self> {
        let inner = RwLock::new(match &*self.read()? {
            Inner::Single(model) => Inner::Single(model.twin()),
            Inner::Double(model) => Inner::Double(model.twin()),
        });
        Ok(Self { inner, ..*self })
    }
}

/// Runs one trial for each row.
fn trials<'py, T: Precision + Element>(
    py: Python<'py>,
    model: &mut Box<dyn Model<T>>,
    rows: &Bound<'py, PyAny>,
    random: &Random,
    trial: Step<T>,
) -> PyResult<Triple<'py>> {
    let (width, codes) = (model.channels(), model.codes());
    let generator = &mut *random.write()?;
    let (code, loss, expected) = with_rows(py, rows, width, |numbers| step(model, generator, numbers, trial))?;
    Ok((
        matrix(py, code, codes)?.into_any(),
        loss.into_pyarray(py).into_any(),
        expected.into_pyarray(py).into_any(),
    ))
}
