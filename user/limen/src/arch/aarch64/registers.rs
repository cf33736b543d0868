//! The registers of a system call, and the highest user address.

use limen_abi::register::{self, RegisterMap};

pub(crate) use limen_abi::limits::USER_TOP_AARCH64 as USER_TOP;

/// The contract.
pub(crate) const MAP: RegisterMap = register::AARCH64;

/// Whether the library tests for an empty message before it accesses the buffer.
pub(crate) const SKIPS_EMPTY_MESSAGES: bool = false;

/// Hands the registers to a macro; `trap.rs` compares them with the contract.
macro_rules! registers {
    ($then:ident) => {
        $then!(crate::arch::MAP, "svc #0", number "x7", cptr "x0", info "x1", words "x2" "x3" "x4" "x5",
            reply "x6", send "x8", clobbers []);
    };
}
pub(crate) use registers;
