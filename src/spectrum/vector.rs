//! Vector operations, each sum in one fixed order. Of slices with different lengths the shorter length counts;
//! [`scale_and_dot`] and [`add_scaled_and_square`] require equal lengths.

use crate::SMALL;
use crate::scalar::Scalar;

/// Σ leftᵢ·rightᵢ.
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn dot<T: Scalar>(left: &[T], right: &[T]) -> T {
    let mut sum = T::ZERO;
    for (&left, &right) in left.iter().zip(right) {
        sum += left * right;
    }
    sum
}

/// target ← target + factor·source.
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn add_scaled<T: Scalar>(target: &mut [T], factor: T, source: &[T]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target += factor * source;
    }
}

/// target ← factor·target.
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn scale<T: Scalar>(target: &mut [T], factor: T) {
    for value in target.iter_mut() {
        *value *= factor;
    }
}

/// target ← factor·source.
pub(crate) fn write_scaled<T: Scalar>(target: &mut [T], factor: T, source: &[T]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target = factor * source;
    }
}

/// target ← factor·target; returns Σ targetᵢ·otherᵢ of the new target.
pub(crate) fn scale_and_dot<T: Scalar>(target: &mut [T], factor: T, other: &[T]) -> T {
    let mut sum = T::ZERO;
    for (target, &other) in target.iter_mut().zip(other) {
        *target *= factor;
        sum += *target * other;
    }
    sum
}

/// target ← target + factor·source; returns ‖target‖² of the new target.
pub(crate) fn add_scaled_and_square<T: Scalar>(target: &mut [T], factor: T, source: &[T]) -> T {
    let mut sum = T::ZERO;
    for (target, &source) in target.iter_mut().zip(source) {
        *target += factor * source;
        sum += *target * *target;
    }
    sum
}

/// target ← target + factor₁·source₁ + factor₂·source₂.
pub(crate) fn add_two_scaled<T: Scalar, const N: usize>(
    target: &mut [T; N],
    first: (T, &[T; N]),
    second: (T, &[T; N]),
) {
    for ((target, &one), &other) in target.iter_mut().zip(first.1).zip(second.1) {
        *target += first.0 * one;
        *target += second.0 * other;
    }
}

/// target ← target + Σ factorⱼ·sourceⱼ, two sources in one pass over the target.
pub(crate) fn add_combination<T: Scalar, const N: usize>(target: &mut [T; N], factors: &[T], sources: &[[T; N]]) {
    let (factor_pairs, last_factor) = factors.get(..sources.len()).unwrap_or(factors).as_chunks::<2>();
    let (source_pairs, _) = sources.as_chunks::<2>();
    for ([one, other], [first, second]) in factor_pairs.iter().zip(source_pairs) {
        add_two_scaled(target, (*one, first), (*other, second));
    }
    if let ([factor], Some(source)) = (last_factor, sources.get(2 * factor_pairs.len())) {
        add_scaled(target, *factor, source);
    }
}

/// Keeps the compiler from unrolling a loop in part, if called in each round of the loop. In a loop that runs rarely
/// the copied rounds would waste flash.
///
/// The compiler still unrolls a loop completely if it knows that there are few rounds: see [`any_length`].
#[inline]
pub(crate) fn stay_rolled() {
    core::hint::black_box(());
}

/// The elements of a slice, for a loop that must not be unrolled: see [`any_length`] and [`stay_rolled`].
#[inline]
pub(crate) fn rolled<V>(slice: &[V]) -> impl Iterator<Item = &V> {
    any_length(slice).iter().inspect(|_| stay_rolled())
}

/// Returns the slice and hides its length from the compiler, so that a loop over the slice is not unrolled completely.
///
/// Code compiled for size does not need this.
#[inline]
pub(crate) fn any_length<V>(slice: &[V]) -> &[V] {
    if SMALL { slice } else { core::hint::black_box(slice) }
}

#[inline]
pub(crate) fn any_length_mut<V>(slice: &mut [V]) -> &mut [V] {
    if SMALL { slice } else { core::hint::black_box(slice) }
}

