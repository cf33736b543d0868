//! The boot image: the tool's decisions, in the form that the kernel reads.
//!
//! An image is a sequence of 64-bit words (header, tables), little-endian in memory as every target has it, followed by
//! page contents:
//!
//! ```text
//! +--------+--------+--------+-----+---------------------------+
//! | header | table  | table  | ... | page-aligned contents     |
//! +--------+--------+--------+-----+---------------------------+
//! 0        HEADER_WORDS * 8        tables_bytes (<= contents)   image_bytes
//! ```
//!
//! It holds counts, indices and a mapping *plan*, but no page tables and no sizes of kernel objects. The kernel uses
//! page contents in place. [`Image::validate`] accepts exactly the images that the kernel can boot. The tool runs it
//! on its output, and the kernel runs it again at boot. It never panics.

#![cfg_attr(not(any(test, feature = "writer")), no_std)]
#![forbid(unsafe_code)]

mod interrupt_controller;
pub mod loader;
mod machine;
mod place;
mod record;
mod validate;
#[cfg(feature = "writer")]
mod writer;

pub use interrupt_controller::{InterruptController, PLIC_CONTEXTS};
pub use machine::{Machine, Memory, MemoryKind, Misplaced, RAM_RANGES};
pub use place::{MODULE_OFFSET, PLACED_RESERVED, place};
pub use record::{
    Board, Cap, CapKind, Counts, DomainSlot, FixedRegion, FixedRegionFlags, Home, Interrupt, InterruptFlags,
    InterruptSource, Key, KeySite, Mapping, MappingFlags, NONE, Range, Region, RegionKind, Rights, Ring,
    RingKind, SchedContext, Service, Thread, ThreadFlags, name_bytes, name_words,
};
pub use validate::ImageError;
#[cfg(feature = "writer")]
pub use writer::ImageWriter;

use limen_abi::KernelKey;
use record::Record;

/// First word of every image: "LIMENIMG" in memory order.
pub const MAGIC: u64 = u64::from_le_bytes(*b"LIMENIMG");
/// Version of the format. An image of another version is refused.
pub const VERSION: u64 = 13;
/// The address of an image that is placed at boot.
pub const UNPLACED: u64 = u64::MAX;

/// Words of the header that precede the table directory.
const FIXED_WORDS: usize = 9;
/// Words of the header: the fixed ones, then offset and count of each table.
pub const HEADER_WORDS: usize = FIXED_WORDS + 2 * Table::COUNT;

/// Positions of the fixed header words.
#[derive(Debug)]
pub struct HeaderWord;
impl HeaderWord {
    /// [`MAGIC`].
    pub const MAGIC: usize = 0;
    /// [`VERSION`].
    pub const VERSION: usize = 1;
    /// An [`Architecture`] number.
    pub const ARCHITECTURE: usize = 2;
    /// [`Options`] bits.
    pub const OPTIONS: usize = 3;
    /// Bytes of header and tables, the part that the checksum covers.
    pub const TABLES_BYTES: usize = 4;
    /// [`checksum`] of header and tables with this word taken as zero.
    pub const CHECKSUM: usize = 5;
    /// Physical address of the image's first byte, or [`UNPLACED`].
    pub const IMAGE_PADDR: usize = 6;
    /// Bytes of the whole image.
    pub const IMAGE_BYTES: usize = 7;
    /// Number of processors that the system uses, from 1 to `limits::PROCESSORS`.
    pub const PROCESSORS: usize = 8;
}

/// Instruction sets an image can be for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Architecture {
    /// 64-bit Arm.
    Aarch64 = 1,
    /// 64-bit RISC-V.
    Riscv64 = 2,
    /// 64-bit x86.
    X86_64 = 3,
}

/// Bits of the options word, which distinguish debug, release and benchmark. The bit at the position of a kernel
/// key's number is the default of that key.
#[derive(Debug)]
pub struct Options;
impl Options {
    /// The kernel prints boot facts, and programs may print through it.
    pub const PRINTING: u64 = KernelKey::Printing.option();
    /// The kernel checks its invariants on the target.
    pub const CHECK_INVARIANTS: u64 = KernelKey::SelfCheck.option();
    /// The kernel measures processor utilisation when programs ask for it.
    pub const MEASURE_UTILISATION: u64 = 1 << 2;
    /// The kernel measures its own routines at boot and prints the figures.
    pub const BOOT_FIGURES: u64 = 1 << 3;
    /// The groups of the trace that are on when the system starts.
    pub const TRACE: u64 = KernelKey::TRACE;
    /// The kernel records every event in the memory of the trace, for a replay: see [`limen_abi::recording`].
    pub const RECORDING: u64 = 1 << 4;
    /// All bits with a meaning.
    pub const ALL: u64 = Self::PRINTING
        | Self::CHECK_INVARIANTS
        | Self::MEASURE_UTILISATION
        | Self::BOOT_FIGURES
        | Self::RECORDING
        | Self::TRACE;
}

