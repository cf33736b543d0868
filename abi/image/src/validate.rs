//! The rules of a boot image. This is the only place that checks what boot code relies on.

mod interrupts;
mod processors;
mod rings;
mod services;
mod threads;
mod trace;

use core::fmt::{self, Write};
use core::mem;
use core::ops::RangeInclusive;

use limen_abi::boot_info::BootInfo;
use limen_abi::{KernelKey, limits, slot};

use crate::machine::Misplaced;
use crate::record::{
    Board, Cap, CapKind, Counts, DomainSlot, FixedRegion, Home, Interrupt, Key, KeySite, Mapping,
    MappingFlags, NAME_WORDS, NONE, Range, Record, Region, RegionKind, Rights, Ring, SchedContext, Service,
    Thread, name_bytes,
};
use crate::{
    Architecture, HEADER_WORDS, HeaderWord, Image, MAGIC, Options, Table, UNPLACED, VERSION, checksum,
};

/// The rule that an image breaks. `index` is the position of the record in its table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageError {
    /// Shorter than its header, or than the header's size field.
    Truncated,
    /// The first word is not the magic number.
    Magic,
    /// Another version of the format.
    Version {
        /// The version found.
        found: u64,
    },
    /// An undefined option bit.
    Options,
    /// The image has no address yet.
    Unplaced,
    /// The image already has an address, but must be placed at boot.
    Placed,
    /// The firmware's memory map has more entries than the kernel can hold.
    MemoryMap,
    /// The machine has no room for the image, its page tables or a region.
    NoRoom {
        /// Size of the contiguous range that does not fit.
        bytes: u64,
    },
    /// A region cannot have its fixed address on this machine.
    FixedRegion {
        /// Its name; see [`name_bytes`].
        name: [u64; NAME_WORDS],
        /// Its addresses.
        range: Range,
        /// The reason.
        why: Misplaced,
    },
    /// Header and tables do not match their checksum.
    Checksum,
    /// A table lies outside the tables, or has an invalid count.
    Directory {
        /// Number of the table.
        table: usize,
    },
    /// More objects of a kind than the kernel can hold.
    TooMany {
        /// The kind of object.
        what: &'static str,
    },
    /// A record has an invalid index, address, size or flag.
    Record {
        /// Number of the table.
        table: usize,
        /// Position of the record.
        index: usize,
        /// The broken rule.
        what: &'static str,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => write!(f, "the image is shorter than its header says"),
            Self::Magic => write!(f, "this is not a boot image"),
            Self::Version { found } => {
                write!(f, "the image has format version {found}; this kernel reads {VERSION}")
            }
            Self::Options => write!(f, "the image has undefined option bits"),
            Self::Unplaced => write!(f, "the image has no address yet"),
            Self::Placed => write!(f, "the image is for a machine whose memory is known before boot"),
            Self::MemoryMap => {
                write!(f, "the firmware's memory map has more entries than the kernel has room for")
            }
            Self::NoRoom { bytes } => {
                write!(
                    f,
                    "no RAM after the image has room for another {bytes:#x} bytes; give the machine more memory"
                )
            }
            Self::FixedRegion { name, range: Range { start, end }, why } => {
                let (name, length) = name_bytes(name);
                f.write_str("memory region '")?;
                for &byte in name.iter().take(length) {
                    let is_plain = byte == b' ' || byte.is_ascii_graphic();
                    f.write_char(if is_plain { char::from(byte) } else { '?' })?;
                }
                write!(f, "' [{start:#x}..{end:#x}) {why}")
            }
            Self::Checksum => write!(f, "header and tables do not match their checksum"),
            Self::Directory { table } => {
                write!(f, "table {table} lies outside the image or has a wrong count")
            }
            Self::TooMany { what } => write!(f, "there are more {what} than the kernel has room for"),
            Self::Record { table, index, what } => write!(f, "record {index} of table {table}: {what}"),
        }
    }
}

/// Upper limit of physical and user addresses. Page tables of every architecture hold 48 bits and drop the others, so
/// that a device beyond would alias RAM below. The limit also keeps every sum far below 2^64.
const ADDRESS_LIMIT: u64 = 1 << 48;

type Check = Result<(), ImageError>;

