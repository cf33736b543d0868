//! Static keys: branches that cost one instruction that does nothing, until they are switched by patching code.
//!
//! ```text
//!   branch!(KEY) in code --> row of the site table ----.
//!   static_key!(KEY)     --> the key: its count ------ link: checked, sorted, owned by keys
//!                                                            |
//!   inc, dec, enable, disable --> count --> flip --> engine: park, open, store, close, publish, resume
//! ```
//!
//! * [`key`]: what a key is; [`branch`]: the macros that define keys and branch on them.
//! * [`count`]: when a change of a key's count must patch code. A function without side effects, so that all
//!   interleavings of several cores can be explored.
//! * [`site`]: a row of the table that compiler and linker make; [`table`]: what must be true of all of them.
//! * [`keys`]: all keys of a program and the right to change them; [`shared`]: the same for several cores.
//! * [`engine`]: what a machine must be able to do, and the order in which it is asked to; [`encoding`]: what an
//!   instruction set says about the two instructions of a site.
//! * [`arch`]: the instruction sets.
//!
//! The crate reads and writes no memory that it was not given: who uses it makes the slices of [`table::Sections`] from
//! the linker's symbols, and an [`engine::Engine`]. `docs/keys.md` tells how to port it.

#![cfg_attr(not(test), no_std)]

pub mod arch;
pub mod branch;
pub mod count;
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

pub use key::{Key, StaticKey};
pub use keys::{KeyError, Keys};
