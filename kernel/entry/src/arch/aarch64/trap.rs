//! Decodes traps from user mode into events of the core.
//!
//! Source: Arm Architecture Reference Manual (DDI 0487), ESR_EL1.

use limen_abi::ProbeEvent;
use limen_core::fault::Access;

use crate::entry;
use limen_platform::arch::context;
use limen_platform::arch::context::Context;
use limen_platform::kernel_cell::KernelCell;
use limen_platform::panic::exception_in_kernel;

/// ESR_EL1: position of the exception class.
const ESR_CLASS_SHIFT: u32 = 26;
/// Bits of the exception class; newer processors report more details above it.
const CLASS_MASK: u64 = 0x3f;
/// Exception class of a system call.
const CLASS_SVC: u64 = 0x15;
/// Exception class of an undefined instruction.
const CLASS_UNKNOWN: u64 = 0x00;
/// Exception class of `brk`.
const CLASS_BREAKPOINT: u64 = 0x3c;
/// Exception class of an access to the floating-point unit while it is off.
const CLASS_FPU: u64 = 0x07;
/// Exception class of an instruction abort in user mode.
const CLASS_INSTRUCTION_ABORT: u64 = 0x20;
/// Exception class of a data abort in user mode.
const CLASS_DATA_ABORT: u64 = 0x24;

trap_code!(
    X0 = const context::X0,
    SP = const context::SP,
    PC = const context::PC,
    TPIDR = const context::TPIDR,
    ESR_CLASS_SHIFT = const ESR_CLASS_SHIFT,
    CLASS_SVC = const CLASS_SVC,
    enter_interrupt = sym entry::enter_interrupt,
    enter_probed_synchronous = sym enter_probed_synchronous,
    enter_probed_interrupt = sym enter_probed_interrupt,
    panic_in_kernel = sym exception_in_kernel,
);

unsafe extern "C" {
    fn trap_start(context: *mut Context) -> !;
}

extern "C" fn enter_fault(cell: &KernelCell, status: u64, address: u64) -> *mut Context {
    match status >> ESR_CLASS_SHIFT & CLASS_MASK {
        CLASS_DATA_ABORT => entry::enter_vm_fault(cell, address, Access::Data, status),
        CLASS_INSTRUCTION_ABORT => entry::enter_vm_fault(cell, address, Access::Instruction, status),
        class => entry::enter_exception(cell, status & u64::from(u32::MAX), 0, class == CLASS_FPU),
    }
}

/// Handles a system call or fault with probing on. `stamp` is the cycle counter at the entry, `number` that of the
/// system call.
extern "C" fn enter_probed_synchronous(
    cell: &KernelCell,
    status: u64,
    address: u64,
    stamp: u64,
    number: i64,
) -> *mut Context {
    let event = match status >> ESR_CLASS_SHIFT & CLASS_MASK {
        CLASS_SVC => return entry::enter_probed_syscall(cell, number, stamp),
        CLASS_DATA_ABORT | CLASS_INSTRUCTION_ABORT => Some(ProbeEvent::PageFault),
        CLASS_UNKNOWN => Some(ProbeEvent::Undefined),
        CLASS_BREAKPOINT => Some(ProbeEvent::Breakpoint),
        _ => None,
    };
    entry::enter_probed(cell, event, stamp, |cell| enter_fault(cell, status, address))
}

extern "C" fn enter_probed_interrupt(cell: &KernelCell, stamp: u64) -> *mut Context {
    entry::enter_probed(cell, Some(ProbeEvent::Interrupt), stamp, |cell| entry::enter_interrupt(cell))
}

/// Ends boot: runs the thread with these registers, or idles if there is none.
///
/// # Safety
/// `context` is null or points into the kernel's threads, and no borrow of the kernel is left.
pub unsafe fn run(context: *mut Context) -> ! {
    // SAFETY: threads never move, and nothing on boot's stack is needed afterwards.
    unsafe { trap_start(context) }
}
