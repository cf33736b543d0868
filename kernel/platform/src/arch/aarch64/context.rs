//! The registers of a thread.
//!
//! Every trap saves the caller-saved registers; the others are saved only on a thread switch. So while a thread runs,
//! x20 to x29 and the thread pointers in its context are stale.

use core::mem::offset_of;

use limen_core::machine::{self, Convention, first_registers};

use crate::arch::cpu::SpaceRegister;

/// Registers x0 to x30.
const GENERAL: usize = 31;
/// Bytes of a system-call instruction.
const SYSCALL_BYTES: u64 = 4;
/// The flags of SPSR that a program may set: condition codes and SSBS. Mode, masks and single step are the kernel's.
const USER_SPSR: u64 = 0xf000_0000 | 1 << 12;
/// SPSR of work: EL1 with SP_EL0 and all exceptions masked.
const WORK_SPSR: u64 = 0b1111 << 6 | 0b0100;

/// The registers of user mode, at the offsets that the trap code uses.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Context {
    x: [u64; GENERAL],
    sp: u64,
    pc: u64,
    spsr: u64,
    tpidr: u64,
    tpidrro: u64,
}

/// Offset of x0.
pub const X0: usize = offset_of!(Context, x);
/// Offset of the stack pointer; x30 lies before it.
pub const SP: usize = offset_of!(Context, sp);
/// Offset of the program counter; SPSR follows it.
pub const PC: usize = offset_of!(Context, pc);
/// Offset of TPIDR_EL0; TPIDRRO_EL0 follows it.
pub const TPIDR: usize = offset_of!(Context, tpidr);

/// A register in `seL4_UserContext` order.
enum Register {
    Pc,
    Sp,
    Spsr,
    General(usize),
    Tpidr,
    Tpidrro,
}

/// The register at a position of `seL4_UserContext`; see `limen_abi::register::AARCH64`.
const fn register_at(position: usize) -> Option<Register> {
    Some(match position {
        0 => Register::Pc,
        1 => Register::Sp,
        2 => Register::Spsr,
        3..=11 => Register::General(position - 3),
        12..=14 => Register::General(position + 4),
        15..=16 => Register::General(position + 14),
        17..=23 => Register::General(position - 8),
        24..=33 => Register::General(position - 5),
        34 => Register::Tpidr,
        35 => Register::Tpidrro,
        _ => return None,
    })
}

impl Context {
    #[inline]
    fn x(&self, number: usize) -> u64 {
        self.x.get(number).copied().unwrap_or(0)
    }
}

impl Context {
    /// The initial registers of work for a program: privileged, on SP_EL0, with interrupts masked. Work keeps the
    /// program's thread pointers. The trap code saves only TPIDR_EL0, which a program can change, so both contexts need
    /// TPIDRRO_EL0.
    pub fn at_work(program: &Self, entry: usize, stack_top: u64, arguments: [usize; 2]) -> Self {
        let mut context = <Self as machine::Context>::ZERO;
        (context.x[0], context.x[1]) = (arguments[0] as u64, arguments[1] as u64);
        Self { sp: stack_top, pc: entry as u64, spsr: WORK_SPSR, tpidrro: program.tpidrro, ..context }
    }

    /// Takes the registers that the trap code saves only on a thread switch from another context.
    pub fn keep_preserved(&mut self, from: &Self) {
        self.x[20..30].copy_from_slice(&from.x[20..30]);
        self.tpidr = from.tpidr;
    }

    /// Records the thread's address space. This port does not need it.
    pub fn set_space(&mut self, _: SpaceRegister) {}
}

impl machine::Context for Context {
    const ZERO: Self = Self { x: [0; GENERAL], sp: 0, pc: 0, spsr: 0, tpidr: 0, tpidrro: 0 };
    const REGISTERS: usize = limen_abi::register::AARCH64.context.len();
    const PC: usize = 0;
    const SP: usize = 1;
    const LINK: Option<usize> = Some(16);
    const TLS_BASE: usize = 34;
    // x9
    const STAMP: usize = 17;
    // x0 to x7, FaultIP, SP, LR, SPSR.
    const UNKNOWN_SYSCALL: &'static [usize] = &[3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 16, 2];
    // FaultIP, SP, SPSR.
    const TIMEOUT: &'static [usize] = &first_registers::<34>();
    const USER_EXCEPTION: &'static [usize] = &[0, 1, 2];
    const EXCEPTION_CODE_WORDS: usize = 1;
    // Registers by number.
    const CONVENTION: Convention = Convention { cptr: 0, info: 1, words: [2, 3, 4, 5], reply: 6, send: 8 };

    #[inline]
    fn word(&self, place: usize) -> u64 {
        self.x[place]
    }

    #[inline]
    fn set_word(&mut self, place: usize, value: u64) {
        self.x[place] = value;
    }

    #[inline]
    fn register(&self, position: usize) -> u64 {
        match register_at(position) {
            Some(Register::Pc) => self.pc,
            Some(Register::Sp) => self.sp,
            Some(Register::Spsr) => self.spsr,
            Some(Register::General(number)) => self.x(number),
            Some(Register::Tpidr) => self.tpidr,
            Some(Register::Tpidrro) => self.tpidrro,
            None => 0,
        }
    }

    #[inline]
    fn set_register(&mut self, position: usize, value: u64) {
        match register_at(position) {
            Some(Register::Pc) => self.pc = value,
            Some(Register::Sp) => self.sp = value,
            Some(Register::Spsr) => self.spsr = value & USER_SPSR,
            Some(Register::General(number)) => {
                if let Some(register) = self.x.get_mut(number) {
                    *register = value;
                }
            }
            Some(Register::Tpidr) => self.tpidr = value,
            Some(Register::Tpidrro) => self.tpidrro = value,
            None => {}
        }
    }

    #[inline]
    fn rewind_syscall(&mut self) {
        self.pc = self.pc.wrapping_sub(SYSCALL_BYTES);
    }
}
