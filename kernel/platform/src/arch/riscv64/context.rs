//! The registers of a thread.
//!
//! Every trap saves the caller-saved registers; the others are saved only on a thread switch. So while a thread runs,
//! gp, tp and s0 to s11 in its context are stale.

use core::mem::offset_of;

use limen_core::machine::{self, Convention, first_registers};

use crate::arch::cpu::SpaceRegister;

/// Bytes of a system-call instruction.
const SYSCALL_BYTES: u64 = 4;
/// The bit that is always zero in a program counter. Source: Privileged ISA, `sepc`.
const ODD: u64 = 1;

/// The registers of user mode, at the offsets that the trap code uses.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Context {
    /// x0 is always zero; its place holds the program counter.
    x: [u64; 32],
}

/// Offset of the program counter; register n lies n words after it.
pub const X: usize = offset_of!(Context, x);

/// The register number at each position of `seL4_UserContext`; see `limen_abi::register::RISCV64`.
const ORDER: [usize; 32] = [
    0, 1, 2, 3, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 10, 11, 12, 13, 14, 15, 16, 17, 5, 6, 7, 28,
    29, 30, 31, 4,
];

impl Context {
    /// The initial registers of work.
    pub fn at_work(entry: usize, stack_top: u64, task: usize) -> Self {
        let mut context = <Self as machine::Context>::ZERO;
        (context.x[0], context.x[2], context.x[10]) = (entry as u64, stack_top, task as u64);
        context
    }

    /// Records the thread's address space. This port does not need it.
    pub fn set_space(&mut self, _: SpaceRegister) {}
}

impl machine::Context for Context {
    const ZERO: Self = Self { x: [0; 32] };
    const REGISTERS: usize = limen_abi::register::RISCV64.context.len();
    const PC: usize = 0;
    const SP: usize = 2;
    const LINK: Option<usize> = Some(1);
    const TLS_BASE: usize = 31;
    // t1
    const STAMP: usize = 25;
    // FaultIP, SP, RA, a0 to a6.
    const UNKNOWN_SYSCALL: &'static [usize] = &[0, 2, 1, 16, 17, 18, 19, 20, 21, 22];
    // FaultIP, SP.
    const TIMEOUT: &'static [usize] = &first_registers::<31>();
    const USER_EXCEPTION: &'static [usize] = &[0, 2];
    const EXCEPTION_CODE_WORDS: usize = 1;
    // Registers by number.
    const CONVENTION: Convention =
        Convention { cptr: 10, info: 11, words: [12, 13, 14, 15], reply: 16, send: 5 };

    #[inline]
    fn word(&self, place: usize) -> u64 {
        self.x[place]
    }

    #[inline]
    fn set_word(&mut self, place: usize, value: u64) {
        self.x[place] = value;
    }

    #[inline]
    fn rewind_syscall(&mut self) {
        self.x[0] = self.x[0].wrapping_sub(SYSCALL_BYTES);
    }

    #[inline]
    fn register(&self, position: usize) -> u64 {
        ORDER.get(position).map_or(0, |number| self.x[*number % 32])
    }

    #[inline]
    fn set_register(&mut self, position: usize, value: u64) {
        if let Some(number) = ORDER.get(position) {
            let value = if position == Self::PC { value & !ODD } else { value };
            self.x[*number % 32] = value;
        }
    }
}
