//! Work for a thread that requested a service: privileged, but with interrupts on and without a borrow of [the
//! kernel](crate::kernel_cell).
//!
//! ```text
//!   SP, registers   address space             contents
//!   the kernel's    any                       Kernel, borrowed between trap and return
//!   the work's      that of the services of   a stack, and windows: memory that services read or write;
//!                   one thread                all of it accessible to privileged code only
//!   a program's     the program's             its memory
//! ```
//!
//! A thread at work returns from the kernel to [`run`] instead of to its program. An interrupt is then a trap like one
//! from a program. The work ends with a call into the kernel, which the port turns into a trap.

mod code;
mod digest;
mod seal;
mod window;

use core::cell::UnsafeCell;

use limen_abi::ServiceKind;
use limen_abi::limits::{SERVICES, VSPACES};
use limen_core::arena::{ServiceId, ThreadId};
use limen_core::kernel::Services;
use limen_fpu::InterruptContext;
use limen_image::Image;
use limen_services::{RESULT_WORDS, ResultWords, reset};
use limen_simd::footprint;

use crate::address_space::AddressSpaces;
use crate::arch::context::Context;
use crate::arch::{cpu, work};
use crate::machine::Hardware;
use seal::Seal;
use window::MappedWindow;

/// The memory that a service works on, from its record in the image. The validator has checked that all of it is
/// mapped.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    kind: Option<ServiceKind>,
    space: cpu::SpaceRegister,
    stack_top: u64,
    target: MappedWindow,
    source: MappedWindow,
    seal: Seal,
}

impl Task {
    const NONE: Self = Self {
        kind: None,
        space: cpu::SpaceRegister::NONE,
        stack_top: 0,
        target: MappedWindow::EMPTY,
        source: MappedWindow::EMPTY,
        seal: Seal::NONE,
    };
}

/// The tasks by service.
struct Tasks(UnsafeCell<[Task; SERVICES]>);

// SAFETY: `fill` writes it, while only boot runs; afterwards it is only read.
unsafe impl Sync for Tasks {}

static TASKS: Tasks = Tasks(UnsafeCell::new([Task::NONE; SERVICES]));

/// Records the tasks of the image's services. Called once, before the first program runs.
pub fn fill(image: &Image<'_>, spaces: &AddressSpaces) {
    // SAFETY: only boot runs: there is no other borrow.
    let tasks = unsafe { &mut *TASKS.0.get() };
    for ((number, task), record) in tasks.iter_mut().enumerate().zip(image.services()) {
        let space = cpu::SpaceRegister::new(spaces[record.vspace as usize % VSPACES]);
        *task = Task {
            kind: ServiceKind::from_raw(record.kind),
            space: space.unwrap_or(cpu::SpaceRegister::NONE),
            stack_top: record.stack_top,
            target: MappedWindow::new(record.target, record.bytes),
            source: MappedWindow::new(record.source, record.source_bytes),
            seal: Seal::new(number, &record),
        };
    }
}

/// The task of a service.
fn task_of(service: ServiceId) -> &'static Task {
    // SAFETY: not written after boot.
    let tasks = unsafe { &*TASKS.0.get() };
    &tasks[Services::<Hardware>::index_of(service)]
}

/// The size of the memory that a service works on.
pub fn target_bytes(service: ServiceId) -> u64 {
    task_of(service).target.bytes() as u64
}

/// Makes `context` start the work of a service. The port saves the program's remaining registers to `program`.
pub fn begin(service: ServiceId, context: &mut Context, program: &mut Context) {
    let task = task_of(service);
    *context = work::first_registers(task, task.stack_top, program);
    context.set_space(task.space);
    work::leave_program(program);
}

/// The same for a thread that was switched away: the trap code has saved all of its program's registers to `program`.
pub fn prepare(service: ServiceId, context: &mut Context, program: &mut Context) {
    let task = task_of(service);
    *context = work::first_registers(task, task.stack_top, program);
    work::keep_program(context, program);
    context.set_space(task.space);
}

/// Wipes or seals the memory of a service. Called with interrupts off, whichever thread runs. `context` is `None` until
/// the vector registers are initialised.
pub fn serve_at_once(service: ServiceId, context: Option<InterruptContext<'_, ThreadId, Hardware>>) {
    let task = task_of(service);
    let space = task.space;
    if space == cpu::SpaceRegister::NONE {
        return;
    }
    match (task.kind, context) {
        (Some(ServiceKind::Seal), context) => seal::at_once(task, space, context),
        (_, Some(mut context)) => {
            context.section::<footprint::Memory, _>(|registers| {
                cpu::in_space(space, || task.target.clear_with(registers));
            });
        }
        (_, None) => cpu::in_space(space, || task.target.clear()),
    }
}

/// Performs the work, on its own stack, and writes its result to `result`.
pub extern "C" fn run(task: &Task, result: &mut ResultWords) {
    *result = match task.kind {
        Some(ServiceKind::Digest) => digest::of_memory(&task.target),
        Some(ServiceKind::KernelDigest) => digest::of_kernel(),
        Some(ServiceKind::Reset) => {
            reset::run(&mut { task.target }, &task.source);
            [0; RESULT_WORDS]
        }
        Some(ServiceKind::Seal) => [seal::on_request(task), 0, 0, 0],
        Some(ServiceKind::Wipe) | None => [0; RESULT_WORDS],
    };
}
