//! The free components (values strictly between zero and the cap) of a decomposition into corners, by descending value; of equal
//! values the lower index is first.
//! In: components and their values. Out: the component at a position (`place`) of the order.
//! Method: insertion sort for a list that is almost sorted, a merge for two sorted lists.
//! Cost: in a list of n components, a merge takes O(n), and the removal of one component takes O(n). An insertion sort takes one
//! step for each component and one for each pair in the wrong order. After the first sort, two components of a sorted list change
//! their order only if rounding makes them equal, which is rare. So all insertion sorts of a decomposition together take about
//! O(n²). Kept: `N` words and a count.
//! Scratch of a merge: `N` words.

use crate::Scalar;

/// Component indices in sorted order.
#[derive(Clone, Debug)]
pub(super) struct Order<const N: usize> {
    indices: [usize; N],
    count: usize,
}

impl<const N: usize> Order<N> {
    pub(super) const EMPTY: Self = Self {
        indices: [0; N],
        count: 0,
    };

    pub(super) const fn len(&self) -> usize {
        self.count
    }

    /// Adds a component at the end.
    pub(super) fn push(&mut self, index: usize) {
        if let Some(place) = self.indices.get_mut(self.count) {
            *place = index;
            self.count = self.count.wrapping_add(1);
        }
    }

    /// Returns the component at the position `place`.
    pub(super) fn at(&self, place: usize) -> Option<usize> {
        self.indices.get(..self.count)?.get(place).copied()
    }

    /// Returns the first `count` components.
    pub(super) fn first(&self, count: usize) -> impl Iterator<Item = usize> {
        self.indices.iter().copied().take(count.min(self.count))
    }

    /// Removes the component at the position `place`. The later components move up by one position.
    pub(super) fn remove(&mut self, place: usize) -> Option<usize> {
        let removed = self.at(place)?;
        for later in place.wrapping_add(1)..self.count {
            if let Some([before, index]) = self.indices.get_mut(later.wrapping_sub(1)..=later) {
                *before = *index;
            }
        }
        self.count = self.count.wrapping_sub(1);
        Some(removed)
    }

    /// Sorts the first `count` components by insertion.
    pub(super) fn sort<T: Scalar>(&mut self, values: &[T; N], count: usize) {
        for end in 1..count {
            for place in (0..end).rev() {
                let Some([left, right]) = self.indices.get_mut(place..place.wrapping_add(2)) else {
                    break;
                };
                if precedes(values, *left, *right) {
                    break;
                }
                core::mem::swap(left, right);
            }
        }
    }

    /// Merges the first `inside` components with the others. Both lists must be sorted.
    pub(super) fn merge<T: Scalar>(&mut self, values: &[T; N], inside: usize) {
        let list = self.indices;
        let (mut left, mut right) = (0, inside);
        for slot in self.indices.iter_mut().take(self.count) {
            let first = list.get(left).filter(|_| left < inside);
            let second = list.get(right).filter(|_| right < self.count);
            let next = match (first, second) {
                (Some(&first), Some(&second)) if precedes(values, first, second) => Some(first),
                (Some(&first), None) => Some(first),
                _ => None,
            };
            if let Some(first) = next {
                left = left.wrapping_add(1);
                *slot = first;
            } else if let Some(&second) = second {
                right = right.wrapping_add(1);
                *slot = second;
            }
        }
    }
}

/// Whether component a stands before component b: a has the larger value, or an equal value and the lower index.
fn precedes<T: Scalar, const N: usize>(values: &[T; N], a: usize, b: usize) -> bool {
    match (values.get(a), values.get(b)) {
        (Some(first), Some(second)) => first > second || (first == second && a < b),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed<const N: usize>(order: &Order<N>, wanted: &[usize]) -> bool {
        order.first(N).eq(wanted.iter().copied())
    }

    #[test]
    fn larger_ones_come_first_and_of_equal_ones_the_lower_index() {
        let values = [2.0_f32, 5.0, 2.0, 7.0, 5.0];
        let mut order = Order::<5>::EMPTY;
        (0..5).for_each(|index| order.push(index));
        order.sort(&values, 5);
        assert!(listed(&order, &[3, 1, 4, 0, 2]));
        assert_eq!(order.remove(1), Some(1));
        assert!(listed(&order, &[3, 4, 0, 2]));
        assert_eq!(order.remove(4), None);
    }

    #[test]
    fn two_lists_in_order_become_one() {
        let values = [4.0_f32, 3.0, 2.0, 5.0, 3.0, 1.0];
        let mut order = Order::<6>::EMPTY;
        [0, 4, 2, 3, 1, 5].into_iter().for_each(|index| order.push(index));
        order.merge(&values, 3);
        assert!(listed(&order, &[3, 0, 1, 4, 2, 5]));
    }
}
