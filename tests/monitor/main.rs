//! The monitor: its stages against slow obvious versions, and what the whole of it promises.

mod contracts;
mod faults;
mod learners;
mod machine;
mod slow;
mod stages;
