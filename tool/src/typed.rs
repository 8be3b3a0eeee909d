//! The command line of one verb, for tests of its options.

use clap::{Args, Parser};

/// The options of a verb, parsed from words without the name of the program.
#[derive(Parser)]
#[command(no_binary_name = true)]
pub(crate) struct Typed<A: Args> {
    #[command(flatten)]
    pub(crate) arguments: A,
}
