//! A ring with every kind of record, as a file for Perfetto, as tables and as a page.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails if its setup fails")]

mod support;
#[path = "support/wire.rs"]
mod wire;

use limen_abi::TraceKind;
use limen_trace::figures::{Figures, Path};
use limen_trace::timeline::What;
use limen_trace::{Reader, System, Timeline, page, perfetto, table};
use support::{CLIENT, DRIVER, Ring, SERVER, THREADS, golden, scene};

fn timeline(copies: &[Vec<u8>]) -> Timeline {
    let mut reader = Reader::default();
    for copy in copies {
        reader.add(copy).unwrap();
    }
    Timeline::new(&reader.finish().unwrap(), &system())
}

fn system() -> System {
    System::of_threads(&THREADS)
}

#[test]
fn the_perfetto_file_has_every_track_slice_mark_and_arrow() {
    let file = perfetto::file(&timeline(&[scene(128).copy()]), &system());
    golden("scene.perfetto.txt", &(wire::lines(&file).join("\n") + "\n"));
}

#[test]
fn the_table_has_every_figure() {
    golden("scene.table.txt", &table::text(&timeline(&[scene(128).copy()]), &system()));
}

#[test]
fn lost_records_are_in_file_and_table() {
    let mut ring = scene(16);
    let early = ring.copy();
    ring.pass(1000);
    for _ in 0..40 {
        ring.call(CLIENT, SERVER).pass(100).reply(SERVER, CLIENT).pass(100);
    }
    let timeline = timeline(&[ring.copy(), early]);
    let file = perfetto::file(&timeline, &system());
    let text = wire::lines(&file).join("\n") + "\n---\n" + &table::text(&timeline, &system());
    golden("lost.txt", &text);
}

#[test]
fn figures_are_those_of_the_scene() {
    let timeline = timeline(&[scene(128).copy()]);
    let figures = Figures::new(&timeline);
    let running: u64 = figures.usage.iter().map(|usage| usage.running).sum();
    let [rest] = figures.rests[..] else { panic!("{:?}", figures.rests) };
    assert_eq!(running + rest.idle + rest.unknown, figures.total);
    let times =
        |path| figures.latencies.iter().find(|latency| latency.path == path).map(|found| found.times.clone());
    // The server's part, and its own entry into the kernel. The others include the entry.
    assert_eq!(times(Path::Call(CLIENT as u16, SERVER as u16)), Some(vec![310]));
    assert_eq!(times(Path::Interrupt(33, DRIVER as u16)), Some(vec![20]));
    assert_eq!(times(Path::Signal(Some(DRIVER as u16), SERVER as u16)), Some(vec![50]));
}

/// The woken thread has a higher priority, so the kernel leaves to it: its record of the switch has the time of the signal's.
#[test]
fn a_signal_lasts_from_the_entry_of_its_sender_to_the_first_instruction_of_the_woken_thread() {
    let mut ring = Ring::new(32);
    ring.push(TraceKind::Switch, limen_abi::trace::NO_THREAD, CLIENT, 100).pass(40);
    ring.push(TraceKind::Entry, CLIENT, u64::from(limen_abi::Syscall::Send.as_raw() as u32), 0x20_0040);
    ring.pass(384).push(TraceKind::Signal, CLIENT, SERVER, 4).push(TraceKind::Switch, CLIENT, SERVER, 100);
    ring.pass(90).push(TraceKind::Exit, SERVER, 0, 0).pass(1000);
    let figures = Figures::new(&timeline(&[ring.copy()]));
    let [latency] = &figures.latencies[..] else { panic!("{:?}", figures.latencies) };
    assert_eq!(latency.path, Path::Signal(Some(CLIENT as u16), SERVER as u16));
    assert_eq!(latency.times, [384 + 90]);
}

/// A thread that runs when the signal arrives has its first instruction after the kernel's exit, too.
#[test]
fn a_signal_to_oneself_lasts_until_the_kernel_returns() {
    let mut ring = Ring::new(32);
    ring.push(TraceKind::Switch, limen_abi::trace::NO_THREAD, CLIENT, 100).pass(40);
    ring.enter(CLIENT, limen_abi::Syscall::Send).push(TraceKind::Signal, CLIENT, CLIENT, 4).pass(30);
    ring.leave(CLIENT, CLIENT).pass(100);
    let figures = Figures::new(&timeline(&[ring.copy()]));
    assert_eq!(figures.latencies.iter().map(|latency| latency.times.clone()).collect::<Vec<_>>(), [[40]]);
}

/// The step stands beside the times: 0 ns is then known to be less than a step.
#[test]
fn a_coarse_clock_is_shown_with_its_step() {
    let facts = |hertz| {
        let mut ring = scene(128);
        ring.damage(limen_abi::trace::HeaderWord::FREQUENCY, hertz);
        let timeline = timeline(&[ring.copy()]);
        let page = page::page(&timeline, &system(), "clock");
        let text = table::text(&timeline, &system());
        let first = text.lines().next().unwrap().to_owned();
        assert!(page.contains(&first), "{first}");
        first
    };
    assert_eq!(facts(10_000_000), "60 records of processor 0 in 181 us, in steps of 100 ns");
    assert_eq!(facts(62_500_000), "60 records of processor 0 in 29.0 us, in steps of 16 ns");
    assert_eq!(facts(1_000_000_000), "60 records of processor 0 in 1.81 us");
}

