//! Equal bits on other processors and by other optimisations: `tests/conformance` prints the digests of `tests/data/digests.txt` there, too.
//! In: a processor or a way to build. Out: nothing, or the digests that differ.
//! Programs for other processors run in QEMU's user mode, the one for WebAssembly in Node.js.

use std::fs;

use anyhow::{Context, Result};

use super::conformance::{self, Digests};
use crate::cargo::{Linking, Optimisation, WITHOUT_REGISTRY, cargo, finish, root};
use crate::install::Need;

/// A processor that none of the boards has; its programs run in QEMU's user mode or in Node.js.
#[derive(Debug)]
pub(crate) struct Foreign {
    /// Rust's name of the target.
    pub(crate) target: &'static str,
    /// The property that makes the target worth a check.
    pub(crate) trait_of_it: &'static str,
    /// The linker, where Rust does not bring one.
    linker: Option<Need>,
    /// The emulator or runtime for the target.
    runner: Need,
    /// The arguments of the runner before the program.
    arguments: &'static str,
}

const fn linker(program: &'static str, packages: &'static [&'static str]) -> Option<Need> {
    Some(Need::Program { program, packages })
}

const fn emulator(program: &'static str) -> Need {
    Need::Program {
        program,
        packages: &["qemu-user"],
    }
}

/// The script with which Node.js runs a WebAssembly program.
const WASI: &str = r#"import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1", args: [], env: {} });
const program = await WebAssembly.compile(readFileSync(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(program, wasi.getImportObject()));
"#;

/// The file to which [`WASI`] is written, relative to the root of the checkout.
const WASI_FILE: &str = "target/wasi.mjs";

/// Every foreign processor; `cargo harness test --all` checks the first two.
pub(crate) static FOREIGN: [Foreign; 4] = [
    Foreign {
        target: "s390x-unknown-linux-gnu",
        trait_of_it: "big endian",
        linker: linker("s390x-linux-gnu-gcc", &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"]),
        runner: emulator("qemu-s390x"),
        arguments: "-L /usr/s390x-linux-gnu",
    },
    Foreign {
        target: "wasm32-wasip1",
        trait_of_it: "a virtual machine",
        linker: None,
        runner: Need::Program {
            program: "node",
            packages: &["nodejs"],
        },
        arguments: "--no-warnings target/wasi.mjs",
    },
    Foreign {
        target: "aarch64-unknown-linux-gnu",
        trait_of_it: "fused multiply-add",
        linker: linker(
            "aarch64-linux-gnu-gcc",
            &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        ),
        runner: emulator("qemu-aarch64"),
        arguments: "-L /usr/aarch64-linux-gnu",
    },
    Foreign {
        target: "riscv64gc-unknown-linux-gnu",
        trait_of_it: "64 bits of RISC-V",
        linker: linker(
            "riscv64-linux-gnu-gcc",
            &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
        ),
        runner: emulator("qemu-riscv64"),
        arguments: "-L /usr/riscv64-linux-gnu",
    },
];

impl Foreign {
    /// Tools without which the check cannot run.
    pub(crate) fn needs(&self) -> Vec<Need> {
        let mut needs = vec![Need::Target(self.target), self.runner];
        needs.extend(self.linker);
        needs
    }

    /// The digests that the gate compares: all on the big-endian processor, elsewhere all but those of the registry.
    pub(crate) fn digests_of_the_gate(&self) -> Digests {
        match self.target.starts_with("s390x") {
            true => Digests::All,
            false => Digests::WithoutRegistry,
        }
    }

    /// Fails unless the processor prints the committed digests at the given optimisation.
    pub(crate) fn has_the_bits(&self, optimisation: Optimisation, digests: Digests) -> Result<()> {
        let script = root().join(WASI_FILE);
        fs::write(&script, WASI).with_context(|| format!("cannot write {}", script.display()))?;
        let variable = |what: &str| format!("CARGO_TARGET_{}_{what}", self.target.to_uppercase().replace('-', "_"));
        let mut command = cargo(&["run", "--package", conformance::PACKAGE, "--profile", "optimised"]);
        command.args(["--target", self.target]);
        if digests == Digests::WithoutRegistry {
            command.args(WITHOUT_REGISTRY);
        }
        command.env(Linking::Parts.variable(), optimisation.level());
        if let Some(Need::Program { program, .. }) = self.linker {
            command.env(variable("LINKER"), program);
        }
        if let Need::Program { program, .. } = self.runner {
            command.env(variable("RUNNER"), format!("{program} {}", self.arguments));
        }
        conformance::compare(&digests.committed()?, &finish(&mut command)?)
    }
}

/// The tested ways to optimise: the name of each, and the environment variables for cargo.
pub(crate) const OPTIMISATIONS: [(&str, &[(&str, &str)]); 8] = [
    ("opt-level 0", &[("CARGO_PROFILE_OPTIMISED_OPT_LEVEL", "0")]),
    ("opt-level 1", &[("CARGO_PROFILE_OPTIMISED_OPT_LEVEL", "1")]),
    ("opt-level 2", &[("CARGO_PROFILE_OPTIMISED_OPT_LEVEL", "2")]),
    ("opt-level 3", &[]),
    ("opt-level s", &[("CARGO_PROFILE_OPTIMISED_OPT_LEVEL", "s")]),
    ("opt-level z", &[("CARGO_PROFILE_OPTIMISED_OPT_LEVEL", "z")]),
    ("opt-level 3, fat LTO", &[("CARGO_PROFILE_OPTIMISED_LTO", "fat")]),
    (
        "opt-level 3, every instruction of this processor",
        &[("RUSTFLAGS", "-Ctarget-cpu=native")],
    ),
];

/// Fails unless this computer prints the committed digests in each way of [`OPTIMISATIONS`].
pub(crate) fn any_optimisation_has_the_bits() -> Result<()> {
    for (words, variables) in OPTIMISATIONS {
        let mut command = cargo(&["run", "--package", conformance::PACKAGE, "--profile", "optimised"]);
        command.envs(variables.iter().copied());
        let printed = finish(&mut command).with_context(|| words.to_owned())?;
        conformance::compare(&Digests::All.committed()?, &printed).with_context(|| words.to_owned())?;
    }
    Ok(())
}
