//! Reads a linked ELF file.
//! Out: its symbols, the symbols of panics, its functions, its sections, and the source files that it names.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// Parts of symbol names of panic code; `9panicking` is the module `core::panicking` in both manglings of Rust.
const PANIC_MARKS: [&str; 5] = [
    "core::panicking",
    "9panicking",
    "slice_index_fail",
    "unwrap_failed",
    "panic_on_ord_violation",
];

/// Start symbols of cortex-m-rt and riscv-rt; a symbol table with neither is incomplete.
const START_SYMBOLS: [&str; 2] = ["Reset", "_start"];

/// The names of all symbols; a stripped image is refused, because it would prove nothing.
pub(crate) fn symbols(image: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(bytes.as_slice()).with_context(|| format!("{} is not an image", image.display()))?;
    let names: Vec<String> = file
        .symbols()
        .filter_map(|symbol| symbol.name().ok())
        .map(str::to_owned)
        .collect();
    if !names.iter().any(|name| START_SYMBOLS.contains(&name.as_str())) {
        bail!(
            "{} has no symbol {}: build it without `strip`",
            image.display(),
            START_SYMBOLS.join(" or ")
        );
    }
    Ok(names)
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) name: String,
}

/// All functions, sorted by address.
pub(crate) fn functions(image: &Path) -> Result<Vec<Function>> {
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(bytes.as_slice()).with_context(|| format!("{} is not an image", image.display()))?;
    let mut functions: Vec<Function> = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
        .map(|symbol| Function {
            // On Arm the lowest bit of an address marks Thumb code.
            address: symbol.address() & !1,
            size: symbol.size(),
            name: path_of(symbol.name().unwrap_or_default()),
        })
        .collect();
    functions.sort_by_key(|function| function.address);
    Ok(functions)
}

/// The path of the function that a symbol such as `_ZN4core3ptr4swap17h…E` names; other symbols are returned unchanged.
fn path_of(symbol: &str) -> String {
    let mut words = Vec::new();
    let mut rest = symbol.strip_prefix("_ZN").unwrap_or_default();
    while let Some(letters) = rest.find(|letter: char| !letter.is_ascii_digit())
        && let Ok(length) = rest[..letters].parse::<usize>()
        && let Some(word) = rest.get(letters..letters + length)
    {
        // A word that begins with `$` has an underscore before it.
        words.push(if word.starts_with("_$") { &word[1..] } else { word });
        rest = &rest[letters + length..];
    }
    // The last word of the symbol is a hash.
    words.pop();
    if words.is_empty() {
        return symbol.to_owned();
    }
    let path = words.join("::");
    let signs = [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$u20$", " "),
        ("$RF$", "&"),
        ("$C$", ","),
        ("..", "::"),
    ];
    signs.iter().fold(path, |path, (code, sign)| path.replace(code, sign))
}

pub(crate) fn section_names(image: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(bytes.as_slice()).with_context(|| format!("{} is not an image", image.display()))?;
    Ok(file
        .sections()
        .filter_map(|section| section.name().ok().map(str::to_owned))
        .collect())
}

/// The paths of source files in the bytes of an image: panic messages contain them.
pub(crate) fn source_files(image: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
    let file = object::File::parse(bytes.as_slice()).with_context(|| format!("{} is not an image", image.display()))?;
    let mut names = Vec::new();
    for section in file.sections().filter(|section| section.address() > 0) {
        names.extend(paths_in(section.data()?));
    }
    Ok(names)
}

/// The paths of source files in the bytes of a section, also where nothing separates two paths.
fn paths_in(bytes: &[u8]) -> Vec<String> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    bytes
        .split(|byte| !is_part(byte))
        .filter_map(|run| std::str::from_utf8(run).ok())
        .flat_map(|run| run.split_inclusive(".rs"))
        .filter(|path| path.ends_with(".rs") && path.contains('/'))
        .map(str::to_owned)
        .collect()
}

pub(crate) fn panic_symbols(names: &[String]) -> Vec<&str> {
    names
        .iter()
        .map(String::as_str)
        .filter(|name| PANIC_MARKS.iter().any(|mark| name.contains(mark)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_found_in_every_mangling() {
        let panics = [
            "core::panicking::panic_fmt",
            "_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE",
            "_RNvNtCs1234_4core9panicking9panic_fmt",
            "_ZN4core5slice5index16slice_index_fail17h0123456789abcdefE",
            "_ZN4core6result13unwrap_failed17h0123456789abcdefE",
            "_ZN4core5slice4sort6shared9smallsort22panic_on_ord_violation17h0123456789abcdefE",
        ];
        for name in panics {
            assert_eq!(panic_symbols(&[name.to_owned()]), [name]);
        }
    }

    #[test]
    fn paths_are_found_among_other_bytes() {
        let bytes = b"\x01\x02/rustc/1/library/core/src/iter.rssrc/pca/rotation.rs\0not.rs\0src/lib.rs\xff";
        assert_eq!(
            paths_in(bytes),
            ["/rustc/1/library/core/src/iter.rs", "src/pca/rotation.rs", "src/lib.rs"]
        );
    }

    #[test]
    fn ordinary_symbols_are_not_panics() {
        let names = [
            "Reset",
            "main",
            "rust_begin_unwind",
            "_RNvCs1_9no_panic3run",
            "_ZN4libm4math4expf4expf17h01E",
        ];
        assert!(panic_symbols(&names.map(str::to_owned)).is_empty());
    }

    #[test]
    fn a_symbol_is_shown_as_the_path_of_its_function() {
        for (symbol, path) in [
            ("_ZN4libm4math4expf4expf17h0123456789abcdefE", "libm::math::expf::expf"),
            (
                "_ZN45_$LT$f32$u20$as$u20$crate..scalar..Scalar$GT$3exp17h0123456789abcdefE",
                "<f32 as crate::scalar::Scalar>::exp",
            ),
            (
                "_ZN5crate17Pair$LT$T$C$_$GT$3new17h0123456789abcdefE",
                "crate::Pair<T,_>::new",
            ),
            ("__aeabi_memcpy4", "__aeabi_memcpy4"),
        ] {
            assert_eq!(path_of(symbol), path);
        }
    }

    #[test]
    fn a_file_that_is_not_an_image_is_refused() {
        let manifest = crate::cargo::root().join("Cargo.toml");
        assert!(symbols(&manifest).is_err_and(|error| error.to_string().ends_with("is not an image")));
    }
}
