//! The newest samples of a stream, and the kernel value of each pair.
//! In: samples. Out: the newest `WINDOW` of them and their Gram matrix K.
//! Method: a ring of slots; each sample gives one row of K.
//! Cost: one kernel call for each point, and one k(x, x). Kept: WINDOW² + WINDOW·(DIM + 1) numbers, two counts and the
//! kernel. `square` has K below its diagonal; the rest is scratch for a decomposition.

use super::Kernel;
use super::points::{Points, checked_norm};
use crate::codec::{StoredKernel, stored, validate};
use crate::spectrum::vector::stay_rolled;
use crate::{CodecError, MergeError, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// A window of at most `WINDOW` samples of `DIM` channels, with their Gram matrix.
///
/// With any function as the kernel, the matrix is finite and satisfies |k(x, y)|² ≤ k(x, x)·k(y, y) up to rounding and
/// underflow:
/// - A sample is refused if ‖x‖² or 4·WINDOW·k(x, x) is not finite, so no sum over the window overflows.
/// - A negative k(x, x) and a NaN k(x, y) become zero.
/// - A k(x, y) of larger magnitude than √(k(x, x)·k(y, y)) becomes this root, with the sign of k(x, y).
///
/// ```
/// use eigenstream::{kernel::{GramWindow, Linear}, nalgebra::SMatrix};
///
/// let mut window = GramWindow::<f32, _, 2, 2>::new(Linear);
/// window.push(&[1.0, 0.0])?;
/// window.push(&[3.0, 4.0])?;
/// window.push(&[0.0, 2.0])?; // replaces the first sample
/// let mut gram = SMatrix::zeros();
/// window.gram(&mut gram);
/// assert_eq!(gram, SMatrix::from([[4.0, 8.0], [8.0, 25.0]]));
/// assert!(window.oldest_first().eq([&[3.0, 4.0], &[0.0, 2.0]]));
/// # Ok::<(), eigenstream::SampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GramWindow<T, K, const DIM: usize, const WINDOW: usize> {
    kernel: K,
    points: [[T; DIM]; WINDOW],
    /// The diagonal of K; zero in unused slots.
    pub(super) norms: [T; WINDOW],
    /// K below the diagonal, `square.data.0[column][row]` with row > column; zero in unused slots. The rest is scratch.
    pub(super) square: SMatrix<T, WINDOW, WINDOW>,
    /// The number of slots in use; these are the first slots.
    pub(super) len: usize,
    next_slot: usize,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// An empty window.
    ///
    /// `WINDOW` = 0 does not compile:
    ///
    /// ```compile_fail,E0080
    /// use eigenstream::kernel::{GramWindow, Linear};
    /// let window = GramWindow::<f32, Linear, 2, 0>::new(Linear);
    /// ```
    #[must_use]
    pub const fn new(kernel: K) -> Self {
        const { assert!(WINDOW > 0, "a window has at least one slot: WINDOW >= 1") };
        Self {
            kernel,
            points: [[T::ZERO; DIM]; WINDOW],
            norms: [T::ZERO; WINDOW],
            square: SMatrix::from_array_storage(ArrayStorage([[T::ZERO; WINDOW]; WINDOW])),
            len: 0,
            next_slot: 0,
        }
    }

    /// Stores a sample and returns its slot; a full window loses its oldest sample.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn push(&mut self, sample: &[T; DIM]) -> Result<usize, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.row(sample, &mut row)?;
        Ok(self.store(sample, norm, &row))
    }

    /// Writes k(xᵢ, x), limited as in the Gram matrix, for each slot, and returns k(x, x).
    ///
    /// Unused slots get zero.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn row(&self, sample: &[T; DIM], row: &mut [T; WINDOW]) -> Result<T, SampleError> {
        self.as_points().row(sample, row)
    }

    /// [`push`](Self::push) of a sample for which [`row`](Self::row) has computed `norm` and `row`.
    pub(crate) fn store(&mut self, sample: &[T; DIM], norm: T, row: &[T; WINDOW]) -> usize {
        let slot = self.next_slot.min(WINDOW - 1);
        if let (Some(own_point), Some(own_norm)) = (self.points.get_mut(slot), self.norms.get_mut(slot)) {
            *own_point = *sample;
            *own_norm = norm;
        }
        for (other, &entry) in row.iter().enumerate() {
            let (column, row) = if other < slot { (other, slot) } else { (slot, other) };
            let place = self
                .square
                .data
                .0
                .get_mut(column)
                .and_then(|column| column.get_mut(row));
            if let Some(place) = place
                && other != slot
            {
                *place = entry;
            }
        }
        self.len = self.len.max(slot + 1);
        self.next_slot = if slot + 1 < WINDOW { slot + 1 } else { 0 };
        slot
    }

    /// The slot of the next sample.
    pub(crate) const fn next_slot(&self) -> usize {
        self.next_slot
    }

    /// The number of samples in the window.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether the window contains no sample.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the next sample replaces the oldest.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.len == WINDOW
    }

    /// The samples in the order of their slots, which is the order of the rows of the Gram matrix.
    #[must_use]
    pub fn points(&self) -> &[[T; DIM]] {
        self.points.get(..self.len).unwrap_or_default()
    }

    /// The samples from the oldest to the newest.
    ///
    /// ```
    /// use eigenstream::kernel::{GramWindow, Linear};
    /// let mut window = GramWindow::<f32, _, 1, 2>::new(Linear);
    /// for value in [1.0, 2.0, 3.0] {
    ///     window.push(&[value])?;
    /// }
    /// assert_eq!(window.points(), [[3.0], [2.0]]);
    /// assert!(window.oldest_first().eq([&[2.0], &[3.0]]));
    /// # Ok::<(), eigenstream::SampleError>(())
    /// ```
    pub fn oldest_first(&self) -> impl Iterator<Item = &[T; DIM]> {
        let oldest = if self.is_full() { self.next_slot } else { 0 };
        let (newer, older) = self.points().split_at_checked(oldest).unwrap_or_default();
        older.iter().chain(newer)
    }

    /// Writes the whole Gram matrix; the rows and columns of unused slots are zero.
    pub fn gram(&self, matrix: &mut SMatrix<T, WINDOW, WINDOW>) {
        let (target, source) = (&mut matrix.data.0, &self.square.data.0);
        for column in 0..WINDOW {
            target[column][column] = self.norms[column];
            for row in column + 1..WINDOW {
                let entry = source[column][row];
                target[column][row] = entry;
                target[row][column] = entry;
            }
        }
    }

    /// The diagonal of the Gram matrix, k(xᵢ, xᵢ) by slot; zero in unused slots.
    #[must_use]
    pub const fn norms(&self) -> &[T; WINDOW] {
        &self.norms
    }

    pub(crate) fn as_points(&self) -> Points<'_, T, K, DIM, WINDOW> {
        Points {
            kernel: &self.kernel,
            points: self.points(),
            norms: &self.norms,
        }
    }

    /// The kernel of the window.
    #[must_use]
    pub const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// Removes all samples.
    pub fn clear(&mut self) {
        self.points = [[T::ZERO; DIM]; WINDOW];
        self.norms = [T::ZERO; WINDOW];
        for column in &mut self.square.data.0 {
            column.fill(T::ZERO);
        }
        self.len = 0;
        self.next_slot = 0;
    }

    pub(super) fn gram_row(&self, slot: usize) -> [T; WINDOW] {
        let slot = slot.min(WINDOW - 1);
        // The entries before the diagonal are in the earlier columns.
        let mut row = self.square.data.0[slot];
        for (entry, column) in row.iter_mut().zip(&self.square.data.0).take(slot) {
            *entry = column[slot];
        }
        row[slot] = self.norms[slot];
        row
    }

    /// Writes the mean of each row over the slots in use, and returns the mean of all entries.
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

    /// Returns `square` with K/`unit` on the diagonal and above; the caller may overwrite only these entries.
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

    /// [`lend`](Self::lend) with (Kᵢⱼ − sᵢ − sⱼ)/`unit` in place of K/`unit`, with s = `shifts`. This is the centred
    /// K/`unit` if sᵢ is the mean of row i minus half the mean of all entries.
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

    /// wᵀK w = ‖Σ wᵢφ(xᵢ)‖², with w = `weights`.
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

    /// An entry of K; zero for slots that do not exist.
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

