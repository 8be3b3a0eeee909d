//! Numbers that sum to something.
//!
//! A learner that is unsure which k of n directions to keep holds, for each of them, the probability p_i that it is kept:
//! numbers in [0, 1] that sum to k. Seen from the other side, q_i = 1 − p_i sum to d = n − k, and the weights w = q/d of the
//! papers sum to one with none above 1/d. Everything in this module is arithmetic on such numbers; nothing here knows
//! what a direction is, so the same functions serve experts, eigenvectors and kernel points.
//!
//! **From losses to weights.** [`softmin`] turns total losses into weights. [`cap`] bounds them by 1/d, so that they are a
//! mixture of sets of d; [`cap_log`] does the same to weights that only exist as logarithms. [`threshold`] is the form that
//! the learners use: it works on evidence g = −ln q, where one subtraction caps, and takes a whole orthogonal complement as
//! one value with a multiplicity, [`Bulk`].
//!
//! **From weights to sets.** [`systematic`] draws a [`Subset`] with the right probabilities from one random number. [`Corners`]
//! writes the weights as a mixture of at most n sets, the papers' way to the same end.
//!
//! **Learners on experts.** [`Hedge`] is Hedge and Capped Hedge. [`SubsetExperts`] keeps one weight per *set*, by dynamic
//! programming, and [`SetExperts`] learns with it. [`FollowTheLeader`] is the baseline that an adversary defeats, [`PerturbedLeader`] its cure by noise.
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
//! | `draw` | [`Draw`] | the choice between the two |
//! | `hedge` | [`Hedge`], [`HedgeSettings`] | [WK08] Algorithms 1 and 3 |
//! | `share` | [`Share`](crate::pca::Share) | [WK08] section 8 |
//! | `subset_experts` | [`SubsetExperts`] | [WK08] section 4.1 |
//! | `set_experts` | [`SetExperts`] | [WK08] section 4.1 |
//! | `leaders`, `perturbed_leader` | [`FollowTheLeader`], [`PerturbedLeader`] | [WK08] section 7 |
//!
//! Cost: nothing is kept but what a learner on experts knows, N numbers (2N for [`Hedge`], N² for [`SubsetExperts`]). [`softmin`] and [`threshold`] take
//! about one `exp` an entry, [`cap`] two or three passes in practice, [`systematic`] one, [`Corners`] O(n·d) comparisons a set.
//!
//! Rules that hold everywhere: weights are finite and not negative, or the call says which one is not and changes nothing;
//! where numbers tie, the lower index goes first; a set that is asked for d members has exactly d.
//!
//! # Sources
//! - \[WK08\] Warmuth and Kuzmin, *Randomized Online PCA Algorithms with Regret Bounds that are Logarithmic in the
//!   Dimension*, JMLR 9, 2008.
//! - \[KW07\] Kuzmin and Warmuth, *Online Kernel PCA with Entropic Matrix Updates*, ICML 2007.
//! - Madow, *On the Theory of Systematic Sampling, II*, Annals of Mathematical Statistics 20, 1949.
//!
//! [WK08]: #sources
//! [KW07]: #sources

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
pub use draw::Draw;
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