pub(crate) fn validate(words: &[u64]) -> Result<Image<'_>, ImageError> {
    let image = check_header(words)?;
    check_directory(&image)?;
    check_board(&image)?;
    check_counts(&image)?;
    check_ranges(&image)?;
    check_regions(&image)?;
    check_mappings(&image)?;
    check_sched_contexts(&image)?;
    check_domain_schedule(&image)?;
    interrupts::check(&image)?;
    check_keys(&image)?;
    check_key_sites(&image)?;
    processors::check_homes(&image)?;
    check_caps(&image)?;
    threads::check(&image)?;
    services::check(&image)?;
    rings::check(&image)?;
    trace::check(&image)?;
    processors::check_companions(&image)?;
    Ok(image)
}

fn check_header(words: &[u64]) -> Result<Image<'_>, ImageError> {
    let image = check_format(words)?;
    if image.paddr() == UNPLACED {
        return Err(ImageError::Unplaced);
    }
    if image.paddr() >= ADDRESS_LIMIT || !page_aligned(image.paddr()) {
        return Err(ImageError::Truncated);
    }
    check_checksum(&image)?;
    Ok(image)
}

/// Checks that header and tables are present and in a known format.
pub(crate) fn check_format(words: &[u64]) -> Result<Image<'_>, ImageError> {
    let header = |index| words.get(index).copied().ok_or(ImageError::Truncated);
    if header(HeaderWord::MAGIC)? != MAGIC {
        return Err(ImageError::Magic);
    }
    let version = header(HeaderWord::VERSION)?;
    if version != VERSION {
        return Err(ImageError::Version { found: version });
    }
    if header(HeaderWord::OPTIONS)? & !Options::ALL != 0 {
        return Err(ImageError::Options);
    }
    let tables_bytes = header(HeaderWord::TABLES_BYTES)?;
    let image_bytes = header(HeaderWord::IMAGE_BYTES)?;
    let tables = usize::try_from(tables_bytes / 8).ok().and_then(|length| words.get(..length));
    let tables = tables.ok_or(ImageError::Truncated)?;
    let too_small =
        tables.len() < HEADER_WORDS || !tables_bytes.is_multiple_of(8) || image_bytes < tables_bytes;
    if too_small || image_bytes >= ADDRESS_LIMIT {
        return Err(ImageError::Truncated);
    }
    Ok(Image { words: tables })
}

pub(crate) fn check_checksum(image: &Image<'_>) -> Check {
    if checksum(image.words) == image.header(HeaderWord::CHECKSUM) {
        Ok(())
    } else {
        Err(ImageError::Checksum)
    }
}

/// Words of a record, and the allowed number of records, by table.
const TABLES: [(usize, RangeInclusive<u64>); Table::COUNT] = [
    (Board::WORDS, 1..=1),
    (Counts::WORDS, 1..=1),
    (Range::WORDS, 1..=16),
    (Range::WORDS, 1..=16),
    (Range::WORDS, 1..=1),
    (Region::WORDS, 0..=limits::REGIONS as u64),
    (Mapping::WORDS, 0..=limits::MAPPINGS as u64),
    (SchedContext::WORDS, 0..=limits::SCHED_CONTEXTS as u64),
    (Thread::WORDS, 1..=limits::THREADS as u64),
    (Cap::WORDS, 0..=(limits::THREADS * (limits::CAP_SLOTS + limits::ROOT_SLOTS)) as u64),
    (DomainSlot::WORDS, 0..=(limits::DOMAIN_SCHEDULE * limits::PROCESSORS) as u64),
    (Interrupt::WORDS, 0..=limits::INTERRUPTS as u64),
    (Key::WORDS, 0..=limits::KEYS as u64),
    (KeySite::WORDS, 0..=limits::KEY_SITES as u64),
    (Service::WORDS, 0..=limits::SERVICES as u64),
    (FixedRegion::WORDS, 0..=limits::REGIONS as u64),
    (Ring::WORDS, 0..=limits::SAMPLE_RINGS as u64),
    (Home::WORDS, 0..=(limits::ENDPOINTS + limits::NOTIFICATIONS + limits::REPLIES) as u64),
];

