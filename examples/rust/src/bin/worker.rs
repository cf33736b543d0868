//! A child with a bug: it indexes past the end of an array. That is a panic, which prints the place, and then a fault.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use limen::{Channel, MessageInfo, Program, info, message};
use rust::PRICE;

const PARENT: Channel = Channel::new(1);

struct Worker {
    prices: [u64; 3],
}

limen::protection_domain!(init);

fn init() -> Worker {
    info!("I start");
    Worker { prices: [3, 5, 8] }
}

impl Program for Worker {
    fn notified(&mut self, _: Channel) {
        let answer = PARENT.call(MessageInfo::new(PRICE, 0));
        assert_eq!(answer.label(), PRICE);
        let wanted = message::word(0) as usize;
        info!("price {wanted} is {}", self.prices[wanted]);
        PARENT.notify();
    }
}
