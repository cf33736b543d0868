//! Writes a timeline as a file for the Perfetto UI and `trace_processor`.
//!
//! Each thread is a process with a track of states, one of its program's spans, and one for each counter. The
//! processors, their domains and their lost records have tracks of their own. Times are nanoseconds since the first record.

use std::collections::BTreeMap;

use prost::Message;

use crate::protocol::{
    COUNTER, CounterDescriptor, DebugAnnotation, EventName, INSTANT, InternedData, NEEDS_STATE,
    ProcessDescriptor, SLICE_BEGIN, SLICE_END, STATE_CLEARED, ThreadDescriptor, Trace, TracePacket,
    TrackDescriptor, TrackEvent, UNIT_NANOSECONDS,
};
use crate::system::System;
use crate::timeline::{Loss, Mark, Processor, Slice, State, Thread, Timeline, Track, What};
use crate::words::Words;

/// The only sequence of packets.
const SEQUENCE: u32 = 1;
/// Tracks of the first processor; those of the others follow.
const WHOLE: u64 = 1;
const SLOTS: u64 = 2;
const LOSSES: u64 = 3;
/// Tracks of a processor.
const TRACKS: u64 = 3;

/// The file.
#[must_use]
pub fn file(timeline: &Timeline, system: &System) -> Vec<u8> {
    let mut writer = Writer {
        timeline,
        system,
        words: Words(system),
        names: BTreeMap::new(),
        arrivals: arrivals(timeline),
        packets: vec![TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(STATE_CLEARED),
            ..TracePacket::default()
        }],
        next_track: 1 + timeline.processors.len() as u64 * TRACKS,
    };
    timeline.processors.iter().zip(0..).for_each(|(processor, at)| writer.processor(processor, at * TRACKS));
    timeline.threads.iter().for_each(|(number, thread)| writer.thread(*number, thread));
    Trace { packet: writer.packets }.encode_to_vec()
}

/// The arrows that end at a slice, by thread and time.
fn arrivals(timeline: &Timeline) -> BTreeMap<(u16, u64), Vec<u64>> {
    let mut arrivals = BTreeMap::<_, Vec<_>>::new();
    for (index, flow) in timeline.flows.iter().enumerate() {
        if let Some(end) = flow.end {
            arrivals.entry((flow.to, end)).or_default().push(flow_id(index));
        }
    }
    arrivals
}

/// The number of an arrow; 0 would mean none.
fn flow_id(index: usize) -> u64 {
    index as u64 + 1
}

struct Writer<'t> {
    timeline: &'t Timeline,
    system: &'t System,
    words: Words<'t>,
    names: BTreeMap<String, u64>,
    arrivals: BTreeMap<(u16, u64), Vec<u64>>,
    packets: Vec<TracePacket>,
    next_track: u64,
}

