//! Pictures: `chart` describes a chart in numbers and words, `draw` draws it, and `files` writes it as SVG, PNG and CSV.
//! Each verb defines its own figures.

pub mod chart;
mod draw;
pub mod files;
