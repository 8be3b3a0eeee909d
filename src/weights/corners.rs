//! Mixture decomposition: capped weights as a mixture of equally weighted sets, [WK08] Algorithm 2, [KW07] Algorithm 4.
//! In: weights w ≤ 1/d that sum to one. Out: sets r_j of d members ("corners", weight 1/d on each member) and
//! probabilities p_j with Σ_j p_j r_j = w, at most as many as there are weights strictly between 0 and 1/d, at least one.
//! Method: [WK08] Algorithm 2. Every weight is free, capped or zero, and each pass settles one free weight for good, so
//! that rounding cannot add corners; comparing with tolerances would, from n = 64 on in most cases. Weights that sum to less than
//! one leave places empty: the missing weight counts as that of infinitely many further components, each too small to be chosen
//! before any listed component that is not zero.
//! Cost: `N` scalars and `N` bytes, `N` more for each corner; a corner takes O(n · d) comparisons, all of them O(n² · d).

use super::check::{fits, largest_weight, nonempty_set_fits};
use super::subset::Subset;
use crate::{Scalar, WeightsError};

/// What is known of a component.
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
    /// Where the smallest free component in the corner is.
    inside: usize,
    /// Its value, s.
    smallest: T,
    /// Where the largest free component outside the corner is.
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
            fillers: match vacancy {
                Vacancy::Filled => weights.len(),
                Vacancy::Empty => 0,
            },
            set_size,
            mass: T::ONE,
        };
        for ((rest, state), &weight) in corners.rest.iter_mut().zip(&mut corners.states).zip(weights) {
            *rest = weight;
            *state = if weight == T::ZERO {
                ComponentState::Zero
            } else if weight >= cap {
                ComponentState::Capped
            } else {
                ComponentState::Free
            };
        }
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

    /// All capped components and the largest free ones, then zeros that may fill up, d in all if there are as many.
    fn current_members(&self) -> Subset<N> {
        let in_state = |wanted: ComponentState, first: usize| {
            let components = self.states.iter().zip(&self.rest).take(first).enumerate();
            components
                .filter(move |(_, (state, _))| **state == wanted)
                .map(|(index, (_, rest))| (index, *rest))
        };
        let mut members = Subset::EMPTY;
        members.fill_with_largest(in_state(ComponentState::Capped, N), self.set_size);
        members.fill_with_largest(in_state(ComponentState::Free, N), self.set_size);
        members.fill_with_largest(in_state(ComponentState::Zero, self.fillers), self.set_size);
        members
    }

    /// The limits of the corner; `None` if no component inside it, or none outside it, is free. Under [`Vacancy::Empty`] the
    /// components that are not listed count as free ones of size zero.
    fn limits(&self, members: &Subset<N>) -> Option<Limits<T>> {
        let (mut inside, mut outside) = (None, None);
        for (index, (&state, &value)) in self.states.iter().zip(&self.rest).enumerate() {
            if state != ComponentState::Free {
                continue;
            }
            if members.contains(index) {
                if inside.is_none_or(|(_, smallest)| value < smallest) {
                    inside = Some((index, value));
                }
            } else if outside.is_none_or(|(_, largest)| value > largest) {
                outside = Some((index, value));
            }
        }
        let unlisted = (self.fillers == 0).then_some((N, T::ZERO));
        let ((inside, smallest), (outside, largest)) = (inside?, outside.or(unlisted)?);
        Some(Limits {
            inside,
            smallest,
            outside,
            largest,
        })
    }

    /// Settles a component for good.
    fn settle(&mut self, index: usize, settled: ComponentState) {
        if let Some(state) = self.states.get_mut(index) {
            *state = settled;
        }
    }

    /// Gives `probability` to the corner and takes its share of every free member.
    fn remove_corner(&mut self, members: Subset<N>, probability: T) -> Corner<T, N> {
        let share = probability / T::from_usize(self.set_size);
        for (index, (state, rest)) in self.states.iter().zip(&mut self.rest).enumerate() {
            if *state == ComponentState::Free && members.contains(index) {
                *rest = T::ZERO.max(*rest - share);
            }
        }
        self.mass -= probability;
        Corner { probability, members }
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
            }) = self.limits(&members)
            else {
                let everything_left = self.mass;
                return Some(self.remove_corner(members, everything_left));
            };
            // The corner lasts until its smallest free member is used up, or the largest component outside it needs
            // every corner from then on.
            let until_used_up = members_per_set * smallest;
            let until_capped = T::ZERO.max(self.mass - members_per_set * largest);
            let probability = until_used_up.min(until_capped);
            if until_used_up <= until_capped {
                self.settle(inside, ComponentState::Zero);
            } else {
                self.settle(outside, ComponentState::Capped);
            }
            if probability > T::ZERO {
                return Some(self.remove_corner(members, probability));
            }
        }
        None
    }
}

/// One set of a mixture, with its share of the mixture.
///
/// ```
/// use eigenstream::weights::Corners;
///
/// let corner = Corners::<f32, 3>::new(&[0.5, 0.0, 0.5], 2)?.next();
/// assert!(corner.is_some_and(|corner| corner.members().len() == 2));
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
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
    fn the_state_is_a_scalar_and_a_byte_per_weight() {
        let words = size_of::<usize>() * 2 + size_of::<f64>();
        assert_eq!(size_of::<Corners<f64, 64>>(), 64 * size_of::<f64>() + 64 + words);
    }
}
