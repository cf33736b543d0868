//! Values at the limits of the rules, and next to them: the last valid one is accepted.

use limen_abi::{KernelKey, SealCipher, limits};
use limen_image::{
    Architecture, Cap, CapKind, DomainSlot, HEADER_WORDS, HeaderWord, Image, ImageError, ImageWriter,
    Interrupt, InterruptController, InterruptSource, Mapping, MappingFlags, NONE, Region, RegionKind, Rights,
    SchedContext, Service, Table,
};

use crate::sample::{
    CONTENTS_PADDR, IMAGE_BYTES, IMAGE_PADDR, cap, digest, fix_checksum, judge, key, line, mapping, range,
    region, reset, sample, seal, spread, wipe, words_of,
};

const PAGE: u64 = limits::PAGE_BYTES;
/// The first invalid address.
const LIMIT: u64 = 1 << 48;

/// A description, and a change after which the sample is still valid.
type Case = (&'static str, fn(&mut ImageWriter));
/// The same for a change that a rule of a table refuses.
type Invalid = (&'static str, fn(&mut ImageWriter), Table);

fn judge_changed(change: impl Fn(&mut ImageWriter)) -> Result<(), ImageError> {
    let mut writer = sample();
    change(&mut writer);
    judge(&words_of(&writer))
}

const VALID: &[Case] = &[
    ("as many lines as any controller has", |w| w.board.interrupt_lines = limits::INTERRUPT_LINES),
    ("the timer on the last line", |w| w.board.timer_interrupt = limits::INTERRUPT_LINES - 1),
    ("as many endpoints as possible", |w| w.counts.endpoints = 64),
    ("as many notifications as possible", |w| w.counts.notifications = 64),
    ("as many reply objects as possible", |w| w.counts.replies = 64),
    ("as many address spaces as possible", |w| w.counts.vspaces = 128),
    ("adjacent ranges of RAM", |w| w.ram[1].start = w.ram[0].end),
    ("a device at the last address", |w| {
        let last = region(LIMIT - PAGE, PAGE, RegionKind::Device);
        w.regions.push(last);
    }),
    ("a second run after adjacent regions", |w| {
        let at = |paddr| Region { paddr, bytes: PAGE, ..w.regions[2] };
        w.regions.extend([at(0x4440_0000), at(0x4300_0000), at(0x4300_1000)]);
    }),
    ("a second run that goes on behind the first", |w| {
        let at = |paddr| Region { paddr, bytes: PAGE, ..w.regions[2] };
        w.regions.extend([at(0x4300_0000), at(0x4440_0000), at(0x4450_0000)]);
    }),
    ("a second run that fills a gap of the first", |w| {
        let at = |paddr, bytes| Region { paddr, bytes, ..w.regions[2] };
        w.regions.extend([at(0x4450_0000, PAGE), at(0x43ff_f000, PAGE), at(0x4440_0000, 0x10_0000)]);
    }),
    ("contents up to the end of the image", |w| {
        w.regions[1].bytes = IMAGE_PADDR + IMAGE_BYTES - CONTENTS_PADDR
    }),
    ("a file at the end of the image that fills its region", |w| {
        let source = IMAGE_BYTES - PAGE;
        w.regions.push(Region {
            paddr: 0x4500_0000,
            bytes: PAGE,
            source,
            source_bytes: PAGE,
            ..w.regions[2]
        });
    }),
    ("boot information", |w| w.regions[2].source = 6),
    ("devices next to the interrupt controller", |w| {
        let next = [0x07ff_f000, 0x0803_0000].map(|paddr| region(paddr, PAGE, RegionKind::Device));
        w.regions.splice(..1, next);
        w.mappings[2].region = 0;
        for mapping in w.mappings.iter_mut().filter(|mapping| mapping.vaddr != 0x80_0000) {
            mapping.region += 1;
        }
        w.key_sites.iter_mut().for_each(|site| site.region = 2);
    }),
    ("a mapping at the last user address", |w| {
        w.mappings[3] = mapping(1, limits::USER_TOP_AARCH64 + 1 - PAGE, PAGE, 1, 0);
    }),
    ("a user address in the last page of all", |w| {
        w.board.user_top = LIMIT - 1;
        w.mappings[3] = mapping(1, LIMIT - 2 * PAGE, PAGE, 1, 0);
    }),
    ("a writable mapping for the kernel", |w| w.mappings[6].flags |= MappingFlags::WRITE),
    ("the smallest share", |w| w.sched_contexts[1] = share(limits::MIN_BUDGET_US, limits::MIN_BUDGET_US + 1)),
    ("the longest period", |w| w.sched_contexts[1] = share(limits::MIN_BUDGET_US, limits::MAX_PERIOD_US)),
    ("the shortest slice", |w| w.sched_contexts[1] = share(1, 1)),
    ("the longest slot", |w| w.domain_schedule[0].duration_us = limits::MAX_PERIOD_US),
    ("the longest slot in ticks", |w| w.domain_schedule[0] = slot(15, 0, limits::MAX_DOMAIN_TICKS)),
    ("the longest schedule", |w| w.domain_schedule = vec![slot(0, 1, 0); limits::DOMAIN_SCHEDULE]),
    ("the last domain", |w| w.threads[1].domain = limits::DOMAINS as u64 - 1),
    ("key off", |w| w.keys[0].default = 0),
    ("a site of a whole word", |w| {
        (w.key_sites[0].length, w.key_sites[0].if_on, w.key_sites[0].if_off) = (8, u64::MAX, 1 << 63);
    }),
    ("a site of four bytes", |w| w.key_sites[0].if_on = 0xffff_ffff),
    ("a kernel key that is off", |w| w.keys[1] = key(KernelKey::SelfCheck as u64, 0)),
    ("a sender on another processor", |w| {
        spread(w);
        w.caps[0] = Cap { rights: Rights::SEND, ..cap(0, 1, CapKind::Endpoint, 1) };
    }),
    ("a site of one byte at the end of a word", |w| {
        (w.key_sites[0].paddr, w.key_sites[0].length) = (CONTENTS_PADDR + 7, 1);
        (w.key_sites[0].if_on, w.key_sites[0].if_off) = (0xff, 0);
    }),
    ("a site at the beginning of its region", |w| w.key_sites[0].paddr = CONTENTS_PADDR),
    ("the first line for devices", |w| w.interrupts[0].line = 16),
    ("the last slots", |w| {
        w.caps[3].slot = 511;
        w.caps[12].slot = 512 + limits::ROOT_SLOTS as u64 - 1;
    }),
    ("the first slot of the root table", |w| w.caps[12].slot = 513),
    ("capabilities of the last objects", |w| {
        w.caps[0].object = 1;
        w.caps[1].object = 1;
        w.caps[5].object = 2;
    }),
    ("a reply object in two slots of a thread", |w| {
        let other = cap(0, 5, CapKind::Reply, 0);
        w.caps.insert(2, other);
    }),
    ("the highest priority", |w| w.threads[0].priority = 255),
    ("the last slot for a handler", |w| w.threads[1].fault_slot = 511),
    ("the last slot for a handler of timeouts", |w| w.threads[1].timeout_slot = 511),
    ("entry and stack at the last user address", |w| {
        (w.threads[0].entry, w.threads[0].stack_top) = (limits::USER_TOP_AARCH64, limits::USER_TOP_AARCH64);
    }),
    ("a buffer between mappings", |w| {
        w.mappings[1].vaddr = 0x60_0000;
        w.threads[0].ipc_buffer = 0x20_2000;
        w.mappings.insert(1, mapping(0, 0x20_3000, PAGE, 1, 0));
    }),
    ("a buffer in the last page", |w| w.threads[0].ipc_buffer = limits::USER_TOP_AARCH64 + 1 - PAGE),
    ("rings next to mappings, a buffer and the end of user addresses", |w| {
        w.rings[0].vaddr = 0x20_2000;
        w.rings[1].vaddr = limits::USER_TOP_AARCH64 + 1 - PAGE;
    }),
    ("a ring before a mapping", |w| w.rings[0].vaddr = 0x1f_f000),
    ("a ring behind a buffer", |w| w.rings[0].vaddr = 0x10_1000),
    ("a ring before a buffer", |w| w.rings[0].vaddr = 0x0f_f000),
];

const fn share(budget_us: u64, period_us: u64) -> SchedContext {
    SchedContext { budget_us, period_us, processor: 0 }
}

const fn slot(domain: u64, duration_us: u64, duration_ticks: u64) -> DomainSlot {
    DomainSlot { processor: 0, domain, duration_us, duration_ticks }
}

#[test]
fn the_last_valid_value_is_accepted() {
    for (name, change) in VALID {
        assert_eq!(judge_changed(change), Ok(()), "{name}");
    }
}

/// Changes that take a value one too far, where the other rules' tables do not have it.
const INVALID: &[Invalid] = &[
    ("a slice without time", |w| w.sched_contexts[1] = share(0, 0), Table::SchedContexts),
    (
        "a slot of too many ticks",
        |w| w.domain_schedule[0] = slot(0, 0, limits::MAX_DOMAIN_TICKS + 1),
        Table::DomainSchedule,
    ),
    (
        "a schedule that is too long",
        |w| w.domain_schedule = vec![slot(0, 1, 0); limits::DOMAIN_SCHEDULE + 1],
        Table::DomainSchedule,
    ),
    (
        "a mapping that ends behind all addresses",
        |w| {
            w.board.user_top = LIMIT - 1;
            w.mappings[3] = mapping(1, LIMIT - PAGE, PAGE, 1, 0);
        },
        Table::Mappings,
    ),
    (
        "a scheduling context on a processor without threads",
        |w| {
            spread(w);
            w.processors = 3;
            w.caps.clear();
            w.sched_contexts = vec![SchedContext { processor: 2, ..share(20, 100) }];
            w.threads.iter_mut().for_each(|thread| thread.sched_context = NONE);
        },
        Table::SchedContexts,
    ),
    ("slot 0 of the root table", |w| w.caps[12].slot = 512, Table::Caps),
    ("a slot behind the root table", |w| w.caps[12].slot = 512 + limits::ROOT_SLOTS as u64, Table::Caps),
    ("the first object too many", |w| w.caps[0].object = 2, Table::Caps),
    ("an unaligned device", |w| w.regions[0].bytes += 8, Table::Regions),
];

#[test]
fn the_first_invalid_value_is_refused() {
    for (name, change, table) in INVALID {
        let judged = judge_changed(change);
        assert!(
            matches!(judged, Err(ImageError::Record { table: at, .. }) if at == *table as usize),
            "{name}: {judged:?}"
        );
    }
}

/// Whether a program may have these I/O ports.
fn may_have_ports(first: u64, last: u64) -> bool {
    let judged = judge_changed(|w| {
        w.architecture = Architecture::X86_64;
        w.interrupts.clear();
        w.services.clear();
        w.caps = vec![Cap { badge: last, ..cap(0, 1, CapKind::IoPort, first) }];
    });
    judged.is_ok()
}

#[test]
fn ports_next_to_those_of_the_kernel_are_for_programs() {
    for (first, last) in limits::KERNEL_IO_PORTS {
        assert!(may_have_ports(first - 1, first - 1) && may_have_ports(last + 1, last + 1));
        for (low, high) in
            [(first, first), (last, last), (first - 1, first), (last, last + 1), (first - 1, last + 1)]
        {
            assert!(!may_have_ports(low, high), "{low:#x}..={high:#x}");
        }
    }
    assert!(may_have_ports(0, 0x1f) && may_have_ports(0xa2, limits::IO_PORTS - 1));
    assert!(!may_have_ports(0xa2, limits::IO_PORTS) && !may_have_ports(limits::IO_PORTS, limits::IO_PORTS));
}

/// The sample for RISC-V, with one interrupt.
fn riscv(writer: &mut ImageWriter, number: u64) {
    writer.architecture = Architecture::Riscv64;
    writer.board.interrupt_controller_kind = InterruptController::Plic as u64;
    writer.board.interrupt_controller_paddr = 0x0c00_0000;
    writer.board.interrupt_cpu_paddr = 0x0c20_0000;
    writer.services.clear();
    writer.caps.clear();
    writer.interrupts = vec![line(number, 0)];
}

#[test]
fn lines_of_a_plic_start_at_one() {
    for (number, is_valid) in [(0, false), (1, true), (15, true), (287, true), (288, false)] {
        assert_eq!(judge_changed(|w| riscv(w, number)).is_ok(), is_valid, "{number}");
    }
}

#[test]
fn a_context_of_a_plic_lies_in_its_registers() {
    for (offset, is_valid) in [(0x1f_f000, false), (0x20_0000, true), (0x3ff_f000, true), (0x400_0000, false)]
    {
        let change = |w: &mut ImageWriter| {
            riscv(w, 1);
            w.board.interrupt_cpu_paddr = w.board.interrupt_controller_paddr + offset;
        };
        assert_eq!(judge_changed(change).is_ok(), is_valid, "{offset:#x}");
    }
}

/// The sample for x86, with one interrupt.
fn x86(writer: &mut ImageWriter, interrupt: Interrupt) {
    writer.architecture = Architecture::X86_64;
    writer.services.clear();
    writer.caps.clear();
    writer.interrupts = vec![interrupt];
}

#[test]
fn a_vector_is_one_of_those_for_devices() {
    let pin = Interrupt { source: InterruptSource::Pin as u64, ..line(0, 0) };
    for (vector, is_valid) in [(0x2f, false), (0x30, true), (0x9b, true), (0x9c, false)] {
        let judged = judge_changed(|w| x86(w, Interrupt { line: vector, ..pin }));
        assert_eq!(judged.is_ok(), is_valid, "{vector:#x}");
    }
    for (input, is_valid) in [(0, true), (287, true), (288, false)] {
        let judged = judge_changed(|w| x86(w, Interrupt { line: 0x30, input, ..pin }));
        assert_eq!(judged.is_ok(), is_valid, "pin {input}");
    }
    for (timer, is_valid) in [(255, true), (256, false)] {
        let change = |w: &mut ImageWriter| {
            x86(w, Interrupt { line: 0x30, ..pin });
            w.board.timer_interrupt = timer;
        };
        assert_eq!(judge_changed(change).is_ok(), is_valid, "timer {timer}");
    }
}

#[test]
fn an_image_may_consist_of_tables() {
    let mut writer = sample();
    writer.regions.clear();
    writer.mappings.clear();
    writer.key_sites.clear();
    writer.services.clear();
    writer.caps.retain(|cap| cap.kind != CapKind::Service as u64);
    let bytes = writer.tables_bytes();
    assert_eq!(judge(&writer.finish(IMAGE_PADDR, bytes)), Ok(()));
    assert_eq!(judge(&writer.finish(IMAGE_PADDR, bytes - 8)), Err(ImageError::Truncated));
    // Reserved memory ends with the image.
    let end = IMAGE_PADDR + bytes.next_multiple_of(PAGE);
    writer.reserved[1].end = end;
    writer.pool = range(end, end + PAGE);
    assert_eq!(judge(&writer.finish(IMAGE_PADDR, end - IMAGE_PADDR)), Ok(()));
    let words = writer.finish(IMAGE_PADDR, end - IMAGE_PADDR + 1);
    assert!(Image::validate(&words).is_err());
}

/// Judges the sample with only the seal, or another service after it, and 16 more pages for it at 0x50_0000.
fn judge_service(change: impl Fn(&mut Service)) -> bool {
    let changed = |w: &mut ImageWriter| {
        w.caps.retain(|cap| cap.kind != CapKind::Service as u64);
        w.services = vec![seal(1, 2)];
        let flags = w.mappings[4].flags;
        w.mappings.push(Mapping { offset: 0x21_0000, ..mapping(2, 0x50_0000, 16 * PAGE, 2, flags) });
        change(&mut w.services[0]);
    };
    judge_changed(changed).is_ok()
}

#[test]
fn records_of_a_seal_fit_exactly() {
    let header = Service::sealed_bytes(0);
    for (record, source, target, is_valid) in [
        (16, PAGE, PAGE, true),
        (PAGE - header, PAGE, PAGE, true),
        (PAGE - header + 16, PAGE, PAGE, false),
        (limits::SEAL_RECORD_BYTES, PAGE, 2 * PAGE, true),
        (limits::SEAL_RECORD_BYTES + 16, PAGE, 2 * PAGE, false),
        (8, PAGE, PAGE, false),
        (0, PAGE, PAGE, false),
    ] {
        let fits = judge_service(|service| {
            (service.target, service.bytes) = (0x50_0000, target);
            (service.record_bytes, service.source_bytes) = (record, source);
        });
        assert_eq!(fits, is_valid, "record of {record} bytes, {source} and {target} bytes of memory");
    }
}

#[test]
fn a_ring_of_a_seal_is_mapped_to_its_last_byte() {
    let bytes = Service::ring_bytes;
    for (entries, offset, is_valid) in [
        (1, 0, true),
        (1, 2, false),
        (1, 4, true),
        (3, 0, false),
        (1024, 0, true),
        (2048, 0, false),
        // The end of the mapping: the ring has whole words but for its last two bytes.
        (1024, 16 * PAGE - bytes(1024).next_multiple_of(4), true),
        (1024, 16 * PAGE - bytes(1024).next_multiple_of(4) + 4, false),
        (16, 16 * PAGE - bytes(16).next_multiple_of(4), true),
        (16, 16 * PAGE - bytes(16).next_multiple_of(4) + 4, false),
    ] {
        let fits = judge_service(|service| {
            (service.ring, service.entries) = (0x50_0000 + offset, entries);
        });
        assert_eq!(fits, is_valid, "{entries} entries at {offset:#x}");
    }
    assert!(judge_service(|service| (service.ring, service.entries) = (0, 0)));
    assert!(!judge_service(|service| service.entries = 0));
}

#[test]
fn a_seal_has_one_of_the_ciphers() {
    for cipher in 0..4 {
        let is_known = SealCipher::from_raw(cipher).is_some();
        assert_eq!(judge_service(|service| service.cipher = cipher), is_known, "{cipher}");
    }
}

#[test]
fn a_wipe_is_limited() {
    for (bytes, is_valid) in [(PAGE, true), (limits::WIPE_BYTES, true), (limits::WIPE_BYTES + PAGE, false)] {
        let judged = judge_service(|service| {
            *service = Service { target: 0x50_0000, bytes, ..wipe(1, 2, NONE) };
        });
        assert_eq!(judged, is_valid, "{bytes:#x}");
    }
}

#[test]
fn a_service_needs_all_of_its_memory() {
    let at = |start, bytes| {
        judge_service(|service| {
            *service = Service { target: start, bytes, source_bytes: 0, ..reset(1, 2, 0) };
        })
    };
    // Two mappings next to each other, and one of 16 pages.
    for (start, pages, is_valid) in [
        (0x20_0000, 1, true),
        (0x20_0000, 2, true),
        (0x20_1000, 1, true),
        (0x1f_f000, 1, false),
        (0x1f_f000, 2, false),
        (0x20_0000, 3, false),
        (0x20_1000, 2, false),
        (0x50_0000, 16, true),
        (0x50_1000, 15, true),
        (0x50_f000, 1, true),
        (0x50_0000, 17, false),
        (0x50_f000, 2, false),
        (0x4f_f000, 2, false),
        (0x51_0000, 1, false),
        (0x30_0000, 1, false),
    ] {
        assert_eq!(at(start, pages * PAGE), is_valid, "{pages} pages at {start:#x}");
    }
}

#[test]
fn a_stack_is_apart_from_what_a_service_works_on() {
    let stack = Service::STACK_BYTES;
    // The stack is the first part of the 16 pages, which nothing else uses, with a page below that is not mapped.
    for (target, pages, is_valid) in
        [(stack, 1, true), (stack - PAGE, 1, false), (0, 1, false), (stack, 12, true)]
    {
        let judged = judge_changed(|w| {
            w.caps.retain(|cap| cap.kind != CapKind::Service as u64);
            let flags = w.mappings[4].flags;
            let part = |from, bytes| Mapping {
                offset: 0x21_0000 + from,
                ..mapping(2, 0x50_0000 + from, bytes, 2, flags)
            };
            w.mappings.extend([part(0, stack), part(stack, 16 * PAGE - stack)]);
            let stack_top = 0x50_0000 + stack;
            w.services =
                vec![Service { stack_top, target: 0x50_0000 + target, bytes: pages * PAGE, ..digest(1, 2) }];
        });
        assert_eq!(judged.is_ok(), is_valid, "{pages} pages at {target:#x}");
    }
}

#[test]
fn only_a_digest_may_have_a_target_that_is_read_only() {
    for (service, is_valid) in
        [(digest(1, 2), true), (reset(1, 2, 0), false), (wipe(1, 2, NONE), false), (seal(1, 2), false)]
    {
        let judged = judge_service(|changed| {
            *changed = Service { target: 0x30_0000, bytes: PAGE, ..service };
        });
        assert_eq!(judged, is_valid, "{service:?}");
    }
}

#[test]
fn a_guard_page_is_below_the_stack() {
    for (distance, is_valid) in [(PAGE, false), (2 * PAGE, true), (3 * PAGE, true)] {
        let judged = judge_changed(|w| {
            w.mappings[6].vaddr = 0x40_0000 - distance;
            w.caps.retain(|cap| cap.kind != CapKind::Service as u64);
            w.services = vec![Service { target: 0x40_0000 - distance, ..digest(1, 2) }];
        });
        assert_eq!(judged.is_ok(), is_valid, "{distance:#x} below");
    }
}

#[test]
fn eight_interrupts_trigger_services() {
    for (count, is_valid) in [(limits::SERVED_INTERRUPTS, true), (limits::SERVED_INTERRUPTS + 1, false)] {
        let judged = judge_changed(|w| {
            w.caps.retain(|cap| cap.kind != CapKind::Service as u64);
            w.interrupts = (0..count as u64).map(|index| line(40 + index, 0)).collect();
            w.services = (0..count as u64).map(|index| wipe(1, 2, index)).collect();
        });
        assert_eq!(judged.is_ok(), is_valid, "{count}");
    }
}

/// Words of a record, and the smallest and largest number of records, by table.
const RECORDS: [(Table, usize, usize, usize); Table::COUNT] = [
    (Table::Board, 7, 1, 1),
    (Table::Counts, 5, 1, 1),
    (Table::Ram, 2, 1, 16),
    (Table::Reserved, 2, 1, 16),
    (Table::Pool, 2, 1, 1),
    (Table::Regions, 5, 0, 65536),
    (Table::Mappings, 6, 0, 65536),
    (Table::SchedContexts, 3, 0, 64),
    (Table::Threads, 20, 1, 64),
    (Table::Caps, 6, 0, 64 * 576),
    (Table::DomainSchedule, 4, 0, 4 * 99),
    (Table::Interrupts, 8, 0, 128),
    (Table::Keys, 3, 0, 64),
    (Table::KeySites, 6, 0, 16384),
    (Table::Services, 15, 0, 64),
    (Table::FixedRegions, 9, 0, 65536),
    (Table::Rings, 4, 0, 8),
    (Table::Homes, 1, 0, 192),
];

#[test]
fn tables_have_room_for_as_many_records_as_the_kernel() {
    let sample = words_of(&sample());
    for (table, record_words, least, most) in RECORDS {
        let entry = HEADER_WORDS - 2 * (Table::COUNT - table as usize);
        let refused = |count: usize, missing: usize| {
            let mut words = sample.clone();
            (words[entry], words[entry + 1]) = (sample.len() as u64, count as u64);
            words.resize(sample.len() + count * record_words - missing, 0);
            words[HeaderWord::TABLES_BYTES] = words.len() as u64 * 8;
            words[HeaderWord::IMAGE_BYTES] = words.len() as u64 * 8;
            fix_checksum(&mut words);
            judge(&words) == Err(ImageError::Directory { table: table as usize })
        };
        assert!(!refused(least, 0) && !refused(most, 0) && refused(most + 1, 0), "{table:?}");
        assert!(least == 0 || refused(least - 1, 0), "{table:?}");
        assert!(refused(most, 1), "{table:?} without its last word");
    }
}

#[test]
fn tables_are_at_least_a_header() {
    let mut words = words_of(&sample());
    for (count, expected) in [
        (HEADER_WORDS - 1, ImageError::Truncated),
        (HEADER_WORDS, ImageError::Directory { table: Table::Board as usize }),
    ] {
        words[HeaderWord::TABLES_BYTES] = count as u64 * 8;
        fix_checksum(&mut words);
        assert_eq!(judge(&words), Err(expected));
    }
}
