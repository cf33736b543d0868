//! The memory that the kernels of all processors share, and the only atomics between them.
//!
//! ```text
//!   sender: write the letter, set its bit in the mailbox, set `attention` -- it was clear --> interrupt
//!   owner:  clear `attention`, take all bits, read the letters
//! ```
//!
//! The kernel that takes a bit owns the letter. A sender that finds `attention` set need not interrupt: the owner has not cleared it
//! yet, and will see the bit when it has.

use core::mem::offset_of;

use limen_abi::limits;

use super::atomic::{AtomicBool, AtomicU64, Ordering};
use super::letter::Letter;
use crate::arena::{Arena, Id, NotificationId, ThreadId, tag};
use crate::kernel::PerThread;

/// The mailboxes of all processors, signals on their way, and the letters of all threads.
#[derive(Debug)]
#[repr(C)]
pub struct Mailboxes {
    boxes: [Mailbox; limits::PROCESSORS],
    /// The bits of signals from other processors.
    signals: Arena<tag::Notification, AtomicU64, { limits::NOTIFICATIONS }>,
    letters: PerThread<Letter>,
}

/// The mailbox of a processor. It fills a cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Mailbox {
    /// Whether the processor has been interrupted and has not looked yet.
    attention: AtomicBool,
    /// Threads whose letter is here.
    letters: AtomicU64,
    /// Visitors that their home recalls.
    recalls: AtomicU64,
    /// Notifications with signals from elsewhere.
    signals: AtomicU64,
    /// Processors whose message is about patched code: the keeper asks, the others answer.
    code: AtomicU64,
}

impl Mailbox {
    const fn new() -> Self {
        Self {
            attention: AtomicBool::new(false),
            letters: AtomicU64::new(0),
            recalls: AtomicU64::new(0),
            signals: AtomicU64::new(0),
            code: AtomicU64::new(0),
        }
    }
}

/// Whether the owner of a mailbox must be interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Attention {
    /// It does not know yet.
    Interrupt,
    /// It will look anyway.
    Coming,
}

/// The contents of a mailbox, one bit for each thread or notification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mail {
    /// Threads whose letter has arrived.
    pub letters: u64,
    /// Visitors that their home recalls.
    pub recalls: u64,
    /// Notifications with signals from elsewhere.
    pub signals: u64,
}

impl Mail {
    /// Nothing.
    pub const NONE: Self = Self { letters: 0, recalls: 0, signals: 0 };

    /// Returns whether nothing has arrived.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.letters | self.recalls | self.signals == 0
    }

    /// Returns the thread whose letter is all that has arrived.
    #[inline(always)]
    pub(crate) fn only_letter(&self) -> Option<ThreadId> {
        let Self { mut letters, recalls, signals } = *self;
        let only = take_lowest(&mut letters)?;
        (letters | recalls | signals == 0).then_some(only)
    }

    /// Returns the notification whose signals are all that has arrived.
    #[inline(always)]
    pub(crate) fn only_signal(&self) -> Option<NotificationId> {
        let Self { letters, recalls, mut signals } = *self;
        let only = take_lowest(&mut signals)?;
        (letters | recalls | signals == 0).then_some(only)
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.letters |= more.letters;
        self.recalls |= more.recalls;
        self.signals |= more.signals;
    }
}

