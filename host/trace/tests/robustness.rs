//! Damaged rings: whatever the bytes, the outputs are well-formed and in proportion to the input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails if its setup fails")]

mod support;
#[path = "support/wire.rs"]
mod wire;

use limen_abi::Syscall;
use limen_abi::trace::{EntryReason, HEADER_BYTES, HeaderWord, NO_THREAD, RECORD_BYTES, WaitedObject};
use limen_trace::figures::Figures;
use limen_trace::ring::BEHIND;
use limen_trace::{Reader, Recording, System, Timeline, log, page, perfetto, table};
use proptest::prelude::*;
use support::{Ring, THREADS, scene};

fn read_all(copies: &[Vec<u8>]) -> Result<Vec<Recording>, String> {
    let mut reader = Reader::default();
    for copy in copies {
        reader.add(copy)?;
    }
    reader.finish()
}

/// The recording of the only processor.
fn read(copies: &[Vec<u8>]) -> Result<Recording, String> {
    read_all(copies).map(|mut recordings| {
        assert_eq!(recordings.len(), 1);
        recordings.remove(0)
    })
}

fn check(recording: &Recording) {
    check_all(std::slice::from_ref(recording));
}

/// Makes every output and checks it.
fn check_all(recordings: &[Recording]) {
    let system = System::of_threads(&THREADS);
    let timeline = Timeline::new(recordings, &system);
    let file = perfetto::file(&timeline, &system);
    let count = wire::lines(&file).len();
    assert!(count <= 16 * (timeline.records + 4 * recordings.len()), "{count} lines");
    let page = page::page(&timeline, &system, "x");
    roxmltree::Document::parse(page.trim_start_matches("<!doctype html>\n")).unwrap();
    assert!(!table::text(&timeline, &system).contains(|c: char| c.is_control() && c != '\n'));
    let figures = Figures::new(&timeline);
    let running: u128 = figures.usage.iter().map(|usage| u128::from(usage.running)).sum();
    // Longer times are cut off.
    let is_exact = figures.total < i64::MAX as u64;
    let total = u128::from(figures.total) * recordings.len() as u128;
    assert!(!is_exact || running <= total, "{running} of {total}");
    assert!(figures.rests.iter().all(|rest| rest.idle <= figures.total && rest.unknown <= figures.total));
}

#[test]
fn copies_in_any_order_give_the_same_recording() {
    let (mut ring, mut copies) = (Ring::new(64), Vec::new());
    for _ in 0..20 {
        ring.call(0, 1).pass(10).reply(1, 0).pass(10);
        copies.push(ring.copy());
    }
    let recording = read(&copies).unwrap();
    assert_eq!(
        (recording.records.len() as u64, recording.lost_count(), recording.damaged),
        (ring.next, 0, 0)
    );
    copies.reverse();
    assert_eq!(read(&copies).unwrap(), recording);
    let last_only = read(&copies[..1]).unwrap();
    assert_eq!((last_only.records.len(), last_only.lost_count()), (64, ring.next - 64));
    assert_eq!(last_only.lost_between(), 0);
}

/// However late the last copy is.
#[test]
fn a_recording_ends_at_an_instant() {
    let recorded = |more: usize| {
        let mut ring = Ring::new(128);
        for _ in 0..5 + more {
            ring.call(0, 1).pass(100).reply(1, 0).pass(100);
        }
        let mut reader = Reader::default();
        reader.add(&ring.copy()).unwrap();
        reader.cut(1000);
        reader.finish().unwrap().remove(0)
    };
    assert_eq!((recorded(0), recorded(3).lost_count()), (recorded(3), 0));
    assert_eq!(recorded(0).records.last().map(|record| record.time - 1000), Some(1000));
}

/// However many interrupts of the timer the last copy has of an idle machine.
#[test]
fn a_recording_ends_when_the_last_thread_stops() {
    let recorded = |interrupts: usize, more: usize| {
        let mut ring = Ring::new(128);
        ring.call(0, 1).pass(100).reply(1, 0).pass(100);
        ring.enter(0, Syscall::Recv).block(0, WaitedObject::Endpoint).leave(0, NO_THREAD);
        for _ in 0..interrupts {
            ring.pass(1000).enter_for(NO_THREAD, EntryReason::Interrupt).leave(NO_THREAD, NO_THREAD);
        }
        for _ in 0..more {
            ring.pass(1000).enter_for(NO_THREAD, EntryReason::Interrupt).leave(NO_THREAD, 0).pass(10);
        }
        let mut reader = Reader::default();
        reader.add(&ring.copy()).unwrap();
        reader.cut_idle_end();
        reader.finish().unwrap().remove(0)
    };
    let idle = recorded(0, 0);
    assert_eq!((recorded(1, 0), recorded(9, 0), idle.lost_count()), (idle.clone(), idle.clone(), 0));
    assert_eq!(idle.records.last().map(|record| record.time), Some(1230));
    // A thread that runs again shows how long the machine was idle.
    assert_eq!(recorded(9, 1).records.len(), idle.records.len() + 9 * 2 + 3);
}

