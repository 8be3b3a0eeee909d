//! Mixture decomposition: capped weights as a mixture of equally weighted sets, [WK08] Algorithm 2, [KW07] Algorithm 4.
//! In: weights w ≤ 1/d that sum to one. Out: sets r_j of d members ("corners", weight 1/d on each member) and
//! probabilities p_j with Σ_j p_j r_j = w, at most as many as there are weights strictly between 0 and 1/d, at least one.
//! Method: [WK08] Algorithm 2. Every weight is free, capped or zero, and each pass settles one free weight for good, so
//! that rounding cannot add corners; comparing with tolerances would, from n = 64 on in most cases. Weights that sum to less than
//! one leave places empty: the missing weight counts as that of infinitely many further components, each too small to be chosen
//! before any listed component that is not zero.
//! The free components stand in falling order. A corner takes an equal share of each free member, so that members and others are two
//! sorted lists, which are merged.
//! Cost: `N` scalars, `N` words and `N` bytes, `N` bytes more for each corner and `N` words while it is taken; a corner takes O(n)
//! operations, all of them O(n²).

mod order;

use super::check::{fits, largest_weight, nonempty_set_fits};
use super::subset::Subset;
use crate::{Scalar, WeightsError};
use order::Order;

/// A component of the decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComponentState {
    /// Nothing is left of it: no later corner needs it.
    Zero,
    /// Strictly between: its value stands in `rest`.
    Free,
    /// Its value is what is left of the mass, over d: every later corner needs it.
    Capped,
}

/// How a corner treats a place that no free or capped component takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vacancy {
    /// A component of zero takes it, so that every corner has d members: weights that sum to one leave it to rounding alone.
    Filled,
    /// It stays empty, so that a corner has at most d members: weights that sum to less than one.
    Empty,
}

/// The two components that decide how long a corner lasts.
struct Limits<T> {
    /// The place in the order of the smallest free component in the corner.
    inside: usize,
    /// Its value, s.
    smallest: T,
    /// The place in the order of the largest free component outside the corner.
    outside: usize,
    /// Its value, l.
    largest: T,
}

/// The corners of a capped weight vector, one after the other.
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
    /// Values of the free components.
    rest: [T; N],
    states: [ComponentState; N],
    /// The free components, by falling value.
    order: Order<N>,
    /// How many are capped.
    capped: usize,
    /// How many components, from the first on, may be chosen when they are zero: all in use, or none under [`Vacancy::Empty`].
    fillers: usize,
    /// d.
    set_size: usize,
    /// Probability not yet given to a corner, M.
    mass: T,
}

impl<T: Scalar, const N: usize> Corners<T, N> {
    /// Starts the decomposition of `weights` into sets of `set_size`, d.
    ///
    /// The weights are taken to be capped and to sum to one, as [`cap`](super::cap) leaves them. If they are not, the
    /// corners still have d members each and probabilities that sum to one, but mix to something else.
    ///
    /// # Errors
    /// [`WeightsError::Length`] for more than `N` weights, [`WeightsError::SetSize`] unless 1 ≤ d ≤ n,
    /// [`WeightsError::NotANumber`], [`WeightsError::Negative`] or [`WeightsError::AllZero`] for what are no weights.
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

