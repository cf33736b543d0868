//! Static keys: branches that cost one nop until code is patched to take them.
//!
//! ```text
//!   branch!(KEY) in code --> row of the site table ----.
//!   static_key!(KEY)     --> the key: its count ------ link: checked, sorted, owned by keys
//!                                                            |
//!   inc, dec, enable, disable --> count --> flip --> engine: park, open, store, close, publish, resume
//! ```
//!
//! * [`key`]: a key; [`branch`]: the macros that define keys and branch on them.
//! * [`count`]: which changes of a key's count must patch code. Pure functions, so that all interleavings of several
//!   cores can be explored.
//! * [`call`]: calls of a function that is exchanged at run time.
//! * [`deferred`]: a hold that is released late, for callers that turn a key on and off often.
//! * [`site`]: a row of the table that compiler and linker produce; [`table`]: the rules for all rows.
//! * [`keys`]: all keys of a program and the right to change them; [`shared`]: the same for several cores.
//! * [`engine`]: the operations of a machine that patches code, and their order; [`write`](mod@write): all changes of
//!   code, in that order; [`encoding`]: the two instructions of a site in an instruction set.
//! * [`arch`]: the instruction sets; [`mod@assembly`]: the assembly of a site, from their instructions.
//!
//! The crate accesses only memory that it is given: its user makes the slices of [`table::Sections`] from the linker's
//! symbols, and an [`engine::Engine`]. `docs/keys.md` explains how to port it.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![cfg_attr(not(test), no_std)]

pub mod arch;
pub mod assembly;
pub mod branch;
pub mod call;
pub mod count;
pub mod deferred;
pub mod encoding;
pub mod engine;
mod flip;
pub mod key;
pub mod keys;
pub mod shared;
pub mod site;
pub mod table;
#[cfg(test)]
mod test_program;
pub mod write;

pub use key::{BranchKey, StaticKey};
pub use keys::{KeyError, Keys};
