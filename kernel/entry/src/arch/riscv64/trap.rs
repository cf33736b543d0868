//! Decodes traps from user mode into events of the core.
//!
//! Source: RISC-V Privileged ISA, `scause`.

use limen_abi::ProbeEvent;
use limen_abi::fault::RISCV_CODE_FPU_OFF;
use limen_core::fault::Access;

use crate::entry;
use limen_platform::arch::context::Context;
use limen_platform::arch::float_instruction::is_float_instruction;
use limen_platform::arch::{context, fpu, work};
use limen_platform::kernel_cell::KernelCell;
use limen_platform::panic::exception_in_kernel;
use limen_platform::stack;

/// scause: a system call of user mode.
const CAUSE_SYSCALL: u64 = 8;
/// scause: an undefined or currently illegal instruction; `stval` holds it.
const CAUSE_ILLEGAL: u64 = 2;
/// scause: a breakpoint instruction.
const CAUSE_BREAKPOINT: u64 = 3;
/// scause: the highest bit tells interrupts from faults.
const CAUSE_IS_INTERRUPT: u64 = 1 << 63;
/// scause: instruction access fault and instruction page fault.
const CAUSE_FETCH: [u64; 2] = [1, 12];
/// scause: load and store access faults, load and store page faults.
const CAUSE_DATA: [u64; 4] = [5, 7, 13, 15];

trap_code!(
    X = const context::X,
    ENTERED = const work::ENTERED,
    TO_KERNEL = const stack::TO_KERNEL,
    SSTATUS_SPP = const work::SSTATUS_SPP,
    CAUSE_SYSCALL = const CAUSE_SYSCALL,
    enter_interrupt = sym entry::enter_interrupt,
    enter_probed = sym enter_probed,
    panic_in_kernel = sym exception_in_kernel,
);

unsafe extern "C" {
    fn trap_start(context: *mut Context) -> !;
}

extern "C" fn enter_fault(cell: &KernelCell, cause: u64, address: u64) -> *mut Context {
    if CAUSE_DATA.contains(&cause) {
        return entry::enter_vm_fault(cell, address, Access::Data, cause);
    }
    if CAUSE_FETCH.contains(&cause) {
        if let Some(context) = work::go_on(cell) {
            return context;
        }
        return entry::enter_vm_fault(cell, address, Access::Instruction, cause);
    }
    if is_fpu_use(cause, address) {
        return entry::enter_exception(cell, cause, RISCV_CODE_FPU_OFF, true);
    }
    entry::enter_exception(cell, cause, 0, false)
}

/// Handles a trap with probing on. `stamp` is the cycle counter at the entry, `number` that of a system call.
extern "C" fn enter_probed(
    cell: &KernelCell,
    cause: u64,
    address: u64,
    stamp: u64,
    number: i64,
) -> *mut Context {
    if cause == CAUSE_SYSCALL {
        return entry::enter_probed_syscall(cell, number, stamp);
    }
    if cause & CAUSE_IS_INTERRUPT != 0 {
        return entry::enter_probed(cell, Some(ProbeEvent::Interrupt), stamp, |cell| {
            entry::enter_interrupt(cell)
        });
    }
    let event = match cause {
        CAUSE_ILLEGAL if is_fpu_use(cause, address) => None,
        CAUSE_ILLEGAL => Some(ProbeEvent::Undefined),
        CAUSE_BREAKPOINT => Some(ProbeEvent::Breakpoint),
        _ if is_page_fault(cause) => Some(ProbeEvent::PageFault),
        _ => None,
    };
    entry::enter_probed(cell, event, stamp, |cell| enter_fault(cell, cause, address))
}

fn is_page_fault(cause: u64) -> bool {
    CAUSE_DATA.contains(&cause) || CAUSE_FETCH.contains(&cause)
}

/// Whether a fault is an access to the floating-point unit while it is off; `stval` holds the instruction.
fn is_fpu_use(cause: u64, stval: u64) -> bool {
    cause == CAUSE_ILLEGAL && !fpu::is_on() && is_float_instruction(stval)
}

/// Ends boot: runs the thread with these registers, or idles if there is none.
///
/// # Safety
/// `context` is null or points into the kernel's threads, and no borrow of the kernel is left.
pub unsafe fn run(context: *mut Context) -> ! {
    // SAFETY: threads never move, and nothing on boot's stack is needed afterwards.
    unsafe { trap_start(context) }
}
