//! Digests while interrupts arrive that compute with vector registers, too.

use std::sync::atomic::Ordering;
use std::time::Duration;

use limen_simd::blake3::Vector;
use limen_simd::vectors::CallingConvention;

use crate::handled::{self, ARRIVED, DONE, PACKETS, Who};
use crate::{digest, linux};

/// How long interrupts arrive. All times are of the processor, as this program uses it.
const BURST: Duration = Duration::from_secs(2);
/// How often: not more often than Linux looks at such timers.
const INTERVAL: Duration = Duration::from_millis(20);
/// What part of the processor they take with vector registers: little, and more than a worker gets of it.
const SHARES: [f64; 2] = [0.2, 0.6];
const WAYS: [(&str, Who); 3] = [
    ("nested, with vector registers", Who::Nested),
    ("in plain code", Who::Plain),
    ("handed to a worker", Who::Worker),
];

/// Prints a line for each way. `packet` is how long a packet takes with vector registers.
pub fn print(packet: Duration, input: &[u8]) {
    linux::take_signals(false);
    let Ok((bells, bell)) = std::io::pipe() else { return };
    handled::serve(bells, bell);
    linux::take_signals(true);
    linux::handle(handled::interrupt);
    let quiet = digests(input, BURST);
    for share in SHARES {
        let packets = (INTERVAL.as_secs_f64() * share / packet.as_secs_f64()) as u64;
        PACKETS.store(packets, Ordering::Relaxed);
        print_share(packets, quiet, input);
    }
}

fn print_share(packets: u64, quiet: f64, input: &[u8]) {
    let ms = INTERVAL.as_millis();
    println!("\ndigests while an interrupt arrives every {ms} ms, which makes those of {packets} packets");
    println!("{:<34} {:>16} {:>10} {:>16}", "", "part of digests", "handled", "until all are");
    for (name, who) in WAYS {
        handled::choose(who, BURST);
        linux::set_timer(INTERVAL);
        let made = digests(input, BURST);
        linux::set_timer(Duration::ZERO);
        let done = DONE.load(Ordering::Relaxed) as f64 * INTERVAL.as_secs_f64() / BURST.as_secs_f64();
        let late = drain(input).as_millis();
        println!("{name:<34} {:>16.2} {done:>10.2} {late:>13} ms", made / quiet);
    }
}

/// Digests in this time.
fn digests(input: &[u8], time: Duration) -> f64 {
    let (start, mut count) = (linux::used(), 0.0);
    while linux::used() - start < time {
        digest(Vector(CallingConvention), input);
        count += 1.0;
    }
    count
}

/// Makes digests until what has arrived is handled.
fn drain(input: &[u8]) -> Duration {
    let start = linux::used();
    while DONE.load(Ordering::Relaxed) < ARRIVED.load(Ordering::Relaxed) {
        digest(Vector(CallingConvention), input);
    }
    linux::used() - start
}
