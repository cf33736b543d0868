//! Address translation: what an entry means is said by each architecture, how tables are built is said once.

pub mod aarch64;
pub mod format;
pub mod riscv64;
pub mod tables;
pub mod x86_64;
