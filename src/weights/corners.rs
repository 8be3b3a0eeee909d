//! Writes capped weights as a mixture of sets (corners): [WK08] Algorithm 2, [KW07] Algorithm 4.
//! In: capped weights w. Out: sets r_j of d members and probabilities p_j with Σ_j p_j r_j = w, where a member of r_j
//! counts as 1/d. There are at most as many corners as weights between 0 and 1/d, but at least one.
//! Method: a component is the rest of a weight, not yet used by a corner. Each pass but the last makes one component
//! zero or capped until the end: `guide::mathematics`, "The corners keep their states".
//! Cost: O(n) for each pass, O(n²) for all. Kept: `N` scalars, `N` words and `N` bytes. Scratch: `N` words.

use super::check::{fits, largest_weight, nonempty_set_fits};
use super::subset::Subset;
use crate::error::WeightsError;
use crate::scalar::Scalar;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComponentState {
    /// The component is zero: a later corner contains it only to complete d members.
    Zero,
    /// The component is between zero and `mass`/d, up to rounding.
    Free,
    /// The component is `mass`/d: every later corner contains it.
    Capped,
}

/// How a corner is completed if fewer than d components are free or capped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vacancy {
    /// The corner gets components of value zero. This is for weights that sum to one: then a corner lacks components
    /// only by rounding.
    Filled,
    /// The corner stays smaller. This is for weights that sum to less than one.
    ///
    /// The missing weight counts as infinitely many further components of value zero, which can add one corner.
    Empty,
}

/// The two components that determine the probability of a corner.
struct Limits<T> {
    /// The place in `order` of the smallest free component in the corner.
    inside: usize,
    smallest: T,
    /// The place in `order` of the largest free component outside the corner; with [`Vacancy::Empty`] it can be one
    /// past the last place.
    outside: usize,
    largest: T,
}

/// An iterator over the corners of a capped weight vector.
///
/// ```
/// use eigenstream::weights::Corners;
///
/// // [WK08] equation 6: (1/6, 1/3, 1/2) = 2/3 · (0, 1/2, 1/2) + 1/3 · (1/2, 0, 1/2).
/// let mut corners = Corners::<f64, 3>::new(&[1.0 / 6.0, 1.0 / 3.0, 1.0 / 2.0], 2)?;
/// let first = corners.next().unwrap();
/// assert!(first.members().iter().eq([1, 2]) && (first.probability() - 2.0 / 3.0).abs() < 1e-15);
/// let second = corners.next().unwrap();
/// assert!(second.members().iter().eq([0, 2]) && (second.probability() - 1.0 / 3.0).abs() < 1e-15);
/// assert!(corners.next().is_none());
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Corners<T, const N: usize> {
    rest: [T; N],
    states: [ComponentState; N],
    /// The free components, by descending value.
    order: Order<N>,
    capped: usize,
    /// Components below this index may be chosen even if their value is zero: n, or 0 with [`Vacancy::Empty`].
    fillers: usize,
    set_size: usize,
    /// The probability that is not yet given to a corner.
    mass: T,
}

impl<T: Scalar, const N: usize> Corners<T, N> {
    /// Starts the decomposition of `weights` into sets of `set_size` members.
    ///
    /// The weights must be capped and sum to one, as [`cap`](super::cap) returns them. For other weights the sets are
    /// full and the probabilities sum to one, but the mixture is not `weights`.
    ///
    /// # Errors
    /// [`WeightsError::Length`] for more than `N` weights; [`WeightsError::SetSize`] unless 1 ≤ `set_size` ≤ n;
    /// [`WeightsError::NotANumber`], [`WeightsError::Negative`], [`WeightsError::AllZero`].
    ///
    /// A capacity of zero does not compile:
    ///
    /// ```compile_fail,E0080
    /// let corners = eigenstream::weights::Corners::<f32, 0>::new(&[], 0);
    /// ```
    pub fn new(weights: &[T], set_size: usize) -> Result<Self, WeightsError> {
        const { assert!(N > 0, "a decomposition needs room for at least one weight") }
        let count = weights.len();
        fits(count, N)?;
        nonempty_set_fits(set_size, count)?;
        if largest_weight(weights)? == T::ZERO {
            return Err(WeightsError::AllZero);
        }
        Ok(Self::start(weights, set_size, Vacancy::Filled))
    }

