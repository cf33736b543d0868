//! The kernel's timer: the time-stamp counter keeps the time, and the local APIC's timer counts down to a deadline.
//!
//! Their rates are not documented anywhere, so boot calibrates both against the 8254, whose rate is the same on every
//! PC. Source: Intel SDM, volume 3, section 11.5.4; 8254 Programmable Interval Timer.

use core::sync::atomic::{AtomicU64, Ordering};

use limen_image::Board;

use super::cpu::timestamp;
use super::irq::{LOCAL, local};
use super::ports::{read_byte, write_byte};

/// Ticks of the 8254 per second.
const REFERENCE_HZ: u64 = 1_193_182;
/// Ticks of the 8254 per comparison: 100 microseconds.
const REFERENCE_TICKS: u16 = 119;
/// The number of comparisons. A disturbed one takes too long, so the shortest counts.
const COMPARISONS: usize = 3;

/// Divide by 16.
const DIVISOR: u32 = 0b0011;
/// Fraction bits of [`PER_TICK`].
const FRACTION_BITS: u32 = 32;

/// Ports of the 8254: its third counter, its mode register, and that counter's pins.
const COUNTER: u16 = 0x42;
const MODE: u16 = 0x43;
const PINS: u16 = 0x61;
/// Mode of the third counter: count down once from a word, low byte first.
const MODE_COUNT_DOWN: u8 = 0xb0;
/// The counter runs.
const PIN_RUN: u8 = 1 << 0;
/// The counter drives the speaker.
const PIN_SPEAKER: u8 = 1 << 1;
/// The counter is done.
const PIN_DONE: u8 = 1 << 5;

/// Ticks of the time-stamp counter per second.
static FREQUENCY: AtomicU64 = AtomicU64::new(1);
/// Local APIC timer counts per tick of the time-stamp counter, in fixed point.
static PER_TICK: AtomicU64 = AtomicU64::new(0);

/// Calibrates the clocks and leaves the timer without a deadline.
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

/// Leaves the timer of a further processor without a deadline. Its clocks have the rates of the first one's.
pub fn init_processor() {
    LOCAL.write(local::DIVISOR, DIVISOR);
    stop();
}

/// Ticks of both clocks while the reference counts down.
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

/// Ticks per second, as [`init`] measured.
pub fn frequency(_: &Board) -> u64 {
    ticks_per_second()
}

/// The same.
pub fn ticks_per_second() -> u64 {
    FREQUENCY.load(Ordering::Relaxed)
}

/// Asks for an interrupt at `deadline`, or earlier if the timer cannot count that far; replaces an earlier request.
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