/// The tables of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Table {
    /// One [`Board`].
    Board = 0,
    /// One [`Counts`].
    Counts = 1,
    /// RAM of the machine: [`Range`]s, ascending.
    Ram = 2,
    /// RAM taken by loader, kernel and image: [`Range`]s, ascending.
    Reserved = 3,
    /// RAM that the kernel may use for page tables: one [`Range`].
    Pool = 4,
    /// [`Region`]s of physical memory, disjoint, in one or two ascending runs.
    Regions = 5,
    /// [`Mapping`]s, ascending by address space and address, disjoint.
    Mappings = 6,
    /// [`SchedContext`]s.
    SchedContexts = 7,
    /// [`Thread`]s.
    Threads = 8,
    /// [`Cap`]s, ascending by table and slot.
    Caps = 9,
    /// [`DomainSlot`]s, for each processor in schedule order; empty when there is one domain.
    DomainSchedule = 10,
    /// [`Interrupt`]s, ascending by line.
    Interrupts = 11,
    /// [`Key`]s; each kernel key at most once.
    Keys = 12,
    /// [`KeySite`]s, ascending by key.
    KeySites = 13,
    /// [`Service`]s.
    Services = 14,
    /// [`FixedRegion`]s, one for each of the last [`Region`]s; only in images placed at boot.
    FixedRegions = 15,
    /// [`Ring`]s, ascending by address space and address.
    Rings = 16,
    /// [`Home`]s of all endpoints, then of all notifications, then of all reply objects; empty when there is one
    /// processor.
    Homes = 17,
}

impl Table {
    /// Number of tables.
    pub const COUNT: usize = 18;
}

/// A validated image. Reading a record never fails.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    words: &'a [u64],
}

impl<'a> Image<'a> {
    /// Checks that `words` starts with an image that the kernel can boot.
    ///
    /// `words` must hold at least the header and tables; page contents need not be readable. The time is linear in
    /// the number of records.
    ///
    /// # Errors
    /// The first rule that the image breaks.
    pub fn validate(words: &'a [u64]) -> Result<Self, ImageError> {
        validate::validate(words)
    }

    /// The options word, see [`Options`].
    #[must_use]
    pub fn options(&self) -> u64 {
        self.header(HeaderWord::OPTIONS)
    }

    /// The architecture number, see [`Architecture`].
    #[must_use]
    pub fn architecture(&self) -> u64 {
        self.header(HeaderWord::ARCHITECTURE)
    }

    /// Physical address of the image's first byte.
    #[must_use]
    pub fn paddr(&self) -> u64 {
        self.header(HeaderWord::IMAGE_PADDR)
    }

    /// Bytes of the whole image, page contents included.
    #[must_use]
    pub fn image_bytes(&self) -> u64 {
        self.header(HeaderWord::IMAGE_BYTES)
    }

    /// Bytes of header and tables.
    #[must_use]
    pub fn tables_bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    /// Number of processors that the system uses.
    #[must_use]
    pub fn processors(&self) -> u64 {
        self.header(HeaderWord::PROCESSORS)
    }

    /// Number of threads.
    #[must_use]
    pub fn thread_count(&self) -> u64 {
        self.directory(Table::Threads).1
    }

    /// Number of mappings.
    #[must_use]
    pub fn mapping_count(&self) -> u64 {
        self.directory(Table::Mappings).1
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> Board {
        self.records(Table::Board).next().unwrap_or_default()
    }

    /// Number of objects of each kind.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.records(Table::Counts).next().unwrap_or_default()
    }

    /// RAM that the kernel may use for page tables.
    #[must_use]
    pub fn pool(&self) -> Range {
        self.records(Table::Pool).next().unwrap_or_default()
    }

