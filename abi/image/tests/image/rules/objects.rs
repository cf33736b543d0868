//! Kernel objects: their number, users and parameters.

use limen_abi::limits;
use limen_image::{
    Architecture, Cap, CapKind, DomainSlot, ImageError, ImageWriter, Key, SchedContext, Table,
};

use super::{Case, PAGE, record};
use crate::sample::{CONTENTS_PADDR, cap};

pub(super) const COUNTS: &[Case] = &[
    ("processors", |w| w.processors = 5, ImageError::TooMany { what: "processors" }),
    ("endpoints", |w| w.counts.endpoints = 65, ImageError::TooMany { what: "endpoints" }),
    ("notifications", |w| w.counts.notifications = 65, ImageError::TooMany { what: "notifications" }),
    ("replies", |w| w.counts.replies = 65, ImageError::TooMany { what: "reply objects" }),
    ("vspaces", |w| w.counts.vspaces = u64::MAX, ImageError::TooMany { what: "address spaces" }),
];

pub(super) const SCHED_CONTEXTS: &[Case] = &[
    (
        "no budget",
        |w| w.sched_contexts[1].budget_us = 0,
        record(Table::SchedContexts, 1, "budget and period are not in range"),
    ),
    (
        "budget below the minimum",
        |w| w.sched_contexts[1] = SchedContext { budget_us: 19, period_us: 20, processor: 0 },
        record(Table::SchedContexts, 1, "budget and period are not in range"),
    ),
    (
        "budget above period",
        |w| w.sched_contexts[0].budget_us = 101,
        record(Table::SchedContexts, 0, "budget and period are not in range"),
    ),
    (
        "period too long",
        |w| w.sched_contexts[0] = SchedContext { budget_us: 1, period_us: 3_600_000_001, processor: 0 },
        record(Table::SchedContexts, 0, "budget and period are not in range"),
    ),
];

const NO_GROUP: &str = "a group that is no key of programs, or is in a group";

pub(super) const KEYS: &[Case] = &[
    ("default", |w| w.keys[0].default = 2, record(Table::Keys, 0, "neither on nor off")),
    ("key", |w| w.keys[1].kernel = 2, record(Table::Keys, 1, "no such key of the kernel")),
    ("default of the kernel", |w| w.keys[1].default = 0, record(Table::Keys, 1, "not what the options say")),
    (
        "kernel key twice",
        |w| w.keys[0].kernel = w.keys[1].kernel,
        record(Table::Keys, 1, "a kernel key that another record has"),
    ),
    ("group that does not exist", |w| w.keys[0].group = 2, record(Table::Keys, 0, NO_GROUP)),
    ("group of itself", |w| w.keys[0].group = 0, record(Table::Keys, 0, NO_GROUP)),
    ("group of the kernel", |w| w.keys[0].group = 1, record(Table::Keys, 0, NO_GROUP)),
    ("kernel key in a group", |w| w.keys[1].group = 0, record(Table::Keys, 1, NO_GROUP)),
    (
        "group in a group",
        |w| w.keys.extend([Key { group: 3, ..w.keys[0] }, Key { group: 0, ..w.keys[0] }]),
        record(Table::Keys, 2, NO_GROUP),
    ),
    ("key of a site", |w| w.key_sites[0].key = 2, record(Table::KeySites, 0, "no such key")),
    ("order of sites", |w| w.key_sites.swap(0, 1), record(Table::KeySites, 1, "not in ascending order")),
    (
        "site in zeros",
        |w| w.key_sites[1].region = 2,
        record(Table::KeySites, 1, "not in contents of the image"),
    ),
    (
        "site in no region",
        |w| w.key_sites[1].region = 3,
        record(Table::KeySites, 1, "not in contents of the image"),
    ),
    (
        "site across words",
        |w| w.key_sites[0].paddr += 5,
        record(Table::KeySites, 0, "not inside one word of eight bytes"),
    ),
    (
        "site without bytes",
        |w| w.key_sites[0].length = 0,
        record(Table::KeySites, 0, "not inside one word of eight bytes"),
    ),
    (
        "site beyond the region",
        |w| w.key_sites[1].paddr = CONTENTS_PADDR + 0x4000,
        record(Table::KeySites, 1, "not in its region"),
    ),
    (
        "site before the region",
        |w| w.key_sites[0].paddr = CONTENTS_PADDR - 8,
        record(Table::KeySites, 0, "not in its region"),
    ),
    (
        "instruction",
        |w| w.key_sites[0].if_off = 1 << 32,
        record(Table::KeySites, 0, "an instruction longer than its length"),
    ),
];

pub(super) const DOMAINS: &[Case] = &[
    (
        "domain",
        |w| w.domain_schedule = vec![slot(16, 5, 0)],
        record(Table::DomainSchedule, 0, "no such domain"),
    ),
    (
        "two durations",
        |w| w.domain_schedule = vec![slot(0, 5, 0), slot(1, 5, 5)],
        record(Table::DomainSchedule, 1, "invalid duration"),
    ),
    (
        "long slot",
        |w| w.domain_schedule = vec![slot(0, 3_600_000_001, 0)],
        record(Table::DomainSchedule, 0, "invalid duration"),
    ),
    (
        "no duration",
        |w| w.domain_schedule = vec![slot(0, 5, 0), slot(1, 0, 0)],
        record(Table::DomainSchedule, 1, "invalid duration"),
    ),
    (
        "domain of a thread without a schedule",
        |w| {
            w.domain_schedule.clear();
            w.threads[0].domain = 1;
        },
        record(Table::Threads, 0, "no such domain"),
    ),
    (
        "domain of a thread in a schedule",
        |w| {
            w.domain_schedule = vec![slot(0, 0, 7)];
            w.threads[1].domain = 16;
        },
        record(Table::Threads, 1, "no such domain"),
    ),
];

