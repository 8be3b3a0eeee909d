//! The monitor: its stages against slow obvious versions, and everything that it promises with its default settings.

mod contracts;
mod faults;
mod learners;
mod machine;
mod promises;
mod rates;
mod stages;
mod update;