    /// RAM of the machine.
    pub fn ram(&self) -> impl Iterator<Item = Range> + 'a {
        self.records(Table::Ram)
    }

    /// RAM taken by loader, kernel and image.
    pub fn reserved(&self) -> impl Iterator<Item = Range> + 'a {
        self.records(Table::Reserved)
    }

    /// Regions of physical memory.
    pub fn regions(&self) -> impl Iterator<Item = Region> + 'a {
        self.records(Table::Regions)
    }

    /// The region with this index.
    #[must_use]
    pub fn region(&self, index: u64) -> Region {
        self.record(Table::Regions, index).unwrap_or_default()
    }

    /// The memory of the trace, if the image has one: for each processor a header, and records in a power of two.
    #[must_use]
    pub fn trace(&self) -> Option<Region> {
        self.record(Table::Regions, self.counts().trace.checked_sub(1)?)
    }

    /// Mappings of regions into address spaces.
    pub fn mappings(&self) -> impl Iterator<Item = Mapping> + 'a {
        self.records(Table::Mappings)
    }

    /// Scheduling contexts, in index order.
    pub fn sched_contexts(&self) -> impl Iterator<Item = SchedContext> + 'a {
        self.records(Table::SchedContexts)
    }

    /// Threads, in index order.
    pub fn threads(&self) -> impl Iterator<Item = Thread> + 'a {
        self.records(Table::Threads)
    }

    /// Capabilities.
    pub fn caps(&self) -> impl Iterator<Item = Cap> + 'a {
        self.records(Table::Caps)
    }

    /// The domain schedules of all processors.
    pub fn domain_schedule(&self) -> impl Iterator<Item = DomainSlot> + 'a {
        self.records(Table::DomainSchedule)
    }

    /// Device interrupts, in index order.
    pub fn interrupts(&self) -> impl Iterator<Item = Interrupt> + 'a {
        self.records(Table::Interrupts)
    }

    /// Static keys, in index order.
    pub fn keys(&self) -> impl Iterator<Item = Key> + 'a {
        self.records(Table::Keys)
    }

    /// Sites of static keys in programs.
    pub fn key_sites(&self) -> impl Iterator<Item = KeySite> + 'a {
        self.records(Table::KeySites)
    }

    /// Range of words of the image that holds the records of [`Self::key_sites`].
    #[must_use]
    pub fn key_site_words(&self) -> core::ops::Range<usize> {
        let (offset, count) = self.directory(Table::KeySites);
        offset as usize..offset as usize + count as usize * KeySite::LENGTH
    }

    /// The services.
    pub fn services(&self) -> impl Iterator<Item = Service> + 'a {
        self.records(Table::Services)
    }

    /// Details of the regions with a fixed address, which are the last ones, in an image placed at boot.
    pub fn fixed_regions(&self) -> impl Iterator<Item = FixedRegion> + 'a {
        self.records(Table::FixedRegions)
    }

    /// The rings.
    pub fn rings(&self) -> impl Iterator<Item = Ring> + 'a {
        self.records(Table::Rings)
    }

    /// Home processors of endpoints, notifications and reply objects, in this order; none when there is one processor.
    pub fn homes(&self) -> impl Iterator<Item = Home> + 'a {
        self.records(Table::Homes)
    }

    /// Home processor of an endpoint.
    #[must_use]
    pub fn endpoint_home(&self, index: u64) -> u64 {
        self.home(index)
    }

    /// Home processor of a notification.
    #[must_use]
    pub fn notification_home(&self, index: u64) -> u64 {
        self.home(self.counts().endpoints + index)
    }

    /// Home processor of a reply object.
    #[must_use]
    pub fn reply_home(&self, index: u64) -> u64 {
        let counts = self.counts();
        self.home(counts.endpoints + counts.notifications + index)
    }

    /// The thread with this index.
    #[must_use]
    pub fn thread(&self, index: u64) -> Option<Thread> {
        self.record(Table::Threads, index)
    }

    fn home(&self, position: u64) -> u64 {
        self.word(Table::Homes, Home::WORDS, position, 0)
    }

    /// A word of the record at `index`; 0 if there is no such record.
    fn word(&self, table: Table, record_words: usize, index: u64, position: usize) -> u64 {
        let (offset, count) = self.directory(table);
        if index < count {
            self.header(offset as usize + index as usize * record_words + position)
        } else {
            0
        }
    }

    fn service(&self, index: u64) -> Option<Service> {
        self.record(Table::Services, index)
    }

    /// The mapping at this position; an empty one past the end.
    fn mapping(&self, index: u64) -> Mapping {
        self.record(Table::Mappings, index).unwrap_or_default()
    }

    /// The header word that counts the records of a table.
    const fn count_word(table: Table) -> usize {
        FIXED_WORDS + 2 * table as usize + 1
    }

    fn header(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// Offset in words and count of a table, as the directory gives them.
    fn directory(&self, table: Table) -> (u64, u64) {
        self.directory_entry(table as usize)
    }

    fn directory_entry(&self, table: usize) -> (u64, u64) {
        let entry = FIXED_WORDS + 2 * table;
        (self.header(entry), self.header(entry + 1))
    }

    fn record<R: Record>(&self, table: Table, index: u64) -> Option<R> {
        let (offset, count) = self.directory(table);
        if index >= count {
            return None;
        }
        R::read(self.words.get(offset as usize + index as usize * R::WORDS..)?)
    }

    fn records<R: Record>(&self, table: Table) -> impl Iterator<Item = R> + use<'a, R> {
        let (offset, count) = self.directory(table);
        let (start, words) = (offset as usize, count as usize * R::WORDS);
        self.words.get(start..start + words).unwrap_or_default().chunks_exact(R::WORDS).filter_map(R::read)
    }
}

/// Checksum of header and tables: FNV-1a over 64-bit words, with the checksum word taken as zero.
///
/// It detects transport damage and mismatched parts; it does not protect against an attacker who can write the image.
#[must_use]
pub fn checksum(tables: &[u64]) -> u64 {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    let add = |sum: u64, word: &u64| (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    let (before, rest) = tables.split_at(tables.len().min(HeaderWord::CHECKSUM));
    let sum = before.iter().fold(START, add);
    let Some((_, after)) = rest.split_first() else { return sum };
    after.iter().fold(add(sum, &0), add)
}

/// The words of an image in a file; bytes after the last whole word are dropped.
#[cfg(feature = "writer")]
#[must_use]
pub fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}

/// The words of an image as they lie in a file.
#[cfg(feature = "writer")]
#[must_use]
pub fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
