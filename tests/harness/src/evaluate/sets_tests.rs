//! `evaluate labelled` on generated sets.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::peers::Detector;
use super::sets::{evaluate, run};

/// A separate folder for each test.
fn folder(name: &str) -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("eigenstream-sets-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A recording of three channels; the last one has a fault in rows 900 to 999.
fn recording(rows: usize) -> String {
    let mut text = "a,b,c,anomaly\n".to_owned();
    for row in 0..rows {
        let noise = |prime: usize| (row * prime % 1_009) as f32 / 1_009.0;
        let (load, fault) = (4.0 * noise(613), (900..1_000).contains(&row));
        let c = noise(113) - load + if fault { 8.0 } else { 0.0 };
        text += &format!("{},{},{c},{}\n", load + noise(71), load - noise(97), u8::from(fault));
    }
    text
}

/// Writes a list of one recording, and the recording.
fn write(folder: &Path, channels: usize, rows: usize, text: &str) -> Result<()> {
    let list = format!(
        r#"[{{"file": "pump.csv", "set": "pumps", "training_rows": 600, "rows": {rows}, "channels": {channels}}}]"#
    );
    fs::write(folder.join("sets.json"), list)?;
    fs::write(folder.join("pump.csv"), text)?;
    Ok(())
}

fn sentence(folder: &Path) -> String {
    let outcome = run(folder, None, Detector::Monitor, true);
    outcome.err().map_or(String::new(), |error| format!("{error:#}"))
}

#[test]
fn a_plain_fault_is_found_and_the_rest_is_quiet() -> Result<()> {
    let folder = folder("plain")?;
    write(&folder, 3, 1_200, &recording(1_200))?;
    let rows = evaluate(&folder, None, Detector::Monitor)?;
    let (names, values): (Vec<&str>, Vec<Option<f64>>) = rows[0].1.iter().copied().unzip();
    assert_eq!(
        rows.iter().map(|(set, _)| set.as_str()).collect::<Vec<_>>(),
        ["pumps", "mean"]
    );
    assert_eq!(names[..3], ["streams", "auc", "f1"]);
    assert_eq!(
        (values[0], values[5], values[6], values[7]),
        (Some(1.0), Some(1.0), Some(1.0), Some(0.0))
    );
    assert!(
        values[1].is_some_and(|area| area > 0.97) && values[2].is_some_and(|f1| f1 > 0.8),
        "{values:?}"
    );
    assert_eq!(values[8], Some(0.0));
    // With one set, the row of the means equals the row of the set.
    assert_eq!(rows[1].1, rows[0].1);
    fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn the_folder_of_skab_is_evaluated_as_another_set() -> Result<()> {
    let folder = folder("skab")?;
    write(&folder, 3, 1_200, &recording(1_200))?;
    let skab = folder.join("skab");
    fs::create_dir_all(&skab)?;
    fs::write(skab.join("valve.csv"), recording(1_200))?;
    let free: String = recording(900)
        .lines()
        .map(|line| line.replace(",anomaly", "").trim_end_matches(",0").to_owned() + "\n")
        .collect();
    fs::write(skab.join("anomaly_free.csv.gz"), free)?;
    let rows = evaluate(&folder, Some(&skab), Detector::Monitor)?;
    let sets: Vec<&str> = rows.iter().map(|(set, _)| set.as_str()).collect();
    assert_eq!(sets, ["pumps", "skab", "mean"]);
    let [streams, .., fault_free, _] = rows[1].1;
    assert_eq!((streams.1, fault_free.1), (Some(1.0), Some(0.0)));
    fs::remove_dir_all(folder)?;
    Ok(())
}

#[test]
fn a_set_that_cannot_be_evaluated_is_refused_with_a_clear_sentence() -> Result<()> {
    let folder = folder("sentences")?;
    assert!(
        sentence(&folder).contains("it lists the recordings"),
        "{}",
        sentence(&folder)
    );
    fs::write(folder.join("sets.json"), "[{\"file\": \"pump.csv\"}]")?;
    assert!(
        sentence(&folder).contains("an entry without `set`"),
        "{}",
        sentence(&folder)
    );
    fs::write(folder.join("sets.json"), "oops")?;
    assert!(
        sentence(&folder).contains("is not a list in JSON"),
        "{}",
        sentence(&folder)
    );
    for (channels, rows, text, says) in [
        (4, 1_200, recording(1_200), "4 channels and then `anomaly` are wanted"),
        (
            3,
            1_200,
            recording(1_200).replace("anomaly", "label"),
            "has other columns than sets.json says",
        ),
        (
            3,
            1_200,
            recording(700),
            "has 700 rows and sets.json says 1200: is the file cut off?",
        ),
        (3, 500, recording(500), "has 500 rows, of which 600 should train"),
        (
            3,
            700,
            recording(700).replace(",0\n", ",0,oops\n"),
            "more cells than columns",
        ),
    ] {
        write(&folder, channels, rows, &text)?;
        assert!(sentence(&folder).contains(says), "{}", sentence(&folder));
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}
