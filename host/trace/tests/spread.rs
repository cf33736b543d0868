//! Rings of several processors: each has a track, and arrows lead from one to another.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails if its setup fails")]

mod support;
#[path = "support/wire.rs"]
mod wire;

use limen_abi::Syscall;
use limen_abi::trace::{
    EntryReason, HEADER_BYTES, HeaderWord, MESSAGE_LINE, NO_THREAD, RECORD_BYTES, TraceKind, WaitedObject,
    memory_bytes,
};
use limen_trace::figures::{Figures, Path, Usage};
use limen_trace::ring::{self, Place};
use limen_trace::timeline::{Cause, State, Wait, What};
use limen_trace::{Reader, Recording, System, Timeline, log, page, perfetto, table};
use proptest::prelude::*;
use support::{CLIENT, DRIVER, MONITOR, Ring, SERVER, THREADS, golden, memory, spread};

const SLOTS: u64 = 64;
/// The address of the rings in memory.
const PADDR: u64 = 0x9000_0000;

fn system() -> System {
    System::of_threads(&THREADS)
}

fn read<'c>(copies: impl IntoIterator<Item = &'c [u8]>) -> Vec<Recording> {
    let mut reader = Reader::default();
    copies.into_iter().for_each(|copy| _ = reader.add(copy).unwrap());
    reader.finish().unwrap()
}

fn timeline(rings: &[Ring]) -> Timeline {
    let copies: Vec<_> = rings.iter().map(Ring::copy).collect();
    Timeline::new(&read(copies.iter().map(Vec::as_slice)), &system())
}

fn place(rings: u64) -> Place {
    Place { paddr: Some(PADDR), bytes: memory_bytes(SLOTS * RECORD_BYTES), rings }
}

/// Arrows: cause, threads, and times of start and end.
fn arrows(timeline: &Timeline) -> Vec<(Cause, u16, u16, u64, Option<u64>)> {
    let flows = timeline.flows.iter();
    flows.map(|flow| (flow.cause, flow.from.unwrap(), flow.to, flow.start, flow.end)).collect()
}

#[test]
fn arrows_lead_from_one_processor_to_another() {
    let timeline = timeline(&spread(SLOTS));
    let [client, server, driver, monitor] = [CLIENT, SERVER, DRIVER, MONITOR].map(|thread| thread as u16);
    assert_eq!(
        arrows(&timeline),
        [
            (Cause::Call, client, server, 1110, Some(1220)),
            (Cause::Reply, server, client, 1430, Some(1520)),
            (Cause::Signal, client, driver, 1610, Some(1670)),
            // The one in between has woken no thread.
            (Cause::Signal, client, driver, 2110, Some(2220)),
            (Cause::Wake, client, monitor, 2320, Some(2420)),
        ]
    );
    // The marks where arrows start have their numbers.
    let marks = &timeline.threads[&client].track.marks;
    let of = |kind| marks.iter().filter(move |mark| mark.record.kind() == Some(kind)).map(|mark| mark.flow);
    assert_eq!(of(TraceKind::CallElsewhere).collect::<Vec<_>>(), [Some(0)]);
    assert_eq!(of(TraceKind::SignalElsewhere).collect::<Vec<_>>(), [Some(2), None, Some(3)]);
    assert_eq!(of(TraceKind::Fault).collect::<Vec<_>>(), [Some(4)]);
    let calls: Vec<_> = timeline.calls.iter().map(|call| (call.from, call.to, call.times)).collect();
    assert_eq!(calls, [(client, server, [1110, 1430])]);
}

#[test]
fn a_caller_waits_until_its_own_processor_has_the_reply() {
    let timeline = timeline(&spread(SLOTS));
    let client = &timeline.threads[&(CLIENT as u16)];
    let states = client.track.slices.iter().filter_map(|slice| match slice.what {
        What::State(state) => Some((state, slice.start, slice.end)),
        _ => None,
    });
    let states: Vec<_> = states.collect();
    assert_eq!(
        states[..4],
        [
            (State::Running, 1000, 1110),
            (State::Waiting(Wait::Reply(None)), 1110, 1220),
            (State::Waiting(Wait::Reply(Some(SERVER as u16))), 1220, 1520),
            (State::Running, 1520, 2320),
        ]
    );
    assert!(matches!(states[4].0, State::Waiting(Wait::FaultHandler(_))));
}

