//! The registers of a thread on each instruction set, in the order of `seL4_UserContext`.
//!
//! The ports have the same facts in the numbering of their trap code: `kernel/platform/src/arch`.

use core::fmt::Debug;
use core::marker::PhantomData;

use limen_abi::register::{AARCH64, RISCV64, RegisterMap, X86_64};
use limen_core::machine::{Context, Convention, first_registers};
use limen_spec::registers::InstructionSet;

/// Most registers of an instruction set.
const MOST: usize = AARCH64.context.len();

/// The facts about an instruction set.
pub trait Registers: Copy + Debug + 'static {
    /// The instruction set, as the specification has it.
    const SET: InstructionSet;
    /// Names and roles.
    const MAP: &'static RegisterMap;
    /// See [`Context::PC`].
    const PC: usize;
    /// See [`Context::SP`].
    const SP: usize;
    /// See [`Context::LINK`].
    const LINK: Option<usize>;
    /// See [`Context::TLS_BASE`].
    const TLS_BASE: usize;
    /// See [`Context::STAMP`].
    const STAMP: usize;
    /// See [`Context::UNKNOWN_SYSCALL`].
    const UNKNOWN_SYSCALL: &'static [usize];
    /// See [`Context::TIMEOUT`].
    const TIMEOUT: &'static [usize];
    /// See [`Context::USER_EXCEPTION`].
    const USER_EXCEPTION: &'static [usize];
    /// Bytes of a system-call instruction.
    const SYSCALL_BYTES: u64;
    /// The registers that are saved only when the kernel switches to another thread.
    const PRESERVED: &'static [&'static str];
    /// The end of user addresses if programs maintain caches.
    const CACHED_USER_END: Option<u64>;

    /// The value that a register of user mode gets.
    fn allowed(position: usize, value: u64) -> u64;
    /// The value that a register has in the context of the same thread on another processor.
    fn copied(position: usize, value: u64) -> u64 {
        Self::allowed(position, value)
    }
    /// The value of a register before a thread first runs.
    fn initial(position: usize) -> u64;
}

/// The registers of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plain<A> {
    /// The registers; those past the instruction set's are zero.
    pub registers: [u64; MOST],
    of: PhantomData<A>,
}

impl<A: Registers> Context for Plain<A> {
    const ZERO: Self = Self { registers: [0; MOST], of: PhantomData };
    const REGISTERS: usize = A::MAP.context.len();
    const PC: usize = A::PC;
    const SP: usize = A::SP;
    const LINK: Option<usize> = A::LINK;
    const TLS_BASE: usize = A::TLS_BASE;
    const STAMP: usize = A::STAMP;
    const UNKNOWN_SYSCALL: &'static [usize] = A::UNKNOWN_SYSCALL;
    const TIMEOUT: &'static [usize] = A::TIMEOUT;
    const USER_EXCEPTION: &'static [usize] = A::USER_EXCEPTION;
    const EXCEPTION_CODE_WORDS: usize = 1;
    const CONVENTION: Convention = convention(A::MAP);

    fn word(&self, place: usize) -> u64 {
        self.register(place)
    }

    fn set_word(&mut self, place: usize, value: u64) {
        if let Some(register) = self.registers.get_mut(place) {
            *register = value;
        }
    }

    fn register(&self, position: usize) -> u64 {
        self.registers.get(position).copied().unwrap_or(0)
    }

    fn set_register(&mut self, position: usize, value: u64) {
        if position < Self::REGISTERS {
            self.set_word(position, A::allowed(position, value));
        }
    }

    fn copy_register(&mut self, position: usize, value: u64) {
        if position < Self::REGISTERS {
            self.set_word(position, A::copied(position, value));
        }
    }

    fn rewind_syscall(&mut self) {
        let pc = self.register(A::PC).wrapping_sub(A::SYSCALL_BYTES);
        self.set_word(A::PC, pc);
    }
}

/// AArch64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aarch64;

impl Registers for Aarch64 {
    const SET: InstructionSet = InstructionSet::Aarch64;
    const MAP: &'static RegisterMap = &AARCH64;
    const PC: usize = 0;
    const SP: usize = 1;
    const LINK: Option<usize> = Some(position(&AARCH64, "x30"));
    const TLS_BASE: usize = position(&AARCH64, "tpidr_el0");
    const STAMP: usize = position(&AARCH64, "x9");
    // x0 to x7, the program counter, sp, x30, spsr.
    const UNKNOWN_SYSCALL: &'static [usize] = &[3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 16, 2];
    const TIMEOUT: &'static [usize] = &first_registers::<34>();
    const USER_EXCEPTION: &'static [usize] = &[0, 1, 2];
    const SYSCALL_BYTES: u64 = 4;
    const PRESERVED: &'static [&'static str] =
        &["x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "tpidr_el0"];
    const CACHED_USER_END: Option<u64> = Some(1 << 40);

    fn allowed(position: usize, value: u64) -> u64 {
        // Condition codes and SSBS of the status.
        if position == 2 { value & (0xf000_0000 | 1 << 12) } else { value }
    }

    fn initial(_: usize) -> u64 {
        0
    }
}

