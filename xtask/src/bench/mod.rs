//! `./x bench`: measured systems, their rows, and what explains a row.

mod command;
pub mod counting;
mod entries;
pub mod environment;
pub mod footprint;
mod growth;
mod kept;
mod kernel_keys;
mod listing;
pub mod measure;
mod model;
pub mod native;
mod order;
pub mod trace;
mod waits;

pub use command::{COMMAND, Rows, compare_with_record};
