//! RISC-V.

pub(super) mod instructions;
pub(super) mod registers;
#[cfg(target_os = "none")]
mod start;
mod static_branch;
mod trace_name;
