//! Reads a recording from a Parquet file, one batch of rows at a time, in memory that does not grow with the file.
//! In: a file whose columns are numbers, times or booleans, compressed or not. Out: rows of `f64`; NaN for a missing value.
//! Times are seconds since the beginning of 1970. A column of text or lists keeps its name and has no values.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{DataType, Int96};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::Clock;
use super::guarded::guarded;
use super::table::{Opened, Rows};
use super::time::stamp;

/// Rows read at once.
const BATCH: usize = 1 << 10;

/// The interpretation of the numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// The number itself.
    Number,
    /// Dividing by this value gives seconds.
    Time(f64),
    /// A number of days.
    Day,
    /// Dividing by this value gives the number.
    Decimal(f64),
    /// A negative number is this value too small.
    Unsigned(f64),
    /// The column is not read.
    Other,
}

/// An open file.
struct Table {
    file: SerializedFileReader<File>,
    meanings: Vec<Meaning>,
    /// The definition level of a present value in each column; zero if every row has a value.
    depths: Vec<i16>,
    /// Index of the next row group. `readers` belong to the current row group.
    group: usize,
    readers: Vec<Option<ColumnReader>>,
    /// Rows left in the current row group.
    left: usize,
    /// A batch of rows, row by row.
    batch: Vec<f64>,
    place: usize,
    /// The values of one column.
    column: Vec<f64>,
    levels: Vec<i16>,
}

/// Opens a file and reads its first rows.
pub(super) fn open(path: &Path) -> Result<Opened> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let file = guarded(|| SerializedFileReader::new(file).map_err(anyhow::Error::from))
        .map_err(|error| anyhow!("cannot read {shown} ({error}): is it whole?"))?;
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let header: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let mut table = Table {
        meanings: schema.columns().iter().map(|column| meaning(column)).collect(),
        depths: schema.columns().iter().map(|column| column.max_def_level()).collect(),
        file,
        group: 0,
        readers: Vec::new(),
        left: 0,
        batch: Vec::new(),
        place: 0,
        column: Vec::new(),
        levels: Vec::new(),
    };
    if header.is_empty() {
        bail!("{shown} has no columns");
    }
    table.fill_guarded().with_context(|| format!("cannot read {shown}"))?;
    let first = table.batch.chunks_exact(header.len()).map(|row| {
        let cells = row.iter().zip(&table.meanings).map(|(&number, meaning)| match meaning {
            Meaning::Other => "-".to_owned(),
            _ if number.is_nan() => String::new(),
            Meaning::Time(_) | Meaning::Day => stamp(number, Clock::Calendar),
            _ => number.to_string(),
        });
        cells.collect::<Vec<String>>().join(",")
    });
    Ok(Opened {
        first: first.collect(),
        unread: (table.meanings.iter())
            .map(|&meaning| meaning == Meaning::Other)
            .collect(),
        header,
        rows: Box::new(table),
    })
}

fn meaning(column: &ColumnDescriptor) -> Meaning {
    if column.max_rep_level() > 0 {
        return Meaning::Other;
    }
    let of_unit = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1e3,
        TimeUnit::MICROS => 1e6,
        TimeUnit::NANOS => 1e9,
    };
    match (
        column.physical_type(),
        column.logical_type_ref(),
        column.converted_type(),
    ) {
        (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, _, _) => Meaning::Other,
        (Type::INT96, _, _) => Meaning::Time(1.0),
        (_, Some(LogicalType::Timestamp(timestamp)), _) => Meaning::Time(of_unit(&timestamp.unit)),
        (_, _, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Time(1e3),
        (_, _, ConvertedType::TIMESTAMP_MICROS) => Meaning::Time(1e6),
        (_, Some(LogicalType::Date), _) | (_, _, ConvertedType::DATE) => Meaning::Day,
        (_, Some(LogicalType::Decimal(_)), _) | (_, _, ConvertedType::DECIMAL) => {
            Meaning::Decimal(10_f64.powi(column.type_scale()))
        }
        (_, _, ConvertedType::UINT_32) => Meaning::Unsigned(2_f64.powi(32)),
        (_, _, ConvertedType::UINT_64) => Meaning::Unsigned(2_f64.powi(64)),
        _ => Meaning::Number,
    }
}

impl Table {
    /// Reads the next batch; an error if the library panics.
    fn fill_guarded(&mut self) -> Result<()> {
        guarded(|| self.fill())
    }

