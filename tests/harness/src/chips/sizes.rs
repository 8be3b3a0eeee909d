//! Flash and RAM of a linked program, from its sections.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use object::elf::SHF_ALLOC;
use object::{Object, ObjectSection, SectionFlags};

/// Beginnings of the names of the sections in RAM, which hold variables and code. The stack is not counted.
const IN_RAM: [&str; 6] = [".data", ".bss", ".uninit", ".noinit", ".rwtext", ".trap"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) flash: u64,
    /// Bytes of variables and of code that runs in RAM, without the stack.
    pub(crate) ram: u64,
}

impl Sizes {
    pub(crate) fn of(image: &Path) -> Result<Self> {
        let bytes = fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
        let file =
            object::File::parse(bytes.as_slice()).with_context(|| format!("{} is not an image", image.display()))?;
        let mut sizes = Self { flash: 0, ram: 0 };
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
                continue;
            };
            if sh_flags & SHF_ALLOC == Default::default() {
                continue;
            }
            if section.file_range().is_some() {
                sizes.flash += section.size();
            }
            if is_variable(section.name().unwrap_or_default()) {
                sizes.ram += section.size();
            }
        }
        Ok(sizes)
    }
}

/// Whether a section of this name takes RAM; a section with `dummy` in its name only reserves addresses.
fn is_variable(name: &str) -> bool {
    IN_RAM.iter().any(|beginning| name.starts_with(beginning)) && !name.contains("dummy")
}

impl fmt::Display for Sizes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes of flash, {} bytes of RAM", self.flash, self.ram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_counted_as_ram_and_code_is_not() {
        assert!(is_variable(".bss") && is_variable(".data") && is_variable(".uninit"));
        assert!(
            !is_variable(".text") && !is_variable(".rodata") && !is_variable(".stack") && !is_variable(".rwdata_dummy")
        );
    }
}
