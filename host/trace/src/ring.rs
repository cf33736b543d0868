//! Rings: copies of them in memory or in files, merged to one recording for each processor.
//!
//! A copy may be of a running machine, cut off or damaged. A record counts if its number belongs to its slot and is
//! one of the last that the header counts; everything else is dropped. Numbers without a record are lost.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use limen_abi::TraceKind;
use limen_abi::limits::PROCESSORS;
use limen_abi::trace::{
    FIRST_SHIFT, HEADER_BYTES, HeaderWord, MAGIC, MAX_BYTES, NO_THREAD, RECORD_BYTES, RecordWord,
    THREAD_SHIFT, WRITING, memory_bytes,
};

use crate::clock::Clock;

/// Most records in a recording. They take about 200 MB while they are merged.
pub const MOST_RECORDS: usize = 1 << 22;

/// Nanoseconds that a system has to become idle after its last line.
pub const BEHIND: u64 = 10_000_000;

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number since boot.
    pub number: u64,
    /// Time in ticks of the clock.
    pub time: u64,
    what: u64,
    /// The second value.
    pub value: u64,
}

impl Record {
    /// The number of its kind.
    #[must_use]
    pub const fn raw_kind(&self) -> u64 {
        self.what & 0xff
    }

    /// Its kind; `None` if this version does not know it.
    #[must_use]
    pub const fn kind(&self) -> Option<TraceKind> {
        TraceKind::from_raw(self.raw_kind())
    }

    /// The thread that it is about.
    #[must_use]
    pub fn thread(&self) -> Option<u16> {
        thread((self.what >> THREAD_SHIFT & 0xffff) as u32)
    }

    /// The first value.
    #[must_use]
    pub const fn first(&self) -> u32 {
        (self.what >> FIRST_SHIFT) as u32
    }

    /// The first value, as a thread.
    #[must_use]
    pub fn other(&self) -> Option<u16> {
        thread(self.first())
    }
}

/// A thread; `None` for the number of no thread, and for impossible ones.
fn thread(number: u32) -> Option<u16> {
    u16::try_from(number).ok().filter(|thread| u64::from(*thread) != NO_THREAD)
}

/// The facts of a ring that all of its copies share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Number of slots.
    pub slots: u64,
    /// Ticks of the clock per second; 0 if unknown.
    pub frequency: u64,
    /// The processor that writes the ring.
    pub processor: u64,
}

/// Merges copies of the rings of a system, in any order.
#[derive(Debug, Default)]
pub struct Reader {
    /// The copies of each processor's ring.
    rings: BTreeMap<u64, Copies>,
}

/// The copies of a ring.
#[derive(Debug)]
struct Copies {
    header: Header,
    written: u64,
    damaged: u64,
    disputed: u64,
    records: BTreeMap<u64, [u64; 3]>,
}

/// The records of a ring in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Facts of the ring.
    pub header: Header,
    /// The records; their times never decrease.
    pub records: Vec<Record>,
    /// Numbers without a record: overwritten before a copy was made, or torn or damaged in all copies.
    pub lost: Vec<Range<u64>>,
    /// Slots whose number cannot be right.
    pub damaged: u64,
    /// Records that differ between copies. The first copy was used.
    pub disputed: u64,
    /// Records whose time was before that of an earlier one, or unlikely, and was replaced by that of the earlier one.
    pub disordered: u64,
}

impl Reader {
    /// Adds a copy of a ring, and returns the number of records that were not in earlier ones.
    ///
    /// # Errors
    /// A sentence that says why the bytes are not a copy of a ring of the same system.
    pub fn add(&mut self, copy: &[u8]) -> Result<usize, String> {
        let word = |index| word_at(copy, index);
        if word(HeaderWord::MAGIC) != Some(MAGIC) {
            return Err("no ring of trace records: it does not begin with LIMENTRC".to_owned());
        }
        let field = |index| word(index).ok_or("the header of the ring is cut off".to_owned());
        let (written, slots) = (field(HeaderWord::COUNT)?, field(HeaderWord::SLOTS)?);
        let header = Header {
            slots,
            frequency: field(HeaderWord::FREQUENCY)?,
            processor: field(HeaderWord::PROCESSOR)?,
        };
        if !slots.is_power_of_two() {
            return Err(format!("the header of the ring is damaged: it has {slots} slots"));
        }
        if header.processor >= PROCESSORS as u64 {
            return Err(format!(
                "the header of the ring is damaged: it is of processor {}",
                header.processor
            ));
        }
        // All rings of a system have the same size and clock.
        if let Some(earlier) =
            self.rings.values().map(|ring| ring.header).find(|earlier| !earlier.fits(header))
        {
            return Err(format!(
                "it is not a copy of the same ring as the one before: {}",
                difference(earlier, header)
            ));
        }
        let room = MOST_RECORDS.saturating_sub(self.len());
        let new = Copies { header, written: 0, damaged: 0, disputed: 0, records: BTreeMap::new() };
        let ring = self.rings.entry(header.processor).or_insert(new);
        ring.written = ring.written.max(written);
        let before = ring.records.len();
        let body = copy.get(HEADER_BYTES as usize..).unwrap_or_default();
        for (slot, record) in (0..slots).zip(body.chunks_exact(RECORD_BYTES as usize)) {
            ring.take(record, slot, written, before + room);
        }
        Ok(ring.records.len() - before)
    }

