//! Digests of memory and of the kernel's code. The code of this file is unmapped in systems without digests.

use limen_fpu::WorkerContext;
use limen_services::{RESULT_WORDS, ResultWords, Window, digest};
use limen_simd::{blake3, footprint};

use super::code::KernelCode;
use super::window::MappedWindow;
use crate::keys;
use crate::section::WorkerRegisters;

/// The digest of the memory of a service.
#[inline(never)]
pub(super) fn of_memory(target: &MappedWindow) -> ResultWords {
    of(target)
}

/// The digest of the kernel's code.
#[inline(never)]
pub(super) fn of_kernel() -> ResultWords {
    let code = keys::code_sites().map(KernelCode::new);
    code.map_or([0; RESULT_WORDS], |code| of(&code))
}

fn of(target: &impl Window) -> ResultWords {
    // SAFETY: only the work of a thread calls this. The core makes the thread's identity at work the owner of the unit
    // whenever it runs, and saves the registers of others.
    let mut context = WorkerContext::new(unsafe { WorkerRegisters::new() });
    context.section::<footprint::Blake3, _>(|registers| digest::run(target, blake3::Vector(registers)))
}
