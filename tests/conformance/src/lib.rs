//! Runs every learner on one stream and makes a digest of its outputs and its final image.
//! Out: name, number type and digest, such as `tracking f32 0123456789abcdef`. This computer and each emulated board
//! must give the digests of `tests/data/digests.txt`.
//!
//! A new learner of the registry is included automatically. To note more than a
//! [`Subject`](eigenstream_registry::Subject) returns, add a function `fn name<T: Number>(digest: &mut Digest)` to
//! `learners` or `images`.
//!
//! The public functions have no type parameters, so the program for a board links only the parts that fit.
#![cfg_attr(target_os = "none", no_std)]

mod digest;
mod fleet;
mod functions;
mod hebbian;
mod images;
mod kernel;
mod linear;
mod monitor;
mod note;
#[cfg(feature = "registry")]
mod registry;
mod stream;

use digest::Digest;
use note::Number;

/// A function that takes the name of a learner, its number type and its digest.
pub type Report<'hearer> = &'hearer mut dyn FnMut(&str, &str, u64);

/// Calls `report` for each function in turn, so that a chip with little RAM holds one learner at a time.
macro_rules! run_each {
    ($number:ident, $report:ident: $($module:ident::$learner:ident),* $(,)?) => { $(
        $report(stringify!($learner), $number, run($module::$learner::<T>));
    )* };
}

fn learners<T: Number>(number: &str, report: Report) {
    run_each![
        number, report:
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
        monitor::missing_channels,
    ];
}

fn images<T: Number>(number: &str, report: Report) {
    run_each![
        number, report:
        images::linear_images,
        images::hebbian_images,
        images::kernel_images,
        images::other_images,
    ];
}

#[cfg(feature = "registry")]
fn registry<T: Number>(number: &str, report: Report) {
    // This function is not in `learners`, because the flash of the smallest board has no space for one more learner
    // there.
    report(
        "registry_tracking_of_three",
        number,
        run(linear::tracking_of_three::<T>),
    );
    registry::for_each::<T>(|name, digest| report(name, number, digest.value()));
}

/// Makes the public functions for each number type.
macro_rules! parts {
    ($($number:ident: $learners:ident, $images:ident, $registry:ident;)+) => { $(
        #[doc = concat!("Every learner and function in `", stringify!($number), "`.")]
        #[inline(never)]
        pub fn $learners(report: Report) {
            learners::<$number>(stringify!($number), report);
        }

        #[doc = concat!("Images of learners in `", stringify!($number), "`.")]
        #[inline(never)]
        pub fn $images(report: Report) {
            images::<$number>(stringify!($number), report);
        }

        #[doc = concat!("Every learner of the registry in `", stringify!($number), "`.")]
        #[cfg(feature = "registry")]
        #[inline(never)]
        pub fn $registry(report: Report) {
            registry::<$number>(stringify!($number), report);
        }
    )+ };
}

parts! {
    f32: learners_f32, images_f32, registry_f32;
    f64: learners_f64, images_f64, registry_f64;
}

/// Returns the digest of one function; not inlined, so that the memory of one learner is free before the next one
/// starts.
#[inline(never)]
fn run(learner: fn(&mut Digest)) -> u64 {
    let mut digest = Digest::new();
    learner(&mut digest);
    digest.value()
}