fn slot(domain: u64, duration_us: u64, duration_ticks: u64) -> DomainSlot {
    DomainSlot { processor: 0, domain, duration_us, duration_ticks }
}

const PORTS: ImageError = record(Table::Caps, 0, "I/O ports that no program may use");

fn ports(first: u64, last: u64) -> Cap {
    Cap { badge: last, ..cap(0, 1, CapKind::IoPort, first) }
}

fn spoil_with_ports(writer: &mut ImageWriter, first: u64, last: u64) {
    writer.architecture = Architecture::X86_64;
    writer.interrupts.clear();
    writer.caps[0] = ports(first, last);
}

pub(super) const CAPS: &[Case] = &[
    ("table", |w| w.caps[7].table = 2, record(Table::Caps, 7, "no such capability table")),
    ("slot 0", |w| w.caps[0].slot = 0, record(Table::Caps, 0, "no such slot")),
    ("slot beyond the table", |w| w.caps[7].slot = 512, record(Table::Caps, 7, "no such slot")),
    ("slots out of order", |w| w.caps.swap(0, 1), record(Table::Caps, 1, "not in ascending order")),
    ("slot twice", |w| w.caps[1].slot = 1, record(Table::Caps, 1, "not in ascending order")),
    ("rights", |w| w.caps[0].rights = 1 << 4, record(Table::Caps, 0, "undefined rights")),
    ("endpoint", |w| w.caps[0].object = 3, record(Table::Caps, 0, "no such object")),
    ("reply object", |w| w.caps[1].object = 3, record(Table::Caps, 1, "no such object")),
    ("notification", |w| w.caps[2].object = 3, record(Table::Caps, 2, "no such object")),
    ("thread", |w| w.caps[3].object = 3, record(Table::Caps, 3, "no such object")),
    ("scheduling context", |w| w.caps[4].object = 3, record(Table::Caps, 4, "no such object")),
    ("address space", |w| w.caps[5].object = 3, record(Table::Caps, 5, "no such object")),
    ("interrupt", |w| w.caps[6].object = 2, record(Table::Caps, 6, "no such object")),
    ("kind 0", |w| w.caps[0].kind = 0, record(Table::Caps, 0, "no such object")),
    ("undefined kind", |w| w.caps[0].kind = 16, record(Table::Caps, 0, "no such object")),
    (
        "a secure monitor on another architecture",
        |w| {
            w.architecture = Architecture::Riscv64;
            w.caps[0] = cap(0, 1, CapKind::SecureMonitor, 0);
        },
        record(Table::Caps, 0, "a secure monitor on another architecture"),
    ),
    ("ports on another architecture", |w| w.caps[0] = ports(0x3f8, 0x3ff), PORTS),
    ("ports of the timer", |w| spoil_with_ports(w, 0x30, 0x40), PORTS),
    ("the last port before the first", |w| spoil_with_ports(w, 0x3ff, 0x3f8), PORTS),
    ("a port out of range", |w| spoil_with_ports(w, 0xffff, 0x1_0000), PORTS),
    (
        "reply object of two threads",
        |w| w.caps[7] = cap(1, 511, CapKind::Reply, 0),
        record(Table::Caps, 7, "reply object of another thread"),
    ),
];

pub(super) const THREADS: &[Case] = &[
    ("priority", |w| w.threads[0].priority = 256, record(Table::Threads, 0, "no such priority")),
    ("address space", |w| w.threads[1].vspace = 3, record(Table::Threads, 1, "no such address space")),
    (
        "scheduling context",
        |w| w.threads[1].sched_context = 2,
        record(Table::Threads, 1, "no such scheduling context"),
    ),
    ("notification", |w| w.threads[1].notification = 3, record(Table::Threads, 1, "no such notification")),
    ("fault slot", |w| w.threads[1].fault_slot = 512, record(Table::Threads, 1, "no such fault slot")),
    ("timeout slot", |w| w.threads[0].timeout_slot = 512, record(Table::Threads, 0, "no such timeout slot")),
    ("flags", |w| w.threads[1].flags = 4, record(Table::Threads, 1, "invalid flags")),
    (
        "buffer in a page",
        |w| w.threads[0].ipc_buffer += 1024,
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "buffer above the user's addresses",
        |w| w.threads[0].ipc_buffer = limits::USER_TOP_AARCH64 + 1,
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "buffer at the end of everything",
        |w| w.threads[0].ipc_buffer = PAGE.wrapping_neg(),
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "buffer in a mapping",
        |w| w.threads[0].ipc_buffer = 0x50_0000,
        record(Table::Threads, 0, "IPC buffer at an address that is not free"),
    ),
    (
        "entry",
        |w| w.threads[0].entry = limits::USER_TOP_AARCH64 + 1,
        record(Table::Threads, 0, "entry or stack is not a user address"),
    ),
    (
        "stack",
        |w| w.threads[0].stack_top = u64::MAX,
        record(Table::Threads, 0, "entry or stack is not a user address"),
    ),
    (
        "scheduling context of two threads",
        |w| w.threads[1].sched_context = 0,
        record(Table::Threads, 1, "scheduling context of another thread"),
    ),
    (
        "notification of two threads",
        |w| w.threads[1].notification = 1,
        record(Table::Threads, 1, "notification of another thread"),
    ),
    (
        "buffer of two threads",
        |w| (w.threads[1].vspace, w.mappings[3].vspace) = (0, 1),
        record(Table::Threads, 1, "not in the order of IPC buffers"),
    ),
];
