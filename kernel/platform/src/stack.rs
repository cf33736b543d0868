//! The kernel's stack. There is one, because one processor runs the kernel.

use core::arch::global_asm;

use limen_abi::limits::PAGE_BYTES;

/// Size. Nothing in the kernel recurses deeper than page tables are high.
const BYTES: usize = 16 << 10;

/// How far below the top the last report starts, when the kernel itself has taken an exception: out of the way of what
/// may be broken.
pub const EMERGENCY_OFFSET: usize = 2048;

// The linker script puts this section behind a page that is not mapped.
global_asm!(
    ".pushsection .bss.stack, \"aw\", @nobits",
    ".balign {PAGE_BYTES}",
    ".skip   {BYTES}",
    ".global kernel_stack_top",
    "kernel_stack_top:",
    ".popsection",
    PAGE_BYTES = const PAGE_BYTES,
    BYTES = const BYTES,
);
