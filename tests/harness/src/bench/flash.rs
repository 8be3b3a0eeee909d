//! Bytes of flash of a learner: `tests/firmware/src/bin/flash.rs` linked with the call and without.

use std::collections::HashMap;

use anyhow::Result;
use eigenstream_registry::{timed_beside, timed_by_channels, timed_by_window};

use super::Row;
use crate::cargo::{Optimisation, Program, build_image_with};
use crate::machine::{Board, flash_bytes};

/// The sizes of the workload `sizes` whose flash is measured, as channels and kept directions.
const SIZES: [(u64, u64); 4] = [(3, 1), (6, 2), (20, 2), (32, 4)];

/// The windows of the workload `windows` whose flash is measured, at one size: channels and kept directions.
const WINDOWS: [u64; 2] = [8, 64];
const WINDOW_SIZE: (u64, u64) = (6, 2);

/// The window of W2 whose flash is measured.
const W2_WINDOW: u64 = 32;

pub(super) struct Flash {
    calls: Vec<String>,
    known: HashMap<String, u64>,
}

impl Flash {
    pub(super) fn new() -> Self {
        // These calls are written out in `flash.rs`, because the lists of learners do not have them.
        let mut calls = vec!["full".to_owned(), "values".to_owned(), "restoring".to_owned()];
        macro_rules! name {
            ($name:ident, $($rest:tt)*) => {
                calls.push(stringify!($name).to_owned());
            };
        }
        timed_by_channels!(name, DIM = 2, KEEP = 1, RANK = 2);
        timed_beside!(name, DIM = 2, KEEP = 1, RANK = 2);
        timed_by_window!(name, DIM = 2, KEEP = 1, RANK = 2, WINDOW = 2);
        Self {
            calls,
            known: HashMap::new(),
        }
    }

    fn call(row: &Row) -> Option<&str> {
        match (row["workload"].as_str(), row["variant"].as_str()?) {
            (Some("restore"), "sensor_monitor") => Some("restoring"),
            // The flash of restoring is measured once, for the default monitor.
            (Some("restore"), _) => None,
            (Some("W2"), "exact") => Some("kernel_exact"),
            (_, variant) => Some(variant),
        }
    }

    /// Whether the flash of this row is measured.
    pub(super) fn is_for(&self, row: &Row) -> bool {
        let size = (row["dim"].as_u64().unwrap_or(0), row["keep"].as_u64().unwrap_or(0));
        let called = Self::call(row).is_some_and(|name| self.calls.iter().any(|call| call == name));
        let chosen = match row["workload"].as_str() {
            Some("sizes") => SIZES.contains(&size),
            Some("W2") => row["window"] == W2_WINDOW && row["kernel"] == "gauss",
            Some("windows") => size == WINDOW_SIZE && row["window"].as_u64().is_some_and(|it| WINDOWS.contains(&it)),
            _ => true,
        };
        called && chosen
    }

    /// The flash of the call in this row.
    pub(super) fn bytes(&mut self, row: &Row, board: &Board, optimisation: Optimisation) -> Result<u64> {
        let word = |key: &str| match &row[key] {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Null => String::new(),
            other => other.to_string(),
        };
        let [dim, keep, window] = ["dim", "keep", "window"].map(word);
        let with = self.linked(
            [Self::call(row).unwrap_or("nothing"), &dim, &keep, &window],
            board,
            optimisation,
        )?;
        // The flash of restoring does not include the monitor itself.
        let rest = match Self::call(row) {
            Some("restoring") => ["monitor", &dim, &keep, &window],
            _ => ["nothing", "", "", ""],
        };
        let without = self.linked(rest, board, optimisation)?;
        Ok(with.saturating_sub(without))
    }

    fn linked(&mut self, call: [&str; 4], board: &Board, optimisation: Optimisation) -> Result<u64> {
        let key = format!("{} {} {}", call.join(" "), optimisation.level(), board.machine);
        if let Some(&bytes) = self.known.get(&key) {
            return Ok(bytes);
        }
        let names = ["FLASH_CALL", "FLASH_DIM", "FLASH_KEEP", "FLASH_WINDOW"];
        let variables: Vec<(&str, &str)> = names
            .into_iter()
            .zip(call)
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let bytes = flash_bytes(&build_image_with(
            Program::Firmware("flash"),
            board,
            optimisation,
            &variables,
        )?)?;
        self.known.insert(key, bytes);
        Ok(bytes)
    }
}
