//! The processor: control registers, model-specific registers, waiting.

use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_core::machine::CounterAccess;
use limen_mmu::address::{PhysAddr, VirtAddr};
use limen_mmu::x86_64::space::{self, Identifiers};

use super::{boot, entry_area};
use crate::address_space::AddressSpace;
use crate::arch::mmu::Descriptors;
use crate::page_table::{Format, Root};

/// Addresses of model-specific registers.
#[derive(Debug)]
pub struct Msr;
impl Msr {
    /// The number of banks that report hardware errors, in the lowest byte.
    const MCG_CAP: u32 = 0x179;
    /// The errors that any bank reports, if [`HAS_COMMON_CONTROL`] says so.
    const MCG_CTL: u32 = 0x17b;
    /// The errors of bank 0 that raise a machine check; its status is next, and four registers on is bank 1.
    const MC0_CTL: u32 = 0x400;
    /// The selector of `sysenter`; zero turns it off.
    pub const SYSENTER_CS: u32 = 0x174;
    /// Selectors of system calls and returns.
    pub const STAR: u32 = 0xc000_0081;
    /// Entry point of system calls.
    pub const LSTAR: u32 = 0xc000_0082;
    /// Flags that a system call clears.
    pub const SFMASK: u32 = 0xc000_0084;
    /// The vulnerabilities that the processor does not have.
    const ARCH_CAPABILITIES: u32 = 0x10a;
}

/// CPUID leaf 7, EBX: instructions that read and write the bases of fs and gs.
const HAS_FSGSBASE: u32 = 1 << 0;
const HAS_SMEP: u32 = 1 << 7;
const HAS_SMAP: u32 = 1 << 20;
/// CPUID leaf 7, ECX.
const HAS_UMIP: u32 = 1 << 2;
/// CPUID leaf 7, EDX: the processor has IA32_ARCH_CAPABILITIES.
const HAS_ARCH_CAPABILITIES: u32 = 1 << 29;
/// IA32_ARCH_CAPABILITIES: not vulnerable to Rogue Data Cache Load.
const RDCL_NO: u64 = 1 << 0;
/// CPUID leaf 0, EBX, EDX and ECX, of processors that may be vulnerable.
const INTEL: [[u8; 4]; 3] = [*b"Genu", *b"ineI", *b"ntel"];

/// CPUID leaf 8000_0001h, EDX: page-table entries that map a gibibyte.
const HAS_GIGABYTE_PAGES: u32 = 1 << 26;

/// CPUID leaf 1, EDX: machine checks, and banks that report them.
const HAS_MACHINE_CHECKS: u32 = 1 << 7 | 1 << 14;
/// MCG_CAP: the number of banks.
const BANKS: u64 = 0xff;
/// MCG_CAP: there is MCG_CTL.
const HAS_COMMON_CONTROL: u64 = 1 << 8;
/// DR7: no breakpoint is on; bit 10 is always set.
const NO_BREAKPOINTS: u64 = 1 << 10;

/// CR0: protected mode, monitor coprocessor, native x87 errors, write protection for the kernel, paging.
pub const CR0: u32 = 1 << 0 | 1 << 1 | 1 << 5 | 1 << 16 | 1 << 31;
/// CR0: x87 and SIMD instructions raise an exception.
pub const CR0_TASK_SWITCHED: u32 = 1 << 3;

/// RFLAGS: the kernel can access user memory.
const RFLAGS_AC: u64 = 1 << 18;
const CR4_MACHINE_CHECK: u64 = 1 << 6;
const CR4_XSAVE: u64 = 1 << 18;
const CR4_GLOBAL_PAGES: u64 = 1 << 7;
const CR4_IDENTIFIERS: u64 = 1 << 17;
const CR4_UMIP: u64 = 1 << 11;
const CR4_FSGSBASE: u64 = 1 << 16;
const CR4_SMEP: u64 = 1 << 20;
const CR4_SMAP: u64 = 1 << 21;

/// The time-stamp counter at the kernel's first instruction, which stores it.
pub static BOOT_STAMP: AtomicU64 = AtomicU64::new(0);

