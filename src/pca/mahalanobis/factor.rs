//! The factor L of S = L·Lᵀ for the distance, and the variance of each channel if all other channels are known.
//! In: C, the mean of x xᵀ over the samples x. Out: L below the diagonal, 1/Lᵢᵢ and 1/Pᵢᵢ with P = S⁻¹.
//! Method: S = (1 − α)·C + α·μ·I, α the shrinkage and μ the mean variance; then Cholesky column by column. Pᵢᵢ is the
//! sum of the squares of column i of L⁻¹.
//! Cost: DIM³/3 multiply-adds, DIM inverse square roots and DIM divisions. Scratch: none.

use super::Mahalanobis;
use crate::Scalar;
use crate::spectrum::vector::add_scaled;

impl<T: Scalar, const DIM: usize> Mahalanobis<T, DIM> {
    /// Returns α·μ and 1 − α of S = (1 − α)·C + α·μ·I, with the shrinkage α, the mean C of x xᵀ over the samples x, and the mean
    /// variance μ of the channels.
    pub(super) fn shrunk(&self) -> (T, T) {
        let shrinkage = self.settings.shrinkage();
        let mut trace = T::ZERO;
        for i in 0..DIM {
            trace += self.matrix.data.0[i][i];
        }
        // The trace of C is a mean of ‖x‖², which is finite. Rounding, or a C restored from encoded bytes, can make the sum
        // overflow. The lower limit makes S positive definite even if C is zero.
        let mean = (trace.min(T::MAX) / T::from_usize(DIM)).max(T::MIN_POSITIVE / T::EPSILON);
        (shrinkage * mean, T::ONE - shrinkage)
    }

    /// Computes the Cholesky factor L of S = L·Lᵀ (the covariance after shrinkage), then 1/Pᵢᵢ with P = S⁻¹. If a Pᵢᵢ is not
    /// positive and finite, `separate` sets L and 1/Pᵢᵢ.
    // Three functions, so that their stack frames are not needed at the same time.
    pub(super) fn refresh(&mut self) {
        self.stale = 0;
        self.factor();
        if !self.isolate() {
            self.separate();
        }
    }

    /// Computes the Cholesky factor L of S = L·Lᵀ (the covariance after shrinkage), column by column, and 1/Lⱼⱼ in `pivots`.
    #[inline(never)]
    fn factor(&mut self) {
        let (ball, rest) = self.shrunk();
        let columns = &mut self.matrix.data.0;
        for j in 0..DIM {
            let mut square = rest * columns[j][j] + ball;
            for column in columns.iter().take(j) {
                square -= column[j] * column[j];
            }
            // If samples have produced C, `square` = Lⱼⱼ² is without rounding at least `ball` = α·μ. Rounding, or a C restored
            // from encoded bytes, can make `square` smaller: its lower limit is half of `ball`.
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

    /// Computes 1/Pᵢᵢ of every channel i, with P = S⁻¹: Pᵢᵢ is the sum of the squares of column i of L⁻¹. Returns false if a Pᵢᵢ
    /// is not positive and finite.
    #[inline(never)]
    fn isolate(&mut self) -> bool {
        let mut valid = true;
        for i in 0..DIM {
            // Column i of L⁻¹ is computed in `alone[i..]`; these entries hold no new results yet.
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

    /// Sets L and 1/Pᵢᵢ from the diagonal of S alone. Needed only if C was restored from encoded bytes with entries that no
    /// samples produce: then L can contain infinity or NaN. New samples reduce the weight of these entries.
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
