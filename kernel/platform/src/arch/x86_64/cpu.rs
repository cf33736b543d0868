//! The processor: control registers, model-specific registers, waiting.

use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_core::machine::CounterAccess;
use limen_mmu::address::{PhysAddr, VirtAddr};

use super::{boot, entry_area};
use crate::address_space::AddressSpace;
use crate::arch::mmu::Descriptors;
use crate::page_table::{Format, Root};

/// Addresses of model-specific registers.
#[derive(Debug)]
pub struct Msr;
impl Msr {
    /// The selector of `sysenter`; zero turns it off.
    pub const SYSENTER_CS: u32 = 0x174;
    /// Selectors of system calls and returns.
    pub const STAR: u32 = 0xc000_0081;
    /// Entry point of system calls.
    pub const LSTAR: u32 = 0xc000_0082;
    /// Flags that a system call clears.
    pub const SFMASK: u32 = 0xc000_0084;
    /// Which defects the processor does not have.
    const ARCH_CAPABILITIES: u32 = 0x10a;
}

/// CPUID leaf 7, EBX: a register of the instructions that read and write the bases of fs and gs.
const HAS_FSGSBASE: u32 = 1 << 0;
const HAS_SMEP: u32 = 1 << 7;
const HAS_SMAP: u32 = 1 << 20;
/// CPUID leaf 7, ECX.
const HAS_UMIP: u32 = 1 << 2;
/// CPUID leaf 7, EDX: a register of defects.
const HAS_ARCH_CAPABILITIES: u32 = 1 << 29;
/// That register: what may not be accessed cannot be found out either.
const RDCL_NO: u64 = 1 << 0;
/// CPUID leaf 0, EBX, EDX and ECX, of processors that may have that defect.
const INTEL: [[u8; 4]; 3] = [*b"Genu", *b"ineI", *b"ntel"];

/// CPUID leaf 8000_0001h, EDX: page-table entries that map a gibibyte.
const HAS_GIGABYTE_PAGES: u32 = 1 << 26;

/// CR0: protection, waiting for x87 like its instructions, x87 errors as exceptions, read-only pages for the kernel, and
/// paging.
pub const CR0: u32 = 1 << 0 | 1 << 1 | 1 << 5 | 1 << 16 | 1 << 31;
/// CR0: instructions of x87 and SIMD are exceptions.
pub const CR0_TASK_SWITCHED: u32 = 1 << 3;

/// RFLAGS: the memory of programs is open to the kernel.
const RFLAGS_AC: u64 = 1 << 18;
const CR4_XSAVE: u64 = 1 << 18;
const CR4_GLOBAL_PAGES: u64 = 1 << 7;
const CR4_UMIP: u64 = 1 << 11;
const CR4_FSGSBASE: u64 = 1 << 16;
const CR4_SMEP: u64 = 1 << 20;
const CR4_SMAP: u64 = 1 << 21;

/// The time-stamp counter at the kernel's first instruction, which stores it.
pub static BOOT_STAMP: AtomicU64 = AtomicU64::new(0);

/// The time-stamp counter; in deterministic emulation it counts instructions.
#[inline]
pub fn timestamp() -> u64 {
    // SAFETY: reads a counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The cycle counter: the same.
pub fn cycles() -> u64 {
    timestamp()
}

/// Whether the kernel has page tables of its own, to which each entry switches.
pub fn switches_page_tables() -> bool {
    entry_area::is_used()
}

/// The cycle counter at the kernel's first instruction.
pub fn boot_stamp() -> u64 {
    BOOT_STAMP.load(Ordering::Relaxed)
}

/// Every program may read the time-stamp counter, because existing ones do without asking.
#[inline]
pub fn set_user_counter(_: CounterAccess) {}

/// Turns on what protects the kernel from its own mistakes, where the processor has it.
///
/// # Errors
/// What the processor lacks and the kernel cannot do without.
pub fn enable_features() -> Result<(), &'static str> {
    const NEEDED: &str = "instructions for the bases of fs and gs (FSGSBASE)";
    if __cpuid(0).eax < 7 {
        return Err(NEEDED);
    }
    let features = __cpuid_count(7, 0);
    if features.ebx & HAS_FSGSBASE == 0 {
        return Err(NEEDED);
    }
    let has = |present: bool, bit: u64| if present { bit } else { 0 };
    let wanted = CR4_FSGSBASE
        | has(features.ebx & HAS_SMEP != 0, CR4_SMEP)
        | has(features.ebx & HAS_SMAP != 0, CR4_SMAP)
        | has(features.ecx & HAS_UMIP != 0, CR4_UMIP);
    set_cr4(wanted);
    Ok(())
}

/// Whether SMAP, where the processor has it, keeps the kernel from the memory of programs now.
pub fn is_user_memory_closed() -> bool {
    let flags: u64;
    // SAFETY: reads the flags by way of the stack.
    unsafe { asm!("pushfq", "pop {}", out(reg) flags, options(preserves_flags)) }
    flags & RFLAGS_AC == 0
}

/// Whether programs can find out what is in memory that is mapped but closed to them (Meltdown, CVE-2017-5754).
///
/// Source: Intel, "Rogue Data Cache Load": processors that do not have it say so; other makers' do not have it.
pub fn has_meltdown() -> bool {
    let vendor = __cpuid(0);
    if [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes) != INTEL {
        return false;
    }
    let says = vendor.eax >= 7 && __cpuid_count(7, 0).edx & HAS_ARCH_CAPABILITIES != 0;
    !(says && read_msr(Msr::ARCH_CAPABILITIES) & RDCL_NO != 0)
}

