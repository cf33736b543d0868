//! 64-bit x86.

pub(super) mod instructions;
pub(super) mod io_ports;
pub(super) mod registers;
#[cfg(target_os = "none")]
mod start;
mod static_branch;
mod trace_name;
