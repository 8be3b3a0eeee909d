//! Updates the leading directions of a Gram matrix after one row and column were replaced.
//! In: orthonormal vectors V, approximately the leading eigenvectors of the old matrix K, the products K·V (called images), and
//! the slot j whose point is new.
//! Out: V and K′·V for approximate leading eigenvectors of the new matrix K′.
//! Method: the Rayleigh–Ritz method on the basis [V, eⱼ, K′eⱼ], with the unit vector eⱼ of slot j. The columns of K′ − K lie in
//! the span of eⱼ and K′eⱼ − Keⱼ. The basis has K′eⱼ instead of this difference, because the window no longer stores Keⱼ. K·V is
//! updated by the rank-two change K′ − K. K and K′ are computed from the points, not from V, so errors of V do not change K
//! or K′. The fast mode "carries" V from one sample to the next. η and τ are the learning rate and the threshold of `ambient`.
//! Cost: about WINDOW·(WINDOW + 3·RANK²) multiply-adds (WINDOW² more if centered, or if at most a quarter of ‖eⱼ‖² is outside the
//! span of V), and a RANK×RANK eigenproblem. Scratch: 2·RANK² + 13·RANK + WINDOW numbers.

use super::directions::Directions;
use crate::kernel::gram::matrix::in_range;
use crate::kernel::{Ambient, GramWindow, Kernel, OnlineKernelSettings};
use crate::spectrum::PartialEigen;
use crate::spectrum::orthogonality::project_out;
use crate::spectrum::vector::{add_scaled, dot, rare};
use crate::spectrum::warm::combine::combine;
use crate::spectrum::whole::full::every_position;
use crate::{Centering, Scalar};
use nalgebra::SMatrix;

/// eⱼ is the unit vector of the new slot, and V are the carried vectors. If uncentered, and if more than this fraction of
/// ‖eⱼ‖² = 1 is outside the span of V, one projection of eⱼ is enough: its rounding error is small against the remaining vector.
const LEAST_LEFT: f64 = 0.25;

/// The smallest eigenvalue that the fast mode carries must be at most this fraction of τ/η (τ: threshold, η: learning rate).
/// Otherwise an exact solution is needed. A direction can be kept only if its eigenvalue is above τ/η. Eigenvalues that are not
/// carried are unknown. They can be a little larger than the smallest carried eigenvalue, but are assumed to be below τ/η too.
const MARGIN: f64 = 0.96;

