//! Threads of other processors that use objects of this one.
//!
//! ```text
//!   letter --> admit --> Sending, Calling (in the queues of this processor) --> Runnable or Inactive --> send_home
//!                '------------------- done at once ----------------------------------^
//! ```
//!
//! A visitor has no scheduling context, so it never runs here: whatever makes it Runnable ends its visit. After each event
//! on the slow path, `part_visitors` sends such threads home. Of the fast paths, only the reply to a visitor completes an errand.

use limen_abi::{Label, MessageInfo};

use super::keeper::KEEPER;
use super::letter::{Errand, Letter, Message, Reply, Request};
use super::mailbox::{bit, take_lowest};
use crate::arena::{EndpointId, ReplyId, SchedContextId, ThreadId};
use crate::cap::{Cap, Elsewhere};
use crate::event::{Next, Outcome};
use crate::fault::Fault;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::message::Answer;
use crate::object::endpoint::{Endpoint, SendMode};
use crate::object::reply;
use crate::object::thread::State;

/// A thread of another processor that uses an object of this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visitor {
    /// The number of its request.
    number: u64,
    /// The answer when it becomes runnable.
    done: Reply,
    /// The entry of the time that it lends, from when a server first needs that. Until then it is in the letter.
    pub(super) time: Option<SchedContextId>,
    /// How many registers the reply to its fault has set.
    pub(crate) replied: usize,
    /// The end of its errand, while its time is still away: a server that ran on it has lent it to another processor.
    ending: Option<Reply>,
}

impl Visitor {
    /// No visitor.
    pub const NONE: Self = Self { number: 0, done: Reply::Sent, time: None, replied: 0, ending: None };

    /// Returns whether a server has needed its time.
    #[must_use]
    pub fn lends_time(&self) -> bool {
        self.time.is_some()
    }

    /// Returns whether it only waits for its time.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.ending.is_some()
    }
}

/// Messages of other processors that one kernel entry handles.
const MESSAGES_AT_ONCE: usize = 4;

