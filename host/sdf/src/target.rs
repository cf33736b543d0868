//! The facts about the machine that the rules of a description need.

use limen_abi::limits::{LARGE_PAGE_BYTES, PAGE_BYTES, USER_TOP_AARCH64, USER_TOP_RISCV64, USER_TOP_X86_64};

/// Instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Architecture {
    Aarch64,
    Riscv64,
    X86_64,
}

impl Architecture {
    /// Name as in board files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64",
            Self::Riscv64 => "riscv64",
            Self::X86_64 => "x86_64",
        }
    }
}

/// The machine that a system is built for.
///
/// Every protection domain has, from the top of user space down: the IPC buffer (one page), an unmapped guard page,
/// its stack. Memory regions are mapped below the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Instruction set.
    pub architecture: Architecture,
    /// Highest user address, inclusive; the last byte of a page.
    pub user_top: u64,
    /// Processors that a system can use; at least 1.
    pub cpus: u8,
    /// The kernel can forward secure monitor calls.
    pub smc: bool,
    /// The board name is an older one, so that descriptions may use constructs of its time.
    pub older_name: bool,
}

impl Target {
    /// One AArch64 processor. The user address space has 40 bits at both EL2 and EL1.
    pub const fn aarch64() -> Self {
        Self {
            architecture: Architecture::Aarch64,
            user_top: USER_TOP_AARCH64,
            cpus: 1,
            smc: false,
            older_name: false,
        }
    }

    /// One RISC-V processor with Sv39 translation.
    pub const fn riscv64() -> Self {
        Self {
            architecture: Architecture::Riscv64,
            user_top: USER_TOP_RISCV64,
            cpus: 1,
            smc: false,
            older_name: false,
        }
    }

    /// One x86-64 processor.
    pub const fn x86_64() -> Self {
        Self {
            architecture: Architecture::X86_64,
            user_top: USER_TOP_X86_64,
            cpus: 1,
            smc: false,
            older_name: false,
        }
    }

    /// Supported page sizes of memory regions, in bytes.
    pub const fn page_sizes(&self) -> [u64; 2] {
        [PAGE_BYTES, LARGE_PAGE_BYTES]
    }

    /// Start of the IPC buffer, the highest user page.
    pub const fn ipc_buffer_vaddr(&self) -> u64 {
        self.user_top & !(PAGE_BYTES - 1)
    }

    /// Initial stack pointer: one guard page below the IPC buffer.
    pub const fn stack_top(&self) -> u64 {
        self.ipc_buffer_vaddr() - PAGE_BYTES
    }

    /// Bottom of a stack of `stack_bytes`: the upper limit of memory regions, exclusive.
    pub const fn map_limit(&self, stack_bytes: u64) -> u64 {
        self.stack_top().saturating_sub(stack_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_spaces_end_where_programs_expect() {
        let ends = |target: Target| (target.ipc_buffer_vaddr(), target.stack_top(), target.map_limit(0x2000));
        assert_eq!(ends(Target::aarch64()), (0xff_ffff_f000, 0xff_ffff_e000, 0xff_ffff_c000));
        assert_eq!(ends(Target::riscv64()), (0x3f_ffff_e000, 0x3f_ffff_d000, 0x3f_ffff_b000));
        assert_eq!(ends(Target::x86_64()), (0x7fff_ffff_e000, 0x7fff_ffff_d000, 0x7fff_ffff_b000));
    }
}
