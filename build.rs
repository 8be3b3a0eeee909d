//! Tells the crate when it is compiled for size. What is written out for speed is then left out; the bits stay the same.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(optimize_for_size)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| matches!(level.as_str(), "s" | "z")) {
        println!("cargo::rustc-cfg=optimize_for_size");
    }
}
