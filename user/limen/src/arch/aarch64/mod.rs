//! AArch64.

pub(super) mod instructions;
pub(super) mod registers;
pub mod smc;
#[cfg(target_os = "none")]
mod start;
mod static_branch;
mod trace_name;
