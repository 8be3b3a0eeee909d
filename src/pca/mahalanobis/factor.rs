//! The Cholesky factor L of S, column by column, and the variance 1/Pᵢᵢ of each channel if all others are known (P =
//! S⁻¹).
//! Pᵢᵢ is the sum of the squares of column i of L⁻¹.
//! Cost: DIM³/3 multiply-adds, DIM inverse square roots and DIM divisions. Scratch: none.

use super::Mahalanobis;
use crate::Scalar;
use crate::spectrum::vector::add_scaled;

impl<T: Scalar, const DIM: usize> Mahalanobis<T, DIM> {
    /// Returns α·μ and 1 − α.
    pub(super) fn shrunk(&self) -> (T, T) {
        let shrinkage = self.settings.shrinkage();
        let mut trace = T::ZERO;
        for i in 0..DIM {
            trace += self.matrix.data.0[i][i];
        }
        // Rounding or a decoded C can make the sum overflow. The lower limit makes S positive definite even if C is
        // zero.
        let mean = (trace.min(T::MAX) / T::from_usize(DIM)).max(T::MIN_POSITIVE / T::EPSILON);
        (shrinkage * mean, T::ONE - shrinkage)
    }

    /// Computes L and 1/Pᵢᵢ from C.
    // Three functions, so that their stack frames are not needed at the same time.
    pub(super) fn refresh(&mut self) {
        self.stale = 0;
        self.factor();
        if !self.isolate() {
            self.separate();
        }
    }

    /// Computes L, and 1/Lⱼⱼ in `pivots`.
    #[inline(never)]
    fn factor(&mut self) {
        let (ball, rest) = self.shrunk();
        let columns = &mut self.matrix.data.0;
        for j in 0..DIM {
            let mut square = rest * columns[j][j] + ball;
            for column in columns.iter().take(j) {
                square -= column[j] * column[j];
            }
            // Lⱼⱼ² is at least `ball` = α·μ, except by rounding or with a decoded C.
            let pivot = square.max(T::HALF * ball).inverse_sqrt();
            self.pivots[j] = pivot;
            for i in j + 1..DIM {
                let mut entry = rest * columns[i][j];
                for column in columns.iter().take(j) {
                    entry -= column[i] * column[j];
                }
                columns[j][i] = entry * pivot;
            }
        }
    }

    /// Computes 1/Pᵢᵢ; false if a Pᵢᵢ is not positive and finite.
    #[inline(never)]
    fn isolate(&mut self) -> bool {
        let mut valid = true;
        for i in 0..DIM {
            // Column i of L⁻¹ is computed in `alone[i..]`, which holds no results yet.
            for (k, place) in self.alone.iter_mut().enumerate().skip(i) {
                *place = if k == i { T::ONE } else { T::ZERO };
            }
            let mut precision = T::ZERO;
            for k in i..DIM {
                let column = self.matrix.data.0.get(k).and_then(|column| column.get(k + 1..));
                if let Some((upper, lower)) = self.alone.split_at_mut_checked(k + 1)
                    && let (Some(value), Some(factor)) = (upper.last_mut(), column)
                {
                    *value *= self.pivots[k];
                    precision += *value * *value;
                    add_scaled(lower, -*value, factor);
                }
            }
            self.alone[i] = T::ONE / precision;
            valid &= precision > T::ZERO && precision.is_finite();
        }
        valid
    }

    /// Takes S for diagonal. Needed only for a decoded C that no samples produce.
    #[cold]
    fn separate(&mut self) {
        let (ball, rest) = self.shrunk();
        for i in 0..DIM {
            let column = &mut self.matrix.data.0[i];
            let variance = (rest * column[i] + ball).min(T::MAX);
            self.pivots[i] = variance.inverse_sqrt();
            self.alone[i] = variance;
            for entry in column.iter_mut().skip(i).skip(1) {
                *entry = T::ZERO;
            }
        }
    }
}
