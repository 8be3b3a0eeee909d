//! Tests that files of common programs are read, or refused with a sentence.

mod times;

use super::*;

fn recording(text: &'static str) -> Result<Recording> {
    Recording::read_from(Box::new(text.as_bytes()), Path::new("machine.csv"))
}

type Rows = Vec<(u64, [Value; 2])>;

/// Reads every row as the values of its columns `a` and `b`, and collects the complaints.
fn read(text: &'static str) -> Result<(Rows, Complaints)> {
    let mut recording = recording(text)?;
    let columns = recording.columns(&["a".into(), "b".into()])?;
    let mut complaints = Complaints::new(Strictness::Lenient);
    let mut rows = Vec::new();
    while let Some(row) = recording.next_row(&mut complaints)? {
        rows.push((row.line, [row.value(columns[0]), row.value(columns[1])]));
    }
    Ok((rows, complaints))
}

fn sentence(outcome: Result<impl Sized>) -> String {
    outcome.err().map_or(String::new(), |error| format!("{error:#}"))
}

#[test]
fn separators_line_ends_and_quotes_make_no_difference() -> Result<()> {
    let expected = vec![
        (2, [Value::Number(1.5), Value::Number(2.0)]),
        (4, [Value::Number(-3.0), Value::Gap]),
    ];
    for text in [
        "a,x,b\n1.5,7,2\n\n-3,7,\n",
        "a,x,b\r\n1.5,7,2\r\n\r\n-3,7,\r\n",
        "a;x;b\n1,5;7;2\n\n-3;7;nan",
        "\u{feff}a\tx\tb\n1.5\t7\t2\n\n-3\t7\n",
        "\"a\",\"x, y\",\"b\"\n\"1.5\",\"say \"\"7\"\"\", 2 \n\n-3,7,NA\n",
    ] {
        let (rows, complaints) = read(text)?;
        assert_eq!(rows, expected, "{text:?}");
        assert_eq!(complaints.count(), 0, "{text:?}");
    }
    Ok(())
}

#[test]
fn text_in_a_cell_is_a_bad_value_and_an_open_quote_a_bad_line() -> Result<()> {
    let (rows, complaints) = read("a,b\n1,oops\n\"2,3\n4,5\n")?;
    assert_eq!(
        rows,
        [
            (2, [Value::Number(1.0), Value::Bad("oops".into())]),
            (4, [Value::Number(4.0), Value::Number(5.0)]),
        ]
    );
    assert_eq!(complaints.count(), 1);
    Ok(())
}

#[test]
fn a_last_line_that_is_cut_off_is_left_out_and_one_without_an_end_is_not() -> Result<()> {
    for (end, rows_left, complained) in [("3,7,45", 2, 0), ("3,7,", 2, 0), ("3,7,45\n", 2, 0), ("3,4", 1, 1)] {
        let (rows, complaints) = read(format!("a,x,b\n1,7,2\n{end}").leak())?;
        assert_eq!((rows.len(), complaints.count()), (rows_left, complained), "{end:?}");
    }
    Ok(())
}

#[test]
fn strictly_read_a_bad_line_is_the_end() -> Result<()> {
    let mut recording = recording("a,b\n\"2,3\n")?;
    let mut complaints = Complaints::new(Strictness::Strict);
    assert_eq!(
        sentence(recording.next_row(&mut complaints)),
        "line 2 of machine.csv: a quote is not closed"
    );
    Ok(())
}

#[test]
fn a_wrong_column_is_answered_with_the_right_ones() -> Result<()> {
    let recording = recording("time,Flow Rate,Pressure\n")?;
    assert_eq!(recording.column("flow rate")?, 1);
    assert_eq!(
        sentence(recording.column("flow")),
        "no column `flow` in machine.csv; the columns are time, Flow Rate, Pressure"
    );
    assert_eq!(
        sentence(recording.columns(&["Pressure".into(), "pressure".into()])),
        "column `pressure` is named twice: name each column once"
    );
    Ok(())
}

#[test]
fn a_name_with_a_comma_is_typed_and_listed_in_quotes() -> Result<()> {
    let recording = recording("time,\"flow, l/min\",p\n0,1,2\n1,2,3\n")?;
    let typed = names::typed(&["p".into(), "\"flow".into(), " l/min\"".into()]);
    assert_eq!(recording.watched(&typed)?.0, [2, 1]);
    assert_eq!(recording.columns_there(), "the columns are time, \"flow, l/min\", p");
    Ok(())
}

