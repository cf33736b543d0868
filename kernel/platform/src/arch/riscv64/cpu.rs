//! The processor: control and status registers, barriers, waiting.

use core::arch::asm;
use core::fmt;
use core::hint::cold_path;

use limen_core::machine::CounterAccess;
use limen_mmu::address::{PhysAddr, VirtAddr};
use limen_mmu::riscv64::system::{self, SATP_ASID_BITS, SATP_ASID_SHIFT};

use super::mmu::Descriptors;
use crate::address_space::AddressSpace;
use crate::identity_map::TablePool;
use crate::page_table::{self, Format, Root};

/// Reads a control and status register.
macro_rules! read_register {
    ($name:literal) => {{
        let value: u64;
        // SAFETY: reading a register that supervisor mode may read changes nothing, and it is not memory.
        unsafe {
            core::arch::asm!(concat!("csrr {}, ", $name), out(reg) value, options(nomem, nostack));
        }
        value
    }};
}
pub(crate) use read_register;

/// Writes a control and status register. The caller says in an unsafe block why the new value keeps memory safe.
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

/// The cycle counter, which runs since the firmware started; under deterministic emulation, instructions.
#[inline]
pub fn cycles() -> u64 {
    read_register!("cycle")
}

/// Whether the kernel has page tables of its own. This architecture needs none.
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

/// An address space as the register that selects it wants it. Identifier zero says that the processor has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceRegister(u64);

impl SpaceRegister {
    /// What no address space has.
    pub const NONE: Self = Self(0);

    /// The value for `space`; none where there are no tables.
    pub fn new(space: AddressSpace) -> Option<Self> {
        let asid = if has_asid(space.asid) { space.asid } else { 0 };
        (space.root != PhysAddr(0)).then(|| Self(system::satp(space.root, asid)))
    }

    /// The same for an address space in which the kernel works.
    pub fn of_work(space: AddressSpace) -> Option<Self> {
        Self::new(space)
    }

    fn has_asid(self) -> bool {
        self.0 << (u64::BITS - SATP_ASID_SHIFT - SATP_ASID_BITS) >> (u64::BITS - SATP_ASID_BITS) != 0
    }
}

/// Whether the processor can tell this address space identifier from the smaller ones: it drops bits that it lacks.
fn has_asid(asid: u16) -> bool {
    let old = read_register!("satp");
    let probe = old | u64::from(asid) << SATP_ASID_SHIFT;
    // SAFETY: the tables stay the same; the kernel's own entries belong to every identifier.
    unsafe { write_register!("satp", probe) }
    let present = read_register!("satp");
    // SAFETY: as above.
    unsafe { write_register!("satp", old) }
    present == probe
}

/// To select an address space again is one instruction. A processor without identifiers forgets all translations, but
/// changes between threads of one address space are rare.
pub const NOTICES_SAME_SPACE: bool = false;

/// Makes `space` the address space of user mode.
#[inline]
pub fn switch_space(space: SpaceRegister) {
    let value = space.0;
    // SAFETY: the lower half belongs to programs once boot is over; the kernel keeps no reference into it. The upper
    // half is the same in every address space. The tables were checked at boot and are not changed afterwards.
    unsafe { write_register!("satp", value) }
    if !space.has_asid() {
        cold_path();
        forget_translations();
    }
}

/// Does something while `space` is the address space of user mode.
pub fn in_space(space: SpaceRegister, act: impl FnOnce()) {
    let before = SpaceRegister(read_register!("satp"));
    switch_space(space);
    act();
    switch_space(before);
}

/// Forgets everything that the processor has cached of page tables.
#[inline]
pub fn forget_translations() {
    // SAFETY: the processor reads the tables again when it needs them.
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

/// Makes instructions that were written to memory before the machine started visible to fetches.
pub fn publish_code() {
    // SAFETY: forgets cached copies of instructions; memory is not changed.
    unsafe { asm!("fence.i", options(nostack)) }
}

/// sstatus: the memory of programs is open to the kernel.
const SSTATUS_SUM: u64 = 1 << 18;

/// Whether the kernel is kept from the memory of programs now.
pub fn is_user_memory_closed() -> bool {
    read_register!("sstatus") & SSTATUS_SUM == 0
}

/// Stops the processor for good.
pub fn stop() -> ! {
    loop {
        // SAFETY: nothing runs any more, so nobody misses the interrupts.
        unsafe { asm!("csrw sie, zero", "wfi", options(nomem, nostack)) }
    }
}

/// What the processor says about the last trap.
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
