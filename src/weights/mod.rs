//! Weights and probabilities with a fixed sum, and the learners on experts.
//!
//! Words and symbols of this room:
//! - **n**: the number of directions or experts, at most `N`. **k** (`keep`): the number of directions to keep.
//!   **d** = n − k (`set_size`): the number of dropped directions, or of chosen experts.
//! - **p**: the probability that a direction is kept; the p sum to k. **q** = 1 − p: the probability that a direction
//!   is dropped or an expert chosen; the q sum to d.
//! - **w** = q/d: the weights of the papers. They sum to one. **Capped** weights are at most 1/d.
//! - **ℓ**: the loss of a trial; **L**: a total loss; **L\***: the total loss of the best set; **η**: the learning
//!   rate.
//! - **λ**: a score; **g** = max(0, ηλ − τ) = −ln q: the evidence of a score; **τ**: the threshold, with which the p
//!   sum to k.
//! - **Bulk**: many directions with one common score. **Corner**: one set of a mixture. **α**: the part of all weight
//!   that a share step redistributes.
//!
//! | file | holds | source |
//! |---|---|---|
//! | `softmin` | [`softmin`]: weights from losses | [WK08] Algorithm 1 |
//! | `keeping`, `threshold` | [`threshold`], [`keep_probability`], [`Bulk`]: the rule of the crate | [WK08] Algorithm 4, [KW07] Algorithm 5, in the log domain |
//! | `capping`, `log_capping` | [`cap`], [`cap_log`] | [WK08] Algorithm 4, [KW07] Algorithm 5 |
//! | `subset` | [`Subset`] | |
//! | `corners` | [`Corners`], [`Corner`]: weights as a mixture of at most n sets | [WK08] Algorithm 2 |
//! | `sampling` | [`systematic`]: a set from one random number; the two methods of drawing, as types | Madow 1949 |
//! | `hedge` | [`Hedge`], [`HedgeSettings`] | [WK08] Algorithms 1 and 3 |
//! | `share` | [`Share`](crate::pca::Share) | [WK08] section 8 |
//! | `subset_experts`, `set_experts` | [`SubsetExperts`], [`SetExperts`]: one weight for each set | [WK08] section 4.1 |
//! | `leaders` | [`FollowTheLeader`], [`PerturbedLeader`] | [WK08] section 7 |
//!
//! Rules of the room: a weight that is negative, infinite or NaN is an error, and nothing changes ([`cap_log`] accepts
//! ±∞). Of equal numbers the lower index is chosen first. If d is above `N`, a learner on experts chooses all experts.
//!
//! [WK08]: crate#references
//! [KW07]: crate#references

mod capping;
mod check;
mod corners;
mod hedge;
mod keeping;
mod leaders;
mod log_capping;
mod sampling;
mod set_experts;
pub(crate) mod share;
mod softmin;
mod subset;
mod subset_experts;
mod threshold;

pub use capping::cap;
pub use corners::{Corner, Corners};
pub use hedge::{Hedge, HedgeSettings};
pub(crate) use keeping::Keeping;
pub use keeping::{keep_probability, threshold};
pub use leaders::{FollowTheLeader, PerturbedLeader};
pub use log_capping::cap_log;
pub use sampling::systematic;
pub(crate) use sampling::{ByCorners, Draw, Systematic, Walk};
pub use set_experts::SetExperts;
pub use softmin::softmin;
pub use subset::Subset;
pub use subset_experts::SubsetExperts;
pub use threshold::Bulk;
pub(crate) use threshold::EvidenceThreshold;