pub(crate) fn check_directory(image: &Image<'_>) -> Check {
    for (table, (record_words, counts)) in TABLES.iter().enumerate() {
        let (offset, count) = image.directory_entry(table);
        let words = count.checked_mul(*record_words as u64).and_then(|words| words.checked_add(offset));
        let inside = words.is_some_and(|end| end <= image.words.len() as u64);
        if !counts.contains(&count) || offset < HEADER_WORDS as u64 || !inside {
            return Err(ImageError::Directory { table });
        }
    }
    Ok(())
}

/// The kernel maps the pages of its devices, writes a register for each interrupt line, and adds sizes to user
/// addresses.
fn check_board(image: &Image<'_>) -> Check {
    let board = image.board();
    for page in [board.interrupt_controller_paddr, board.interrupt_cpu_paddr] {
        rule(Table::Board, 0, page_aligned(page) && page < ADDRESS_LIMIT, "not the address of a page")?;
    }
    rule(Table::Board, 0, board.has_context(), "not a context of the interrupt controller")?;
    let fits = board.interrupt_lines <= limits::INTERRUPT_LINES;
    rule(Table::Board, 0, fits, "more interrupt lines than any controller has")?;
    let is_x86 = image.architecture() == Architecture::X86_64 as u64;
    let lines = if is_x86 { limits::INTERRUPT_VECTORS } else { limits::INTERRUPT_LINES };
    let exists = board.timer_interrupt < lines;
    rule(Table::Board, 0, exists, "the timer has an interrupt line that no controller has")?;
    let ends_page = board.user_top < ADDRESS_LIMIT && page_aligned(board.user_top + 1);
    rule(Table::Board, 0, ends_page, "highest user address is not the end of a page")
}

fn check_counts(image: &Image<'_>) -> Check {
    let counts = image.counts();
    let limit = |what, count: u64, limit: usize| {
        if count <= limit as u64 { Ok(()) } else { Err(ImageError::TooMany { what }) }
    };
    limit("processors", image.processors(), limits::PROCESSORS)?;
    limit("endpoints", counts.endpoints, limits::ENDPOINTS)?;
    limit("notifications", counts.notifications, limits::NOTIFICATIONS)?;
    limit("reply objects", counts.replies, limits::REPLIES)?;
    limit("address spaces", counts.vspaces, limits::VSPACES)
}

fn check_ranges(image: &Image<'_>) -> Check {
    ascending(Table::Ram, image.ram())?;
    ascending(Table::Reserved, image.reserved())?;
    let pool = image.pool();
    ascending(Table::Pool, [pool].into_iter())?;
    for (index, range) in image.reserved().enumerate() {
        rule(Table::Reserved, index, in_ram(image, range), "not in RAM")?;
    }
    let holds_image =
        image.reserved().any(|range| range.contains(&Range { start: image.paddr(), end: image_end(image) }));
    rule(Table::Reserved, 0, holds_image, "does not hold the image")?;
    rule(Table::Pool, 0, in_ram(image, pool), "not in RAM")?;
    rule(Table::Pool, 0, !image.reserved().any(|range| range.overlaps(&pool)), "overlaps reserved memory")
}

fn ascending(table: Table, ranges: impl Iterator<Item = Range>) -> Check {
    let mut previous_end = 0;
    for (index, range) in ranges.enumerate() {
        let aligned = page_aligned(range.start) && page_aligned(range.end);
        rule(
            table,
            index,
            aligned && range.start < range.end && range.end < ADDRESS_LIMIT,
            "not a range of pages",
        )?;
        rule(table, index, range.start >= previous_end, "not in ascending order")?;
        previous_end = range.end;
    }
    Ok(())
}