/// Each place in the source has its own copy of a name.
#[test]
fn spans_and_counters_are_the_same_if_their_names_have_the_same_text() {
    let names = b"outer\0inner\0inner\0items\0outer\0items\0";
    let [outer, inner, inner_end, items, outer_end, items_again] = [0, 6, 12, 18, 24, 30];
    let mut ring = Ring::new(32);
    let mut push = |kind, name, value| _ = ring.push(kind, CLIENT, name, value).pass(10);
    push(TraceKind::SpanBegin, outer, 1);
    push(TraceKind::SpanBegin, inner, 2);
    push(TraceKind::Counter, items, 3);
    push(TraceKind::SpanEnd, inner_end, 2);
    push(TraceKind::Counter, items_again, 4);
    push(TraceKind::SpanEnd, outer_end, 1);
    // Without a name, the offset is the name.
    push(TraceKind::SpanBegin, 100, 5);
    push(TraceKind::SpanEnd, 101, 5);
    push(TraceKind::SpanEnd, 100, 5);
    let mut reader = Reader::default();
    reader.add(&ring.copy()).unwrap();
    let system = System::of_threads(&[("client", names)]);
    let timeline = Timeline::new(&reader.finish().unwrap(), &system);
    let thread = &timeline.threads[&0];
    let spans = thread.program.slices.iter().map(|slice| match slice.what {
        What::Span(name, value) => {
            (system.event(Some(0), name), value, slice.depth, slice.start - 1000, slice.end - 1000)
        }
        other => panic!("{other:?}"),
    });
    let expected = [("inner", 2, 1, 10, 30), ("outer", 1, 0, 0, 50), ("event 0x64", 5, 0, 60, 80)];
    assert!(spans.eq(expected.map(|(name, value, depth, start, end)| (
        name.to_owned(),
        value,
        depth,
        start,
        end
    ))));
    assert_eq!(thread.counters.values().collect::<Vec<_>>(), [&[(1020, 3), (1040, 4)]]);
    let unmatched = timeline.oddities.iter().map(|(count, _)| *count);
    assert_eq!(unmatched.collect::<Vec<_>>(), [1]);
}

#[test]
fn a_restart_after_a_fault_ends_the_spans_and_a_reply_does_not() {
    let mut ring = Ring::new(32);
    let mut push = |kind, thread, first, value| _ = ring.push(kind, thread, first, value).pass(10);
    push(TraceKind::SpanBegin, CLIENT, 0, 1);
    push(TraceKind::SpanBegin, CLIENT, 6, 2);
    push(TraceKind::Fault, CLIENT, 5, 8);
    push(TraceKind::Reply, SERVER, CLIENT, 0);
    push(TraceKind::SpanEnd, CLIENT, 6, 2);
    push(TraceKind::Fault, CLIENT, 5, 8);
    push(TraceKind::Wake, SERVER, CLIENT, 0);
    // The second life begins without open spans.
    push(TraceKind::SpanBegin, CLIENT, 0, 3);
    push(TraceKind::SpanEnd, CLIENT, 0, 3);
    let mut reader = Reader::default();
    reader.add(&ring.copy()).unwrap();
    let system = System::of_threads(&[("client", b"outer\0inner\0".as_slice())]);
    let timeline = Timeline::new(&reader.finish().unwrap(), &system);
    let slices = &timeline.threads[&(CLIENT as u16)].program.slices;
    let spans = slices.iter().map(|slice| match slice.what {
        What::Span(_, value) => (value, slice.depth, slice.start - 1000, slice.end - 1000),
        other => panic!("{other:?}"),
    });
    assert!(spans.eq([(2, 1, 10, 40), (1, 0, 0, 60), (3, 0, 70, 80)]));
}

#[test]
fn a_call_that_queues_lasts_from_its_first_record() {
    let mut ring = Ring::new(32);
    ring.enter(CLIENT, limen_abi::Syscall::Call);
    ring.push(TraceKind::Call, CLIENT, limen_abi::trace::NO_THREAD, 0);
    ring.block(CLIENT, limen_abi::trace::WaitedObject::Receiver).leave(CLIENT, SERVER).pass(500);
    ring.enter(SERVER, limen_abi::Syscall::Recv).push(TraceKind::Call, CLIENT, SERVER, 0);
    ring.leave(SERVER, SERVER).pass(200).reply(SERVER, CLIENT);
    let timeline = timeline(&[ring.copy()]);
    let [call] = timeline.calls[..] else { panic!("{:?}", timeline.calls) };
    assert_eq!((call.from, call.to, call.times[1] - call.times[0]), (0, 1, 720));
}

#[test]
fn the_page_is_one_file_and_well_formed() {
    let page = page::page(&timeline(&[scene(128).copy()]), &system(), "a <b> & \"c\"");
    let document = roxmltree::Document::parse(page.trim_start_matches("<!doctype html>\n")).unwrap();
    for forbidden in ["src=", "href=\"http", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let links = document.descendants().filter_map(|node| node.attribute("href"));
    for link in links {
        assert!(
            document
                .descendants()
                .any(|node| Some(node.attribute("id").unwrap_or("")) == link.strip_prefix('#')),
            "{link}"
        );
    }
    let data = document.descendants().find(|node| node.attribute("id") == Some("data")).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.text().unwrap()).unwrap();
    let names: Vec<_> =
        data["lanes"].as_array().unwrap().iter().map(|lane| lane["name"].as_str().unwrap()).collect();
    assert_eq!(names[..4], ["processor 0", "domains", "client", "program"]);
    assert!(data["flows"].as_array().unwrap().len().is_multiple_of(5));
}
