//! Numbers that sum to something.

mod capping;
mod check;
mod corners;
mod hedge;
mod log_capping;
mod sampling;
mod softmin;
mod subset;
mod threshold;

pub use capping::cap;
pub use corners::{Corner, Corners};
pub use hedge::{Hedge, HedgeSettings};
pub use log_capping::cap_log;
pub use sampling::systematic;
pub use softmin::softmin;
pub use subset::Subset;
pub use threshold::{Bulk, keep_probability, threshold};
