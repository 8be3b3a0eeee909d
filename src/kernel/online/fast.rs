//! Follows the leading directions of a Gram matrix of which one row and column were replaced.
//! In: orthonormal V and K·V for the leading directions before, and the slot j whose point is new. Out: the same for K′.
//! Method: Rayleigh and Ritz on [V, eⱼ, K′eⱼ]: the change of K lies in the span of eⱼ and K′eⱼ − Keⱼ, of which K′eⱼ is the half
//! that lasts. K·V follows the change by a rank-two update, and K itself is exact, so that errors do not pile up.
//! Cost: WINDOW·(WINDOW + 3·RANK²) multiply-adds, a RANK×RANK eigenproblem; scratch of 2·RANK² + 13·RANK numbers.

use super::directions::Directions;
use crate::kernel::gram::matrix::in_range;
use crate::kernel::{Ambient, GramWindow, Kernel, OnlineKernelSettings};
use crate::spectrum::PartialEigen;
use crate::spectrum::orthogonality::project;
use crate::spectrum::vector::{add_scaled, dot, scale};
use crate::spectrum::warm::combine::combine;
use crate::spectrum::whole::full::every_position;
use crate::{Centering, Scalar};
use nalgebra::SMatrix;

/// The least part of ‖eⱼ‖² that must remain outside a basis, so that the rounding of the subtracted part is small beside the rest.
const LEAST_LEFT: f64 = 0.25;

/// An eigenvalue that is carried but does not count has to be below this part of the least that would: an eigenvalue that is
/// not carried may be almost as large, and is not known.
const MARGIN: f64 = 0.96;

impl<T: Scalar, const WINDOW: usize, const RANK: usize> Directions<T, WINDOW, RANK> {
    /// How many directions are carried from step to step at most: two places are for the change.
    pub(super) const CARRIED: usize = RANK.saturating_sub(2);

    /// Begins to carry K·V, given exact eigenvectors: K·V = V·Λ. Centered, K·V counts up to a constant in each column, since
    /// whatever it meets sums to zero.
    pub(super) fn begin_images(&mut self) {
        let [vectors, images] = &mut self.columns;
        let pairs = images.iter_mut().zip(vectors.iter());
        for ((image, vector), &value) in pairs.zip(&self.values).take(self.carried) {
            for (image, &entry) in image.iter_mut().zip(vector) {
                *image = value * entry;
            }
        }
    }

    /// Row and column `slot` of K are about to change by `change`: K·V follows.
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

    /// Finds the directions after the point in `slot` was replaced; false if only a full solution would do.
    // Apart, for its scratch is needed in this mode alone.
    #[inline(never)]
    pub(super) fn follow<K: Kernel<T, DIM>, const DIM: usize>(
        &mut self,
        window: &GramWindow<T, K, DIM, WINDOW>,
        slot: usize,
        settings: &OnlineKernelSettings<T>,
        keep: usize,
    ) -> bool {
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
        // The last one carried is out of question: so is any that is not.
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

    /// Adds the parts of eⱼ and K′eⱼ outside the basis to it, orthonormal, with their images; returns its size. Columns beyond it are zero.
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
        // The parts of eⱼ and K′eⱼ along V are row j of V and of K′V.
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
        // For centred points every vector must sum to zero; rounding leaves a small sum, so project the constant out.
        let constant = (centering == Centering::Centered).then(|| [T::from_usize(WINDOW).inverse_sqrt(); WINDOW]);
        let others = constant.iter().chain(carried.iter());
        let left = dot(first, first);
        let mut added = 2;
        if constant.is_none() && left > T::from_f64(LEAST_LEFT) {
            let inverse_length = T::ONE / left.sqrt();
            scale(first, inverse_length);
            scale(first_image, inverse_length);
        } else if project(first, others.clone()) {
            window.times(first, first_image);
        } else {
            (*first, *first_image) = ([T::ZERO; WINDOW], [T::ZERO; WINDOW]);
            added -= 1;
        }
        let overlap = dot(second, first);
        add_scaled(second, -overlap, first);
        if project(second, others.chain([&*first])) {
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

    /// Writes VᵀK′V of the first `size` columns, upper triangle; others are far below and apart.
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
