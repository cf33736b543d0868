//! A passive server: it sorts numbers in shared memory, on its caller's budget.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use core::sync::atomic::Ordering::Relaxed;

use limen::{Channel, MessageInfo, Program, info, message};
use rust::{Numbers, REFUSED, SORT, SORTED};

limen::region!(NUMBERS: Numbers, address = "numbers", bytes = "numbers_size");

limen::static_key!(
    /// Enables the sorter's trace. A branch on it is one no-op until the client switches it.
    TRACE = false, "trace"
);

#[derive(Default)]
struct Sorter {
    calls: u64,
}

limen::protection_domain!(Sorter::default);

impl Program for Sorter {
    fn notified(&mut self, _: Channel) {}

    fn protected(&mut self, channel: Channel, request: MessageInfo) -> MessageInfo {
        self.calls += 1;
        let count = usize::try_from(message::word(0)).unwrap_or(usize::MAX);
        if limen::static_branch_unlikely!(TRACE) {
            info!("call {} comes from channel {} with {count} numbers", self.calls, channel.id());
        }
        let numbers = NUMBERS.first().filter(|_| request.label() == SORT);
        // The client may send any count, even one that is too high.
        let Some((numbers, values)) = numbers.and_then(|all| Some((all, all.values.get(..count)?))) else {
            return MessageInfo::new(REFUSED, 0);
        };
        // Shared memory may change at any time, so the sorter works on a copy.
        let mut copy = [0; 8];
        let copy = &mut copy[..count];
        copy.iter_mut().zip(values).for_each(|(to, from)| *to = from.load(Relaxed));
        copy.sort_unstable();
        values.iter().zip(&*copy).for_each(|(to, from)| to.store(*from, Relaxed));
        numbers.sorted.fetch_add(count as u64, Relaxed);
        message::set_word(0, copy.iter().fold(0, |sum, value| sum.wrapping_add(*value)));
        MessageInfo::new(SORTED, 1)
    }
}
