//! Tests `replay` from its input file to its output files, on generated recordings.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Command, Parser};

use super::{Arguments, Summary, run};
use crate::repository;
use crate::typed::Typed;
use crate::watching::Options;

/// Creates a separate folder for each test, under target/.
fn folder(name: &str) -> Result<PathBuf> {
    let folder = repository().join("target/harness/tests").join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Writes a recording, replays it and returns the table of scores.
fn replay(folder: &Path, recording: &str, typed: &[&str]) -> Result<String> {
    let (file, out) = (folder.join("recording.csv"), folder.join("out"));
    fs::write(&file, recording)?;
    let scores = out.join("scores.csv").display().to_string();
    let mut words = vec![
        file.display().to_string(),
        "--out".into(),
        out.display().to_string(),
        "--scores".into(),
        scores,
    ];
    words.extend(typed.iter().map(ToString::to_string));
    run(&Typed::<Arguments>::try_parse_from(words)?.arguments)?;
    Ok(fs::read_to_string(out.join("scores.csv"))?)
}

fn sentence(outcome: Result<String>) -> String {
    outcome.err().map_or(String::new(), |error| format!("{error:#}"))
}

/// Two channels that move together, with `rows` rows.
fn pair(rows: usize) -> String {
    let mut text = "t,a,b\n".to_owned();
    for row in 0..rows {
        let (load, noise) = ((row % 7) as f32, (row % 5) as f32 / 10.0);
        text += &format!("{row},{},{}\n", load, 2.0 * load + noise);
    }
    text
}

/// The stream of `examples/quickstart.rs`, with identical samples.
fn motor(time: u32) -> [f32; 4] {
    let noise = |prime: u32| (time * prime % 1_009) as f32 / 1_009.0 - 0.5;
    let load = 8.0 * noise(613);
    let heat = if (2_500..2_800).contains(&time) { 9.0 } else { 0.0 };
    let speed = match time {
        3_300..3_600 => 0.2,
        _ => 0.1 * load + noise(131),
    };
    let (vibration, current) = (3.0 + load + noise(71), 20.0 - 2.0 * load + noise(97));
    [vibration, current, 40.0 + load + noise(113) + heat, speed]
}

/// Parses the lines of the chip, `sample TIME: STATE, score VALUE (BITS), threshold VALUE (BITS)`, to time, state and the bits
/// of both numbers.
fn printed_by_the_chip() -> Result<Vec<(usize, String, [String; 2])>> {
    let text = fs::read_to_string(repository().join("examples/quickstart.out"))?;
    let parsed = |line: &str| {
        let (time, rest) = line.split_once(':')?;
        let state = rest.split(',').next()?.trim().to_lowercase();
        let mut bits = rest.split('(').skip(1).filter_map(|part| part.split(')').next());
        let bits = [bits.next()?.to_owned(), bits.next()?.to_owned()];
        Some((time.parse().ok()?, state, bits))
    };
    let lines = text.lines().filter_map(|line| line.strip_prefix("sample "));
    lines
        .map(|line| parsed(line).with_context(|| format!("examples/quickstart.out reads otherwise: {line}")))
        .collect()
}

/// The gate compares `examples/quickstart.out` with the output of every board, so this test compares the replay with the
/// boards.
#[test]
fn a_replay_gives_the_bits_that_the_chip_printed() -> Result<()> {
    let mut recording = "vibration;current;temperature;speed\r\n".to_owned();
    for [vibration, current, temperature, speed] in (0..4_000).map(motor) {
        write!(recording, "{vibration};{current};{temperature};{speed}\r\n")?;
    }
    let columns = ["--columns", "vibration,current,temperature,speed"];
    let scores = replay(&folder("bits")?, &recording, &columns)?;
    let rows: Vec<Vec<&str>> = scores.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let bits = |cell: &str| cell.parse().map(|value: f32| format!("{:08x}", value.to_bits()));
    let printed = printed_by_the_chip()?;
    for (time, state, [score, threshold]) in &printed {
        let row = &rows[*time];
        assert_eq!(row[5], state, "state of sample {time}");
        assert_eq!(&bits(row[2])?, score, "score of sample {time}");
        assert_eq!(&bits(row[3])?, threshold, "threshold of sample {time}");
    }
    let changes = rows.windows(2).filter(|pair| pair[0][5] != pair[1][5]).count();
    assert_eq!((changes, printed.is_empty()), (printed.len(), false));
    Ok(())
}

#[test]
fn text_and_gaps_in_cells_cost_their_cells_only() -> Result<()> {
    let folder = folder("cells")?;
    let mut recording = pair(600);
    // Lines 602 to 605. A row is accepted if at least one of its two channels has a number.
    recording += "600,1,oops\n601,,2\n602,x,y\n603,3,6\n";
    let typed = ["--columns", "a,b", "--training", "400"];
    let scores = replay(&folder, &recording, &typed)?;
    let phases: Vec<&str> = scores
        .lines()
        .skip(601)
        .filter_map(|line| line.split(',').nth(1))
        .collect();
    assert_eq!(phases, ["watching", "watching", "refused", "watching"]);
    assert_eq!(
        scores.lines().last().and_then(|line| line.split(',').next()),
        Some("605")
    );
    let strict = sentence(replay(&folder, &recording, &[typed.as_slice(), &["--strict"]].concat()));
    assert!(strict.starts_with("line 602 of "), "{strict}");
    assert!(strict.contains("`oops` in column b is not a number"), "{strict}");
    Ok(())
}

#[test]
fn a_line_with_more_cells_than_columns_is_left_out() -> Result<()> {
    let folder = folder("surplus")?;
    let typed = ["--columns", "a,b"];
    let whole = replay(&folder, &pair(20), &typed)?;
    // A row with a decimal comma has too many cells and is left out; separators at the end of a line are ignored.
    let scores = replay(&folder, &(pair(20) + "20,1,5,2,5\n"), &typed)?;
    assert_eq!(scores, whole);
    let scores = replay(&folder, &pair(20).replace("\n", ",,\n"), &typed)?;
    assert_eq!(scores, whole);
    Ok(())
}

#[test]
fn what_cannot_be_replayed_is_said_in_a_sentence() -> Result<()> {
    let folder = folder("sentences")?;
    let rows = pair(3);
    let scores = folder.join("out/scores.csv").display().to_string();
    for (recording, typed, says) in [
        (rows.as_str(), vec!["--columns", "a,c"], "no column `c` in "),
        (&rows, vec!["--columns", "a,c"], "the columns are t, a, b"),
        (&rows, vec!["--image", &scores], "--scores and --image name one file"),
        (
            "a,b\n1,5,2,5\n2,5,3,5\n3,5,4,5\n",
            vec![],
            "recording.csv was left out: there is nothing to watch",
        ),
        (
            "t,a,b\n1,x,y\n2,x,y\n3,x,y\n",
            vec![],
            "name the columns to watch with --columns A,B,…; the columns are t, a, b",
        ),
        (
            &rows,
            vec!["--columns", "a", "--model", "tracking"],
            "name 2 or more, or one with --lags 4",
        ),
        (
            &rows,
            vec!["--columns", "a,b", "--model", "tracking", "--keep", "2"],
            "ask for less with --keep",
        ),
        (
            &rows,
            vec!["--columns", "a,b", "--keep", "2"],
            "--keep is for models that keep directions",
        ),
        (
            &rows,
            vec!["--columns", "a,b", "--quantile", "1.5"],
            "--quantile does not do",
        ),
        (
            &rows,
            vec!["--columns", "a,b", "--false-alarms", "0"],
            "--false-alarms does not do",
        ),
        (
            "t,a,b\n1,2,3,,\n2,3,5,4\n",
            vec!["--columns", "a,b", "--strict"],
            "line 3 of ",
        ),
        (
            "t,a,b\n1,2,3,,\n2,3,5,4\n",
            vec!["--columns", "a,b", "--strict"],
            "more cells than columns",
        ),
        ("t,a,b\n", vec!["--columns", "a,b"], "has a header and no rows"),
        (
            "",
            vec!["--columns", "a,b"],
            "is empty: the first line of a recording names its columns",
        ),
    ] {
        let sentence = sentence(replay(&folder, recording, &typed));
        assert!(sentence.contains(says), "{sentence}");
        assert!(!sentence.contains('\n'), "{sentence}");
    }
    Ok(())
}

#[test]
fn a_recording_is_never_written_over() -> Result<()> {
    let folder = folder("itself")?;
    let (file, rows) = (folder.join("scores.csv"), pair(20));
    fs::write(&file, &rows)?;
    let (file, out) = (file.display().to_string(), folder.display().to_string());
    let typed = Typed::<Arguments>::try_parse_from([&file, "--columns", "a,b", "--out", &out, "--scores", &file])?;
    let outcome = run(&typed.arguments).map(|_| String::new());
    assert!(sentence(outcome).contains("would be written over the recording"));
    assert_eq!(fs::read_to_string(file)?, rows);
    Ok(())
}

#[test]
fn no_image_is_written_over_the_recording() -> Result<()> {
    let folder = folder("image-itself")?;
    let (file, rows) = (folder.join("machine.csv"), pair(20));
    fs::write(&file, &rows)?;
    let (file, out) = (file.display().to_string(), folder.display().to_string());
    let typed = Typed::<Arguments>::try_parse_from([&file, "--columns", "a,b", "--out", &out, "--image", &file])?;
    let outcome = run(&typed.arguments).map(|_| String::new());
    assert!(sentence(outcome).contains("would be written over the recording"));
    assert_eq!(fs::read_to_string(file)?, rows);
    Ok(())
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_parquet_no_table_is_emptied() -> Result<()> {
    let folder = folder("no-parquet")?;
    let (file, table) = (folder.join("machine.csv"), folder.join("scores.parquet"));
    fs::write(&file, pair(20))?;
    fs::write(&table, "scores of yesterday")?;
    let [file, out, scores] = [&file, &folder, &table].map(|path| path.display().to_string());
    let typed = Typed::<Arguments>::try_parse_from([&file, "--columns", "a,b", "--out", &out, "--scores", &scores])?;
    let outcome = run(&typed.arguments).map(|_| String::new());
    assert!(sentence(outcome).contains("--features parquet"));
    assert_eq!(fs::read_to_string(table)?, "scores of yesterday");
    Ok(())
}

#[test]
fn rows_enough_are_not_called_too_few() {
    let unsettled = Summary {
        rows: 3_000,
        whole: 3_000,
        ..Summary::default()
    };
    assert!(unsettled.too_few(2_048).contains("were not enough"));
    let refused = Summary {
        rows: 3_000,
        whole: 2_829,
        refused: 3_000,
        ..Summary::default()
    };
    assert!(refused.too_few(2_048).contains("could use only 0"));
}

#[test]
fn a_column_of_gaps_is_why_nothing_was_watched() {
    let summary = Summary {
        rows: 2_000,
        whole: 3,
        ..Summary::default()
    };
    assert!(
        summary
            .too_few(512)
            .starts_with("nothing was watched: it learns only rows without a gap, and these are 3 of 2000 rows; ")
    );
    let short = Summary {
        rows: 20,
        whole: 10,
        ..Summary::default()
    };
    // A row with a gap counts in training. It is not learned.
    assert_eq!(
        short.too_few(512),
        "nothing was watched: it watches after 512 rows, and there are 20; ask for fewer with --training"
    );
}

#[test]
fn a_recording_that_is_too_short_to_watch_is_drawn_all_the_same() -> Result<()> {
    let folder = folder("short")?;
    replay(
        &folder,
        &pair(20),
        &["--columns", "a,b", "--keep", "1", "--model", "centered"],
    )?;
    let picture = fs::read_to_string(folder.join("out/replay.svg"))?;
    assert!(picture.contains("20 rows"));
    Ok(())
}

#[test]
fn without_names_every_column_that_moves_is_watched() -> Result<()> {
    let folder = folder("all")?;
    let named = replay(&folder, &pair(600), &["--columns", "a,b", "--training", "400"])?;
    let all = replay(&folder, &pair(600), &["--training", "400"])?;
    assert_eq!(named, all);
    Ok(())
}

/// A monitor that continues from its image gives the results of a monitor that never stopped.
#[test]
fn a_recording_in_two_parts_is_one_recording() -> Result<()> {
    let folder = folder("parts")?;
    let image = folder.join("monitor.eigs").display().to_string();
    let whole = pair(900);
    let (header, rows) = whole.split_once('\n').context("no header")?;
    let rows: Vec<&str> = rows.lines().collect();
    let part = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    let one = replay(&folder, &whole, &["--training", "400"])?;
    replay(&folder, &part(&rows[..500]), &["--training", "400", "--image", &image])?;
    let second = replay(&folder, &part(&rows[500..]), &["--start-from", &image])?;
    let scores = |table: &str, skip: usize| -> Vec<String> {
        let lines = table.lines().skip(1 + skip);
        lines
            .map(|line| line.split(',').skip(1).collect::<Vec<_>>().join(","))
            .collect()
    };
    assert_eq!(scores(&second, 0), scores(&one, 500));
    // The image of a monitor with other channel names is refused.
    let other = whole.replace("t,a,b", "t,a,c");
    let refused = sentence(replay(&folder, &other, &["--columns", "a,c", "--start-from", &image]));
    assert!(refused.contains("was trained on a, b, not on a, c"), "{refused}");
    let refused = sentence(replay(&folder, &whole, &["--columns", "a", "--start-from", &image]));
    assert!(
        refused.contains("is a monitor of 2 channels, and 1 column is there: name its columns"),
        "{refused}"
    );
    Ok(())
}

/// The rate of false alarms in the line about health is that of the monitor, from options or from an image.
#[test]
fn health_names_the_rate_of_the_monitor() -> Result<()> {
    let folder = folder("rate")?;
    let image = folder.join("monitor.eigs").display().to_string();
    let asked = |typed: &[&str]| -> Result<Option<String>> {
        replay(&folder, &pair(600), typed)?;
        let report = fs::read_to_string(folder.join("out/replay.html"))?;
        let (_, line) = report
            .split_once("watched rows in alarm")
            .context("no line about alarms")?;
        let line = line.split('"').next().unwrap_or_default();
        Ok(line.strip_prefix(", asked for ").map(str::to_owned))
    };
    for (options, rate) in [
        ("", Some("1e-7")),
        ("--false-alarms 1e-3", Some("1e-3")),
        ("--quantile 0.75", Some("2.5e-1")),
        ("--threshold 2", None),
        ("--false-alarms 1e-3 --factor 2", None),
    ] {
        let typed: Vec<&str> = options
            .split_whitespace()
            .chain(["--training", "400", "--image", &image])
            .collect();
        let rate = rate.map(str::to_owned);
        assert_eq!(asked(&typed)?, rate, "{options}");
        assert_eq!(asked(&["--start-from", &image])?, rate, "{options} in an image");
    }
    Ok(())
}

/// An image has its settings, so an option that would change them is refused.
#[test]
fn a_monitor_of_an_image_takes_no_settings() -> Result<()> {
    let folder = folder("settings")?;
    let image = folder.join("monitor.eigs").display().to_string();
    replay(&folder, &pair(600), &["--training", "400", "--image", &image])?;
    let typed = [
        "--model tracking",
        "--keep 1",
        "--lags 2",
        "--rate 1",
        "--training 40",
        "--level-memory 300",
        "--input-smoothing 3",
        "--smoothing 5",
        "--score loss",
        "--false-alarms 1e-3",
        "--quantile 0.9",
        "--threshold 2",
        "--factor 2",
        "--hold-off 3",
        "--learning always",
        "--new-level never",
    ];
    let known = Options::augment_args(Command::new("options"));
    assert_eq!(known.get_arguments().count(), typed.len());
    for words in typed {
        let words: Vec<&str> = words.split(' ').collect();
        let refused = sentence(replay(
            &folder,
            &pair(600),
            &[&["--start-from", &image], &words[..]].concat(),
        ));
        let says = format!("{} is for a new monitor", words[0]);
        assert!(refused.starts_with(&says) && !refused.contains('\n'), "{refused}");
    }
    Ok(())
}

#[test]
fn nothing_watched_is_a_verdict_of_its_own() -> Result<()> {
    let folder = folder("nothing")?;
    let file = folder.join("short.csv");
    fs::write(&file, pair(20))?;
    let out = folder.join("out").display().to_string();
    let typed = Typed::<Arguments>::try_parse_from([&file.display().to_string(), "--out", &out])?;
    assert_eq!(run(&typed.arguments)?, crate::Verdict::Nothing);
    Ok(())
}

#[test]
fn a_gap_in_time_is_counted_and_the_axis_shows_times() -> Result<()> {
    let folder = folder("times")?;
    let mut text = "when,a,b\n".to_owned();
    for row in 0..100_u32 {
        let second = row + if row > 50 { 600 } else { 0 };
        let (minute, second) = (second / 60, second % 60);
        writeln!(text, "2024-05-03 12:{minute:02}:{second:02},{},{}", row % 7, row % 5)?;
    }
    replay(&folder, &text, &["--training", "40"])?;
    let page = fs::read_to_string(folder.join("out/replay.html"))?;
    assert!(page.contains("2024-05-03 12:00:00") && !page.contains("http://") && !page.contains("https://"));
    let picture = fs::read_to_string(folder.join("out/replay.svg"))?;
    assert!(picture.contains("12:00") && picture.contains("time"));
    Ok(())
}
