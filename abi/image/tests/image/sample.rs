//! A small image that uses every table, and helpers for tests.

use limen_abi::limits::{PAGE_BYTES, USER_TOP_AARCH64};
use limen_abi::{KernelKey, ServiceKind};
use limen_image::{
    Architecture, Board, Cap, CapKind, Counts, DomainSlot, FixedRegion, FixedRegionFlags, HeaderWord, Home,
    Image, ImageError, ImageWriter, Interrupt, InterruptFlags, InterruptSource, Key, KeySite, Mapping,
    MappingFlags, NONE, Options, Range, Region, RegionKind, Rights, Ring, RingKind, SchedContext, Service,
    Thread, ThreadFlags, checksum, name_words,
};

/// Physical address of the image.
pub(crate) const IMAGE_PADDR: u64 = 0x4100_0000;
/// Its size with page contents.
pub(crate) const IMAGE_BYTES: u64 = 0x20_0000;
/// First page of the contents.
pub(crate) const CONTENTS_PADDR: u64 = IMAGE_PADDR + 0x18_0000;
/// A device that programs may use.
pub(crate) const DEVICE_PADDR: u64 = 0x0a00_0000;

/// Flags of memory that a service may read.
const FOR_WORK: u64 = MappingFlags::PRIVILEGED | MappingFlags::READ;

/// Two threads with one region of each kind, one capability of each kind, and an address space for the services of the
/// second.
pub(crate) fn sample() -> ImageWriter {
    let mut writer = ImageWriter::new(Architecture::Aarch64);
    writer.options = Options::PRINTING;
    writer.board = Board {
        interrupt_controller_kind: 1,
        interrupt_controller_paddr: 0x0800_0000,
        interrupt_cpu_paddr: 0x0801_0000,
        interrupt_lines: 288,
        timer_interrupt: 27,
        timer_frequency: 0,
        user_top: USER_TOP_AARCH64,
    };
    writer.counts = Counts { endpoints: 2, notifications: 3, replies: 2, vspaces: 3, trace: 0 };
    writer.ram = vec![range(0x4000_0000, 0x4800_0000), range(0x5000_0000, 0x5100_0000)];
    writer.reserved = vec![range(0x4000_0000, 0x4000_1000), range(0x4010_0000, 0x4200_0000)];
    writer.pool = range(0x4200_0000, 0x4240_0000);
    writer.regions = vec![
        region(DEVICE_PADDR, PAGE_BYTES, RegionKind::Device),
        region(CONTENTS_PADDR, 4 * PAGE_BYTES, RegionKind::Contents),
        region(0x4400_0000, 0x40_0000, RegionKind::Zero),
    ];
    writer.mappings = vec![
        mapping(0, 0x20_0000, 0x2000, 1, MappingFlags::READ | MappingFlags::EXECUTE),
        mapping(0, 0x40_0000, 0x20_0000, 2, MappingFlags::READ | MappingFlags::WRITE | MappingFlags::LARGE),
        mapping(0, 0x80_0000, PAGE_BYTES, 0, MappingFlags::READ | MappingFlags::UNCACHED),
        mapping(1, 0x20_0000, 0x1000, 1, 0),
        mapping(2, 0x20_0000, PAGE_BYTES, 2, FOR_WORK | MappingFlags::WRITE),
        Mapping {
            offset: PAGE_BYTES,
            ..mapping(2, 0x20_1000, PAGE_BYTES, 2, FOR_WORK | MappingFlags::WRITE)
        },
        mapping(2, 0x30_0000, PAGE_BYTES, 1, FOR_WORK),
        Mapping {
            offset: 0x20_0000,
            ..mapping(2, 0x40_0000, Service::STACK_BYTES, 2, FOR_WORK | MappingFlags::WRITE)
        },
    ];
    writer.sched_contexts = vec![
        SchedContext { budget_us: 100, period_us: 100, processor: 0 },
        SchedContext { budget_us: 20, period_us: 1000, processor: 0 },
    ];
    writer.threads = vec![thread(0, 254), thread(1, 3)];
    writer.caps = vec![
        cap(0, 1, CapKind::Endpoint, 0),
        cap(0, 4, CapKind::Reply, 0),
        cap(0, 10, CapKind::Notification, 2),
        cap(0, 11, CapKind::Thread, 1),
        cap(1, 1, CapKind::SchedContext, 1),
        cap(1, 3, CapKind::Vspace, 1),
        cap(1, 138, CapKind::Interrupt, 1),
        cap(1, 458, CapKind::Service, 0),
        cap(1, 459, CapKind::Service, 1),
        cap(1, 460, CapKind::Service, 2),
        cap(1, 461, CapKind::Service, 6),
        cap(1, 480, CapKind::Key, 1),
        cap(1, 511, CapKind::Endpoint, 1),
    ];
    writer.interrupts = vec![line(33, 0), line(287, InterruptFlags::EDGE)];
    writer.keys = vec![key(NONE, 1), key(KernelKey::Printing as u64, 1)];
    writer.key_sites = vec![site(0, 0x10, 4), site(1, 0x3ffb, 5)];
    writer.services = vec![
        digest(1, 2),
        reset(1, 2, 0),
        kernel_digest(1, 2),
        wipe(1, 2, NONE),
        wipe(1, 2, 1),
        wipe(1, 2, 0),
        seal(1, 2),
    ];
    writer.fixed_regions =
        vec![FixedRegion { name: name_words("fixed"), flags: FixedRegionFlags::NEEDS_RAM }];
    writer.rings = vec![ring(0, 0xa0_0000), ring(1, 0x30_0000)];
    writer.domain_schedule = vec![DomainSlot { processor: 0, domain: 0, duration_us: 5, duration_ticks: 0 }];
    writer
}