/// The client on processor 0 and, if both ask, the driver on 2 ask processor 1, which resumes the server.
fn resumes(both: bool) -> [Ring; 3] {
    let [mut first, mut second, mut third] = [0, 1, 2].map(|processor| Ring::of_processor(SLOTS, processor));
    let at_second = |ring: &mut Ring, thread| {
        ring.enter(thread, Syscall::Call).push(TraceKind::Block, thread, WaitedObject::Processor.as_raw(), 1);
        ring.leave(thread, NO_THREAD);
    };
    first.at(1000).push(TraceKind::Switch, NO_THREAD, CLIENT, 100).pass(100);
    at_second(&mut first, CLIENT);
    third.at(1000).push(TraceKind::Switch, NO_THREAD, if both { DRIVER } else { NO_THREAD }, 100).pass(120);
    if both {
        at_second(&mut third, DRIVER);
    }
    second.at(1200).push(TraceKind::Switch, NO_THREAD, NO_THREAD, 0);
    second.enter_for(NO_THREAD, EntryReason::Interrupt).push(
        TraceKind::Interrupt,
        NO_THREAD,
        MESSAGE_LINE,
        0,
    );
    second.push(TraceKind::Wake, NO_THREAD, SERVER, 0).leave(NO_THREAD, SERVER).pass(200);
    // The answer. It is no resume of the client by the server.
    first.at(1300).enter_for(NO_THREAD, EntryReason::Interrupt);
    first.push(TraceKind::Interrupt, NO_THREAD, MESSAGE_LINE, 0).push(TraceKind::Wake, NO_THREAD, CLIENT, 0);
    first.leave(NO_THREAD, CLIENT).pass(100);
    [first, second, third]
}

#[test]
fn an_arrow_leads_from_a_resume_to_a_thread_of_another_processor() {
    let [client, server] = [CLIENT, SERVER].map(|thread| thread as u16);
    let ends = |timeline: &Timeline| -> Vec<_> {
        timeline.flows.iter().map(|flow| (flow.from, flow.to, flow.entry, flow.end)).collect()
    };
    let answer = (None, client, 1300, Some(1320));
    let timeline = timeline(&resumes(false));
    assert_eq!(ends(&timeline), [(Some(client), server, 1100, Some(1220)), answer]);
    let marks = &timeline.threads[&client].track.marks;
    assert_eq!(marks.iter().map(|mark| (mark.time, mark.flow)).collect::<Vec<_>>(), [(1110, Some(0))]);
    let file = wire::lines(&perfetto::file(&timeline, &system())).join("\n");
    assert!(file.contains("asks processor 1"), "{file}");
    // Of two that ask, either can have resumed it.
    let timeline = self::timeline(&resumes(true));
    assert_eq!(ends(&timeline), [(None, server, 1200, Some(1220)), answer]);
}

