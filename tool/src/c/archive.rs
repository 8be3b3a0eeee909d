//! The archive: a crate of one line, built for the core. Out: `lib/libeigenstream.a`, and the bytes of storage and image.
//! The sizes depend on the core, so a first build measures them with two statics, and a second compiles the line. Then
//! memory functions such as `memcpy` become local, because the program has those of its C library, and all others weak,
//! because a program can link two archives.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};

use super::Configuration;
use crate::carried;
use crate::process::finish;
use crate::program::{self, cargo_in};

const MANIFEST: &str = include_str!("template/manifest.txt");

/// Instead of 50: `init` and `observe` take 276 bytes less on a Cortex-M4F, and a sample 2 % more instructions.
const INLINING: &str = "-Cllvm-args=-inline-threshold=20";

/// The archive in the folder.
pub(super) const ARCHIVE: &str = "lib/libeigenstream.a";

/// Symbols that a C library has, too.
const OF_THE_C_LIBRARY: [&str; 18] = [
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "strlen",
    "__aeabi_memcpy",
    "__aeabi_memcpy4",
    "__aeabi_memcpy8",
    "__aeabi_memmove",
    "__aeabi_memmove4",
    "__aeabi_memmove8",
    "__aeabi_memset",
    "__aeabi_memset4",
    "__aeabi_memset8",
    "__aeabi_memclr",
    "__aeabi_memclr4",
    "__aeabi_memclr8",
];

/// Bytes on the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The bytes of the caller's storage.
    pub storage: usize,
    /// The bytes that `save` writes.
    pub image: usize,
}

/// Builds the archive into the folder.
pub(super) fn build(configuration: &Configuration, out: &Path) -> Result<Sizes> {
    let cache = carried::cache().join("c");
    let crate_folder = cache.join("archive");
    let _alone = alone(&cache)?;
    carried::write_c(&cache.join("crate"))?;
    let Configuration {
        name,
        channels,
        learner,
        ..
    } = configuration;
    let learner = learner.path("eigenstream_c::eigenstream");
    let watch = format!("eigenstream_c::eigenstream::monitor::Monitor<f32, {learner}, {channels}>");
    let probe = format!(
        "#![no_std]\n\
         type Watch = {watch};\n\
         const STORAGE: usize = size_of::<eigenstream_c::Storage<Watch>>();\n\
         const IMAGE: usize = <Watch as eigenstream_c::eigenstream::Codec>::ENCODED_LEN;\n\
         #[used]\n#[unsafe(no_mangle)]\npub static eig_storage: [u8; STORAGE] = [1; STORAGE];\n\
         #[used]\n#[unsafe(no_mangle)]\npub static eig_image: [u8; IMAGE] = [1; IMAGE];\n"
    );
    let project = [
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", carried::text("Cargo.lock")),
        ("src/lib.rs", &probe),
    ];
    program::write(&crate_folder, project)?;
    let probed = cargo_build(configuration, &crate_folder)?;
    let sizes = Sizes {
        storage: symbol_size(&probed, "eig_storage")?,
        image: symbol_size(&probed, "eig_image")?,
    };
    let line = format!(
        "//! The functions of {name}.h.\n#![no_std]\n\neigenstream_c::monitor!(\"{name}\", {learner}, {channels}, {});\n",
        sizes.storage
    );
    program::write(&crate_folder, [("src/lib.rs", line)])?;
    let built = cargo_build(configuration, &crate_folder)?;
    let archive = out.join(ARCHIVE);
    fs::create_dir_all(out.join("lib"))?;
    fs::copy(&built, &archive).with_context(|| format!("cannot write {}", archive.display()))?;
    hide_the_c_library(&archive)?;
    Ok(sizes)
}

/// Other processes wait until the returned file is closed.
fn alone(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let locked = fs::create_dir_all(folder)
        .and_then(|()| File::create(&path))
        .and_then(|file| file.lock().map(|()| file));
    locked.with_context(|| format!("cannot lock {}", path.display()))
}

/// Returns the path of the archive.
fn cargo_build(configuration: &Configuration, folder: &Path) -> Result<PathBuf> {
    let mut command = cargo_in(folder, &["build", "--release", "--quiet"]);
    command.env("CARGO_ENCODED_RUSTFLAGS", INLINING);
    let mut built = folder.join("target");
    if let Some(board) = configuration.core.board() {
        command.args(["--target", board.target]).args(["--features", "chip"]);
        built = built.join(board.target);
    }
    finish(&mut command).context("the archive was not built")?;
    Ok(built.join("release/libeigenstream_archive.a"))
}

/// Bytes of a symbol in an archive.
fn symbol_size(archive: &Path, name: &str) -> Result<usize> {
    let bytes = fs::read(archive).with_context(|| format!("cannot read {}", archive.display()))?;
    let parsed = ArchiveFile::parse(bytes.as_slice()).context("cargo built no archive")?;
    for member in parsed.members() {
        let Ok(file) = object::File::parse(member?.data(bytes.as_slice())?) else {
            continue;
        };
        let found = file
            .symbols()
            .find(|symbol| symbol.name() == Ok(name) && symbol.size() > 0);
        if let Some(symbol) = found {
            return Ok(symbol.size() as usize);
        }
    }
    bail!("{} has no symbol {name}", archive.display())
}

fn hide_the_c_library(archive: &Path) -> Result<()> {
    let sysroot = finish(Command::new("rustc").args(["--print", "sysroot"]))?;
    let host = finish(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let tool = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(host.trim())
        .join("bin/rust-objcopy");
    let mut command = Command::new(tool);
    // The shared library of the compiler, which the system does not search.
    let library = Path::new(sysroot.trim()).join("lib");
    command
        .env("LD_LIBRARY_PATH", &library)
        .env("DYLD_LIBRARY_PATH", &library);
    for symbol in OF_THE_C_LIBRARY {
        command.args(["--localize-symbol", symbol]);
    }
    // Two archives both have `eig_strerror`; the linker takes the first weak definition. A program that could panic still
    // does not link.
    command.arg("--weaken");
    finish(command.arg(archive))
        .context("rust-objcopy could not change the archive")
        .map(drop)
}
