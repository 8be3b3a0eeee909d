//! Weights and probabilities with a fixed sum.
//!
//! A learner chooses at random which k of n directions it keeps. The probability p_i that direction i is kept is in [0, 1], and
//! the n probabilities sum to k. The numbers q_i = 1 − p_i sum to d = n − k. The weights w = q/d of the papers sum to one, and no
//! weight is above 1/d. For experts, q_i is the probability that expert i is in the drawn set of d experts: so d directions are
//! dropped, but d experts are chosen. The functions of this module compute these numbers for experts and for directions (the
//! eigenvectors of PCA and kernel PCA). The module also contains the learners on experts.
//!
//! **From losses to weights.** [`softmin`] computes weights from total losses. [`cap`] limits the weights to 1/d, so that they
//! are a mixture of sets of d members. [`cap_log`] computes q = d·w of the capped weights w, for weights that are given as
//! logarithms. [`threshold`] is the form of the capping for learners of directions. It works on evidence g = −ln q. Capping then
//! replaces g by max(0, g − τ), with the threshold τ. The whole orthogonal complement is one value with a multiplicity, [`Bulk`].
//!
//! **From weights to sets.** [`systematic`] draws a [`Subset`] with given probabilities from one random number. [`Corners`]
//! writes the weights as a mixture of at most n sets, which is the method of the papers.
//!
//! **Learners on experts.** [`Hedge`] is Hedge and Capped Hedge. [`SubsetExperts`] represents one weight per *set* by dynamic
//! programming, and [`SetExperts`] learns with it. [`FollowTheLeader`] is the baseline, which an adversary can defeat.
//! [`PerturbedLeader`] adds noise against such an adversary.
//!
//! | file | holds | source |
//! |---|---|---|
//! | `softmin` | [`softmin`] | [WK08] Algorithm 1 |
//! | `keeping` | the rule: [`threshold`], [`keep_probability`] | [WK08] Algorithm 4, [KW07] Algorithm 5, in the log domain |
//! | `threshold` | the search for τ, [`Bulk`] | [WK08] Algorithm 4, [KW07] Algorithm 5, in the log domain |
//! | `capping`, `log_capping` | [`cap`], [`cap_log`] | [WK08] Algorithm 4, [KW07] Algorithm 5 |
//! | `subset` | [`Subset`] | |
//! | `corners` | [`Corners`], [`Corner`] | [WK08] Algorithm 2 |
//! | `sampling` | [`systematic`] | Madow 1949 |
//! | `draw` | the two methods as types, inside the crate | |
//! | `hedge` | [`Hedge`], [`HedgeSettings`] | [WK08] Algorithms 1 and 3 |
//! | `share` | [`Share`](crate::pca::Share) | [WK08] section 8 |
//! | `subset_experts` | [`SubsetExperts`] | [WK08] section 4.1 |
//! | `set_experts` | [`SetExperts`] | [WK08] section 4.1 |
//! | `leaders`, `perturbed_leader` | [`FollowTheLeader`], [`PerturbedLeader`] | [WK08] section 7 |
//!
//! Kept: a learner on experts stores N numbers (2N for [`Hedge`]); a [`SubsetExperts`] has N² numbers; a [`Corners`] has N
//! numbers, N indices and N bytes; the functions store nothing.
//! Cost: [`softmin`] and [`threshold`] need at most about one `exp` for each entry. With a prior, [`softmin`] needs also one `ln`
//! for each entry. [`cap`] takes three passes and usually two rounds of two passes each, [`systematic`] one pass, [`Corners`]
//! O(n²) operations for all sets.
//!
//! Rules of the whole module: weights must be finite and not negative, otherwise the call returns an error with the index and
//! changes nothing. [`cap_log`] is an exception: it accepts the log weights +∞ and −∞. If the largest or the smallest
//! numbers are chosen, of equal numbers the one with the lower index is chosen first. A set of size d has exactly d members. If d
//! is above N, a learner on experts chooses all N experts.
//!
//! [WK08]: crate#references
//! [KW07]: crate#references

mod capping;
mod check;
mod corners;
mod draw;
mod hedge;
mod keeping;
mod leaders;
mod log_capping;
mod perturbed_leader;
mod sampling;
mod set_experts;
pub(crate) mod share;
mod softmin;
mod subset;
mod subset_experts;
mod threshold;

pub use capping::cap;
pub use corners::{Corner, Corners};
pub(crate) use draw::{ByCorners, Draw, Systematic};
pub use hedge::{Hedge, HedgeSettings};
pub(crate) use keeping::Keeping;
pub use keeping::{keep_probability, threshold};
pub use leaders::FollowTheLeader;
pub use log_capping::cap_log;
pub use perturbed_leader::PerturbedLeader;
pub(crate) use sampling::Walk;
pub use sampling::systematic;
pub use set_experts::SetExperts;
pub use softmin::softmin;
pub use subset::Subset;
pub use subset_experts::SubsetExperts;
pub use threshold::Bulk;
pub(crate) use threshold::Level;