#[test]
fn a_file_without_names_is_refused_in_a_sentence() {
    for empty in ["", "\n", "\r\n\r\n"] {
        assert!(
            sentence(recording(empty)).starts_with("machine.csv is empty: "),
            "{empty:?}"
        );
    }
    assert!(sentence(recording("1,2,3\n4,5,6\n")).starts_with("machine.csv has no header"));
    assert!(sentence(recording("\"a,b\n1,2\n")).starts_with("line 1 of machine.csv, the header: a quote"));
    assert!(sentence(recording("a,b\r1,2\r3,4\r")).contains("carriage return alone"));
    assert!(sentence(recording("\u{fffd}a\0,\0b\0\n\0")).contains("save it as UTF-8"));
}

#[test]
fn a_line_without_end_is_not_read_into_memory() {
    let endless = Box::new(BufReader::new(io::repeat(b'x')));
    let outcome = Recording::read_from(endless, Path::new("zero"));
    assert!(sentence(outcome).contains("is this a CSV file?"));
}

/// Names of the columns, the values of a row, its line and its time.
type FirstRow = (Vec<String>, Vec<f32>, u64, Option<f64>);

/// The first row of the columns that are watched by default.
fn first_row(bytes: &'static [u8]) -> Result<FirstRow> {
    let mut recording = Recording::read_from(Box::new(bytes), Path::new("machine.csv"))?;
    let (columns, names) = recording.watched(&[])?;
    let clock = recording.clock();
    let mut complaints = Complaints::new(Strictness::Strict);
    let mut sample = vec![0.0; columns.len()];
    let path = recording.path().to_path_buf();
    let row = recording.next_row(&mut complaints)?.ok_or_else(|| anyhow!("no row"))?;
    row.channels(&columns, &names, &path, &mut sample, &mut complaints)?;
    Ok((names, sample, row.line, clock.and_then(|clock| row.time(clock))))
}

