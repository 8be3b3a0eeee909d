//! The files around the archive: headers, CMake package, program.

use std::path::Path;

use anyhow::Result;

use super::archive::Sizes;
use super::{Configuration, demo};
use crate::program::{self, filled};
use crate::{carried, counted};

const CMAKE: &str = include_str!("template/CMakeLists.txt");
const PACKAGE: &str = include_str!("template/eigenstream-config.cmake");
const PLATFORMIO: &str = include_str!("template/library.json");
const ZEPHYR_MODULE: &str = include_str!("template/module.yml");
const ZEPHYR: &str = include_str!("template/zephyr.cmake");

pub(super) fn write(configuration: &Configuration, sizes: Sizes, out: &Path) -> Result<()> {
    let name = &configuration.name;
    let capitals = name.to_ascii_uppercase();
    let header = format!(
        "/* A monitor of {channels_in_words} for {core}. */\n\
         #ifndef {capitals}_H\n#define {capitals}_H\n\n\
         #include \"eigenstream.h\"\n\n\
         #define {capitals}_CHANNELS {channels}\n\
         #define {capitals}_BYTES {storage}\n\
         #define {capitals}_IMAGE_BYTES {image}\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         EIG_DECLARE_MONITOR({name}, {channels}, {storage})\n\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        channels = configuration.channels,
        channels_in_words = counted(configuration.channels as u64, "channel"),
        core = configuration.core.words(),
        storage = sizes.storage,
        image = sizes.image,
    );
    let read = |file: &str| carried::text(&format!("bindings/c/{file}"));
    let program = read("demo/main.c").replace("motor", name).replace("MOTOR", &capitals);
    let named = &[("name", name.as_str())];
    let flags = configuration.core.flags().join(" ");
    let mut files = vec![
        (format!("include/{name}.h"), header),
        ("include/eigenstream.h".into(), read("include/eigenstream.h").into()),
        ("main.c".into(), program),
        ("CMakeLists.txt".into(), filled(CMAKE, &[("flags", &flags)])),
        ("eigenstream-config.cmake".into(), filled(PACKAGE, named)),
        ("Makefile".into(), demo::makefile(configuration)),
        ("library.json".into(), filled(PLATFORMIO, named)),
        ("zephyr/module.yml".into(), filled(ZEPHYR_MODULE, named)),
        ("zephyr/CMakeLists.txt".into(), filled(ZEPHYR, named)),
    ];
    if configuration.core.brings_its_start() {
        files.push(("board/startup.c".into(), read("demo/startup.c").into()));
        files.push(("board/cortex_m.ld".into(), read("demo/cortex_m.ld").into()));
    }
    program::write(out, files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::c::Core;

    /// The files that the manifests of build systems name.
    const NAMED: [(&str, &str, &str); 10] = [
        ("Makefile", "-Iinclude main.c ", "main.c"),
        ("Makefile", " board/startup.c ", "board/startup.c"),
        ("Makefile", " -T board/cortex_m.ld ", "board/cortex_m.ld"),
        ("Makefile", " lib/libeigenstream.a -o watch", "lib/libeigenstream.a"),
        ("library.json", "\"includeDir\": \"include\"", "include/motor.h"),
        ("library.json", "\"-L lib\", \"-l eigenstream\"", "lib/libeigenstream.a"),
        ("zephyr/module.yml", "cmake: zephyr", "zephyr/CMakeLists.txt"),
        (
            "zephyr/module.yml",
            "name: eigenstream_motor\n",
            "zephyr/CMakeLists.txt",
        ),
        (
            "zephyr/CMakeLists.txt",
            "CMAKE_CURRENT_LIST_DIR}/../include)",
            "include/eigenstream.h",
        ),
        (
            "zephyr/CMakeLists.txt",
            "/../lib/libeigenstream.a)",
            "lib/libeigenstream.a",
        ),
    ];

    #[test]
    fn manifests_name_files_that_exist() -> Result<()> {
        let out = std::env::temp_dir().join(format!("eigenstream-manifests-{}", std::process::id()));
        let sizes = Sizes {
            storage: 1_360,
            image: 1_475,
        };
        write(&Configuration::standard(6, Core::CortexM4f), sizes, &out)?;
        // The archive takes minutes to build: an empty file stands for it.
        fs::create_dir_all(out.join("lib"))?;
        fs::write(out.join(super::super::archive::ARCHIVE), [])?;
        for (manifest, words, file) in NAMED {
            let text = fs::read_to_string(out.join(manifest))?;
            assert!(text.contains(words), "{manifest} does not say {words}");
            assert!(out.join(file).is_file(), "{manifest} names {file}");
        }
        let makefile = fs::read_to_string(out.join("Makefile"))?;
        assert!(makefile.contains("\nwatch: main.c board/startup.c board/cortex_m.ld include/motor.h "));
        assert!(makefile.contains("\tqemu-system-arm -machine mps2-an386 -cpu cortex-m4 "));
        assert!(!makefile.contains("{{"), "{makefile}");
        assert!(serde_json::from_str::<serde_json::Value>(&fs::read_to_string(out.join("library.json"))?).is_ok());
        fs::remove_dir_all(&out)?;
        Ok(())
    }
}
