//! The kernel's timer: the time-stamp counter tells the time, the processor's interrupt controller counts down to a
//! deadline.
//!
//! Nothing says how fast either counts, so both are compared with the one clock whose rate is the same on every
//! machine, the 8254. Source: Intel SDM, volume 3, section 11.5.4; 8254 Programmable Interval Timer.

use core::sync::atomic::{AtomicU64, Ordering};

use limen_image::Board;

use super::cpu::timestamp;
use super::irq::{LOCAL, local};
use super::ports::{read_byte, write_byte};

/// Ticks of the 8254 in a second.
const REFERENCE_HZ: u64 = 1_193_182;
/// Ticks of the 8254 that a comparison takes: 100 microseconds.
const REFERENCE_TICKS: u16 = 119;
/// Comparisons. One that was disturbed took longer than it should have, so the shortest counts.
const COMPARISONS: usize = 3;

/// Divide by 16.
const DIVISOR: u32 = 0b0011;
/// Binary digits after the point of [`PER_TICK`].
const FRACTION_BITS: u32 = 32;

/// Ports of the 8254: its third counter, its mode, and the pins of that counter.
const COUNTER: u16 = 0x42;
const MODE: u16 = 0x43;
const PINS: u16 = 0x61;
/// The third counter counts down once, from a word that is written low byte first.
const MODE_COUNT_DOWN: u8 = 0xb0;
/// The counter runs.
const PIN_RUN: u8 = 1 << 0;
/// The counter is heard.
const PIN_SPEAKER: u8 = 1 << 1;
/// The counter is done.
const PIN_DONE: u8 = 1 << 5;

/// Ticks of the time-stamp counter in a second.
static FREQUENCY: AtomicU64 = AtomicU64::new(1);
/// Ticks of the count-down in a tick of the time-stamp counter, as a fraction.
static PER_TICK: AtomicU64 = AtomicU64::new(0);

/// Finds out how fast the clocks are and leaves the timer without a deadline.
pub fn init() {
    LOCAL.write(local::DIVISOR, DIVISOR);
    let (mut ticks, mut counts) = (u64::MAX, 0);
    for _ in 0..COMPARISONS {
        let (more_ticks, more_counts) = compare();
        if more_ticks < ticks {
            (ticks, counts) = (more_ticks, more_counts);
        }
    }
    FREQUENCY.store(ticks * REFERENCE_HZ / u64::from(REFERENCE_TICKS), Ordering::Relaxed);
    PER_TICK.store((counts << FRACTION_BITS) / ticks.max(1), Ordering::Relaxed);
    stop();
}

/// How far both clocks get while the reference counts down.
fn compare() -> (u64, u64) {
    let [low, high] = REFERENCE_TICKS.to_le_bytes();
    let pins = read_byte(PINS) & !(PIN_SPEAKER | PIN_RUN);
    write_byte(PINS, pins | PIN_RUN);
    write_byte(MODE, MODE_COUNT_DOWN);
    write_byte(COUNTER, low);
    write_byte(COUNTER, high);
    let start = timestamp();
    LOCAL.write(local::INITIAL_COUNT, u32::MAX);
    while read_byte(PINS) & PIN_DONE == 0 {}
    let counts = u32::MAX - LOCAL.read(local::CURRENT_COUNT);
    let ticks = timestamp() - start;
    write_byte(PINS, pins);
    (ticks, u64::from(counts))
}

/// The current time in ticks.
#[inline]
pub fn now() -> u64 {
    timestamp()
}

/// Ticks in a second, as [`init`] has found.
pub fn frequency(_: &Board) -> u64 {
    FREQUENCY.load(Ordering::Relaxed)
}

/// Asks for an interrupt at `deadline`, or earlier if that is too far away to count; replaces an earlier request.
#[inline]
pub fn set_deadline(deadline: u64) {
    let distance = deadline.saturating_sub(now()).min(u64::from(u32::MAX));
    let counts = (distance * PER_TICK.load(Ordering::Relaxed)) >> FRACTION_BITS;
    // Zero would stop the timer.
    LOCAL.write(local::INITIAL_COUNT, counts as u32 + 1);
}

/// Asks for no interrupt.
#[inline]
pub fn stop() {
    LOCAL.write(local::INITIAL_COUNT, 0);
}
