//! Unmaps boot code and the identity map before the first program runs; and the invariant checks with the printing of
//! faults, the code of seals, of the trace, of messages between processors, of probes and of digests, if nothing can ask for them.
//!
//! Nothing here is boot code. The pages are unmapped in the tables of this processor's kernel, which all its address spaces
//! share, while these can still be reached. Then the TLB is flushed, which drops the identity map as well.

use limen_abi::limits::PAGE_BYTES;
use limen_mmu::address::VirtAddr;

use crate::arch::mmu::Descriptors;
use crate::arch::{self, cpu};
use crate::identity_map::TablePool;
use crate::page_table::{translate, unmap};
use crate::panic::fatal;

unsafe extern "C" {
    // From the linker script.
    static __boot_start: u8;
    static __boot_end: u8;
    static __check_end: u8;
    static __seal_end: u8;
    static __trace_end: u8;
    static __processors_end: u8;
    static __probe_end: u8;
    static __digest_end: u8;
}

/// Whether code that few images need stays mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    /// A service or a static key of the image can call it.
    Mapped,
    /// Nothing can.
    Unmapped,
}

/// The parts of the kernel's code that few images need.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The invariant checks, and the printing of faults.
    pub checks: Stays,
    /// The code of seals.
    pub seals: Stays,
    /// The code of the trace.
    pub trace: Stays,
    /// The code of messages between processors.
    pub processors: Stays,
    /// The code of probes.
    pub probes: Stays,
    /// The code of digests.
    pub digests: Stays,
}

/// Ends boot on this processor: afterwards it cannot reach the image, the page tables and the code that read and built them.
#[inline(never)]
pub fn end_boot(parts: Parts) {
    let bounds = [
        &raw const __boot_start,
        &raw const __boot_end,
        &raw const __check_end,
        &raw const __seal_end,
        &raw const __trace_end,
        &raw const __processors_end,
        &raw const __probe_end,
        &raw const __digest_end,
    ];
    let [boot, checks, seals, trace, processors, probes, digests, end] =
        bounds.map(|bound| bound.addr() as u64);
    let stays = |page: u64| match page {
        _ if page < checks => Stays::Unmapped,
        _ if page < seals => parts.checks,
        _ if page < trace => parts.seals,
        _ if page < processors => parts.trace,
        _ if page < probes => parts.processors,
        _ if page < digests => parts.probes,
        _ => parts.digests,
    };
    let mut tables = TablePool::empty();
    let pages = (boot..end).step_by(PAGE_BYTES as usize);
    for vaddr in pages.filter(|page| stays(*page) == Stays::Unmapped).map(VirtAddr) {
        unmap::<Descriptors>(&mut tables, cpu::kernel_root(), vaddr);
        if translate::<Descriptors>(&tables, cpu::kernel_root(), vaddr).is_some() {
            fatal(format_args!("boot code cannot be unmapped"));
        }
    }
    arch::boot::leave_identity_map();
}
