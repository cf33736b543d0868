//! `./x check`: the checks of the tree and of linked files.

pub mod binary;
pub mod boot_code;
mod command;
mod deny;
pub mod disassembly;
mod drawing;
mod key_sites;
mod miri;
mod proofs;
pub mod symbols;
pub mod tidy;
mod vectors;

pub use command::{COMMAND, sdk_headers};
