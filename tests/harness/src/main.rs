//! Host tool.
fn main() {}
