//! Starts further harts through the firmware.
//!
//! The hart that boots is processor 0. The others are numbered in the order of their hart numbers. Harts without supervisor mode,
//! such as a monitor core, are left out: the interrupt controller has no context for them. Source: RISC-V Supervisor Binary Interface, hart state
//! management extension.

use core::arch::asm;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PROCESSORS;
use limen_image::Board;

use super::{cpu, irq};
use crate::page_table::Root;
use crate::panic::fatal;
use crate::processors;

/// SBI: the extension for hart state management, "HSM".
const EXTENSION_HART_STATE: u64 = 0x0048_534d;
/// SBI: start a hart.
const FUNCTION_START: u64 = 0;
/// SBI: the state of a hart.
const FUNCTION_STATUS: u64 = 2;
/// The state of a hart that is stopped.
const STOPPED: u64 = 1;
/// The first hart number that is not tried.
const MOST_HARTS: u64 = 64;

/// Physical address at which the loader lets in further harts.
static LOADER_ENTRY: AtomicU64 = AtomicU64::new(0);

/// The hart of each processor.
static HARTS: [AtomicU64; PROCESSORS] = [const { AtomicU64::new(0) }; PROCESSORS];

/// Records the hart that boots, and where the loader lets in further ones.
pub fn set_first(hart: u64, loader_entry: u64) {
    HARTS[0].store(hart, Ordering::Relaxed);
    LOADER_ENTRY.store(loader_entry, Ordering::Relaxed);
}

/// The hart of a processor.
#[inline]
pub fn hart_of(number: u64) -> u64 {
    HARTS[number as usize % PROCESSORS].load(Ordering::Relaxed)
}

/// Why a processor does not start: the firmware's answer.
#[derive(Clone, Copy, Debug)]
pub struct Refusal(u64);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.cast_signed() {
            -6 => f.write_str("it is already on"),
            answer => write!(f, "the firmware answers {answer}"),
        }
    }
}

/// Finds a hart for each of this many processors.
pub fn find_processors(board: &Board, count: usize) {
    let is_usable =
        |hart: &u64| irq::serves_supervisor(board, *hart) && ask(FUNCTION_STATUS, [*hart, 0, 0]).is_ok();
    let others = (0..MOST_HARTS).filter(|hart| *hart != hart_of(0)).filter(is_usable);
    let mut found = 1;
    for (processor, hart) in HARTS.iter().take(count).skip(1).zip(others) {
        processor.store(hart, Ordering::Relaxed);
        found += 1;
    }
    if found < count {
        fatal(format_args!("processor {found} does not start: the machine has no such processor"));
    }
}

/// Starts a processor on the kernel's tables under `kernel`.
///
/// # Errors
/// See [`Refusal`].
pub fn processor(number: u64, kernel: Root) -> Result<(), Refusal> {
    cpu::publish_stores();
    let entry = LOADER_ENTRY.load(Ordering::Relaxed);
    ask(FUNCTION_START, [hart_of(number), entry, kernel.table.0]).map(|_| ())
}

/// Starts a processor again if it has stopped: firmware may let it in where the first one started, and there the loader
/// stops it.
///
/// # Errors
/// See [`Refusal`].
pub fn again(number: u64, kernel: Root) -> Result<(), Refusal> {
    match ask(FUNCTION_STATUS, [hart_of(number), 0, 0])? {
        STOPPED => processor(number, kernel),
        _ => Ok(()),
    }
}

/// Calls the firmware; returns its value.
fn ask(function: u64, arguments: [u64; 3]) -> Result<u64, Refusal> {
    let (answer, value);
    // SAFETY: the firmware preserves all registers but a0 and a1, and changes no memory of the kernel.
    unsafe {
        asm!(
            "ecall",
            inlateout("a0") arguments[0] => answer,
            inlateout("a1") arguments[1] => value,
            in("a2") arguments[2],
            in("a6") function,
            in("a7") EXTENSION_HART_STATE,
            options(nostack)
        );
    }
    if answer == 0 { Ok(value) } else { Err(Refusal(answer)) }
}

/// Called by the entry point on a further hart.
pub(super) extern "C" fn further() -> ! {
    processors::join()
}
