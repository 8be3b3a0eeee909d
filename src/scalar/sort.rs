//! Sorts a few values in place.
//! In: a slice of n values, and a function `in_order(a, b)` that returns whether a may stand before b. Out: the slice in this
//! order; equal values keep their order if `in_order` returns true for them.
//! Method: insertion sort, which is fast for at most about 64 values and for values that are nearly sorted.
//! Cost: n − 1 comparisons if the values are sorted, about n²/4 comparisons and moves for values in random order. No memory.

use core::mem::take;

/// Sorts all values.
#[inline(always)]
pub(crate) fn insertion_sort<V: Copy>(values: &mut [V], in_order: impl Fn(&V, &V) -> bool) {
    for end in 2..=values.len() {
        insert_last(values.get_mut(..end).unwrap_or_default(), &in_order);
    }
}

/// Moves the last value to its position in the order of the values before it. These values must be sorted.
#[inline(always)]
pub(crate) fn insert_last<V: Copy>(values: &mut [V], in_order: impl Fn(&V, &V) -> bool) {
    let Some((mut place, mut before)) = values.split_last_mut() else {
        return;
    };
    let value = *place;
    while let Some((next, rest)) = take(&mut before).split_last_mut()
        && !in_order(next, &value)
    {
        *place = *next;
        place = next;
        before = rest;
    }
    *place = value;
}
