//! Where threads at work begin: in supervisor mode like the kernel.
//!
//! The trap code returns to user mode, whoever runs. There, a thread at work may not fetch the kernel's instructions, and
//! the page fault that it takes is its way to supervisor mode, at the begin and after each interrupt. Other threads so pay
//! nothing for it.

use core::arch::asm;
use core::cell::UnsafeCell;

use crate::arch::context::Context;
use crate::kernel_cell::{self, KernelCell};
use crate::work::Task;

/// sstatus.SPP: the last trap came from, or the next return goes to, supervisor mode.
pub const SSTATUS_SPP: u64 = 1 << 8;
/// sstatus.SPIE: interrupts are on after the next return.
const SSTATUS_SPIE: u64 = 1 << 5;
/// How far below the top of the kernel's stack the context is noted that a trap came from.
pub const ENTERED: usize = 16;

unsafe extern "C" {
    /// Does the work in a0.
    fn work_entry();
    static kernel_stack_top: UnsafeCell<u64>;
}

/// The registers with which the work of a task begins.
pub fn first_registers(task: &Task, stack_top: u64, _: &mut Context) -> Context {
    Context::at_work((work_entry as *const ()).addr(), stack_top, core::ptr::from_ref(task).addr())
}

/// Lets the trap code store in `program` what it has not stored yet, as if another thread ran next.
pub fn leave_program(program: &mut Context) {
    let top = (&raw const kernel_stack_top).cast_mut().cast::<*mut Context>();
    // SAFETY: the word is the trap code's, which has left it to be compared at the return; contexts are never moved.
    unsafe { top.byte_sub(ENTERED).write_volatile(program) }
}

/// The current thread cannot fetch an instruction. If it is at work, it goes on with that.
pub fn go_on(cell: &KernelCell) -> Option<*mut Context> {
    let context = kernel_cell::context_at_work(cell)?;
    // SAFETY: the next return is that of this thread to the kernel's own code.
    unsafe { asm!("csrs sstatus, {}", in(reg) SSTATUS_SPP | SSTATUS_SPIE, options(nomem, nostack)) }
    Some(context)
}
