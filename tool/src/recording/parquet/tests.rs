//! Tests that Parquet files are read, or refused with a sentence.

use std::sync::Arc;

use parquet::data_type::{
    ByteArray, ByteArrayType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::super::{Complaints, Recording, Strictness};
use super::*;
use crate::progress::Progress;

/// Begins a file with the columns of `schema`.
fn begun(path: &Path, schema: &str) -> Result<SerializedFileWriter<File>> {
    let columns = Arc::new(parse_message_type(schema)?);
    Ok(SerializedFileWriter::new(File::create(path)?, columns, Arc::default())?)
}

/// Writes a file of two row groups with five columns: a time, a text, a float with gaps, a double, a count.
fn written(path: &Path) -> Result<()> {
    let schema = "message rows { REQUIRED INT64 when (TIMESTAMP(MILLIS, true)); OPTIONAL BYTE_ARRAY name (UTF8);
                  OPTIONAL FLOAT flow; REQUIRED DOUBLE heat; OPTIONAL INT32 count; }";
    let mut writer = begun(path, schema)?;
    for start in [0_i32, 1_500] {
        let rows = start..start + 1_500;
        let mut group = writer.next_row_group()?;
        let mut place = 0;
        while let Some(mut column) = group.next_column()? {
            let all = vec![1_i16; 1_500];
            match place {
                0 => {
                    let times: Vec<i64> = rows
                        .clone()
                        .map(|row| 1_714_737_601_000 + 250 * i64::from(row))
                        .collect();
                    column.typed::<Int64Type>().write_batch(&times, None, None)?;
                }
                1 => {
                    let names = vec![ByteArray::from("pump"); 1_500];
                    column.typed::<ByteArrayType>().write_batch(&names, Some(&all), None)?;
                }
                2 => {
                    let levels: Vec<i16> = rows.clone().map(|row| i16::from(row % 3 != 1)).collect();
                    let flows: Vec<f32> = rows
                        .clone()
                        .filter(|row| row % 3 != 1)
                        .map(|row| row as f32 + 0.1)
                        .collect();
                    column.typed::<FloatType>().write_batch(&flows, Some(&levels), None)?;
                }
                3 => {
                    let heats: Vec<f64> = rows.clone().map(|row| 0.1 * f64::from(row)).collect();
                    column.typed::<DoubleType>().write_batch(&heats, None, None)?;
                }
                _ => {
                    let counts: Vec<i32> = rows.clone().map(|row| row % 7).collect();
                    column.typed::<Int32Type>().write_batch(&counts, Some(&all), None)?;
                }
            }
            column.close()?;
            place += 1;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

#[test]
fn unsigned_numbers_are_not_negative_and_a_text_is_no_column_to_watch() -> Result<()> {
    let path = std::env::temp_dir().join(format!("eigenstream-unsigned-{}.parquet", std::process::id()));
    let schema = "message rows { REQUIRED INT32 a (UINT_32); REQUIRED INT64 b (INTEGER(64,false)); REQUIRED INT32 c;
                  REQUIRED BYTE_ARRAY name (UTF8); }";
    let mut writer = begun(&path, schema)?;
    let mut group = writer.next_row_group()?;
    for place in 0..4 {
        let mut column = group.next_column()?.context("no column")?;
        match place {
            0 | 2 => column.typed::<Int32Type>().write_batch(&[-1, 7], None, None)?,
            1 => column.typed::<Int64Type>().write_batch(&[-1, 7], None, None)?,
            _ => {
                let names = vec![ByteArray::from("pump"); 2];
                column.typed::<ByteArrayType>().write_batch(&names, None, None)?
            }
        };
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    let mut recording = Recording::open(&path, &Progress::begin_reading(0))?;
    std::fs::remove_file(&path)?;
    let mut complaints = Complaints::new(Strictness::Strict);
    let row = recording.next_row(&mut complaints)?.context("no row")?;
    let numbers = [0, 1, 2].map(|column| row.value(column).number());
    assert_eq!(
        numbers,
        [Some(4_294_967_296.0), Some(18_446_744_073_709_551_616.0), Some(-1.0)]
    );
    let refused = recording.watched(&["a".into(), "name".into()]);
    let said = refused.err().map_or(String::new(), |error| error.to_string());
    assert!(
        said.starts_with("column `name` in ") && said.ends_with(" cannot be read as numbers"),
        "{said}"
    );
    Ok(())
}

#[test]
fn decimals_halves_and_times_of_day_are_read() -> Result<()> {
    let path = std::env::temp_dir().join(format!("eigenstream-bytes-{}.parquet", std::process::id()));
    let schema = "message rows { REQUIRED INT32 day (DATE); REQUIRED INT32 clock (TIME(MILLIS,true));
                  REQUIRED FIXED_LEN_BYTE_ARRAY (5) price (DECIMAL(9,2)); REQUIRED BYTE_ARRAY flow (DECIMAL(9,1));
                  REQUIRED FIXED_LEN_BYTE_ARRAY (2) half (FLOAT16); REQUIRED FIXED_LEN_BYTE_ARRAY (2) code; }";
    let mut writer = begun(&path, schema)?;
    let mut group = writer.next_row_group()?;
    let mut place = 0;
    while let Some(mut column) = group.next_column()? {
        let bytes = |rows: [&[u8]; 3]| rows.map(|row| ByteArray::from(row.to_vec()));
        let fixed = |rows| bytes(rows).map(Into::into);
        match place {
            0 => column.typed::<Int32Type>().write_batch(&[19_846; 3], None, None)?,
            1 => (column.typed::<Int32Type>()).write_batch(&[43_201_250, 43_202_250, 43_203_250], None, None)?,
            2 => {
                let rows = fixed([&[0, 0, 0, 0, 125], &[0xff, 0xff, 0xff, 0xff, 0x83], &[0, 0, 1, 0, 0]]);
                (column.typed::<FixedLenByteArrayType>()).write_batch(&rows, None, None)?
            }
            3 => (column.typed::<ByteArrayType>()).write_batch(&bytes([&[15], &[0xf1], &[1, 0]]), None, None)?,
            4 => {
                // 1.5, the smallest number below zero, and the largest number.
                let rows = fixed([&[0x00, 0x3e], &[0x01, 0x80], &[0xff, 0x7b]]);
                (column.typed::<FixedLenByteArrayType>()).write_batch(&rows, None, None)?
            }
            _ => {
                let rows = fixed([&[1, 2], &[3, 4], &[5, 6]]);
                (column.typed::<FixedLenByteArrayType>()).write_batch(&rows, None, None)?
            }
        };
        column.close()?;
        place += 1;
    }
    group.close()?;
    writer.close()?;
    let mut recording = Recording::open(&path, &Progress::begin_reading(0))?;
    std::fs::remove_file(&path)?;
    let (columns, names) = recording.watched(&[])?;
    assert_eq!(names, ["price", "flow", "half"]);
    assert!(recording.watched(&["code".into()]).is_err());
    let clock = recording.clock().context("no clock")?;
    let mut complaints = Complaints::new(Strictness::Strict);
    let mut sample = [0.0; 3];
    for (second, numbers) in [
        [1.25, 1.5, 1.5],
        [-1.25, -1.5, -(2_f32.powi(-24))],
        [655.36, 25.6, 65_504.0],
    ]
    .into_iter()
    .enumerate()
    {
        let row = recording.next_row(&mut complaints)?.context("no row")?;
        row.channels(&columns, &names, &path, &mut sample, &mut complaints)?;
        assert_eq!(sample, numbers);
        assert_eq!(row.time(clock), Some(1_714_737_601.25 + second as f64));
    }
    Ok(())
}

#[test]
fn numbers_gaps_and_times_are_read() -> Result<()> {
    let path = std::env::temp_dir().join(format!("eigenstream-{}.parquet", std::process::id()));
    written(&path)?;
    let mut recording = Recording::open(&path, &Progress::begin_reading(0))?;
    let (columns, names) = recording.watched(&[])?;
    assert_eq!(names, ["flow", "heat", "count"]);
    let clock = recording.clock().context("no clock")?;
    assert_eq!(clock, (0, Clock::Calendar));
    let mut complaints = Complaints::new(Strictness::Strict);
    let mut sample = [0.0; 3];
    let mut count = 0_i32;
    while let Some(row) = recording.next_row(&mut complaints)? {
        row.channels(&columns, &names, &path, &mut sample, &mut complaints)?;
        let flow = if count % 3 == 1 { f32::NAN } else { count as f32 + 0.1 };
        assert_eq!(sample[0].to_bits(), flow.to_bits(), "row {count}");
        assert_eq!(sample[1..], [(0.1 * f64::from(count)) as f32, (count % 7) as f32]);
        assert_eq!(row.time(clock), Some(1_714_737_601.0 + 0.25 * f64::from(count)));
        count += 1;
        assert_eq!(row.line, count as u64);
    }
    assert_eq!(count, 3_000);
    std::fs::remove_file(&path)?;
    Ok(())
}

#[test]
fn half_a_file_is_refused_in_a_sentence() -> Result<()> {
    let path = std::env::temp_dir().join(format!("eigenstream-half-{}.parquet", std::process::id()));
    written(&path)?;
    let bytes = std::fs::read(&path)?;
    std::fs::write(&path, &bytes[..bytes.len() / 2])?;
    let sentence = Recording::open(&path, &Progress::begin_reading(0))
        .err()
        .map(|error| error.to_string());
    assert!(sentence.is_some_and(|sentence| sentence.contains("is it whole?")));
    std::fs::remove_file(&path)?;
    Ok(())
}

/// Reads every row, if the file can be opened; returns how many.
fn rows_of(path: &Path) -> Result<usize> {
    let mut recording = Recording::open(path, &Progress::begin_reading(0))?;
    let mut complaints = Complaints::new(Strictness::Lenient);
    let mut rows = 0;
    while recording.next_row(&mut complaints)?.is_some() {
        rows += 1;
    }
    Ok(rows)
}

#[test]
fn a_damaged_file_is_read_or_refused() -> Result<()> {
    let whole = include_bytes!("../../../../tests/data/corpus/recordings/pump.parquet");
    let path = std::env::temp_dir().join(format!("eigenstream-damaged-{}.parquet", std::process::id()));
    std::fs::write(&path, whole)?;
    assert_eq!(rows_of(&path)?, 40);
    let mut state = 1_u64;
    let mut below = |count: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % count
    };
    let mut refused = 0;
    for _ in 0..2_000 {
        let mut bytes = whole.to_vec();
        for _ in 0..=below(3) {
            // The first four bytes name the format. They stay, so that the file is not read as text.
            let place = 4 + below(bytes.len() - 4);
            match below(4) {
                0 => bytes[place] ^= 1 << below(8),
                1 => bytes[place] = [0x00, 0xff, 0x7f, 0x80][below(4)],
                2 => bytes.truncate(place.max(8)),
                _ => bytes[place] = below(256) as u8,
            }
        }
        std::fs::write(&path, bytes)?;
        refused += usize::from(rows_of(&path).is_err());
    }
    assert!(refused > 500, "{refused}");
    std::fs::remove_file(&path)?;
    Ok(())
}