    /// The number of records so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rings.values().map(|ring| ring.records.len()).sum()
    }

    /// Whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether further records do not fit.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() >= MOST_RECORDS
    }

    /// Nanoseconds from the first record to the last one.
    #[must_use]
    pub fn nanoseconds(&self) -> u64 {
        let last = self.rings.values().filter_map(|ring| ring.records.last_key_value());
        let last = last.map(|(_, [time, ..])| *time).max();
        self.clock().zip(last).map_or(0, |(clock, last)| clock.since_start(last))
    }

    /// A clock that starts at the first record.
    fn clock(&self) -> Option<Clock> {
        let first = self.rings.values().filter_map(|ring| ring.records.first_key_value());
        let first = first.map(|(_, [time, ..])| *time).min()?;
        Some(Clock::new(first, self.rings.values().next().map_or(0, |ring| ring.header.frequency)))
    }

    /// Leaves out the records that are later than this time after the first one, so that the recording ends at an instant of
    /// the machine, and not with the last copy.
    pub fn cut(&mut self, nanoseconds: u64) {
        let Some(clock) = self.clock() else { return };
        for ring in self.rings.values_mut() {
            let before = ring.records.len();
            ring.records.retain(|_, [time, ..]| clock.since_start(*time) <= nanoseconds);
            if ring.records.len() < before {
                // What was left out is not lost.
                ring.written = ring.records.last_key_value().map_or(0, |(last, _)| last + 1);
            }
        }
    }

    /// Ends the recording [`BEHIND`] nanoseconds after a time at which the system had written its last line, if the system goes on
    /// for longer; returns whether it does. The host may have seen the line before the machine had become idle.
    pub fn end_soon_after(&mut self, line: u64) -> bool {
        let end = line.saturating_add(BEHIND);
        let goes_on = self.nanoseconds() > end;
        if goes_on {
            self.cut(end);
        }
        goes_on
    }

    /// Ends the recording where the last thread stops, without the interrupts of an idle machine behind it, of which the last
    /// copy has more or fewer. Several processors are not idle at one instant, and keep them.
    pub fn cut_idle_end(&mut self) {
        let mut rings = self.rings.values_mut();
        let (Some(ring), None) = (rings.next(), rings.next()) else { return };
        let kind = |[time, what, value]: [u64; 3]| Record { number: 0, time, what, value }.kind();
        let Some((last, switch)) =
            ring.records.iter().rfind(|(_, words)| kind(**words) == Some(TraceKind::Switch))
        else {
            return;
        };
        let [time, what, value] = *switch;
        let is_idle = Record { number: *last, time, what, value }.other().is_none();
        let exit = ring.records.range(last..).find(|(_, words)| kind(**words) == Some(TraceKind::Exit));
        if let Some(exit) = exit.map(|(number, _)| *number).filter(|_| is_idle) {
            ring.records.retain(|number, _| *number <= exit);
            ring.written = exit + 1;
        }
    }

    /// The recordings of the processors, by their numbers.
    ///
    /// # Errors
    /// A sentence that says that there are no records.
    pub fn finish(self) -> Result<Vec<Recording>, String> {
        if self.is_empty() {
            return Err(
                "the ring has no records: tracing was off, or the copy was made before the kernel started"
                    .to_owned(),
            );
        }
        Ok(self.rings.into_values().map(Copies::finish).collect())
    }
}

impl Copies {
    fn take(&mut self, record: &[u8], slot: u64, written: u64, most: usize) {
        let slots = self.header.slots;
        let word = |index| word_at(record, index).unwrap_or_default();
        let number = word(RecordWord::NUMBER);
        // Memory that was never written is zero, and no kind has this number. The kernel counts a record once it is
        // complete.
        if number == WRITING || number == written || word(RecordWord::WHAT) == 0 {
            return;
        }
        if number & (slots - 1) != slot || number > written || number < written.saturating_sub(slots) {
            self.damaged += 1;
            return;
        }
        let words = [RecordWord::TIME, RecordWord::WHAT, RecordWord::VALUE].map(word);
        let is_full = self.records.len() >= most;
        match self.records.entry(number) {
            Entry::Occupied(entry) => self.disputed += u64::from(*entry.get() != words),
            Entry::Vacant(entry) if !is_full => _ = entry.insert(words),
            Entry::Vacant(_) => {}
        }
    }

