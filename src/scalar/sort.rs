//! Sorts a few values in place.
//! In: a slice, and whether one value may stand before another. Out: the slice in that order; equal values keep theirs.
//! Method: insertion, which is quick for some 64 values at most and for values that are nearly in order.
//! Cost: one comparison a value where all are in order, about n²/4 comparisons and swaps where none is. No memory.

use core::mem::take;

/// Sorts all values.
#[inline(always)]
pub(crate) fn insertion_sort<V: Copy>(values: &mut [V], in_order: impl Fn(&V, &V) -> bool) {
    for end in 2..=values.len() {
        insert_last(values.get_mut(..end).unwrap_or_default(), &in_order);
    }
}

/// Moves the last value to its place among the values before it, which are sorted.
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
