//! Traps on RISC-V.

#[expect(unsafe_code, reason = "trap entry and return are assembly")]
pub mod trap;
