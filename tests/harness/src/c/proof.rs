//! Builds the generated folder for every core with gcc and clang, C and C++, make and CMake.
//! CMake, AddressSanitizer and valgrind are used only for programs of this computer. Out: nothing, or the message of a
//! compiler, a program or a memory checker.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use eigenstream_tool::c::{Configuration, Core, Sizes, flash};

use super::digest::{expect_digest, misuse_is_refused};
use crate::bench::committed_rows;
use crate::cargo::{cargo, finish, root};
use crate::install::{Need, provide};
use crate::machine::CORTEX_M4F;

/// Options that turn warnings on and make them errors, as a customer's build may do.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// The most flash that C may take beyond the monitor in Rust, on a Cortex-M4F at opt-level `s`: with `init` and
/// `observe`, and also with `save` and `load`.
const MORE_FLASH: [u64; 2] = [512, 7_500];

/// Flash of the monitor in Rust on a Cortex-M4F at opt-level `s`, from W4 of `bench`.
fn flash_in_rust() -> Result<u64> {
    let rows = committed_rows()?;
    let row =
        (rows.iter()).find(|row| row["workload"] == "W4" && row["opt"] == "s" && row["machine"] == CORTEX_M4F.machine);
    row.and_then(|row| row["text_bytes"].as_u64())
        .context("bench.json has no flash of W4 at opt-level s")
}

/// Checks every core; a missing compiler or emulator is an error.
pub(crate) fn every_core() -> Result<String> {
    let mut done = Vec::new();
    for &core in Core::value_variants() {
        let needs = core.target_need().into_iter().chain(core.needs());
        if let Some(sentence) = needs.into_iter().find_map(|need| provide(need).err()) {
            bail!("{}: {sentence}", core.words());
        }
        let folder = Folder::write(core)?;
        folder.prove().with_context(|| core.words())?;
        done.push(core.words());
    }
    Ok(format!("gcc, clang, C99 to C++17 for {}", done.join(", ")))
}

/// Runs the tests of the crate `eigenstream-c` under valgrind.
pub(crate) fn host_tests_under_valgrind() -> Result<String> {
    let listed = finish(&mut cargo(&[
        "test",
        "--package",
        "eigenstream-c",
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
    ]))?;
    let programs: Vec<PathBuf> = (listed.lines())
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .collect();
    for program in &programs {
        under_valgrind(program)?;
    }
    Ok(format!("{} programs clean under valgrind", programs.len()))
}

/// The program valgrind, for the tests of `eigenstream-c` and for `misuse.c`, both on this computer.
pub(crate) const VALGRIND: Need = Need::Program {
    program: "valgrind",
    packages: &["valgrind"],
};

fn under_valgrind(program: &Path) -> Result<()> {
    let mut command = Command::new("valgrind");
    command
        .args(["--quiet", "--error-exitcode=9", "--leak-check=full"])
        // Rust's test runner keeps memory for its threads; valgrind reports this memory as possibly lost.
        .arg("--errors-for-leak-kinds=definite")
        .arg(program);
    finish(&mut command)
        .with_context(|| format!("valgrind on {}", program.display()))
        .map(drop)
}

const BUILD_SYSTEMS: [Need; 2] = [
    Need::Program {
        program: "cmake",
        packages: &["cmake"],
    },
    Need::Program {
        program: "make",
        packages: &["make"],
    },
];

/// Checks that a monitor of 20 channels takes no more stack than the guide states.
fn takes_the_stack_of_the_guide(core: Core) -> Result<()> {
    let configuration = Configuration::standard(20, core);
    let folder = Folder::of(&configuration, core, "stack")?;
    fs::copy(root().join("bindings/c/demo/stack.c"), folder.path.join("main.c"))?;
    let printed = configuration.build_and_run(&folder.path).context("stack.c")?;
    let stack: Vec<u64> = (printed.split_whitespace())
        .filter_map(|word| word.parse().ok())
        .collect();
    if stack.len() == MOST_STACK.len() && stack.iter().zip(&MOST_STACK).all(|(bytes, most)| bytes <= most) {
        Ok(())
    } else {
        bail!("{stack:?} bytes of stack: at most {MOST_STACK:?}")
    }
}

/// A program with two monitors of different sizes, each from its own archive.
const TWO_MONITORS: &str = "#include \"motor.h\"\n\
    #include \"pump.h\"\n\
    static motor_t motor;\n\
    static pump_t pump;\n\
    int main(void) {\n\
      const eig_settings settings = eig_settings_default();\n\
      const float sample[MOTOR_CHANNELS] = {0.0f};\n\
      eig_verdict verdict;\n\
      return motor_init(&motor, &settings) || pump_init(&pump, &settings) ||\n\
             motor_observe(&motor, sample, &verdict) || pump_observe(&pump, sample, &verdict) ||\n\
             eig_strerror(EIG_OK)[0] != 'd';\n\
    }\n";

