//! The end of boot: its code and the identity map are taken away, and the checks of invariants if nobody can ask for them.
//!
//! Nothing here is of that code. The pages are taken out of the kernel's own tables, which all address spaces share, while
//! they can still be reached; then the processor forgets what it knows of them, together with the identity map.

use limen_abi::limits::PAGE_BYTES;
use limen_mmu::address::VirtAddr;

use crate::arch::mmu::Descriptors;
use crate::arch::{self, cpu};
use crate::console;
use crate::identity_map::TablePool;
use crate::page_table::{translate, unmap};
use crate::panic::fatal;

unsafe extern "C" {
    // From the linker script.
    static __boot_start: u8;
    static __boot_end: u8;
    static __check_end: u8;
}

/// Leaves boot, after which neither the image nor page tables nor the code that has read and made them can be reached. The
/// last thing before the first program. The checks of invariants stay if `may_check`.
#[inline(never)]
pub fn boot(first_cycle: u64, may_check: bool) {
    let end = if may_check { &raw const __boot_end } else { &raw const __check_end };
    let [start, end] = [&raw const __boot_start, end].map(|end| end.addr() as u64);
    let mut tables = TablePool::empty();
    for vaddr in (start..end).step_by(PAGE_BYTES as usize).map(VirtAddr) {
        unmap::<Descriptors>(&mut tables, cpu::kernel_root(), vaddr);
        if translate::<Descriptors>(&tables, cpu::kernel_root(), vaddr).is_some() {
            fatal(format_args!("the code of boot cannot be taken away"));
        }
    }
    arch::boot::leave_identity_map();
    let cycles = cpu::cycles() - first_cycle;
    console::line(format_args!("{cycles} cycles since the first instruction of the loader"));
    console::line(format_args!("Booting all finished, dropped to user space"));
}