/// However early a copy is made after the last line, also before what belongs to the line has ended.
#[test]
fn a_recording_that_goes_on_after_its_last_line_ends_when_the_last_thread_stops() {
    let recorded = |seen: usize| {
        let mut ring = Ring::new(128);
        let mut reader = Reader::default();
        for _ in 0..6 {
            ring.call(0, 1).pass(100).reply(1, 0).pass(100);
        }
        ring.enter(0, Syscall::Recv).block(0, WaitedObject::Endpoint).leave(0, NO_THREAD);
        let mut line = None;
        for interrupt in 0..12 {
            if interrupt == seen {
                reader.add(&ring.copy()).unwrap();
                line = Some(reader.nanoseconds());
            }
            ring.pass(BEHIND / 4).enter_for(NO_THREAD, EntryReason::Interrupt).leave(NO_THREAD, NO_THREAD);
        }
        // If no copy was made before, the line was seen during the first call.
        assert!(reader.add(&ring.copy()).is_ok() && reader.end_soon_after(line.unwrap_or(50)));
        reader.cut_idle_end();
        reader.finish().unwrap().remove(0)
    };
    let whole = recorded(0);
    assert_eq!((whole.lost_count(), whole.records.last().map(|record| record.time)), (0, Some(2330)));
    assert_eq!([recorded(3), recorded(7), recorded(12)], [whole.clone(), whole.clone(), whole]);
}

#[test]
fn a_record_that_is_being_written_is_lost() {
    let ring = scene(128);
    let mut torn = ring.clone();
    let slot = 10;
    torn.damage(((HEADER_BYTES + slot * RECORD_BYTES) / 8) as usize, u64::MAX);
    let recording = read(&[torn.copy()]).unwrap();
    assert_eq!(
        (recording.lost.first(), recording.lost_count(), recording.lost_between()),
        (Some(&(slot..slot + 1)), 1, 1)
    );
    assert_eq!(Timeline::new(&[recording], &System::default()).processors[0].losses.len(), 1);
    // Another copy has it.
    assert_eq!(read(&[torn.copy(), ring.copy()]).unwrap().lost_count(), 0);
}

#[test]
fn one_impossible_time_does_not_move_the_others() {
    let ring = scene(128);
    let whole = read(&[ring.copy()]).unwrap();
    for (slot, time) in [(10_u64, u64::MAX), (10, 0), (0, u64::MAX)] {
        let mut damaged = ring.clone();
        damaged.damage(((HEADER_BYTES + slot * RECORD_BYTES) / 8) as usize + 1, time);
        let recording = read(&[damaged.copy()]).unwrap();
        assert_eq!(recording.disordered, 1);
        assert_eq!(recording.records.last(), whole.records.last());
        assert!(recording.records.is_sorted_by_key(|record| record.time));
        check(&recording);
    }
}

#[test]
fn what_is_no_ring_is_refused_with_a_reason() {
    let reason = |change: &dyn Fn(&mut Ring)| {
        let mut ring = scene(128);
        change(&mut ring);
        read(&[ring.copy()]).map(|recording| recording.records.len()).unwrap_err()
    };
    assert!(reason(&|ring| ring.damage(HeaderWord::MAGIC, 1)).starts_with("no ring of trace records"));
    assert!(reason(&|ring| ring.damage(HeaderWord::SLOTS, 3)).contains("it has 3 slots"));
    assert!(reason(&|ring| ring.damage(HeaderWord::COUNT, 0)).starts_with("the ring has no records"));
    assert!(reason(&|ring| *ring = Ring::new(4)).starts_with("the ring has no records"));
    assert!(read(&[scene(128).copy()[..20].to_vec()]).unwrap_err().contains("cut off"));
    assert!(read(&[Vec::new()]).is_err() && read(&[]).is_err());
    let other = read(&[scene(128).copy(), scene(64).copy()]).unwrap_err();
    assert!(other.ends_with("slots 64 instead of 128"), "{other}");
}

#[test]
fn a_ring_is_found_behind_notes_of_any_length() {
    const PAGE: u64 = 0x9000_1000;
    let mut ring = scene(128);
    ring.damage(HeaderWord::PADDR, PAGE);
    for notes in [8, 12] {
        let file = [vec![0; notes], ring.copy()].concat();
        for paddr in [Some(PAGE), None] {
            assert_eq!(limen_trace::ring::find(&file, paddr), Some(&file[notes..]), "{notes}");
        }
        assert_eq!(limen_trace::ring::find(&file, Some(PAGE + 1)), None);
    }
}

#[test]
fn a_log_gives_the_same_recording() {
    let ring = scene(128);
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let line = |(at, bytes): (usize, &[u8])| format!("LIMEN|TRACE {:x} {}\r\n", at * 64, digits(bytes));
    let log: String = ring.copy().chunks(64).enumerate().map(line).collect();
    let copies = log::copies(log.as_bytes());
    assert_eq!(read(&copies).unwrap(), read(&[ring.copy()]).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn damaged_rings_are_read_or_refused(
        hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        numbers in proptest::collection::vec((8_usize..260, any::<u64>()), 0..8),
        length in any::<prop::sample::Index>(),
        is_cut in proptest::bool::weighted(0.2),
    ) {
        let mut ring = scene(64);
        numbers.iter().for_each(|(word, number)| ring.damage(*word, *number));
        let mut copy = ring.copy();
        let bytes = copy.len();
        hits.iter().for_each(|(at, byte)| copy[at.index(bytes)] = *byte);
        if is_cut {
            copy.truncate(length.index(bytes));
        }
        if let Ok(recordings) = read_all(&[copy, scene(64).copy()]) {
            check_all(&recordings);
        }
    }

    #[test]
    fn any_records_give_well_formed_outputs(
        records in proptest::collection::vec((0_u64..40, 0_u64..6, 0_u64..40, any::<u64>(), 0_u64..50), 1..300),
    ) {
        let mut ring = Ring::new(512);
        for (kind, thread, first, second, time) in records {
            // Six is no thread, and some first values are threads, no threads or huge.
            let thread = if thread == 5 { 0xffff } else { thread };
            let first = match first { 37 => 0xffff, 38 => 0xffff_ffff, 39 => 0x1_0000, other => other };
            ring.push_raw(kind | thread << 16 | first << 32, second).pass(time);
        }
        check(&read(&[ring.copy()]).unwrap());
    }
}
