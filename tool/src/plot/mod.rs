//! Pictures: `chart` describes a chart, `draw` draws it, `files` writes it.

pub mod chart;
mod draw;
pub mod files;