fn check_regions(image: &Image<'_>) -> Check {
    let (board, pool) = (image.board(), image.pool());
    let contents = Range { start: image.paddr() + image.tables_bytes(), end: image_end(image) };
    let mut runs = Runs::default();
    for (index, region) in image.regions().enumerate() {
        let check = |ok, what| rule(Table::Regions, index, ok, what);
        let range = region.range();
        let sane = range.start < range.end && range.end <= ADDRESS_LIMIT;
        check(sane && page_aligned(region.paddr) && page_aligned(region.bytes), "not a range of pages")?;
        check(runs.admit(image, index as u64, range), "not in ascending order or overlapping")?;
        check(has_valid_source(image, &region), "invalid initial contents")?;
        match RegionKind::from_raw(region.kind) {
            Some(RegionKind::Zero) => {
                let taken = range.overlaps(&pool) || image.reserved().any(|other| range.overlaps(&other));
                check(in_ram(image, range), "not in RAM")?;
                check(!taken, "overlaps memory of the kernel")?;
            }
            Some(RegionKind::Contents) => {
                check(contents.contains(&range), "not in the contents of the image")?;
            }
            Some(RegionKind::Device) => {
                check(!image.ram().any(|ram| range.overlaps(&ram)), "a device in RAM")?;
                check(!is_kernel_device(&board, range), "a device of the kernel")?;
            }
            Some(RegionKind::Floating | RegionKind::Fixed) | None => check(false, "unknown kind")?,
        }
    }
    Ok(())
}

/// The order of regions: one or two ascending runs. Regions whose address is chosen at boot lie between those whose
/// address is fixed.
#[derive(Default)]
struct Runs {
    /// End of the last region.
    end: u64,
    /// The second run: index of its first region, and of the first run's next region that is not below it.
    second: Option<(u64, u64)>,
}

impl Runs {
    /// Whether the region at `index` is in order and disjoint from all earlier regions.
    fn admit(&mut self, image: &Image<'_>, index: u64, range: Range) -> bool {
        if range.start < self.end && self.second.is_none() {
            *self = Self { end: 0, second: Some((index, 0)) };
        }
        let in_order = self.end <= range.start;
        self.end = range.end;
        let Some((first, other)) = &mut self.second else { return in_order };
        while other < first && image.region(*other).range().end <= range.start {
            *other += 1;
        }
        in_order && (other == first || range.end <= image.region(*other).paddr)
    }
}

/// Only cleared RAM has initial contents: from the image, in whole pages, or from the firmware.
fn has_valid_source(image: &Image<'_>, region: &Region) -> bool {
    if region.source == 0 && region.source_bytes == 0 {
        return true;
    }
    let is_ram = region.kind == RegionKind::Zero as u64;
    if region.source_bytes == 0 {
        return is_ram && BootInfo::from_raw(region.source).is_some();
    }
    let end = region.source.checked_add(region.source_bytes);
    let in_contents =
        region.source >= image.tables_bytes() && end.is_some_and(|end| end <= image.image_bytes());
    let aligned = page_aligned(region.source) && page_aligned(region.source_bytes);
    is_ram && in_contents && aligned && region.source_bytes <= region.bytes
}

/// Whether a device is reserved for the kernel. Interrupt-controller registers would let a program take over the
/// machine; the debug console may be shared.
fn is_kernel_device(board: &Board, range: Range) -> bool {
    board
        .interrupt_registers()
        .into_iter()
        .any(|registers| registers.start != 0 && range.overlaps(&registers))
}

fn check_mappings(image: &Image<'_>) -> Check {
    let vspaces = image.counts().vspaces;
    let regions = image.directory(Table::Regions).1;
    let user_top = image.board().user_top;
    let mut previous = (0, 0);
    for (index, mapping) in image.mappings().enumerate() {
        let check = |ok, what| rule(Table::Mappings, index, ok, what);
        check(mapping.vspace < vspaces, "no such address space")?;
        check(mapping.region < regions, "no such region")?;
        let flags = mapping.flags;
        let readable =
            flags & MappingFlags::READ != 0 || flags & (MappingFlags::WRITE | MappingFlags::EXECUTE) == 0;
        let is_program = flags & MappingFlags::PRIVILEGED == 0 || flags & MappingFlags::EXECUTE == 0;
        check(flags & !MappingFlags::ALL == 0 && readable && is_program, "invalid flags")?;
        let page =
            if flags & MappingFlags::LARGE != 0 { limits::LARGE_PAGE_BYTES } else { limits::PAGE_BYTES };
        let region = image.region(mapping.region);
        let aligned =
            [mapping.vaddr, mapping.bytes, mapping.offset, region.paddr.wrapping_add(mapping.offset)]
                .into_iter()
                .all(|value| value % page == 0);
        check(aligned && mapping.bytes != 0, "not aligned to its page size")?;
        let fits = mapping.offset.checked_add(mapping.bytes).is_some_and(|end| end <= region.bytes);
        check(fits, "reaches beyond its region")?;
        let end = mapping.vaddr.checked_add(mapping.bytes);
        check(end.is_some_and(|end| end - 1 <= user_top && end < ADDRESS_LIMIT), "not a user address")?;
        check((mapping.vspace, mapping.vaddr) >= previous, "not in ascending order or overlapping")?;
        previous = (mapping.vspace, mapping.vaddr + mapping.bytes);
    }
    Ok(())
}

