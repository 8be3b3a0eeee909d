//! Tests of the monitor: each stage, and all promises with the default settings.

mod contracts;
mod faults;
mod learners;
mod machine;
mod promises;
mod rates;
mod stages;
mod update;
