//! A passive server: it answers, notifies with its answer, and has branches on static keys.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use limen::{Channel, MessageInfo, Program, message};
use rust_suite::Request;

limen::static_key!(TRACES = false, "traces");
limen::static_key!(CHECKS = true, "checks");

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
        for index in 0..request.length() {
            message::set_word(index, message::word(index).wrapping_add(1));
        }
        MessageInfo::new(label.wrapping_add(1000), request.length())
    }
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
    taken
}
