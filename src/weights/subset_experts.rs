//! Subset experts, [WK08] section 4.1: every set of d members is one expert, without a list of the sets.
//! In: a number v_i ≥ 0 for each member; the weight of a set is the product of its numbers. Out: the total weight, the
//! marginals (the probability of each member), random sets.
//! Method: dynamic programming over e_j, the total weight of all sets of j of the members so far. The table has the
//! probabilities v_i·e_{j−1}/e_j, because e_j can overflow.
//! Cost: about 2·n·d divisions to build, or 5·n·d `exp` or `ln`; n·N multiplications for the marginals. Kept: `N²`
//! scalars.

use super::check::{all_finite, fits, largest_weight, set_fits};
use super::subset::Subset;
use crate::error::WeightsError;
use crate::scalar::Scalar;
use rand_core::Rng;

/// The distribution over all sets of d members, in which the weight of a set is the product of its members' weights.
///
/// ```
/// use eigenstream::weights::SubsetExperts;
///
/// // The sets {0,1}, {0,2}, {1,2} have the weights 2, 4, 8.
/// let experts = SubsetExperts::<f64, 3>::new(&[1.0, 2.0, 4.0], 2)?;
/// assert!((experts.partition() - 14.0).abs() < 1e-12);
/// # Ok::<(), eigenstream::WeightsError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SubsetExperts<T, const N: usize> {
    /// `inclusion[i][j − 1]`: the probability of choosing member i if j are still to be chosen from the members 0 … i.
    /// It is v_i·e_{j−1}(v_0 … v_{i−1}) / e_j(v_0 … v_i), or zero if v_i is zero; if e_j is zero, it has no effect.
    inclusion: [[T; N]; N],
    /// The number n of members.
    count: usize,
    set_size: usize,
    /// The total weight e_d of all sets, limited to `T::MAX`.
    partition: T,
}

impl<T: Scalar, const N: usize> SubsetExperts<T, N> {
    /// Prepares the distribution for the weights `product_weights` of n members and sets of d = `set_size` members.
    ///
    /// For experts with total losses L, a weight is exp(−ηL). If the largest weight is above [`Scalar::MAX`]/(4N),
    /// weights below 4N·[`Scalar::MIN_POSITIVE`] can lose precision.
    ///
    /// # Errors
    /// [`WeightsError::Length`] for more than `N` weights; [`WeightsError::SetSize`] for d > n; [`WeightsError::NotANumber`],
    /// [`WeightsError::Negative`]; [`WeightsError::AllZero`] if every set has a member of weight zero.
    ///
    /// A capacity of zero does not compile:
    ///
    /// ```compile_fail,E0080
    /// let experts = eigenstream::weights::SubsetExperts::<f32, 0>::new(&[], 0);
    /// ```
    pub fn new(product_weights: &[T], set_size: usize) -> Result<Self, WeightsError> {
        const { assert!(N > 0, "set experts need at least one member") }
        let count = product_weights.len();
        fits(count, N)?;
        set_fits(set_size, count)?;
        let largest = largest_weight(product_weights)?;
        if product_weights.iter().filter(|&&weight| weight > T::ZERO).count() < set_size {
            return Err(WeightsError::AllZero);
        }

        // `lift` is a power of two, so that scaling up rounds nothing. It is large, so that few ratios are subnormal,
        // but no sum of N scaled weights overflows. If the largest weight is near `T::MAX`, `smallest` keeps positive
        // weights above zero.
        let ceiling = (T::MAX / T::from_usize(N)).power_of_two() / (T::TWO * T::TWO);
        let lift = ceiling / largest.power_of_two().max(T::ONE);
        let smallest = T::MIN_POSITIVE * T::EPSILON;

        let mut experts = Self {
            inclusion: [[T::ZERO; N]; N],
            count,
            set_size,
            partition: T::ONE,
        };
        // ratios[j − 1] = e_j / e_{j−1} of the scaled weights; zero if e_j is zero.
        let mut ratios = [T::ZERO; N];
        for (row, &weight) in experts.inclusion.iter_mut().zip(product_weights) {
            if weight > T::ZERO {
                append_weight(smallest.max(weight * lift), &mut ratios, row, set_size);
            }
        }
        experts.partition = product(ratios.iter().take(set_size).map(|&ratio| (ratio / lift).min(T::MAX)));
        Ok(experts)
    }