/// A CMake project with both monitors; it looks for one package twice, as two parts of a project may do.
const TWO_IN_CMAKE: &str = "cmake_minimum_required(VERSION 3.13)\n\
    project(two C)\n\
    find_package(eigenstream REQUIRED PATHS MOTOR NO_DEFAULT_PATH)\n\
    find_package(eigenstream REQUIRED PATHS MOTOR NO_DEFAULT_PATH)\n\
    include(PUMP/eigenstream-config.cmake)\n\
    add_executable(two two.c)\n\
    target_link_libraries(two PRIVATE eigenstream::eigenstream eigenstream::pump)\n";

/// The most stack of `init`, `observe`, `observe` with missing channels, `save` and `load` on a Cortex-M4F with 20
/// channels, as in the C guide.
const MOST_STACK: [u64; 5] = [3_900, 1_300, 1_900, 700, 700];

/// A generated folder; it is removed when this value is dropped.
struct Folder {
    path: PathBuf,
    core: Core,
    sizes: Sizes,
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Folder {
    fn write(core: Core) -> Result<Self> {
        Self::of(&Configuration::standard(6, core), core, "motor")
    }

    fn of(configuration: &Configuration, core: Core, name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("eigenstream-proof-{}-{core:?}-{name}", std::process::id()));
        let sizes = configuration.write(&path)?;
        Ok(Self { path, core, sizes })
    }

    fn prove(&self) -> Result<()> {
        let configuration = Configuration::standard(6, self.core);
        expect_digest(&configuration.build_and_run(&self.path)?)?;
        for (compiler, language) in [("gcc", "c99"), ("gcc", "c++11"), ("clang", "c11"), ("clang", "c++17")] {
            self.compile(compiler, language, &self.path.join("main.c"))
                .with_context(|| format!("{compiler}, {language}"))?;
        }
        self.has_clean_headers()?;
        if let Some(sentence) = BUILD_SYSTEMS.into_iter().find_map(|need| provide(need).err()) {
            bail!("{sentence}");
        }
        let made = finish(Command::new("make").arg("--silent").arg("run").current_dir(&self.path));
        expect_digest(&made.context("make run")?).context("make run")?;
        // This call comes after `make`, which could otherwise run the program of `misuse.c`.
        misuse_is_refused(&configuration, &self.path)?;
        if self.core == Core::CortexM4f {
            self.takes_little_flash()?;
            takes_the_stack_of_the_guide(self.core)?;
        }
        if [Core::CortexM4f, Core::Host].contains(&self.core) {
            self.stands_beside_another().context("two monitors in one program")?;
        }
        if self.core == Core::Host {
            self.tells_that_there_was_no_alarm()?;
            self.refuses_a_short_buffer()?;
            self.refuses_a_stale_header()?;
            self.survives_misuse()?;
        }
        Ok(())
    }

    fn takes_little_flash(&self) -> Result<()> {
        let in_rust = flash_in_rust()?;
        let most = MORE_FLASH.map(|more| in_rust + more);
        match flash(&Configuration::standard(6, self.core), &self.path)? {
            Some(flash) if flash.iter().zip(&most).all(|(bytes, most)| bytes <= most) => Ok(()),
            flash => bail!("{flash:?} bytes of flash: at most {most:?}"),
        }
    }

    /// Links one program with this archive and that of a monitor of another size; on this computer, CMake links the
    /// program, which then runs.
    fn stands_beside_another(&self) -> Result<()> {
        let pump = Self::of(&Configuration::standard(3, self.core).named("pump"), self.core, "pump")?;
        let both = self.path.join("two");
        fs::create_dir_all(&both)?;
        fs::write(both.join("two.c"), TWO_MONITORS)?;
        if self.core != Core::Host {
            let mut command = Command::new(self.core.compiler());
            command
                .args(self.core.flags())
                .args(WARNINGS)
                .arg("--specs=nosys.specs");
            for folder in [self, &pump] {
                command.arg("-I").arg(folder.path.join("include"));
            }
            command.arg(both.join("two.c"));
            for folder in [self, &pump] {
                command.arg(folder.path.join("lib/libeigenstream.a"));
            }
            return finish(command.arg("-o").arg(both.join("two"))).map(drop);
        }
        let [motor, pump] = [self, &pump].map(|folder| folder.path.to_string_lossy());
        let project = TWO_IN_CMAKE.replace("MOTOR", &motor).replace("PUMP", &pump);
        fs::write(both.join("CMakeLists.txt"), project)?;
        finish(
            Command::new("cmake")
                .args(["-S", ".", "-B", "built"])
                .current_dir(&both),
        )?;
        finish(Command::new("cmake").args(["--build", "built"]).current_dir(&both))?;
        finish(&mut Command::new(both.join("built/two"))).map(drop)
    }

    /// Compiles the headers with strict C++ warnings.
    fn has_clean_headers(&self) -> Result<()> {
        let program = self.path.join("strict.c");
        let pragmas = ["-Wold-style-cast", "-Wconversion", "-Wshadow", "-Wcast-qual"];
        let pragmas = pragmas.map(|warning| format!("#pragma GCC diagnostic error \"{warning}\"\n"));
        fs::write(&program, pragmas.concat() + "#include \"motor.h\"\n")?;
        self.compile("clang", "c++11", &program)
            .context("strict warnings")
            .map(drop)
    }

