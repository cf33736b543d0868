//! A child that carries out orders, most of which end in a fault.

#![no_std]
#![no_main]

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use limen::{Channel, Child, MessageInfo, Program};
use rust_suite::{Order, Orders};

#[path = "../arch/mod.rs"]
mod arch;

const TESTER: Channel = Channel::new(2);

limen::region!(ORDERS: Orders, address = "orders", bytes = "orders_size");

/// Data that only a reset restores.
static DATA: AtomicU64 = AtomicU64::new(42);

struct Victim;

limen::protection_domain!(init);

fn init() -> Victim {
    let orders = &ORDERS[0];
    orders.starts.fetch_add(1, Relaxed);
    orders.was_pristine.store(u64::from(DATA.swap(1, Relaxed) == 42), Relaxed);
    let local = 0_u64;
    orders.stack.store((&raw const local).addr() as u64, Relaxed);
    TESTER.notify();
    Victim
}

/// Carries out an order deep in the stack, which a restart must not keep.
#[inline(never)]
fn obey(order: u64, depth: u64) {
    let padding = core::hint::black_box([depth; 32]);
    if padding[1] != 0 {
        obey(order, depth - 1);
    }
    match order {
        _ if order == Order::Float as u64 => arch::use_fpu(),
        _ if order == Order::Crash as u64 => limen::crash(4),
        _ if order == Order::Missing as u64 => {
            let _ = Victim.fault(Child::new(0), MessageInfo::new(0, 0));
        }
        _ if order == Order::Spin as u64 => loop {
            if ORDERS[0].spins.fetch_add(1, Relaxed) % 4096 == 0 {
                TESTER.notify();
            }
        },
        // The place of this is in suite.toml.
        other => panic!("the order was to panic, with {}", other + 6),
    }
    let _ = core::hint::black_box(padding);
}

impl Program for Victim {
    fn notified(&mut self, _: Channel) {
        obey(ORDERS[0].order.load(Relaxed), 4);
        TESTER.notify();
    }
}