impl<M: Machine> Kernel<M> {
    /// Handles messages of other processors. If more are left, another interrupt continues with them.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_messages(&mut self) -> Outcome {
        let mail = self.machine.mailboxes().take(self.processor.number);
        self.take_code_messages();
        let entered = self.processor.current;
        if self.processor.mail.is_empty() {
            if entered.is_none()
                && let Some(thread) = mail.only_letter()
            {
                let outcome = self.take_letter(thread);
                return self.after_only_message(entered, outcome);
            }
            if let Some(id) = mail.only_signal() {
                let badge = self.machine.mailboxes().take_signals(id);
                let outcome = self.signal(id, badge);
                return self.after_only_message(entered, outcome);
            }
        }
        self.processor.mail.add(mail);
        self.take_more_messages(entered, Outcome::NOTHING, 0)
    }

    /// Handles messages of other processors, and records them. A lone message has no shorter path here.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_recorded_messages(&mut self) -> Outcome {
        let mail = self.machine.mailboxes().take(self.processor.number);
        let code = self.machine.mailboxes().take_code(self.processor.number);
        self.record_mail(&mail, code);
        if code != 0 {
            self.follow_code_messages(code);
        }
        self.processor.mail.add(mail);
        self.take_more_messages(self.processor.current, Outcome::NOTHING, 0)
    }

    /// Ends the handling of the only message that has arrived. It can have begun a turn of the keeper.
    #[inline(always)]
    fn after_only_message(&mut self, entered: Option<ThreadId>, outcome: Outcome) -> Outcome {
        if self.keeper.has_turn() {
            return self.take_more_messages(entered, outcome, 1);
        }
        self.or_highest(outcome)
    }

    /// Handles messages until so many are taken. `entered` is the thread that was interrupted.
    #[inline(never)]
    fn take_more_messages(
        &mut self,
        entered: Option<ThreadId>,
        earlier: Outcome,
        earlier_taken: usize,
    ) -> Outcome {
        let (mut outcome, mut taken) = (earlier, earlier_taken);
        let are_left = loop {
            let is_next = self.has_messages();
            if !is_next || taken == MESSAGES_AT_ONCE || outcome.current == Next::Blocks {
                break is_next;
            }
            // The next message may be about this thread.
            if let Some(woken) = outcome.woken.take() {
                self.enqueue(woken);
            }
            if entered.is_some_and(|entered| self.needs_registers_of(entered)) {
                self.machine.interrupt_processor(self.processor.number);
                self.preempt_current();
                return Outcome::NOTHING;
            }
            outcome = self.take_message();
            taken += 1;
        };
        if are_left {
            self.machine.interrupt_processor(self.processor.number);
        }
        self.or_highest(outcome)
    }

    /// Adds the ready thread that runs next, if a message has preempted the current one and woken none.
    #[inline(always)]
    fn or_highest(&mut self, mut outcome: Outcome) -> Outcome {
        if outcome.current == Next::Continues && outcome.woken.is_none() {
            outcome.woken = match self.processor.current {
                Some(current) => self.take_ready_above(self.threads[current].priority),
                None => self.processor.queues.ready.pop_highest(&mut self.links),
            };
        }
        outcome
    }

    fn has_messages(&self) -> bool {
        !self.processor.mail.is_empty() || self.keeper.has_turn()
    }

    /// Preempts the current thread: methods that other processors invoke find no thread running.
    fn preempt_current(&mut self) {
        if let Some(current) = self.processor.current {
            self.enqueue_preempted(current);
            self.idle();
        }
    }

    /// Whether the next letter asks for registers of the thread that was interrupted, some of which only the thread switch at
    /// the end of this kernel entry saves.
    #[inline(never)]
    fn needs_registers_of(&self, entered: ThreadId) -> bool {
        const LABELS: [Label; 3] = [Label::TcbReadRegisters, Label::TcbWriteRegisters, Label::TcbSetTlsBase];
        let next = take_lowest(&mut self.first_letters());
        let letter = next.map(|thread| self.machine.mailboxes().letter(thread));
        let request = letter.filter(|letter| letter.is_invocation()).and_then(Letter::request);
        request.is_some_and(|Request { errand, object, message, .. }| {
            let label = || Label::from_raw(message.info.label());
            match (errand, object.at_home()) {
                (Errand::Invoke(_), Cap::Thread(target)) => {
                    target == entered && label().is_some_and(|label| LABELS.contains(&label))
                }
                (Errand::Invoke(_), Cap::Service(service)) => {
                    self.services[service].as_ref().is_some_and(|service| service.resets() == Some(entered))
                }
                _ => false,
            }
        })
    }

    /// Returns the answers that have arrived, or without any the requests, one bit for each thread.
    fn first_letters(&self) -> u64 {
        let letters = self.processor.mail.letters;
        let answers = letters & self.processor.residents;
        if answers != 0 { answers } else { letters }
    }

    /// Handles one message. Answers come before requests, which may be sent after them and use their threads' time. The
    /// letters come before the recalls of their threads.
    fn take_message(&mut self) -> Outcome {
        if let Some(thread) = take_lowest(&mut self.first_letters()) {
            self.processor.mail.letters &= !bit(thread);
            return self.take_letter(thread);
        }
        if let Some(thread) = take_lowest(&mut self.processor.mail.recalls) {
            return self.recall_visitor(thread);
        }
        if self.keeper.has_turn() {
            self.take_turn();
            return Outcome::NOTHING;
        }
        let Some(id) = take_lowest(&mut self.processor.mail.signals) else { return Outcome::NOTHING };
        let badge = self.machine.mailboxes().take_signals(id);
        if self.is_recorded() {
            self.record_signals(id, badge);
        }
        self.signal(id, badge)
    }

    /// Handles the letter of a thread: an answer if the thread is of this processor, otherwise a request.
    #[inline(always)]
    fn take_letter(&mut self, thread: ThreadId) -> Outcome {
        if self.processor.number == KEEPER && self.keep_letter(thread) {
            Outcome::NOTHING
        } else if self.processor.residents & bit(thread) != 0 {
            self.receive_answer(thread)
        } else {
            self.admit(thread)
        }
    }

    fn add_outcome(&mut self, earlier: Outcome, later: Outcome) -> Outcome {
        if let (Some(first), Some(_)) = (earlier.woken, later.woken) {
            self.enqueue(first);
        }
        Outcome { current: later.current, woken: later.woken.or(earlier.woken) }
    }

    /// Receives the letter of a thread of another processor, and does what it asks.
    #[inline(never)]
    fn admit(&mut self, thread: ThreadId) -> Outcome {
        let Some((mode, object)) = self.machine.mailboxes().letter(thread).sending() else {
            return self.admit_other(thread);
        };
        let done = if mode == SendMode::Call { Reply::Message } else { Reply::Sent };
        let info = self.let_in(thread, done);
        let outcome = match object.at_home() {
            Cap::Endpoint { id, badge, rights } => self.send(thread, id, badge, rights, info, mode),
            _ => Outcome::NOTHING,
        };
        // The thread that may have blocked is the visitor.
        self.part_visitor(thread, Outcome { current: Next::Continues, ..outcome })
    }

    /// Receives a letter that reports a fault or asks for a method.
    #[inline(never)]
    fn admit_other(&mut self, thread: ThreadId) -> Outcome {
        let letter = self.machine.mailboxes().letter(thread);
        if let Some(fault) = letter.reported() {
            return self.admit_report(thread, fault);
        }
        // Not moved out of the option: it is large.
        let request = letter.request();
        let Some(request) = &request else { return Outcome::NOTHING };
        let info = self.let_in(thread, Reply::Sent);
        let outcome = match request.errand {
            Errand::Invoke(mode) => self.invoke_from_elsewhere(thread, request.object.at_home(), info, mode),
            _ => Outcome::NOTHING,
        };
        self.end_visits(outcome)
    }

    /// Receives a report of a fault.
    fn admit_report(&mut self, thread: ThreadId, fault: Fault) -> Outcome {
        self.let_in(thread, Reply::Resumed);
        let registers = fault.message_registers::<M::Context>();
        let letter = self.machine.mailboxes().letter(thread);
        let handler = letter.object().map(Elsewhere::at_home);
        let outcome = match handler {
            Some(Cap::Endpoint { id, badge, rights }) => {
                let context = &mut self.threads[thread].context;
                letter.read_registers(registers, |position, value| context.copy_register(position, value));
                self.report_to(thread, fault, id, badge, rights)
            }
            _ => Outcome::NOTHING,
        };
        self.part_visitor(thread, Outcome { current: Next::Continues, ..outcome })
    }

    /// Makes a thread whose letter has arrived a visitor, with the message in the letter.
    #[inline(always)]
    fn let_in(&mut self, thread: ThreadId, done: Reply) -> MessageInfo {
        let letter = self.machine.mailboxes().letter(thread);
        let Message { info, words, .. } = letter.message();
        self.visitors[thread] = Visitor { number: letter.number(), done, ..Visitor::NONE };
        self.processor.visiting |= bit(thread);
        let entry = &mut self.threads[thread];
        entry.priority = letter.priority();
        entry.state = State::Runnable;
        entry.context.set_info(info);
        entry.context.set_words(words, words.len());
        info
    }

    /// Invokes a method for a visitor, while no thread runs.
    fn invoke_from_elsewhere(
        &mut self,
        thread: ThreadId,
        cap: Cap,
        info: MessageInfo,
        mode: SendMode,
    ) -> Outcome {
        let preempts = self.processor.current.is_some();
        self.preempt_current();
        let mut outcome = self.invoke_for(thread, cap, info, mode);
        // The preempted thread stays before its equals.
        if preempts && let Some(woken) = outcome.woken.take() {
            self.enqueue(woken);
        }
        outcome
    }

    /// Invokes a method for a visitor, whose visit then ends.
    fn invoke_for(&mut self, thread: ThreadId, cap: Cap, info: MessageInfo, mode: SendMode) -> Outcome {
        let (reply, outcome) = match self.invoke(thread, cap, info) {
            Ok((Answer::Again, outcome)) => (Reply::Repeat, outcome),
            Ok((_, outcome)) if mode != SendMode::Call => (Reply::Sent, outcome),
            Err(_) if mode != SendMode::Call => (Reply::Sent, Outcome::NOTHING),
            Ok((Answer::Work(service), outcome)) => {
                self.reset_for_visitor(service);
                (Reply::Work, outcome)
            }
            Ok((answer, outcome)) => {
                let info = self.write_answer(thread, answer);
                let context = &mut self.threads[thread].context;
                context.set_badge(0);
                context.set_info(info);
                (Reply::Message, outcome)
            }
            Err(error) => (Reply::Message, self.refuse(thread, error)),
        };
        self.send_home(thread, reply, outcome)
    }

    /// Ends the visit of a thread that its home has recalled. A recall of an earlier request comes too late.
    #[cold]
    #[inline(never)]
    fn recall_visitor(&mut self, thread: ThreadId) -> Outcome {
        let recalled = self.machine.mailboxes().letter(thread).recalled();
        if self.is_recorded() {
            self.record_recall(thread, recalled);
        }
        if self.keeper.has_letter(thread) {
            let request = self.machine.mailboxes().letter(thread).request();
            if request.is_some_and(|request| request.number == recalled) {
                self.return_letter(thread);
            }
            return Outcome::NOTHING;
        }
        let Visitor { number, ending, .. } = self.visitors[thread];
        let is_here = self.processor.visiting & bit(thread) != 0 && ending.is_none();
        if !is_here || number != recalled {
            return Outcome::NOTHING;
        }
        self.cancel(thread);
        self.send_home(thread, Reply::Undone, Outcome::NOTHING)
    }

    /// Sends visitors home whose errand is done, if there are any visitors.
    #[inline(always)]
    pub(crate) fn end_visits(&mut self, outcome: Outcome) -> Outcome {
        if self.processor.visiting == 0 { outcome } else { self.part_visitors(outcome) }
    }

    #[cold]
    #[inline(never)]
    fn part_visitors(&mut self, mut outcome: Outcome) -> Outcome {
        let mut visiting = self.processor.visiting;
        while let Some(thread) = take_lowest(&mut visiting) {
            outcome = self.part_visitor(thread, outcome);
        }
        outcome
    }

    /// Sends a visitor home if its errand is done.
    #[inline(always)]
    fn part_visitor(&mut self, thread: ThreadId, outcome: Outcome) -> Outcome {
        let Visitor { done, ending, .. } = self.visitors[thread];
        let reply = match (ending, self.threads[thread].state) {
            (Some(reply), _) => reply,
            (None, State::Runnable) => done,
            (None, State::Inactive) => Reply::Stopped,
            _ => return outcome,
        };
        self.send_home(thread, reply, outcome)
    }

    /// Ends the visit of a thread. It is in no queue.
    fn send_home(&mut self, thread: ThreadId, reply: Reply, outcome: Outcome) -> Outcome {
        let outcome = match self.visitors[thread].time {
            Some(id) if self.is_away(id) => {
                self.threads[thread].state = State::Inactive;
                self.visitors[thread].ending = Some(reply);
                return outcome;
            }
            Some(id) => {
                let outcome = self.take_from_holder(id, outcome);
                self.return_guest(id, thread);
                outcome
            }
            None => outcome,
        };
        self.processor.visiting &= !bit(thread);
        let replied = self.visitors[thread].replied;
        self.visitors[thread] = Visitor::NONE;
        let entry = &mut self.threads[thread];
        entry.state = State::Inactive;
        entry.fault = None;
        let context = &entry.context;
        let mailboxes = self.machine.mailboxes();
        let letter = mailboxes.letter(thread);
        letter.write_answer(reply);
        match reply {
            Reply::Message | Reply::Repeat => {
                let badge = context.word(M::Context::CONVENTION.cptr);
                letter.write_message(&Message { badge, info: context.info(), words: context.words() });
            }
            Reply::Resumed | Reply::Stopped => {
                letter.write_replied(replied);
                letter.write_registers(letter.replied_registers::<M::Context>(), context);
            }
            Reply::Sent | Reply::Undone | Reply::Released | Reply::Work => {}
        }
        let home = self.homes[thread];
        let attention = mailboxes.send_letter(home, thread);
        self.attract(home, attention);
        outcome
    }

    /// Serves a reply after which the server waits, if it is to a visitor.
    #[inline(never)]
    pub(crate) fn serve_reply_beside_visitors(&mut self) -> Option<&mut M::Context> {
        let Some((server, endpoint, reply, visitor)) = self.plan_reply_to_visitor() else {
            return self.serve_reply_here();
        };
        let info = self.threads[server].context.info();
        let answered = self.answer_slowly(server, reply, info);
        self.wait_alone(server, endpoint, reply);
        let returned = self.return_borrowed_time(server, self.threads[server].notification);
        let outcome = Outcome { current: Next::Blocks, woken: answered.or(returned) };
        let outcome = self.part_visitor(visitor, outcome);
        self.leave_with(outcome)
    }

    /// Ends a system call that is served here.
    #[inline(never)]
    pub(super) fn leave_with(&mut self, outcome: Outcome) -> Option<&mut M::Context> {
        let outcome = self.end_visits(outcome);
        self.schedule(outcome);
        self.running()
    }

    #[inline(always)]
    fn plan_reply_to_visitor(&self) -> Option<(ThreadId, EndpointId, ReplyId, ThreadId)> {
        let server = self.processor.current?;
        let Inbox::Endpoint(endpoint, reply) = self.usual_inbox(server) else { return None };
        let reply::Reply::Owed { caller, loan: None } = self.replies[reply] else { return None };
        let can_go = self.processor.visiting & bit(caller) != 0
            && self.endpoints[endpoint] == Endpoint::Idle
            && self.signal_for(server).is_none();
        can_go.then_some((server, endpoint, reply, caller))
    }

    /// Takes the time that a visitor has lent from the thread that runs on it.
    fn take_from_holder(&mut self, id: SchedContextId, mut outcome: Outcome) -> Outcome {
        if let Some(woken) = outcome.woken
            && self.sched_contexts[id].thread == Some(woken)
        {
            self.enqueue(woken);
            outcome.woken = None;
        }
        if let Some(parted) = self.reclaim(id) {
            outcome = self.add_outcome(outcome, Outcome { woken: Some(parted), ..outcome });
        }
        match self.processor.current {
            Some(current)
                if outcome.current == Next::Continues && self.threads[current].sched_context.is_none() =>
            {
                self.stop_charging_here();
                self.outcome_for(current, outcome.woken)
            }
            _ => outcome,
        }
    }
}
