//! The distance of a sample from the relation that a [`PairedPca`] has learned.
//! Out: Σ (vᵢ·y − βᵢ·uᵢ·x)² + (uᵢ·x − β′ᵢ·vᵢ·y)² over the `KEEP` leading pairs.
//! Method: βᵢ = uᵢᵀM vᵢ / uᵢᵀA uᵢ and β′ᵢ = uᵢᵀM vᵢ / vᵢᵀB vᵢ are slopes of least squares without offset. A
//! combination that was always zero has slope zero.
//! Cost: KEEP·(LEFT² + RIGHT²)/2 multiply-adds for the slopes, per learned sample; 2·KEEP·(LEFT + RIGHT) for a
//! distance.

use super::{PairedPca, energies_of, in_right_group};
use crate::learner::refusal;
use crate::spectrum::symmetric::{quadratic_form, trace};
use crate::spectrum::vector::{add_scaled, dot};
use crate::{Learner, SampleError, Scalar};

impl<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize> PairedPca<T, LEFT, RIGHT, KEEP> {
    /// The squared distance of a sample from the relation of the `KEEP` leading pairs.
    ///
    /// # Errors
    /// [`SampleError`]; channel i of `right` has the number `LEFT` + i.
    pub fn score(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<T, SampleError> {
        let (left, right) = self.residual(left, right)?;
        Ok(dot(&left, &left) + dot(&right, &right))
    }

    /// The unexpected part of each channel of both groups; the squares sum to the [`score`](Self::score).
    ///
    /// # Errors
    /// [`SampleError`]; channel i of `right` has the number `LEFT` + i.
    pub fn residual(&self, left: &[T; LEFT], right: &[T; RIGHT]) -> Result<([T; LEFT], [T; RIGHT]), SampleError> {
        energies_of(left, right)?;
        let mut residual = ([T::ZERO; LEFT], [T::ZERO; RIGHT]);
        for ((u, v, _), &[forward, backward]) in self.svd.pairs().zip(&self.slopes) {
            let (x, y) = (dot(u, left), dot(v, right));
            add_scaled(&mut residual.0, x - backward * y, u);
            add_scaled(&mut residual.1, y - forward * x, v);
        }
        // A steep slope times a large sample can overflow: `right` through `residual.0`, `left` through `residual.1`.
        // The error names the largest channel of that group.
        if dot(&residual.0, &residual.0) + dot(&residual.1, &residual.1) <= T::MAX {
            Ok(residual)
        } else if dot(&residual.0, &residual.0) <= T::MAX {
            Err(refusal(left))
        } else {
            Err(in_right_group::<LEFT>(refusal(right)))
        }
    }

    pub(super) fn relate(&mut self) {
        let Self {
            left_scatter,
            right_scatter,
            svd,
            slopes,
            ..
        } = self;
        // A smaller energy can be the rounding error of the sums alone.
        let rounding = T::from_usize(4 * (LEFT + RIGHT)) * T::EPSILON;
        let (least_left, least_right) = (rounding * trace(left_scatter), rounding * trace(right_scatter));
        for (slopes, (u, v, value)) in slopes.iter_mut().zip(svd.pairs()) {
            *slopes = [
                slope(value, quadratic_form(left_scatter, u), least_left),
                slope(value, quadratic_form(right_scatter, v), least_right),
            ];
        }
    }
}

/// At most `MAX`; zero if `energy` is at most `least`.
fn slope<T: Scalar>(value: T, energy: T, least: T) -> T {
    if energy > least {
        (value / energy).min(T::MAX)
    } else {
        T::ZERO
    }
}

/// A `DIM` other than LEFT + RIGHT does not compile.
impl<T: Scalar, const LEFT: usize, const RIGHT: usize, const KEEP: usize, const DIM: usize> Learner<T, DIM>
    for PairedPca<T, LEFT, RIGHT, KEEP>
{
    fn score(&self, sample: &[T; DIM]) -> Result<T, SampleError> {
        let (left, right) = split(sample);
        self.score(&left, &right)
    }

    fn residual(&self, sample: &[T; DIM]) -> Result<[T; DIM], SampleError> {
        let (left, right) = split(sample);
        let (left, right) = self.residual(&left, &right)?;
        let mut whole = [T::ZERO; DIM];
        for (whole, part) in whole.iter_mut().zip(left.into_iter().chain(right)) {
            *whole = part;
        }
        Ok(whole)
    }

    fn learn(&mut self, sample: &[T; DIM]) -> Result<(), SampleError> {
        let (left, right) = split(sample);
        self.learn(&left, &right)
    }

    fn forget(&mut self) {
        self.reset();
    }
}

fn split<T: Scalar, const LEFT: usize, const RIGHT: usize, const DIM: usize>(
    sample: &[T; DIM],
) -> ([T; LEFT], [T; RIGHT]) {
    const {
        assert!(
            LEFT + RIGHT == DIM,
            "a sample holds the channels of both groups: DIM = LEFT + RIGHT"
        )
    };
    let (mut left, mut right) = ([T::ZERO; LEFT], [T::ZERO; RIGHT]);
    for (target, &value) in left.iter_mut().chain(&mut right).zip(sample) {
        *target = value;
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pca::PairedSettings;

    #[test]
    fn the_score_is_that_of_the_slow_way() -> Result<(), SampleError> {
        let mut pairs = PairedPca::<f64, 3, 2, 2>::new(PairedSettings::DEFAULT);
        let samples = [
            ([1.0, 0.5, -0.25], [0.75, 1.0]),
            ([-0.5, 1.0, 0.5], [0.25, -1.0]),
            ([0.25, 0.25, 1.0], [-0.5, 0.5]),
        ];
        for (left, right) in &samples {
            pairs.learn(left, right)?;
        }
        let (x, y) = ([0.3, -0.2, 0.9], [1.5, 0.1]);
        let mut wanted = 0.0;
        for pair in pairs.pairs() {
            let (mut left_energy, mut right_energy) = (0.0, 0.0);
            for (left, right) in &samples {
                left_energy += dot(pair.left, left).powi(2);
                right_energy += dot(pair.right, right).powi(2);
            }
            let (along_x, along_y) = (dot(pair.left, &x), dot(pair.right, &y));
            wanted += (along_y - pair.singular_value / left_energy * along_x).powi(2);
            wanted += (along_x - pair.singular_value / right_energy * along_y).powi(2);
        }
        assert!((pairs.score(&x, &y)? - wanted).abs() < 1e-13);
        let residual: [f64; 5] = Learner::residual(&pairs, &[0.3, -0.2, 0.9, 1.5, 0.1])?;
        assert!((dot(&residual, &residual) - wanted).abs() < 1e-13);
        Ok(())
    }

    #[test]
    fn a_channel_that_never_moved_predicts_nothing() -> Result<(), SampleError> {
        let mut pairs = PairedPca::<f32, 2, 2, 2>::new(PairedSettings::DEFAULT);
        pairs.learn(&[1.0, 0.0], &[2.0, 0.0])?;
        assert_eq!(pairs.slopes, [[2.0, 0.5], [0.0, 0.0]]);
        // The second pair has slope zero and counts in full: 3² + 4².
        assert_eq!(pairs.score(&[1.0, 3.0], &[2.0, 4.0])?, 25.0);
        Ok(())
    }

    #[test]
    fn channels_of_the_right_group_are_counted_on() {
        let pairs = PairedPca::<f32, 2, 2, 1>::new(PairedSettings::DEFAULT);
        let refused = Learner::score(&pairs, &[0.0, 0.0, 0.0, f32::NAN]);
        assert_eq!(refused, Err(SampleError::NotANumber { channel: 3 }));
    }
}
