//! The start of work: in supervisor mode like the kernel.
//!
//! The trap code always returns to user mode. There, a thread at work may not fetch the kernel's instructions; the page
//! fault that it takes at the start and after each interrupt brings it to supervisor mode. Other threads pay nothing.

use core::arch::asm;
use core::cell::UnsafeCell;

use crate::arch::context::Context;
use crate::kernel_cell::{self, KernelCell};
use crate::service_work::Task;

/// sstatus.SPP: the last trap came from, or the next return goes to, supervisor mode.
pub const SSTATUS_SPP: u64 = 1 << 8;
/// sstatus.SPIE: interrupts are on after the next return.
const SSTATUS_SPIE: u64 = 1 << 5;
/// How far below the top of the kernel's stack the trap code keeps the address of the entered context.
pub const ENTERED: usize = 16;

unsafe extern "C" {
    /// Performs the task in a0.
    fn work_entry();
    static kernel_stack_top: UnsafeCell<u64>;
}

/// The initial registers of a task's work.
pub fn first_registers(task: &Task, stack_top: u64, _: &mut Context) -> Context {
    Context::at_work((work_entry as *const ()).addr(), stack_top, core::ptr::from_ref(task).addr())
}

/// Makes the trap code save the program's remaining registers to `program`, as on a thread switch.
pub fn leave_program(program: &mut Context) {
    let top = (&raw const kernel_stack_top).cast_mut().cast::<*mut Context>();
    // SAFETY: the word belongs to the trap code, which compares it at the return; contexts never move.
    unsafe { top.byte_sub(ENTERED).write_volatile(program) }
}

/// Nothing to do: the start of work saves no registers of a program.
pub fn keep_program(_: &mut Context, _: &Context) {}

/// Handles an instruction page fault of the current thread: if it is at work, it continues in supervisor mode.
pub fn go_on(cell: &KernelCell) -> Option<*mut Context> {
    let context = kernel_cell::context_at_work(cell)?;
    // SAFETY: the next return takes this thread to the kernel's own code.
    unsafe { asm!("csrs sstatus, {}", in(reg) SSTATUS_SPP | SSTATUS_SPIE, options(nomem, nostack)) }
    Some(context)
}