/// A start, end or mark.
enum Moment<'m> {
    Start(&'m Slice),
    End(&'m Slice),
    Mark(&'m Mark),
}

impl Writer<'_> {
    /// The tracks of a processor, with numbers from `base`.
    fn processor(&mut self, processor: &Processor, base: u64) {
        let Processor { number, whole, slots, losses, lost_outside } = processor;
        let of = |what: &str| match self.timeline.processors.len() {
            1 => what.to_owned(),
            _ => format!("{what} of processor {number}"),
        };
        let (domains, lost) = (of("scheduling domains"), of("lost records"));
        self.describe(TrackDescriptor {
            uuid: Some(base + WHOLE),
            name: Some(format!("processor {number}")),
            ..TrackDescriptor::default()
        });
        self.track(base + WHOLE, None, whole);
        if !slots.slices.is_empty() {
            self.describe(named(base + SLOTS, None, &domains));
            self.track(base + SLOTS, None, slots);
        }
        if losses.is_empty() && *lost_outside == 0 {
            return;
        }
        let about = match lost_outside {
            0 => None,
            count => Some(format!("{count} records were lost before the first or behind the last one")),
        };
        self.describe(TrackDescriptor { description: about, ..named(base + LOSSES, None, &lost) });
        losses.iter().for_each(|loss| self.loss(base + LOSSES, loss));
    }

    fn loss(&mut self, track: u64, loss: &Loss) {
        let [start, end] = loss.range;
        let name = format!("{} records lost", loss.count);
        self.event(start, &name, TrackEvent { r#type: Some(SLICE_BEGIN), ..on(track) });
        self.packet(end, TrackEvent { r#type: Some(SLICE_END), ..on(track) });
    }

    fn thread(&mut self, number: u16, thread: &Thread) {
        let name = self.system.thread(number);
        let pid = i32::from(number) + 1;
        let [process, states, program] = [0, 1, 2].map(|offset| self.next_track + offset);
        self.next_track += 3;
        let descriptor = ProcessDescriptor { pid: Some(pid), process_name: Some(name.clone()) };
        self.describe(TrackDescriptor {
            uuid: Some(process),
            process: Some(descriptor),
            ..TrackDescriptor::default()
        });
        let descriptor = ThreadDescriptor { pid: Some(pid), tid: Some(pid.into()), thread_name: Some(name) };
        self.describe(TrackDescriptor {
            uuid: Some(states),
            thread: Some(descriptor),
            parent_uuid: Some(process),
            ..TrackDescriptor::default()
        });
        self.track(states, Some(number), &thread.track);
        if !thread.program.slices.is_empty() || !thread.program.marks.is_empty() {
            self.describe(named(program, Some(process), "program"));
            self.track(program, Some(number), &thread.program);
        }
        for (offset, values) in &thread.counters {
            let name = self.system.event(Some(number), *offset);
            self.counter(process, &name, None, values.iter().map(|(time, value)| (*time, *value as i64)));
        }
        if !thread.budget.is_empty() {
            let clock = self.timeline.clock;
            let values = thread.budget.iter().map(|(time, left)| (*time, clock.nanoseconds(*left) as i64));
            self.counter(process, "budget left", Some(UNIT_NANOSECONDS), values);
        }
    }

    /// A counter below a process.
    fn counter(
        &mut self,
        process: u64,
        name: &str,
        unit: Option<i32>,
        values: impl Iterator<Item = (u64, i64)>,
    ) {
        let uuid = self.next_track;
        self.next_track += 1;
        let counter = Some(CounterDescriptor { unit });
        self.describe(TrackDescriptor { counter, ..named(uuid, Some(process), name) });
        for (time, value) in values {
            self.packet(time, TrackEvent { r#type: Some(COUNTER), counter_value: Some(value), ..on(uuid) });
        }
    }

    /// The events of a track, in the order in which they happened, also at the same time.
    fn track(&mut self, uuid: u64, thread: Option<u16>, track: &Track) {
        let mut moments: Vec<_> = track.marks.iter().map(|mark| (mark.order, Moment::Mark(mark))).collect();
        for slice in &track.slices {
            moments.push((slice.order[0], Moment::Start(slice)));
            moments.push((slice.order[1], Moment::End(slice)));
        }
        moments.sort_unstable_by_key(|(order, _)| *order);
        for (_, moment) in moments {
            match moment {
                Moment::Start(slice) => self.start(uuid, thread, slice),
                Moment::End(slice) => {
                    self.packet(slice.end, TrackEvent { r#type: Some(SLICE_END), ..on(uuid) })
                }
                Moment::Mark(mark) => self.mark(uuid, mark),
            }
        }
    }

    fn start(&mut self, uuid: u64, thread: Option<u16>, slice: &Slice) {
        let is_arrival = slice.what == What::State(State::Running);
        let arriving =
            thread.filter(|_| is_arrival).and_then(|thread| self.arrivals.remove(&(thread, slice.start)));
        let name = self.words.slice(thread, slice.what);
        let event = TrackEvent {
            r#type: Some(SLICE_BEGIN),
            terminating_flow_ids: arriving.unwrap_or_default(),
            debug_annotations: annotations(Words::details_of(slice.what)),
            ..on(uuid)
        };
        self.event(slice.start, &name, event);
    }

    fn mark(&mut self, uuid: u64, mark: &Mark) {
        let name = self.words.mark(mark);
        let event = TrackEvent {
            r#type: Some(INSTANT),
            flow_ids: mark.flow.map(flow_id).into_iter().collect(),
            debug_annotations: annotations(Words::details(mark)),
            ..on(uuid)
        };
        self.event(mark.time, &name, event);
    }

    /// Writes an event with a name, which is in the file once.
    fn event(&mut self, time: u64, name: &str, event: TrackEvent) {
        let known = self.names.len() as u64 + 1;
        let (iid, is_new) = match self.names.get(name) {
            Some(iid) => (*iid, false),
            None => (known, true),
        };
        if is_new {
            self.names.insert(name.to_owned(), iid);
        }
        self.packet(time, TrackEvent { name_iid: Some(iid), ..event });
        if let Some(packet) = self.packets.last_mut().filter(|_| is_new) {
            let name = EventName { iid: Some(iid), name: Some(name.to_owned()) };
            packet.interned_data = Some(InternedData { event_names: vec![name] });
        }
    }

    fn packet(&mut self, time: u64, event: TrackEvent) {
        self.packets.push(TracePacket {
            timestamp: Some(self.timeline.clock.since_start(time)),
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(NEEDS_STATE),
            track_event: Some(event),
            ..TracePacket::default()
        });
    }

    fn describe(&mut self, track: TrackDescriptor) {
        self.packets.push(TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            track_descriptor: Some(track),
            ..TracePacket::default()
        });
    }
}

fn named(uuid: u64, parent: Option<u64>, name: &str) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(uuid),
        parent_uuid: parent,
        name: Some(name.to_owned()),
        ..TrackDescriptor::default()
    }
}

fn on(track: u64) -> TrackEvent {
    TrackEvent { track_uuid: Some(track), ..TrackEvent::default() }
}

fn annotations(details: Vec<(&str, u64)>) -> Vec<DebugAnnotation> {
    let annotation =
        |(name, value): (&str, u64)| DebugAnnotation { name: Some(name.to_owned()), uint_value: Some(value) };
    details.into_iter().map(annotation).collect()
}
