//! Assertions about a system that print its state when they fail.

use core::fmt::Debug;

use limen_abi::message::{BufferWord, REGISTER_WORDS};
use limen_abi::{ErrorCode, MessageInfo};
use limen_core::machine::{Context, Machine};
use limen_core::object::thread::{AfterSend, State};

use super::plan::{Endpoint, Notification, SchedContext, Thread};
use super::system::System;

impl System {
    /// Asserts that this thread runs.
    pub(crate) fn assert_running(&self, thread: Thread) {
        self.expect_current(thread);
    }

    /// Asserts that this thread runs and executes the work of a service.
    pub(crate) fn assert_at_work(&self, thread: Thread) {
        self.expect_current(thread);
        if !self.kernel.is_at_work() {
            self.fail("the running thread should execute the work of a service");
        }
    }

    /// Asserts that the processor idles.
    pub(crate) fn assert_idle(&self) {
        if self.current().is_some() {
            self.fail("the processor should idle");
        }
    }

    /// Asserts that this thread has received a message with this badge, label and words.
    pub(crate) fn assert_message(&self, thread: Thread, badge: u64, label: u64, words: &[u64]) {
        let context = self.context(thread);
        self.equal(thread, "badge", context.cptr(), badge);
        self.equal(thread, "label and length", context.info(), MessageInfo::new(label, words.len()));
        let found: Vec<u64> = (0..words.len()).map(|word| self.message_word(thread, word)).collect();
        self.equal(thread, "words", found.as_slice(), words);
    }

    /// Asserts that this thread has received a signal with this badge.
    pub(crate) fn assert_signal(&self, thread: Thread, badge: u64) {
        self.equal(thread, "badge", self.context(thread).cptr(), badge);
    }

    /// Asserts that the call of this thread was refused.
    pub(crate) fn assert_refused(&self, thread: Thread, code: ErrorCode, words: &[u64]) {
        self.assert_running(thread);
        self.assert_message(thread, 0, code.as_raw(), words);
    }

    /// Asserts that the call of this thread succeeded without result words.
    pub(crate) fn assert_done(&self, thread: Thread) {
        self.assert_message(thread, 0, ErrorCode::NoError.as_raw(), &[]);
    }

    /// Asserts that this thread is stopped.
    pub(crate) fn assert_inactive(&self, thread: Thread) {
        self.equal(thread, "state", self.state(thread), State::Inactive);
    }

    /// Asserts that this thread is running or ready, with or without time.
    pub(crate) fn assert_runnable(&self, thread: Thread) {
        self.equal(thread, "state", self.state(thread), State::Runnable);
    }

    /// Asserts that this thread waits for a message.
    pub(crate) fn assert_receiving(&self, thread: Thread, at: Endpoint) {
        let here = matches!(self.state(thread), State::Receiving { endpoint, .. } if endpoint == at.id());
        self.state_is(thread, here, "should receive");
    }

    /// Asserts that this thread waits to send its message.
    pub(crate) fn assert_sending(&self, thread: Thread, at: Endpoint) {
        let here = matches!(self.state(thread), State::Sending { endpoint, .. } if endpoint == at.id());
        self.state_is(thread, here, "should send");
    }

    /// Asserts that this thread waits for a signal.
    pub(crate) fn assert_waiting(&self, thread: Thread, at: Notification) {
        let here =
            matches!(self.state(thread), State::Waiting { notification, .. } if notification == at.id());
        self.state_is(thread, here, "should wait");
    }

    /// Asserts that this thread waits for a reply, or to send its call.
    pub(crate) fn assert_calling(&self, thread: Thread) {
        let calls = match self.state(thread) {
            State::Calling { .. } => true,
            State::Sending { then, .. } => then == AfterSend::AwaitReply,
            _ => false,
        };
        self.state_is(thread, calls, "should wait for a reply");
    }

    /// Asserts which scheduling context this thread runs on.
    pub(crate) fn assert_holds(&self, thread: Thread, sched_context: Option<SchedContext>) {
        let found = self.kernel.threads[thread.id()].sched_context;
        self.equal(thread, "scheduling context", found, sched_context.map(SchedContext::id));
    }

    /// Asserts that this thread runs on some scheduling context.
    pub(crate) fn assert_has_time(&self, thread: Thread) {
        let has_time = self.kernel.threads[thread.id()].sched_context.is_some();
        self.equal(thread, "has a scheduling context", has_time, true);
    }

    /// Returns the state of a thread.
    pub(crate) fn state(&self, thread: Thread) -> State {
        self.kernel.threads[thread.id()].state
    }

    /// Returns a word of the message that a thread has received.
    pub(crate) fn message_word(&self, thread: Thread, position: usize) -> u64 {
        match self.context(thread).words().get(position) {
            Some(word) if position < REGISTER_WORDS => *word,
            _ => self.kernel.machine.buffers()[thread.id()].word(BufferWord::MESSAGE + position),
        }
    }

    /// Fails with a dump unless two values are equal.
    pub(crate) fn equal<T: PartialEq + Debug>(&self, thread: Thread, what: &str, found: T, expected: T) {
        if found != expected {
            self.fail(&format!("{what} of {} is {found:x?}, not {expected:x?}", self.name(thread)));
        }
    }

    fn state_is(&self, thread: Thread, holds: bool, what: &str) {
        if !holds {
            self.fail(&format!("{} {what}", self.name(thread)));
        }
    }
}
