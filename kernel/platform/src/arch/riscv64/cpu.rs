//! The processor: control and status registers, barriers, waiting.

use core::arch::asm;
use core::fmt;

use limen_core::machine::CounterAccess;
use limen_mmu::address::{PhysAddr, VirtAddr};
use limen_mmu::riscv64::{space, system};

use super::mmu::Descriptors;
use super::timer;
use crate::address_space::AddressSpace;
use crate::identity_map::TablePool;
use crate::page_table::{self, Format, Root};

/// Reads a control and status register.
macro_rules! read_register {
    ($name:literal) => {{
        let value: u64;
        // SAFETY: reading a register in supervisor mode has no side effect and does not access memory.
        unsafe {
            core::arch::asm!(concat!("csrr {}, ", $name), out(reg) value, options(nomem, nostack));
        }
        value
    }};
}
pub(crate) use read_register;

/// Writes a control and status register. The caller's unsafe block says why the new value keeps memory safe.
macro_rules! write_register {
    ($name:literal, $value:expr) => {
        core::arch::asm!(concat!("csrw ", $name, ", {}"), in(reg) $value, options(nostack))
    };
}
pub(crate) use write_register;

/// scounteren: user mode may read `time`.
const USER_READS_TIME: u64 = 1 << 1;
/// scounteren: user mode may read `cycle` and `instret`.
const USER_READS_CYCLES: u64 = 1 << 0 | 1 << 2;

/// The cycle counter, which runs since firmware started; it counts instructions under deterministic emulation.
#[inline]
pub fn cycles() -> u64 {
    read_register!("cycle")
}

/// Whether the kernel runs on its own page tables. This architecture does not need that.
pub fn switches_page_tables() -> bool {
    false
}

/// Allows or forbids user mode to read the cycle counter.
#[inline]
pub fn set_user_counter(access: CounterAccess) {
    let value = match access {
        CounterAccess::Denied => USER_READS_TIME,
        CounterAccess::Granted => USER_READS_TIME | USER_READS_CYCLES,
    };
    // SAFETY: the register decides only what user mode may read.
    unsafe { write_register!("scounteren", value) }
}

/// An address space as the value of `satp`: see [`space`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceRegister(u64);

impl SpaceRegister {
    /// The value of no address space.
    pub const NONE: Self = Self(0);

    /// The value for `space`; `None` if it has no tables.
    pub fn new(space: AddressSpace) -> Option<Self> {
        let AddressSpace { root, asid } = space;
        let (written, held) = probe_identifier(asid);
        (root != PhysAddr(0)).then(|| Self(space::register(root, asid, written, held)))
    }

    /// The value while the kernel runs for a program of this address space: the same.
    pub fn in_kernel(self) -> Self {
        self
    }
}

/// Writes an identifier to `satp` and restores it. Returns what was written and what the hart held then: it drops bits
/// that it lacks.
fn probe_identifier(identifier: u16) -> (u64, u64) {
    let old = read_register!("satp");
    let written = space::with_identifier(old, identifier);
    // SAFETY: the tables stay the same; the kernel's own entries belong to every identifier.
    unsafe { write_register!("satp", written) }
    let held = read_register!("satp");
    // SAFETY: as above.
    unsafe { write_register!("satp", old) }
    (written, held)
}

/// Selecting the current address space again costs one instruction. A hart without identifiers drops translations of
/// programs, but switches between threads of one address space are rare.
pub const NOTICES_SAME_SPACE: bool = false;

/// Most cores execute in order.
pub const READS_AHEAD: bool = true;

/// Uses a word without an instruction, so that the compiler reads it here and not behind a later branch.
#[inline(always)]
pub fn read_ahead(word: u64) {
    // SAFETY: the assembly is a comment and executes nothing.
    unsafe { asm!("/* {} */", in(reg) word, options(nomem, nostack, preserves_flags)) }
}