    /// [`new`](Self::new) without the checks; with [`Vacancy::Empty`] d may be above n.
    pub(super) fn start(weights: &[T], set_size: usize, vacancy: Vacancy) -> Self {
        let cap = T::ONE / T::from_usize(set_size);
        let mut corners = Self {
            rest: [T::ZERO; N],
            states: [ComponentState::Zero; N],
            order: Order::EMPTY,
            capped: 0,
            fillers: match vacancy {
                Vacancy::Filled => weights.len(),
                Vacancy::Empty => 0,
            },
            set_size,
            mass: T::ONE,
        };
        let components = corners.rest.iter_mut().zip(&mut corners.states).zip(weights);
        for (index, ((rest, state), &weight)) in components.enumerate() {
            *rest = weight;
            *state = if weight == T::ZERO {
                ComponentState::Zero
            } else if weight >= cap {
                corners.capped = corners.capped.saturating_add(1);
                ComponentState::Capped
            } else {
                corners.order.push(index);
                ComponentState::Free
            };
        }
        corners.order.sort(&corners.rest, corners.order.len());
        corners
    }

    /// Draws one corner: the first whose cumulative probability exceeds `uniform`, a number in [0, 1).
    ///
    /// If there is no such corner, draws the last one.
    ///
    /// ```
    /// use eigenstream::weights::Corners;
    ///
    /// let corners = Corners::<f64, 3>::new(&[1.0 / 6.0, 1.0 / 3.0, 1.0 / 2.0], 2)?;
    /// assert!(corners.clone().draw(0.6).iter().eq([1, 2]));
    /// assert!(corners.draw(0.7).iter().eq([0, 2]));
    /// # Ok::<(), eigenstream::WeightsError>(())
    /// ```
    pub fn draw(self, uniform: T) -> Subset<N> {
        let mut drawn = Subset::EMPTY;
        let mut cumulative = T::ZERO;
        for corner in self {
            drawn = corner.members;
            cumulative += corner.probability;
            if cumulative > uniform {
                break;
            }
        }
        drawn
    }

    /// The number of free components in the next corner: it takes the largest, until it has d members.
    fn free_members(&self) -> usize {
        self.set_size.saturating_sub(self.capped).min(self.order.len())
    }

    /// The next corner: all capped components, the largest free ones, then zeros if `fillers` allows them.
    fn current_members(&self) -> Subset<N> {
        let mut members = Subset::EMPTY;
        if self.capped <= self.set_size {
            for (index, &state) in self.states.iter().enumerate() {
                if state == ComponentState::Capped {
                    members.insert(index);
                }
            }
        } else {
            // The weights of the caller sum to more than one: this corner is the last.
            self.fill(&mut members, ComponentState::Capped, N);
        }
        for index in self.order.first(self.free_members()) {
            members.insert(index);
        }
        if members.len() < self.set_size {
            self.fill(&mut members, ComponentState::Zero, self.fillers);
        }
        members
    }

    /// Adds components in the state `wanted` with an index below `first`, by descending `rest`, up to d members.
    fn fill(&self, members: &mut Subset<N>, wanted: ComponentState, first: usize) {
        let components = self.states.iter().zip(&self.rest).take(first).enumerate();
        let in_state = components
            .filter(move |(_, (state, _))| **state == wanted)
            .map(|(index, (_, rest))| (index, *rest));
        members.fill_with_largest(in_state, self.set_size);
    }

    fn value_at(&self, place: usize) -> Option<T> {
        self.rest.get(self.order.at(place)?).copied()
    }

    /// The limits of the next corner, or `None` if no free component is inside or none is outside. With
    /// [`Vacancy::Empty`] a component of value zero is always outside.
    fn limits(&self) -> Option<Limits<T>> {
        let outside = self.free_members();
        let mut inside = outside.checked_sub(1)?;
        let smallest = self.value_at(inside)?;
        while inside > 0 && self.value_at(inside - 1) == Some(smallest) {
            inside -= 1;
        }
        let unlisted = (self.fillers == 0).then_some(T::ZERO);
        Some(Limits {
            inside,
            smallest,
            outside,
            largest: self.value_at(outside).or(unlisted)?,
        })
    }

