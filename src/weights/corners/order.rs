//! The free components of a decomposition into corners, by descending value; of equal values the lower index is first.
//! Method: insertion sort of a list that is almost sorted, and a merge of two sorted lists.
//! Cost: a merge or a removal O(n); all sorts of a decomposition together about O(n²), because rounding rarely changes
//! an order. Kept: `N` words and a count. Scratch of a merge: `N` words.

use crate::Scalar;

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

    pub(super) fn push(&mut self, index: usize) {
        if let Some(place) = self.indices.get_mut(self.count) {
            *place = index;
            self.count = self.count.wrapping_add(1);
        }
    }

    pub(super) fn at(&self, place: usize) -> Option<usize> {
        self.indices.get(..self.count)?.get(place).copied()
    }

    pub(super) fn first(&self, count: usize) -> impl Iterator<Item = usize> {
        self.indices.iter().copied().take(count.min(self.count))
    }

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

    /// Merges the first `inside` components with the others; both lists are sorted.
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

/// Whether component a stands before component b.
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
