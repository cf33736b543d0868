//! Starts further processors through the firmware's power interface.
//!
//! The processor with number n is the one whose affinity is that of processor 0 plus n: boards with one cluster number their
//! processors so. Source: Arm Power State Coordination Interface (DEN 0022), `CPU_ON`.

use core::arch::asm;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_image::Board;

use super::cpu::{self, read_register};
use super::firmware;
use crate::page_table::Root;
use crate::processors;

/// PSCI: starts a processor; the form with 64-bit arguments.
const CPU_ON: u64 = 0xc400_0003;
/// MPIDR_EL1: the affinity fields.
const AFFINITY: u64 = 0xff_00ff_ffff;
/// ID_AA64PFR0_EL1: whether the processor has EL2 and EL3.
const HAS_UPPER_LEVELS: u64 = 0xff << 8;

/// Physical address at which the loader lets in further processors.
static LOADER_ENTRY: AtomicU64 = AtomicU64::new(0);

/// Records where the loader lets in further processors.
pub fn set_loader_entry(entry: u64) {
    LOADER_ENTRY.store(entry, Ordering::Relaxed);
}

/// Why a processor does not start: the firmware's answer.
#[derive(Clone, Copy, Debug)]
pub struct Refusal(u64);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.cast_signed() {
            -2 => f.write_str("the machine has no such processor"),
            -4 => f.write_str("it is already on"),
            answer => write!(f, "the firmware answers {answer}"),
        }
    }
}

/// Nothing to find: numbers tell the affinities.
pub fn find_processors(_: &Board, _: usize) {}

/// Starts a processor on the kernel's tables under `kernel`.
///
/// # Errors
/// See [`Refusal`].
pub fn processor(number: u64, kernel: Root) -> Result<(), Refusal> {
    let target = (read_register!("mpidr_el1") & AFFINITY) + number;
    cpu::publish_tables();
    let request = [CPU_ON, target, LOADER_ENTRY.load(Ordering::Relaxed), kernel.table.0, 0, 0, 0, 0];
    // Firmware is above: at EL3 or, under a hypervisor that hides EL2 and EL3, at EL2.
    let [answer, ..] = if read_register!("id_aa64pfr0_el1") & HAS_UPPER_LEVELS != 0 {
        firmware::call_secure_monitor(request)
    } else {
        call_hypervisor(request)
    };
    if answer == 0 { Ok(()) } else { Err(Refusal(answer)) }
}

/// Does nothing for a processor that was started: firmware starts it at the given place, or not at all.
///
/// # Errors
/// None.
pub fn again(_: u64, _: Root) -> Result<(), Refusal> {
    Ok(())
}

/// The same as a call of the secure monitor, but to a hypervisor.
fn call_hypervisor(registers: [u64; 8]) -> [u64; 8] {
    let [mut x0, mut x1, mut x2, mut x3, ..] = registers;
    // SAFETY: the hypervisor preserves the other registers (SMC Calling Convention) and changes no memory of the kernel.
    unsafe {
        asm!(
            "hvc #0",
            inout("x0") x0, inout("x1") x1, inout("x2") x2, inout("x3") x3,
            out("x4") _, out("x5") _, out("x6") _, out("x7") _, out("x8") _, out("x9") _, out("x10") _,
            out("x11") _, out("x12") _, out("x13") _, out("x14") _, out("x15") _, out("x16") _, out("x17") _,
            options(nostack)
        );
    }
    [x0, x1, x2, x3, 0, 0, 0, 0]
}

/// Called by the entry point on a further processor.
pub(super) extern "C" fn further() -> ! {
    processors::join()
}
