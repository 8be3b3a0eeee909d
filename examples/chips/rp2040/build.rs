//! Passes the linker scripts: memory.x of this folder, `link.x` of cortex-m-rt, `link-rp.x` of embassy-rp for the start of the
//! flash, and `defmt.x` for the log.

use std::env;

/// Arguments of the linker in addition to `-Tlink.x`.
const MORE: &[&str] = &["-Tlink-rp.x", "-Tdefmt.x", "--nmagic"];

fn main() {
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo:rerun-if-changed=memory.x");
    // A cargo configuration in a folder above may already pass link.x, as the one of eigenstream does. It must not be passed
    // twice.
    let named = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("-Tlink.x"));
    let first = if named { None } else { Some(&"-Tlink.x") };
    for argument in first.into_iter().chain(MORE) {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
}
