//! Tracing: a program's own events, and the ring in which the kernel records all events.
//!
//! [`trace_event!`](crate::trace_event), [`trace_begin!`](crate::trace_begin), [`trace_end!`](crate::trace_end) and
//! [`trace_counter!`](crate::trace_counter) are one instruction that does nothing until the key [`ON`] is switched, which
//! follows `kernel.trace.programs` or the key that the description binds to the symbol `limen_trace_on`. Then each is a system
//! call that writes one record with the kernel's time.
//!
//! A program whose description has `<trace vaddr="0x4000000" setvar_vaddr="trace"/>` reads the ring with a [`Reader`]. See
//! [`limen_abi::trace`] for the layout.

#![expect(unsafe_code, reason = "the key is a symbol in a section of its own")]

use core::sync::atomic::{AtomicU64, Ordering, fence};

use limen_abi::trace::{
    FIRST_SHIFT, HeaderWord, MAX_BYTES, RECORD_BYTES, RecordWord, THREAD_SHIFT, memory_bytes,
};
pub use limen_abi::trace::{NO_THREAD, TraceKind};

use crate::trap;

crate::static_key!(
    /// The key of a program's events.
    pub ON = false, "limen_trace_on"
);

/// Writes a record if programs may trace; otherwise nothing happens. `name` is the offset of a name.
#[doc(hidden)]
#[inline(always)]
pub fn write(kind: TraceKind, name: u64, value: u64) {
    trap::trace(kind.as_raw() | name << FIRST_SHIFT, value);
}

/// Writes an event: a name, which is a string literal without quotes, backslashes, braces and vertical bars, and a value.
///
/// ```ignore
/// limen::trace_event!("received", length);
/// ```
#[macro_export]
macro_rules! trace_event {
    ($name:literal, $value:expr) => {
        $crate::trace_record!(Event, $name, $value)
    };
}

/// Writes the begin of a span, as [`trace_event!`].
#[macro_export]
macro_rules! trace_begin {
    ($name:literal, $value:expr) => {
        $crate::trace_record!(SpanBegin, $name, $value)
    };
}

/// Writes the end of a span, as [`trace_event!`].
#[macro_export]
macro_rules! trace_end {
    ($name:literal, $value:expr) => {
        $crate::trace_record!(SpanEnd, $name, $value)
    };
}

/// Writes the new value of a counter, as [`trace_event!`].
#[macro_export]
macro_rules! trace_counter {
    ($name:literal, $value:expr) => {
        $crate::trace_record!(Counter, $name, $value)
    };
}

