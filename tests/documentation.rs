//! The documentation agrees with the files: the table of papers in src/guide/mathematics.md names for each algorithm a file that defines
//! it, and every picture that README and guides link exists.
#![expect(clippy::expect_used, reason = "a file that cannot be read is a failed test")]

use std::fs;
use std::path::Path;

/// One line of the table.
struct Row {
    paper: String,
    place: String,
    algorithm: String,
    file: String,
    item: String,
}

/// The lines of the table in src/guide/mathematics.md whose fourth column is a file of src.
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

/// Lower-case letters and digits only, so that `online_to_batch` is "Online to batch".
fn letters(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[test]
fn the_table_has_every_numbered_algorithm() {
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
fn the_table_has_every_algorithm_without_a_number() {
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
fn every_file_defines_its_item_and_names_its_algorithm() {
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
        let first = source.lines().next().unwrap_or_default();
        let named = if place.starts_with("Algorithm") {
            first.contains(&format!("{paper} {place}"))
        } else {
            // The name up to a comma or " with "; in the file's name or in its first line.
            let name = letters(
                algorithm
                    .split([','])
                    .next()
                    .and_then(|name| name.split(" with ").next())
                    .unwrap_or_default(),
            );
            first.contains(&paper) && (letters(&file).contains(&name) || letters(first).contains(&name))
        };
        assert!(
            named,
            "the first line of {file} does not name {paper} {place}, {algorithm}: {first}"
        );
    }
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
    // In rustdoc the definitions of guide/mod.rs replace those of the gallery: one each.
    let (gallery, module) = (read("src/guide/gallery.md"), read("src/guide/mod.rs"));
    for (name, _) in gallery.split(folder).skip(1).filter_map(|rest| rest.split_once(".png")) {
        assert!(
            module.contains(&format!("picture!(\"{name}\")")),
            "guide/mod.rs does not define {name}"
        );
    }
}
