//! Address translation, by architecture.

pub mod aarch64;