/// The time-stamp counter; it counts instructions under deterministic emulation.
#[inline]
pub fn timestamp() -> u64 {
    // SAFETY: reads a counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The cycle counter: here the time-stamp counter.
pub fn cycles() -> u64 {
    timestamp()
}

/// Whether every kernel entry switches to the kernel's own page tables.
pub fn switches_page_tables() -> bool {
    entry_area::is_used()
}

/// The cycle counter at the kernel's first instruction.
pub fn boot_stamp() -> u64 {
    BOOT_STAMP.load(Ordering::Relaxed)
}

/// Every program may read the time-stamp counter: existing programs do so without asking.
#[inline]
pub fn set_user_counter(_: CounterAccess) {}

/// Enables FSGSBASE, and the protections against kernel bugs that the processor has.
///
/// # Errors
/// The required feature that the processor lacks.
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

/// Enables machine checks, if the processor has them: without, a hardware error stops the processor silently, or goes
/// unnoticed. Disables hardware breakpoints that firmware has left: one in the kernel would stop it.
///
/// Source: Intel SDM, volume 3, sections 15.8 (initialisation of machine checks) and 17.2.4 (DR7).
pub fn enable_reports() {
    // SAFETY: breakpoints are off.
    unsafe { asm!("mov dr7, {}", in(reg) NO_BREAKPOINTS, options(nomem, nostack, preserves_flags)) }
    if __cpuid(1).edx & HAS_MACHINE_CHECKS != HAS_MACHINE_CHECKS {
        return;
    }
    let banks = read_msr(Msr::MCG_CAP);
    if banks & HAS_COMMON_CONTROL != 0 {
        // SAFETY: the processor has this register, which only decides which errors it reports.
        unsafe { write_msr(Msr::MCG_CTL, u64::MAX) }
    }
    for bank in 0..(banks & BANKS) as u32 {
        let control = Msr::MC0_CTL + 4 * bank;
        // SAFETY: as above.
        unsafe {
            write_msr(control, u64::MAX);
            write_msr(control + 1, 0);
        }
    }
    set_cr4(CR4_MACHINE_CHECK);
}

/// Whether the kernel cannot access user memory because of SMAP, if the processor has it.
pub fn is_user_memory_closed() -> bool {
    let flags: u64;
    // SAFETY: reads the flags through the stack.
    unsafe { asm!("pushfq", "pop {}", out(reg) flags, options(preserves_flags)) }
    flags & RFLAGS_AC == 0
}

/// Whether programs can read memory that is mapped but inaccessible to them (Meltdown, CVE-2017-5754).
///
/// Source: Intel, "Rogue Data Cache Load": Intel's processors report immunity; other vendors' are immune.
pub fn has_meltdown() -> bool {
    let vendor = __cpuid(0);
    if [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes) != INTEL {
        return false;
    }
    let says = vendor.eax >= 7 && __cpuid_count(7, 0).edx & HAS_ARCH_CAPABILITIES != 0;
    !(says && read_msr(Msr::ARCH_CAPABILITIES) & RDCL_NO != 0)
}

/// Whether one page-table entry can map a gibibyte.
pub fn has_gigabyte_pages() -> bool {
    // The entry point has checked that the leaf exists.
    __cpuid(0x8000_0001).edx & HAS_GIGABYTE_PAGES != 0
}

/// End of the processor's physical addresses.
///
/// Source: Intel SDM, volume 3, section 4.1.4 (MAXPHYADDR).
pub fn physical_end() -> u64 {
    const LEAF: u32 = 0x8000_0008;
    let has_leaf = __cpuid(0x8000_0000).eax >= LEAF;
    let bits = if has_leaf { __cpuid(LEAF).eax & 0xff } else { 36 };
    1 << bits.min(52)
}

/// Whether address spaces have identifiers in the TLB.
fn identifiers() -> Identifiers {
    // Every processor with long mode has this leaf.
    Identifiers::of_processor(__cpuid(1).ecx)
}

/// Selects these tables, of which the lower half is empty, before identifiers are enabled.
pub fn leave_boot_tables(root: PhysAddr) {
    switch_space(SpaceRegister(root.0));
}

/// Enables identifiers of address spaces if the processor has them, and drops all translations. Lets the TLB keep those
/// that all address spaces share, unless page tables are switched: then every exit must drop the kernel's. The current
/// tables have identifier zero.
pub fn enable_translation_caching() {
    if identifiers() == Identifiers::Used {
        set_cr4(CR4_IDENTIFIERS);
    }
    // This change drops the translations of all identifiers, whatever ran before.
    set_cr4(CR4_GLOBAL_PAGES);
    if entry_area::is_used() {
        clear_cr4(CR4_GLOBAL_PAGES);
    }
}

/// Enables XSAVE and its relatives, which the processor must have.
pub fn enable_xsave() {
    set_cr4(CR4_XSAVE);
}

fn set_cr4(bits: u64) {
    // SAFETY: the bits restrict what code can do or cache; the kernel does nothing that they forbid.
    unsafe { change_cr4(|old| old | bits) }
}

fn clear_cr4(bits: u64) {
    // SAFETY: only the bit of global pages is cleared, which caches less.
    unsafe { change_cr4(|old| old & !bits) }
}

/// Changes CR4.
///
/// # Safety
/// The kernel does nothing that the new value forbids.
#[inline(always)]
unsafe fn change_cr4(change: impl FnOnce(u64) -> u64) {
    // SAFETY: the caller's.
    unsafe {
        let old: u64;
        asm!("mov {}, cr4", out(reg) old, options(nomem, nostack, preserves_flags));
        asm!("mov cr4, {}", in(reg) change(old), options(nostack, preserves_flags));
    }
}

/// Reads a model-specific register, which the processor must have.
fn read_msr(register: u32) -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: the registers that the kernel reads describe the processor; reading them has no side effect.
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

/// An address space as the value of cr3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceRegister(u64);

impl SpaceRegister {
    /// The value of no address space.
    pub const NONE: Self = Self(0);

    /// The value for `space`; `None` if it has no tables.
    pub fn new(space: AddressSpace) -> Option<Self> {
        let AddressSpace { root, asid } = space;
        (root != PhysAddr(0)).then(|| Self(identifiers().register(root, asid)))
    }

    /// The value for the kernel's own tables.
    pub fn of_kernel() -> Self {
        Self(identifiers().register(boot::kernel_table(), 0))
    }

    /// The value while the kernel runs for a program of this address space. If page tables are switched, it runs on one
    /// table for all of them, and the exit loads the thread's.
    pub fn in_kernel(self) -> Self {
        if entry_area::is_used() { Self::of_kernel() } else { self }
    }

    /// The value of cr3.
    pub fn cr3(self) -> u64 {
        self.0
    }
}

/// Calls `act` with `space` as the address space.
#[inline(always)]
pub fn in_space(space: SpaceRegister, act: impl FnOnce()) {
    let before: u64;
    // SAFETY: reading a register changes nothing.
    unsafe { asm!("mov {}, cr3", out(reg) before, options(nomem, nostack, preserves_flags)) }
    switch_space(space);
    act();
    switch_space(SpaceRegister(space::again(before, space.0)));
}

/// Loading cr3 flushes the TLB of a processor without identifiers.
pub const NOTICES_SAME_SPACE: bool = true;

/// Processors execute out of order, and few registers are free.
pub const READS_AHEAD: bool = false;

/// Nothing, for the same reason.
#[inline(always)]
pub fn read_ahead(_word: u64) {}

/// Makes `space` the address space, of user mode as well unless page tables are switched.
#[inline]
pub fn switch_space(space: SpaceRegister) {
    // SAFETY: after boot the lower half belongs to programs, and the kernel keeps no reference into it. The upper half
    // is the same everywhere. Boot has checked the tables, and nothing changes them afterwards.
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

/// Makes new page-table entries visible to the MMU. Sufficient if the old entries were empty.
pub fn publish_tables() {
    // SAFETY: a barrier.
    unsafe { asm!("mfence", options(nostack, preserves_flags)) }
}

/// Makes code that was written to memory before boot visible to instruction fetches. Nothing to do here.
pub fn publish_code() {}

/// Lets other processors of an emulator run while this one waits for them.
pub fn relax() {
    core::hint::spin_loop();
}

/// Stops the processor permanently.
pub fn stop() -> ! {
    loop {
        // SAFETY: nothing runs afterwards, so no interrupt is missed.
        unsafe { asm!("cli", "hlt", options(nomem, nostack)) }
    }
}

/// The processor's record of the last exception that the kernel took.
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
