//! Traps from user mode: what happened, in the words of the core.
//!
//! Source: RISC-V Privileged ISA, `scause`.

use core::arch::global_asm;

use limen_core::event::Event;
use limen_core::fault::{Access, Fault};

use super::context;
use crate::arch::context::Context;
use crate::entry::{self, Door};
use crate::panic::fatal;

/// scause: a system call of user mode.
const CAUSE_SYSCALL: u64 = 8;
/// scause: an instruction fetch from memory that does not answer, and from a page that does not allow it.
const CAUSE_FETCH: [u64; 2] = [1, 12];
/// scause: a load or store at memory that does not answer, and in a page that does not allow it.
const CAUSE_DATA: [u64; 4] = [5, 7, 13, 15];
/// How far below the top of the kernel stack the last report starts: out of the way of what may be broken.
const EMERGENCY_OFFSET: u32 = 2048;

global_asm!(
    include_str!("trap.S"),
    X = const context::X,
    CAUSE_SYSCALL = const CAUSE_SYSCALL,
    EMERGENCY_OFFSET = const EMERGENCY_OFFSET,
    kernel = sym entry::KERNEL,
    enter_syscall = sym enter_syscall,
    enter_fault = sym enter_fault,
    enter_interrupt = sym enter_interrupt,
    panic_in_kernel = sym panic_in_kernel,
);

unsafe extern "C" {
    fn trap_start(context: *mut Context) -> !;
}

extern "C" fn enter_syscall(door: &Door, number: i64) -> *mut Context {
    entry::enter(door, Event::Syscall(number))
}

extern "C" fn enter_fault(door: &Door, cause: u64, address: u64) -> *mut Context {
    let fault = if CAUSE_FETCH.contains(&cause) {
        Fault::Vm { address, access: Access::Instruction, status: cause }
    } else if CAUSE_DATA.contains(&cause) {
        Fault::Vm { address, access: Access::Data, status: cause }
    } else {
        Fault::UserException { number: cause, code: 0 }
    };
    entry::enter_checked(door, Event::Fault(fault))
}

extern "C" fn enter_interrupt(door: &Door) -> *mut Context {
    entry::enter_checked(door, Event::Interrupt)
}

extern "C" fn panic_in_kernel() -> ! {
    fatal(format_args!("the kernel itself took an exception"))
}

/// Runs the thread with these registers, or idles if there is none. Boot ends here.
///
/// # Safety
/// `context` is null or points into the kernel's threads, and nobody has borrowed the kernel any more.
pub unsafe fn run(context: *mut Context) -> ! {
    // SAFETY: the threads are never moved, and what is on the stack of boot is not needed any more.
    unsafe { trap_start(context) }
}
