//! Rings: pages of the kernel's memory in which it publishes numbered records, and which a program maps read-only.
//!
//! A ring consists of lines of 64 bytes. Line 0 is the header ([`RingWord`]), and each other line holds one record
//! ([`RecordWord`]). Records are numbered from 0, and record `n` is in line `1 + n % slots`. The kernel overwrites the
//! oldest record and never waits for a reader.
//!
//! | step | kernel, for record `n` | reader, for record `n` |
//! |---|---|---|
//! | 1 | stores 0 as the line's number; release fence | loads the count of records (acquire), which is above `n` |
//! | 2 | stores the record | loads the record |
//! | 3 | stores `n + 1` as the line's number (release) | acquire fence; loads the line's number |
//! | 4 | stores `n + 1` as the count (release) | the record is whole if the number is `n + 1`, otherwise lost |
//!
//! So a record is lost only if `slots` later ones were written, or are being written.

use crate::limits::PAGE_BYTES;

/// Words in a line.
pub const LINE_WORDS: usize = 8;
/// Lines in a page.
pub const PAGE_LINES: usize = PAGE_BYTES as usize / size_of::<[u64; LINE_WORDS]>();

/// Words of the header.
#[derive(Debug)]
pub struct RingWord;
impl RingWord {
    /// Records written since the ring was cleared.
    pub const COUNT: usize = 0;
    /// Lines for records; zero before the first use.
    pub const SLOTS: usize = 1;
    /// Samples of crossings: 1 if every crossing switches page tables.
    pub const PAGE_TABLE_SWITCH: usize = 2;
}

/// Words of a line with a record. The rest is the record; that of a sample is as in
/// [`ProbeWord`](crate::probe::ProbeWord), from the event to the interruptions.
#[derive(Debug)]
pub struct RecordWord;
impl RecordWord {
    /// The record's number plus one; zero while there is no record or the kernel writes it.
    pub const NUMBER: usize = 0;
    /// The first word of the record.
    pub const FIRST: usize = 1;
}
