//! Operations on the Gram matrix K of a window: rows, means, products, and scratch memory for a decomposition.
//! In: a window, and vectors with one entry for each slot. Out: rows, means and products of K, or a copy of K in scratch memory.
//! `gram` says how K is stored. Kᵢⱼ = φ(xᵢ)·φ(xⱼ), with the features φ(xᵢ) of the point in slot i.
//! Cost: about WINDOW²/2 loads of entries for each function that reads all of K.

use crate::Scalar;
use crate::kernel::{GramWindow, Kernel};
use crate::spectrum::vector::stay_rolled;
use nalgebra::SMatrix;

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// Returns row `slot` of the Gram matrix.
    pub(crate) fn gram_row(&self, slot: usize) -> [T; WINDOW] {
        let slot = slot.min(WINDOW - 1);
        // Column `slot` has the entries below the diagonal. The entries before them are row `slot`, one in each earlier column.
        let mut row = self.square.data.0[slot];
        for (entry, column) in row.iter_mut().zip(&self.square.data.0).take(slot) {
            *entry = column[slot];
        }
        row[slot] = self.norms[slot];
        row
    }

    /// Writes the mean of each row of the Gram matrix over the slots in use, zero for unused slots. Returns the mean of all
    /// entries of the slots in use.
    pub(crate) fn row_means(&self, means: &mut [T; WINDOW]) -> T {
        *means = self.norms;
        for column in 0..WINDOW {
            let mut sum = T::ZERO;
            for row in column + 1..WINDOW {
                stay_rolled();
                let entry = self.square.data.0[column][row];
                sum += entry;
                means[row] += entry;
            }
            means[column] += sum;
        }
        let share = T::ONE / T::from_usize(self.len.max(1));
        let mut total = T::ZERO;
        for mean in means.iter_mut() {
            stay_rolled();
            *mean *= share;
            total += *mean;
        }
        total * share
    }

    /// Copies K/`unit` (K: Gram matrix) to the diagonal of `square` and to the triangle above the diagonal, and returns `square`.
    /// The caller may overwrite only the diagonal and this triangle.
    pub(crate) fn lend(&mut self, unit: T) -> &mut SMatrix<T, WINDOW, WINDOW> {
        let factor = T::ONE / unit;
        let columns = &mut self.square.data.0;
        for column in 0..WINDOW {
            columns[column][column] = self.norms[column] * factor;
            for row in 0..column {
                columns[column][row] = columns[row][column] * factor;
            }
        }
        &mut self.square
    }

    /// Like `lend`, with (Kᵢⱼ − sᵢ − sⱼ)/`unit` for slots in use, s = `shifts`, and zero in unused slots. If sᵢ is the mean of
    /// row i minus half the mean of all entries, the result is the centred K divided by `unit`.
    pub(crate) fn lend_shifted(&mut self, unit: T, shifts: &[T; WINDOW]) -> &mut SMatrix<T, WINDOW, WINDOW> {
        let factor = T::ONE / unit;
        let columns = &mut self.square.data.0;
        for column in 0..WINDOW {
            let used = column < self.len;
            let shift = if used { shifts[column] } else { T::ZERO };
            for row in 0..column {
                let entry = columns[row][column];
                columns[column][row] = if used {
                    (entry - shifts[row] - shift) * factor
                } else {
                    T::ZERO
                };
            }
            columns[column][column] = (self.norms[column] - shift - shift) * factor;
        }
        &mut self.square
    }

    /// Returns wᵀK w = ‖Σ wᵢφ(xᵢ)‖², with w = `weights`.
    pub(crate) fn quadratic_form(&self, weights: &[T; WINDOW]) -> T {
        let mut sum = T::ZERO;
        let columns = self.square.data.0.iter().zip(weights).zip(&self.norms);
        for (column, ((entries, &weight), &norm)) in columns.enumerate() {
            let below = entries.iter().zip(weights).skip(column).skip(1);
            let mut product = T::ZERO;
            for (&entry, &other) in below {
                product += entry * other;
            }
            sum += weight * (T::TWO * product + norm * weight);
        }
        sum
    }

    /// Returns one entry of the Gram matrix, or zero if there is no such slot.
    pub(crate) fn entry(&self, row: usize, column: usize) -> T {
        let (low, high) = if row < column { (row, column) } else { (column, row) };
        let entry = if low == high {
            self.norms.get(low)
        } else {
            self.square.data.0.get(low).and_then(|column| column.get(high))
        };
        entry.copied().unwrap_or(T::ZERO)
    }
}

/// Returns `entry` − `mean` − `other_mean` + `total`, the centred entry of a Gram matrix. `mean` and `other_mean` are the means
/// of the row and of the column of the entry, `total` is the mean of the whole matrix.
pub(in crate::kernel) fn centred<T: Scalar>(entry: T, mean: T, other_mean: T, total: T) -> T {
    (entry - mean) - (other_mean - total)
}

/// Centres the first `used` entries of `row`, the kernel values of a sample with the points. `means` are the row means of K and
/// `total` is the mean μ of all entries of K. A caller may instead pass `means` and `total` with μ/2 subtracted from each number:
/// up to rounding, the centred entries are equal. Returns the mean of the first `used` entries before centring.
pub(in crate::kernel) fn center_row<T: Scalar>(row: &mut [T], used: usize, means: &[T], total: T) -> T {
    let mut sum = T::ZERO;
    for &entry in row.iter().take(used) {
        stay_rolled();
        sum += entry;
    }
    let mean = sum / T::from_usize(used.max(1));
    for (entry, &row_mean) in row.iter_mut().zip(means).take(used) {
        stay_rolled();
        *entry = centred(*entry, mean, row_mean, total);
    }
    mean
}

/// Returns the number of leading eigenvalues that count as larger than rounding error: above 1e-6 (`f32`) or 1e-11 (`f64`) times
/// the largest, and above the smallest normal number. `values` are the eigenvalues of a Gram matrix, descending.
#[inline(never)]
pub(in crate::kernel) fn in_range<T: Scalar>(values: &[T]) -> usize {
    // The relative rounding error of an entry of a Gram matrix can be 6e-8 (`f32`) or 1e-16 (`f64`), or a multiple of this. So
    // an eigenvalue of at most `part` times the largest can consist of rounding error alone.
    let part = if T::EPSILON > T::from_f64(1e-10) { 1e-6 } else { 1e-11 };
    let largest = values.first().copied().unwrap_or(T::ZERO);
    let floor = (T::from_f64(part) * largest).max(T::MIN_POSITIVE);
    values.iter().take_while(|&&value| value > floor).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Linear;

    /// Compares `quadratic_form` with the product of the full matrix. All numbers are whole, so all products are exact.
    fn check<const WINDOW: usize>() {
        let mut window = GramWindow::<f32, _, 2, WINDOW>::new(Linear);
        for step in 0..WINDOW + 2 {
            assert!(window.push(&[(step % 5) as f32, (step % 3) as f32 - 1.0]).is_ok());
            let weights: [f32; WINDOW] = core::array::from_fn(|slot| (slot % 4) as f32 - 1.0);
            let vector = nalgebra::SVector::from(weights);
            let mut gram = SMatrix::zeros();
            window.gram(&mut gram);
            assert_eq!(window.quadratic_form(&weights), vector.dot(&(gram * vector)));
        }
    }

    #[test]
    fn products_with_the_half_that_is_stored_are_those_with_the_whole() {
        check::<1>();
        check::<4>();
        check::<9>();
    }
}