impl Mailboxes {
    /// Creates empty mailboxes.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            boxes: [const { Mailbox::new() }; limits::PROCESSORS],
            signals: Arena::new([const { AtomicU64::new(0) }; limits::NOTIFICATIONS]),
            letters: PerThread::new([const { Letter::new() }; limits::THREADS]),
        }
    }

    /// Returns how many bytes at the start hold everything but the letters from thread `threads` on. Zeros there are
    /// empty mailboxes.
    #[must_use]
    pub const fn bytes_of(threads: usize) -> usize {
        offset_of!(Self, letters) + threads * size_of::<Letter>()
    }

    /// Returns the letter of a thread. Only the kernel that has it may access it.
    pub(crate) fn letter(&self, thread: ThreadId) -> &Letter {
        &self.letters[thread]
    }

    /// Sends the letter of a thread to a processor.
    pub(crate) fn send_letter(&self, to: u8, thread: ThreadId) -> Attention {
        let mailbox = self.mailbox(to);
        mailbox.letters.fetch_or(bit(thread), Ordering::Release);
        mailbox.call()
    }

    /// Recalls a thread that visits a processor.
    pub(crate) fn send_recall(&self, to: u8, thread: ThreadId) -> Attention {
        let mailbox = self.mailbox(to);
        mailbox.recalls.fetch_or(bit(thread), Ordering::Release);
        mailbox.call()
    }

    /// Signals a notification of another processor.
    pub(crate) fn send_signal(&self, to: u8, id: NotificationId, badge: u64) -> Attention {
        let earlier = self.signals[id].fetch_or(badge, Ordering::Release);
        if earlier != 0 {
            // The owner takes the bits after it has taken the mailbox's bit, which is set.
            return Attention::Coming;
        }
        let mailbox = self.mailbox(to);
        mailbox.signals.fetch_or(bit(id), Ordering::Release);
        mailbox.call()
    }

    /// Sends a message about patched code: to synchronise with it, or from a processor that has.
    pub(crate) fn send_code(&self, to: u8, from: u8) -> Attention {
        let mailbox = self.mailbox(to);
        mailbox.code.fetch_or(1 << from, Ordering::Release);
        mailbox.call()
    }

    /// Takes the senders of messages about patched code, one bit each. Called after [`Self::take`].
    pub(crate) fn take_code(&self, number: u8) -> u64 {
        take_all(&self.mailbox(number).code)
    }

    /// Takes the bits that others have signalled.
    pub(crate) fn take_signals(&self, id: NotificationId) -> u64 {
        self.signals[id].swap(0, Ordering::Acquire)
    }

    /// Takes everything from the mailbox of this processor. A letter is sent before its recall, so recalls are taken first.
    pub(crate) fn take(&self, number: u8) -> Mail {
        let mailbox = self.mailbox(number);
        mailbox.attention.swap(false, Ordering::AcqRel);
        let recalls = take_all(&mailbox.recalls);
        let letters = take_all(&mailbox.letters);
        let signals = take_all(&mailbox.signals);
        Mail { letters, recalls, signals }
    }

    /// Returns the contents of the mailbox of a processor, and leaves them there; for tests.
    #[must_use]
    pub fn look(&self, number: u8) -> Mail {
        let mailbox = self.mailbox(number);
        Mail {
            letters: mailbox.letters.load(Ordering::Relaxed),
            recalls: mailbox.recalls.load(Ordering::Relaxed),
            signals: mailbox.signals.load(Ordering::Relaxed),
        }
    }

    /// Returns the senders of messages about patched code, and leaves the messages there; for tests.
    #[must_use]
    pub fn look_for_code(&self, number: u8) -> u64 {
        self.mailbox(number).code.load(Ordering::Relaxed)
    }

    /// Returns what distinguishes the letter of a thread in a model.
    #[must_use]
    pub fn summary(&self, thread: ThreadId) -> [u64; 4] {
        self.letters[thread].summary()
    }

    /// Copies everything from other mailboxes; for models that return to an earlier state.
    pub fn copy_from(&self, from: &Self) {
        let copy =
            |to: &AtomicU64, from: &AtomicU64| to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        for (to, from) in self.boxes.iter().zip(&from.boxes) {
            to.attention.store(from.attention.load(Ordering::Relaxed), Ordering::Relaxed);
            copy(&to.letters, &from.letters);
            copy(&to.recalls, &from.recalls);
            copy(&to.signals, &from.signals);
            copy(&to.code, &from.code);
        }
        self.letters.iter().zip(from.letters.iter()).for_each(|((_, to), (_, from))| to.copy_from(from));
        self.signals.iter().zip(from.signals.iter()).for_each(|((_, to), (_, from))| copy(to, from));
    }

    /// Returns the signals for a notification that its home has not taken, and leaves them there.
    #[must_use]
    pub fn look_for_signals(&self, id: NotificationId) -> u64 {
        self.signals[id].load(Ordering::Relaxed)
    }

    /// Puts into the mailbox of a processor what it has taken in a recorded run, with messages about code of these processors.
    pub fn put_mail(&self, number: u8, mail: &Mail, code: u64) {
        let mailbox = self.mailbox(number);
        let put = |word: &AtomicU64, bits| word.store(bits, Ordering::Relaxed);
        put(&mailbox.letters, mail.letters);
        put(&mailbox.recalls, mail.recalls);
        put(&mailbox.signals, mail.signals);
        put(&mailbox.code, code);
    }

    /// Replaces the words of the letter of a thread with recorded ones.
    pub fn put_letter(&self, thread: ThreadId, words: &[u64]) {
        self.letters[thread].set_words(words);
    }

    /// Replaces the number of the recalled request of a thread with the recorded one.
    pub fn put_recall(&self, thread: ThreadId, number: u64) {
        self.letters[thread].write_recall(number);
    }

    /// Replaces the signals for a notification with recorded ones.
    pub fn put_signals(&self, id: NotificationId, badge: u64) {
        self.signals[id].store(badge, Ordering::Relaxed);
    }

    fn mailbox(&self, number: u8) -> &Mailbox {
        &self.boxes[usize::from(number) % limits::PROCESSORS]
    }
}

