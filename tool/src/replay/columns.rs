//! Writes the scores as Parquet, compressed with Snappy, in groups of [`GROUP`] rows; at most one group is in memory.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use eigenstream_sizes::PlainVerdict;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::words::{known, phase_word, state_word};

/// Rows in a row group.
const GROUP: usize = 1 << 14;

/// The table during writing.
pub(super) struct Columns {
    writer: SerializedFileWriter<File>,
    path: PathBuf,
    names: Vec<ByteArray>,
    lines: Vec<i64>,
    phases: Vec<ByteArray>,
    scores: Vec<Option<f32>>,
    thresholds: Vec<Option<f32>>,
    alarms: Vec<Option<bool>>,
    states: Vec<Option<ByteArray>>,
    stuck: Vec<Option<ByteArray>>,
    moved: Vec<Option<f32>>,
    parts: Vec<Vec<Option<f32>>>,
}

impl Columns {
    /// Creates the file with its schema.
    pub(super) fn begin(file: impl FnOnce() -> Result<File>, path: &Path, channels: &[String]) -> Result<Self> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(file()?, Arc::new(schema(channels)?), Arc::new(properties))?;
        Ok(Self {
            writer,
            path: path.to_path_buf(),
            names: channels.iter().map(|name| name.as_str().into()).collect(),
            lines: Vec::new(),
            phases: Vec::new(),
            scores: Vec::new(),
            thresholds: Vec::new(),
            alarms: Vec::new(),
            states: Vec::new(),
            stuck: Vec::new(),
            moved: Vec::new(),
            parts: vec![Vec::new(); channels.len()],
        })
    }

    /// `verdict` is `None` for a refused row.
    pub(super) fn add(&mut self, line: u64, verdict: Option<&PlainVerdict>, contribution: &[f32]) -> Result<()> {
        self.lines.push(line as i64);
        self.phases
            .push(verdict.map_or("refused", |verdict| phase_word(verdict.phase)).into());
        self.scores.push(verdict.map(|verdict| verdict.score));
        self.thresholds.push(verdict.and_then(known));
        self.alarms.push(verdict.map(|verdict| verdict.alarm));
        self.states
            .push(verdict.map(|verdict| state_word(verdict.state).into()));
        let stuck = verdict.and_then(|verdict| self.names.get(verdict.stuck?).cloned());
        self.stuck.push(stuck);
        self.moved.push(verdict.map(|verdict| verdict.moved));
        for (place, column) in self.parts.iter_mut().enumerate() {
            column.push(contribution.get(place).copied());
        }
        match self.lines.len() {
            GROUP => self.write(),
            _ => Ok(()),
        }
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.write()?;
        let closed = self.writer.close();
        closed.with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        whole::<Int64Type>(&mut group, &mut self.lines)?;
        whole::<ByteArrayType>(&mut group, &mut self.phases)?;
        some::<FloatType>(&mut group, &mut self.scores)?;
        some::<FloatType>(&mut group, &mut self.thresholds)?;
        some::<BoolType>(&mut group, &mut self.alarms)?;
        some::<ByteArrayType>(&mut group, &mut self.states)?;
        some::<ByteArrayType>(&mut group, &mut self.stuck)?;
        some::<FloatType>(&mut group, &mut self.moved)?;
        for column in &mut self.parts {
            some::<FloatType>(&mut group, column)?;
        }
        group.close()?;
        Ok(())
    }
}

fn whole<T: DataType>(group: &mut SerializedRowGroupWriter<'_, File>, values: &mut Vec<T::T>) -> Result<()> {
    let mut column = group.next_column()?.context("the schema has fewer columns")?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()?;
    values.clear();
    Ok(())
}

fn some<T: DataType>(group: &mut SerializedRowGroupWriter<'_, File>, values: &mut Vec<Option<T::T>>) -> Result<()> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let found: Vec<T::T> = values.drain(..).flatten().collect();
    let mut column = group.next_column()?.context("the schema has fewer columns")?;
    column.typed::<T>().write_batch(&found, Some(&levels), None)?;
    column.close()?;
    Ok(())
}

fn schema(channels: &[String]) -> Result<Type> {
    let field = |name: &str, physical, repetition| {
        let words = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let built = Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(words);
        built.build().map(Arc::new)
    };
    let mut fields = vec![
        field("line", Physical::INT64, Repetition::REQUIRED)?,
        field("phase", Physical::BYTE_ARRAY, Repetition::REQUIRED)?,
    ];
    for (name, physical) in [
        ("score", Physical::FLOAT),
        ("threshold", Physical::FLOAT),
        ("alarm", Physical::BOOLEAN),
        ("state", Physical::BYTE_ARRAY),
        ("stuck", Physical::BYTE_ARRAY),
        ("moved", Physical::FLOAT),
    ] {
        fields.push(field(name, physical, Repetition::OPTIONAL)?);
    }
    for name in channels {
        fields.push(field(name, Physical::FLOAT, Repetition::OPTIONAL)?);
    }
    Ok(Type::group_type_builder("scores").with_fields(fields).build()?)
}

#[cfg(test)]
mod tests {
    use eigenstream::monitor::{Phase, State};
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    #[test]
    fn rows_come_back_as_they_were() -> Result<()> {
        let path = std::env::temp_dir().join(format!("eigenstream-scores-{}.parquet", std::process::id()));
        let mut columns = Columns::begin(|| Ok(File::create(&path)?), &path, &["flow".into(), "heat".into()])?;
        let verdict = PlainVerdict {
            score: 0.1 + 0.2,
            threshold: 2.0,
            alarm: true,
            phase: Phase::Watching,
            state: State::Stuck,
            stuck: Some(1),
            moved: 0.25,
            guilty: 1,
        };
        for line in 0..GROUP as u64 + 5 {
            let seen = (line % 2 == 0).then_some(&verdict);
            columns.add(line, seen, seen.map_or(&[], |_| &[0.5, 1.5]))?;
        }
        columns.finish()?;
        let file = SerializedFileReader::new(File::open(&path)?)?;
        assert_eq!(file.num_row_groups(), 2);
        let rows: Vec<String> = file
            .get_row_iter(None)?
            .map(|row| row.map(|row| row.to_string()))
            .collect::<Result<_, _>>()?;
        assert_eq!(rows.len(), GROUP + 5);
        assert_eq!(
            rows[GROUP],
            format!(
                "{{line: {GROUP}, phase: \"watching\", score: 0.3, threshold: 2.0, alarm: true, state: \"stuck\", stuck: \"heat\", moved: 0.25, \
                 flow: 0.5, heat: 1.5}}"
            )
        );
        assert!(rows[1].contains("phase: \"refused\", score: null"), "{}", rows[1]);
        std::fs::remove_file(&path)?;
        Ok(())
    }
}
