//! A set of indices below `N`: what every draw returns. Kept: `N` bytes and a count.

use crate::codec::{Exchange, Layout, Reader, Stored, Writer};
use crate::error::CodecError;
use crate::scalar::Scalar;
use crate::spectrum::vector::rolled;

/// A subset of the indices 0 … `N` − 1.
///
/// ```
/// use eigenstream::weights::Subset;
///
/// let mut chosen = Subset::<8>::new();
/// chosen.insert(5);
/// chosen.insert(2);
/// assert!(chosen.iter().eq([2, 5]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Subset<const N: usize> {
    members: [bool; N],
    count: usize,
}

impl<const N: usize> Subset<N> {
    /// The empty set.
    pub const EMPTY: Self = Self {
        members: [false; N],
        count: 0,
    };

    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self::EMPTY
    }

    /// Makes `index` a member; returns false if it already is one or is not below `N`.
    pub fn insert(&mut self, index: usize) -> bool {
        match self.members.get_mut(index) {
            Some(member) if !*member => {
                *member = true;
                self.count = self.count.saturating_add(1);
                true
            }
            _ => false,
        }
    }

    /// Whether `index` is a member.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.members.get(index).copied().unwrap_or(false)
    }

    /// The number of members.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether the set has no members.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.members
            .iter()
            .enumerate()
            .filter_map(|(index, &member)| member.then_some(index))
    }

    /// Whether an index from `first` on is a member.
    pub(crate) fn any_from(&self, first: usize) -> bool {
        self.members.get(first..).unwrap_or_default().contains(&true)
    }

    /// Adds the candidates of largest value, of equal ones the earlier first, up to `size` members.
    ///
    /// Takes one pass over the candidates for each added member. Every index must be below `N`, and no value may be
    /// NaN.
    pub(super) fn fill_with_largest<T: Scalar>(
        &mut self,
        candidates: impl Iterator<Item = (usize, T)> + Clone,
        size: usize,
    ) {
        while self.count < size {
            let mut best: Option<(usize, T)> = None;
            for (index, value) in candidates.clone() {
                if !self.contains(index) && best.is_none_or(|(_, largest)| value > largest) {
                    best = Some((index, value));
                }
            }
            match best {
                Some((index, _)) if self.insert(index) => {}
                _ => break,
            }
        }
    }
}

impl<const N: usize> Subset<N> {
    /// Replaces the member with the smallest value by `index`, if the value of `index` is larger; `index` must not be a
    /// member.
    #[inline(never)]
    pub(super) fn replace_least<T: Scalar>(&mut self, values: &[T], index: usize) {
        let mut least = (index, values.get(index).copied().unwrap_or(T::ZERO));
        for (member, &value) in rolled(values).enumerate() {
            if self.contains(member) && value < least.1 {
                least = (member, value);
            }
        }
        if let (Some(place), true) = (self.members.get_mut(least.0), least.0 != index) {
            *place = false;
            self.count = self.count.wrapping_sub(1);
            self.insert(index);
        }
    }
}

impl<const N: usize> Default for Subset<N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

// The image of a set has one byte for each index: 1 for a member, 0 for any other index.
impl<const N: usize> Stored for Subset<N> {
    const CONTENT: Layout = Layout::Repeated {
        times: N,
        each: &Layout::Choice {
            variants: &[(0, "Out"), (1, "In")],
            payload: &[],
        },
    };

    fn store(&self, image: &mut Writer<'_>) {
        for &member in &self.members {
            image.write([u8::from(member)]);
        }
    }

    fn load(image: &mut Reader<'_>) -> Result<Self, CodecError> {
        let mut subset = Self::EMPTY;
        for index in 0..N {
            match image.read()? {
                [0] => (),
                [1] => {
                    subset.insert(index);
                }
                _ => return Err(CodecError::Choice),
            }
        }
        Ok(subset)
    }

    fn replace(&mut self, image: &mut Exchange<'_>) {
        self.count = 0;
        for member in &mut self.members {
            *member = image.code(u8::from(*member), 2) == 1;
            self.count = self.count.wrapping_add(usize::from(*member));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_ties_go_to_the_lower_index() {
        let values = [1.0_f32, 3.0, 2.0, 3.0, 2.0];
        let mut chosen = Subset::<5>::new();
        chosen.fill_with_largest(values.into_iter().enumerate(), 3);
        assert!(chosen.iter().eq([1, 2, 3]));
    }

    #[test]
    fn members_are_found_from_an_index_on() {
        let mut chosen = Subset::<5>::new();
        chosen.insert(3);
        assert!([0, 3].into_iter().all(|first| chosen.any_from(first)));
        assert!([4, 5, 6].into_iter().all(|first| !chosen.any_from(first)));
    }

    #[test]
    fn filling_ends_when_the_candidates_do() {
        let mut chosen = Subset::<2>::new();
        chosen.fill_with_largest([1.0_f32, 2.0, 3.0].into_iter().enumerate(), 9);
        assert!(chosen.len() <= 2);
    }

    #[test]
    fn a_set_costs_a_byte_per_index_and_a_count() {
        assert_eq!(size_of::<Subset<64>>(), 64 + size_of::<usize>());
    }
}
