//! The start of work: in ring 0 like the kernel, with its own stack pointer in the context. The processor pushes a trap
//! frame on that stack, and the trap code moves it to the context.

use super::{entry_area, segments};
use crate::arch::context::Context;
use crate::service_work::Task;

unsafe extern "C" {
    /// Performs the task in rdi.
    fn work_entry_plain();
    fn work_entry_switched();
}

/// The initial registers of a task's work.
pub fn first_registers(task: &Task, stack_top: u64, _: &mut Context) -> Context {
    let entry = if entry_area::is_used() { work_entry_switched } else { work_entry_plain };
    Context::at_work((entry as *const ()).addr(), stack_top, core::ptr::from_ref(task).addr())
}

/// Makes the trap code save the program's remaining registers to `program`, as on a thread switch.
pub fn leave_program(program: &mut Context) {
    segments::set_entered(core::ptr::from_mut(program).wrapping_add(1).addr() as u64);
}

/// Nothing to do: the start of work saves no registers of a program.
pub fn keep_program(_: &mut Context, _: &Context) {}
