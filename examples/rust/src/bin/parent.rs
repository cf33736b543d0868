//! Manages a child: wakes it, handles its faults, and restarts it with its initial data.

#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use limen::service::{self, Service};
use limen::{Channel, Child, Fault, FaultAnswer, MessageInfo, Program, START, info, message};
use rust::PRICE;

const CLIENT: Channel = Channel::new(1);
const WORKER: Channel = Channel::new(2);
const WORKER_CODE: Service = Service::new(0);
const WORKER_RESET: Service = Service::new(1);

struct Parent {
    /// The digest of the worker's code and constants at the start.
    code: [u64; 4],
    /// The index of the price that the worker shall print.
    wanted: u64,
}

limen::protection_domain!(init);

fn init() -> Parent {
    Parent { code: service::digest(WORKER_CODE).unwrap_or_default(), wanted: 3 }
}

impl Program for Parent {
    fn notified(&mut self, channel: Channel) {
        if channel == CLIENT {
            info!("I wake my child");
            WORKER.notify();
        } else {
            info!("my child is well");
            // Sent with the next receive, which saves a system call.
            CLIENT.deferred_notify();
        }
    }

    /// Tells the worker which price to print.
    fn protected(&mut self, _: Channel, _: MessageInfo) -> MessageInfo {
        message::set_word(0, self.wanted);
        MessageInfo::new(PRICE, 1)
    }

    fn fault(&mut self, child: Child, message: MessageInfo) -> FaultAnswer {
        match Fault::read(message) {
            Fault::Memory { address, .. } => info!("my child has stopped at address {address:#x}"),
            other => info!("my child has stopped: {other:?}"),
        }
        let is_same = service::digest(WORKER_CODE) == Ok(self.code);
        info!("its code is {}; it gets a clean start", if is_same { "what it was" } else { "another" });
        let restarted =
            child.stop().and_then(|()| service::reset(WORKER_RESET)).and_then(|()| child.restart(START));
        if let Err(error) = restarted {
            info!("that cannot be done: {error}");
        }
        self.wanted -= 1;
        WORKER.notify();
        FaultAnswer::Stop
    }
}
