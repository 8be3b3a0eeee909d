//! Implements [`Model`](crate::model::Model) for the learners of the crate.

mod kernel;
mod linear;
mod monitor;
mod paired;

pub(crate) use kernel::BatchKernel;

use eigenstream::nalgebra::SMatrix;
use eigenstream::{Codec, Scalar};

use crate::model::Reading;
use crate::refusal::Refusal;

/// The caller has checked the length.
fn fixed<T, const LENGTH: usize>(numbers: &[T]) -> Result<&[T; LENGTH], Refusal> {
    <&[T; LENGTH]>::try_from(numbers).map_err(|_| Refusal::Type(format!("{} numbers, not {LENGTH}", numbers.len())))
}

fn unknown(command: &str) -> Refusal {
    Refusal::Type(format!("this learner has no command {command:?}"))
}

fn typed<T>(path: &str, sizes: &[usize]) -> String {
    let sizes: String = sizes.iter().map(|size| format!(", {size}")).collect();
    format!("{path}<f{}{sizes}>", 8 * size_of::<T>())
}

/// The image of a learner.
fn image_of<L: Codec>(learner: &L) -> Result<Vec<u8>, Refusal> {
    let mut image = vec![0; L::ENCODED_LEN];
    let length = learner.encode(&mut image)?;
    image.truncate(length);
    Ok(image)
}

fn columns<T: Scalar, const ROWS: usize, const COLUMNS: usize>(
    matrix: &SMatrix<T, ROWS, COLUMNS>,
) -> Option<Reading<T>> {
    Some(Reading {
        numbers: matrix.as_slice().to_vec(),
        columns: ROWS,
    })
}

/// A reading with one row.
fn row<T: Scalar>(numbers: &[T]) -> Option<Reading<T>> {
    Some(Reading {
        numbers: numbers.to_vec(),
        columns: numbers.len(),
    })
}

/// A matrix that `write` fills.
fn written<T: Scalar, const DIM: usize>(write: impl FnOnce(&mut SMatrix<T, DIM, DIM>)) -> Option<Reading<T>> {
    let mut matrix = SMatrix::from_element(T::ZERO);
    write(&mut matrix);
    columns(&matrix)
}

/// The calls that all learners of single samples have.
macro_rules! shared_calls {
    ($dim:expr, $keep:expr) => {
        fn channels(&self) -> usize {
            $dim
        }

        fn codes(&self) -> usize {
            $keep
        }

        fn learn(&mut self, sample: &[T]) -> Result<(), Refusal> {
            Ok(Self::learn(self, fixed(sample)?)?)
        }

        fn score(&self, sample: &[T]) -> Result<T, Refusal> {
            Ok(Self::score(self, fixed(sample)?)?)
        }

        fn residual(&self, sample: &[T], residual: &mut [T]) -> Result<(), Refusal> {
            residual.copy_from_slice(&Self::residual(self, fixed(sample)?)?);
            Ok(())
        }

        fn transform(&self, sample: &[T], code: &mut [T]) -> Result<(), Refusal> {
            code.copy_from_slice(&Self::transform(self, fixed(sample)?)?);
            Ok(())
        }

        stored!();
    };
}

macro_rules! stored {
    () => {
        fn encode(&self) -> Result<Vec<u8>, Refusal> {
            image_of(self)
        }

        fn twin(&self) -> Box<dyn Model<T>> {
            Box::new(self.clone())
        }
    };
}

macro_rules! only_reset {
    () => {
        fn command(&mut self, name: &str) -> Result<bool, Refusal> {
            match name {
                "reset" => self.reset(),
                _ => return Err(unknown(name)),
            }
            Ok(true)
        }
    };
}

macro_rules! counted {
    () => {
        fn count(&self, name: &str) -> Option<u64> {
            (name == "samples_seen").then(|| self.samples_seen())
        }
    };
}

macro_rules! drawn_step {
    () => {
        fn step(&mut self, sample: &[T], rng: &mut Generator, code: &mut [T]) -> Result<Losses<T>, Refusal> {
            let trial = Self::step(self, fixed(sample)?, rng)?;
            code.copy_from_slice(&trial.code);
            Ok([trial.loss, trial.expected_loss])
        }

        fn step_with_corners(
            &mut self,
            sample: &[T],
            rng: &mut Generator,
            code: &mut [T],
        ) -> Result<Losses<T>, Refusal> {
            let trial = Self::step_with_corners(self, fixed(sample)?, rng)?;
            code.copy_from_slice(&trial.code);
            Ok([trial.loss, trial.expected_loss])
        }
    };
}

/// Computes the sample that a code represents.
macro_rules! inverse {
    () => {
        fn inverse_transform(&self, code: &[T], sample: &mut [T]) -> Result<(), Refusal> {
            sample.copy_from_slice(&Self::inverse_transform(self, fixed(code)?)?);
            Ok(())
        }
    };
}

/// Merges a learner of the same type.
macro_rules! merged {
    () => {
        fn merge(&mut self, other: &dyn Model<T>) -> Result<(), Refusal> {
            let other: &dyn Any = other;
            match other.downcast_ref::<Self>() {
                Some(other) => Ok(Self::merge(self, other)?),
                None => Err(Refusal::Type(
                    "only a learner of the same type and sizes is merged".into(),
                )),
            }
        }
    };
}

use {counted, drawn_step, inverse, merged, only_reset, shared_calls, stored};
