//! A report as one web page without network: channels, score and contributions over time, with zoom, and the alarms.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::alarms::Alarms;
use super::bins::Extent;
use super::picture::{OTHERS, Picture};
use crate::recording::{Clock, time};

const PAGE: &str = include_str!("report.html");

/// The content of a report.
pub(super) struct Report<'run> {
    pub(super) title: String,
    pub(super) words: &'run str,
    pub(super) picture: &'run Picture,
    pub(super) alarms: &'run Alarms,
    pub(super) health: &'run [String],
    pub(super) clock: Option<Clock>,
}

impl Report<'_> {
    /// Writes the page into a folder.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join("replay.html");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, self.page()))
            .with_context(|| format!("cannot write {}: name another folder with --out", path.display()))
    }

    fn page(&self) -> String {
        // `</` could end the script.
        let data = self.data().to_string().replace("</", "<\\/");
        PAGE.replace("{{title}}", &escaped(&self.title))
            .replace("{{data}}", &data)
    }

    fn data(&self) -> Value {
        let bins = &self.picture.bins;
        let starts: Vec<u64> = bins.column(0).map(|(rows, _)| rows.start).collect();
        let column = |column: usize| -> Value {
            let extents: Vec<Extent> = self.picture.column(column).map(|(_, extent)| extent).collect();
            let side = |value: fn(&Extent) -> f32| -> Vec<Option<f32>> {
                extents
                    .iter()
                    .map(|extent| extent.is_some().then(|| value(extent)))
                    .collect()
            };
            json!([side(|extent| extent.least), side(|extent| extent.largest)])
        };
        let channels = self.picture.names.len();
        let alarms: Vec<Value> = (self.alarms.list.iter())
            .map(|alarm| {
                let when = alarm
                    .seconds
                    .zip(self.clock)
                    .map(|(seconds, clock)| time::stamp(seconds, clock));
                json!({
                    "row": alarm.row,
                    "line": alarm.line,
                    "when": when,
                    "rows": alarm.rows,
                    "channel": self.picture.names[alarm.guilty],
                    "height": alarm.height.min(f32::MAX),
                })
            })
            .collect();
        let times = bins.times();
        let stamps: Option<Vec<(f64, String, f64)>> = self.clock.map(|clock| {
            times
                .iter()
                .map(|&(row, seconds)| (row, time::stamp(seconds, clock), seconds))
                .collect()
        });
        json!({
            "words": self.words,
            "health": self.health,
            "rows": bins.rows(),
            "starts": starts,
            "times": stamps,
            "names": self.picture.names,
            "score": column(0),
            "threshold": column(1),
            "alarm": column(2),
            "channels": (0..channels).map(|channel| column(OTHERS + channel)).collect::<Vec<_>>(),
            "parts": (0..channels).map(|channel| column(OTHERS + channels + channel)).collect::<Vec<_>>(),
            "alarms": alarms,
            "alarm_count": self.alarms.count,
        })
    }
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
