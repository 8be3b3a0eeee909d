//! Measuring images.
#![no_std]
