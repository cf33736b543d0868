//! The memory of a replay is freed: a random test replays tens of thousands of recordings in one process.
#![cfg(target_os = "linux")]

use std::fs;

use limen_abi::limits::{PAGE_BYTES, USER_TOP_AARCH64};
use limen_abi::recording::StateWord;
use limen_image::{Architecture, Image, ImageWriter, NONE, Range, SchedContext, Thread};
use limen_replay::context::Aarch64;
use limen_replay::machine::ReplayMachine;
use limen_replay::reader::{Boot, State};

/// Bytes of address space that this process uses.
fn used_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    Some(size.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// An image with one thread.
fn smallest_image() -> Vec<u64> {
    let mut writer = ImageWriter::new(Architecture::Aarch64);
    writer.board.user_top = USER_TOP_AARCH64;
    writer.counts.vspaces = 1;
    writer.ram = vec![Range { start: 0, end: 0x10_0000 }];
    writer.reserved = vec![Range { start: 0, end: 0x1_0000 }];
    writer.pool = Range { start: 0x1_0000, end: 0x8_0000 };
    writer.sched_contexts = vec![SchedContext { budget_us: 100, period_us: 100, processor: 0 }];
    writer.threads = vec![Thread { notification: NONE, sched_context: 0, ..Thread::default() }];
    writer.finish(0, PAGE_BYTES)
}

#[test]
fn a_machine_frees_its_tables() {
    const MACHINES: u64 = 200;
    let words = smallest_image();
    let image = Image::validate(&words).unwrap();
    let state = State { runs: None, message: Vec::new(), words: [0; StateWord::LENGTH] };
    let boot =
        Boot { state, frequency: 1_000_000, fpu_options: 0, processor: 0, switches_page_tables: false };
    let create = || drop(ReplayMachine::<Aarch64>::new(&image, &boot));
    create();
    let before = used_bytes().unwrap();
    (0..MACHINES).for_each(|_| create());
    let more = used_bytes().unwrap().saturating_sub(before);
    // The tables of one machine take half a mebibyte.
    assert!(more < MACHINES << 17, "{MACHINES} machines leave {more} bytes");
}