/// A record of this kind.
#[doc(hidden)]
#[macro_export]
macro_rules! trace_record {
    ($kind:ident, $name:literal, $value:expr) => {
        if $crate::static_branch_unlikely!($crate::trace::ON) {
            let name: u64;
            // SAFETY: one constant, and a string in a section that is not loaded.
            unsafe {
                ::core::arch::asm!(
                    ".pushsection .limen.trace_names, \"\", %progbits",
                    "772:",
                    concat!(".asciz \"", $name, "\""),
                    ".popsection",
                    $crate::trace_name_offset!(),
                    name = out(reg) name,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            $crate::trace::write($crate::trace::TraceKind::$kind, name, $value as u64);
        }
    };
}

/// A word of the ring.
pub type Word = AtomicU64;

/// A record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its number, from 0.
    pub number: u64,
    /// The time in ticks of the clock.
    pub time: u64,
    /// Its kind; `None` if this crate does not know it.
    pub kind: Option<TraceKind>,
    /// The number of the protection domain in the report, or [`NO_THREAD`].
    pub thread: u64,
    /// The first value.
    pub first: u64,
    /// The second value.
    pub second: u64,
}

/// A position in the ring.
#[derive(Clone, Debug)]
pub struct Reader {
    words: &'static [Word],
    next: u64,
    lost: u64,
}

impl Reader {
    /// A reader before the first record of a ring.
    #[must_use]
    pub const fn new(words: &'static [Word]) -> Self {
        Self { words, next: 0, lost: 0 }
    }

    /// A reader before the first record of the ring that a processor writes; `words` are those of all rings. Without this ring, it
    /// has no records.
    #[must_use]
    pub fn of_processor(words: &'static [Word], processor: usize) -> Self {
        let slots = words.get(HeaderWord::SLOTS).map_or(0, |slots| slots.load(Ordering::Acquire));
        let length =
            memory_bytes(slots.saturating_mul(RECORD_BYTES).min(MAX_BYTES)) as usize / size_of::<Word>();
        Self::new(processor.checked_mul(length).and_then(|first| words.get(first..)).unwrap_or_default())
    }

    /// Records that were overwritten before this reader read them.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Ticks of the clock per second; zero without a ring.
    #[must_use]
    pub fn frequency(&self) -> u64 {
        self.header(HeaderWord::FREQUENCY)
    }

    fn header(&self, word: usize) -> u64 {
        self.words.get(word).map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// Copies the oldest record that was not read, and advances.
    pub fn next_record(&mut self) -> Option<Record> {
        let (slots, _) = self.words.get(HeaderWord::LENGTH..)?.as_chunks::<{ RecordWord::LENGTH }>();
        loop {
            let count = self.header(HeaderWord::COUNT);
            if count <= self.next {
                return None;
            }
            let slot_count = self.header(HeaderWord::SLOTS);
            let lost = (count - self.next).saturating_sub(slot_count);
            self.lost += lost;
            self.next += lost;
            let slot = slots.get(self.next.checked_rem(slot_count)? as usize)?;
            let [_, time, what, second] = slot.each_ref().map(|word| word.load(Ordering::Relaxed));
            fence(Ordering::Acquire);
            let number = slot[RecordWord::NUMBER].load(Ordering::Relaxed);
            if number == self.next {
                self.next += 1;
                let kind = TraceKind::from_raw(what & 0xff);
                let (thread, first) = (what >> THREAD_SHIFT & 0xffff, what >> FIRST_SHIFT);
                return Some(Record { number, time, kind, thread, first, second });
            }
            // The kernel, on another processor, has overwritten it meanwhile.
        }
    }
}

/// Defines the ring of the trace, by the symbol of `setvar_vaddr`, and the description's `size` if it has one. With several
/// processors, their number follows, and [`Reader::of_processor`] reads the ring of each.
///
/// ```
/// limen::trace_ring!(
///     /// `<trace vaddr="0x4000000" setvar_vaddr="trace"/>`
///     pub TRACE = "trace"
/// );
/// let mut reader = limen::trace::Reader::new(TRACE.elements());
/// assert_eq!(reader.next_record(), None, "the symbol is not set");
/// ```
#[macro_export]
macro_rules! trace_ring {
    ($(#[$meta:meta])* $visibility:vis $name:ident = $symbol:literal) => {
        $crate::trace_ring!(@ [$(#[$meta])*] [$visibility] $name, $symbol, $crate::abi::trace::DEFAULT_BYTES, 1);
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident = $symbol:literal, $bytes:expr) => {
        $crate::trace_ring!(@ [$(#[$meta])*] [$visibility] $name, $symbol, $bytes, 1);
    };
    ($(#[$meta:meta])* $visibility:vis $name:ident = $symbol:literal, $bytes:expr, $processors:expr) => {
        $crate::trace_ring!(@ [$(#[$meta])*] [$visibility] $name, $symbol, $bytes, $processors);
    };
    (@ [$($meta:tt)*] [$visibility:vis] $name:ident, $symbol:literal, $bytes:expr, $processors:expr) => {
        $($meta)*
        $visibility static $name: $crate::Region<$crate::trace::Word> = {
            $crate::setvar!(ADDRESS = $symbol);
            static BYTES: $crate::Setvar =
                $crate::Setvar::fixed($crate::abi::trace::memory_bytes_of($processors, $bytes));
            // SAFETY: the description sets the symbol to the address of a ring of this size: S12.
            unsafe {
                $crate::Region::new(&ADDRESS, &BYTES)
            }
        };
    };
}
