//! The processor: system registers, barriers, waiting.

use core::arch::asm;
use core::fmt;

use limen_core::machine::CounterAccess;
use limen_mmu::address::{PhysAddr, VirtAddr};

use crate::address_space::AddressSpace;
use crate::arch::mmu::Descriptors;
use crate::page_table::{Format, Root};

/// Reads a system register.
macro_rules! read_register {
    ($name:literal) => {{
        let value: u64;
        // SAFETY: reading a system register at EL1 has no side effect and does not access memory.
        unsafe {
            core::arch::asm!(
                concat!("mrs {}, ", $name),
                out(reg) value,
                options(nomem, nostack, preserves_flags)
            );
        }
        value
    }};
}
pub(crate) use read_register;

/// Writes a system register. The caller's unsafe block says why the new value keeps memory safe.
macro_rules! write_register {
    ($name:literal, $value:expr) => {
        core::arch::asm!(concat!("msr ", $name, ", {}"), in(reg) $value, options(nostack, preserves_flags))
    };
}
pub(crate) use write_register;

/// PMUSERENR_EL0: user mode may read the cycle counter.
const USER_READS_CYCLES: u64 = 1 << 2;
/// PAR_EL1: the translation failed.
const TRANSLATION_FAILED: u64 = 1;
/// PAR_EL1: the physical page.
const TRANSLATED_PAGE: u64 = 0x0000_ffff_ffff_f000;
/// TTBR0_EL1: position of the address space identifier.
const ASID_SHIFT: u32 = 48;

/// Cycles since the loader's first instruction; instructions under deterministic emulation.
#[inline]
pub fn cycles() -> u64 {
    read_register!("pmccntr_el0")
}

/// Whether the kernel runs on its own page tables. This architecture does not need that.
pub fn switches_page_tables() -> bool {
    false
}

/// Allows or forbids user mode to read the cycle counter.
#[inline]
pub fn set_user_counter(access: CounterAccess) {
    let value = match access {
        CounterAccess::Denied => 0,
        CounterAccess::Granted => USER_READS_CYCLES,
    };
    // SAFETY: the register decides only what user mode may read.
    unsafe { write_register!("pmuserenr_el0", value) }
}

/// An address space as the value of TTBR0_EL1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceRegister(u64);

impl SpaceRegister {
    /// The value of no address space.
    pub const NONE: Self = Self(0);

    /// The value for `space`; `None` if it has no tables.
    pub fn new(space: AddressSpace) -> Option<Self> {
        Some(Self(space.root.0 | u64::from(space.asid) << ASID_SHIFT)).filter(|space| *space != Self::NONE)
    }

    /// The value while the kernel runs for a program of this address space: the same.
    pub fn in_kernel(self) -> Self {
        self
    }
}

/// Selecting the current address space again costs one instruction and flushes nothing.
pub const NOTICES_SAME_SPACE: bool = false;

/// Some cores execute in order.
pub const READS_AHEAD: bool = true;

/// Nothing: the compiler's order of loads is good enough.
#[inline(always)]
pub fn read_ahead(_word: u64) {}

/// Makes `space` the address space of user mode. The return to user mode is the barrier; until then the kernel uses no
/// user address.
#[inline]
pub fn switch_space(space: SpaceRegister) {
    let value = space.0;
    // SAFETY: after boot the lower half belongs to programs, and the kernel keeps no reference into it. Boot has
    // checked the tables, and nothing changes them afterwards.
    unsafe { write_register!("ttbr0_el1", value) }
}

/// Calls `act` with `space` as the address space of user mode.
pub fn in_space<T>(space: SpaceRegister, act: impl FnOnce() -> T) -> T {
    let before = read_register!("ttbr0_el1");
    switch_space(space);
    // SAFETY: a barrier.
    unsafe { asm!("isb", options(nostack, preserves_flags)) }
    let result = act();
    // SAFETY: as in `switch_space`, which wrote the old value.
    unsafe {
        write_register!("ttbr0_el1", before);
        asm!("isb", options(nostack, preserves_flags));
    }
    result
}

/// Flushes the TLB.
pub fn forget_translations() {
    // SAFETY: the processor walks the tables again when it needs a translation.
    unsafe { asm!("isb", "dsb nshst", "tlbi vmalle1", "dsb nsh", "isb", options(nostack, preserves_flags)) }
}

/// The top table of the kernel's half.
pub fn kernel_root() -> Root {
    Root { table: PhysAddr(read_register!("ttbr1_el1")), height: Descriptors::KERNEL_HEIGHT }
}

/// The physical address behind an address that the kernel can read; `None` if it cannot.
pub fn translate(address: VirtAddr) -> Option<PhysAddr> {
    let result: u64;
    // SAFETY: translates an address and reads the result; accesses no memory.
    unsafe {
        asm!(
            "at s1e1r, {address}",
            "isb",
            "mrs {result}, par_el1",
            address = in(reg) address.0,
            result = out(reg) result,
            options(nostack, preserves_flags)
        );
    }
    let page_offset = address.0 & !TRANSLATED_PAGE & 0xfff;
    (result & TRANSLATION_FAILED == 0).then_some(PhysAddr(result & TRANSLATED_PAGE | page_offset))
}

/// Makes new page-table entries visible to the MMU. Sufficient if the old entries were empty.
pub fn publish_tables() {
    // SAFETY: barriers.
    unsafe { asm!("dsb ishst", "isb", options(nostack, preserves_flags)) }
}

/// Makes this processor's stores visible to others before its later accesses to devices.
#[inline]
pub fn publish_stores() {
    // SAFETY: a barrier.
    unsafe { asm!("dmb ishst", options(nostack, preserves_flags)) }
}

/// Makes code that was written to memory before boot visible to instruction fetches.
pub fn publish_code() {
    // SAFETY: invalidates instruction caches; memory does not change.
    unsafe { asm!("ic iallu", "dsb nsh", "isb", options(nostack, preserves_flags)) }
}

/// Whether the kernel cannot access user memory. This port decides that by page tables, not by processor state.
pub fn is_user_memory_closed() -> bool {
    true
}

/// Lets other processors of an emulator run while this one waits for them.
pub fn relax() {
    // SAFETY: a hint.
    unsafe { asm!("yield", options(nomem, nostack, preserves_flags)) }
}

/// Stops the processor permanently.
pub fn stop() -> ! {
    loop {
        // SAFETY: nothing runs afterwards, so no interrupt is missed.
        unsafe { asm!("msr daifset, #0b1111", "wfi", options(nomem, nostack)) }
    }
}

/// The syndrome registers of the last exception that EL1 took.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    elr: u64,
    esr: u64,
    far: u64,
    spsr: u64,
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elr, esr, far, spsr } = self;
        write!(f, "elr {elr:#x}, esr {esr:#x}, far {far:#x}, spsr {spsr:#x}")
    }
}

/// The last exception that EL1 took.
pub fn last_exception() -> Exception {
    Exception {
        elr: read_register!("elr_el1"),
        esr: read_register!("esr_el1"),
        far: read_register!("far_el1"),
        spsr: read_register!("spsr_el1"),
    }
}
