//! Rings made by hand, in the order in which the kernel writes records.

#![allow(dead_code, reason = "not every test uses all of it")]

use limen_abi::trace::{
    EntryReason, HEADER_BYTES, HeaderWord, MAGIC, NO_THREAD, RECORD_BYTES, RecordWord, WRITING, WaitedObject,
    what,
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

/// The difference between `text` and a golden file; `LIMEN_BLESS=1` rewrites the file.
pub(crate) fn golden(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("LIMEN_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == text, "{name}: expected\n{golden}\ngot\n{text}\n(LIMEN_BLESS=1 rewrites the file)");
}