    fn finish(self) -> Recording {
        let (mut lost, mut next) = (Vec::new(), 0);
        let mut records = Vec::with_capacity(self.records.len());
        for (number, [time, what, value]) in self.records {
            if number > next {
                lost.push(next..number);
            }
            next = number + 1;
            records.push(Record { number, time, what, value });
        }
        if self.written > next {
            lost.push(next..self.written);
        }
        let disordered = put_in_order(&mut records);
        let Copies { header, damaged, disputed, .. } = self;
        Recording { header, records, lost, damaged, disputed, disordered }
    }
}

impl Header {
    /// Whether the ring with the other header can be one of the same system.
    fn fits(self, other: Self) -> bool {
        Self { processor: other.processor, ..self } == other
    }
}

impl Recording {
    /// Number of lost records.
    #[must_use]
    pub fn lost_count(&self) -> u64 {
        self.lost.iter().map(|range| range.end - range.start).fold(0, u64::saturating_add)
    }

    /// The records that lie between others and are lost.
    #[must_use]
    pub fn lost_between(&self) -> u64 {
        let ends = [self.records.first(), self.records.last()]
            .map(|record| record.map_or(0, |record| record.number));
        let between = self.lost.iter().filter(|range| (ends[0]..ends[1]).contains(&range.start));
        between.map(|range| range.end - range.start).sum()
    }
}

/// Makes times non-decreasing, and returns how many it replaced. A single time that is ahead of all others is replaced,
/// so that one damaged record does not move all that follow.
fn put_in_order(records: &mut [Record]) -> u64 {
    let mut replaced = 0;
    let mut last = records.iter().take(2).map(|record| record.time).min().unwrap_or(0);
    for index in 0..records.len() {
        let time = records[index].time;
        let next = records.get(index + 1).map(|record| record.time);
        let is_ahead = next.is_some_and(|next| next < time && next >= last);
        if time < last || is_ahead {
            replaced += 1;
            records[index].time = last;
        }
        last = records[index].time;
    }
    replaced
}

/// The steps of a search. Memory in a core file begins behind notes, whose length is a multiple of four.
const STEP: usize = 4;

/// The ring in a copy of memory that may begin before it; `paddr` is its physical address, if known.
#[must_use]
pub fn find(memory: &[u8], paddr: Option<u64>) -> Option<&[u8]> {
    if word_at(memory, HeaderWord::MAGIC) == Some(MAGIC) {
        return Some(memory);
    }
    (0..memory.len()).step_by(STEP).map(|start| &memory[start..]).find(|memory| is_at(memory, paddr))
}

/// Place of the rings of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Physical address of the first, if it is known.
    pub paddr: Option<u64>,
    /// Bytes of one.
    pub bytes: u64,
    /// Number of rings, one behind the other.
    pub rings: u64,
}

impl Place {
    /// A place about which nothing is known.
    pub const UNKNOWN: Self = Self { paddr: None, bytes: 0, rings: 1 };
}

/// The rings in a copy of memory. If the first one is damaged, those with the right addresses in their headers are found.
#[must_use]
pub fn find_all(memory: &[u8], place: Place) -> Vec<&[u8]> {
    let paddrs = (0..place.rings.min(PROCESSORS as u64))
        .map(|number| place.paddr.map(|paddr| paddr.saturating_add(number.saturating_mul(place.bytes))));
    let mut paddrs = paddrs.take_while(|paddr| paddr.is_some() || place.paddr.is_none());
    let Some(first) = paddrs.find_map(|paddr| find(memory, paddr)) else { return Vec::new() };
    let word = |index| word_at(first, index).unwrap_or_default();
    let mut rings = vec![first];
    let records = word(HeaderWord::SLOTS).saturating_mul(RECORD_BYTES);
    if records <= MAX_BYTES {
        let bytes = memory_bytes(records);
        for number in 1..PROCESSORS as u64 {
            let paddr = word(HeaderWord::PADDR).checked_add(number * bytes);
            let next = first.get((number * bytes) as usize..);
            rings.extend(next.filter(|next| paddr.is_some() && is_at(next, paddr)));
        }
    }
    rings
}

/// Whether a copy of memory begins with a ring. The constant may also be in code, so its address must be right, too.
#[must_use]
pub fn is_at(memory: &[u8], paddr: Option<u64>) -> bool {
    let word = |index| word_at(memory, index).unwrap_or_default();
    let place = word(HeaderWord::PADDR);
    let is_here = paddr.map_or(place != 0 && place % 4096 == 0, |paddr| place == paddr);
    word(HeaderWord::MAGIC) == MAGIC
        && is_here
        && word(HeaderWord::SLOTS).is_power_of_two()
        && word(HeaderWord::LENGTH - 1) == 0
}

fn difference(earlier: Header, header: Header) -> String {
    let facts = [
        ("slots", earlier.slots, header.slots),
        ("ticks per second", earlier.frequency, header.frequency),
        ("processor", earlier.processor, header.processor),
    ];
    let differing = facts.iter().find(|(_, earlier, now)| earlier != now);
    differing.map(|(name, earlier, now)| format!("{name} {now} instead of {earlier}")).unwrap_or_default()
}

fn word_at(bytes: &[u8], index: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(index * 8..)?.first_chunk().copied()?))
}
