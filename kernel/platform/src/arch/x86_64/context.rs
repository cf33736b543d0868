//! The registers of a thread.
//!
//! On a trap from user mode the processor pushes the last five words of the running thread's context and the error
//! code. It pushes them straight into the context, which the task state segment names as the kernel's stack, unless
//! page tables are switched (`entry_area.rs`). The trap code saves the other registers on every entry, except the bases
//! of fs and gs, which are stale in the context while the thread runs.

use limen_core::machine::{self, Convention, first_registers};

use super::cpu::SpaceRegister;
use super::segments::{KERNEL_CODE, KERNEL_DATA, USER_CODE, USER_DATA};

/// Bytes of a system-call instruction.
const SYSCALL_BYTES: u64 = 2;
/// The RFLAGS that a program may set: arithmetic, direction and single step.
const USER_FLAGS: u64 = 0xdd5;
/// The RFLAGS that are always set in user mode: a reserved one, and interrupts enabled.
const FIXED_FLAGS: u64 = 1 << 1 | 1 << 9;
/// Bits of a virtual address; the higher bits repeat the topmost.
const ADDRESS_BITS: u32 = 48;

/// The index of each register's word in a context. The processor and the trap code push them in this order, from the
/// end. `SPACE` is the page table that the exit loads if page tables are switched; the next word is padding.
mod word {
    pub(super) use limen_abi::register::x86_64_context::{RBP, RDI, RDX, RIP, RSP, SPACE};

    pub(super) const FS_BASE: usize = 0;
    pub(super) const GS_BASE: usize = 1;
    pub(super) const R15: usize = 4;
    pub(super) const R14: usize = 5;
    pub(super) const R13: usize = 6;
    pub(super) const R12: usize = 7;
    pub(super) const RBX: usize = 9;
    pub(super) const R11: usize = 10;
    pub(super) const R10: usize = 11;
    pub(super) const R9: usize = 12;
    pub(super) const R8: usize = 13;
    pub(super) const RSI: usize = 15;
    pub(super) const RCX: usize = 17;
    pub(super) const RAX: usize = 18;
    /// The kind of entry: a vector, or [`super::SYSCALL`].
    pub(super) const ENTRY: usize = 19;
    pub(super) const CS: usize = 22;
    pub(super) const RFLAGS: usize = 23;
    pub(super) const SS: usize = 25;
    pub(super) const COUNT: usize = 26;
}

/// The word of each register in `seL4_UserContext` order; see `limen_abi::register::X86_64`.
const ORDER: [usize; 20] = [
    word::RIP,
    word::RSP,
    word::RFLAGS,
    word::RAX,
    word::RBX,
    word::RCX,
    word::RDX,
    word::RSI,
    word::RDI,
    word::RBP,
    word::R8,
    word::R9,
    word::R10,
    word::R11,
    word::R12,
    word::R13,
    word::R14,
    word::R15,
    word::FS_BASE,
    word::GS_BASE,
];

/// The kind of entry of a thread whose rcx and r11 are dead, so that `sysret` can return to it.
pub const SYSCALL: u64 = 0x100;
/// The kind of entry of a thread whose registers another thread wrote: all must be restored.
const WRITTEN: u64 = 0;

const BYTES: usize = size_of::<u64>();
/// Offsets that the trap code uses.
pub const SPACE: usize = word::SPACE * BYTES;
/// As above.
pub const FS_BASE: usize = word::FS_BASE * BYTES;
/// As above.
pub const GS_BASE: usize = word::GS_BASE * BYTES;
/// As above.
pub const R15: usize = word::R15 * BYTES;
/// As above.
pub const R14: usize = word::R14 * BYTES;
/// As above.
pub const R13: usize = word::R13 * BYTES;
/// As above.
pub const R12: usize = word::R12 * BYTES;
/// As above.
pub const RBP: usize = word::RBP * BYTES;
/// As above.
pub const RBX: usize = word::RBX * BYTES;
/// As above.
pub const R11: usize = word::R11 * BYTES;
/// As above.
pub const RCX: usize = word::RCX * BYTES;
/// As above.
pub const R10: usize = word::R10 * BYTES;
/// As above.
pub const R9: usize = word::R9 * BYTES;
/// As above.
pub const R8: usize = word::R8 * BYTES;
/// As above.
pub const RDI: usize = word::RDI * BYTES;
/// As above.
pub const RSI: usize = word::RSI * BYTES;
/// As above.
pub const RDX: usize = word::RDX * BYTES;
/// As above.
pub const RAX: usize = word::RAX * BYTES;
/// As above.
pub const ENTRY: usize = word::ENTRY * BYTES;
/// As above.
pub const RIP: usize = word::RIP * BYTES;
/// As above.
pub const CS: usize = word::CS * BYTES;
/// As above.
pub const RFLAGS: usize = word::RFLAGS * BYTES;
/// As above.
pub const RSP: usize = word::RSP * BYTES;
/// The end of a context.
pub const END: usize = size_of::<Context>();

