//! Mixture decomposition: writes capped weights as a mixture of sets, [WK08] Algorithm 2, [KW07] Algorithm 4.
//! In: weights w ≤ 1/d that sum to one. Out: sets r_j of d members ("corners", weight 1/d on each member) and probabilities p_j
//! with Σ_j p_j r_j = w. There are at most as many corners as weights strictly between 0 and 1/d, but at least one.
//! Method: [WK08] Algorithm 2. A component is the part of one weight that is not yet in a corner. It is zero, capped (every
//! later corner contains it) or free (all others). Each pass but the last makes one free component capped or zero. This state is
//! stored and is final, so rounding cannot add corners. If each pass found the states by comparing values with a tolerance,
//! rounding would add corners in most cases from n = 64 weights on.
//! With `Vacancy::Empty`, weights that sum to less than one can give corners with fewer than d members, and one corner more than
//! stated above: the missing weight counts as the weight of infinitely many further components. Each of these is so small that
//! every given component above zero is chosen first.
//! The free components are sorted in descending order. Each corner subtracts an equal amount from each of its free members. So
//! the members and the other components stay two sorted lists, which are merged.
//! Cost: O(n) operations for each pass, O(n²) for all; a pass gives one corner, or none if its probability is zero. Kept: `N`
//! scalars, `N` words, `N` bytes, and one scalar and four words more. A returned corner has `N` bytes, a count and a scalar.
//! Scratch: `N` words.

mod order;

use super::check::{fits, largest_weight, nonempty_set_fits};
use super::subset::Subset;
use crate::{Scalar, WeightsError};
use order::Order;

/// The state of a component of the decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComponentState {
    /// The value is zero: a later corner contains the component only to complete d members ([`Vacancy::Filled`]).
    Zero,
    /// The value is stored in `rest`. Up to rounding, it is at least zero and at most `mass`/d (d: the set size). At the start it
    /// is strictly between these limits.
    Free,
    /// The value is `mass`/d (d: the set size): every later corner contains the component.
    Capped,
}

/// How a corner (a set of the mixture) is completed if fewer than d (the set size) components are free or capped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vacancy {
    /// Components of value zero are added, so that every corner has d members. This variant is for weights that sum to one: then
    /// components are missing only by rounding.
    Filled,
    /// No component is added to a corner, so that it can have fewer than d members. This variant is for weights that sum to less
    /// than one.
    Empty,
}

/// The two components that determine the probability of a corner.
struct Limits<T> {
    /// The position in `order` of the smallest free component in the corner, of equal components the first position.
    inside: usize,
    /// The value of the component at `inside`.
    smallest: T,
    /// The position in `order` of the largest free component outside the corner. With [`Vacancy::Empty`] this can be the end of
    /// `order`.
    outside: usize,
    /// The value of the component at `outside`; zero at the end of `order`.
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
    /// The values of the free components.
    rest: [T; N],
    states: [ComponentState; N],
    /// The free components, by descending value.
    order: Order<N>,
    /// The number of capped components.
    capped: usize,
    /// A component with an index below this number may be chosen even if its value is zero. This number is the number of weights,
    /// or 0 with [`Vacancy::Empty`].
    fillers: usize,
    /// d, the size of a set.
    set_size: usize,
    /// The probability that is not yet given to a corner.
    mass: T,
}

impl<T: Scalar, const N: usize> Corners<T, N> {
    /// Starts the decomposition of `weights` into sets of `set_size`, d.
    ///
    /// The weights must be capped and sum to one, as [`cap`](super::cap) returns them. For other weights, every corner still has
    /// d members and the probabilities still sum to one, but the mixture of the corners is not `weights`.
    ///
    /// # Errors
    /// [`WeightsError::Length`] for more than `N` weights, [`WeightsError::SetSize`] unless 1 ≤ d ≤ n, with n the number of
    /// weights, [`WeightsError::NotANumber`], [`WeightsError::Negative`] or [`WeightsError::AllZero`] for invalid weights.
    ///
    /// A capacity of zero does not compile:
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