fn check_sched_contexts(image: &Image<'_>) -> Check {
    for (index, context) in image.sched_contexts().enumerate() {
        let SchedContext { budget_us: budget, period_us: period, .. } = context;
        let is_slice = budget == period && budget > 0;
        let is_share = budget < period && budget >= limits::MIN_BUDGET_US;
        let ok = (is_slice || is_share) && period <= limits::MAX_PERIOD_US;
        rule(Table::SchedContexts, index, ok, "budget and period are not in range")?;
    }
    Ok(())
}

fn check_domain_schedule(image: &Image<'_>) -> Check {
    for (index, slot) in image.domain_schedule().enumerate() {
        let check = |ok, what| rule(Table::DomainSchedule, index, ok, what);
        check(slot.domain < limits::DOMAINS as u64, "no such domain")?;
        let sane =
            slot.duration_us <= limits::MAX_PERIOD_US && slot.duration_ticks <= limits::MAX_DOMAIN_TICKS;
        check(sane && (slot.duration_us == 0) != (slot.duration_ticks == 0), "invalid duration")?;
        check(slot.processor < image.processors(), "no such processor")?;
    }
    let is_single = image.domain_schedule().next().is_none();
    (0..image.processors()).try_for_each(|processor| {
        let slots = image.domain_schedule().filter(|slot| slot.processor == processor).count();
        let check = |ok, what| rule(Table::DomainSchedule, 0, ok, what);
        check((slots == 0) == is_single, "no slot of a processor, while others have some")?;
        check(slots <= limits::DOMAIN_SCHEDULE, "too many slots of a processor")
    })
}

fn check_keys(image: &Image<'_>) -> Check {
    for (index, key) in image.keys().enumerate() {
        let check = |ok, what| rule(Table::Keys, index, ok, what);
        check(key.default <= 1, "neither on nor off")?;
        if key.group != NONE {
            let group = image.keys().nth(key.group as usize);
            let leads = group.is_some_and(|group| group.kernel == NONE && group.group == NONE);
            check(leads && key.kernel == NONE, "a group that is no key of programs, or is in a group")?;
        }
        if key.kernel == NONE {
            continue;
        }
        let kernel = KernelKey::from_raw(key.kernel);
        check(kernel.is_some(), "no such key of the kernel")?;
        let option = kernel.map_or(0, KernelKey::option);
        check((image.options() & option != 0) == (key.default == 1), "not what the options say")?;
        let twice = image.keys().take(index).any(|other| other.kernel == key.kernel);
        check(!twice, "a kernel key that another record has")?;
    }
    Ok(())
}

fn check_key_sites(image: &Image<'_>) -> Check {
    const WORD_BYTES: u64 = 8;
    let mut previous = 0;
    for (index, site) in image.key_sites().enumerate() {
        let check = |ok, what| rule(Table::KeySites, index, ok, what);
        check(site.key < image.directory(Table::Keys).1, "no such key")?;
        check(site.key >= previous, "not in ascending order")?;
        previous = site.key;
        let region = image.region(site.region);
        let exists = site.region < image.directory(Table::Regions).1;
        check(exists && region.kind == RegionKind::Contents as u64, "not in contents of the image")?;
        let in_word =
            (1..=WORD_BYTES).contains(&site.length) && site.paddr % WORD_BYTES + site.length <= WORD_BYTES;
        check(in_word, "not inside one word of eight bytes")?;
        let offset = site.paddr.checked_sub(region.paddr);
        check(offset.is_some_and(|offset| offset <= region.bytes - site.length), "not in its region")?;
        let fits = |bits: u64| site.length == WORD_BYTES || bits >> (8 * site.length) == 0;
        check(fits(site.if_on) && fits(site.if_off), "an instruction longer than its length")?;
    }
    Ok(())
}

