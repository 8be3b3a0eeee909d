//! Turns a panic of the Parquet library, which panics on some damaged files, into an error; prints nothing.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use anyhow::{Result, bail};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn guarded<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_GUARDED.get() {
                print(info);
            }
        }));
    });
    IS_GUARDED.set(true);
    // A panic can leave the `Table` half filled; the error ends the reading.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(false);
    result.unwrap_or_else(|_| bail!("the file is damaged: is it whole?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_a_result_is_handed_on() {
        let numbers: [u8; 0] = [];
        let place = numbers.len();
        let refused = guarded(|| Ok(numbers[place])).map_err(|error| error.to_string());
        assert_eq!(refused, Err("the file is damaged: is it whole?".into()));
        assert!(!IS_GUARDED.get());
        assert_eq!(guarded(|| Ok(7)).ok(), Some(7));
    }
}
