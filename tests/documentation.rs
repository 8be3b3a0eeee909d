//! The guides and the README agree with the files of the crate.
#![expect(clippy::expect_used, reason = "a file that cannot be read is a failed test")]

use std::fs;
use std::path::Path;

struct Row {
    paper: String,
    place: String,
    algorithm: String,
    file: String,
    item: String,
}

/// The table rows of `src/guide/mathematics.md` that name a file of `src`.
fn table() -> Vec<Row> {
    let guide = read("src/guide/mathematics.md");
    let cells = |line: &str| {
        line.split('|')
            .map(|cell| cell.trim().replace('`', ""))
            .collect::<Vec<_>>()
    };
    let rows = guide.lines().map(cells).filter_map(|row| match row.as_slice() {
        [_, paper, place, algorithm, file, item, _] if file.starts_with("src/") => Some(Row {
            paper: paper.clone(),
            place: place.clone(),
            algorithm: algorithm.clone(),
            file: file.clone(),
            item: item.clone(),
        }),
        _ => None,
    });
    rows.collect()
}

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).expect(file)
}

/// The `//!` head of a file, joined to one line.
fn head(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ").replace('\\', "")
}

/// Keeps letters and digits, in lower case, so that `online_to_batch` equals "Online to batch".
fn letters(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[test]
fn the_table_of_papers_names_every_numbered_algorithm() {
    let table = table();
    for (paper, count) in [("[WK08]", 6), ("[KW07]", 6)] {
        for number in 1..=count {
            let place = format!("Algorithm {number}");
            let found = table.iter().any(|row| row.paper == paper && row.place == place);
            assert!(found, "{paper} {place} is not in the table");
        }
    }
}

#[test]
fn the_table_of_papers_names_every_algorithm_without_a_number() {
    let table = table();
    for (paper, rows) in [
        (
            "[WK08]",
            [
                "SubsetExperts",
                "learn_instance",
                "AverageDensity",
                "FollowTheLeader",
                "Share",
            ]
            .as_slice(),
        ),
        ("[WKs]", &["VarianceMinimizer"]),
        ("[K01]", &["Oja", "KernelOja", "Apex", "KernelApex", "Gha", "KernelGha"]),
        (
            "[C15]",
            &["cholesky_coordinates", "KernelRidge", "KernelMean", "Preimage"],
        ),
    ] {
        for item in rows {
            let found = table.iter().any(|row| row.paper == paper && row.item == *item);
            assert!(found, "{paper} {item} is not in the table");
        }
    }
    assert!(table.iter().all(|row| !row.algorithm.is_empty()));
}

#[test]
fn every_file_in_the_table_defines_its_item_and_names_its_algorithm() {
    for Row {
        paper,
        place,
        algorithm,
        file,
        item,
    } in table()
    {
        let source = read(&file);
        let defines = ["struct", "enum", "type", "fn", "const fn"].iter().any(|keyword| {
            let definition = format!("pub {keyword} {item}");
            let mut found = source.match_indices(&definition);
            found.any(|(at, _)| {
                !source[at + definition.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
            })
        });
        assert!(defines, "{file} does not define {item}");
        let head = head(&source);
        let named = if place.starts_with("Algorithm") {
            head.contains(&format!("{paper} {place}"))
        } else {
            // The name of the algorithm, up to a comma or " with ", must be in the head or in the path of the file.
            let name = letters(
                algorithm
                    .split([','])
                    .next()
                    .and_then(|name| name.split(" with ").next())
                    .unwrap_or_default(),
            );
            head.contains(&paper) && (letters(&file).contains(&name) || letters(&head).contains(&name))
        };
        assert!(
            named,
            "the head of {file} does not name {paper} {place}, {algorithm}: {head}"
        );
    }
}

#[test]
fn the_table_of_papers_names_every_learner_of_a_paper() {
    let table = table();
    let mut learners = 0;
    for file in sources("src") {
        let source = read(&file);
        let head = head(&source);
        // The energy scale names a paper only because it replaces an assumption of that paper.
        let names_a_paper = file != "src/learner/energy_scale.rs" && table.iter().any(|row| head.contains(&row.paper));
        // In the file of a learner, the call of the macro `stored!` contains "] of T".
        if names_a_paper && source.contains("] of T") {
            learners += 1;
            assert!(
                table.iter().any(|row| row.file == file),
                "{file} names a paper, but src/guide/mathematics.md does not name the file"
            );
        }
    }
    assert!(learners > 15, "{learners} learners");
}

#[test]
fn every_type_has_its_sizes_in_one_order() {
    // The compiler does not find two swapped sizes, because all are `usize`.
    let order = [
        "DIM", "LEFT", "RIGHT", "KEEP", "LAGS", "WIDE", "POINTS", "WINDOW", "RANK", "MEDIAN",
    ];
    let mut types = 0;
    for file in sources("src") {
        let source = read(&file);
        let public = ["struct", "type", "fn"].map(|keyword| format!("pub {keyword} "));
        for line in source
            .lines()
            .filter(|line| public.iter().any(|start| line.trim_start().starts_with(start)))
        {
            let names = line
                .split("const ")
                .skip(1)
                .filter_map(|rest| rest.split_once(": usize"));
            let places: Vec<usize> = names
                .filter_map(|(name, _)| order.iter().position(|&other| other == name))
                .collect();
            types += usize::from(places.len() > 1);
            assert!(
                places.is_sorted(),
                "{file}: the sizes are not in the order {order:?}: {line}"
            );
        }
    }
    assert!(types > 20, "{types} types with several sizes");
}

fn sources(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect(folder) {
        let name = entry.expect("an entry of src").file_name();
        let path = format!("{folder}/{}", name.to_string_lossy());
        if path.ends_with(".rs") {
            files.push(path);
        } else if !path.ends_with(".md") {
            files.extend(sources(&path));
        }
    }
    files
}

#[test]
fn every_linked_picture_exists() {
    let folder = "examples/figures/";
    let pages = ["README.md", "src/guide/gallery.md", "src/lib.rs"].map(|page| (page, read(page)));
    for (page, text) in &pages {
        let links = text.split(folder).skip(1).filter_map(|rest| rest.split_once(".png"));
        let names: Vec<&str> = links.map(|(name, _)| name).collect();
        assert!(!names.is_empty(), "{page} links no picture");
        for name in names {
            let picture = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(folder)
                .join(name)
                .with_extension("png");
            assert!(picture.is_file(), "{page} links {name}.png, which is not in {folder}");
        }
    }
    let (gallery, module) = (read("src/guide/gallery.md"), read("src/guide/mod.rs"));
    for (name, _) in gallery.split(folder).skip(1).filter_map(|rest| rest.split_once(".png")) {
        assert!(
            module.contains(&format!("picture!(\"{name}\")")),
            "guide/mod.rs does not define {name}"
        );
    }
}

/// The names that a file exports: those of `pub use`, and its public structs, enums and functions.
fn exported(file: &str) -> Vec<String> {
    let source = read(file);
    let mut names = Vec::new();
    for statement in source.split("\npub use ").skip(1) {
        let list = statement.split(';').next().unwrap_or_default();
        let list = list.split_once('{').map_or_else(
            || list.rsplit("::").next().unwrap_or_default(),
            |(_, inner)| inner.trim_end_matches('}'),
        );
        names.extend(list.split(',').map(|name| name.trim().trim_end_matches('}').to_owned()));
    }
    for keyword in ["struct", "enum", "fn"] {
        for definition in source.split(&format!("\npub {keyword} ")).skip(1) {
            let end = definition.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            names.push(definition[..end.unwrap_or(definition.len())].to_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn the_guide_to_algorithms_names_every_public_item() {
    let guide = read("src/guide/algorithms.md");
    let library = read("src/lib.rs");
    let rooms = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let mut names: Vec<String> = rooms.flat_map(|room| exported(&format!("src/{room}/mod.rs"))).collect();
    names.extend(exported("src/lib.rs"));
    assert!(names.len() > 100, "only {} public names were found", names.len());
    let is_listed = |name: &&String| {
        !(name.ends_with("Settings") || name.ends_with("Error") || ["nalgebra", "rand_core"].contains(&name.as_str()))
    };
    let missing: Vec<&String> = names
        .iter()
        .filter(is_listed)
        .filter(|name| !guide.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "src/guide/algorithms.md does not name {missing:?}");
}

#[test]
fn the_guide_to_algorithms_names_every_example() {
    let guide = read("src/guide/algorithms.md");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in fs::read_dir(&folder).expect("examples") {
        let path = entry.expect("an entry of examples").path();
        if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            assert!(
                guide.contains(&format!("| `{name}` |")),
                "src/guide/algorithms.md does not name the example {name}"
            );
        }
    }
}

/// The link definitions `[name]: target` of a page.
fn definitions(text: &str) -> Vec<(&str, &str)> {
    let definition = |line: &'_ str| -> Option<(usize, usize)> {
        let end = line.find("]: ")?;
        line.starts_with('[').then_some((end, end + 3))
    };
    text.lines()
        .filter_map(|line| definition(line).map(|(end, from)| (&line[1..end], &line[from..])))
        .collect()
}

#[test]
fn every_guide_is_linked_and_every_link_has_a_target() {
    let (readme, library, module) = (read("README.md"), read("src/lib.rs"), read("src/guide/mod.rs"));
    let index = read("src/guide/index.md");
    for (name, target) in definitions(&readme) {
        if target.starts_with('#') {
            continue;
        }
        assert!(
            library.contains(&format!("//! [{name}]: ")),
            "src/lib.rs does not define [{name}]"
        );
        assert!(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(target).is_file(),
            "README.md links {target}"
        );
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guide");
    let mut guides = 0;
    for entry in fs::read_dir(&folder).expect("src/guide") {
        let path = entry.expect("an entry of src/guide").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_none_or(|ending| ending != "md") || name == "index" {
            continue;
        }
        guides += 1;
        for (page, text) in [("README.md", &readme), ("index.md", &index)] {
            assert!(
                definitions(text).iter().any(|(link, _)| *link == name),
                "{page} does not link {name}"
            );
        }
        assert!(
            module.contains(&format!("\"[{name}]: crate::guide::{name}\\n\"")),
            "src/guide/mod.rs does not define [{name}] for rustdoc"
        );
        let page = fs::read_to_string(&path).expect("a guide");
        // rustdoc cannot resolve an inline link to a file.
        assert!(!page.contains(".md)"), "{name}.md has an inline link to a file");
        for (link, target) in definitions(&page) {
            let file = target.split('#').next().unwrap_or_default();
            assert!(folder.join(file).is_file(), "{name}.md links {target}");
            assert!(
                module.contains(&format!("[{link}]: ")) || module.contains(&format!("picture!(\"{link}\")")),
                "src/guide/mod.rs does not define [{link}] for rustdoc"
            );
        }
    }
    assert!(guides >= 15, "{guides} guides");
}
