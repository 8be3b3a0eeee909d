//! The crate and its binding for C inside the tool, and the cache folder of the tool.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::program;

/// Names and contents of the files.
static FILES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/carried.rs"));

static FILES_FOR_C: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/carried_c.rs"));

/// The text of a carried file; empty if there is none of this name.
pub fn text(name: &str) -> &'static str {
    let file = FILES.iter().chain(FILES_FOR_C).find(|(known, _)| *known == name);
    file.and_then(|(_, bytes)| std::str::from_utf8(bytes).ok())
        .unwrap_or_default()
}

/// Writes the crate to a folder.
pub fn write(folder: &Path) -> Result<()> {
    program::write(folder, FILES.iter().copied())
}

/// Writes the crate, and the binding for C to its place in it.
pub fn write_c(folder: &Path) -> Result<()> {
    program::write(folder, FILES.iter().copied())?;
    program::write(folder, FILES_FOR_C.iter().copied())
}

/// A hash of the crate and of the texts of a program, for names in the cache.
pub fn fingerprint_with(texts: &[&str]) -> u64 {
    // FNV-1a.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let files = FILES.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]);
    for byte in files.chain(texts.iter().map(|text| text.as_bytes())).flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// `EIGENSTREAM_CACHE`, or a folder in the cache of the user.
pub fn cache() -> PathBuf {
    let of_user = || {
        let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        folder("XDG_CACHE_HOME")
            .or_else(|| folder("LOCALAPPDATA"))
            .or_else(|| Some(folder("HOME")?.join(".cache")))
            .unwrap_or_else(env::temp_dir)
            .join("eigenstream")
    };
    env::var_os("EIGENSTREAM_CACHE").map_or_else(of_user, PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_is_whole_and_speaks_of_no_workspace() {
        assert!(text("src/lib.rs").contains("#![no_std]"));
        assert!(text("README.md").contains("# eigenstream"));
        let manifest = text("Cargo.toml");
        for part in [
            "[package]",
            "[features]",
            "[dependencies]",
            "nalgebra",
            "[lints.clippy]",
        ] {
            assert!(manifest.contains(part), "{part}");
        }
        for part in ["workspace", "path =", "dev-dependencies", "\"/src\""] {
            assert!(!manifest.contains(part), "{part}");
        }
        assert!(FILES.iter().all(|(name, _)| !name.ends_with("/tests.rs")));
    }

    #[test]
    fn the_binding_for_c_is_whole_and_no_part_of_the_crate() {
        assert!(text("bindings/c/Cargo.toml").contains("eigenstream = { path = \"../..\" }"));
        for name in [
            "bindings/c/src/lib.rs",
            "bindings/c/include/eigenstream.h",
            "bindings/c/demo/main.c",
            "bindings/c/demo/startup.c",
            "bindings/c/demo/cortex_m.ld",
            "Cargo.lock",
        ] {
            assert!(!text(name).is_empty(), "{name}");
            assert!(FILES.iter().all(|(known, _)| *known != name), "{name}");
        }
    }
}
