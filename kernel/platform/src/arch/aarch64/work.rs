//! The start of work: at EL1 like the kernel, but on SP_EL0, the stack pointer of programs. An exception therefore
//! finds SP_EL1 at the thread's context, as it does from a program.

use crate::arch::context::Context;
use crate::service_work::Task;

unsafe extern "C" {
    /// Saves the registers that the trap code has not saved to the context in x0, and starts the task in x1.
    fn work_entry();
}

/// The initial registers of a task's work. `program` is where it saves the program's remaining registers.
pub fn first_registers(task: &Task, stack_top: u64, program: &mut Context) -> Context {
    let arguments = [core::ptr::from_mut(program).addr(), core::ptr::from_ref(task).addr()];
    Context::at_work(program, (work_entry as *const ()).addr(), stack_top, arguments)
}

/// Nothing to do: `work_entry` saves the program's callee-saved registers.
pub fn leave_program(_: &mut Context) {}

/// Lets the switch to a thread whose work has not begun load the registers that `work_entry` saves: the program's.
pub fn keep_program(context: &mut Context, program: &Context) {
    context.keep_preserved(program);
}
