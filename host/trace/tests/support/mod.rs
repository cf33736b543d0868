//! Rings made by hand, in the order in which the kernel writes records.

#![allow(dead_code, reason = "not every test uses all of it")]

use limen_abi::trace::{
    EntryReason, HEADER_BYTES, HeaderWord, MAGIC, MESSAGE_LINE, NO_THREAD, RECORD_BYTES, RecordWord, WRITING,
    WaitedObject, elsewhere, memory_bytes, what,
};
use limen_abi::{FaultLabel, Syscall, TraceKind};

/// Threads of the scene.
pub(crate) const CLIENT: u64 = 0;
pub(crate) const SERVER: u64 = 1;
pub(crate) const DRIVER: u64 = 2;
pub(crate) const MONITOR: u64 = 3;

/// A ring that is written.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    bytes: Vec<u8>,
    slots: u64,
    /// Number of the next record.
    pub(crate) next: u64,
    /// Present time in ticks.
    pub(crate) now: u64,
}

impl Ring {
    /// An empty ring, with a clock of 1 GHz.
    pub(crate) fn new(slots: u64) -> Self {
        let mut bytes = vec![0; (HEADER_BYTES + slots * RECORD_BYTES) as usize];
        for slot in bytes[HEADER_BYTES as usize..].chunks_exact_mut(RECORD_BYTES as usize) {
            put(slot, RecordWord::NUMBER, WRITING);
        }
        put(&mut bytes, HeaderWord::MAGIC, MAGIC);
        put(&mut bytes, HeaderWord::SLOTS, slots);
        put(&mut bytes, HeaderWord::FREQUENCY, 1_000_000_000);
        Self { bytes, slots, next: 0, now: 1000 }
    }

    /// An empty ring of another processor than the first.
    pub(crate) fn of_processor(slots: u64, processor: u64) -> Self {
        let mut ring = Self::new(slots);
        ring.damage(HeaderWord::PROCESSOR, processor);
        ring
    }

    /// Lets time pass until this one.
    pub(crate) fn at(&mut self, now: u64) -> &mut Self {
        self.now = now;
        self
    }

    /// A copy of the memory.
    pub(crate) fn copy(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, ticks: u64) -> &mut Self {
        self.now += ticks;
        self
    }

    /// Writes a record.
    pub(crate) fn push(&mut self, kind: TraceKind, thread: u64, first: u64, second: u64) -> &mut Self {
        self.push_raw(what(kind, thread, first), second)
    }

    /// Writes a record of any kind.
    pub(crate) fn push_raw(&mut self, what: u64, second: u64) -> &mut Self {
        let at = (HEADER_BYTES + self.next % self.slots * RECORD_BYTES) as usize;
        let words = [self.next, self.now, what, second];
        for (index, word) in words.into_iter().enumerate() {
            put(&mut self.bytes[at..], index, word);
        }
        self.next += 1;
        put(&mut self.bytes, HeaderWord::COUNT, self.next);
        self
    }

    /// Changes a word of the copy.
    pub(crate) fn damage(&mut self, word: usize, value: u64) {
        put(&mut self.bytes, word, value);
    }

    /// The entry for a system call of a thread, 10 ticks long.
    pub(crate) fn enter(&mut self, thread: u64, syscall: Syscall) -> &mut Self {
        self.push(TraceKind::Entry, thread, u64::from(syscall.as_raw() as u32), 0x20_0040).pass(10)
    }

    /// The entry for another reason, 20 ticks long.
    pub(crate) fn enter_for(&mut self, thread: u64, reason: EntryReason) -> &mut Self {
        self.push(TraceKind::Entry, thread, reason.as_raw(), 0x20_0080).pass(20)
    }

    /// A switch and the kernel's exit.
    pub(crate) fn leave(&mut self, from: u64, to: u64) -> &mut Self {
        if from != to {
            self.push(TraceKind::Switch, from, to, 100);
        }
        self.push(TraceKind::Exit, to, 0, 0)
    }

    /// A thread waits.
    pub(crate) fn block(&mut self, thread: u64, object: WaitedObject) -> &mut Self {
        self.push(TraceKind::Block, thread, object.as_raw(), 3)
    }

    /// A call on the fast path.
    pub(crate) fn call(&mut self, from: u64, to: u64) -> &mut Self {
        self.enter(from, Syscall::Call).push(TraceKind::Call, from, to, 5 << 16 | 2);
        self.block(from, WaitedObject::Reply).leave(from, to)
    }

    /// A reply to a caller, after which the server waits.
    pub(crate) fn reply(&mut self, from: u64, to: u64) -> &mut Self {
        self.enter(from, Syscall::ReplyRecv).push(TraceKind::Reply, from, to, 0);
        self.block(from, WaitedObject::Endpoint).leave(from, to)
    }
}

