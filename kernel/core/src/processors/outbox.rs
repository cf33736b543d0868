//! Threads of this processor that use objects of another one.
//!
//! ```text
//!             send_away                       cancel: recall
//!   Home ---------------> Out, awaited ----------------------> Out, recalled
//!    ^  '---- post ---> Out, not awaited  |                         |
//!    '--- receive_answer ------'----------'-------------------------'
//! ```
//!
//! A thread that needs its letter while that is out waits for it, and then repeats its system call or its faulting
//! instruction. While a request is awaited, the thread has no time, and one whose letter is recalled
//! borrows none: it cannot run, and use its message buffer, before the letter is back. Only a report that a budget is used up
//! leaves the time at home, where its handler can add to it; no answer to a report is written to the buffer.

use limen_abi::MessageInfo;

use super::letter::{Errand, Message, Reply, Request};
use super::mailbox::Attention;
use crate::arena::ThreadId;
use crate::cap::{Cap, Elsewhere, ObjectKind};
use crate::event::Outcome;
use crate::fault::Fault;
use crate::invoke::InvokeError;
use crate::kernel::{Kernel, Notifications};
use crate::machine::{Context, Machine};
use crate::object::endpoint::SendMode;
use crate::object::thread::{Restart, State};

/// The place of the letter of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Outbox {
    /// Here.
    #[default]
    Home,
    /// At another processor, or on its way.
    Out {
        /// The processor.
        at: u8,
        /// The number of the request.
        number: u64,
        /// Whether the thread waits for the answer.
        awaited: Awaited,
    },
}

impl Outbox {
    /// Returns whether the thread may run on time that it borrows. With a letter that is awaited, or was, it waits until that
    /// is back.
    #[inline]
    pub(crate) fn lets_run(self) -> bool {
        !matches!(self, Self::Out { awaited: Awaited::Yes | Awaited::Recalled { .. }, .. })
    }

    /// No answer ends the system call of a thread whose letter is recalled, because its registers were written.
    #[inline(always)]
    pub(crate) fn forget_syscall(&mut self) {
        if let Self::Out { awaited: Awaited::Recalled { end }, .. } = self {
            *end = None;
        }
    }
}

/// Whether a thread waits for the answer to its letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// It does.
    Yes,
    /// It never did.
    No,
    /// It does no longer. An answer that was sent before the recall arrived still ends its system call, which it would
    /// otherwise repeat with the words of the answer in its message buffer.
    Recalled {
        /// The program counter after the system call, unless another thread has written registers since.
        end: Option<u64>,
    },
}

impl<M: Machine> Kernel<M> {
    /// Serves a call of an object of another processor.
    #[inline(never)]
    pub(crate) fn serve_call_elsewhere(&mut self, current: ThreadId) -> Option<&mut M::Context> {
        self.flush_open_call();
        let context = &self.threads[current].context;
        let (cap, info) =
            (self.own_cap(current, context.cptr()).copied().unwrap_or_default(), context.info());
        let outcome = match cap.as_elsewhere() {
            Some(object) if object.kind == ObjectKind::Endpoint && object.rights.can_send() => {
                self.send_away(current, object, Errand::Send(SendMode::Call))
            }
            _ => self.call_elsewhere(current, cap, info),
        };
        self.leave_with(outcome)
    }

