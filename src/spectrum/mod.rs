//! Small symmetric matrices.
