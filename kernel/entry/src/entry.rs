//! What the trap code calls: each way into the kernel, as an event or a short way of the core.
//!
//! Each borrows the kernel from its [cell](limen_platform::kernel_cell) once, between a trap and the return from it.

use limen_abi::ProbeEvent;
use limen_core::Kernel;
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::object::probe::{ExitStamp, Rest};
use limen_core::object::service;
use limen_platform::arch::context::Context;
use limen_platform::kernel_cell::{KernelCell, check, context_to_run, pointer_to};
use limen_platform::keys;
use limen_platform::machine::Hardware;
use limen_services::Report;

use crate::arch::trap;

/// Serves an event and gives the registers of the thread to run; null when there is none. Checks the invariants
/// afterwards where the image asks for it.
#[inline(always)]
pub fn enter(cell: &KernelCell, event: Event) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    if keys::is_self_checking() {
        return enter_checked(kernel, event);
    }
    match event {
        Event::Fault(fault) => pointer_to(kernel.serve_fault(fault)),
        _ => {
            kernel.handle(event);
            context_to_run(kernel)
        }
    }
}

#[cold]
#[inline(never)]
fn enter_checked(kernel: &mut Kernel<Hardware>, event: Event) -> *mut Context {
    if let Event::Fault(fault) = event {
        kernel.serve_fault(fault);
    } else {
        kernel.handle_rarely(event);
    }
    check(kernel);
    context_to_run(kernel)
}

/// Boot is over: the most important thread runs.
#[unsafe(no_mangle)]
fn enter_first(cell: &KernelCell) -> ! {
    // SAFETY: called by boot, which has let go of it.
    let kernel = unsafe { cell.open() };
    kernel.start();
    // SAFETY: the context is one of `kernel`, whose borrow ends here.
    unsafe { trap::run(context_to_run(kernel)) }
}

/// An access that the mappings do not allow. Faults of each kind are on their own, because then the length of the message
/// is known, and what tells them apart needs no registers.
#[inline(never)]
pub fn enter_vm_fault(cell: &KernelCell, address: u64, access: Access, status: u64) -> *mut Context {
    enter(cell, Event::Fault(Fault::Vm { address, access, status }))
}

/// Any other exception; `is_fpu_use` if all it says may be that the floating-point unit is off.
#[inline(never)]
pub fn enter_exception(cell: &KernelCell, number: u64, code: u64, is_fpu_use: bool) -> *mut Context {
    if is_fpu_use { enter_fpu_use(cell, number, code) } else { enter_other_exception(cell, number, code) }
}

#[inline(never)]
fn enter_fpu_use(cell: &KernelCell, number: u64, code: u64) -> *mut Context {
    enter(cell, Event::FpuUse(Fault::UserException { number, code }))
}

#[inline(never)]
fn enter_other_exception(cell: &KernelCell, number: u64, code: u64) -> *mut Context {
    enter(cell, Event::Fault(Fault::UserException { number, code }))
}

/// A system call, as every port's trap code reports it. The four that crossings are made of it tells apart itself, and
/// calls their functions of the core with [the kernel](limen_platform::kernel_cell::KERNEL).
pub extern "C" fn enter_syscall(cell: &KernelCell, number: i64) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    pointer_to(kernel.serve_other_syscall(number))
}

/// An interrupt, as a port's trap code reports it unless it has more to say.
pub extern "C" fn enter_interrupt(cell: &KernelCell) -> *mut Context {
    enter(cell, Event::Interrupt)
}

/// A system call while programs are probed. `stamp` is the cycle counter at the entry.
pub fn enter_probed_syscall(cell: &KernelCell, number: i64, stamp: u64) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    kernel.serve_probed_syscall(number, stamp);
    if keys::is_self_checking() {
        check(kernel);
    }
    context_to_run(kernel)
}

/// Something else while programs are probed; `enter` serves it unless a probe takes it.
#[inline]
pub fn enter_probed(
    cell: &KernelCell,
    event: Option<ProbeEvent>,
    stamp: u64,
    enter: impl FnOnce(&KernelCell) -> *mut Context,
) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation; the borrow ends before `enter`.
    let kernel = unsafe { cell.open() };
    match kernel.probe_entry(event, stamp) {
        Rest::Serve => enter(cell),
        Rest::Return => context_to_run(kernel),
    }
}

/// How the counter is to be read at the return to the program. Called while programs are probed.
pub extern "C" fn exit_stamp(cell: &KernelCell) -> ExitStamp {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    kernel.exit_stamp()
}

/// The work of a thread is over; called with interrupts off, on the kernel's stack.
pub extern "C" fn finish_work(cell: &KernelCell, report: &Report) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    let event = Event::WorkDone(service::Report { words: *report });
    if keys::is_self_checking() {
        return enter_checked(kernel, event);
    }
    kernel.handle_rarely(event);
    context_to_run(kernel)
}
