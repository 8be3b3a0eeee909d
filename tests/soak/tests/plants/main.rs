//! Monitors of many machines, twenty of each kind: faults, machines that stand still, drift, rates of alarms, wild samples.
//! In a package that is built for speed: these are hundreds of thousands of samples.

mod idle;
mod plant;
mod rates;
mod standing;
mod wild;
