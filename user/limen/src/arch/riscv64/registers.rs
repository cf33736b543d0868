//! The registers of a system call, and the highest user address.

use limen_abi::register::{self, RegisterMap};

pub(crate) use limen_abi::limits::USER_TOP_RISCV64 as USER_TOP;

/// The contract.
pub(crate) const MAP: RegisterMap = register::RISCV64;

/// Whether the library tests for an empty message before it accesses the buffer. Many of these processors have no address-space
/// identifiers: each page that a program touches is a walk of the page tables after each switch to it.
pub(crate) const SKIPS_EMPTY_MESSAGES: bool = true;

/// Hands the registers to a macro; `trap.rs` compares them with the contract.
macro_rules! registers {
    ($then:ident) => {
        $then!(crate::arch::MAP, "ecall", number "a7", cptr "a0", info "a1", words "a2" "a3" "a4" "a5",
            reply "a6", send "t0", clobbers []);
    };
}
pub(crate) use registers;