    /// Makes the component at a place in `order` capped or zero; the component stays in this state.
    fn settle(&mut self, place: usize, settled: ComponentState) {
        if let Some(index) = self.order.remove(place)
            && let Some(state) = self.states.get_mut(index)
        {
            *state = settled;
            self.capped = self.capped.wrapping_add(usize::from(settled == ComponentState::Capped));
        }
    }

    /// Gives `probability` to the corner and subtracts `probability`/d from its free members, the first `inside` in
    /// `order`.
    fn remove_corner(&mut self, members: Subset<N>, probability: T, inside: usize) -> Corner<T, N> {
        let share = probability / T::from_usize(self.set_size);
        for index in self.order.first(inside) {
            take(self.rest.get_mut(index), share);
        }
        // Rounding can make neighbours equal: then the lower index goes first.
        self.order.sort(&self.rest, inside);
        self.order.merge(&self.rest, inside);
        self.mass -= probability;
        Corner { probability, members }
    }
}

fn take<T: Scalar>(rest: Option<&mut T>, share: T) {
    if let Some(rest) = rest {
        *rest = T::ZERO.max(*rest - share);
    }
}

impl<T: Scalar, const N: usize> Iterator for Corners<T, N> {
    type Item = Corner<T, N>;

    fn next(&mut self) -> Option<Corner<T, N>> {
        let members_per_set = T::from_usize(self.set_size);
        // Every pass makes one free component capped or zero, or is the last.
        for _ in 0..=N {
            if self.mass <= T::ZERO {
                return None;
            }
            let members = self.current_members();
            let Some(Limits {
                inside,
                smallest,
                outside,
                largest,
            }) = self.limits()
            else {
                let everything_left = self.mass;
                return Some(self.remove_corner(members, everything_left, self.free_members()));
            };
            // The probability grows until the smallest free member is zero, or until the largest free component outside
            // must be in every later corner.
            let until_used_up = members_per_set * smallest;
            let until_capped = T::ZERO.max(self.mass - members_per_set * largest);
            let probability = until_used_up.min(until_capped);
            let free_members = if until_used_up <= until_capped {
                self.settle(inside, ComponentState::Zero);
                outside.saturating_sub(1)
            } else {
                self.settle(outside, ComponentState::Capped);
                outside
            };
            if probability > T::ZERO {
                return Some(self.remove_corner(members, probability, free_members));
            }
        }
        None
    }
}

/// One set of a mixture, with its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Corner<T, const N: usize> {
    probability: T,
    members: Subset<N>,
}

impl<T: Scalar, const N: usize> Corner<T, N> {
    /// The probability of the set in the mixture, above zero.
    #[must_use]
    pub fn probability(&self) -> T {
        self.probability
    }

    /// The members of the set.
    #[must_use]
    pub fn members(&self) -> &Subset<N> {
        &self.members
    }
}

/// The free components, by descending value; of equal values the lower index is first.
#[derive(Clone, Debug)]
struct Order<const N: usize> {
    indices: [usize; N],
    count: usize,
}

impl<const N: usize> Order<N> {
    const EMPTY: Self = Self {
        indices: [0; N],
        count: 0,
    };

    const fn len(&self) -> usize {
        self.count
    }

    fn push(&mut self, index: usize) {
        if let Some(place) = self.indices.get_mut(self.count) {
            *place = index;
            self.count = self.count.saturating_add(1);
        }
    }

    fn at(&self, place: usize) -> Option<usize> {
        self.indices.get(..self.count)?.get(place).copied()
    }

    fn first(&self, count: usize) -> impl Iterator<Item = usize> {
        self.indices.iter().copied().take(count.min(self.count))
    }

    fn remove(&mut self, place: usize) -> Option<usize> {
        let removed = self.at(place)?;
        for later in place.saturating_add(1)..self.count {
            if let Some([before, index]) = self.indices.get_mut(later.wrapping_sub(1)..=later) {
                *before = *index;
            }
        }
        self.count = self.count.wrapping_sub(1);
        Some(removed)
    }

