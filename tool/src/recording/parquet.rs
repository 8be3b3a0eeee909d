//! Reads a Parquet file, one batch of rows at a time, in constant memory. Out: rows of `f64`, NaN for a missing value;
//! times are seconds since 1970, times of day since midnight. A column of text or lists keeps its name and has no values.

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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// The number itself.
    Number,
    /// Dividing by this value gives seconds.
    Time(f64),
    /// A number of days.
    Day,
    /// Dividing by this value gives seconds since midnight.
    TimeOfDay(f64),
    /// Dividing by this value gives the number.
    Decimal(f64),
    /// A number of two bytes, with 10 bits of fraction.
    Half,
    /// A negative number is this value too small.
    Unsigned(f64),
    /// The column is not read.
    Other,
}

/// An open file.
struct Table {
    file: SerializedFileReader<File>,
    meanings: Vec<Meaning>,
    /// The definition level of a present value; zero if every row has a value.
    depths: Vec<i16>,
    /// The next row group; `readers` belong to the current one.
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
            Meaning::Time(_) => stamp(number, Clock::Calendar),
            Meaning::Day => part(number, 0),
            Meaning::TimeOfDay(_) => part(number, 1),
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

/// The date (0) or the time of day (1).
fn part(seconds: f64, place: usize) -> String {
    let stamp = stamp(seconds, Clock::Calendar);
    stamp.split(' ').nth(place).unwrap_or_default().to_owned()
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
        (Type::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Float16), _) => Meaning::Half,
        (_, Some(LogicalType::Decimal(_)), _) | (_, _, ConvertedType::DECIMAL) => {
            Meaning::Decimal(10_f64.powi(column.type_scale()))
        }
        (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, _, _) => Meaning::Other,
        (Type::INT96, _, _) => Meaning::Time(1.0),
        (_, Some(LogicalType::Timestamp(timestamp)), _) => Meaning::Time(of_unit(&timestamp.unit)),
        (_, _, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Time(1e3),
        (_, _, ConvertedType::TIMESTAMP_MICROS) => Meaning::Time(1e6),
        (_, Some(LogicalType::Date), _) | (_, _, ConvertedType::DATE) => Meaning::Day,
        (_, Some(LogicalType::Time(time)), _) => Meaning::TimeOfDay(of_unit(&time.unit)),
        (_, _, ConvertedType::TIME_MILLIS) => Meaning::TimeOfDay(1e3),
        (_, _, ConvertedType::TIME_MICROS) => Meaning::TimeOfDay(1e6),
        (_, _, ConvertedType::UINT_32) => Meaning::Unsigned(2_f64.powi(32)),
        (_, _, ConvertedType::UINT_64) => Meaning::Unsigned(2_f64.powi(64)),
        _ => Meaning::Number,
    }
}

impl Table {
    /// An error if the library panics.
    fn fill_guarded(&mut self) -> Result<()> {
        guarded(|| self.fill())
    }

    /// `batch` is empty at the end of the file.
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
            let is_half = *meaning == Meaning::Half;
            read(reader, is_half, (rows, *depth), &mut self.column, &mut self.levels)?;
            for (row, &number) in self.batch.chunks_exact_mut(columns).zip(&self.column) {
                row[place] = match meaning {
                    Meaning::Unsigned(range) if number < 0.0 => number + range,
                    Meaning::Number | Meaning::Half | Meaning::Unsigned(_) | Meaning::Other => number,
                    Meaning::Time(unit) | Meaning::TimeOfDay(unit) => number / unit,
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

/// `depth` is the definition level of a present value.
fn read(
    reader: &mut ColumnReader,
    is_half: bool,
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
        ColumnReader::ByteArrayColumnReader(typed) => ask.spread(typed, |value| whole(value.data())),
        ColumnReader::FixedLenByteArrayColumnReader(typed) if is_half => ask.spread(typed, |value| half(value.data())),
        ColumnReader::FixedLenByteArrayColumnReader(typed) => ask.spread(typed, |value| whole(value.data())),
    }
}

/// Signed, the highest byte first.
fn whole(bytes: &[u8]) -> f64 {
    let start = if bytes.first().is_some_and(|&byte| byte >= 0x80) {
        -1.0
    } else {
        0.0
    };
    bytes
        .iter()
        .fold(start, |number, &byte| 256.0 * number + f64::from(byte))
}

/// A half-precision number, the lowest byte first; NaN for another length.
fn half(bytes: &[u8]) -> f64 {
    let &[low, high] = bytes else { return f64::NAN };
    let bits = u16::from_le_bytes([low, high]);
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1_024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// The column to read.
struct Ask<'table> {
    rows: usize,
    depth: i16,
    column: &'table mut Vec<f64>,
    levels: &'table mut Vec<i16>,
}

impl Ask<'_> {
    /// Rows without a value get NaN.
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
mod tests;
