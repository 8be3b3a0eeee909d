//! The linear learners.

use std::any::Any;

use eigenstream::Scalar;
use eigenstream::hebbian::Gha;
use eigenstream::pca::{BatchPca, CenteredPca, DensityPca, TrackingPca};
use eigenstream::spectrum::Convergence;

use super::{
    columns, counted, drawn_step, fixed, image_of, inverse, merged, only_reset, row, shared_calls, stored, typed,
    unknown, written,
};
use crate::generator::Generator;
use crate::model::{Losses, Model, Reading};
use crate::refusal::Refusal;

/// The readings of a learner whose loss has a bound.
macro_rules! certified_readings {
    () => {
        fn reading(&self, name: &str) -> Option<Reading<T>> {
            match name {
                "components" => columns(&self.components()),
                "keep_probabilities" => row(&self.keep_probabilities()),
                "evidence" => row(&self.evidence()),
                "density" => written(|matrix| self.density(matrix)),
                "excess" => row(&[self.excess()]),
                _ => None,
            }
        }
    };
}

impl<T: Scalar, const DIM: usize, const KEEP: usize, const RANK: usize> Model<T> for TrackingPca<T, DIM, KEEP, RANK> {
    shared_calls!(DIM, KEEP);
    drawn_step!();
    certified_readings!();
    only_reset!();
    inverse!();
    counted!();
    merged!();

    fn type_name(&self) -> String {
        typed::<T>("pca::TrackingPca", &[DIM, KEEP, RANK])
    }

    fn start_from(&mut self, batch: &dyn Model<T>) -> Result<(), Refusal> {
        let batch: &dyn Any = batch;
        let Some(batch) = batch.downcast_ref::<BatchPca<T, DIM, KEEP>>() else {
            return Err(Refusal::Type(
                "a start is a BatchPca of the same channels, keep and dtype".into(),
            ));
        };
        Ok(self.start_from_batch(batch)?)
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Model<T> for DensityPca<T, DIM, KEEP> {
    shared_calls!(DIM, KEEP);
    drawn_step!();
    certified_readings!();
    only_reset!();
    inverse!();
    counted!();

    fn type_name(&self) -> String {
        typed::<T>("pca::DensityPca", &[DIM, KEEP])
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Model<T> for CenteredPca<T, DIM, KEEP> {
    shared_calls!(DIM, KEEP);
    drawn_step!();
    only_reset!();
    inverse!();
    counted!();
    merged!();

    fn type_name(&self) -> String {
        typed::<T>("pca::CenteredPca", &[DIM, KEEP])
    }

    fn reading(&self, name: &str) -> Option<Reading<T>> {
        match name {
            "components" => columns(&self.components()),
            "keep_probabilities" => row(&self.keep_probabilities()),
            "density" => written(|matrix| self.density(matrix)),
            "scatter" => written(|matrix| self.scatter(matrix)),
            "mean" => row(self.mean().as_slice()),
            "explained_variance" => row(&self.explained_variance()),
            "explained_variance_ratio" => row(&self.explained_variance_ratio()),
            _ => None,
        }
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Model<T> for BatchPca<T, DIM, KEEP> {
    shared_calls!(DIM, KEEP);
    inverse!();
    counted!();
    merged!();

    fn type_name(&self) -> String {
        typed::<T>("pca::BatchPca", &[DIM, KEEP])
    }

    fn reading(&self, name: &str) -> Option<Reading<T>> {
        match name {
            "components" => columns(&self.components()),
            "mean" => row(self.mean().as_slice()),
            "eigenvalues" => row(self.eigenvalues().as_slice()),
            "explained_variance" => row(&self.explained_variance()),
            "explained_variance_ratio" => row(&self.explained_variance_ratio()),
            "loss" => row(&[self.loss()]),
            _ => None,
        }
    }

    fn command(&mut self, name: &str) -> Result<bool, Refusal> {
        match name {
            "fit" => return Ok(self.fit() == Convergence::Reached),
            "reset" => self.reset(),
            _ => return Err(unknown(name)),
        }
        Ok(true)
    }
}

impl<T: Scalar, const DIM: usize, const KEEP: usize> Model<T> for Gha<T, DIM, KEEP> {
    shared_calls!(DIM, KEEP);
    only_reset!();
    inverse!();
    counted!();

    fn type_name(&self) -> String {
        typed::<T>("hebbian::Gha", &[DIM, KEEP])
    }

    /// This learner does not draw: its loss is also its expected loss.
    fn step(&mut self, sample: &[T], _: &mut Generator, code: &mut [T]) -> Result<Losses<T>, Refusal> {
        let response = Self::step(self, fixed(sample)?)?;
        code.copy_from_slice(&response.code);
        Ok([response.loss; 2])
    }

    fn reading(&self, name: &str) -> Option<Reading<T>> {
        match name {
            "components" => columns(&self.components()),
            _ => None,
        }
    }
}
