//! The door to the kernel's state.
//!
//! [`enter`] and its like are the only places that borrow the kernel mutably. They run between a trap from user mode and the
//! return to it, with interrupts off, on one processor; a trap from the kernel itself never comes here but ends in
//! a panic. So at most one borrow exists at any time.

use core::cell::UnsafeCell;

use limen_abi::ProbeEvent;
use limen_core::Kernel;
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::object::probe::{ExitStamp, Rest};
use limen_image::Image;

use crate::address_space::AddressSpaces;
use crate::arch::context::Context;
use crate::arch::cpu::SpaceRegister;
use crate::arch::trap;
use crate::keys::{self, SystemKeys};
use crate::machine::Hardware;
use crate::panic::fatal;
use crate::{thread_memory, work};

// SAFETY: every access is in this module and follows the rule of the module documentation.
unsafe impl Sync for Door {}

/// The kernel's state.
pub static KERNEL: Door = Door(UnsafeCell::new(Kernel::new(Hardware::UNKNOWN)));

/// The kernel's state as the trap code hands it over. It could name the state itself, but then every access would
/// carry a full address instead of an offset.
#[derive(Debug)]
#[repr(transparent)]
pub struct Door(UnsafeCell<Kernel<Hardware>>);

/// Serves an event and gives the registers of the thread to run; null when there is none. Checks the invariants
/// afterwards where the image asks for it.
#[inline(always)]
pub fn enter(door: &Door, event: Event) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { &mut *door.0.get() };
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
fn enter_checked(kernel: &mut Kernel<Hardware>, event: Event) -> *mut Context {
    if let Event::Fault(fault) = event {
        kernel.serve_fault(fault);
    } else {
        kernel.handle_rarely(event);
    }
    check(kernel);
    context_to_run(kernel)
}

#[cold]
fn check(kernel: &mut Kernel<Hardware>) {
    kernel.settle_call();
    if let Err(broken) = kernel.check_invariants() {
        fatal(format_args!("an invariant of the kernel does not hold: {broken}"));
    }
}

/// An access that the mappings do not allow. On its own, because for it alone the message is short.
#[inline(never)]
pub fn enter_vm_fault(door: &Door, address: u64, access: Access, status: u64) -> *mut Context {
    enter(door, Event::Fault(Fault::Vm { address, access, status }))
}

/// A system call, as every port's trap code reports it. The four that crossings are made of it tells apart itself, and
/// calls their functions of the core with [`KERNEL`].
pub extern "C" fn enter_syscall(door: &Door, number: i64) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { &mut *door.0.get() };
    pointer_to(kernel.serve_other_syscall(number))
}

/// An interrupt, as a port's trap code reports it unless it has more to say.
pub extern "C" fn enter_interrupt(door: &Door) -> *mut Context {
    enter(door, Event::Interrupt)
}

/// A system call while programs are probed. `stamp` is the cycle counter at the entry.
pub fn enter_probed_syscall(door: &Door, number: i64, stamp: u64) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { &mut *door.0.get() };
    kernel.serve_probed_syscall(number, stamp);
    if keys::is_self_checking() {
        check(kernel);
    }
    context_to_run(kernel)
}

/// Something else while programs are probed; `enter` serves it unless a probe takes it.
#[inline]
pub fn enter_probed(
    door: &Door,
    event: Option<ProbeEvent>,
    stamp: u64,
    enter: impl FnOnce(&Door) -> *mut Context,
) -> *mut Context {
    // SAFETY: called only from the trap handlers, see the module documentation; the borrow ends before `enter`.
    let kernel = unsafe { &mut *door.0.get() };
    match kernel.probe_entry(event, stamp) {
        Rest::Serve => enter(door),
        Rest::Return => context_to_run(kernel),
    }
}

/// How the counter is to be read at the return to the program. Called while programs are probed.
pub extern "C" fn exit_stamp(door: &Door) -> ExitStamp {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { &mut *door.0.get() };
    kernel.exit_stamp()
}

/// The registers of the thread that runs, if the kernel works for it. For ports where a thread cannot return to that directly.
pub fn context_at_work(door: &Door) -> Option<*mut Context> {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { &mut *door.0.get() };
    kernel.is_at_work().then(|| context_to_run(kernel))
}

/// The trap code restores the registers from here, and saves them here at the next trap.
#[inline]
fn context_to_run(kernel: &mut Kernel<Hardware>) -> *mut Context {
    pointer_to(kernel.running())
}

#[inline]
fn pointer_to(context: Option<&mut Context>) -> *mut Context {
    context.map_or(core::ptr::null_mut(), core::ptr::from_mut)
}

/// Makes the objects of the image and runs the most important thread. `leave_boot` takes away what only boot needs;
/// the image cannot be read any more after it.
pub fn start(
    image: &Image<'_>,
    spaces: &AddressSpaces,
    keys: &'static mut SystemKeys,
    leave_boot: impl FnOnce(),
) -> ! {
    thread_memory::fill(image);
    work::fill(image, spaces);
    // SAFETY: no trap has been taken yet, so nobody has borrowed the kernel.
    let kernel = unsafe { &mut *KERNEL.0.get() };
    kernel.machine = Hardware::probe(&image.board(), keys);
    kernel.populate(image, |index, context| {
        let space = *spaces.get(index as usize)?;
        context.set_space(space);
        SpaceRegister::new(space)
    });
    leave_boot();
    kernel.start();
    // SAFETY: the context is one of `kernel`, whose borrow ends here.
    unsafe { trap::run(context_to_run(kernel)) }
}