#[test]
fn each_processor_has_its_time() {
    let timeline = timeline(&spread(SLOTS));
    let figures = Figures::new(&timeline);
    assert_eq!(timeline.processors.iter().map(|one| one.number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    for rest in &figures.rests {
        let own = figures.usage.iter().filter(|usage| usage.processor == rest.processor);
        let running: u64 = own.map(|usage| usage.running).sum();
        assert_eq!((running + rest.idle, rest.unknown), (figures.total, 0), "{rest:?}");
    }
    // Without an event, it was idle.
    assert_eq!(figures.rests[3].idle, figures.total);
    let path = Path::Signal(Some(CLIENT as u16), DRIVER as u16);
    let latency = figures.latencies.iter().find(|latency| latency.path == path).unwrap();
    // From the entry of the sender to the first instruction elsewhere.
    assert_eq!(latency.times, [70, 120]);
}

#[test]
fn the_files_and_the_table_show_all_processors() {
    let timeline = timeline(&spread(SLOTS));
    let file = perfetto::file(&timeline, &system());
    golden("spread.perfetto.txt", &(wire::lines(&file).join("\n") + "\n"));
    golden("spread.table.txt", &table::text(&timeline, &system()));
    let page = page::page(&timeline, &system(), "x");
    let document = roxmltree::Document::parse(page.trim_start_matches("<!doctype html>\n")).unwrap();
    let data = document.descendants().find(|node| node.attribute("id") == Some("data")).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.text().unwrap()).unwrap();
    let lanes = data["lanes"].as_array().unwrap();
    let names: Vec<_> = lanes.iter().map(|lane| lane["name"].as_str().unwrap()).collect();
    let expected =
        ["processor 0", "client", "processor 1", "server", "monitor", "processor 2", "driver", "processor 3"];
    assert_eq!(names, expected);
}

#[test]
fn losses_are_those_of_their_processor() {
    let mut rings = spread(SLOTS);
    // The reply and what follows it.
    for slot in 6..9 {
        rings[1].damage(((HEADER_BYTES + slot * RECORD_BYTES) / 8) as usize, u64::MAX);
    }
    let timeline = timeline(&rings);
    let lost: Vec<_> =
        timeline.processors.iter().map(|one| one.losses.iter().map(|loss| loss.count).sum::<u64>()).collect();
    assert_eq!(lost, [0_u64, 3, 0, 0]);
    let text = table::text(&timeline, &system());
    assert!(text.contains("lost records of processor 1: 3 between others, 0 before"), "{text}");
    // Programs of other processors go on, and the client is woken without an arrow from the server.
    let figures = Figures::new(&timeline);
    assert_eq!(
        figures.rests.iter().map(|rest| rest.unknown > 0).collect::<Vec<_>>(),
        [false, true, false, false]
    );
    assert!(timeline.flows.iter().all(|flow| flow.cause != Cause::Reply));
    let file = wire::lines(&perfetto::file(&timeline, &system())).join("\n");
    assert!(file.contains("lost records of processor 1"), "{file}");
}

#[test]
fn a_missing_ring_leaves_the_others() {
    for missing in 0..4 {
        let mut rings = spread(SLOTS).to_vec();
        rings.remove(missing);
        let timeline = timeline(&rings);
        assert_eq!(timeline.processors.len(), 3);
        assert!(timeline.processors.iter().all(|processor| processor.number != missing as u64));
        assert!(table::text(&timeline, &system()).contains("records of 3 processors in"));
    }
    // The report says how many there should be.
    let report = r#"{"threads": [{"name": "client"}], "trace": {"paddr": null, "bytes": 4096, "rings": 4, "frequency": null, "programs": []}}"#;
    let [first, ..] = spread(SLOTS);
    let timeline = Timeline::new(&read([first.copy().as_slice()]), &System::new(report, &[]).unwrap());
    assert_eq!(timeline.oddities.iter().map(|(count, _)| *count).collect::<Vec<_>>(), [3]);
}

#[test]
fn a_clock_that_goes_back_is_mended_in_its_own_ring() {
    let mut rings = spread(SLOTS);
    // Record 5 of processor 1 has a time before the beginning.
    let time = ((HEADER_BYTES + 5 * RECORD_BYTES) / 8) as usize + 1;
    rings[1].damage(time, 7);
    let copies: Vec<_> = rings.iter().map(Ring::copy).collect();
    let recordings = read(copies.iter().map(Vec::as_slice));
    assert_eq!(recordings.iter().map(|one| one.disordered).collect::<Vec<_>>(), [0, 1, 0, 0]);
    let timeline = Timeline::new(&recordings, &system());
    assert_eq!(timeline.range, [1000, 2730]);
    assert_eq!(timeline.flows.len(), 5);
}

#[test]
fn all_rings_of_a_memory_are_found() {
    let mut rings = spread(SLOTS);
    let whole = memory(&mut rings, SLOTS, PADDR);
    let dump = [vec![0; 0x3000], whole.clone()].concat();
    let numbers = |memory: &[u8], place| {
        let recordings = read(ring::find_all(memory, place));
        recordings.iter().map(|recording| recording.header.processor).collect::<Vec<_>>()
    };
    for memory in [&whole, &dump] {
        for place in [place(4), Place::UNKNOWN] {
            assert_eq!(numbers(memory, place), [0, 1, 2, 3]);
        }
    }
    // One of them alone, and all without the first or the second.
    let bytes = memory_bytes(SLOTS * RECORD_BYTES) as usize;
    assert_eq!(numbers(&whole[bytes..2 * bytes], place(4)), [1]);
    let without = |number: usize| {
        let mut memory = dump.clone();
        memory[0x3000 + number * bytes] = 0;
        memory
    };
    assert_eq!(numbers(&without(0), place(4)), [1, 2, 3]);
    assert_eq!(numbers(&without(1), place(4)), [0, 2, 3]);
    // The size in a header leads nowhere.
    for slots in [1 << 63, 1 << 40, 1] {
        rings[0].damage(HeaderWord::SLOTS, slots);
        assert_eq!(ring::find_all(&rings[0].copy(), place(4)).len(), 1);
    }
}

#[test]
fn a_log_has_offsets_over_all_rings() {
    let memory = memory(&mut spread(SLOTS), SLOTS, PADDR);
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines = memory.chunks(64).enumerate().filter(|(_, bytes)| bytes.iter().any(|byte| *byte != 0));
    let lines = lines.map(|(at, bytes)| format!("LIMEN|TRACE {:x} {}\r\n", at * 64, digits(bytes)));
    let log: String = lines.collect();
    let [copy] = &log::copies(log.as_bytes())[..] else { panic!("not one copy") };
    assert_eq!(read(ring::find_all(copy, place(4))), read(ring::find_all(&memory, place(4))));
}

#[test]
fn rings_of_another_system_are_refused() {
    let refused = |change: &dyn Fn(&mut Ring)| {
        let mut reader = Reader::default();
        let [first, mut second, ..] = spread(SLOTS);
        change(&mut second);
        reader.add(&first.copy()).unwrap();
        reader.add(&second.copy()).unwrap_err()
    };
    assert!(
        refused(&|ring| ring.damage(HeaderWord::FREQUENCY, 5))
            .ends_with("ticks per second 5 instead of 1000000000")
    );
    assert!(refused(&|ring| ring.damage(HeaderWord::PROCESSOR, 4)).ends_with("it is of processor 4"));
    assert!(refused(&|ring| *ring = Ring::of_processor(32, 1)).ends_with("slots 32 instead of 64"));
}

#[test]
fn a_recording_of_several_processors_ends_at_an_instant() {
    let mut reader = Reader::default();
    spread(SLOTS).iter().for_each(|ring| _ = reader.add(&ring.copy()).unwrap());
    assert_eq!(reader.nanoseconds(), 1730);
    reader.cut(600);
    let recordings = reader.finish().unwrap();
    assert!(recordings.iter().flat_map(|one| &one.records).all(|record| record.time <= 1600));
    assert!(recordings.iter().all(|one| one.lost.is_empty()), "{recordings:?}");
}

/// Makes every output and checks it.
fn check(recordings: &[Recording]) {
    let timeline = Timeline::new(recordings, &system());
    let lines = wire::lines(&perfetto::file(&timeline, &system())).len();
    assert!(lines <= 16 * (timeline.records + 4 * recordings.len()), "{lines} lines");
    let page = page::page(&timeline, &system(), "x");
    roxmltree::Document::parse(page.trim_start_matches("<!doctype html>\n")).unwrap();
    assert!(!table::text(&timeline, &system()).contains(|c: char| c.is_control() && c != '\n'));
    let figures = Figures::new(&timeline);
    // Rings that contradict each other may have a thread on two processors, so more threads can run than there are processors.
    let is_within = |usage: &Usage| figures.total == i64::MAX as u64 || usage.running <= figures.total;
    assert!(figures.usage.iter().all(is_within), "{:?} of {}", figures.usage, figures.total);
    for slice in timeline.threads.values().flat_map(|thread| &thread.track.slices) {
        assert!(slice.start <= slice.end);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_records_of_several_processors_give_well_formed_outputs(
        records in proptest::collection::vec(
            (0..4_usize, 0_u64..40, 0_u64..6, 0_u64..40, 0_u64..8, 0_u64..50), 1..300),
        holes in proptest::collection::vec((0..4_usize, 0..64_u64), 0..6),
    ) {
        let mut rings = [0, 1, 2, 3].map(|processor| Ring::of_processor(SLOTS, processor));
        for (at, kind, thread, first, second, time) in records {
            let thread = if thread == 5 { NO_THREAD } else { thread };
            let first = match first { 37 => NO_THREAD, 38 => 0xffff_fffe, 39 => 0x1_0000, other => other };
            rings[at].push_raw(kind | thread << 16 | first << 32, second).pass(time);
        }
        for (at, slot) in holes {
            rings[at].damage(((HEADER_BYTES + slot * RECORD_BYTES) / 8) as usize, u64::MAX);
        }
        let mut reader = Reader::default();
        rings.iter().for_each(|ring| _ = reader.add(&ring.copy()).unwrap());
        if let Ok(recordings) = reader.finish() {
            check(&recordings);
        }
    }

    #[test]
    fn damaged_memory_with_several_rings_is_read_or_refused(
        hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        headers in proptest::collection::vec((0..4_usize, 0..8_usize, any::<u64>()), 0..4),
    ) {
        let mut rings = spread(SLOTS);
        headers.iter().for_each(|(ring, word, value)| rings[*ring].damage(*word, *value));
        let mut memory = memory(&mut rings, SLOTS, PADDR);
        let bytes = memory.len();
        hits.iter().for_each(|(at, byte)| memory[at.index(bytes)] = *byte);
        let mut reader = Reader::default();
        for copy in ring::find_all(&memory, place(4)) {
            _ = reader.add(copy);
        }
        if let Ok(recordings) = reader.finish() {
            check(&recordings);
        }
    }
}
