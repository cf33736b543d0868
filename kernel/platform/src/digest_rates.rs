//! Measures at boot, in images that ask for figures, how many digests the kernel computes while interrupts that also
//! compute digests arrive.
//!
//! Work computes a program's digests packet by packet. An interrupt is due at the start of each period, is polled
//! between packets, and brings its own packets. If it is due again, once or several times, before its handler has
//! ended, the handler runs once more. Traps and thread switches between program, handler and worker are not counted.

use core::fmt;

use limen_fpu::Open;
use limen_fpu::mask::All;
use limen_simd::blake3::Vector;
use limen_simd::blake3::plain::Plain;
use limen_simd::footprint;

use crate::section::WorkerRegisters;
use crate::section_costs::{PACKET_BYTES, count, packet, row, stamp};
use crate::section_test::{self, Over, Rehearsal};

/// Packets that fill a period with vector registers.
const PACKETS_OF_PERIOD: u64 = 5;
/// Packets per interrupt: few, and more than a worker's share of the processor.
const BROUGHT: [u64; 2] = [1, 3];
/// The number of periods in which interrupts arrive.
const PERIODS: u64 = 100;
/// Rates are bytes per this many instructions.
const INSTRUCTIONS: u64 = 10_000;

/// The context that computes the digests of interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Who {
    /// The handler, in a nested section.
    Nested,
    /// The handler, without vector registers.
    Plain,
    /// A worker, which alternates with the program.
    Worker,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nested => "nested",
            Self::Plain => "scalar",
            Self::Worker => "worker",
        })
    }
}

/// The right of a thread at work to use all registers.
type Right<'section> = Open<'section, All, WorkerRegisters>;

/// Packet counts so far.
#[derive(Clone, Copy, Default, Debug)]
struct Packets {
    of_program: u64,
    of_interrupts: u64,
    waiting: u64,
    is_turn_of_worker: bool,
}

/// Prints rows for each load and each kind of handler.
#[inline(never)]
pub fn print() {
    let mut rehearsal = Rehearsal::START;
    rehearsal.worker().section::<All, _>(|open| {
        let spent = count(|| vector(open));
        rate(format_args!("of=program mode=none load=0"), 1, spent);
        for brought in BROUGHT {
            for who in [Who::Nested, Who::Plain, Who::Worker] {
                burst(&mut rehearsal, open, who, brought, spent * PACKETS_OF_PERIOD);
            }
        }
    });
    rehearsal.prepare(Over::Nobody);
}

#[inline(never)]
fn rate(what: fmt::Arguments<'_>, packets: u64, spent: u64) {
    row(format_args!("model_digest_rate {what}"), packets * PACKET_BYTES as u64 * INSTRUCTIONS / spent);
}

/// Digests a packet with vector registers.
#[inline(never)]
fn vector(open: Right<'_>) {
    section_test::digest(Vector(open), packet());
}

/// Measures and prints a burst of interrupts.
#[inline(never)]
fn burst(rehearsal: &mut Rehearsal, open: Right<'_>, who: Who, brought: u64, period: u64) {
    let mut packets = Packets::default();
    let start = stamp();
    let (mut now, mut next) = (0, 0);
    while now < period * PERIODS {
        if now < next {
            packets.take_turn(open);
        } else {
            next = (now / period + 1) * period;
            packets.interrupt(rehearsal, open, who, brought);
        }
        now = stamp() - start;
    }
    let load = 100 * brought / PACKETS_OF_PERIOD;
    rate(format_args!("of=program mode={who} load={load}"), packets.of_program, now);
    rate(format_args!("of=interrupts mode={who} load={load}"), packets.of_interrupts, now);
    if packets.waiting > 0 {
        let late = count(|| {
            while packets.waiting > 0 {
                packets.take_turn(open);
            }
        });
        row(format_args!("model_digest_recovery mode={who} load={load}"), late);
    }
}

impl Packets {
    /// Handles an interrupt.
    fn interrupt(&mut self, rehearsal: &mut Rehearsal, open: Right<'_>, who: Who, brought: u64) {
        for _ in 0..brought {
            match who {
                // The section saves the registers that a digest changes. The digest uses the interrupted section's
                // right, so that the kernel holds this code only once.
                Who::Nested => rehearsal.interrupt().section::<footprint::Blake3, _>(|_| vector(open)),
                Who::Plain => _ = section_test::digest(Plain, packet()),
                Who::Worker => self.waiting += 1,
            }
            self.of_interrupts += u64::from(who != Who::Worker);
        }
    }

    /// Digests a packet: the worker's, if it has one and the program had the last turn, otherwise the program's.
    fn take_turn(&mut self, open: Right<'_>) {
        vector(open);
        self.is_turn_of_worker = !self.is_turn_of_worker && self.waiting > 0;
        if self.is_turn_of_worker {
            self.waiting -= 1;
            self.of_interrupts += 1;
        } else {
            self.of_program += 1;
        }
    }
}
