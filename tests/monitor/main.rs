//! Tests of the monitor: each stage, and all promises with the default settings.

mod contracts;
mod faults;
#[expect(dead_code, reason = "no image is changed here")]
#[path = "../support/images.rs"]
mod images;
mod learners;
mod machine;
mod promises;
mod rates;
mod stages;
mod update;
