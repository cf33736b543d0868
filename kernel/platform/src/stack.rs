//! The kernel's stack. Every processor has one, at the same addresses.

use core::arch::global_asm;

use limen_abi::limits::PAGE_BYTES;

/// Size in bytes. The deepest recursion in the kernel is over the levels of page tables.
const BYTES: usize = 16 << 10;

/// Unused bytes above the top. The stacks of programs start at the end of their pages, so this one starts at lines of
/// other cache sets.
///
/// The kernel's state follows them: see [`TO_KERNEL`].
const LEAD_BYTES: usize = 1216;

/// The distance from the top to the kernel's state, which the linker script places behind the stack: trap code adds it to the
/// stack pointer.
pub const TO_KERNEL: usize = LEAD_BYTES;

/// How far below the top the stack of the final report starts after an exception in the kernel, clear of the part that
/// may be corrupt.
pub const EMERGENCY_OFFSET: usize = 2048;

// The linker script puts this section after an unmapped page. It is in the kernel's file, as the rest of its segment is.
global_asm!(
    ".pushsection .stack, \"aw\", @progbits",
    ".balign {PAGE_BYTES}",
    ".skip   {BYTES} - {LEAD_BYTES}",
    ".global kernel_stack_top",
    "kernel_stack_top:",
    ".skip   {LEAD_BYTES}",
    // What the linker script puts here must start here.
    ".global kernel_state",
    "kernel_state:",
    ".popsection",
    PAGE_BYTES = const PAGE_BYTES,
    BYTES = const BYTES,
    LEAD_BYTES = const LEAD_BYTES,
);
