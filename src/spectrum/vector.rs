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
