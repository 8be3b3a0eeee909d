//! The archive: a crate of one line, built for the core.
//! In: a configuration. Out: `lib/libeigenstream.a`, and how many bytes storage and image have on that core.
//! Method: the sizes depend on the core, so a first build measures them: it has one static as long as the storage and one as long
//! as the image. A second build compiles the line with the size of the storage. Both use the crates that the tool carries. Then
//! the memory functions of the archive (`memcpy` and others) are made local: the program uses those of its C library. All other
//! functions are made weak: a program can link two archives.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};

use super::Configuration;
use crate::carried;
use crate::process::{cargo, finish};

const MANIFEST: &str = include_str!("template/manifest.txt");

/// The cost below which a call is inlined, instead of the 50 of opt-level `s`. On a Cortex-M4F, `init` and `observe` of the
/// default monitor take 276 bytes of flash less, and a sample takes 2 % more instructions.
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
    let watch =
        format!("eigenstream_c::eigenstream::monitor::Monitor<f32, eigenstream_c::eigenstream::{learner}, {channels}>");
    let probe = format!(
        "#![no_std]\n\
         type Watch = {watch};\n\
         const STORAGE: usize = size_of::<eigenstream_c::Storage<Watch>>();\n\
         const IMAGE: usize = <Watch as eigenstream_c::eigenstream::Codec>::ENCODED_LEN;\n\
         #[used]\n#[unsafe(no_mangle)]\npub static eig_storage: [u8; STORAGE] = [1; STORAGE];\n\
         #[used]\n#[unsafe(no_mangle)]\npub static eig_image: [u8; IMAGE] = [1; IMAGE];\n"
    );
    write(&crate_folder.join("Cargo.toml"), MANIFEST)?;
    write(&crate_folder.join("Cargo.lock"), carried::text("Cargo.lock"))?;
    write(&crate_folder.join("src/lib.rs"), &probe)?;
    let probed = cargo_build(configuration, &crate_folder)?;
    let sizes = Sizes {
        storage: symbol_size(&probed, "eig_storage")?,
        image: symbol_size(&probed, "eig_image")?,
    };
    let line = format!(
        "//! The functions of {name}.h.\n#![no_std]\n\neigenstream_c::monitor!(\"{name}\", eigenstream_c::eigenstream::{learner}, {channels}, {});\n",
        sizes.storage
    );
    write(&crate_folder.join("src/lib.rs"), &line)?;
    let built = cargo_build(configuration, &crate_folder)?;
    let archive = out.join(ARCHIVE);
    fs::create_dir_all(out.join("lib"))?;
    fs::copy(&built, &archive).with_context(|| format!("cannot write {}", archive.display()))?;
    hide_the_c_library(&archive)?;
    Ok(sizes)
}

/// Waits until no other process builds in the folder. The others wait until the returned file is closed.
fn alone(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let locked = fs::create_dir_all(folder)
        .and_then(|()| File::create(&path))
        .and_then(|file| file.lock().map(|()| file));
    locked.with_context(|| format!("cannot lock {}", path.display()))
}

fn write(file: &Path, text: &str) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(file, text));
    written.with_context(|| format!("cannot write {}", file.display()))
}

/// Builds the crate and returns the path of its archive.
fn cargo_build(configuration: &Configuration, folder: &Path) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--release", "--quiet"]);
    command.current_dir(folder).stdin(Stdio::null());
    // The user may have set another target directory or flags for all builds.
    command
        .env("CARGO_TARGET_DIR", "target")
        .env("CARGO_ENCODED_RUSTFLAGS", INLINING);
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

/// Makes the functions of a C library local in each object of the archive: the linker takes those of the program. Makes all other
/// definitions weak.
fn hide_the_c_library(archive: &Path) -> Result<()> {
    let sysroot = finish(Command::new("rustc").args(["--print", "sysroot"]))?;
    let host = finish(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let tool = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(host.trim())
        .join("bin/rust-objcopy");
    let mut command = Command::new(tool);
    // `rust-objcopy` needs a shared library of the compiler. The system does not search the folder of this library.
    let library = Path::new(sysroot.trim()).join("lib");
    command
        .env("LD_LIBRARY_PATH", &library)
        .env("DYLD_LIBRARY_PATH", &library);
    for symbol in OF_THE_C_LIBRARY {
        command.args(["--localize-symbol", symbol]);
    }
    // A program may link the archives of two monitors, which both have `eig_strerror`. Of weak definitions the linker takes the
    // first. Undefined symbols stay as they are: a program that could panic still does not link.
    command.arg("--weaken");
    finish(command.arg(archive))
        .context("rust-objcopy could not change the archive")
        .map(drop)
}
