//! Starts further processors: finds them in the firmware's tables, and sends each the interrupts that start it.
//!
//! The processor that boots is number 0. The others are numbered in the order of the ACPI table of interrupt controllers. Source:
//! Intel SDM, volume 3, section 9.4.4 (initialisation); ACPI Specification 6.5, sections 5.2.7, 5.2.8 and 5.2.12.

use core::fmt;
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::limits::PROCESSORS;
use limen_image::Board;
use limen_mmu::address::PhysAddr;

use super::irq::{self, Delivery};
use super::{boot, firmware};
use crate::arch::timer;
use crate::kernel_cell::ARRIVED;
use crate::page_table::Root;
use crate::panic::fatal;
use crate::processors;

/// The page where a further processor starts: RAM that PCs have, and that the kernel keeps for the firmware. The number of the page
/// is the vector of the interrupt.
pub const TRAMPOLINE: u64 = 0x8000;
const PAGE_BITS: u32 = 12;

/// How long a processor takes to reset, and to start, in parts of a second.
const RESETS_PER_SECOND: u64 = 100;
const STARTS_PER_SECOND: u64 = 5000;

/// The top table of the processor that starts.
pub static ROOT: AtomicU64 = AtomicU64::new(0);

/// The number of the local interrupt controller of each processor.
static CONTROLLERS: [AtomicU64; PROCESSORS] = [const { AtomicU64::new(0) }; PROCESSORS];

unsafe extern "C" {
    // From the entry point.
    static trampoline: u8;
    static trampoline_end: u8;
}

/// The number of a processor's local interrupt controller.
#[inline]
pub fn controller_of(number: u64) -> u32 {
    CONTROLLERS[number as usize % PROCESSORS].load(Ordering::Relaxed) as u32
}

/// Why a processor does not start. This port learns of no reason.
#[derive(Clone, Copy, Debug)]
pub enum Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// Finds a local interrupt controller for each of this many processors.
pub fn find_processors(_: &Board, count: usize) {
    let own = irq::own_controller();
    CONTROLLERS[0].store(u64::from(own), Ordering::Relaxed);
    let mut found = 1;
    firmware::each_processor(|controller| {
        if let Some(processor) = CONTROLLERS.get(found).filter(|_| controller != own) {
            processor.store(u64::from(controller), Ordering::Relaxed);
            found += 1;
        }
    });
    if found < count {
        fatal(format_args!("processor {found} does not start: the machine has no such processor"));
    }
    boot::share_code();
    let bytes = (&raw const trampoline_end).addr() - (&raw const trampoline).addr();
    // SAFETY: the page is RAM that the identity map maps and that nothing of the image uses. The firmware's information in it has
    // been read.
    unsafe {
        (&raw const trampoline)
            .copy_to_nonoverlapping(with_exposed_provenance_mut(TRAMPOLINE as usize), bytes);
    }
}

/// Starts a processor on the kernel's tables under `kernel`.
///
/// # Errors
/// None: the caller notices that it does not come up.
pub fn processor(number: u64, kernel: Root) -> Result<(), Refusal> {
    ROOT.store(kernel.table.0, Ordering::Release);
    let to = controller_of(number);
    irq::send(to, Delivery::Reset);
    wait(RESETS_PER_SECOND, || false);
    // Old processors need the second one; others ignore it once they run.
    for _ in 0..2 {
        irq::send(to, Delivery::Start((TRAMPOLINE >> PAGE_BITS) as u8));
        wait(STARTS_PER_SECOND, || ARRIVED.load(Ordering::Acquire) == number);
    }
    Ok(())
}

/// Does nothing for a processor that was started: it starts at the trampoline, or not at all.
///
/// # Errors
/// None.
pub fn again(_: u64, _: Root) -> Result<(), Refusal> {
    Ok(())
}

/// Waits for a part of a second, or until `is_over`.
fn wait(parts: u64, is_over: impl Fn() -> bool) {
    let deadline = timer::now() + timer::ticks_per_second() / parts;
    while timer::now() < deadline && !is_over() {
        core::hint::spin_loop();
    }
}

/// Called by the entry point on a further processor.
pub(super) extern "C" fn further() -> ! {
    boot::prepare_further(PhysAddr(ROOT.load(Ordering::Acquire)));
    boot::share_code();
    processors::join()
}