/// Homes of endpoints, notifications and reply objects.
pub(crate) fn homes(processors: &[u64]) -> Vec<Home> {
    processors.iter().map(|&processor| Home { processor }).collect()
}

/// Moves the second thread of the sample to a second processor, with the objects that it uses alone and both interrupts.
/// The first thread still signals their notification.
pub(crate) fn spread(writer: &mut ImageWriter) {
    writer.processors = 2;
    writer.domain_schedule.clear();
    writer.threads[1].processor = 1;
    writer.sched_contexts[1].processor = 1;
    for interrupt in &mut writer.interrupts {
        interrupt.processor = 1;
    }
    writer.caps[2].rights = Rights::SEND;
    writer.services[1] = kernel_digest(1, 2);
    writer.homes = homes(&[0, 1, 0, 0, 1, 0, 1]);
}

/// A ring of samples.
pub(crate) const fn ring(thread: u64, vaddr: u64) -> Ring {
    Ring { kind: RingKind::Samples as u64, thread, vaddr, bytes: PAGE_BYTES }
}

/// A range of addresses.
pub(crate) const fn range(start: u64, end: u64) -> Range {
    Range { start, end }
}

/// A region.
pub(crate) const fn region(paddr: u64, bytes: u64, kind: RegionKind) -> Region {
    Region { paddr, bytes, kind: kind as u64, source: 0, source_bytes: 0 }
}

/// A mapping of the beginning of a region.
pub(crate) const fn mapping(vspace: u64, vaddr: u64, bytes: u64, region: u64, flags: u64) -> Mapping {
    Mapping { vspace, vaddr, bytes, region, offset: 0, flags }
}

/// A thread that uses the objects with its index.
pub(crate) fn thread(index: u64, priority: u64) -> Thread {
    Thread {
        name: name_words("program"),
        priority,
        vspace: index,
        entry: 0x20_0000,
        stack_top: 0x60_0000,
        ipc_buffer: 0x10_0000,
        sched_context: index,
        notification: if index == 0 { 1 } else { NONE },
        fault_slot: if index == 0 { 1 } else { NONE },
        timeout_slot: NONE,
        domain: 0,
        processor: 0,
        flags: ThreadFlags::COUNTER,
    }
}

