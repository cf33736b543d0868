//! The cell that holds the kernel's state.
//!
//! Only [`KernelCell::open`] borrows the kernel mutably. The borrow is used between a trap from user mode and the
//! return to it, with interrupts off, on one processor. A trap from the kernel itself never opens the cell; it ends in
//! a panic. So at most one borrow exists at any time.

use core::cell::UnsafeCell;

use limen_core::Kernel;

use crate::arch::context::Context;
use crate::arch::cpu;
use crate::machine::Hardware;
use crate::panic::fatal;
use crate::unmap_boot::{self, Parts};

// SAFETY: every access follows the rule of the module documentation.
unsafe impl Sync for KernelCell {}

/// The kernel's state.
pub static KERNEL: KernelCell = KernelCell(UnsafeCell::new(Kernel::new(Hardware::UNKNOWN)));

/// The kernel's state as the trap code passes it. The code could name the static itself, but then every access would
/// need a full address instead of an offset.
#[derive(Debug)]
#[repr(transparent)]
pub struct KernelCell(UnsafeCell<Kernel<Hardware>>);

impl KernelCell {
    /// Borrows the kernel.
    ///
    /// # Safety
    /// The trap code or boot calls this, and no other borrow is left: see the module documentation.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "this is the one place that lends it out")]
    pub unsafe fn open(&self) -> &mut Kernel<Hardware> {
        // SAFETY: the caller guarantees it.
        unsafe { &mut *self.0.get() }
    }
}

/// Stops the machine if a kernel invariant is broken. Unmapped unless the image lets the kernel check itself: see
/// [`unmap_boot`].
#[inline(never)]
pub fn check(kernel: &mut Kernel<Hardware>) {
    kernel.flush_open_call();
    if let Err(broken) = kernel.check_invariants() {
        fatal(format_args!("an invariant of the kernel does not hold: {broken}"));
    }
    if !cpu::is_user_memory_closed() {
        fatal(format_args!("the kernel could access the memory of programs"));
    }
}

/// The registers of the current thread if it is at work. For ports where a thread cannot return to work directly.
pub fn context_at_work(cell: &KernelCell) -> Option<*mut Context> {
    // SAFETY: called only from the trap handlers, see the module documentation.
    let kernel = unsafe { cell.open() };
    kernel.is_at_work().then(|| context_to_run(kernel))
}

/// The context from which the trap code restores the registers, and to which the next trap saves them.
#[inline]
pub fn context_to_run(kernel: &mut Kernel<Hardware>) -> *mut Context {
    pointer_to(kernel.running())
}

/// The context's address, or null.
#[inline]
pub fn pointer_to(context: Option<&mut Context>) -> *mut Context {
    context.map_or(core::ptr::null_mut(), core::ptr::from_mut)
}

unsafe extern "Rust" {
    /// Runs the highest-priority thread. Defined in the crate with the entry points.
    fn enter_first(cell: &KernelCell) -> !;
}

/// Ends boot and runs the highest-priority thread.
#[inline(never)]
pub fn start(first_cycle: u64, parts: Parts) -> ! {
    unmap_boot::end_boot(first_cycle, parts);
    // SAFETY: no borrow of the kernel exists.
    unsafe { enter_first(&KERNEL) }
}
