//! An orthonormal basis of the orthogonal complement of a few directions.
//! In: r ≤ R orthonormal directions of N entries. Out: N − r more directions, one at a time, or the coordinates of a
//! vector in all of them.
//! Method: r Householder reflections map the given directions to the first r axes, up to sign; the inverse maps the
//! other axes back.
//! Cost: 1.5·N·r² multiply-adds to prepare, 3·N·r for each direction or vector. Kept: N·R numbers and a count.

use super::vector::{
    stay_rolled,
    whole::{add_scaled, dot},
};
use crate::scalar::Scalar;

/// The reflections that map the given directions to the first axes, up to sign.
pub(crate) struct Complement<T, const N: usize, const R: usize> {
    reflectors: [[T; N]; R],
    count: usize,
}

impl<T: Scalar, const N: usize, const R: usize> Complement<T, N, R> {
    /// Creates the complement of no directions: its basis is the axes.
    pub(crate) const fn new() -> Self {
        Self {
            reflectors: [[T::ZERO; N]; R],
            count: 0,
        }
    }

    /// Computes the reflections for orthonormal `directions`, of which only the first R count.
    pub(crate) fn prepare(&mut self, directions: &[[T; N]]) {
        self.count = directions.len().min(R);
        for (i, direction) in directions.iter().enumerate().take(R) {
            let Some((before, [reflector, ..])) = self.reflectors.split_at_mut_checked(i) else {
                break;
            };
            *reflector = *direction;
            for other in before.iter() {
                reflect(other, reflector);
            }
            // The earlier reflections made the entries before row i zero, up to rounding.
            for value in reflector.iter_mut().take(i) {
                stay_rolled();
                *value = T::ZERO;
            }
            let energy = dot(reflector, reflector);
            if let Some(corner) = reflector.get_mut(i) {
                let length = energy * energy.inverse_sqrt();
                // This sign avoids cancellation.
                *corner += if *corner < T::ZERO { -length } else { length };
            }
        }
    }

    /// Replaces a vector by its coordinates: the first r belong to the given directions (up to sign), the others to the
    /// complement.
    pub(crate) fn change_basis(&self, vector: &mut [T; N]) {
        for reflector in self.reflectors.iter().take(self.count) {
            reflect(reflector, vector);
        }
    }

    /// The direction `index` of the complement, with `index` from 0 to N − r − 1.
    pub(crate) fn direction(&self, index: usize) -> [T; N] {
        let mut direction = [T::ZERO; N];
        if let Some(axis) = direction.get_mut(self.count.wrapping_add(index)) {
            *axis = T::ONE;
        }
        for reflector in self.reflectors.iter().take(self.count).rev() {
            reflect(reflector, &mut direction);
        }
        direction
    }
}

/// v ← v − 2·u·(u·v)/(u·u); unchanged if u = `reflector` is zero.
#[inline(never)]
fn reflect<T: Scalar, const N: usize>(reflector: &[T; N], vector: &mut [T; N]) {
    let energy = dot(reflector, reflector);
    if energy > T::ZERO {
        let overlap = dot(reflector, vector);
        add_scaled(vector, -(T::TWO * overlap / energy), reflector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_and_found_directions_are_a_basis() {
        let given = [[0.6_f64, 0.0, 0.8, 0.0], [0.0, -1.0, 0.0, 0.0]];
        let mut complement = Complement::<f64, 4, 3>::new();
        complement.prepare(&given);
        let basis = [given[0], given[1], complement.direction(0), complement.direction(1)];
        for (i, left) in basis.iter().enumerate() {
            for (j, right) in basis.iter().enumerate() {
                let wanted = if i == j { 1.0 } else { 0.0 };
                assert!((dot(left, right) - wanted).abs() < 1e-15, "{i} {j}");
            }
        }
    }

    #[test]
    fn a_change_of_basis_gives_the_coordinates_in_the_complement() {
        // The reflections of these directions do not commute: their order matters.
        let given = [[0.5_f64, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]];
        let mut complement = Complement::<f64, 4, 3>::new();
        complement.prepare(&given);
        let vector = [0.3, -0.5, 0.7, 0.2];
        let mut coordinates = vector;
        complement.change_basis(&mut coordinates);
        for index in 0..2 {
            assert!((coordinates[2 + index] - dot(&complement.direction(index), &vector)).abs() < 1e-15);
            assert!((coordinates[index].abs() - dot(&given[index], &vector).abs()).abs() < 1e-15);
        }
    }

    #[test]
    fn without_directions_the_axes_are_the_complement() {
        let complement = Complement::<f32, 3, 2>::new();
        assert_eq!(complement.direction(2), [0.0, 0.0, 1.0]);
    }
}
