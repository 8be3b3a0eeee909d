//! The newest samples of a stream, and the kernel value of each pair.
//! In: samples, one after the other. Out: the newest samples xᵢ, at most `WINDOW`, and their Gram matrix Kᵢⱼ = k(xᵢ, xⱼ), with
//! the kernel k. A stored sample is called a point.
//! Method: a ring of slots. If the ring is full, a new sample replaces the oldest sample. One row of K is computed per sample.
//! Cost per sample: one kernel call for each point, and one k(x, x). Kept: WINDOW² + WINDOW·(DIM + 1) numbers, two integers and
//! the kernel. The array `square` stores K below its diagonal; the array `norms` stores the diagonal of K. The rest of `square`
//! (its diagonal and the triangle above) is scratch memory for a decomposition of K.

use super::Kernel;
use super::points::{Points, checked_norm};
use crate::codec::{StoredKernel, stored, validate};
use crate::spectrum::vector::stay_rolled;
use crate::{CodecError, MergeError, SampleError, Scalar};
use nalgebra::{ArrayStorage, SMatrix};

/// A window of at most `WINDOW` samples of `DIM` channels, with their Gram matrix.
///
/// For any kernel function, the matrix is finite and satisfies the Cauchy–Schwarz inequality |k(x, y)|² ≤ k(x, x)·k(y, y), up to
/// rounding and underflow of the squares:
/// - A sample x is refused if ‖x‖², k(x, x) or 4·WINDOW·k(x, x) is not finite. So neither the sum of the diagonal of the matrix
///   nor the sum of one row overflows.
/// - A negative k(x, x) is replaced by zero.
/// - A k(x, y) that violates the inequality is replaced by ±√(k(x, x)·k(y, y)), with the sign of k(x, y).
/// - A NaN k(x, y) of two samples is replaced by zero.
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
    /// k(xᵢ, xᵢ), the diagonal of K; zero in unused slots.
    pub(super) norms: [T; WINDOW],
    /// K below the diagonal, `square.data.0[column][row]` with row > column; zero in unused slots. All other entries are scratch.
    pub(super) square: SMatrix<T, WINDOW, WINDOW>,
    /// The number of slots in use. These are the first slots.
    pub(super) len: usize,
    /// The slot that the next sample is stored in.
    next_slot: usize,
}

impl<T: Scalar, K: Kernel<T, DIM>, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// Creates an empty window.
    ///
    /// `WINDOW` = 0 does not compile:
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

    /// Stores a sample and returns its slot. If the window is full, the sample replaces the oldest.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn push(&mut self, sample: &[T; DIM]) -> Result<usize, SampleError> {
        let mut row = [T::ZERO; WINDOW];
        let norm = self.row(sample, &mut row)?;
        Ok(self.store(sample, norm, &row))
    }

    /// Compares a sample x with every point xᵢ. Writes k(xᵢ, x), limited as in the Gram matrix, for each slot; zero for unused
    /// slots. Returns k(x, x).
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn row(&self, sample: &[T; DIM], row: &mut [T; WINDOW]) -> Result<T, SampleError> {
        self.as_points().row(sample, row)
    }

    /// Stores a sample whose `norm` and `row` were already computed by [`row`](Self::row), and returns its slot.
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

    /// The slot that the next sample is stored in.
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

    /// The samples in the order of their slots, which is also the order of the rows of the Gram matrix.
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

    /// Writes the whole Gram matrix, both triangles and the diagonal; zero in unused slots.
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

    /// k(xᵢ, xᵢ) of each slot, the diagonal of the Gram matrix; zero in unused slots.
    #[must_use]
    pub const fn norms(&self) -> &[T; WINDOW] {
        &self.norms
    }

    /// The points and their kernel.
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

    /// Returns row `slot` of the Gram matrix.
    pub(super) fn gram_row(&self, slot: usize) -> [T; WINDOW] {
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

impl<T: Scalar, K: Kernel<T, DIM> + PartialEq, const DIM: usize, const WINDOW: usize> GramWindow<T, K, DIM, WINDOW> {
    /// Adds the points of `other`, oldest first. All points of this window stay.
    ///
    /// The [`KernelMean`](crate::kernel::KernelMean) of the merged window is the mean over the points of both windows. If several
    /// windows are merged, their order changes only the order of the points, and by this the rounding of later results.
    ///
    /// # Errors
    /// [`MergeError::Settings`] if the kernels differ, [`MergeError::Room`] if both windows together have more than `WINDOW`
    /// points, [`MergeError::Overflow`] if this window would refuse a point of `other`. A point can be refused only if the kernel
    /// returns different values for equal points. After an error the window is unchanged.
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
    /// Computes `norms` and K in `square` from the points, because the encoded bytes contain neither. The results equal those of
    /// the saved window bit for bit: every kernel that can be encoded returns equal bits for k(x, y) and k(y, x). 64 points of 20
    /// channels in `f32` are 5 kB; with the Gram matrix they would be 21 kB. Returns an error if `len` and `next_slot` do not fit
    /// together, or if `push` refuses a point.
    fn compare(&mut self) -> Result<(), CodecError> {
        let (len, next_slot) = (self.len, self.next_slot);
        // A ring that is not full contains its samples in the first slots.
        let full = len == WINDOW && next_slot < WINDOW;
        validate::accept(full || (len < WINDOW && next_slot == len), CodecError::Count)?;
        (self.len, self.next_slot) = (0, 0);
        let mut compared = Ok(());
        for slot in 0..len.min(WINDOW) {
            // `push` stores the point in the slot in which the point already is.
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

/// Returns `entry` − `mean` − `other_mean` + `total`, the centred entry of a Gram matrix. `mean` and `other_mean` are the means
/// of the row and of the column of the entry, `total` is the mean of the whole matrix.
pub(super) fn centred<T: Scalar>(entry: T, mean: T, other_mean: T, total: T) -> T {
    (entry - mean) - (other_mean - total)
}

/// Centres the first `used` entries of `row`, the kernel values of a sample with the points. `means` are the row means of K and
/// `total` is the mean μ of all entries of K. A caller may instead pass `means` and `total` with μ/2 subtracted from each number:
/// up to rounding, the centred entries are equal. Returns the mean of the first `used` entries before centring.
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

/// Returns the number of leading eigenvalues that count as larger than rounding error: above 1e-6 (`f32`) or 1e-11 (`f64`) times
/// the largest, and above the smallest normal number. `values` are the eigenvalues of a Gram matrix, descending.
#[inline(never)]
pub(super) fn in_range<T: Scalar>(values: &[T]) -> usize {
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
        // Returns NaN, minus infinity or a value above the Cauchy–Schwarz bound for points that differ.
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
