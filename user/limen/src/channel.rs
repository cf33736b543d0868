//! Channels to other protection domains, and interrupts, which share their numbers.

use limen_abi::limits::MAX_CHANNEL_ID;
use limen_abi::slot::{BASE_ENDPOINT, BASE_IRQ, BASE_OUTPUT_NOTIFICATION};
use limen_abi::{Label, MessageInfo, Syscall};

use crate::arch::lowest_bit;
use crate::buffer::{self, Buffer};
use crate::deferred::{self, Signal};
use crate::patched;
use crate::report;
use crate::trap;

/// A channel or an interrupt, by the id that the system description gives it.
///
/// A method that the description does not grant prints a report on the debug console and returns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channel(u8);

const _: () = {
    let mut place = 0;
    while place < 64 {
        assert!(lowest_bit(1 << place) == place && lowest_bit(u64::MAX << place) == place);
        place += 1;
    }
};

const ACKNOWLEDGE: MessageInfo = MessageInfo::new(Label::IrqHandlerAck.as_raw(), 0);
pub(crate) const EMPTY: MessageInfo = MessageInfo::new(0, 0);

impl Channel {
    /// The channel with this id, 0 to 61.
    ///
    /// # Panics
    /// When there is no such id. In a constant, the program then does not compile.
    #[must_use]
    #[inline]
    pub const fn new(id: u8) -> Self {
        assert!(id <= MAX_CHANNEL_ID, "ids of channels and interrupts are 0 to 61");
        Self(id)
    }

    /// The channel with an id that the tool has set, or `None` if there is no such id.
    #[must_use]
    pub const fn from_id(id: u64) -> Option<Self> {
        if id <= MAX_CHANNEL_ID as u64 { Some(Self(id as u8)) } else { None }
    }

    /// The channel of a field of a badge.
    #[inline(always)]
    pub(crate) const fn from_badge(id: u64) -> Self {
        Self(id as u8 & 63)
    }

    /// The channel of the lowest bit of a badge that is not zero.
    #[inline(always)]
    pub(crate) const fn of_lowest_bit(badge: u64) -> Self {
        Self(lowest_bit(badge))
    }

    /// Its id.
    #[must_use]
    #[inline]
    pub const fn id(self) -> u8 {
        self.0
    }

    /// Whether the program may notify the other side.
    #[must_use]
    #[inline(always)]
    pub fn may_notify(self) -> bool {
        self.is_in(patched::notifications())
    }

    /// Whether the program may call the other side.
    #[must_use]
    #[inline(always)]
    pub fn may_call(self) -> bool {
        self.is_in(patched::pps())
    }

    /// Whether this is an interrupt of the program.
    #[must_use]
    #[inline(always)]
    pub fn is_interrupt(self) -> bool {
        self.is_in(patched::irqs())
    }

    #[inline(always)]
    fn is_in(self, granted: u64) -> bool {
        granted >> (self.0 & 63) & 1 != 0
    }

    #[inline(always)]
    pub(crate) fn notification(self) -> u64 {
        BASE_OUTPUT_NOTIFICATION + u64::from(self.0)
    }

    #[inline(always)]
    fn line(self) -> u64 {
        BASE_IRQ + u64::from(self.0)
    }

    /// Notifies the other side. Never waits.
    #[inline]
    pub fn notify(self) {
        if self.may_notify() {
            trap::send_empty(Syscall::Send, self.notification(), EMPTY);
        } else {
            report::channel("notify", self);
        }
    }

    /// Calls the other side, which has a higher priority, and waits for its answer.
    ///
    /// Arguments and results are [message words](crate::message). Without the right to call, the answer has label 0 and
    /// no words.
    #[inline]
    pub fn call(self, message: MessageInfo) -> MessageInfo {
        if !self.may_call() {
            report::channel("call", self);
            return EMPTY;
        }
        let buffer = Buffer::here();
        let endpoint = BASE_ENDPOINT + u64::from(self.0);
        if buffer::skips(message) {
            let answer = trap::call_empty(endpoint, message);
            buffer.store_first(answer.words, answer.info.length());
            return answer.info;
        }
        let answer = trap::call(endpoint, message, buffer.load_words());
        buffer.store_words(answer.words);
        answer.info
    }

    /// Acknowledges the interrupt, which unmasks it.
    #[inline]
    pub fn acknowledge(self) {
        if self.is_interrupt() {
            // Fails only if the interrupt is not granted.
            let _ = trap::call(self.line(), ACKNOWLEDGE, [0; 4]);
        } else {
            report::channel("acknowledge", self);
        }
    }

    /// Like [`notify`](Self::notify), but in the same system call as the next receive.
    ///
    /// One signal or acknowledgement can be pending. A second one replaces it; the debug configuration reports the loss.
    #[inline]
    pub fn deferred_notify(self) {
        if self.may_notify() {
            deferred::set("deferred_notify", self, Signal { to: self.notification(), info: EMPTY });
        } else {
            report::channel("deferred_notify", self);
        }
    }

    /// Like [`acknowledge`](Self::acknowledge), but in the same system call as the next receive.
    #[inline]
    pub fn deferred_acknowledge(self) {
        if self.is_interrupt() {
            deferred::set("deferred_acknowledge", self, Signal { to: self.line(), info: ACKNOWLEDGE });
        } else {
            report::channel("deferred_acknowledge", self);
        }
    }
}