    fn sort<T: Scalar>(&mut self, values: &[T; N], count: usize) {
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
    fn merge<T: Scalar>(&mut self, values: &[T; N], inside: usize) {
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
                left = left.saturating_add(1);
                *slot = first;
            } else if let Some(&second) = second {
                right = right.saturating_add(1);
                *slot = second;
            }
        }
    }
}

/// Whether component a is before component b in an [`Order`].
fn precedes<T: Scalar, const N: usize>(values: &[T; N], a: usize, b: usize) -> bool {
    match (values.get(a), values.get(b)) {
        (Some(first), Some(second)) => first > second || (first == second && a < b),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_free_weights_give_four_corners() {
        // The weights times d are 0.846, 0.586, 0.497 and 0.071. After the first corner {0, 1}, with probability 1 −
        // 0.497, component 2 is capped.
        let weights = [0.4228515625_f64, 0.29296875, 0.24853515625, 0.03564453125];
        let corners = Corners::<f64, 4>::new(&weights, 2);
        let found = corners.map(|corners| {
            corners
                .map(|corner| corner.probability)
                .fold((0, 0.0), |(n, sum), p| (n + 1, sum + p))
        });
        assert_eq!(found, Ok((4, 1.0)));
    }

    #[test]
    fn a_corner_is_its_own_decomposition() {
        let mut corners = Corners::<f32, 5>::new(&[0.5, 0.0, 0.5, 0.0], 2).into_iter().flatten();
        let mut members = Subset::EMPTY;
        members.insert(0);
        members.insert(2);
        assert_eq!(
            corners.next(),
            Some(Corner {
                probability: 1.0,
                members
            })
        );
        assert_eq!(corners.next(), None);
    }

    #[test]
    fn weights_that_are_not_capped_still_give_full_sets() {
        for weights in [[1.0_f32, 0.0, 0.0], [0.5, 0.5, 0.5], [1e-30, 0.0, 0.0], [9.0, 9.0, 9.0]] {
            for corner in Corners::<f32, 3>::new(&weights, 2).into_iter().flatten() {
                assert_eq!(corner.members().len(), 2);
            }
        }
    }

    #[test]
    fn weights_that_leave_places_empty_are_mixed_all_the_same() {
        // First row: p = 1, 1/2, 1/2, 1/8 and d = 4. The corners are {0, 1, 2, 3}, {0, 1, 2} and {0}, with 1/8, 3/8 and
        // 1/2.
        for (probabilities, set_size, corners) in [
            ([1.0_f64, 0.5, 0.5, 0.125], 4, 3),
            ([0.25, 0.125, 0.0, 0.0], 2, 3),
            ([0.75, 0.75, 0.75, 0.5], 8, 3),
            ([0.0; 4], 2, 1),
            ([1.0, 1.0, 1.0, 0.0], 4, 1),
        ] {
            let weights = probabilities.map(|probability| probability / set_size as f64);
            let (mut found, mut mixed, mut total) = (0, [0.0; 4], 0.0);
            for corner in Corners::<f64, 4>::start(&weights, set_size, Vacancy::Empty) {
                assert!(corner.members.len() <= set_size);
                for index in corner.members.iter() {
                    mixed[index] += corner.probability;
                }
                found += 1;
                total += corner.probability;
            }
            // All numbers are multiples of 1/64, so nothing is rounded.
            assert_eq!((mixed, total, found), (probabilities, 1.0, corners));
        }
    }

    #[test]
    fn a_number_that_no_cumulative_sum_exceeds_draws_the_last_corner() {
        let drawn = Corners::<f64, 3>::new(&[1.0 / 6.0, 1.0 / 3.0, 1.0 / 2.0], 2).map(|corners| corners.draw(f64::NAN));
        assert_eq!(drawn.map(|set| set.iter().eq([0, 2])), Ok(true));
    }

    #[test]
    fn the_state_is_a_scalar_a_word_and_a_byte_per_weight() {
        let words = size_of::<usize>() * 4 + size_of::<f64>();
        let each = size_of::<f64>() + size_of::<usize>() + 1;
        assert_eq!(size_of::<Corners<f64, 64>>(), 64 * each + words);
    }

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
