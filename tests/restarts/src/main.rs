//! The child in Rust: records what it finds when it starts, and ends as it is ordered to. Its numbers are those of life.h.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::ptr;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use limen::{Channel, MessageInfo, Program};

mod arch;

use arch::{read_registers, spoil_flags_and_stack};

const STARTED: Channel = Channel::new(0);
const DEFERRED: Channel = Channel::new(1);

const END_DEEP: u64 = 1;
const END_SPOILT: u64 = 2;
const END_DEFERRED: u64 = 4;
const END_SERVING: u64 = 5;

/// Bytes that a life copies to see whether it copies upwards.
const COPIED: usize = 64;

limen::shared! {
    /// The findings of a life in its init.
    struct Life {
        stack_pointer: AtomicU64,
        flags: AtomicU64,
        control: AtomicU64,
        value: AtomicU64,
        message_word: AtomicU64,
        copies: AtomicU64,
        count: AtomicU64,
        signals: AtomicU64,
        interrupts: AtomicU64,
        replies: AtomicU64,
        end: AtomicU64,
        frame_pointer: AtomicU64,
        caller: AtomicU64,
        conditions: AtomicU64,
    }
}

limen::region!(LIFE: Life, address = "life", bytes = "life_size");
limen::protection_domain!(init);

/// The frame pointer, the link register, and the condition flags with which the start code ended.
static ENTERED: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

struct Child;

fn init() -> Child {
    let (stack_pointer, flags) = read_registers();
    LIFE[0].stack_pointer.store(stack_pointer, Relaxed);
    LIFE[0].flags.store(flags, Relaxed);
    for (entered, found) in ENTERED.iter().zip([&LIFE[0].frame_pointer, &LIFE[0].caller, &LIFE[0].conditions])
    {
        found.store(entered.load(Relaxed), Relaxed);
    }
    LIFE[0].copies.store(u64::from(copies_are_right()) * 8, Relaxed);
    LIFE[0].count.fetch_add(1, Relaxed);
    STARTED.notify();
    Child
}

fn copies_are_right() -> bool {
    let from = black_box([7_u8; COPIED]);
    let mut to = black_box([0; COPIED]);
    to.copy_from_slice(&from);
    black_box(to) == from
}

#[inline(never)]
fn follow_second(nowhere: *const u64) -> u64 {
    // SAFETY: null is not mapped, so the program stops here.
    unsafe { nowhere.read_volatile() + 1 }
}

#[inline(never)]
fn follow_first(nowhere: *const u64) -> u64 {
    black_box(follow_second(nowhere) + 1)
}

impl Program for Child {
    fn notified(&mut self, channel: Channel) {
        if channel != STARTED {
            LIFE[0].signals.fetch_add(1, Relaxed);
            channel.notify();
            return;
        }
        match LIFE[0].end.load(Relaxed) {
            END_DEEP => LIFE[0].value.store(follow_first(black_box(ptr::null())), Relaxed),
            END_SPOILT => spoil_flags_and_stack(),
            END_DEFERRED => {
                DEFERRED.deferred_notify();
                spoil_flags_and_stack();
            }
            _ => STARTED.notify(),
        }
    }

    fn protected(&mut self, _: Channel, message: MessageInfo) -> MessageInfo {
        if LIFE[0].end.load(Relaxed) == END_SERVING {
            spoil_flags_and_stack();
        }
        message
    }
}