/// Reverses the values; `slice::reverse` has a bounds check at opt-level `z`.
pub(crate) fn reverse<V>(values: &mut [V]) {
    let mut ends = values.iter_mut();
    while let (Some(first), Some(last)) = (ends.next(), ends.next_back()) {
        core::mem::swap(first, last);
    }
}

/// Operations for code that runs rarely: one copy in flash instead of one for each caller.
pub(crate) mod rare {
    use crate::scalar::Scalar;

    #[cfg_attr(not(optimize_for_size), inline(never))]
    pub(crate) fn dot<T: Scalar>(left: &[T], right: &[T]) -> T {
        super::dot(left, right)
    }

    #[cfg_attr(not(optimize_for_size), inline(never))]
    pub(crate) fn add_scaled<T: Scalar>(target: &mut [T], factor: T, source: &[T]) {
        super::add_scaled(target, factor, source);
    }

    #[cfg_attr(not(optimize_for_size), inline(never))]
    pub(crate) fn scale<T: Scalar>(target: &mut [T], factor: T) {
        super::scale(target, factor);
    }
}

/// Operations on whole arrays: one copy in flash for each length, or that of the slices with `optimize_for_size`.
pub(crate) mod whole {
    use crate::scalar::Scalar;

    #[cfg_attr(not(optimize_for_size), inline(never))]
    pub(crate) fn dot<T: Scalar, const N: usize>(left: &[T; N], right: &[T; N]) -> T {
        super::dot(left, right)
    }

    #[cfg_attr(not(optimize_for_size), inline(never))]
    pub(crate) fn add_scaled<T: Scalar, const N: usize>(target: &mut [T; N], factor: T, source: &[T; N]) {
        super::add_scaled(target, factor, source);
    }

    #[cfg_attr(not(optimize_for_size), inline(never))]
    pub(crate) fn scale<T: Scalar, const N: usize>(target: &mut [T; N], factor: T) {
        super::scale(target, factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 5;

    /// Columns of small whole numbers: all sums are exact.
    fn columns() -> [[f32; 3]; COUNT] {
        core::array::from_fn(|j| core::array::from_fn(|i| (i * 5 + j * 3) as f32 - 4.0))
    }

    #[test]
    fn a_combination_is_the_sum_of_its_terms_for_every_number_of_terms() {
        let (columns, factors) = (columns(), [2.0_f32, -3.0, 0.5, 4.0, -1.0]);
        for sources in 0..=COUNT {
            for terms in 0..=COUNT {
                let mut sum = [1.0, 2.0, 3.0];
                add_combination(&mut sum, &factors[..terms], &columns[..sources]);
                let wanted = core::array::from_fn(|row| {
                    let added = factors.iter().zip(&columns).take(terms.min(sources));
                    (row + 1) as f32 + added.map(|(factor, column)| factor * column[row]).sum::<f32>()
                });
                assert_eq!(sum, wanted, "{terms} factors, {sources} columns");
            }
        }
    }

    #[test]
    fn two_operations_in_one_pass_are_those_operations_one_after_the_other() {
        let [first, second, ..] = columns();
        let (mut together, mut apart) = (first, first);
        let product = scale_and_dot(&mut together, 0.5, &second);
        scale(&mut apart, 0.5);
        assert_eq!((together, product), (apart, dot(&apart, &second)));

        let square = add_scaled_and_square(&mut together, -3.0, &second);
        add_scaled(&mut apart, -3.0, &second);
        assert_eq!((together, square), (apart, dot(&apart, &apart)));

        add_two_scaled(&mut together, (2.0, &first), (-1.0, &second));
        add_scaled(&mut apart, 2.0, &first);
        add_scaled(&mut apart, -1.0, &second);
        assert_eq!(together, apart);

        // The content of `written` before the call does not matter.
        let mut written = [f32::NAN; 3];
        write_scaled(&mut written, 2.0, &first);
        assert_eq!(written, first.map(|entry| 2.0 * entry));
    }
}
