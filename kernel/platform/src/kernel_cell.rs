//! The cell that holds the kernel's state.
//!
//! Only [`KernelCell::open`] borrows the kernel mutably. The borrow is used between a trap from user mode and the
//! return to it, with interrupts off. A trap from the kernel itself never opens the cell; it ends in a panic. Every processor
//! has a cell: the static has the same address on all of them, but is memory of its own. So at most one borrow of each cell
//! exists at any time, and none is passed to another processor.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_core::Kernel;

use crate::arch::context::Context;
use crate::arch::{cpu, timer};
use crate::console;
use crate::machine::Hardware;
use crate::panic::fatal;
use crate::unmap_boot::{self, Parts};

// SAFETY: every access follows the rule of the module documentation.
unsafe impl Sync for KernelCell {}

/// The kernel's state, in the private part of the processor, where it follows the stack.
#[unsafe(link_section = ".data.kernel")]
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
    /// Runs the highest-priority thread, whose time begins at `begin`. Defined in the crate with the entry points.
    fn enter_first(cell: &KernelCell, begin: u64) -> !;
}

/// The number of the further processor that has booted last; all bits from the end of boot on.
pub static ARRIVED: AtomicU64 = AtomicU64::new(0);
const ALL: u64 = u64::MAX;

/// When boot has ended: the time at which every processor begins, in ticks of the timer.
static BEGIN: AtomicU64 = AtomicU64::new(0);

/// Ends boot and runs the highest-priority thread of processor 0. `first_cycle` is the cycle counter at the loader's first
/// instruction.
#[inline(never)]
pub fn start(first_cycle: u64, parts: Parts) -> ! {
    unmap_boot::end_boot(parts);
    let cycles = cpu::cycles() - first_cycle;
    console::line(format_args!("{cycles} cycles since the first instruction of the loader"));
    console::line(format_args!("Booting all finished, dropped to user space"));
    let begin = timer::now();
    BEGIN.store(begin, Ordering::Relaxed);
    ARRIVED.store(ALL, Ordering::Release);
    // SAFETY: no borrow of the kernel exists.
    unsafe { enter_first(&KERNEL, begin) }
}

/// Ends boot on a further processor, and runs its highest-priority thread when boot has ended on all of them.
#[inline(never)]
pub fn start_further(number: u64, parts: Parts) -> ! {
    unmap_boot::end_boot(parts);
    ARRIVED.store(number, Ordering::Release);
    while ARRIVED.load(Ordering::Acquire) != ALL {
        cpu::relax();
    }
    // SAFETY: no borrow of this processor's kernel exists.
    unsafe { enter_first(&KERNEL, BEGIN.load(Ordering::Relaxed)) }
}