impl Default for Mailboxes {
    fn default() -> Self {
        Self::new()
    }
}

impl Mailbox {
    fn call(&self) -> Attention {
        if self.attention.swap(true, Ordering::AcqRel) { Attention::Coming } else { Attention::Interrupt }
    }
}

/// Takes all bits of a word that is mostly empty. A sender whose bits the first look misses sets `attention` after them.
#[inline]
fn take_all(word: &AtomicU64) -> u64 {
    if word.load(Ordering::Relaxed) == 0 { 0 } else { word.swap(0, Ordering::Acquire) }
}

/// The bit of a thread or notification in a [`Mail`].
#[must_use]
#[inline(always)]
pub fn bit<Tag>(id: Id<Tag>) -> u64 {
    const { assert!(limits::THREADS <= 64 && limits::NOTIFICATIONS <= 64) };
    1 << (Id::number(Some(id)) % 64)
}

/// Removes the lowest bit and returns its thread or notification.
pub fn take_lowest<Tag>(bits: &mut u64) -> Option<Id<Tag>> {
    if *bits == 0 {
        return None;
    }
    let position = bits.trailing_zeros();
    *bits &= bits.wrapping_sub(1);
    Arena::<Tag, (), 64>::id(u64::from(position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Notifications;

    fn thread(index: u64) -> ThreadId {
        PerThread::<()>::id(index).unwrap()
    }

    #[test]
    fn bits_and_ids_correspond() {
        for index in 0..64 {
            let mut bits = bit(thread(index));
            assert_eq!(bits, 1 << index);
            assert_eq!(take_lowest(&mut bits), Some(thread(index)));
            assert_eq!(bits, 0);
        }
        assert_eq!(take_lowest::<tag::Thread>(&mut 0), None);
    }

    #[test]
    fn only_the_first_message_interrupts() {
        let boxes = Mailboxes::new();
        assert_eq!(boxes.send_letter(1, thread(3)), Attention::Interrupt);
        assert_eq!(boxes.send_letter(1, thread(0)), Attention::Coming);
        assert_eq!(boxes.send_letter(2, thread(1)), Attention::Interrupt);
        assert_eq!(boxes.take(1), Mail { letters: 0b1001, ..Mail::NONE });
        assert_eq!(boxes.send_recall(1, thread(3)), Attention::Interrupt);
        assert_eq!(boxes.take(1), Mail { recalls: 0b1000, ..Mail::NONE });
        assert!(boxes.take(1).is_empty());
    }

    #[test]
    fn a_message_is_the_only_one_if_no_other_has_arrived() {
        let id = Notifications::id(0).unwrap();
        let of = |letters, recalls, signals| {
            let mail = Mail { letters, recalls, signals };
            (mail.only_letter(), mail.only_signal())
        };
        assert_eq!(of(1 << 63, 0, 0), (Some(thread(63)), None));
        assert_eq!(of(0, 0, 1), (None, Some(id)));
        for several in
            [of(0b11, 0, 0), of(0, 0, 0b11), of(1, 0, 1), of(1, 1, 0), of(0, 1, 1), of(0, 1, 0), of(0, 0, 0)]
        {
            assert_eq!(several, (None, None));
        }
    }

    #[test]
    fn signals_of_one_notification_are_joined() {
        let boxes = Mailboxes::new();
        let id = Notifications::id(5).unwrap();
        assert_eq!(boxes.send_signal(3, id, 0b01), Attention::Interrupt);
        assert_eq!(boxes.send_signal(3, id, 0b10), Attention::Coming);
        assert_eq!(boxes.take(3).signals, 1 << 5);
        // Before the owner takes the bits, another signal still finds them.
        assert_eq!(boxes.send_signal(3, id, 0b100), Attention::Coming);
        assert_eq!(boxes.take_signals(id), 0b111);
        assert_eq!(boxes.send_signal(3, id, 0b1), Attention::Interrupt);
    }

    #[test]
    fn a_signal_without_bits_arrives() {
        let boxes = Mailboxes::new();
        let id = Notifications::id(0).unwrap();
        assert_eq!(boxes.send_signal(0, id, 0), Attention::Interrupt);
        assert_eq!(boxes.take(0).signals, 1);
    }
}