    /// Prepares the distribution for weights given as logarithms; the weights may be far outside the number range.
    ///
    /// # Errors
    /// [`WeightsError::Length`] for more than `N` weights; [`WeightsError::SetSize`] for d > n; [`WeightsError::NotANumber`] for
    /// a logarithm that is not finite.
    ///
    /// ```
    /// use eigenstream::weights::SubsetExperts;
    /// // e⁻²⁰⁰⁰ underflows to zero even in `f64`. The second weight is twice the third.
    /// let experts = SubsetExperts::<f64, 3>::from_logarithms(&[0.0, -2000.0, -2000.0 - 2.0_f64.ln()], 2)?;
    /// let mut marginals = [0.0; 3];
    /// experts.marginals(&mut marginals);
    /// assert!((marginals[1] - 2.0 / 3.0).abs() < 1e-12);
    /// # Ok::<(), eigenstream::WeightsError>(())
    /// ```
    pub fn from_logarithms(log_weights: &[T], set_size: usize) -> Result<Self, WeightsError> {
        const { assert!(N > 0, "set experts need at least one member") }
        let count = log_weights.len();
        fits(count, N)?;
        set_fits(set_size, count)?;
        all_finite(log_weights)?;
        let mut experts = Self {
            inclusion: [[T::ZERO; N]; N],
            count,
            set_size,
            partition: T::ONE,
        };
        // log_ratios[j − 1] = ln(e_j / e_{j−1}); −∞ if e_j is zero.
        let mut log_ratios = [-T::INFINITY; N];
        for (row, &log_weight) in experts.inclusion.iter_mut().zip(log_weights) {
            append_logarithm(log_weight, &mut log_ratios, row, set_size);
        }
        let mut log_partition = T::ZERO;
        for &log_ratio in log_ratios.iter().take(set_size) {
            // The sum is limited, because ∞ − ∞ is NaN.
            log_partition = (log_partition + log_ratio).min(T::MAX).max(-T::MAX);
        }
        experts.partition = log_partition.exp().min(T::MAX);
        Ok(experts)
    }

    /// The total weight of all sets, limited to [`Scalar::MAX`]; zero if it underflows.
    ///
    /// It can be wrong: after [`new`](Self::new) if the sum of the weights overflows, weights lose precision or a ratio
    /// e_j/e_{j−1} underflows; after [`from_logarithms`](Self::from_logarithms) if a sum of logarithms overflows or
    /// large logarithms cancel.
    #[must_use]
    pub fn partition(&self) -> T {
        self.partition
    }

    /// Writes the probability that each member is in the set; these probabilities sum to d.
    ///
    /// If `marginals` is longer than n, the rest is zero. If it is shorter, only the first are written.
    ///
    /// ```
    /// use eigenstream::weights::SubsetExperts;
    ///
    /// let mut marginals = [0.0_f64; 3];
    /// SubsetExperts::<f64, 3>::new(&[1.0, 2.0, 4.0], 2)?.marginals(&mut marginals);
    /// // Member 0 is in {0,1} and {0,2}, with the weight 2 + 4 of 14.
    /// assert!((marginals[0] - 6.0 / 14.0).abs() < 1e-15);
    /// # Ok::<(), eigenstream::WeightsError>(())
    /// ```
    pub fn marginals(&self, marginals: &mut [T]) {
        marginals.fill(T::ZERO);
        // arriving[j − 1] is the probability that `sample` arrives at this member with j members still to be chosen.
        let mut arriving = [T::ZERO; N];
        if let Some(start) = self.set_size.checked_sub(1).and_then(|last| arriving.get_mut(last)) {
            *start = T::ONE;
        }
        for (index, row) in self.inclusion.iter().enumerate().take(self.count).rev() {
            let mut marginal = T::ZERO;
            // Goes from the largest j down: `taken` moves to the entry of j − 1.
            let mut handed_down = T::ZERO;
            for (probability, &inclusion) in arriving.iter_mut().zip(row).rev() {
                let taken = *probability * inclusion;
                *probability = (*probability - taken) + handed_down;
                handed_down = taken;
                marginal += taken;
            }
            if let Some(out) = marginals.get_mut(index) {
                *out = marginal;
            }
        }
    }

