//! Every public learner on one fixed stream, everything that it says and what it ends as put into a digest.
//! In: nothing. Out: a line per learner and number type, `tracking f32 0123456789abcdef`. `cargo harness test` compares the
//! lines of this computer, debug and release, with those of the emulated boards: they must be the same, every bit of them.
//! `cargo run --package eigenstream-conformance` prints them here.
//!
//! A new learner of the registry has its lines without a change here. A function of its own, `fn name<T: Number>(digest: &mut Digest)` and its
//! name in [`for_each`], notes more than a [`Subject`](eigenstream_registry::Subject) says.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod digest;
mod fleet;
mod functions;
mod hebbian;
mod images;
mod kernel;
mod linear;
mod monitor;
mod note;
mod registry;
mod stream;

use digest::Digest;

/// The only number type to run, where flash is short: `CONFORMANCE_NUMBER=f32 cargo build ...`; both when it is not set.
const NUMBER: Option<&str> = option_env!("CONFORMANCE_NUMBER");

/// The only part to run, where flash is short: `learners`, `images` or `registry`; all when it is not set.
const SUBJECT: Option<&str> = option_env!("CONFORMANCE_SUBJECT");

/// Calls `report` with the name, the number type and the digest of each learner.
fn for_each(mut report: impl FnMut(&str, &str, Digest)) {
    // One at a time, so that a chip with little RAM holds one learner at a time.
    macro_rules! run {
        ($subject:literal: $($module:ident::$learner:ident),* $(,)?) => { $(
            if const { wanted(SUBJECT, $subject) && wanted(NUMBER, "f32") } {
                report(stringify!($learner), "f32", run($module::$learner::<f32>));
            }
            if const { wanted(SUBJECT, $subject) && wanted(NUMBER, "f64") } {
                report(stringify!($learner), "f64", run($module::$learner::<f64>));
            }
        )* };
    }
    run![
        "learners":
        functions::numbers,
        functions::weights,
        functions::spectrum,
        functions::kernels,
        functions::window,
        functions::bounds,
        functions::hedge,
        functions::subset_experts,
        functions::leaders,
        linear::tracking,
        linear::tracking_with_shares,
        linear::density,
        linear::density_of_instances,
        linear::centered,
        linear::centered_with_forgetting,
        linear::batch,
        linear::variance,
        fleet::factory,
        fleet::merged_centered,
        fleet::starts,
        hebbian::oja,
        hebbian::gha,
        hebbian::apex,
        hebbian::kernel_gha,
        hebbian::kernel_apex,
        kernel::kernel_pca,
        kernel::kernel_mean,
        kernel::preimages,
        kernel::kernel_ridge,
        kernel::online_kernel_pca,
        monitor::monitor,
        monitor::monitor_with_lags,
    ];
    run![
        "images":
        images::linear_images,
        images::hebbian_images,
        images::kernel_images,
        images::other_images,
    ];
    if const { wanted(SUBJECT, "registry") && wanted(NUMBER, "f32") } {
        registry::for_each::<f32>(|name, digest| report(name, "f32", digest));
    }
    if const { wanted(SUBJECT, "registry") && wanted(NUMBER, "f64") } {
        registry::for_each::<f64>(|name, digest| report(name, "f64", digest));
    }
}

/// Known when the program is compiled, so that what is not wanted takes no flash.
const fn wanted(only: Option<&str>, name: &str) -> bool {
    let Some(only) = only else { return true };
    let (only, name) = (only.as_bytes(), name.as_bytes());
    let mut same = only.len() == name.len();
    let mut place = 0;
    while same && place < name.len() {
        same = only[place] == name[place];
        place += 1;
    }
    same
}

/// A frame of its own for each learner: what it needs is given back before the next one begins.
#[inline(never)]
fn run(learner: fn(&mut Digest)) -> Digest {
    let mut digest = Digest::new();
    learner(&mut digest);
    digest
}

#[cfg(not(target_os = "none"))]
fn main() {
    for_each(|name, number, digest| println!("{name} {number} {:016x}", digest.value()));
}

#[cfg(target_os = "none")]
#[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
#[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
fn main() -> ! {
    for_each(|name, number, digest| semihosting::println!("{name} {number} {:016x}", digest.value()));
    semihosting::process::exit(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_learner_has_a_digest_of_its_own_and_the_same_one_twice() {
        let collect = || {
            let mut lines = Vec::new();
            for_each(|name, number, digest| lines.push((name.to_owned(), number.to_owned(), digest)));
            lines
        };
        let lines = collect();
        assert_eq!(lines, collect());
        for (index, (name, _, digest)) in lines.iter().enumerate() {
            assert_ne!(*digest, Digest::new(), "{name} noted nothing");
            assert!(
                lines[..index].iter().all(|(_, _, other)| other != digest),
                "{name} is like another"
            );
        }
    }
}
