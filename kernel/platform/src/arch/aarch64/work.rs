//! Where threads at work begin: at EL1 like the kernel, but on the stack pointer that is otherwise the programs'. So an
//! exception finds SP_EL1 at the context of the thread, as from a program.

use crate::arch::context::Context;
use crate::work::Task;

unsafe extern "C" {
    /// Stores in the context in x0 what the trap code has not, and begins the work in x1.
    fn work_entry();
}

/// The registers with which the work of a task begins. `program` is completed there.
pub fn first_registers(task: &Task, stack_top: u64, program: &mut Context) -> Context {
    let arguments = [core::ptr::from_mut(program).addr(), core::ptr::from_ref(task).addr()];
    Context::at_work(program, (work_entry as *const ()).addr(), stack_top, arguments)
}

/// The registers of a program that compiled code preserves are stored by `work_entry`.
pub fn leave_program(_: &mut Context) {}
