//! A passive server: it answers, notifies with its answer, and has branches on static keys.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use limen::probe::{self, Entry, Event, ProbeEvent, Samples, Stamps};
use limen::{Channel, Error, MessageInfo, Program, message};
use rust_suite::Request;

limen::static_key!(TRACES = false, "traces");
limen::static_key!(CHECKS = true, "checks");
limen::static_key!(LEVELS = [false; 3], "levels");

limen::sample_ring!(RING = "ring");

#[derive(Default)]
struct Echo {
    notifications: u64,
}

limen::protection_domain!(Echo::default);

impl Program for Echo {
    fn notified(&mut self, channel: Channel) {
        self.notifications += 1;
        channel.notify();
    }

    fn protected(&mut self, channel: Channel, request: MessageInfo) -> MessageInfo {
        let label = request.label();
        if label == Request::NotifyLater as u64 {
            channel.deferred_notify();
            return MessageInfo::new(u64::from(channel.id()), 0);
        }
        if label == Request::Tell as u64 {
            message::set_word(0, branches());
            message::set_word(1, self.notifications);
            return MessageInfo::new(0, 2);
        }
        if label == Request::Follow as u64 {
            let is_well = follow(message::word(0));
            message::set_word(3, u64::from(is_well.is_ok()));
            return MessageInfo::new(0, 4);
        }
        for index in 0..request.length() {
            message::set_word(index, message::word(index).wrapping_add(1));
        }
        MessageInfo::new(label.wrapping_add(1000), request.length())
    }
}

/// Causes breakpoints, reads their samples afterwards, then one sample after each of as many again.
fn follow(count: u64) -> Result<(), Error> {
    probe::start()?;
    let mut samples = Samples::new(&RING);
    let breakpoint = probe::keep_armed(Event::Breakpoint, Stamps::Serialised)?;
    for _ in 0..count {
        let _ = breakpoint.cross();
    }
    let is_breakpoint = |entry: &Entry| entry.event == ProbeEvent::Breakpoint.as_raw();
    let read = core::iter::from_fn(|| samples.next_entry()).filter(is_breakpoint).count();
    let lost = samples.lost();
    let follows = |samples: &mut Samples| {
        let crossing = breakpoint.cross();
        let is_same = |entry: Entry| {
            entry.user == crossing.user && entry.entry >= crossing.user && entry.entry <= crossing.exit
        };
        samples.next_entry().is_some_and(is_same)
    };
    let followed = (0..count).filter(|_| follows(&mut samples)).count();
    let answer = probe::read()?;
    probe::stop()?;
    message::set_word(0, read as u64);
    message::set_word(1, lost);
    message::set_word(2, followed as u64);
    let is_alike =
        answer.entry.is_none() && answer.is_page_table_switched == samples.is_page_table_switched();
    if is_alike { Ok(()) } else { probe::stop() }
}

/// A bit for each branch that is taken.
fn branches() -> u64 {
    let mut taken = 0;
    if limen::static_branch_unlikely!(TRACES) {
        taken |= 1;
    }
    if limen::static_branch_likely!(TRACES) {
        taken |= 2;
    }
    if limen::static_branch_unlikely!(CHECKS) {
        taken |= 4;
    }
    if limen::static_branch_likely!(CHECKS) {
        taken |= 8;
    }
    if limen::static_branch_unlikely!(LEVELS, 1) {
        taken |= 16;
    }
    if limen::static_branch_likely!(LEVELS, 2) {
        taken |= 32;
    }
    taken
}
