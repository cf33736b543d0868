//! The reader of trace rings: any bytes give a timeline or an error, and a timeline gives all of its outputs.

#[path = "../../trace/tests/support/mod.rs"]
#[allow(clippy::unwrap_used, reason = "shared with the tests")]
mod support;

use limen_trace::figures::Figures;
use limen_trace::ring::{self, Place};
use limen_trace::{Reader, System, Trace, log};
use support::{THREADS, memory, scene, spread};

use crate::Target;

pub(crate) const TARGET: Target = Target { name: "trace", seeds, words: &WORDS, try_input };

const WORDS: [&[u8]; 5] = [b"LIMENTRC", b"LIMEN|TRACE 0 ", b"\n", &[0xff; 8], &[33, 0, 0, 0, 17, 0, 0, 0]];

fn seeds() -> Vec<Vec<u8>> {
    let ring = scene(128).copy();
    let digits: String = ring.iter().map(|byte| format!("{byte:02x}")).collect();
    let log = format!("boot\r\nLIMEN|TRACE 0 {digits}\r\n").into_bytes();
    let several = memory(&mut spread(64), 64, 0x4000_0000);
    vec![ring, scene(16).copy(), log, several]
}

/// Reads the rings in these bytes, and makes all outputs.
///
/// # Panics
/// When an output is larger than its input allows, or contradicts itself.
pub fn try_input(bytes: &[u8]) {
    let mut reader = Reader::default();
    let copies = log::copies(bytes);
    assert!(copies.iter().map(Vec::len).sum::<usize>() <= bytes.len(), "more memory than the log has");
    let rings = ring::find_all(bytes, Place::UNKNOWN).into_iter();
    let in_log = copies.iter().flat_map(|copy| ring::find_all(copy, Place::UNKNOWN));
    for copy in rings.chain(in_log).chain(copies.iter().map(Vec::as_slice)) {
        // A copy that does not belong to the others is refused.
        _ = reader.add(copy);
    }
    let most = bytes.len();
    let Ok(trace) = Trace::new(reader, System::of_threads(&THREADS), &[]) else { return };
    let (perfetto, page) = (trace.perfetto(), trace.page("fuzz"));
    assert!(perfetto.len() <= 1000 + 64 * most, "{} bytes for Perfetto from {most}", perfetto.len());
    assert!(page.len() <= 100_000 + 64 * most, "a page of {} bytes from {most}", page.len());
    assert!(!trace.table().contains(|c: char| c.is_control() && c != '\n'), "control characters");
    let figures = Figures::new(trace.timeline());
    let fits = |time: u64| time <= figures.total;
    assert!(figures.rests.iter().all(|rest| fits(rest.idle) && fits(rest.unknown)), "{figures:?}");
}