    /// [`new`](Self::new) without its checks; under [`Vacancy::Empty`] d may exceed n.
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
                corners.capped += 1;
                ComponentState::Capped
            } else {
                corners.order.push(index);
                ComponentState::Free
            };
        }
        corners.order.sort(&corners.rest, corners.order.len());
        corners
    }

    /// Draws one corner with the probabilities of the mixture: the first whose cumulative probability exceeds `uniform`,
    /// u in [0, 1), else the last one.
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

    /// How many free components are in the corner: those that the capped ones leave room for, the largest first.
    fn free_members(&self) -> usize {
        self.set_size.saturating_sub(self.capped).min(self.order.len())
    }

    /// All capped components and the largest free ones, then zeros that may fill up, d in all if there are as many.
    fn current_members(&self) -> Subset<N> {
        let mut members = Subset::EMPTY;
        if self.capped <= self.set_size {
            for (index, &state) in self.states.iter().enumerate() {
                if state == ComponentState::Capped {
                    members.insert(index);
                }
            }
        } else {
            // Weights that are not capped: the corner is the last one.
            self.fill(&mut members, ComponentState::Capped, N);
        }
        for index in self.order.first(self.free_members()) {
            members.insert(index);
        }
        if members.len() < self.set_size {
            // No free component is left outside: the corner is the last one.
            self.fill(&mut members, ComponentState::Zero, self.fillers);
        }
        members
    }

    /// Adds the largest components in a state, of the `first` ones, until there are d members.
    #[inline(never)]
    fn fill(&self, members: &mut Subset<N>, wanted: ComponentState, first: usize) {
        let components = self.states.iter().zip(&self.rest).take(first).enumerate();
        let in_state = components
            .filter(move |(_, (state, _))| **state == wanted)
            .map(|(index, (_, rest))| (index, *rest));
        members.fill_with_largest(in_state, self.set_size);
    }

    /// The value of the free component at a place of the order.
    fn value_at(&self, place: usize) -> Option<T> {
        self.rest.get(self.order.at(place)?).copied()
    }

    /// The limits of the corner; `None` if no component inside it, or none outside it, is free. Under [`Vacancy::Empty`] the
    /// components that are not listed count as free ones of size zero.
    fn limits(&self) -> Option<Limits<T>> {
        let outside = self.free_members();
        let mut inside = outside.checked_sub(1)?;
        let smallest = self.value_at(inside)?;
        // Of equal ones the first.
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

    /// Settles the component at a place of the order for good.
    fn settle(&mut self, place: usize, settled: ComponentState) {
        if let Some(index) = self.order.remove(place)
            && let Some(state) = self.states.get_mut(index)
        {
            *state = settled;
            self.capped += usize::from(settled == ComponentState::Capped);
        }
    }

    /// Gives `probability` to the corner and takes its share of its free members, the first `inside` of the order.
    fn remove_corner(&mut self, members: Subset<N>, probability: T, inside: usize) -> Corner<T, N> {
        let share = probability / T::from_usize(self.set_size);
        for index in self.order.first(inside) {
            take(self.rest.get_mut(index), share);
        }
        // Rounding may have made neighbours equal.
        self.order.sort(&self.rest, inside);
        self.order.merge(&self.rest, inside);
        self.mass -= probability;
        Corner { probability, members }
    }
}

/// Takes a share of what is left of a component.
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
        // Every pass settles a free component or is the last: at most N + 1 passes, over all calls.
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
            // The corner lasts until its smallest free member is used up, or the largest component outside it needs
            // every corner from then on.
            let until_used_up = members_per_set * smallest;
            let until_capped = T::ZERO.max(self.mass - members_per_set * largest);
            let probability = until_used_up.min(until_capped);
            // The free members that are left are still the first in the order.
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

/// One set of a mixture, with its share of the mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Corner<T, const N: usize> {
    probability: T,
    members: Subset<N>,
}

impl<T: Scalar, const N: usize> Corner<T, N> {
    /// Its share of the mixture, p_j > 0.
    #[must_use]
    pub fn probability(&self) -> T {
        self.probability
    }

    /// Its d members, the places where r_j is 1/d.
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
        // d·w = 0.84, 0.59, 0.5, 0.07. The first corner {0, 1} lasts until 2 needs all that is left: 1 − 0.5 = 0.5.
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
        // (1, 1/2, 1/2, 1/8) with three places: {0, 1, 2} for 1/2, {0, 3} for 1/8, {0} for the other 3/8.
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
            // All numbers are multiples of 1/64: nothing is rounded.
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
