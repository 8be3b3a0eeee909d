//! Numbers that sum to something.
