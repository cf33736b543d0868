//! Where threads at work begin: in ring 0 like the kernel, with a stack of their own in their context. The processor pushes a trap
//! from there onto that stack, and the trap code moves it to the context.

use super::{entry_area, segments};
use crate::arch::context::Context;
use crate::work::Task;

unsafe extern "C" {
    /// Does the work in rdi.
    fn work_entry_plain();
    fn work_entry_switched();
}

/// The registers with which the work of a task begins.
pub fn first_registers(task: &Task, stack_top: u64, _: &mut Context) -> Context {
    let entry = if entry_area::is_used() { work_entry_switched } else { work_entry_plain };
    Context::at_work((entry as *const ()).addr(), stack_top, core::ptr::from_ref(task).addr())
}

/// Lets the trap code store in `program` what it has not stored yet, as if another thread ran next.
pub fn leave_program(program: &mut Context) {
    segments::set_entered(core::ptr::from_mut(program).wrapping_add(1).addr() as u64);
}
