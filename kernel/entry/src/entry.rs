//! The functions that the trap code calls: each passes an entry to the core, as an event or on a fast path.
//!
//! Each borrows the kernel from its [cell](limen_platform::kernel_cell) once, between a trap and the return from it.

use limen_abi::{ProbeEvent, Syscall};
use limen_core::Kernel;
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::object::probe::{ExitStamp, Rest};
use limen_core::object::service;
use limen_platform::arch::context::Context;
use limen_platform::kernel_cell::{KernelCell, check, context_to_run, pointer_to};
use limen_platform::keys;
use limen_platform::machine::Hardware;
use limen_services::ResultWords;

use crate::arch::trap;

/// Handles an event and returns the registers of the thread to run; null if there is none. Prints faults, and checks the
/// invariants afterwards, if the image asks for it; otherwise the event goes to `serve`. Both make their own event: one that
/// they share would be copied through memory where the branch between them is not patched.
#[inline(always)]
fn enter(
    cell: &KernelCell,
    event: impl FnOnce() -> Event,
    serve: impl FnOnce(&mut Kernel<Hardware>) -> *mut Context,
) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    if keys::is_watched() {
        return enter_watched(kernel, event());
    }
    serve(kernel)
}

#[inline(always)]
fn enter_fault(cell: &KernelCell, fault: impl Fn() -> Fault) -> *mut Context {
    enter(cell, || Event::Fault(fault()), |kernel| pointer_to(kernel.serve_fault(&fault)))
}

#[cold]
#[inline(never)]
fn enter_watched(kernel: &mut Kernel<Hardware>, event: Event) -> *mut Context {
    watch(kernel, &event, None, |kernel| match &event {
        Event::Fault(fault) => kernel.serve_watched_fault(*fault, keys::is_printing()),
        // On its fast path, as a kernel that does not record.
        Event::Interrupt if keys::is_recording() => {
            kernel.serve_interrupt();
        }
        _ => kernel.handle_rarely(event),
    })
}

/// Serves an event: records or traces it and checks the invariants afterwards, if the image asks for it. `stamp` is the cycle
/// counter at the entry if that is a system call with probing on.
#[inline(always)]
fn watch(
    kernel: &mut Kernel<Hardware>,
    event: &Event,
    stamp: Option<u64>,
    serve: impl FnOnce(&mut Kernel<Hardware>),
) -> *mut Context {
    if keys::is_recording() {
        if let Some(stamp) = stamp {
            kernel.record_entry(Some(ProbeEvent::Syscall), stamp);
        }
        kernel.record_begin(event, keys::is_printing());
        serve(kernel);
        kernel.record_end();
        return context_to_run(kernel);
    }
    let writes_record = matches!(event, Event::Syscall(number) if *number == Syscall::Trace.as_raw());
    if keys::is_tracing() && !writes_record {
        let before = kernel.trace_begin(event);
        serve(kernel);
        // The event may have turned the trace off.
        if keys::is_tracing() {
            kernel.trace_end(event, &before);
        } else {
            kernel.trace_less();
        }
    } else {
        serve(kernel);
    }
    if keys::is_self_checking() {
        check(kernel);
    }
    context_to_run(kernel)
}

/// Ends boot and runs the highest-priority thread, whose time begins at `begin`.
#[unsafe(no_mangle)]
fn enter_first(cell: &KernelCell, begin: u64) -> ! {
    // SAFETY: called by boot, whose borrow has ended.
    let kernel = unsafe { cell.open() };
    kernel.start(begin);
    if keys::is_recording() {
        kernel.record_boot();
    }
    // SAFETY: the context belongs to `kernel`, whose borrow ends here.
    unsafe { trap::run(context_to_run(kernel)) }
}

/// Handles a page fault. Each kind of fault has its own function, because then the length of the message is a constant
/// and telling the kinds apart takes no registers.
#[inline(never)]
pub fn enter_vm_fault(cell: &KernelCell, address: u64, access: Access, status: u64) -> *mut Context {
    enter_fault(cell, || Fault::Vm { address, access, status })
}

/// Handles any other exception; `is_fpu_use` if its only cause may be that the floating-point unit is off.
#[inline(never)]
pub fn enter_exception(cell: &KernelCell, number: u64, code: u64, is_fpu_use: bool) -> *mut Context {
    if is_fpu_use { enter_fpu_use(cell, number, code) } else { enter_other_exception(cell, number, code) }
}

#[inline(never)]
fn enter_fpu_use(cell: &KernelCell, number: u64, code: u64) -> *mut Context {
    let event = || Event::FpuUse(Fault::UserException { number, code });
    enter(cell, event, |kernel| {
        kernel.handle(event());
        context_to_run(kernel)
    })
}

#[inline(never)]
fn enter_other_exception(cell: &KernelCell, number: u64, code: u64) -> *mut Context {
    enter_fault(cell, || Fault::UserException { number, code })
}

/// Handles a system call. The ports' trap code dispatches the four system calls of IPC crossings itself: it calls the
/// core's functions for them with [the kernel](limen_platform::kernel_cell::KERNEL).
pub extern "C" fn enter_syscall(cell: &KernelCell, number: i64) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    pointer_to(kernel.serve_syscall(number))
}

/// Handles an interrupt. Ports whose trap code has more to report have their own.
pub extern "C" fn enter_interrupt(cell: &KernelCell) -> *mut Context {
    serve_interrupt(cell)
}

/// Does the same within its caller.
#[inline(always)]
pub fn serve_interrupt(cell: &KernelCell) -> *mut Context {
    enter(cell, || Event::Interrupt, |kernel| pointer_to(kernel.serve_interrupt()))
}

/// Handles a system call with probing on. `stamp` is the cycle counter at the entry.
pub fn enter_probed_syscall(cell: &KernelCell, number: i64, stamp: u64) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    watch(kernel, &Event::Syscall(number), Some(stamp), |kernel| {
        kernel.serve_probed_syscall(number, stamp);
    })
}

/// Handles any other entry with probing on; calls `enter` unless a probe consumes the event.
#[inline]
pub fn enter_probed(
    cell: &KernelCell,
    event: Option<ProbeEvent>,
    stamp: u64,
    enter: impl FnOnce(&KernelCell) -> *mut Context,
) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation; the borrow ends before `enter`.
    let kernel = unsafe { cell.open() };
    let rest = match keys::is_recording() {
        true => probe_recorded(kernel, event, stamp),
        false => kernel.probe_entry(event, stamp),
    };
    match rest {
        Rest::Serve => enter(cell),
        Rest::Return => context_to_run(kernel),
    }
}

/// Shows an entry to the probe, and records it.
#[cold]
#[inline(never)]
fn probe_recorded(kernel: &mut Kernel<Hardware>, event: Option<ProbeEvent>, stamp: u64) -> Rest {
    kernel.record_entry(event, stamp);
    let rest = kernel.probe_entry(event, stamp);
    if rest == Rest::Return {
        kernel.record_sampled(keys::is_printing());
    }
    rest
}

/// How to stamp the return to the program. Called with probing on.
pub extern "C" fn exit_stamp(cell: &KernelCell) -> ExitStamp {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    kernel.exit_stamp()
}

/// Ends the work of a thread. Called with interrupts off, on the kernel's stack.
pub extern "C" fn finish_work(cell: &KernelCell, words: &ResultWords) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    let event = Event::WorkDone(service::ServiceResult { words: *words });
    if keys::is_watched() {
        return enter_watched(kernel, event);
    }
    kernel.handle_rarely(event);
    context_to_run(kernel)
}