    /// Draws a set, member by member from the last to the first, with numbers of `uniforms` in [0, 1).
    ///
    /// If only as many members are left as are needed, all of them are chosen without a call of `uniforms`.
    ///
    /// ```
    /// use eigenstream::weights::SubsetExperts;
    ///
    /// let experts = SubsetExperts::<f64, 3>::new(&[1.0, 2.0, 4.0], 2)?;
    /// // Member 2 is in the set with probability 12/14. So 0.9 leaves it out, and the two others are forced.
    /// assert!(experts.sample(|| 0.9).iter().eq([0, 1]));
    /// # Ok::<(), eigenstream::WeightsError>(())
    /// ```
    pub fn sample(&self, mut uniforms: impl FnMut() -> T) -> Subset<N> {
        let mut chosen = Subset::EMPTY;
        for (index, row) in self.inclusion.iter().enumerate().take(self.count).rev() {
            let open_places = self.set_size.saturating_sub(chosen.len());
            let Some(last) = open_places.checked_sub(1) else { break };
            let inclusion = row.get(last).copied().unwrap_or_default();
            if index == last || uniforms() < inclusion {
                chosen.insert(index);
            }
        }
        chosen
    }

    /// Draws a set with a random number generator.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Subset<N> {
        self.sample(|| T::uniform(rng))
    }
}

/// Appends a member of weight v > 0: writes its inclusion probabilities v/(v + r_j) to `row` and updates r_j =
/// e_j/e_{j−1}.
///
/// r_j ← (r_j + v) r_{j−1}/(r_{j−1} + v), r_1 ← r_1 + v, from the old r; no term is negative, so nothing cancels.
/// Proof: `guide::mathematics`, "The ratios of the subset experts".
fn append_weight<T: Scalar, const N: usize>(weight: T, ratios: &mut [T; N], row: &mut [T; N], set_size: usize) {
    let mut previous: Option<T> = None;
    for (ratio, inclusion) in ratios.iter_mut().zip(row).take(set_size) {
        let old = *ratio;
        *inclusion = weight / (old + weight);
        *ratio = match previous {
            None => old + weight,
            // The quotient of each branch is in [½, 1], in the second because r_j ≤ r_{j−1}.
            Some(previous) if weight < previous => (old + weight) * (previous / (previous + weight)),
            Some(previous) => (old + weight) / (previous + weight) * previous,
        };
        previous = Some(old);
    }
}

/// [`append_weight`] in logarithms.
fn append_logarithm<T: Scalar, const N: usize>(
    log_weight: T,
    log_ratios: &mut [T; N],
    row: &mut [T; N],
    set_size: usize,
) {
    let mut previous: Option<T> = None;
    for (log_ratio, inclusion) in log_ratios.iter_mut().zip(row).take(set_size) {
        let old = *log_ratio;
        *inclusion = T::ONE / (T::ONE + (old - log_weight).exp());
        *log_ratio = match previous {
            None => log_sum(old, log_weight),
            // Subtracts one sum from the other first: if both round to `log_weight`, the result is exactly `previous`.
            Some(previous) => previous + (log_sum(old, log_weight) - log_sum(previous, log_weight)),
        };
        previous = Some(old);
    }
}