fn put(bytes: &mut [u8], word: usize, value: u64) {
    if let Some(place) = bytes.get_mut(word * 8..word * 8 + 8) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// The names of the client's events: offsets 0, 5, 11 and 17.
pub(crate) const NAMES: &[u8] = b"work\0step \0items\0done\0";

/// Names of the scene's threads, and the name section of the first.
pub(crate) const THREADS: [(&str, &[u8]); 4] =
    [("client", NAMES), ("server", b""), ("driver", b""), ("monitor", b"")];

/// A ring with every kind of record.
pub(crate) fn scene(slots: u64) -> Ring {
    let mut ring = Ring::new(slots);
    ring.push(TraceKind::Domain, NO_THREAD, 1, 5000);
    ring.push(TraceKind::Switch, NO_THREAD, CLIENT, 100).pass(100);
    ring.push(TraceKind::SpanBegin, CLIENT, 0, 7).pass(50);
    ring.push(TraceKind::SpanBegin, CLIENT, 5, 1).pass(50);
    ring.call(CLIENT, SERVER).pass(300);
    ring.push(TraceKind::Fpu, CLIENT, SERVER, 0);
    ring.reply(SERVER, CLIENT).pass(40);
    ring.push(TraceKind::SpanEnd, CLIENT, 5, 1);
    ring.push(TraceKind::Counter, CLIENT, 11, 3).push(TraceKind::Left, CLIENT, MONITOR, 70).pass(60);
    // An interrupt wakes the driver, which preempts the client.
    ring.enter_for(CLIENT, EntryReason::Interrupt).push(TraceKind::Interrupt, CLIENT, 33, 0);
    ring.push(TraceKind::Wipe, CLIENT, 1, 64).push(TraceKind::Wake, CLIENT, DRIVER, 0);
    ring.leave(CLIENT, DRIVER).pass(120);
    ring.enter(DRIVER, Syscall::Send)
        .push(TraceKind::Signal, DRIVER, SERVER, 4)
        .leave(DRIVER, DRIVER)
        .pass(30);
    ring.enter(DRIVER, Syscall::Wait)
        .block(DRIVER, WaitedObject::Notification)
        .leave(DRIVER, SERVER)
        .pass(80);
    ring.enter(SERVER, Syscall::Recv).block(SERVER, WaitedObject::Endpoint).leave(SERVER, CLIENT).pass(25);
    ring.push(TraceKind::Counter, CLIENT, 11, 5);
    ring.push(TraceKind::Event, CLIENT, 17, 99).pass(25);
    ring.push(TraceKind::Key, CLIENT, 2, 1 | 8 << 1);
    ring.enter(CLIENT, Syscall::Call)
        .push(TraceKind::WorkBegin, CLIENT, 0, 0)
        .leave(CLIENT, CLIENT)
        .pass(200);
    ring.enter_for(CLIENT, EntryReason::WorkDone)
        .push(TraceKind::WorkEnd, CLIENT, 0, 0)
        .leave(CLIENT, CLIENT)
        .pass(10);
    ring.push(TraceKind::SpanEnd, CLIENT, 0, 7).pass(10);
    // A fault, for the monitor, which does not reply.
    ring.enter_for(CLIENT, EntryReason::Fault);
    ring.push(TraceKind::Fault, CLIENT, FaultLabel::VmFault.as_raw(), 0xdead_0000);
    ring.block(CLIENT, WaitedObject::Reply)
        .push(TraceKind::Wake, CLIENT, MONITOR, 0)
        .leave(CLIENT, MONITOR)
        .pass(70);
    ring.enter_for(MONITOR, EntryReason::Interrupt).push(TraceKind::Interrupt, MONITOR, 0xffff_ffff, 0);
    ring.push(TraceKind::Budget, MONITOR, 3, 0).push(TraceKind::Left, NO_THREAD, MONITOR, 0).push(
        TraceKind::Domain,
        NO_THREAD,
        0,
        5000,
    );
    ring.block(MONITOR, WaitedObject::Budget).leave(MONITOR, NO_THREAD).pass(500);
    ring.push_raw(99 | 7 << 32, 8).pass(10);
    ring
}

/// Rings of four processors. The client on processor 0 calls the server on 1, whose reply comes back; signals the driver on 2,
/// which waits, and once more, while it runs; and faults, which the monitor on 1 handles. Processor 3 has no record.
pub(crate) fn spread(slots: u64) -> [Ring; 4] {
    let [mut first, mut second, mut third, fourth] =
        [0, 1, 2, 3].map(|processor| Ring::of_processor(slots, processor));
    let by_message = EntryReason::Interrupt;
    // Its notification is number 5.
    let to_driver = elsewhere(5, 2, 4);
    first.at(1000).push(TraceKind::Switch, NO_THREAD, CLIENT, 100).pass(100);
    first.enter(CLIENT, Syscall::Call).push(TraceKind::CallElsewhere, CLIENT, NO_THREAD, elsewhere(1, 1, 6));
    first.block(CLIENT, WaitedObject::Processor).leave(CLIENT, NO_THREAD);
    second.at(1200).push(TraceKind::Switch, NO_THREAD, NO_THREAD, 0);
    second.enter_for(NO_THREAD, by_message).push(TraceKind::Interrupt, NO_THREAD, MESSAGE_LINE, 0);
    second.push(TraceKind::Call, CLIENT, SERVER, 0).leave(NO_THREAD, SERVER).pass(200);
    second.enter(SERVER, Syscall::ReplyRecv).push(TraceKind::Reply, SERVER, CLIENT, 0);
    second.block(SERVER, WaitedObject::Endpoint).leave(SERVER, NO_THREAD);
    first.at(1500).enter_for(NO_THREAD, by_message).push(TraceKind::Interrupt, NO_THREAD, MESSAGE_LINE, 0);
    first.push(TraceKind::Wake, NO_THREAD, CLIENT, 1).leave(NO_THREAD, CLIENT).pass(80);
    first.enter(CLIENT, Syscall::NbSend).push(TraceKind::SignalElsewhere, CLIENT, NO_THREAD, to_driver);
    first.leave(CLIENT, CLIENT).pass(190);
    third.at(1650).push(TraceKind::Switch, NO_THREAD, NO_THREAD, 0);
    third.enter_for(NO_THREAD, by_message).push(TraceKind::Interrupt, NO_THREAD, MESSAGE_LINE, 0);
    third.push(TraceKind::Wake, NO_THREAD, DRIVER, 6).leave(NO_THREAD, DRIVER).pass(280);
    // This signal is received without a wake.
    first.enter(CLIENT, Syscall::NbSend).push(TraceKind::SignalElsewhere, CLIENT, NO_THREAD, to_driver);
    first.leave(CLIENT, CLIENT).pass(100);
    third.enter(DRIVER, Syscall::Wait).leave(DRIVER, DRIVER).pass(40);
    third.enter(DRIVER, Syscall::Wait).block(DRIVER, WaitedObject::Notification).leave(DRIVER, NO_THREAD);
    first.at(2100).enter(CLIENT, Syscall::NbSend);
    first.push(TraceKind::SignalElsewhere, CLIENT, NO_THREAD, to_driver).leave(CLIENT, CLIENT).pass(100);
    third.at(2200).enter_for(NO_THREAD, by_message).push(TraceKind::Interrupt, NO_THREAD, MESSAGE_LINE, 0);
    third.push(TraceKind::Wake, NO_THREAD, DRIVER, 6).leave(NO_THREAD, DRIVER).pass(50);
    first.at(2300).enter_for(CLIENT, EntryReason::Fault);
    first.push(TraceKind::Fault, CLIENT, FaultLabel::VmFault.as_raw(), 0xdead_0000);
    first.block(CLIENT, WaitedObject::Processor).leave(CLIENT, NO_THREAD);
    second.at(2400).enter_for(NO_THREAD, by_message);
    second.push(TraceKind::Interrupt, NO_THREAD, MESSAGE_LINE, 0);
    second.push(TraceKind::Call, CLIENT, MONITOR, 0).leave(NO_THREAD, MONITOR).pass(300);
    second.enter(MONITOR, Syscall::Recv).block(MONITOR, WaitedObject::Endpoint).leave(MONITOR, NO_THREAD);
    [first, second, third, fourth]
}

/// The memory with all of these rings of as many slots, one behind the other from this physical address on.
pub(crate) fn memory(rings: &mut [Ring], slots: u64, paddr: u64) -> Vec<u8> {
    let bytes = memory_bytes(slots * RECORD_BYTES);
    let mut memory = Vec::new();
    for (ring, number) in rings.iter_mut().zip(0..) {
        ring.damage(HeaderWord::PADDR, paddr + number * bytes);
        memory.extend(ring.copy());
        memory.resize(((number + 1) * bytes) as usize, 0);
    }
    memory
}

/// The difference between `text` and a golden file; `LIMEN_BLESS=1` rewrites the file.
pub(crate) fn golden(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("LIMEN_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == text, "{name}: expected\n{golden}\ngot\n{text}\n(LIMEN_BLESS=1 rewrites the file)");
}
