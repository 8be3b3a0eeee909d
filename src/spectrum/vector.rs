//! The vector operations of all other modules. Every sum runs in one fixed order.

use crate::Scalar;

/// Σ aᵢ·bᵢ with a = `left`, b = `right`, over the length of the shorter slice.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn dot<T: Scalar>(left: &[T], right: &[T]) -> T {
    let mut sum = T::ZERO;
    for (&left, &right) in left.iter().zip(right) {
        sum += left * right;
    }
    sum
}

/// target ← target + factor·source.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn add_scaled<T: Scalar>(target: &mut [T], factor: T, source: &[T]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target += factor * source;
    }
}

/// target ← factor·target.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn scale<T: Scalar>(target: &mut [T], factor: T) {
    for value in target.iter_mut() {
        *value *= factor;
    }
}

/// target ← factor·source.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn write_scaled<T: Scalar>(target: &mut [T], factor: T, source: &[T]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target = factor * source;
    }
}

/// target ← factor·target. Returns Σ targetᵢ·otherᵢ with the new target.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn scale_and_dot<T: Scalar>(target: &mut [T], factor: T, other: &[T]) -> T {
    let mut sum = T::ZERO;
    for (target, &other) in target.iter_mut().zip(other) {
        *target *= factor;
        sum += *target * other;
    }
    sum
}

/// target ← target + factor·source. Returns ‖target‖² with the new target.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
pub(crate) fn add_scaled_and_square<T: Scalar>(target: &mut [T], factor: T, source: &[T]) -> T {
    let mut sum = T::ZERO;
    for (target, &source) in target.iter_mut().zip(source) {
        *target += factor * source;
        sum += *target * *target;
    }
    sum
}

/// target ← target + factor₁·source₁ + factor₂·source₂.
#[cfg_attr(not(optimize_for_size), inline(always))]
#[cfg_attr(optimize_for_size, inline(never))]
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

/// target ← target + Σ factorⱼ·sourceⱼ, over the shorter of both lists. Two sources are added in one pass over the target.
#[inline(always)]
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

/// Reverses the order of the values. `slice::reverse` is not used, because it contains a bounds check at opt-level `z`.
pub(crate) fn reverse<V>(values: &mut [V]) {
    let mut ends = values.iter_mut();
    while let (Some(first), Some(last)) = (ends.next(), ends.next_back()) {
        core::mem::swap(first, last);
    }
}

/// Versions that are not inlined, for code that runs rarely: one copy in flash instead of one copy for each caller. In code that
/// is compiled for size, the functions above are not inlined either.
pub(crate) mod rare {
    use crate::Scalar;

    /// Σ aᵢ·bᵢ with a = `left`, b = `right`, over the length of the shorter slice.
    #[cfg_attr(not(optimize_for_size), inline(never))]
    #[cfg_attr(optimize_for_size, inline(always))]
    pub(crate) fn dot<T: Scalar>(left: &[T], right: &[T]) -> T {
        super::dot(left, right)
    }

    /// target ← target + factor·source.
    #[cfg_attr(not(optimize_for_size), inline(never))]
    #[cfg_attr(optimize_for_size, inline(always))]
    pub(crate) fn add_scaled<T: Scalar>(target: &mut [T], factor: T, source: &[T]) {
        super::add_scaled(target, factor, source);
    }

    /// target ← factor·target.
    #[cfg_attr(not(optimize_for_size), inline(never))]
    #[cfg_attr(optimize_for_size, inline(always))]
    pub(crate) fn scale<T: Scalar>(target: &mut [T], factor: T) {
        super::scale(target, factor);
    }
}