fn check_caps(image: &Image<'_>) -> Check {
    let counts = image.counts();
    let threads = image.directory(Table::Threads).1;
    // A reply object belongs to the only thread that receives with it.
    let mut reply_owners = [None; limits::REPLIES];
    let mut previous = (0, 0);
    for (index, cap) in image.caps().enumerate() {
        let check = |ok, what| rule(Table::Caps, index, ok, what);
        check(cap.table < threads, "no such capability table")?;
        check(is_slot(cap.slot), "no such slot")?;
        let position = (cap.table, cap.slot);
        check(index == 0 || position > previous, "not in ascending order")?;
        previous = position;
        check(cap.rights & !Rights::ALL == 0, "undefined rights")?;
        let kind = CapKind::from_raw(cap.kind);
        let objects = match kind {
            Some(CapKind::Thread) => threads,
            Some(CapKind::Endpoint) => counts.endpoints,
            Some(CapKind::Notification) => counts.notifications,
            Some(CapKind::Reply) => counts.replies,
            Some(CapKind::SchedContext) => image.directory(Table::SchedContexts).1,
            Some(CapKind::Vspace) => counts.vspaces,
            Some(CapKind::SchedControl | CapKind::FpuCounters | CapKind::FpuPolicy | CapKind::Probe) => 1,
            Some(CapKind::Interrupt) => image.directory(Table::Interrupts).1,
            Some(CapKind::Key) => image.directory(Table::Keys).1,
            Some(CapKind::Service) => {
                let service = image.service(cap.object);
                check(
                    service.is_none_or(|service| service.thread == cap.table),
                    "service for another thread",
                )?;
                image.directory(Table::Services).1
            }
            Some(CapKind::SecureMonitor) => {
                let arm = image.architecture() == Architecture::Aarch64 as u64;
                check(arm, "a secure monitor on another architecture")?;
                1
            }
            Some(CapKind::IoPort) => {
                let x86 = image.architecture() == Architecture::X86_64 as u64;
                check(x86 && may_have_ports(cap.object, cap.badge), "I/O ports that no program may use")?;
                limits::IO_PORTS
            }
            None => 0,
        };
        check(cap.object < objects, "no such object")?;
        let is_near = kind.is_none_or(|kind| processors::is_near(image, kind, &cap));
        check(is_near, "received with or acknowledged on another processor")?;
        if cap.kind == CapKind::Reply as u64
            && let Some(owner) = reply_owners.get_mut(cap.object as usize)
        {
            check(owner.is_none_or(|owner| owner == cap.table), "reply object of another thread")?;
            *owner = Some(cap.table);
        }
    }
    Ok(())
}

/// Slot 0 of both tables stays empty: in the root table it links to the other table.
fn is_slot(slot: u64) -> bool {
    let own = 1..limits::CAP_SLOTS as u64;
    let root = slot::ROOT + 1..slot::ROOT + limits::ROOT_SLOTS as u64;
    own.contains(&slot) || root.contains(&slot)
}

fn may_have_ports(first: u64, last: u64) -> bool {
    let is_apart = |&(start, end): &(u64, u64)| last < start || end < first;
    first <= last && last < limits::IO_PORTS && limits::KERNEL_IO_PORTS.iter().all(is_apart)
}

fn rule(table: Table, index: usize, ok: bool, what: &'static str) -> Check {
    if ok { Ok(()) } else { Err(ImageError::Record { table: table as usize, index, what }) }
}

/// Marks an index as taken; returns whether it was free. An index past the end always counts as free.
fn take(taken: &mut [bool], index: u64) -> bool {
    taken.get_mut(index as usize).is_none_or(|taken| !mem::replace(taken, true))
}

fn page_aligned(value: u64) -> bool {
    value.is_multiple_of(limits::PAGE_BYTES)
}

fn in_ram(image: &Image<'_>, range: Range) -> bool {
    image.ram().any(|ram| ram.contains(&range))
}

/// End of the image including page contents, exclusive.
fn image_end(image: &Image<'_>) -> u64 {
    image.paddr() + image.image_bytes()
}
