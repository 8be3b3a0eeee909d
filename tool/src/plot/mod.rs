//! Pictures: a chart is described in numbers and words (`chart`), drawn (`draw`) and written as SVG, PNG and CSV (`files`).
//! Each verb decides on its own figures.

pub mod chart;
mod draw;
pub mod files;