    /// A call of an object of another processor.
    #[cold]
    #[inline(never)]
    pub(crate) fn call_elsewhere(&mut self, current: ThreadId, cap: Cap, info: MessageInfo) -> Outcome {
        let Some(object) = cap.as_elsewhere() else { return Outcome::NOTHING };
        match object.kind {
            ObjectKind::Endpoint | ObjectKind::Notification if !object.rights.can_send() => {
                self.refuse(current, InvokeError::InvalidCapability { index: 0 })
            }
            ObjectKind::Endpoint => self.send_away(current, object, Errand::Send(SendMode::Call)),
            ObjectKind::Notification => {
                self.signal_elsewhere(object);
                let context = &mut self.threads[current].context;
                context.set_badge(0);
                context.set_info(MessageInfo::new(0, 0));
                Outcome::NOTHING
            }
            _ => match self.bad_argument(current, info) {
                Some(fault) => self.fault_in_syscall(current, fault),
                None if object.kind == ObjectKind::Probe => {
                    self.invoke_probe_elsewhere(current, object, info, SendMode::Call)
                }
                None => match self.check_authority(current, object, info) {
                    Ok(()) => self.send_away(current, object, Errand::Invoke(SendMode::Call)),
                    Err(error) => self.refuse(current, error),
                },
            },
        }
    }

    /// A send to an object of another processor that is not a call.
    #[cold]
    #[inline(never)]
    pub(crate) fn send_elsewhere(
        &mut self,
        current: ThreadId,
        cap: Cap,
        info: MessageInfo,
        mode: SendMode,
    ) -> Outcome {
        let Some(object) = cap.as_elsewhere() else { return Outcome::NOTHING };
        let errand = match object.kind {
            ObjectKind::Endpoint | ObjectKind::Notification if !object.rights.can_send() => {
                return Outcome::NOTHING;
            }
            ObjectKind::Notification => {
                self.signal_elsewhere(object);
                return Outcome::NOTHING;
            }
            ObjectKind::Endpoint => Errand::Send(mode),
            _ => match self.bad_argument(current, info) {
                Some(fault) if mode == SendMode::Send => return self.fault_in_syscall(current, fault),
                Some(_) => return Outcome::NOTHING,
                None if object.kind == ObjectKind::Probe => {
                    return self.invoke_probe_elsewhere(current, object, info, mode);
                }
                None if self.check_authority(current, object, info).is_err() => return Outcome::NOTHING,
                None => Errand::Invoke(mode),
            },
        };
        self.send_or_post(current, object, errand, mode)
    }

    /// Sends a request, and waits for the answer if this kind of send does.
    pub(super) fn send_or_post(
        &mut self,
        current: ThreadId,
        object: Elsewhere,
        errand: Errand,
        mode: SendMode,
    ) -> Outcome {
        if matches!(mode, SendMode::Send | SendMode::Call) {
            self.send_away(current, object, errand)
        } else {
            self.post(current, object, errand)
        }
    }

    /// Configures a scheduling context of another processor.
    #[cold]
    #[inline(never)]
    pub(crate) fn configure_elsewhere(&mut self, current: ThreadId, target: Elsewhere) -> Outcome {
        let object = Elsewhere { kind: ObjectKind::SchedControl, ..target };
        self.send_away(current, object, Errand::Invoke(SendMode::Call))
    }

    /// Signals a notification of another processor.
    #[inline(never)]
    pub(crate) fn signal_elsewhere(&mut self, object: Elsewhere) {
        if let Some(id) = Notifications::id(u64::from(object.index)) {
            let attention = self.machine.mailboxes().send_signal(object.processor, id, object.badge);
            self.attract(object.processor, attention);
        }
    }

    /// Interrupts a processor if it has to look into its mailbox.
    pub(super) fn attract(&mut self, processor: u8, attention: Attention) {
        if attention == Attention::Interrupt {
            self.machine.interrupt_processor(processor);
        }
    }

