//! Values at the limits of the rules, and next to them: the last valid one is accepted.

use limen_abi::limits;
use limen_image::{
    Architecture, Cap, CapKind, DomainSlot, Image, ImageError, ImageWriter, Interrupt, InterruptController,
    InterruptSource, MappingFlags, Region, RegionKind, SchedContext, Table,
};

use crate::sample::{
    CONTENTS_PADDR, IMAGE_BYTES, IMAGE_PADDR, cap, judge, line, mapping, range, region, sample, words_of,
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