/// ln(eᵃ + eᵇ). a may be −∞, b must be finite.
fn log_sum<T: Scalar>(a: T, b: T) -> T {
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    large + (T::ONE + (small - large).exp()).ln()
}

/// The product of descending factors, limited to [`Scalar::MAX`].
///
/// While the product is below one, multiplies it by the largest factor left, otherwise by the smallest: so only the
/// result can overflow.
fn product<T: Scalar>(mut factors: impl DoubleEndedIterator<Item = T>) -> T {
    let mut product = T::ONE;
    while let Some(factor) = if product < T::ONE {
        factors.next()
    } else {
        factors.next_back()
    } {
        product *= factor;
    }
    product.min(T::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_weight_of_logarithms_near_the_largest_number_is_a_number() -> Result<(), WeightsError> {
        let largest = [f32::MAX, f32::MAX, -f32::MAX];
        let experts = SubsetExperts::<f32, 3>::from_logarithms(&largest, 3)?;
        assert!((0.0..=f32::MAX).contains(&experts.partition()));
        Ok(())
    }

    #[test]
    fn equal_weights_give_the_binomial_coefficient_and_equal_marginals() {
        let experts = SubsetExperts::<f64, 6>::new(&[1.0; 6], 3);
        let mut marginals = [0.0; 6];
        let partition = experts.map(|experts| {
            experts.marginals(&mut marginals);
            experts.partition()
        });
        assert!(partition.is_ok_and(|total| (total - 20.0).abs() < 1e-13));
        assert!(marginals.iter().all(|marginal| (marginal - 0.5).abs() < 1e-15));
    }

    #[test]
    fn the_whole_range_of_the_number_type_is_told_apart() {
        // The weights are 1e36, s and 2·s, with s the smallest subnormal number: the sets of two have the total weight
        // 1e36·3·s in every order, up to rounding.
        let (heavy, step) = (1e36_f32, f32::from_bits(1));
        for [first, second, third] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let values = [heavy, step, 2.0 * step];
            let wanted = [1.0, 1.0 / 3.0, 2.0 / 3.0];
            let mut marginals = [0.0; 3];
            let experts = SubsetExperts::<f32, 3>::new(&[values[first], values[second], values[third]], 2);
            let partition = experts.map(|experts| {
                experts.marginals(&mut marginals);
                experts.partition()
            });
            assert!(partition.is_ok_and(|total| (total / (heavy * (3.0 * step)) - 1.0).abs() < 1e-6));
            for (marginal, index) in marginals.into_iter().zip([first, second, third]) {
                assert!((marginal - wanted[index]).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_partition_beyond_the_range_stops_at_the_largest_number() {
        let experts = SubsetExperts::<f32, 64>::new(&[1e30; 64], 32);
        let mut marginals = [0.0; 64];
        let partition = experts.map(|experts| {
            experts.marginals(&mut marginals);
            experts.partition()
        });
        assert_eq!(partition, Ok(f32::MAX));
        assert!(marginals.iter().all(|marginal| (marginal - 0.5).abs() < 1e-5));
    }

    #[test]
    fn members_of_weight_zero_are_never_drawn() {
        for uniform in [0.0_f32, 0.3, 0.6, 0.999] {
            let drawn =
                SubsetExperts::<f32, 5>::new(&[0.0, 1.0, 2.0, 0.0, 0.5], 2).map(|experts| experts.sample(|| uniform));
            assert!(drawn.is_ok_and(|set| set.len() == 2 && !set.contains(0) && !set.contains(3)));
        }
    }

    #[test]
    fn the_state_is_the_table() {
        let table = 20 * 20 * size_of::<f64>();
        let sizes = 2 * size_of::<usize>();
        assert_eq!(size_of::<SubsetExperts<f64, 20>>(), table + sizes + size_of::<f64>());
    }
}
