//! Passes every row of an array to a learner, without a copy and without the interpreter's lock. If a row is refused, or
//! Ctrl-C stops the batch, nothing changes.

use std::time::{Duration, Instant};

use numpy::{Element, IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::generator::Generator;
use crate::model::{Model, Step};
use crate::refusal::{Refusal, exception};
use crate::table::Precision;

/// An error if the array has another number type or width, or is not contiguous.
pub(crate) fn with_rows<'py, T: Precision + Element, R: Send>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    width: usize,
    run: impl FnOnce(&[T]) -> Result<R, Refusal> + Send,
) -> PyResult<R> {
    let array: PyReadonlyArray2<'py, T> = array
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("samples have to be a 2-D array of float{}", 8 * size_of::<T>())))?;
    let [_, columns] = *array.shape() else {
        return Err(PyTypeError::new_err("samples have to be a 2-D array"));
    };
    if columns != width {
        return Err(PyValueError::new_err(format!(
            "{columns} channels in a row, the learner has {width}"
        )));
    }
    let numbers = array
        .as_slice()
        .map_err(|_| PyValueError::new_err("samples have to be contiguous, row after row"))?;
    py.detach(|| run(numbers)).map_err(|refusal| exception(py, &refusal))
}

/// To look for a signal needs the interpreter's lock, which may take time.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(100);

/// After a signal whose handler raises an exception, the next row is that exception.
pub(crate) fn samples<T>(numbers: &[T], width: usize) -> impl Iterator<Item = Result<(usize, &[T]), Refusal>> {
    let mut asked = Instant::now();
    numbers.chunks_exact(width).enumerate().map(move |row| {
        // Some rows take less time than a look at the clock.
        if row.0 % 64 == 63 && asked.elapsed() > BETWEEN_SIGNALS {
            Python::attach(|py| py.check_signals()).map_err(Refusal::Stopped)?;
            asked = Instant::now();
        }
        Ok(row)
    })
}

/// Adds the row number to a refusal.
pub(crate) fn in_row<R>(row: usize, result: Result<R, Refusal>) -> Result<R, Refusal> {
    result.map_err(|refusal| match refusal {
        Refusal::Sample(_, error) => Refusal::Sample(row, error),
        other => other,
    })
}

/// If a row is refused or a signal stops the batch, the learner is as before.
pub(crate) fn all_or_none<T: Precision, R>(
    model: &mut Box<dyn Model<T>>,
    rows: usize,
    run: impl FnOnce(&mut dyn Model<T>) -> Result<R, Refusal>,
) -> Result<R, Refusal> {
    // A refused sample leaves a learner unchanged, so one row needs no copy.
    let before = (rows > 1).then(|| model.twin());
    let result = run(&mut **model);
    if let (Err(_), Some(before)) = (&result, before) {
        *model = before;
    }
    result
}

pub(crate) fn learn<T: Precision>(model: &mut Box<dyn Model<T>>, numbers: &[T]) -> Result<(), Refusal> {
    let width = model.channels();
    all_or_none(model, numbers.len() / width, |model| {
        for sample in samples(numbers, width) {
            let (row, sample) = sample?;
            in_row(row, model.learn(sample))?;
        }
        Ok(())
    })
}

/// The score of each row.
pub(crate) fn score<T: Precision>(model: &dyn Model<T>, numbers: &[T]) -> Result<Vec<T>, Refusal> {
    let scored = samples(numbers, model.channels()).map(|sample| {
        let (row, sample) = sample?;
        in_row(row, model.score(sample))
    });
    scored.collect()
}

pub(crate) fn rows_of<T: Precision>(
    numbers: &[T],
    width: usize,
    width_out: usize,
    mut each: impl FnMut(&[T], &mut [T]) -> Result<(), Refusal>,
) -> Result<Vec<T>, Refusal> {
    let rows = numbers.len() / width;
    let mut out = vec![T::ZERO; rows * width_out];
    for sample in samples(numbers, width) {
        let (row, sample) = sample?;
        let target = out.get_mut(row * width_out..(row + 1) * width_out).unwrap_or_default();
        in_row(row, each(sample, target))?;
    }
    Ok(out)
}

pub(crate) fn matrix<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let rows = numbers.len().checked_div(columns).unwrap_or(0);
    numbers.into_pyarray(py).reshape([rows, columns])
}

/// Code, loss and expected loss of each row.
pub(crate) type Trials<T> = (Vec<T>, Vec<T>, Vec<T>);

pub(crate) fn step<T: Precision>(
    model: &mut Box<dyn Model<T>>,
    random: &mut Generator,
    numbers: &[T],
    trial: Step<T>,
) -> Result<Trials<T>, Refusal> {
    let (width, codes) = (model.channels(), model.codes());
    let rows = numbers.len() / width;
    let drawn_before = random.clone();
    let (mut loss, mut expected) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let result = all_or_none(model, rows, |model| {
        rows_of(numbers, width, codes, |sample, code| {
            let [drawn, mean] = trial(model, sample, random, code)?;
            loss.push(drawn);
            expected.push(mean);
            Ok(())
        })
    });
    if result.is_err() {
        *random = drawn_before;
    }
    Ok((result?, loss, expected))
}