/// An interrupt from a line of the controller.
pub(crate) const fn line(line: u64, flags: u64) -> Interrupt {
    let source = InterruptSource::Line as u64;
    Interrupt { line, source, unit: 0, input: 0, flags, notification: 2, badge: 1, processor: 0 }
}

/// A static key.
pub(crate) const fn key(kernel: u64, default: u64) -> Key {
    Key { kernel, default, group: NONE }
}

/// A site in the contents.
pub(crate) const fn site(key: u64, offset: u64, length: u64) -> KeySite {
    KeySite { key, region: 1, paddr: CONTENTS_PADDR + offset, length, if_on: 0x12, if_off: 0x34 }
}

/// A digest of the page at 0x30_0000, with the stack below 0x40_0000.
pub(crate) const fn digest(thread: u64, vspace: u64) -> Service {
    Service {
        kind: ServiceKind::Digest as u64,
        thread,
        vspace,
        stack_top: 0x40_0000 + Service::STACK_BYTES,
        target: 0x30_0000,
        bytes: PAGE_BYTES,
        source: 0,
        source_bytes: 0,
        owner: NONE,
        interrupt: NONE,
        key: 0,
        ring: 0,
        entries: 0,
        record_bytes: 0,
        cipher: 0,
    }
}

/// A digest of the kernel, on the same stack.
pub(crate) const fn kernel_digest(thread: u64, vspace: u64) -> Service {
    Service { kind: ServiceKind::KernelDigest as u64, target: 0, bytes: 0, ..digest(thread, vspace) }
}

/// Resets the two pages at 0x20_0000 to the page at 0x30_0000 and zeros.
pub(crate) const fn reset(thread: u64, vspace: u64, owner: u64) -> Service {
    Service {
        kind: ServiceKind::Reset as u64,
        target: 0x20_0000,
        bytes: 2 * PAGE_BYTES,
        source: 0x30_0000,
        source_bytes: PAGE_BYTES,
        owner,
        ..digest(thread, vspace)
    }
}

/// A wipe that an interrupt triggers, or without one, faults of the thread.
pub(crate) fn wipe(thread: u64, vspace: u64, interrupt: u64) -> Service {
    let target = reset(thread, vspace, NONE);
    Service {
        kind: ServiceKind::Wipe as u64,
        interrupt,
        source: 0,
        source_bytes: 0,
        bytes: PAGE_BYTES,
        ..target
    }
}

/// A seal of the page at 0x30_0000, which is also the key, by a ring at 0x20_1000, into the page at 0x20_0000.
pub(crate) const fn seal(thread: u64, vspace: u64) -> Service {
    Service {
        kind: ServiceKind::Seal as u64,
        target: 0x20_0000,
        source: 0x30_0000,
        source_bytes: PAGE_BYTES,
        key: 0x30_0000,
        ring: 0x20_1000,
        entries: 16,
        record_bytes: 256,
        ..digest(thread, vspace)
    }
}

/// A capability.
pub(crate) const fn cap(table: u64, slot: u64, kind: CapKind, object: u64) -> Cap {
    Cap { table, slot, kind: kind as u64, object, badge: 7, rights: Rights::ALL }
}

/// Header and tables of an image at the sample's address.
pub(crate) fn words_of(writer: &ImageWriter) -> Vec<u64> {
    writer.finish(IMAGE_PADDR, IMAGE_BYTES)
}

/// The validator's verdict on an image.
pub(crate) fn judge(words: &[u64]) -> Result<(), ImageError> {
    Image::validate(words).map(drop)
}

/// Recomputes the checksum of the image, as far as the header allows.
pub(crate) fn fix_checksum(words: &mut [u64]) {
    let length = words[HeaderWord::TABLES_BYTES] / 8;
    let sum = checksum(words.get(..length as usize).unwrap_or_default());
    words[HeaderWord::CHECKSUM] = sum;
}

#[test]
fn the_sample_is_valid() {
    assert_eq!(judge(&words_of(&sample())), Ok(()));
}