    /// Compiles a program to an object, without linking.
    fn compile(&self, compiler: &str, language: &str, program: &Path) -> Result<PathBuf> {
        let object = self.path.join("checked.o");
        let mut command = Command::new(self.compiler(compiler));
        command.args(self.target_of(compiler)).args(self.core.flags());
        command.args(["-x", if language.starts_with("c++") { "c++" } else { "c" }]);
        command
            .arg(format!("-std={language}"))
            .args(WARNINGS)
            .args(["-Os", "-c"]);
        command.arg("-I").arg(self.path.join("include")).arg(program);
        finish(command.arg("-o").arg(&object))?;
        Ok(object)
    }

    fn compiler(&self, compiler: &str) -> &str {
        match compiler {
            "clang" => "clang",
            _ => self.core.compiler(),
        }
    }

    /// The options with which a compiler selects the target and the C library.
    fn target_of(&self, compiler: &str) -> &'static [&'static str] {
        match (compiler, self.core) {
            ("clang", Core::Riscv32) => &[
                "--target=riscv32-unknown-elf",
                "-isystem/usr/lib/picolibc/riscv64-unknown-elf/include",
            ],
            ("gcc", Core::Riscv32) => &["--specs=picolibc.specs"],
            ("clang", Core::Host) | ("gcc", _) => &[],
            _ => &["--target=arm-none-eabi", "-isystem/usr/lib/arm-none-eabi/include"],
        }
    }

    /// Checks that the program, on a stream without a fault, says that there was no alarm and still succeeds: with few
    /// directions, a learner may miss a fault.
    fn tells_that_there_was_no_alarm(&self) -> Result<()> {
        let program = fs::read_to_string(self.path.join("main.c"))?;
        let faultless = program.replace("#define FAULT 3000", "#define FAULT 4000");
        fs::write(self.path.join("faultless.c"), faultless)?;
        let linked = self.link("faultless.c", &self.path.join("include"), &[])?;
        let printed = finish(&mut Command::new(linked)).context("a program without a fault")?;
        match printed.lines().next() {
            Some(line) if line.starts_with("no alarm: ") => Ok(()),
            _ => bail!("a program without a fault does not say that there was no alarm:\n{printed}"),
        }
    }

    /// Checks that a program that passes a sample with too few numbers does not compile.
    fn refuses_a_short_buffer(&self) -> Result<()> {
        let program = self.path.join("short.c");
        let text = "#include \"motor.h\"\n\
                    int look(motor_t *monitor, eig_verdict *verdict);\n\
                    int look(motor_t *monitor, eig_verdict *verdict) {\n\
                      const float sample[MOTOR_CHANNELS - 1] = {0.0f};\n\
                      return motor_observe(monitor, sample, verdict);\n}\n";
        fs::write(&program, text)?;
        match self.compile("gcc", "c11", &program) {
            Err(_) => Ok(()),
            Ok(_) => bail!("gcc compiles a sample with too few numbers"),
        }
    }

    /// Checks that a program compiled with the header of a monitor of another size does not link.
    fn refuses_a_stale_header(&self) -> Result<()> {
        let include = self.path.join("stale");
        fs::create_dir_all(&include)?;
        let header = fs::read_to_string(self.path.join("include/motor.h"))?;
        let [now, then] = [self.sizes.storage, self.sizes.storage + 8].map(|bytes| bytes.to_string());
        fs::write(include.join("motor.h"), header.replace(&now, &then))?;
        match self.link("main.c", &include, &[]) {
            Err(_) => Ok(()),
            Ok(_) => bail!("a program with a stale header links"),
        }
    }

    /// Runs `misuse.c` with AddressSanitizer and under valgrind.
    fn survives_misuse(&self) -> Result<()> {
        fs::copy(root().join("bindings/c/demo/misuse.c"), self.path.join("misuse.c"))?;
        let include = self.path.join("include");
        let sanitized = self.link("misuse.c", &include, &["-fsanitize=address", "-g"])?;
        finish(&mut Command::new(sanitized)).context("misuse.c with AddressSanitizer")?;
        if let Err(sentence) = provide(VALGRIND) {
            bail!("{sentence}");
        }
        under_valgrind(&self.link("misuse.c", &include, &["-g"])?)
    }

    fn link(&self, program: &str, include: &Path, more: &[&str]) -> Result<PathBuf> {
        let linked = self.path.join("linked");
        let mut command = Command::new(self.core.compiler());
        command
            .args(["-std=c11"])
            .args(WARNINGS)
            .args(more)
            .arg("-I")
            .arg(include);
        // The common header is always in the generated folder, but not always in `include`.
        command
            .arg("-I")
            .arg(self.path.join("include"))
            .arg(self.path.join(program));
        command
            .arg(self.path.join("lib/libeigenstream.a"))
            .args(["-lpthread", "-ldl", "-lm"]);
        finish(command.arg("-o").arg(&linked))?;
        Ok(linked)
    }
}
