//! Nests spans and sets a counter three times, as `tester.c` does in C.

#![no_std]
#![no_main]

mod helper;

use limen::{Channel, Program};

const ROUNDS: u64 = 3;

struct Spans;

impl Program for Spans {
    fn notified(&mut self, _: Channel) {}
}

limen::protection_domain!(init);

fn init() -> Spans {
    for round in 0..ROUNDS {
        limen::trace_begin!("outer", round);
        limen::trace_counter!("items", 10 * round);
        helper::begin_inner(round);
        limen::trace_end!("inner", round);
        helper::end_outer(round);
    }
    Spans
}
