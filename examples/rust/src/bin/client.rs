//! Calls the sorter, switches on the sorter's trace, and asks the parent about its child.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use core::sync::atomic::Ordering::Relaxed;

use limen::{Channel, Key, MessageInfo, Program, info, message};
use rust::{Numbers, SORT, SORTED};

const SORTER: Channel = Channel::new(1);
const PARENT: Channel = Channel::new(2);
/// The sorter's branches follow this key.
const TRACE: Key = Key::new(0);

limen::region!(NUMBERS: Numbers, address = "numbers", bytes = "numbers_size");

struct Client;

limen::protection_domain!(init);

fn init() -> Client {
    sort([5, 3, 4, 1, 2, 8, 7, 6]);
    match TRACE.enable() {
        Ok(()) => info!("I want to know what the sorter does"),
        Err(error) => info!("the key cannot be switched: {error}"),
    }
    sort([40, 30, 20, 10, 50, 80, 70, 60]);
    info!("I notify the parent");
    PARENT.notify();
    Client
}

fn sort(values: [u64; 8]) {
    // The region is empty if the description does not map it.
    let Some(numbers) = NUMBERS.first() else { return info!("no memory for numbers") };
    numbers.values.iter().zip(values).for_each(|(to, value)| to.store(value, Relaxed));
    message::set_word(0, values.len() as u64);
    let answer = SORTER.call(MessageInfo::new(SORT, 1));
    assert_eq!(answer.label(), SORTED, "the sorter refuses");
    let sorted = numbers.values.each_ref().map(|value| value.load(Relaxed));
    info!("sorted {sorted:?}, the sum is {}, and {} in all", message::word(0), numbers.sorted.load(Relaxed));
}

impl Program for Client {
    fn notified(&mut self, channel: Channel) {
        if channel == PARENT {
            info!("the parent says that its child is well");
            limen::println!("LIMEN|DONE");
        }
    }
}
