//! The registers of a thread.
//!
//! The trap code saves the registers that compiled code may change on every entry, and the others only when the
//! thread really changes; so while a thread runs, gp, tp and s0 to s11 in its context are stale.

use core::mem::offset_of;

use limen_abi::MessageInfo;
use limen_core::machine;

/// Bytes of a system-call instruction.
const SYSCALL_BYTES: u64 = 4;

/// Register numbers of the system-call convention.
mod convention {
    pub(super) const SEND: usize = 5;
    pub(super) const CPTR: usize = 10;
    pub(super) const INFO: usize = 11;
    pub(super) const WORDS: usize = 12;
    pub(super) const REPLY: usize = 16;
}

/// The registers of user mode, at the offsets that the trap code uses.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Context {
    /// x0 is always zero; in its place is the program counter.
    x: [u64; 32],
}

/// Offset of the program counter; register n lies n words further.
pub const X: usize = offset_of!(Context, x);

/// The register number at each position of `seL4_UserContext`; see `limen_abi::register::RISCV64`.
const ORDER: [usize; 32] = [
    0, 1, 2, 3, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 10, 11, 12, 13, 14, 15, 16, 17, 5, 6, 7, 28,
    29, 30, 31, 4,
];

impl machine::Context for Context {
    const ZERO: Self = Self { x: [0; 32] };
    const REGISTERS: usize = limen_abi::register::RISCV64.context.len();
    const PC: usize = 0;
    const SP: usize = 2;
    // FaultIP, SP, RA, a0 to a6.
    const UNKNOWN_SYSCALL: &'static [usize] = &[0, 2, 1, 16, 17, 18, 19, 20, 21, 22];
    // FaultIP, SP.
    const USER_EXCEPTION: &'static [usize] = &[0, 2];
    const EXCEPTION_CODE_WORDS: usize = 1;

    #[inline]
    fn cptr(&self) -> u64 {
        self.x[convention::CPTR]
    }

    #[inline]
    fn info(&self) -> MessageInfo {
        MessageInfo::from_raw(self.x[convention::INFO])
    }

    #[inline]
    fn reply_cptr(&self) -> u64 {
        self.x[convention::REPLY]
    }

    #[inline]
    fn send_cptr(&self) -> u64 {
        self.x[convention::SEND]
    }

    #[inline]
    fn words(&self) -> [u64; 4] {
        let [a, b, c, d] = [0, 1, 2, 3].map(|word| self.x[convention::WORDS + word]);
        [a, b, c, d]
    }

    #[inline]
    fn set_words(&mut self, words: [u64; 4], length: usize) {
        if length >= words.len() {
            for (word, value) in words.into_iter().enumerate() {
                self.x[convention::WORDS + word] = value;
            }
            return;
        }
        for (word, value) in words.into_iter().enumerate().take(length) {
            self.x[convention::WORDS + word] = value;
        }
    }

    #[inline]
    fn set_badge(&mut self, badge: u64) {
        self.x[convention::CPTR] = badge;
    }

    #[inline]
    fn set_info(&mut self, info: MessageInfo) {
        self.x[convention::INFO] = info.as_raw();
    }

    fn register(&self, position: usize) -> u64 {
        ORDER.get(position).map_or(0, |number| self.x[*number % 32])
    }

    fn set_register(&mut self, position: usize, value: u64) {
        if let Some(number) = ORDER.get(position) {
            self.x[*number % 32] = value;
        }
    }

    #[inline]
    fn rewind_syscall(&mut self) {
        self.x[0] = self.x[0].wrapping_sub(SYSCALL_BYTES);
    }
}