/// Makes `space` the address space of user mode.
#[inline]
pub fn switch_space(space: SpaceRegister) {
    let value = space.0;
    // SAFETY: after boot the lower half belongs to programs, and the kernel keeps no reference into it. The upper half
    // is the same in every address space. Boot has checked the tables, and nothing changes them afterwards.
    unsafe { write_register!("satp", value) }
    if space::needs_fence(value) {
        forget_programs();
    }
}

/// Calls `act` with `space` as the address space of user mode.
pub fn in_space(space: SpaceRegister, act: impl FnOnce()) {
    let before = SpaceRegister(read_register!("satp"));
    switch_space(space);
    act();
    switch_space(before);
}

/// Drops the translations of identifier 0 that are not global: those of programs without an identifier. The kernel's stay.
#[inline]
fn forget_programs() {
    // SAFETY: the processor walks the tables again when it needs a translation. The operand must not be `x0`, which
    // would also drop what is global.
    unsafe { asm!("sfence.vma zero, {}", in(reg) 0_u64, options(nostack)) }
}

/// Flushes the TLB.
#[inline]
pub fn forget_translations() {
    // SAFETY: the processor walks the tables again when it needs a translation.
    unsafe { asm!("sfence.vma", options(nostack)) }
}

/// The top table of the kernel's half.
pub fn kernel_root() -> Root {
    Root { table: system::top_table(read_register!("satp")), height: Descriptors::KERNEL_HEIGHT }
}

/// The physical address behind an address that the kernel can read; `None` if it cannot. Needs the identity map.
pub fn translate(address: VirtAddr) -> Option<PhysAddr> {
    page_table::translate::<Descriptors>(&TablePool::empty(), kernel_root(), address)
}

/// Makes new page-table entries visible to the MMU.
pub fn publish_tables() {
    forget_translations();
}

/// Makes this hart's stores visible to others before it makes the firmware signal them.
#[inline]
pub fn publish_stores() {
    // SAFETY: a barrier.
    unsafe { asm!("fence w, ow", options(nostack)) }
}

/// Makes code that was written to memory before boot visible to instruction fetches.
pub fn publish_code() {
    // SAFETY: invalidates instruction caches; memory does not change.
    unsafe { asm!("fence.i", options(nostack)) }
}

/// The ticks for which [`relax`] waits.
const RELAX_TICKS: u64 = 100;

/// sstatus: the kernel can access user memory.
const SSTATUS_SUM: u64 = 1 << 18;

/// Whether the kernel cannot access user memory.
pub fn is_user_memory_closed() -> bool {
    read_register!("sstatus") & SSTATUS_SUM == 0
}

/// Waits 100 microseconds or less for other harts. An emulator that runs harts in turns lets the next one run at `wfi`, and
/// not at `pause`. Uses the timer, before the kernel does.
pub fn relax() {
    timer::set_deadline(timer::now() + RELAX_TICKS);
    // SAFETY: the timer is a reason to go on, also while interrupts are off.
    unsafe { asm!("wfi", options(nomem, nostack)) }
    timer::stop();
}

/// Stops the processor permanently.
pub fn stop() -> ! {
    loop {
        // SAFETY: nothing runs afterwards, so no interrupt is missed.
        unsafe { asm!("csrw sie, zero", "wfi", options(nomem, nostack)) }
    }
}

/// The trap registers after the last trap.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    sepc: u64,
    scause: u64,
    stval: u64,
    sstatus: u64,
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sepc, scause, stval, sstatus } = self;
        write!(f, "sepc {sepc:#x}, scause {scause:#x}, stval {stval:#x}, sstatus {sstatus:#x}")
    }
}

/// The last trap that supervisor mode took.
pub fn last_exception() -> Exception {
    Exception {
        sepc: read_register!("sepc"),
        scause: read_register!("scause"),
        stval: read_register!("stval"),
        sstatus: read_register!("sstatus"),
    }
}