/// An update is not tried if p·θ/(λ − θ) is above this number for a direction that counts. λ is its eigenvalue, p its keep
/// probability, and θ the largest eigenvalue that does not count. Then the likely error (`error_bound`), in which p/(λ − θ) is a
/// factor, is usually too large, and an exact solution would be needed after the update. Without this limit the worst step of the
/// benchmark W2 (fast) took 140,533 instructions; with this limit it takes 119,063.
const CLOSE: f64 = 0.5;

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    /// The maximum number of directions that the fast mode carries from one sample to the next. Two of the `RANK` columns are
    /// reserved for the two new vectors of the basis.
    pub(super) const CARRIED: usize = RANK.saturating_sub(2);

    /// Computes the images K·V (K: Gram matrix, V: the carried eigenvectors) after an exact solution without Lanczos steps:
    /// K·V = V·Λ, with the eigenvalues on the diagonal of Λ. If centered, each column of K·V is needed only up to a constant
    /// added to all entries: later steps multiply the column with vectors whose entries sum to zero, or remove the constant.
    pub(super) fn begin_images(&mut self) {
        let [vectors, images] = &mut self.columns;
        let pairs = images.iter_mut().zip(vectors.iter());
        for ((image, vector), &value) in pairs.zip(&self.values).take(self.carried) {
            for (image, &entry) in image.iter_mut().zip(vector) {
                *image = value * entry;
            }
        }
    }

    /// Updates the images K·V for a change of row and column `slot` of the Gram matrix K. `change` is the new row minus the old
    /// row.
    pub(super) fn shift_images(&mut self, slot: usize, change: &[T; WINDOW]) {
        let [vectors, images] = &mut self.columns;
        let pairs = images.iter_mut().zip(vectors);
        for (image, vector) in pairs.take(self.carried) {
            let here = vector.get(slot).copied().unwrap_or(T::ZERO);
            let corner = image.get(slot).copied().unwrap_or(T::ZERO) + dot(change, vector);
            add_scaled(image, here, change);
            if let Some(image) = image.get_mut(slot) {
                *image = corner;
            }
        }
    }

    /// Computes the directions after the point in `slot` was replaced. Returns false if an exact solution is needed. If the
    /// result is false, the stored vectors and probabilities are not valid for the new points. The exact solution can use the
    /// vectors as guesses.
    // A separate function, because only the fast mode needs its scratch.
    #[inline(never)]
    pub(super) fn follow<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        slot: usize,
        settings: &OnlineKernelSettings<T>,
        keep: usize,
    ) -> bool {
        if self.next_is_close() {
            return false;
        }
        self.carried = self.carried.min(Self::CARRIED);
        let size = self.extend(window, slot, settings.centering);
        let mut eigen = PartialEigen::<T, RANK>::new();
        let mut rotation = SMatrix::<T, RANK, RANK>::from_element(T::ZERO);
        self.quotient(size, &mut rotation);
        if eigen.decompose(&rotation).is_err() {
            return false;
        }
        let values: &[T] = eigen.values().as_slice();
        let values = values.get(..size.min(Self::CARRIED)).unwrap_or_default();
        let values = values.get(..in_range(values)).unwrap_or_default();
        let Some((outlook, least)) = Ambient::leading(values, settings.learning_rate, keep) else {
            return false;
        };
        // The smallest carried eigenvalue must be clearly below `least` = τ/η. Then the eigenvalues that are not carried are
        // assumed to be below τ/η too.
        if values.last().is_none_or(|&last| last > T::from_f64(MARGIN) * least) {
            return false;
        }
        self.carried = values.len();
        let positions = const { every_position::<RANK>() };
        let _ = eigen.vectors(positions.get(..self.carried).unwrap_or_default(), &mut rotation);
        let rotation = rotation.data.0.get(..self.carried).unwrap_or_default();
        for columns in &mut self.columns {
            combine(columns, rotation);
        }
        self.update_probabilities(&outlook, values);
        self.center(window, settings.centering);
        self.is_near_the_exact_solution(window, settings, least)
    }

    /// Returns whether the largest eigenvalue that does not count is so near to an eigenvalue that counts that an update is likely
    /// to fail. Returns false if no eigenvalue is known that does not count.
    fn next_is_close(&self) -> bool {
        let known = self.values.get(..self.carried).unwrap_or_default();
        let Some((counting, [next, ..])) = known.split_at_checked(self.count) else {
            return false;
        };
        let mut pairs = counting.iter().zip(&self.probabilities);
        pairs.any(|(&value, &probability)| probability * *next > T::from_f64(CLOSE) * (value - *next))
    }

    /// Makes eⱼ (unit vector of `slot`) and K′eⱼ (K′: new Gram matrix) orthonormal to the carried vectors V and to each other; if
    /// centered, also orthogonal to the constant vector. Adds both vectors and their images to the basis. Leaves out a vector
    /// that lies in the span of the others. Returns the size of the basis. All later columns are zero.
    fn extend<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        slot: usize,
        centering: Centering,
    ) -> usize {
        let size = self.carried;
        let [vectors, images] = &mut self.columns;
        let (
            Some((carried, [first, second, rest @ ..])),
            Some((images, [first_image, second_image, rest_images @ ..])),
        ) = (vectors.split_at_mut_checked(size), images.split_at_mut_checked(size))
        else {
            return size;
        };
        for column in rest.iter_mut().chain(rest_images) {
            *column = [T::ZERO; WINDOW];
        }
        *first = [T::ZERO; WINDOW];
        if let Some(entry) = first.get_mut(slot) {
            *entry = T::ONE;
        }
        *second = window.gram_row(slot);
        *first_image = *second;
        // `first` is eⱼ, the unit vector of `slot`, and `second` is K′eⱼ with the new Gram matrix K′. Their coordinates in the
        // carried vectors V are row j of V and row j of K′V.
        for (vector, image) in carried.iter().zip(images.iter()) {
            let (Some(&along_first), Some(&along_second)) = (vector.get(slot), image.get(slot)) else {
                continue;
            };
            for ((first, second), &entry) in first.iter_mut().zip(second.iter_mut()).zip(vector) {
                *first -= along_first * entry;
                *second -= along_second * entry;
            }
            add_scaled(first_image, -along_first, image);
        }
        // For centred points the entries of every vector must sum to zero. The entries of `first` and `second` have other sums,
        // so the constant vector is projected out of both.
        let constant = (centering == Centering::Centered).then(|| [T::from_usize(WINDOW).inverse_sqrt(); WINDOW]);
        let left = dot(first, first);
        let mut added = 2;
        if constant.is_none() && left > T::from_f64(LEAST_LEFT) {
            let inverse_length = T::ONE / left.sqrt();
            rare::scale(first, inverse_length);
            rare::scale(first_image, inverse_length);
        } else if project_beside(first, constant.as_ref(), carried, None) {
            window.times(first, first_image);
        } else {
            (*first, *first_image) = ([T::ZERO; WINDOW], [T::ZERO; WINDOW]);
            added -= 1;
        }
        let overlap = rare::dot(second, first);
        rare::add_scaled(second, -overlap, first);
        if project_beside(second, constant.as_ref(), carried, Some(first)) {
            window.times(second, second_image);
            if added == 1 {
                core::mem::swap(first, second);
                core::mem::swap(first_image, second_image);
            }
        } else {
            (*second, *second_image) = ([T::ZERO; WINDOW], [T::ZERO; WINDOW]);
            added -= 1;
        }
        size + added
    }

    /// Writes the upper triangle of BᵀK′B, with B the `size` vectors of the basis and K′ the new Gram matrix. Every later column
    /// gets a negative diagonal entry. These entries are below all eigenvalues of BᵀK′B, so their eigenpairs are the last in
    /// descending order.
    fn quotient(&self, size: usize, quotient: &mut SMatrix<T, RANK, RANK>) {
        let mut total = T::MIN_POSITIVE;
        let [vectors, images] = &self.columns;
        let columns = quotient.data.0.iter_mut().zip(images).enumerate();
        for (column, (target, image)) in columns {
            if column < size {
                for (target, vector) in target.iter_mut().zip(vectors).take(column + 1) {
                    *target = dot(vector, image);
                }
            }
            if let Some(corner) = target.get_mut(column) {
                if column < size {
                    total += corner.abs();
                } else {
                    *corner = -total;
                }
            }
        }
    }
}

