//! The table of system calls, and one short function for the slow path of each.
//!
//! A function reads its arguments from the registers of the current thread and returns an [`Outcome`] for the scheduler.
//! An invalid request becomes an error for the caller, or a fault for its handler.

use limen_abi::{KernelKey, MessageInfo, Syscall};

use crate::arena::{ReplyId, ThreadId};
use crate::cap::{Cap, ObjectKind};
use crate::event::{Blocking, Next, Outcome};
use crate::fault::{Fault, Phase};
use crate::invoke::InvokeError;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::message::Answer;
use crate::object::endpoint::SendMode;
use crate::object::reply::Reply;

/// Generates the two dispatchers from the table of system calls. Each row of `fast` has the number, the function that
/// tries the fast path, and the slow path; the dispatchers compare in the order of these rows.
macro_rules! system_calls {
    (
        fast { $($fast:ident: $serve:ident, $fast_slow:ident;)* }
        slow { $($slow:ident: $function:ident;)* }
    ) => {
        impl<M: Machine> Kernel<M> {
            /// Serves a system call of the current thread, on its fast path if it has one. Returns the registers to return
            /// with; none means to idle. The ports' trap code calls the frequent functions of the table itself.
            #[inline(never)]
            pub fn serve_syscall(&mut self, number: i64) -> Option<&mut M::Context> {
                $(if number == Syscall::$fast.as_raw() {
                    return self.$serve();
                })*
                self.serve_slowly(number)
            }

            /// Carries out the system call with this number on its slow path.
            #[inline(always)]
            pub(crate) fn syscall(&mut self, current: ThreadId, number: i64) -> Outcome {
                $(if number == Syscall::$fast.as_raw() {
                    return self.$fast_slow(current);
                })*
                match Syscall::from_raw(number) {
                    $(Some(Syscall::$slow) => self.$function(current),)*
                    $(Some(Syscall::$fast))|* | None => self.rare_syscall(current, number),
                }
            }
        }
    };
}

system_calls! {
    fast {
        Call: serve_call, call;
        ReplyRecv: serve_reply_recv, reply_recv;
        Send: serve_send, send_blocking;
        Recv: serve_recv, recv;
        Wait: serve_wait, wait_for_message;
        NbSendRecv: serve_nb_send_recv, nb_send_recv;
        Trace: serve_trace, trace_slowly;
    }
    slow {
        NbSendWait: nb_send_wait;
        NbSend: nb_send;
        NbRecv: nb_recv;
        NbWait: nb_wait;
        Yield: yield_slice;
        DebugPutChar: debug_put_char;
    }
}

impl<M: Machine> Kernel<M> {
    #[inline(always)]
    fn call(&mut self, current: ThreadId) -> Outcome {
        let context = &self.threads[current].context;
        let (cptr, info) = (context.cptr(), context.info());
        match self.lookup(current, cptr) {
            Ok(Cap::Endpoint { id, badge, rights }) if rights.can_send() => {
                self.send(current, id, badge, rights, info, SendMode::Call)
            }
            Ok(cap) => self.call_other(current, cap, info),
            Err(failure) => self.fault_in_syscall(current, Fault::Cap { cptr, phase: Phase::Send, failure }),
        }
    }