impl<T: Scalar, K: Kernel<T, DIM> + PartialEq, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// Adds the points of `other`, oldest first; all points of this window stay.
    ///
    /// The order of several merges changes only the order of the points. After an error nothing has changed.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the kernels differ, [`MergeError::Room`] if there are more than `WINDOW` points, and
    /// [`MergeError::Overflow`] for a point that this window refuses: the two equal kernels then give different values.
    ///
    /// ```
    /// use eigenstream::kernel::{GramWindow, KernelMean, Linear};
    /// use eigenstream::MergeError;
    /// let mut window = GramWindow::<f32, _, 1, 4>::new(Linear);
    /// let mut other = window.clone();
    /// window.push(&[1.0])?;
    /// (0..2).try_for_each(|_| other.push(&[4.0]).map(drop))?;
    /// window.merge(&other)?;
    /// assert_eq!(KernelMean::of(&window).value(&[1.0])?, 3.0);
    /// assert_eq!(window.merge(&other), Err(MergeError::Room { needed: 5, capacity: 4 }));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.kernel != other.kernel {
            return Err(MergeError::Settings);
        }
        let needed = self.len.wrapping_add(other.len);
        if needed > WINDOW {
            return Err(MergeError::Room {
                needed,
                capacity: WINDOW,
            });
        }
        for point in other.points() {
            checked_norm::<_, _, DIM, WINDOW>(&self.kernel, point).map_err(|_| MergeError::Overflow)?;
        }
        for point in other.oldest_first() {
            let _ = self.push(point);
        }
        Ok(())
    }
}