/// Makes `column` orthogonal to the constant vector, to the carried vectors and to the first new vector, and scales it to length
/// one. Returns false if nothing remains.
#[inline(never)] // one copy in flash for both new vectors
fn project_beside<T: Scalar, const N: usize>(
    column: &mut [T; N],
    constant: Option<&[T; N]>,
    carried: &[[T; N]],
    first: Option<&[T; N]>,
) -> bool {
    project_out(column, constant.into_iter().chain(carried).chain(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_is_not_tried_beside_a_close_eigenvalue() {
        let mut directions = Directions::<f32, 8, 4>::new();
        (directions.count, directions.carried) = (2, 3);
        directions.probabilities = [1.0, 0.5, 0.0, 0.0];
        // Limit: 0.5·θ/(2 − θ) = ½ at θ = 1.
        directions.values = [4.0, 2.0, 0.99, 0.0];
        assert!(!directions.next_is_close());
        directions.values = [4.0, 2.0, 1.01, 0.0];
        assert!(directions.next_is_close());
        // A direction that is hardly kept does not matter. The first direction reaches the limit at θ = 4/3.
        directions.probabilities = [1.0, 1e-3, 0.0, 0.0];
        assert!(!directions.next_is_close());
        directions.values = [4.0, 2.0, 1.34, 0.0];
        assert!(directions.next_is_close());
        // The eigenvalue that does not count is not known.
        directions.carried = 2;
        assert!(!directions.next_is_close());
        directions.count = 3;
        assert!(!directions.next_is_close());
    }
}