    /// A call to an object that replies at once.
    #[inline(never)]
    fn call_other(&mut self, current: ThreadId, cap: Cap, info: MessageInfo) -> Outcome {
        let empty = MessageInfo::new(0, 0);
        let result = match cap {
            Cap::Notification { id, badge, rights } if rights.can_send() => {
                Ok((empty, self.signal(id, badge)))
            }
            Cap::Reply(reply) => Ok((empty, self.answer_now(current, reply, info))),
            Cap::Endpoint { .. } | Cap::Notification { .. } => {
                Err(InvokeError::InvalidCapability { index: 0 })
            }
            Cap::Elsewhere { .. } => return self.call_elsewhere(current, cap, info),
            _ => match self.bad_argument(current, info) {
                Some(fault) => return self.fault_in_syscall(current, fault),
                None => match self.invoke(current, cap, info) {
                    Ok((Answer::Work(service), _)) => return self.begin_work(current, service),
                    Ok((Answer::Again, outcome)) => {
                        self.restart_syscall(current);
                        return outcome;
                    }
                    result => result.map(|(answer, outcome)| (self.write_answer(current, answer), outcome)),
                },
            },
        };
        match result {
            Ok((info, outcome)) => {
                let context = &mut self.threads[current].context;
                context.set_badge(0);
                context.set_info(info);
                outcome
            }
            Err(error) => self.refuse_here(current, cap, info, error),
        }
    }

    /// Refuses a method, unless it configures a scheduling context of another processor: that goes there.
    #[cold]
    fn refuse_here(&mut self, current: ThreadId, cap: Cap, info: MessageInfo, error: InvokeError) -> Outcome {
        if cap == Cap::SchedControl
            && error == (InvokeError::InvalidCapability { index: 1 })
            && let Some(target) = self.argument(current, info, 0).unwrap_or_default().as_elsewhere()
            && target.kind == ObjectKind::SchedContext
        {
            return self.configure_elsewhere(current, target);
        }
        self.refuse(current, error)
    }

    #[inline]
    fn send_blocking(&mut self, current: ThreadId) -> Outcome {
        let context = &self.threads[current].context;
        let (cptr, info) = (context.cptr(), context.info());
        match self.lookup(current, cptr) {
            Ok(cap) => self.send_to(current, cap, info, SendMode::Send),
            Err(failure) => self.fault_in_syscall(current, Fault::Cap { cptr, phase: Phase::Send, failure }),
        }
    }

    #[inline(never)]
    fn nb_send(&mut self, current: ThreadId) -> Outcome {
        let context = &self.threads[current].context;
        let (cptr, info) = (context.cptr(), context.info());
        let cap = self.lookup(current, cptr).unwrap_or_default();
        self.send_to(current, cap, info, SendMode::NonBlocking)
    }

    /// A send that is not a call: errors of the object are dropped.
    #[inline]
    fn send_to(&mut self, current: ThreadId, cap: Cap, info: MessageInfo, mode: SendMode) -> Outcome {
        match cap {
            Cap::Notification { id, badge, rights } if rights.can_send() => self.signal(id, badge),
            Cap::Endpoint { id, badge, rights } if rights.can_send() => {
                self.send(current, id, badge, rights, info, mode)
            }
            Cap::Reply(reply) => self.answer_now(current, reply, info),
            Cap::Null | Cap::Endpoint { .. } | Cap::Notification { .. } => Outcome::NOTHING,
            Cap::Elsewhere { .. } => self.send_elsewhere(current, cap, info, mode),
            _ => self.send_request(current, cap, info, mode),
        }
    }

    /// A request without a reply.
    #[inline(never)]
    fn send_request(&mut self, current: ThreadId, cap: Cap, info: MessageInfo, mode: SendMode) -> Outcome {
        match self.bad_argument(current, info) {
            Some(fault) if mode == SendMode::Send => self.fault_in_syscall(current, fault),
            Some(_) => Outcome::NOTHING,
            None => match self.invoke(current, cap, info) {
                Ok((Answer::Again, outcome)) => {
                    self.restart_syscall(current);
                    outcome
                }
                result => result.map_or(Outcome::NOTHING, |(_, outcome)| outcome),
            },
        }
    }

    #[inline(never)]
    fn answer_now(&mut self, current: ThreadId, reply: ReplyId, info: MessageInfo) -> Outcome {
        let woken = self.answer_slowly(current, reply, info);
        self.outcome_for(current, woken)
    }