    /// Reads the next batch; `batch` is empty at the end of the file.
    fn fill(&mut self) -> Result<()> {
        (self.place, self.batch) = (0, std::mem::take(&mut self.batch));
        self.batch.clear();
        while self.left == 0 {
            if self.group == self.file.num_row_groups() {
                return Ok(());
            }
            let group = self.file.get_row_group(self.group)?;
            self.group += 1;
            self.left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            self.readers.clear();
            for (place, meaning) in self.meanings.iter().enumerate() {
                self.readers.push(match meaning {
                    Meaning::Other => None,
                    _ => Some(group.get_column_reader(place)?),
                });
            }
        }
        let rows = self.left.min(BATCH);
        self.left -= rows;
        let columns = self.meanings.len();
        self.batch.resize(rows * columns, f64::NAN);
        for (place, ((reader, meaning), depth)) in self
            .readers
            .iter_mut()
            .zip(&self.meanings)
            .zip(&self.depths)
            .enumerate()
        {
            let Some(reader) = reader else { continue };
            read(reader, (rows, *depth), &mut self.column, &mut self.levels)?;
            for (row, &number) in self.batch.chunks_exact_mut(columns).zip(&self.column) {
                row[place] = match meaning {
                    Meaning::Unsigned(range) if number < 0.0 => number + range,
                    Meaning::Number | Meaning::Unsigned(_) | Meaning::Other => number,
                    Meaning::Time(unit) => number / unit,
                    Meaning::Day => number * 86_400.0,
                    Meaning::Decimal(power) => number / power,
                };
            }
        }
        Ok(())
    }
}

impl Rows for Table {
    fn next(&mut self) -> Result<Option<&[f64]>> {
        if self.place == self.batch.len() {
            self.fill_guarded()?;
        }
        let from = self.place;
        self.place = (from + self.meanings.len()).min(self.batch.len());
        Ok((from < self.place).then(|| &self.batch[from..self.place]))
    }
}

/// Reads the next rows of a column; NaN for a missing value. `depth` is the definition level of a present value.
fn read(
    reader: &mut ColumnReader,
    (rows, depth): (usize, i16),
    column: &mut Vec<f64>,
    levels: &mut Vec<i16>,
) -> Result<()> {
    let mut ask = Ask {
        rows,
        depth,
        column,
        levels,
    };
    match reader {
        ColumnReader::BoolColumnReader(typed) => ask.spread(typed, |&value| f64::from(u8::from(value))),
        ColumnReader::Int32ColumnReader(typed) => ask.spread(typed, |&value| f64::from(value)),
        ColumnReader::Int64ColumnReader(typed) => ask.spread(typed, |&value| value as f64),
        ColumnReader::Int96ColumnReader(typed) => ask.spread(typed, |value: &Int96| value.to_nanos() as f64 * 1e-9),
        ColumnReader::FloatColumnReader(typed) => ask.spread(typed, |&value| f64::from(value)),
        ColumnReader::DoubleColumnReader(typed) => ask.spread(typed, |&value| value),
        ColumnReader::ByteArrayColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => Ok(()),
    }
}

/// The column to read.
struct Ask<'table> {
    rows: usize,
    depth: i16,
    column: &'table mut Vec<f64>,
    levels: &'table mut Vec<i16>,
}

impl Ask<'_> {
    /// Writes the values to their rows; rows without a value get NaN.
    fn spread<T: DataType>(&mut self, reader: &mut ColumnReaderImpl<T>, number: impl Fn(&T::T) -> f64) -> Result<()> {
        let mut values = Vec::with_capacity(self.rows);
        self.levels.clear();
        let mut found = 0;
        while found < self.rows {
            let levels = (self.depth > 0).then_some(&mut *self.levels);
            let (records, _, _) = reader.read_records(self.rows - found, levels, None, &mut values)?;
            if records == 0 {
                bail!("a column of the file has fewer rows than the others: is it whole?");
            }
            found += records;
        }
        self.column.clear();
        if self.depth == 0 {
            self.column.extend(values.iter().map(number));
            return Ok(());
        }
        let mut values = values.iter();
        let depth = self.depth;
        self.column
            .extend(self.levels.iter().map(|&level| match level == depth {
                true => values.next().map_or(f64::NAN, &number),
                false => f64::NAN,
            }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::super::{Complaints, Recording, Strictness};
    use super::*;
    use crate::progress::Progress;

    /// Writes a file of two row groups with five columns: a time, a text, a float with gaps, a double, a count.
    fn written(path: &Path) -> Result<()> {
        let schema = "message rows { REQUIRED INT64 when (TIMESTAMP(MILLIS, true)); OPTIONAL BYTE_ARRAY name (UTF8);
                      OPTIONAL FLOAT flow; REQUIRED DOUBLE heat; OPTIONAL INT32 count; }";
        let mut writer = SerializedFileWriter::new(
            File::create(path)?,
            Arc::new(parse_message_type(schema)?),
            Arc::default(),
        )?;
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
        let schema =
            "message rows { REQUIRED INT32 a (UINT_32); REQUIRED INT64 b (INTEGER(64,false)); REQUIRED INT32 c;
                      REQUIRED BYTE_ARRAY name (UTF8); }";
        let mut writer = SerializedFileWriter::new(
            File::create(&path)?,
            Arc::new(parse_message_type(schema)?),
            Arc::default(),
        )?;
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
        let whole = include_bytes!("../../../tests/data/corpus/recordings/pump.parquet");
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
}
