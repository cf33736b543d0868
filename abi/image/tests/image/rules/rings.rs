//! Rings: their threads, sizes and addresses.

use limen_abi::limits::{SAMPLE_RINGS, USER_TOP_AARCH64};
use limen_image::{ImageError, NONE, Table};

use super::{Case, PAGE, record};
use crate::sample::{ring, thread};

const SIZE: ImageError = record(Table::Rings, 0, "not the size of a ring");
const THREAD: ImageError = record(Table::Rings, 1, "not a thread without a ring");
const ADDRESS: ImageError = record(Table::Rings, 1, "not user addresses for a ring");
const NOT_FREE: ImageError = record(Table::Rings, 0, "a ring at an address that is not free");
const ORDER: ImageError = record(Table::Rings, 1, "rings not in ascending order or overlapping");

pub(super) const RINGS: &[Case] = &[
    (
        "too many",
        |w| w.rings = vec![w.rings[0]; SAMPLE_RINGS + 1],
        ImageError::Directory { table: Table::Rings as usize },
    ),
    ("kind", |w| w.rings[0].kind = 1, SIZE),
    ("size", |w| w.rings[0].bytes = 2 * PAGE, SIZE),
    ("no size", |w| w.rings[0].bytes = 0, SIZE),
    ("thread", |w| w.rings[1].thread = 2, THREAD),
    ("no thread", |w| w.rings[1].thread = NONE, THREAD),
    ("two of a thread", |w| (w.rings[1].thread, w.rings[1].vaddr) = (0, 0xb0_0000), THREAD),
    ("in a page", |w| w.rings[1].vaddr += 64, ADDRESS),
    ("above the user addresses", |w| w.rings[1].vaddr = USER_TOP_AARCH64 + 1, ADDRESS),
    ("at the end of all addresses", |w| w.rings[1].vaddr = 0u64.wrapping_sub(PAGE), ADDRESS),
    ("on the last page of a mapping", |w| w.rings[0].vaddr = 0x20_1000, NOT_FREE),
    ("in a large page", |w| w.rings[0].vaddr = 0x50_0000, NOT_FREE),
    ("on a mapping without access", |w| w.rings = vec![ring(1, 0x20_0000)], NOT_FREE),
    ("on the IPC buffer", |w| w.rings[0].vaddr = w.threads[0].ipc_buffer, NOT_FREE),
    ("order", |w| w.rings.swap(0, 1), ORDER),
    (
        "of two threads in one place",
        |w| {
            w.threads[1] = limen_image::Thread { ipc_buffer: 0x10_1000, vspace: 0, ..thread(1, 3) };
            w.rings[1] = ring(1, w.rings[0].vaddr);
        },
        ORDER,
    ),
];
