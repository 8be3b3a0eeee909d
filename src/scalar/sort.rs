//! Insertion sort, for at most about 64 values or values that are nearly sorted.
//! In: a slice, and `in_order(a, b)`, which returns whether a may stand before b. If it returns true for equal values,
//! they keep their order.
//! Cost: n − 1 comparisons if the values are sorted, about n²/4 comparisons and moves in random order.

use core::mem::take;

#[inline(always)]
pub(crate) fn insertion_sort<V: Copy>(values: &mut [V], in_order: impl Fn(&V, &V) -> bool) {
    for end in 2..=values.len() {
        insert_last(values.get_mut(..end).unwrap_or_default(), &in_order);
    }
}

/// Moves the last value to its place among those before it, which are sorted.
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
