//! Decodes traps from user mode into events of the core.
//!
//! Source: Intel SDM, volume 3, chapter 6; volume 2, SYSCALL and SYSRET.

use limen_abi::ProbeEvent;
use limen_abi::limits::PAGE_BYTES;
use limen_core::fault::Access;

use crate::entry;
use limen_platform::arch::boot::{KERNEL_PAGES, LOAD_OFFSET};
use limen_platform::arch::context::Context;
use limen_platform::arch::entry_area::{self, STACKS, Stacks};
use limen_platform::arch::segments;
use limen_platform::arch::{context, irq};
use limen_platform::kernel_cell::KernelCell;
use limen_platform::panic::fatal;

/// The vector of x87 and SIMD instructions while the unit is off.
const NO_DEVICE: u64 = 7;
/// The vector of breakpoint instructions.
const BREAKPOINT: u64 = 3;
/// The vector of undefined instructions.
const INVALID_OPCODE: u64 = 6;
/// The vector of page faults.
const PAGE_FAULT: u64 = 14;
/// Error code of a page fault: an instruction fetch.
const INSTRUCTION_FETCH: u64 = 1 << 4;
/// The frame below the top of the kernel's stack when an interrupt ends idling: five words from the processor, two from
/// the stub, and one more.
const IDLE_FRAME: usize = size_of::<[u64; 5 + 2 + 1]>();

trap_code!(
    SPACE = const context::SPACE,
    FS_BASE = const context::FS_BASE,
    GS_BASE = const context::GS_BASE,
    R15 = const context::R15,
    R14 = const context::R14,
    R13 = const context::R13,
    R12 = const context::R12,
    RBP = const context::RBP,
    RBX = const context::RBX,
    R11 = const context::R11,
    RCX = const context::RCX,
    R10 = const context::R10,
    R9 = const context::R9,
    R8 = const context::R8,
    RDI = const context::RDI,
    RSI = const context::RSI,
    RDX = const context::RDX,
    RAX = const context::RAX,
    ENTRY = const context::ENTRY,
    RIP = const context::RIP,
    CS = const context::CS,
    RFLAGS = const context::RFLAGS,
    RSP = const context::RSP,
    END = const context::END,
    IDLE_FRAME = const IDLE_FRAME,
    SYSCALL = const context::SYSCALL,
    STACK = const segments::STACK,
    EXCEPTION_STUB_BYTES = const segments::EXCEPTION_STUB_BYTES,
    INTERRUPT_STUBS = const segments::stub_offset(segments::FIRST_INTERRUPT),
    INTERRUPT_STUB_BYTES = const segments::INTERRUPT_STUB_BYTES,
    FIRST_INTERRUPT = const segments::FIRST_INTERRUPT,
    EMERGENCY_END = const Stacks::EMERGENCY_END,
    ENTRY_END = const Stacks::ENTRY_END,
    PARKED = const Stacks::PARKED,
    KERNEL_SPACE = const Stacks::KERNEL_SPACE,
    PARKED_RAX = const Stacks::PARKED_RAX,
    PARKED_RDX = const Stacks::PARKED_RDX,
    PAGE_BYTES = const PAGE_BYTES,
    LOAD_OFFSET = const LOAD_OFFSET,
    kernel_table = sym KERNEL_PAGES,
    stacks = sym STACKS,
    task = sym segments::TASK,
    enter_interrupt = sym enter_interrupt,
    enter_probed = sym enter_probed,
    enter_probed_syscall = sym enter_probed_syscall,
    panic_in_kernel = sym panic_in_kernel,
    past_breakpoint = sym past_breakpoint,
    HAS_STEPS = sym limen_platform::arch::text::HAS_STEPS,
    BREAKPOINT = const BREAKPOINT,
);

unsafe extern "C" {
    fn trap_start_plain(context: *mut Context) -> !;
    fn trap_start_switched(context: *mut Context) -> !;
}

extern "C" fn enter_fault(cell: &KernelCell, vector: u64, code: u64, address: u64) -> *mut Context {
    if vector == PAGE_FAULT {
        let fetched = code & INSTRUCTION_FETCH != 0;
        let access = if fetched { Access::Instruction } else { Access::Data };
        return entry::enter_vm_fault(cell, address, access, code);
    }
    entry::enter_exception(cell, vector, code, vector == NO_DEVICE)
}

/// Handles a trap with probing on. `stamp` is the time-stamp counter at the entry.
extern "C" fn enter_probed(
    cell: &KernelCell,
    vector: u64,
    code: u64,
    address: u64,
    stamp: u64,
) -> *mut Context {
    if vector >= segments::FIRST_INTERRUPT as u64 {
        let event = Some(ProbeEvent::Interrupt);
        return entry::enter_probed(cell, event, stamp, |cell| enter_interrupt(cell, vector));
    }
    let event = match vector {
        PAGE_FAULT => Some(ProbeEvent::PageFault),
        INVALID_OPCODE => Some(ProbeEvent::Undefined),
        BREAKPOINT => Some(ProbeEvent::Breakpoint),
        _ => None,
    };
    entry::enter_probed(cell, event, stamp, |cell| enter_fault(cell, vector, code, address))
}

extern "C" fn enter_probed_syscall(cell: &KernelCell, number: i64, stamp: u64) -> *mut Context {
    entry::enter_probed_syscall(cell, number, stamp)
}

extern "C" fn enter_interrupt(cell: &KernelCell, vector: u64) -> *mut Context {
    irq::note(vector);
    entry::serve_interrupt(cell)
}

/// Address at which the kernel continues after a breakpoint before this one; zero if its code has no branch on a key
/// there.
extern "C" fn past_breakpoint(after: usize) -> usize {
    let sites = limen_platform::keys::code_sites();
    sites.and_then(|sites| sites.past_breakpoint(after.wrapping_sub(1))).unwrap_or(0)
}

/// The last words that the processor and the stubs push.
#[repr(C)]
struct Frame {
    vector: u64,
    code: u64,
    rip: u64,
    cs: u64,
    rflags: u64,
    rsp: u64,
}

extern "C" fn panic_in_kernel(frame: &Frame) -> ! {
    let Frame { vector, code, rip, cs, rflags, rsp } = frame;
    let taker = if *cs as u16 == segments::USER_CODE { "a program" } else { "the kernel itself" };
    fatal(format_args!(
        "{taker} took exception {vector}, code {code:#x}, at {cs:#x}:{rip:#x}, rsp {rsp:#x}, \
         rflags {rflags:#x}"
    ))
}

/// Ends boot: runs the thread with these registers, or idles if there is none.
///
/// # Safety
/// `context` is null or points into the kernel's threads, and no borrow of the kernel is left.
pub unsafe fn run(context: *mut Context) -> ! {
    let start = if entry_area::is_used() { trap_start_switched } else { trap_start_plain };
    // SAFETY: threads never move, and nothing on boot's stack is needed afterwards.
    unsafe { start(context) }
}