    /// Reports a fault of a thread to an endpoint of another processor.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_elsewhere(&mut self, thread: ThreadId, fault: Fault, handler: Elsewhere) -> Outcome {
        if handler.kind == ObjectKind::Endpoint && handler.rights.can_send() {
            return self.send_away(thread, handler, Errand::Report(fault));
        }
        self.threads[thread].state = State::Inactive;
        Outcome::BLOCKS
    }

    /// Sends the request of a thread, which waits for the answer. If its letter is still out, it waits for that first.
    #[inline(never)]
    fn send_away(&mut self, thread: ThreadId, object: Elsewhere, errand: Errand) -> Outcome {
        let again = match errand {
            Errand::Report(_) => Restart::ProgramCounter,
            Errand::Send(_) | Errand::Invoke(_) | Errand::Release => Restart::SystemCall,
        };
        self.threads[thread].state = State::Away { again };
        if self.outboxes[thread] == Outbox::Home {
            self.note_request(thread, object, Awaited::Yes);
            self.send_letter(thread, object, errand, Awaited::Yes);
        }
        Outcome::BLOCKS
    }

    /// Sends a request without waiting for the answer. It is dropped if the letter of the thread is still out.
    fn post(&mut self, thread: ThreadId, object: Elsewhere, errand: Errand) -> Outcome {
        if self.outboxes[thread] == Outbox::Home {
            self.note_request(thread, object, Awaited::No);
            self.send_letter(thread, object, errand, Awaited::No);
        }
        Outcome::NOTHING
    }

    pub(super) fn send_letter(
        &mut self,
        thread: ThreadId,
        object: Elsewhere,
        errand: Errand,
        awaited: Awaited,
    ) {
        match errand {
            _ if awaited == Awaited::No => self.machine.mailboxes().letter(thread).write_no_time(),
            Errand::Report(Fault::Timeout { .. }) => self.machine.mailboxes().letter(thread).write_no_time(),
            Errand::Invoke(_) | Errand::Release => self.keep_time(thread),
            Errand::Send(_) | Errand::Report(_) => self.offer_time(thread),
        }
        self.requests = self.requests.wrapping_add(1);
        let number = self.requests;
        let context = &self.threads[thread].context;
        let message = Message { badge: object.badge, info: context.info(), words: context.words() };
        let request = Request { errand, object, number, priority: self.threads[thread].priority, message };
        let mailboxes = self.machine.mailboxes();
        let letter = mailboxes.letter(thread);
        letter.write_request(&request);
        if let Errand::Report(fault) = errand {
            letter.write_registers(fault.message_registers::<M::Context>(), context);
        }
        let at = object.processor;
        let attention = mailboxes.send_letter(at, thread);
        self.outboxes[thread] = Outbox::Out { at, number, awaited };
        self.attract(at, attention);
    }

    /// Returns whether a thread waits for the reply to a fault that it has reported to another processor.
    #[cold]
    pub(crate) fn awaits_reply_elsewhere(&self, thread: ThreadId) -> bool {
        self.threads[thread].state == (State::Away { again: Restart::ProgramCounter })
            && matches!(self.outboxes[thread], Outbox::Out { awaited: Awaited::Yes, .. })
            && self.machine.mailboxes().letter(thread).is_report()
    }

    /// Recalls a thread that is away, and no longer waits for the answer.
    #[cold]
    #[inline(never)]
    pub(crate) fn recall(&mut self, thread: ThreadId, again: Restart) {
        let Outbox::Out { at, number, awaited: Awaited::Yes } = self.outboxes[thread] else { return };
        let end = match again {
            Restart::SystemCall => Some(self.threads[thread].context.register(M::Context::PC)),
            Restart::ProgramCounter => None,
        };
        self.outboxes[thread] = Outbox::Out { at, number, awaited: Awaited::Recalled { end } };
        let mailboxes = self.machine.mailboxes();
        mailboxes.letter(thread).write_recall(number);
        let attention = mailboxes.send_recall(at, thread);
        self.attract(at, attention);
    }

    /// Receives the letter of a thread of this processor with the answer.
    #[inline(never)]
    pub(super) fn receive_answer(&mut self, thread: ThreadId) -> Outcome {
        let answer = self.machine.mailboxes().letter(thread).answer();
        let outbox = core::mem::take(&mut self.outboxes[thread]);
        let had_time = self.threads[thread].sched_context.is_some();
        self.take_back(thread);
        let state = self.threads[thread].state;
        let may_run = had_time && !matches!(state, State::Inactive | State::Away { .. });
        let was_ready = self.threads[thread].is_schedulable() && had_time;
        let has_ended = self.end_recalled_call(thread, outbox, answer);
        if self.release_after_answer(thread, answer == Some(Reply::Released), may_run) {
            return self.end_visits(Outcome::NOTHING);
        }
        match (outbox, state) {
            _ if has_ended => {}
            (Outbox::Out { awaited: Awaited::Yes, .. }, State::Away { again }) => {
                self.apply_answer(thread, answer.unwrap_or(Reply::Undone), again);
            }
            (_, State::Away { again }) => self.apply_answer(thread, Reply::Undone, again),
            _ => {}
        }
        let is_new = self.threads[thread].state == State::Runnable && !was_ready;
        let outcome = if is_new { self.wake(thread) } else { Outcome::NOTHING };
        // The time may be that of a visitor whose errand is done.
        self.end_visits(outcome)
    }

    /// Ends the call of a thread that was stopped when the answer was already on its way. Returns whether it was such a call.
    fn end_recalled_call(&mut self, thread: ThreadId, outbox: Outbox, answer: Option<Reply>) -> bool {
        let Outbox::Out { awaited: Awaited::Recalled { end: Some(end) }, .. } = outbox else { return false };
        if !matches!(answer, Some(Reply::Message | Reply::Sent)) {
            return false;
        }
        self.threads[thread].context.set_register(M::Context::PC, end);
        if answer == Some(Reply::Message) {
            self.load_message(thread);
        }
        if let State::Away { .. } = self.threads[thread].state {
            self.threads[thread].state = State::Runnable;
        }
        true
    }

    /// Continues or stops a thread that is away, as the answer says.
    fn apply_answer(&mut self, thread: ThreadId, answer: Reply, again: Restart) {
        match answer {
            Reply::Sent | Reply::Undone | Reply::Released | Reply::Work => {}
            Reply::Repeat => {
                let info = self.machine.mailboxes().letter(thread).message().info;
                self.threads[thread].context.set_info(info);
            }
            Reply::Message => self.load_message(thread),
            Reply::Resumed | Reply::Stopped => {
                if again == Restart::ProgramCounter {
                    self.load_replied_registers(thread);
                }
            }
        }
        let repeats = matches!(answer, Reply::Stopped | Reply::Undone | Reply::Repeat | Reply::Released);
        if repeats && again == Restart::SystemCall {
            self.restart_syscall(thread);
        }
        let stops = answer == Reply::Stopped;
        self.threads[thread].state = if stops { State::Inactive } else { State::Runnable };
        if answer == Reply::Work && again == Restart::SystemCall {
            self.begin_granted_work(thread);
        }
    }

    /// Begins the work that the letter of a thread has asked for.
    #[cold]
    #[inline(never)]
    fn begin_granted_work(&mut self, thread: ThreadId) {
        let object = self.machine.mailboxes().letter(thread).object();
        if let Some(Cap::Service(service)) = object.map(Elsewhere::at_home) {
            self.prepare_work(thread, service);
        }
    }

    /// Loads the message of an answer from the letter.
    fn load_message(&mut self, thread: ThreadId) {
        let Message { badge, info, words } = self.machine.mailboxes().letter(thread).message();
        let context = &mut self.threads[thread].context;
        context.set_badge(badge);
        context.set_info(info);
        context.set_words(words, info.length().min(words.len()));
    }

    /// Loads the registers that the reply to a fault has set from the letter. Others are not there: a thread switch saves some of
    /// them only after the report was sent.
    fn load_replied_registers(&mut self, thread: ThreadId) {
        let registers = self.machine.mailboxes().letter(thread).replied_registers::<M::Context>();
        if !registers.is_empty() {
            self.abandon_work(thread);
        }
        let letter = self.machine.mailboxes().letter(thread);
        let context = &mut self.threads[thread].context;
        letter.read_registers(registers, |position, value| context.set_register(position, value));
    }
}
