//! Prints a line for each learner, such as `tracking f32 0123456789abcdef`.
#![cfg_attr(target_os = "none", no_std, no_main)]

use eigenstream_conformance::{Report, images_f32, images_f64, learners_f32, learners_f64};
#[cfg(feature = "registry")]
use eigenstream_conformance::{registry_f32, registry_f64};

#[cfg(not(target_os = "none"))]
fn main() {
    let lines = |part: fn(Report)| {
        let mut lines = Vec::new();
        part(&mut |name, number, digest| lines.push(format!("{name} {number} {digest:016x}")));
        lines
    };
    for [single, double] in [[learners_f32, learners_f64], [images_f32, images_f64]] {
        for (one, other) in lines(single).into_iter().zip(lines(double)) {
            println!("{one}\n{other}");
        }
    }
    #[cfg(feature = "registry")]
    for line in [registry_f32, registry_f64].into_iter().flat_map(lines) {
        println!("{line}");
    }
}

/// Prints the parts selected at compile time; the linker drops the others.
#[cfg(target_os = "none")]
#[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
#[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
fn main() -> ! {
    use asked::is_asked_for;

    let report: Report = &mut |name, number, digest| semihosting::println!("{name} {number} {digest:016x}");
    macro_rules! run {
        ($($number:literal $subject:literal $part:ident;)+) => { $(
            if const { is_asked_for($number, $subject) } {
                $part(report);
            }
        )+ };
    }
    run! {
        "f32" "learners" learners_f32;
        "f64" "learners" learners_f64;
        "f32" "images" images_f32;
        "f64" "images" images_f64;
    }
    #[cfg(feature = "registry")]
    run! {
        "f32" "registry" registry_f32;
        "f64" "registry" registry_f64;
    }
    semihosting::process::exit(0)
}

/// Selection of parts, for a board with little flash.
#[cfg(target_os = "none")]
mod asked {
    /// The only number type to run, set by `CONFORMANCE_NUMBER=f32 cargo build ...`; without it, both types run.
    const NUMBER: Option<&str> = option_env!("CONFORMANCE_NUMBER");

    /// The only part to run: `learners`, `images` or `registry`, set by `CONFORMANCE_SUBJECT`; without it, all parts
    /// run.
    const SUBJECT: Option<&str> = option_env!("CONFORMANCE_SUBJECT");

    /// Whether this part is selected; a constant function, so that a part that is not selected takes no flash.
    pub(crate) const fn is_asked_for(number: &str, subject: &str) -> bool {
        is_either(NUMBER, number) && is_either(SUBJECT, subject)
    }

    const fn is_either(only: Option<&str>, name: &str) -> bool {
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
}
