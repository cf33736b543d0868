//! The cell that holds the kernel's state.
//!
//! [`KernelCell::open`] is the only place that borrows the kernel mutably. What it gives is used between a trap from user mode and
//! the return to it, with interrupts off, on one processor; a trap from the kernel itself never comes here but ends in
//! a panic. So at most one borrow exists at any time.

use core::cell::UnsafeCell;

use limen_core::Kernel;

use crate::arch::context::Context;
use crate::arch::cpu;
use crate::machine::Hardware;
use crate::panic::fatal;
use crate::unmap_boot::{self, Checks};

// SAFETY: every access follows the rule of the module documentation.
unsafe impl Sync for KernelCell {}

/// The kernel's state.
pub static KERNEL: KernelCell = KernelCell(UnsafeCell::new(Kernel::new(Hardware::UNKNOWN)));

/// The kernel's state as the trap code hands it over. It could name the state itself, but then every access would
/// carry a full address instead of an offset.
#[derive(Debug)]
#[repr(transparent)]
pub struct KernelCell(UnsafeCell<Kernel<Hardware>>);

impl KernelCell {
    /// The kernel.
    ///
    /// # Safety
    /// The caller is what the trap code has called, or boot, and no other borrow is left: see the module documentation.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "this is the one place that lends it out")]
    pub unsafe fn open(&self) -> &mut Kernel<Hardware> {
        // SAFETY: the caller's.
        unsafe { &mut *self.0.get() }
    }
}

/// Stops the machine if something is not true that must be true between two events. Not mapped unless the image lets the
/// kernel check itself: see [`unmap_boot`].
#[inline(never)]
pub fn check(kernel: &mut Kernel<Hardware>) {
    kernel.settle_call();
    if let Err(broken) = kernel.check_invariants() {
        fatal(format_args!("an invariant of the kernel does not hold: {broken}"));
    }
    if !cpu::is_user_memory_closed() {
        fatal(format_args!("the kernel could access the memory of programs"));
    }
}

/// The registers of the thread that runs, if the kernel works for it. For ports where a thread cannot return to that directly.
pub fn context_at_work(cell: &KernelCell) -> Option<*mut Context> {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    kernel.is_at_work().then(|| context_to_run(kernel))
}

/// The trap code restores the registers from here, and saves them here at the next trap.
#[inline]
pub fn context_to_run(kernel: &mut Kernel<Hardware>) -> *mut Context {
    pointer_to(kernel.running())
}

/// Null where there is none.
#[inline]
pub fn pointer_to(context: Option<&mut Context>) -> *mut Context {
    context.map_or(core::ptr::null_mut(), core::ptr::from_mut)
}

unsafe extern "Rust" {
    /// Lets the most important thread run. Defined where the ways into the kernel are.
    fn enter_first(cell: &KernelCell) -> !;
}

/// Ends boot and runs the highest-priority thread.
#[inline(never)]
pub fn start(first_cycle: u64, checks: Checks) -> ! {
    unmap_boot::end_boot(first_cycle, checks);
    // SAFETY: nobody has borrowed the kernel.
    unsafe { enter_first(&KERNEL) }
}