stored!(
    [T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const WINDOW: usize]
    GramWindow<T, K, DIM, WINDOW>: Gram [DIM, WINDOW] of T with (K::NUMBER) {
        kernel, points, len, next_slot
    }
    renewed { norms, square }
    if compare
);

impl<T: Scalar, K: Kernel<T, DIM> + StoredKernel, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// Computes K from the points, because the image does not contain it: for 64 points of 20 channels in `f32`, the
    /// points take 5 kB, and `square` 16 kB. The result is bit for bit that of the saved window, because k(x, y) and
    /// k(y, x) are equal for every kernel with an image.
    fn compare(&mut self) -> Result<(), CodecError> {
        let (len, next_slot) = (self.len, self.next_slot);
        // In a ring that is not full, the oldest sample is in the first slot.
        let full = len == WINDOW && next_slot < WINDOW;
        validate::accept(full || (len < WINDOW && next_slot == len), CodecError::Count)?;
        (self.len, self.next_slot) = (0, 0);
        let mut compared = Ok(());
        for slot in 0..len.min(WINDOW) {
            // The slot of this `push` is `slot`.
            let point = self.points[slot];
            if self.push(&point).is_err() {
                compared = Err(CodecError::Range);
                break;
            }
        }
        (self.len, self.next_slot) = (len, next_slot);
        compared
    }
}

/// The centred entry, from the means of its row, of its column and of all entries.
pub(super) fn centred<T: Scalar>(entry: T, mean: T, other_mean: T, total: T) -> T {
    (entry - mean) - (other_mean - total)
}

