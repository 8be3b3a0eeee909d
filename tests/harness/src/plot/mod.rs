//! Pictures: a chart is described in numbers and words (`chart`), drawn (`draw`) and written as SVG, PNG and CSV (`files`).
//! What is drawn is the business of the verb that draws it.

pub(crate) mod chart;
mod draw;
pub(crate) mod files;
