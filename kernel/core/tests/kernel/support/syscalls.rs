//! System calls as functions: each sets the registers of the running thread and traps.

use limen_abi::message::{BufferWord, REGISTER_WORDS};
use limen_abi::{Label, MessageInfo, Syscall, slot};
use limen_core::event::Event;
use limen_core::machine::{Context, Machine};
use limen_core::object::service::ServiceResult;

use super::plan::Thread;
use super::system::System;

/// The slot of each thread's reply object.
pub(crate) const REPLY: u64 = slot::REPLY;

/// The message of a system call.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arguments<'a> {
    /// The label.
    pub(crate) label: u64,
    /// The words.
    pub(crate) words: &'a [u64],
    /// The pointers of extra capabilities.
    pub(crate) caps: &'a [u64],
}

/// Encodes the info word of a message with extra capabilities.
fn info(length: usize, arguments: &Arguments<'_>) -> MessageInfo {
    let caps = (arguments.caps.len() as u64) << MessageInfo::LENGTH_BITS;
    MessageInfo::from_raw(arguments.label << MessageInfo::LABEL_SHIFT | caps | length as u64)
}

impl System {
    /// Performs a system call by number, like a trap of the program. Other registers stay as they are.
    pub(crate) fn trap(&mut self, thread: Thread, number: i64, cptr: u64, info: MessageInfo) {
        self.expect_current(thread);
        self.context_mut(thread).trap(number, cptr, info);
        self.event(Event::Syscall(number));
    }

    /// Performs a system call that sends these words.
    pub(crate) fn syscall(&mut self, thread: Thread, syscall: Syscall, cptr: u64, arguments: &Arguments<'_>) {
        self.put_message(thread, arguments);
        let info = info(arguments.words.len(), arguments);
        self.trap(thread, syscall.as_raw(), cptr, info);
    }

    /// Writes a message to the registers and the buffer.
    pub(crate) fn put_message(&mut self, thread: Thread, arguments: &Arguments<'_>) {
        let mut registers = [0; REGISTER_WORDS];
        for (to, from) in registers.iter_mut().zip(arguments.words) {
            *to = *from;
        }
        self.context_mut(thread).set_words(registers, arguments.words.len());
        let buffer = &self.kernel.machine.buffers()[thread.id()];
        for (position, word) in arguments.words.iter().enumerate().skip(REGISTER_WORDS) {
            buffer.set_word(BufferWord::MESSAGE + position, *word);
        }
        for (position, cptr) in arguments.caps.iter().enumerate() {
            buffer.set_word(BufferWord::CAPS_OR_BADGES + position, *cptr);
        }
    }

    /// Call.
    pub(crate) fn call(&mut self, thread: Thread, slot: u64, label: u64, words: &[u64]) {
        self.syscall(thread, Syscall::Call, slot, &Arguments { label, words, caps: &[] });
    }

    /// Repeats a call that the kernel restarts, with the registers it left.
    pub(crate) fn call_again(&mut self, thread: Thread) {
        let (cptr, info) = (self.context(thread).cptr(), self.context(thread).info());
        self.trap(thread, Syscall::Call.as_raw(), cptr, info);
    }

    /// Call with extra capabilities.
    pub(crate) fn call_with_caps(&mut self, thread: Thread, slot: u64, label: u64, caps: &[u64]) {
        self.syscall(thread, Syscall::Call, slot, &Arguments { label, words: &[], caps });
    }

    /// Send.
    pub(crate) fn send(&mut self, thread: Thread, slot: u64, label: u64, words: &[u64]) {
        self.syscall(thread, Syscall::Send, slot, &Arguments { label, words, caps: &[] });
    }

    /// NBSend.
    pub(crate) fn nb_send(&mut self, thread: Thread, slot: u64, label: u64, words: &[u64]) {
        self.syscall(thread, Syscall::NbSend, slot, &Arguments { label, words, caps: &[] });
    }

    /// Signal: a send without words.
    pub(crate) fn signal(&mut self, thread: Thread, slot: u64) {
        self.send(thread, slot, 0, &[]);
    }

    /// Recv with the reply object in slot [`REPLY`]. The info register is unchanged.
    pub(crate) fn recv(&mut self, thread: Thread, slot: u64) {
        self.receive(thread, Syscall::Recv, slot, REPLY);
    }

    /// NBRecv with the reply object in slot [`REPLY`].
    pub(crate) fn nb_recv(&mut self, thread: Thread, slot: u64) {
        self.receive(thread, Syscall::NbRecv, slot, REPLY);
    }

    /// Wait.
    pub(crate) fn wait(&mut self, thread: Thread, slot: u64) {
        let reply = self.context(thread).reply_cptr();
        self.receive(thread, Syscall::Wait, slot, reply);
    }

    /// NBWait.
    pub(crate) fn nb_wait(&mut self, thread: Thread, slot: u64) {
        let reply = self.context(thread).reply_cptr();
        self.receive(thread, Syscall::NbWait, slot, reply);
    }

    /// Performs a system call that only receives, with any reply slot.
    pub(crate) fn receive(&mut self, thread: Thread, syscall: Syscall, slot: u64, reply: u64) {
        self.context_mut(thread).set_reply_cptr(reply);
        let info = self.context(thread).info();
        self.trap(thread, syscall.as_raw(), slot, info);
    }

    /// ReplyRecv with the reply object in slot [`REPLY`].
    pub(crate) fn reply_recv(&mut self, thread: Thread, from: u64, label: u64, words: &[u64]) {
        self.reply_recv_with(thread, REPLY, from, label, words);
    }

    /// ReplyRecv with any reply slot.
    pub(crate) fn reply_recv_with(
        &mut self,
        thread: Thread,
        reply: u64,
        from: u64,
        label: u64,
        words: &[u64],
    ) {
        self.context_mut(thread).set_reply_cptr(reply);
        self.syscall(thread, Syscall::ReplyRecv, from, &Arguments { label, words, caps: &[] });
    }

    /// NBSendRecv with the reply object in slot [`REPLY`].
    pub(crate) fn nb_send_recv(&mut self, thread: Thread, to: u64, from: u64, label: u64, words: &[u64]) {
        self.context_mut(thread).set_reply_cptr(REPLY);
        self.context_mut(thread).set_send_cptr(to);
        self.syscall(thread, Syscall::NbSendRecv, from, &Arguments { label, words, caps: &[] });
    }

    /// NBSendWait.
    pub(crate) fn nb_send_wait(&mut self, thread: Thread, to: u64, from: u64, label: u64, words: &[u64]) {
        self.context_mut(thread).set_reply_cptr(to);
        self.syscall(thread, Syscall::NbSendWait, from, &Arguments { label, words, caps: &[] });
    }

    /// Calls a service.
    pub(crate) fn run_service(&mut self, thread: Thread, slot: u64) {
        self.call(thread, slot, Label::ServiceRun.as_raw(), &[]);
    }

    /// Ends the work of the running thread with these result words.
    pub(crate) fn finish_work(&mut self, thread: Thread, words: [u64; REGISTER_WORDS]) {
        self.assert_at_work(thread);
        self.event(Event::WorkDone(ServiceResult { words }));
    }

    /// Yield.
    pub(crate) fn yield_slice(&mut self, thread: Thread) {
        self.trap(thread, Syscall::Yield.as_raw(), 0, MessageInfo::default());
    }

    /// DebugPutChar.
    pub(crate) fn put_char(&mut self, thread: Thread, byte: u8) {
        let info = self.context(thread).info();
        self.trap(thread, Syscall::DebugPutChar.as_raw(), u64::from(byte), info);
    }
}