    /// One copy of the reply for all system calls but ReplyRecv.
    #[inline(never)]
    pub(crate) fn answer_slowly(
        &mut self,
        current: ThreadId,
        reply: ReplyId,
        info: MessageInfo,
    ) -> Option<ThreadId> {
        self.answer(current, reply, info)
    }

    #[inline(always)]
    fn reply_recv(&mut self, current: ThreadId) -> Outcome {
        let context = &self.threads[current].context;
        let (reply_cptr, info) = (context.reply_cptr(), context.info());
        let cap = self.lookup(current, reply_cptr).unwrap_or_default();
        let Cap::Reply(reply) = cap else { return self.send_recv_with(current, cap, info) };
        let woken = self.answer(current, reply, info);
        let cptr = self.threads[current].context.cptr();
        let received = self.receive_on(current, cptr, Some(reply), Blocking::Yes);
        self.join(current, woken, received)
    }

    fn nb_send_recv(&mut self, current: ThreadId) -> Outcome {
        let context = &self.threads[current].context;
        let (send_cptr, info) = (context.send_cptr(), context.info());
        let cap = self.lookup(current, send_cptr).unwrap_or_default();
        self.send_recv_with(current, cap, info)
    }

    #[inline(never)]
    fn send_recv_with(&mut self, current: ThreadId, cap: Cap, info: MessageInfo) -> Outcome {
        let woken = self.send_first(current, cap, info);
        let received = self.receive_with_reply(current, Blocking::Yes);
        self.join(current, woken, received)
    }

    #[inline(never)]
    fn nb_send_wait(&mut self, current: ThreadId) -> Outcome {
        let context = &self.threads[current].context;
        let (send_cptr, info) = (context.reply_cptr(), context.info());
        let cap = self.lookup(current, send_cptr).unwrap_or_default();
        let woken = self.send_first(current, cap, info);
        let received = self.receive_without_reply(current, Blocking::Yes);
        self.join(current, woken, received)
    }

    /// The sending half of a system call that also receives. It never blocks, and drops errors. It ignores capabilities to
    /// threads, scheduling contexts, static keys and address spaces, because some of their methods restart the system call.
    fn send_first(&mut self, current: ThreadId, cap: Cap, info: MessageInfo) -> Option<ThreadId> {
        match cap {
            // Only the receive checks whether the sender still has time.
            Cap::Reply(reply) => self.answer_slowly(current, reply, info),
            Cap::Thread(_)
            | Cap::SchedContext(_)
            | Cap::SchedControl
            | Cap::FpuCounters
            | Cap::FpuPolicy
            | Cap::Key(_)
            | Cap::Vspace(_) => None,
            _ => self.send_to(current, cap, info, SendMode::Donating).woken,
        }
    }

    /// Joins the outcomes of both halves: the first woken thread is left to the scheduler, the second is enqueued.
    #[inline]
    fn join(&mut self, current: ThreadId, first: Option<ThreadId>, received: Outcome) -> Outcome {
        if let (Some(_), Some(second)) = (first, received.woken) {
            self.enqueue(second);
        }
        let woken = first.or(received.woken);
        match received.current {
            Next::Blocks => Outcome { current: Next::Blocks, woken },
            Next::Continues => self.outcome_for(current, woken),
        }
    }

    #[inline]
    fn recv(&mut self, current: ThreadId) -> Outcome {
        self.receive_with_reply(current, Blocking::Yes)
    }

    #[inline]
    fn nb_recv(&mut self, current: ThreadId) -> Outcome {
        self.receive_with_reply(current, Blocking::No)
    }

    #[inline]
    fn wait_for_message(&mut self, current: ThreadId) -> Outcome {
        self.receive_without_reply(current, Blocking::Yes)
    }