    /// [`new`](Self::new) without the checks. With [`Vacancy::Empty`] d may be larger than the number of weights.
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
                corners.capped = corners.capped.wrapping_add(1);
                ComponentState::Capped
            } else {
                corners.order.push(index);
                ComponentState::Free
            };
        }
        corners.order.sort(&corners.rest, corners.order.len());
        corners
    }

    /// Draws one corner with the probabilities of the mixture: the first corner whose cumulative probability exceeds `uniform`, a
    /// number in [0, 1); if there is none, the last corner.
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

    /// The number of free components in the next corner. The corner contains the capped components, but at most d of them. The
    /// largest free components fill the other places, until the corner has d members or no free component is left.
    fn free_members(&self) -> usize {
        self.set_size.saturating_sub(self.capped).min(self.order.len())
    }

    /// Returns the members of the next corner: all capped components, the largest free ones, then zeros if `fillers` allows them,
    /// until there are `set_size` members.
    fn current_members(&self) -> Subset<N> {
        let mut members = Subset::EMPTY;
        if self.capped <= self.set_size {
            for (index, &state) in self.states.iter().enumerate() {
                if state == ComponentState::Capped {
                    members.insert(index);
                }
            }
        } else {
            // More than `set_size` components are capped, because the caller's weights sum to more than one. This corner is the
            // last one.
            self.fill(&mut members, ComponentState::Capped, N);
        }
        for index in self.order.first(self.free_members()) {
            members.insert(index);
        }
        if members.len() < self.set_size {
            // No free component is outside the corner. With `Vacancy::Empty` (`fillers` = 0) nothing is added.
            self.fill(&mut members, ComponentState::Zero, self.fillers);
        }
        members
    }

    /// Considers only components with an index below `first`. Adds those in the state `wanted`, by descending `rest`, until there
    /// are `set_size` members or no such component is left.
    #[inline(never)]
    fn fill(&self, members: &mut Subset<N>, wanted: ComponentState, first: usize) {
        let components = self.states.iter().zip(&self.rest).take(first).enumerate();
        let in_state = components
            .filter(move |(_, (state, _))| **state == wanted)
            .map(|(index, (_, rest))| (index, *rest));
        members.fill_with_largest(in_state, self.set_size);
    }

    /// Returns the value of the free component at a position in `order`.
    fn value_at(&self, place: usize) -> Option<T> {
        self.rest.get(self.order.at(place)?).copied()
    }

    /// Returns the limits of the next corner, or `None` if no free component is inside or none is outside the corner. With
    /// [`Vacancy::Empty`] the missing weight counts as free components of value zero outside the corner.
    fn limits(&self) -> Option<Limits<T>> {
        let outside = self.free_members();
        let mut inside = outside.checked_sub(1)?;
        let smallest = self.value_at(inside)?;
        // Of equal components, the first in `order`.
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

    /// Makes the component at a position in `order` capped or zero. This is final.
    fn settle(&mut self, place: usize, settled: ComponentState) {
        if let Some(index) = self.order.remove(place)
            && let Some(state) = self.states.get_mut(index)
        {
            *state = settled;
            self.capped = self.capped.wrapping_add(usize::from(settled == ComponentState::Capped));
        }
    }

    /// Gives `probability` to the corner. Subtracts `probability`/d from its free members, which are the first `inside` in
    /// `order`.
    fn remove_corner(&mut self, members: Subset<N>, probability: T, inside: usize) -> Corner<T, N> {
        let share = probability / T::from_usize(self.set_size);
        for index in self.order.first(inside) {
            take(self.rest.get_mut(index), share);
        }
        // Rounding can make neighbours equal. Then the sort puts the lower index first.
        self.order.sort(&self.rest, inside);
        self.order.merge(&self.rest, inside);
        self.mass -= probability;
        Corner { probability, members }
    }
}

/// Subtracts `share` from the value of a component; at least zero remains.
#[inline(never)]
fn take<T: Scalar>(rest: Option<&mut T>, share: T) {
    if let Some(rest) = rest {
        *rest = T::ZERO.max(*rest - share);
    }
}

impl<T: Scalar, const N: usize> Iterator for Corners<T, N> {
    type Item = Corner<T, N>;

    fn next(&mut self) -> Option<Corner<T, N>> {
        let members_per_set = T::from_usize(self.set_size);
        // Every pass makes one free component capped or zero, or is the last: at most N + 1 passes over all calls.
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
            // The probability of the corner grows until its smallest free member becomes zero, or until the largest free
            // component outside the corner must be in every later corner.
            let until_used_up = members_per_set * smallest;
            let until_capped = T::ZERO.max(self.mass - members_per_set * largest);
            let probability = until_used_up.min(until_capped);
            // The remaining free members are still the first in `order`.
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

    /// The indices of the members of the set.
    #[must_use]
    pub fn members(&self) -> &Subset<N> {
        &self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_free_weights_give_four_corners() {
        // d·w = 0.846, 0.586, 0.497, 0.071. The first corner {0, 1} has the probability 1 − 0.497: then component 2 must be in
        // every later corner.
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
        // First row: the components have the probabilities 1, 1/2, 1/2, 1/8, and d = 4. Its three corners are {0, 1, 2, 3} with
        // probability 1/8, {0, 1, 2} with probability 3/8 and {0} with probability 1/2.
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
}
