//! The registers of a system call, and the highest user address.

use limen_abi::register::{self, RegisterMap};

pub(crate) use limen_abi::limits::USER_TOP_X86_64 as USER_TOP;

/// The contract.
pub(crate) const MAP: RegisterMap = register::X86_64;

/// Whether the library tests for an empty message before it accesses the buffer.
pub(crate) const SKIPS_EMPTY_MESSAGES: bool = false;

/// Hands the registers to a macro; `trap.rs` compares them with the contract.
macro_rules! registers {
    ($then:ident) => {
        $then!(crate::arch::MAP, "syscall", number "rdx", cptr "rdi", info "rsi", words "r10" "r8" "r9" "r15",
            reply "r12", send "r13", clobbers ["rcx" "r11"]);
    };
}
pub(crate) use registers;
