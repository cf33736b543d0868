//! Processors with their interrupts, and the memory that they share.

use std::sync::Arc;
use std::sync::atomic;

use limen_core::arena::{NotificationId, ThreadId};
use limen_core::kernel::{Notifications, PerThread};
use loom::sync::Notify;
use loom::sync::atomic::{AtomicU64, Ordering};

use crate::processors::letter::Letter;
use crate::processors::mailbox::{Attention, Mail, Mailboxes, bit};

/// Processors 0 to 2.
const PROCESSORS: usize = 3;

/// The memory that the processors share.
#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) boxes: Arc<Mailboxes>,
    interrupts: Arc<[Interrupt; PROCESSORS]>,
    /// Words of programs, which no access orders.
    words: Arc<[AtomicU64; PROCESSORS]>,
}

/// The interrupt of a processor.
#[derive(Default)]
struct Interrupt {
    line: Notify,
    /// The number of times it was sent. The explored code does not see this count.
    sent: atomic::AtomicU64,
}

/// Returns a thread.
pub(crate) fn thread(index: u64) -> ThreadId {
    PerThread::<()>::id(index).expect("a thread")
}

/// Returns the notification of all models.
pub(crate) fn notification() -> NotificationId {
    Notifications::id(0).expect("a notification")
}

impl Machine {
    /// Creates a machine on whose processors the models' threads have letters.
    pub(crate) fn new(threads: u64) -> Self {
        let boxes = Mailboxes::new();
        // The first use of each atomic.
        for number in 0..PROCESSORS as u8 {
            assert!(boxes.take(number).is_empty());
        }
        for index in 0..threads {
            boxes.letter(thread(index)).write(0);
            boxes.letter(thread(index)).write_recall(0);
        }
        assert_eq!(boxes.take_signals(notification()), 0);
        Self { boxes: Arc::new(boxes), interrupts: Arc::default(), words: Arc::default() }
    }

    pub(crate) fn letter(&self, index: u64) -> &Letter {
        self.boxes.letter(thread(index))
    }

    pub(crate) fn write_word(&self, number: usize, value: u64) {
        self.words[number].store(value, Ordering::Relaxed);
    }

    pub(crate) fn word(&self, number: usize) -> u64 {
        self.words[number].load(Ordering::Relaxed)
    }

    pub(crate) fn send_letter(&self, to: u8, index: u64) {
        self.attract(to, self.boxes.send_letter(to, thread(index)));
    }

    pub(crate) fn send_recall(&self, to: u8, index: u64) {
        self.attract(to, self.boxes.send_recall(to, thread(index)));
    }

    pub(crate) fn send_signal(&self, to: u8, badge: u64) {
        self.attract(to, self.boxes.send_signal(to, notification(), badge));
    }

    fn attract(&self, to: u8, attention: Attention) {
        if attention == Attention::Interrupt {
            let interrupt = &self.interrupts[usize::from(to)];
            interrupt.sent.fetch_add(1, atomic::Ordering::Relaxed);
            interrupt.line.notify();
        }
    }

    /// Waits for the interrupt of a processor, and takes its mail.
    pub(crate) fn wait(&self, number: u8) -> Mail {
        self.interrupts[usize::from(number)].line.wait();
        self.boxes.take(number)
    }

    /// Returns the interrupts that a processor was sent.
    pub(crate) fn interrupts(&self, number: u8) -> u64 {
        self.interrupts[usize::from(number)].sent.load(atomic::Ordering::Relaxed)
    }
}

/// Returns whether the bit of a thread is set.
pub(crate) fn has(bits: u64, index: u64) -> bool {
    bits & bit(thread(index)) != 0
}