/// The registers of user mode, at the offsets that the processor and the trap code use. Aligned, because the
/// processor aligns the stack before it pushes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Context([u64; word::COUNT]);

impl Context {
    /// The initial registers of work: privileged, with interrupts enabled.
    pub fn at_work(entry: usize, stack_top: u64, task: usize) -> Self {
        let Self(mut words) = <Self as machine::Context>::ZERO;
        words[word::RIP] = entry as u64;
        words[word::CS] = u64::from(KERNEL_CODE);
        words[word::RSP] = stack_top;
        words[word::SS] = u64::from(KERNEL_DATA);
        words[word::RDI] = task as u64;
        Self(words)
    }

    /// Records the thread's address space.
    pub fn set_space(&mut self, space: SpaceRegister) {
        self.0[word::SPACE] = space.cr3();
    }
}

const fn canonical(address: u64) -> u64 {
    const UNUSED: u32 = u64::BITS - ADDRESS_BITS;
    ((address << UNUSED).cast_signed() >> UNUSED).cast_unsigned()
}

impl machine::Context for Context {
    const ZERO: Self = {
        let mut words = [0; word::COUNT];
        words[word::ENTRY] = WRITTEN;
        words[word::CS] = USER_CODE as u64;
        words[word::RFLAGS] = FIXED_FLAGS;
        words[word::SS] = USER_DATA as u64;
        Self(words)
    };
    const REGISTERS: usize = ORDER.len();
    const PC: usize = 0;
    const SP: usize = 1;
    const LINK: Option<usize> = None;
    const TLS_BASE: usize = 18;
    // rbx
    const STAMP: usize = 4;
    // RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8 to R15, FaultIP, SP, FLAGS.
    const UNKNOWN_SYSCALL: &'static [usize] = &[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0, 1, 2];
    // FaultIP, SP, FLAGS.
    const TIMEOUT: &'static [usize] = &first_registers::<18>();
    const USER_EXCEPTION: &'static [usize] = &[0, 1, 2];
    const EXCEPTION_CODE_WORDS: usize = 1;
    const CONVENTION: Convention = Convention {
        cptr: word::RDI,
        info: word::RSI,
        words: [word::R10, word::R8, word::R9, word::R15],
        reply: word::R12,
        send: word::R13,
    };

    #[inline]
    fn word(&self, place: usize) -> u64 {
        self.0[place]
    }

    #[inline]
    fn set_word(&mut self, place: usize, value: u64) {
        self.0[place] = value;
    }

    #[inline]
    fn register(&self, position: usize) -> u64 {
        ORDER.get(position).map_or(0, |place| self.0[*place])
    }

    #[inline]
    fn set_register(&mut self, position: usize, value: u64) {
        let Some(place) = ORDER.get(position) else { return };
        self.0[word::ENTRY] = WRITTEN;
        self.0[*place] = match *place {
            word::RIP | word::FS_BASE | word::GS_BASE => canonical(value),
            word::RFLAGS => value & USER_FLAGS | FIXED_FLAGS,
            _ => value,
        };
    }

    #[inline]
    fn copy_register(&mut self, position: usize, value: u64) {
        if let Some(place) = ORDER.get(position) {
            self.0[*place] = value;
        }
    }

    #[inline]
    fn rewind_syscall(&mut self) {
        self.0[word::RIP] = self.0[word::RIP].wrapping_sub(SYSCALL_BYTES);
    }
}
