//! The parsers of untrusted files as functions of any bytes that must not panic, for fuzzers.
//!
//! `./x fuzz` runs each under libFuzzer, which the workspace `fuzz` links. Tests run each with its first inputs and with
//! the inputs that the repository keeps.

#![forbid(unsafe_code)]

pub mod description;
pub mod elf;
pub mod image;
pub mod trace;

/// A function to fuzz, and its first inputs.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name for `./x fuzz`, and of the folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Valid inputs, from which the fuzzer starts.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Fragments of the format, which the fuzzer inserts.
    pub words: &'static [&'static [u8]],
    /// The function under test; it panics if a parser breaks a promise.
    pub try_input: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 4] = [description::TARGET, elf::TARGET, image::TARGET, trace::TARGET];