/// Whether one entry of a page table can map a gibibyte.
pub fn has_gigabyte_pages() -> bool {
    // The entry point has found the leaf.
    __cpuid(0x8000_0001).edx & HAS_GIGABYTE_PAGES != 0
}

/// Lets the TLB keep what all address spaces share.
pub fn enable_global_pages() {
    set_cr4(CR4_GLOBAL_PAGES);
}

/// Turns on the instructions that save and load components of the processor's state, which it must have.
pub fn enable_xsave() {
    set_cr4(CR4_XSAVE);
}

fn set_cr4(bits: u64) {
    // SAFETY: the bits restrict what code can do or cache; the kernel does not do what they forbid.
    unsafe {
        let old: u64;
        asm!("mov {}, cr4", out(reg) old, options(nomem, nostack, preserves_flags));
        asm!("mov cr4, {}", in(reg) old | bits, options(nostack, preserves_flags));
    }
}

/// Reads a model-specific register, which the processor must have.
fn read_msr(register: u32) -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: those that the kernel reads say what the processor is; reading them changes nothing.
    unsafe {
        asm!(
            "rdmsr",
            in("ecx") register,
            out("eax") low,
            out("edx") high,
            options(nomem, nostack, preserves_flags)
        );
    }
    u64::from(high) << 32 | u64::from(low)
}

/// Writes a model-specific register.
///
/// # Safety
/// The new value keeps memory safe.
pub unsafe fn write_msr(register: u32, value: u64) {
    let (low, high) = (value as u32, (value >> 32) as u32);
    // SAFETY: the caller vouches for the value.
    unsafe {
        asm!("wrmsr", in("ecx") register, in("eax") low, in("edx") high, options(nostack, preserves_flags));
    }
}

/// An address space as the register that selects it wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceRegister(u64);

impl SpaceRegister {
    /// What no address space has.
    pub const NONE: Self = Self(0);

    /// The value for `space`; none where there are no tables. Its identifier is not used: the emulator that the port
    /// was tested on does not have them. Where page tables are switched, the kernel has the same for all, and the way
    /// out enters the space of the thread.
    pub fn new(space: AddressSpace) -> Option<Self> {
        let root = if entry_area::is_used() { boot::kernel_table() } else { space.root };
        Some(Self(root.0)).filter(|space| *space != Self::NONE)
    }
}

impl SpaceRegister {
    /// The value for an address space in which the kernel works: it has all of the kernel, also where page tables are
    /// switched.
    pub fn of_work(space: AddressSpace) -> Option<Self> {
        Some(Self(space.root.0)).filter(|space| *space != Self::NONE)
    }
}

/// Does something while `space` is the address space.
pub fn in_space(space: SpaceRegister, act: impl FnOnce()) {
    let before: u64;
    // SAFETY: reading a register changes nothing.
    unsafe { asm!("mov {}, cr3", out(reg) before, options(nomem, nostack, preserves_flags)) }
    switch_space(space);
    act();
    switch_space(SpaceRegister(before));
}

/// The processor forgets all translations.
pub const NOTICES_SAME_SPACE: bool = true;

/// Makes `space` the address space, of user mode as well unless page tables are switched.
#[inline]
pub fn switch_space(space: SpaceRegister) {
    // SAFETY: the lower half belongs to programs once boot is over; the kernel keeps no reference into it. The upper
    // half is the same everywhere. The tables were checked at boot and are not changed afterwards.
    unsafe { asm!("mov cr3, {}", in(reg) space.0, options(nostack, preserves_flags)) }
}

/// The top table of the kernel's half.
pub fn kernel_root() -> Root {
    Root { table: boot::kernel_table(), height: Descriptors::KERNEL_HEIGHT }
}

/// The physical address behind an address that the kernel can read; `None` if it cannot.
pub fn translate(address: VirtAddr) -> Option<PhysAddr> {
    match address.0 {
        identity if identity < boot::IDENTITY_BYTES => Some(PhysAddr(identity)),
        kernel if boot::is_in_image(kernel) => Some(PhysAddr(kernel - boot::LOAD_OFFSET)),
        _ => None,
    }
}

/// Makes new page-table entries visible to the MMU. Enough where the old entries were empty.
pub fn publish_tables() {
    // SAFETY: a barrier.
    unsafe { asm!("mfence", options(nostack, preserves_flags)) }
}

/// Makes instructions that were written to memory before the machine started visible to fetches. This architecture
/// does so by itself.
pub fn publish_code() {}

/// Stops the processor for good.
pub fn stop() -> ! {
    loop {
        // SAFETY: nothing runs any more, so nobody misses the interrupts.
        unsafe { asm!("cli", "hlt", options(nomem, nostack)) }
    }
}

/// What the processor says about the last exception that the kernel took.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// Address of the last page fault.
    address: u64,
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cr2 {:#x}", self.address)
    }
}

/// The last exception.
pub fn last_exception() -> Exception {
    let address: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, cr2", out(reg) address, options(nomem, nostack, preserves_flags)) }
    Exception { address }
}