/// Centres the first `used` kernel values of a sample, and returns their mean from before. `means` are the row means of
/// K, and `total` is the mean of all entries; if one number is subtracted from all means and from `total`, the results
/// do not change.
pub(super) fn center_row<T: Scalar>(row: &mut [T], used: usize, means: &[T], total: T) -> T {
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

/// The number of leading eigenvalues in the [numerical range](crate::kernel).
#[inline(never)]
pub(super) fn in_range<T: Scalar>(values: &[T]) -> usize {
    // An entry of K has the relative rounding error 6e-8 (`f32`) or 1e-16 (`f64`), or a multiple of it.
    let part = if T::EPSILON > T::from_f64(1e-10) { 1e-6 } else { 1e-11 };
    let largest = values.first().copied().unwrap_or(T::ZERO);
    let floor = (T::from_f64(part) * largest).max(T::MIN_POSITIVE);
    values.iter().take_while(|&&value| value > floor).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Gaussian, Linear, Polynomial};

    #[test]
    fn the_matrix_is_that_of_the_points_after_any_number_of_samples() {
        let kernel = Gaussian::<f32>::DEFAULT;
        let mut window = GramWindow::<f32, _, 2, 5>::new(kernel);
        for step in 0..23_u8 {
            let sample = [f32::from(step % 7) * 0.25, f32::from(step % 4) * -0.5];
            assert_eq!(window.push(&sample), Ok(usize::from(step % 5)));
            assert_eq!(window.len(), usize::from(step + 1).min(5));
            assert_eq!(window.oldest_first().last(), Some(&sample));
            let mut gram = SMatrix::repeat(f32::NAN);
            window.gram(&mut gram);
            for (i, left) in window.points().iter().enumerate() {
                for (j, right) in window.points().iter().enumerate() {
                    assert_eq!(gram[(i, j)], kernel.value(left, right));
                }
            }
            let stored: f32 = gram.iter().filter(|&&entry| entry != 0.0).map(|_| 1.0).sum();
            assert_eq!(stored, (window.len() * window.len()) as f32, "unused slots are zero");
        }
    }

    #[test]
    fn a_kernel_that_is_none_still_gives_a_matrix_that_is_one() {
        // This function returns NaN, −∞ or a value above the limit for points that differ.
        let broken = |left: &[f32; 1], right: &[f32; 1]| match (left[0], right[0]) {
            (l, r) if l == r => l * l,
            (1.0, r) => r * 1e3,
            (2.0, _) => f32::NAN,
            _ => f32::NEG_INFINITY,
        };
        let mut window = GramWindow::<f32, _, 1, 4>::new(broken);
        for value in [1.0, 2.0, 3.0, 4.0] {
            assert!(window.push(&[value]).is_ok());
        }
        let mut gram = SMatrix::zeros();
        window.gram(&mut gram);
        assert_eq!((gram[(0, 1)], gram[(0, 3)]), (2.0, 4.0), "brought back to the bound");
        assert_eq!(gram[(1, 2)], 0.0, "not a number is nothing in common");
        assert_eq!(gram[(2, 3)], -12.0, "infinity too is brought back");
    }

    #[test]
    fn a_refused_sample_leaves_the_window_as_it_was() -> Result<(), crate::SettingsError> {
        let mut window = GramWindow::<f32, _, 2, 3>::new(Polynomial::new(0.0, 3)?);
        assert!(window.push(&[1.0, 2.0]).is_ok());
        let before = window.clone();
        assert_eq!(window.push(&[0.0, 1e10]), Err(SampleError::TooLarge { channel: 1 }));
        let refused = window.push(&[f32::INFINITY, 0.0]);
        assert_eq!(refused, Err(SampleError::NotANumber { channel: 0 }));
        assert_eq!(window.points(), before.points());
        assert_eq!(window.norms(), before.norms());
        Ok(())
    }

    #[test]
    fn features_that_would_overflow_in_sum_are_refused() {
        let mut window = GramWindow::<f32, _, 1, 16>::new(Linear);
        assert_eq!(window.push(&[1e19]), Err(SampleError::TooLarge { channel: 0 }));
        assert_eq!(window.push(&[1e18]), Ok(0));
    }

    #[test]
    fn memory_is_the_sum_of_its_parts() {
        const DIM: usize = 6;
        const WINDOW: usize = 32;
        let numbers = WINDOW * DIM // points
            + WINDOW // diagonal
            + WINDOW * WINDOW // Gram matrix below the diagonal, scratch above
            + 1; // gamma
        let bytes = (4 * numbers).next_multiple_of(size_of::<usize>()) + 2 * size_of::<usize>();
        assert_eq!(size_of::<GramWindow<f32, Gaussian<f32>, DIM, WINDOW>>(), bytes);
    }

    /// All numbers are whole, so all products are exact.
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