/// RISC-V.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Riscv64;

impl Registers for Riscv64 {
    const SET: InstructionSet = InstructionSet::Riscv64;
    const MAP: &'static RegisterMap = &RISCV64;
    const PC: usize = 0;
    const SP: usize = 2;
    const LINK: Option<usize> = Some(1);
    const TLS_BASE: usize = position(&RISCV64, "tp");
    const STAMP: usize = position(&RISCV64, "t1");
    // The program counter, sp, ra, a0 to a6.
    const UNKNOWN_SYSCALL: &'static [usize] = &[0, 2, 1, 16, 17, 18, 19, 20, 21, 22];
    const TIMEOUT: &'static [usize] = &first_registers::<31>();
    const USER_EXCEPTION: &'static [usize] = &[0, 2];
    const SYSCALL_BYTES: u64 = 4;
    const PRESERVED: &'static [&'static str] =
        &["gp", "tp", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11"];
    const CACHED_USER_END: Option<u64> = None;

    fn allowed(position: usize, value: u64) -> u64 {
        if position == Self::PC { value & !1 } else { value }
    }

    fn initial(_: usize) -> u64 {
        0
    }
}

/// 64-bit x86.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amd64;

/// The flags that are always set in user mode.
const FIXED_FLAGS: u64 = 1 << 1 | 1 << 9;
/// Position of the flags.
const FLAGS: usize = position(&X86_64, "rflags");

impl Registers for Amd64 {
    const SET: InstructionSet = InstructionSet::X86_64;
    const MAP: &'static RegisterMap = &X86_64;
    const PC: usize = 0;
    const SP: usize = 1;
    const LINK: Option<usize> = None;
    const TLS_BASE: usize = position(&X86_64, "fs_base");
    const STAMP: usize = position(&X86_64, "rbx");
    // All but the bases, the program counter behind the general registers.
    const UNKNOWN_SYSCALL: &'static [usize] = &[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0, 1, 2];
    const TIMEOUT: &'static [usize] = &first_registers::<18>();
    const USER_EXCEPTION: &'static [usize] = &[0, 1, 2];
    const SYSCALL_BYTES: u64 = 2;
    const PRESERVED: &'static [&'static str] = &["fs_base", "gs_base"];
    const CACHED_USER_END: Option<u64> = None;

    fn allowed(position: usize, value: u64) -> u64 {
        let is_address = position == Self::PC || position >= Self::TLS_BASE;
        match position {
            FLAGS => value & 0xdd5 | FIXED_FLAGS,
            // Canonical.
            _ if is_address => ((value << 16).cast_signed() >> 16).cast_unsigned(),
            _ => value,
        }
    }

    fn copied(_: usize, value: u64) -> u64 {
        value
    }

    fn initial(position: usize) -> u64 {
        if position == FLAGS { FIXED_FLAGS } else { 0 }
    }
}

const fn convention(map: &RegisterMap) -> Convention {
    let [first, second, third, fourth] = map.words;
    Convention {
        cptr: position(map, map.cptr),
        info: position(map, map.info),
        words: [position(map, first), position(map, second), position(map, third), position(map, fourth)],
        reply: position(map, map.reply),
        send: position(map, map.send),
    }
}

/// The position of the register with this name; past the end if there is none.
const fn position(map: &RegisterMap, name: &str) -> usize {
    let mut position = 0;
    while position < map.context.len() && !is_same(map.context[position].as_bytes(), name.as_bytes()) {
        position += 1;
    }
    position
}

const fn is_same(left: &[u8], right: &[u8]) -> bool {
    let mut index = 0;
    while index < left.len() && index < right.len() && left[index] == right[index] {
        index += 1;
    }
    index == left.len() && index == right.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_a_program_cannot_set_are_copied_from_another_processor() {
        let resume = 1 << 16;
        let mut context = Plain::<Amd64>::ZERO;
        context.copy_register(FLAGS, FIXED_FLAGS | resume);
        assert_eq!(context.register(FLAGS), FIXED_FLAGS | resume);
        context.set_register(FLAGS, FIXED_FLAGS | resume);
        assert_eq!(context.register(FLAGS), FIXED_FLAGS);
    }

    #[test]
    fn every_name_is_a_register() {
        fn check<A: Registers>() {
            let count = A::MAP.context.len();
            let Convention { cptr, info, words, reply, send } = Plain::<A>::CONVENTION;
            let positions = [cptr, info, reply, send, A::TLS_BASE, A::STAMP, A::PC, A::SP];
            assert!(
                positions.iter().chain(&words).chain(A::UNKNOWN_SYSCALL).all(|position| *position < count)
            );
            assert!(A::PRESERVED.iter().all(|name| position(A::MAP, name) < count), "{:?}", A::MAP.name);
            assert_eq!(A::UNKNOWN_SYSCALL.len() + 1, A::MAP.unknown_syscall.len());
            assert_eq!(A::USER_EXCEPTION.len() + 2, A::MAP.user_exception.len());
        }
        check::<Aarch64>();
        check::<Riscv64>();
        check::<Amd64>();
    }
}