/// Kinds of files that earlier versions could not read. Each has flow 1.5 and pressure 1234.5 in its first row.
#[test]
fn the_files_of_loggers_and_spreadsheets_are_read() -> Result<()> {
    let noon = 1_714_737_601.0;
    let files: [(&str, &'static [u8], u64, Option<f64>); 11] = [
        (
            "a preamble",
            b"# logger 7\n# serial 12, 3\nflow,pressure\n1.5,1234.5\n2,3\n",
            4,
            None,
        ),
        (
            "names behind a mark",
            b"# logger\n# flow,pressure\n1.5,1234.5\n2,3\n",
            3,
            None,
        ),
        (
            "lines about the recording",
            b"Logger XY\nSerial: 12\n\nflow;pressure\n1,5;1234,5\n2;3\n2;4\n",
            5,
            None,
        ),
        (
            "a row of units",
            b"flow,pressure\nl/min,mbar\n1.5,1234.5\n2,3\n",
            3,
            None,
        ),
        ("blanks", b"flow   pressure\n 1.5   1234.5\n 2       3\n", 2, None),
        ("Latin-1", b"flow;temp \xb0C;pressure\n1,5;on;1234,5\n2;on;3\n", 2, None),
        ("thousands", b"flow,pressure\n1.5,\"1,234.5\"\n2,\"2,345.5\"\n", 2, None),
        (
            "thousands with points",
            b"flow;pressure\n1,5;1.234,5\n2;2.345,5\n",
            2,
            None,
        ),
        (
            "ISO times",
            b"when,flow,pressure\n2024-05-03T12:00:01Z,1.5,1234.5\n2024-05-03T12:00:02Z,2,3\n",
            2,
            Some(noon),
        ),
        (
            "epochs",
            b"timestamp,flow,pressure\n1714737601000,1.5,1234.5\n1714737602000,2,3\n",
            2,
            Some(noon),
        ),
        (
            "German times",
            b"Zeit;flow;pressure\n03.05.2024 12:00:01;1,5;1234,5\n03.05.2024 12:00:02;2;3\n",
            2,
            Some(noon),
        ),
    ];
    for (kind, bytes, line, time) in files {
        let (names, sample, at, when) = first_row(bytes).map_err(|error| anyhow!("{kind}: {error:#}"))?;
        assert_eq!(names, ["flow", "pressure"], "{kind}");
        assert_eq!(sample, [1.5, 1234.5], "{kind}");
        assert_eq!((at, when), (line, time), "{kind}");
    }
    Ok(())
}

#[test]
fn columns_that_stand_still_count_rows_or_hold_words_are_not_watched() -> Result<()> {
    let (names, ..) = first_row(b"index,flow,mode,valve,\xe4,anomaly\n0,1.5,on,7,2,0\n1,2,off,7,3,1\n2,2,on,7,2,0\n")?;
    assert_eq!(names, ["flow", "\u{e4}"]);
    let refused = sentence(first_row(b"index,mode\n0,on\n1,off\n"));
    assert!(
        refused.starts_with("no column of numbers moves in the first rows of machine.csv: name the columns"),
        "{refused}"
    );
    Ok(())
}

#[test]
fn a_parquet_file_is_told_from_text() {
    let file = std::env::temp_dir().join(format!("eigenstream-no-{}.parquet", std::process::id()));
    let written = std::fs::write(&file, b"PAR1\x15\x04\x15");
    let outcome = Recording::open(&file, &Progress::begin(1));
    let _ = std::fs::remove_file(&file);
    let says = match cfg!(feature = "parquet") {
        true => "is it whole?",
        false => "is a Parquet file: install the tool with `--features parquet`",
    };
    assert!(written.is_ok() && sentence(outcome).contains(says));
}

#[test]
fn a_header_with_a_separator_at_its_end_is_read() -> Result<()> {
    let (names, sample, ..) = first_row(b"flow,pressure,\n1.5,1234.5\n2,3\n2,4\n")?;
    assert_eq!(names, ["flow", "pressure"]);
    assert_eq!(sample, [1.5, 1234.5]);
    // A column without a name cannot be named with --columns.
    assert_eq!(recording("flow,\n1,\n2,\n")?.left_out(&[]), None);
    // The last line may be cut off: its time is not complete.
    let (names, ..) = first_row(b"time,flow,pressure\n2024-05-03,1,2\n2024-05-04,2,3\n2024-0")?;
    assert_eq!(names, ["flow", "pressure"]);
    Ok(())
}

#[test]
fn decimal_commas_do_not_hide_the_header() -> Result<()> {
    for text in [
        "flow pressure\n1,5 1234,5\n2,5 3,5\n2,5 4,5\n",
        "sep=;\nflow;pressure\n1,5;1234,5\n2,5;3,5\n2,5;4,5\n",
        "Logger XY\n\nflow;pressure\n1,5;1234,5\n2,5;3,5\n2,5;4,5\n",
        "Logger XY\nflow\tpressure\n1,5\t1234,5\n2,5\t3,5\n2,5\t4,5\n",
        "Logger XY\nZeit;flow;pressure\n03.05.2024 12:00:01,5;1,5;1234,5\n03.05.2024 12:00:02,5;2,5;3,5\n03.05.2024 12:00:03,5;2,5;4,5\n",
    ] {
        let (names, sample, ..) = first_row(text.as_bytes()).map_err(|error| anyhow!("{text}: {error:#}"))?;
        assert_eq!(names, ["flow", "pressure"], "{text}");
        assert_eq!(sample, [1.5, 1234.5], "{text}");
    }
    Ok(())
}

#[test]
fn names_that_are_numbers_are_found_below_a_preamble() -> Result<()> {
    for text in [
        "time,1,2\n0,1.5,1234.5\n1,2.5,3.5\n2,2.5,4.5\n",
        "Logger XY\nSerial 12\n\ntime;1;2\n0;1,5;1234,5\n1;2,5;3,5\n2;2,5;4,5\n",
        "Logger,XY,7\nDate,1,2\n2024-05-03,1.5,1234.5\n2024-05-04,2.5,3.5\n2024-05-05,2.5,4.5\n",
        "# Logger XY\n# time,1,2\n0,1.5,1234.5\n1,2.5,3.5\n2,2.5,4.5\n",
    ] {
        let (names, sample, ..) = first_row(text.as_bytes()).map_err(|error| anyhow!("{text}: {error:#}"))?;
        assert_eq!(names, ["1", "2"], "{text}");
        assert_eq!(sample, [1.5, 1234.5], "{text}");
    }
    assert_eq!(
        sentence(recording("Logger XY\nSerial 12\n\n1,2,3\n4,5,6\n7,8,9\n")),
        "machine.csv has no header, line 4 is all numbers: put a line with the names of the columns before it"
    );
    Ok(())
}

#[test]
fn an_index_with_missing_rows_is_no_sensor() -> Result<()> {
    let (names, ..) = first_row(b",flow\n0,1.5\n1,2\n4,2\n7,3\n")?;
    assert_eq!(names, ["flow"]);
    Ok(())
}

#[test]
fn a_file_without_rows_is_refused_for_that() -> Result<()> {
    let said = sentence(recording("flow,pressure\n")?.watched(&[]));
    assert_eq!(said, "machine.csv has a header and no rows");
    Ok(())
}

#[test]
fn an_error_does_not_say_that_the_row_was_read() -> Result<()> {
    let mut recording = recording("a,b\n1,x\n1,2,3\n")?;
    let mut complaints = Complaints::new(Strictness::Strict);
    let names = ["b".to_owned()];
    let row = recording.next_row(&mut complaints)?.ok_or_else(|| anyhow!("no row"))?;
    let said = sentence(row.channels(&[1], &names, Path::new("m.csv"), &mut [0.0], &mut complaints));
    assert_eq!(said, "line 2 of m.csv: `x` in column b is not a number");
    assert_eq!(
        sentence(recording.next_row(&mut complaints)),
        "line 3 of machine.csv: more cells than columns"
    );
    Ok(())
}
