//! Programs that the tool prints for a size: the types of learners in Rust, texts with places to fill, and cargo projects.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::process::cargo;

/// The type of a learner of `f32` in Rust.
#[derive(Clone, Debug)]
pub(crate) struct LearnerType {
    /// The module below `eigenstream`.
    pub(crate) module: &'static str,
    pub(crate) name: &'static str,
    /// The type of the settings, in the same module.
    pub(crate) settings: &'static str,
    /// In the order of the type.
    sizes: Vec<usize>,
}

impl LearnerType {
    pub(crate) fn new(module: &'static str, name: &'static str, settings: &'static str, sizes: &[usize]) -> Self {
        Self {
            module,
            name,
            settings,
            sizes: sizes.to_vec(),
        }
    }

    /// As after an import: `TrackingPca<f32, 6, 2, 6>`.
    pub(crate) fn short(&self) -> String {
        self.generic("")
    }

    /// With the path of the crate: `eigenstream::pca::TrackingPca<f32, 6, 2, 6>`.
    pub(crate) fn path(&self, library: &str) -> String {
        format!(
            "{library}::{}::{}",
            self.module,
            self.generic(&format!("{library}::kernel::"))
        )
    }

    /// The path before `::new`.
    pub(crate) fn constructor(&self) -> String {
        format!("eigenstream::{}::{}", self.module, self.name)
    }

    /// The path of the settings before `::new` or `::DEFAULT`.
    pub(crate) fn settings_path(&self) -> String {
        format!("eigenstream::{}::{}", self.module, self.settings)
    }

    fn generic(&self, kernel_path: &str) -> String {
        let kernel = match self.module {
            "kernel" => format!("{kernel_path}Gaussian<f32>, "),
            _ => String::new(),
        };
        let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
        format!("{}<f32, {kernel}{}>", self.name, sizes.join(", "))
    }
}

/// A text whose places `{{name}}` are filled with the values.
pub(crate) fn filled(template: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(template.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value)
    })
}

/// Writes files and their folders. A file with the right content is not written again, so that cargo does not rebuild it.
pub(crate) fn write(
    folder: &Path,
    files: impl IntoIterator<Item = (impl AsRef<Path>, impl AsRef<[u8]>)>,
) -> Result<()> {
    for (name, content) in files {
        let (file, content) = (folder.join(name), content.as_ref());
        if fs::read(&file).is_ok_and(|found| found == content) {
            continue;
        }
        fs::create_dir_all(file.parent().unwrap_or(folder))
            .and_then(|()| fs::write(&file, content))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Cargo in the folder of a project, without input. The user may have set another target folder for all builds.
pub(crate) fn cargo_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("CARGO_TARGET_DIR", "target");
    command
}
