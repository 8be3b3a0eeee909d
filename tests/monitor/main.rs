//! The monitor: its stages against slow obvious versions, and everything that it promises with its default settings.

mod contracts;
mod faults;
mod idle;
mod learners;
mod machine;
mod plant;
mod promises;
mod rates;
mod stages;
mod standing;
mod update;
mod wild;