    /// Serves the system call `Trace`, by which programs write a record. Does nothing unless the programs' group is on,
    /// so that only an image with a ring reaches the code of the trace.
    #[inline(never)]
    pub fn serve_trace(&mut self) -> Option<&mut M::Context> {
        if self.machine.trace_groups() & KernelKey::TracePrograms.option() != 0
            && let Some(thread) = self.running_thread()
        {
            self.trace_program(thread);
        }
        self.running()
    }

    #[inline]
    fn trace_slowly(&mut self, _: ThreadId) -> Outcome {
        self.serve_trace();
        Outcome::NOTHING
    }

    #[inline]
    fn nb_wait(&mut self, current: ThreadId) -> Outcome {
        self.receive_without_reply(current, Blocking::No)
    }

    /// Receives with the reply object that the reply register names. Only receiving from an endpoint needs one.
    #[inline]
    fn receive_with_reply(&mut self, current: ThreadId, blocking: Blocking) -> Outcome {
        let context = &self.threads[current].context;
        let (cptr, reply_cptr) = (context.cptr(), context.reply_cptr());
        match self.lookup(current, cptr) {
            Ok(Cap::Endpoint { id, rights, .. }) if rights.can_receive() => {
                match self.lookup(current, reply_cptr) {
                    Ok(Cap::Reply(reply)) => {
                        self.cancel_caller(reply);
                        self.receive(current, id, Some(reply), blocking)
                    }
                    Ok(_) => self.fault_in_syscall(current, Fault::not_receivable(reply_cptr)),
                    Err(failure) => self.fault_in_syscall(
                        current,
                        Fault::Cap { cptr: reply_cptr, phase: Phase::Receive, failure },
                    ),
                }
            }
            _ => self.receive_on(current, cptr, None, blocking),
        }
    }

    #[inline(never)]
    fn receive_without_reply(&mut self, current: ThreadId, blocking: Blocking) -> Outcome {
        let cptr = self.threads[current].context.cptr();
        self.receive_on(current, cptr, None, blocking)
    }

    #[inline(always)]
    fn receive_on(
        &mut self,
        current: ThreadId,
        cptr: u64,
        reply: Option<ReplyId>,
        blocking: Blocking,
    ) -> Outcome {
        match self.lookup(current, cptr) {
            Ok(Cap::Endpoint { id, rights, .. }) if rights.can_receive() => {
                self.receive(current, id, reply, blocking)
            }
            Ok(Cap::Notification { id, rights, .. })
                if rights.can_receive() && self.may_wait(current, id) =>
            {
                self.wait(current, id, blocking)
            }
            Ok(_) => self.fault_in_syscall(current, Fault::not_receivable(cptr)),
            Err(failure) => {
                self.fault_in_syscall(current, Fault::Cap { cptr, phase: Phase::Receive, failure })
            }
        }
    }

    /// Cancels the call that still blocks on a receiver's reply object.
    #[inline]
    fn cancel_caller(&mut self, reply: ReplyId) {
        if let Reply::Owed { caller, .. } = self.replies[reply] {
            self.cancel(caller);
        }
    }

    #[inline(never)]
    fn debug_put_char(&mut self, current: ThreadId) -> Outcome {
        if !self.machine.is_printing() {
            return self.rare_syscall(current, Syscall::DebugPutChar.as_raw());
        }
        let byte = self.threads[current].context.cptr() as u8;
        self.machine.put_char(byte);
        Outcome::NOTHING
    }

    /// A system call that only some configurations have.
    #[cold]
    fn rare_syscall(&mut self, current: ThreadId, number: i64) -> Outcome {
        match self.benchmark_syscall(current, number) {
            Some(outcome) => outcome,
            None => self.fault_in_syscall(current, Fault::UnknownSyscall { number: number as u64 }),
        }
    }

    /// Delivers a fault whose instruction is the system call itself: a reply restarts it.
    #[cold]
    pub(crate) fn fault_in_syscall(&mut self, current: ThreadId, fault: Fault) -> Outcome {
        self.restart_syscall(current);
        self.deliver_fault(current, fault)
    }
}
