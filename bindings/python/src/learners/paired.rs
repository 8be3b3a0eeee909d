//! `PairedPca`: a sample is one row with the channels of both groups, the left group first.

use eigenstream::Scalar;
use eigenstream::pca::PairedPca;

use super::{columns, counted, fixed, image_of, only_reset, row, stored, typed, unknown};
use crate::generator::Generator;
use crate::model::{Losses, Model, Reading};
use crate::refusal::Refusal;

/// Splits a row into its two groups.
fn groups<T, const LEFT: usize, const RIGHT: usize>(sample: &[T]) -> Result<(&[T; LEFT], &[T; RIGHT]), Refusal> {
    let (left, right) = sample.split_at_checked(LEFT).unwrap_or_default();
    Ok((fixed(left)?, fixed(right)?))
}

impl<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize> Model<T> for PairedPca<T, LEFT, RIGHT, KEEP> {
    only_reset!();
    stored!();
    counted!();

    fn channels(&self) -> usize {
        LEFT + RIGHT
    }

    /// The code of a sample is one number, the expected gain.
    fn codes(&self) -> usize {
        1
    }

    fn type_name(&self) -> String {
        typed::<T>("pca::PairedPca", &[LEFT, RIGHT, KEEP])
    }

    fn learn(&mut self, sample: &[T]) -> Result<(), Refusal> {
        let (left, right) = groups(sample)?;
        Ok(Self::learn(self, left, right)?)
    }

    fn score(&self, sample: &[T]) -> Result<T, Refusal> {
        let (left, right) = groups(sample)?;
        Ok(Self::score(self, left, right)?)
    }

    fn residual(&self, sample: &[T], residual: &mut [T]) -> Result<(), Refusal> {
        let (left, right) = groups::<T, LEFT, RIGHT>(sample)?;
        let (left, right) = Self::residual(self, left, right)?;
        let (first, second) = residual.split_at_mut_checked(LEFT).unwrap_or_default();
        first.copy_from_slice(&left);
        second.copy_from_slice(&right);
        Ok(())
    }

    fn transform(&self, sample: &[T], code: &mut [T]) -> Result<(), Refusal> {
        let (left, right) = groups(sample)?;
        code.fill(self.expected_gain(left, right)?);
        Ok(())
    }

    /// The gains replace the losses.
    fn step(&mut self, sample: &[T], rng: &mut Generator, _: &mut [T]) -> Result<Losses<T>, Refusal> {
        let (left, right) = groups(sample)?;
        let trial = Self::step(self, left, right, rng)?;
        Ok([trial.gain, trial.expected_gain])
    }

    fn reading(&self, name: &str) -> Option<Reading<T>> {
        let each = |number: fn(&eigenstream::pca::Pair<'_, T, LEFT, RIGHT>) -> T| {
            row(&self.pairs().map(|pair| number(&pair)).collect::<Vec<T>>())
        };
        match name {
            "left" => Some(Reading {
                numbers: self.pairs().flat_map(|pair| *pair.left).collect(),
                columns: LEFT,
            }),
            "right" => Some(Reading {
                numbers: self.pairs().flat_map(|pair| *pair.right).collect(),
                columns: RIGHT,
            }),
            "singular_values" => each(|pair| pair.singular_value),
            "keep_probabilities" => each(|pair| pair.keep_probability),
            "opposed_probabilities" => each(|pair| pair.opposed_probability),
            "unpaired_probability" => row(&[self.unpaired_probability()]),
            // One row for each channel of the left group.
            "cross_scatter" => columns(&self.cross_scatter().transpose()),
            _ => None,
        }
    }
}
