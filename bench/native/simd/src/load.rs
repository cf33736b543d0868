//! Digests while interrupts arrive that also use vector registers.

use std::sync::atomic::Ordering;
use std::time::Duration;

use limen_simd::blake3::Vector;
use limen_simd::vectors::CallingConvention;

use crate::handled::{self, ARRIVED, DONE, PACKETS, Who};
use crate::{digest, linux};

/// The duration of the interrupts. All times are processor time of this program.
const BURST: Duration = Duration::from_secs(2);
/// The interval: not shorter than the resolution of such timers in Linux.
const INTERVAL: Duration = Duration::from_millis(20);
/// The part of the processor that they use with vector registers: a small one, and one above a worker's share.
const SHARES: [f64; 2] = [0.2, 0.6];
/// The tasks that handle packets, with their words in rows.
const WAYS: [(&str, &str, Who); 3] = [
    ("nested, with vector registers", "nested", Who::Nested),
    ("in plain code", "scalar", Who::Plain),
    ("handed to a worker", "worker", Who::Worker),
];

/// Prints a line for each context. `packet` is the time per packet with vector registers.
pub fn print(packet: Duration, input: &[u8]) {
    linux::take_signals(false);
    let Ok((bells, bell)) = std::io::pipe() else { return };
    handled::serve(bells, bell);
    linux::take_signals(true);
    linux::handle(handled::interrupt);
    let quiet = digests(input, BURST);
    println!("ROW name=burst_digests load=0 mode=none samples={quiet:.0}");
    for share in SHARES {
        let packets = (INTERVAL.as_secs_f64() * share / packet.as_secs_f64()) as u64;
        PACKETS.store(packets, Ordering::Relaxed);
        print_share(share, packets, quiet, input);
    }
}

fn print_share(share: f64, packets: u64, quiet: f64, input: &[u8]) {
    let ms = INTERVAL.as_millis();
    println!("\ndigests while an interrupt arrives every {ms} ms, which makes those of {packets} packets");
    println!("{:<34} {:>16} {:>10} {:>16}", "", "part of digests", "handled", "until all are");
    for (name, word, who) in WAYS {
        handled::choose(who, BURST);
        linux::set_timer(INTERVAL);
        let made = digests(input, BURST);
        linux::set_timer(Duration::ZERO);
        let handled = DONE.load(Ordering::Relaxed);
        let done = handled as f64 * INTERVAL.as_secs_f64() / BURST.as_secs_f64();
        let late = drain(input).as_millis();
        println!("{name:<34} {:>16.2} {done:>10.2} {late:>13} ms", made / quiet);
        let row = format!("load={:.0} mode={word}", share * 100.0);
        println!("ROW name=burst_digests {row} samples={made:.0}");
        println!("ROW name=burst_due {row} samples={}", BURST.as_nanos() / INTERVAL.as_nanos());
        println!("ROW name=burst_handled {row} samples={handled}");
        println!("ROW name=burst_late_ms {row} samples={late}");
    }
}

/// Computes digests for this time and returns their number.
fn digests(input: &[u8], time: Duration) -> f64 {
    let (start, mut count) = (linux::used(), 0.0);
    while linux::used() - start < time {
        digest(Vector(CallingConvention), input);
        count += 1.0;
    }
    count
}

/// Computes digests until all interrupts are handled.
fn drain(input: &[u8]) -> Duration {
    let start = linux::used();
    while DONE.load(Ordering::Relaxed) < ARRIVED.load(Ordering::Relaxed) {
        digest(Vector(CallingConvention), input);
    }
    linux::used() - start
}
