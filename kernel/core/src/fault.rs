//! Faults, and the messages that report them to handlers.
//!
//! A fault is sent like a call: the thread waits until the handler replies. If it has no handler to send to, it stops.
//! The program counter of a faulting thread is at the instruction that faulted.

use limen_abi::error::LookupFailure as FailureNumber;
use limen_abi::fault::{CapFaultWord, TimeoutWord, VmFaultWord};
use limen_abi::message::{BufferWord, REGISTER_WORDS};
use limen_abi::{FaultLabel, MessageInfo};

use crate::arena::{EndpointId, ThreadId};
use crate::cap::{Cap, LookupFailure, Rights};
use crate::event::{Next, Outcome};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::object::thread::{AfterSend, Restart, State};

/// A fault. Three words, copied as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A capability pointer could not be resolved in a system call that may block.
    Cap {
        /// The pointer.
        cptr: u64,
        /// Which half of the system call failed.
        phase: Phase,
        /// The reason.
        failure: LookupFailure,
    },
    /// The system-call number is unknown.
    UnknownSyscall {
        /// The number.
        number: u64,
    },
    /// An exception that user mode raised.
    UserException {
        /// The exception number.
        number: u64,
        /// The exception code.
        code: u64,
    },
    /// A memory access that the mappings do not allow.
    Vm {
        /// The address.
        address: u64,
        /// The kind of access.
        access: Access,
        /// The processor's fault status.
        status: u64,
    },
    /// The budget is used up.
    Timeout {
        /// The data word that was configured for the scheduling context.
        data: u64,
        /// Microseconds used since the count was last read.
        consumed_us: u64,
    },
}

/// The half of a system call that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Send.
    Send,
    /// Receive.
    Receive,
}

/// A kind of memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A load or store.
    Data,
    /// An instruction fetch.
    Instruction,
}

impl Fault {
    /// Creates the fault for receiving from a capability of the wrong kind.
    pub(crate) fn not_receivable(cptr: u64) -> Self {
        Self::Cap { cptr, phase: Phase::Receive, failure: LookupFailure::MissingCapability { bits_left: 0 } }
    }

    pub(crate) fn label(&self) -> FaultLabel {
        match self {
            Self::Cap { .. } => FaultLabel::CapFault,
            Self::UnknownSyscall { .. } => FaultLabel::UnknownSyscall,
            Self::UserException { .. } => FaultLabel::UserException,
            Self::Vm { .. } => FaultLabel::VmFault,
            Self::Timeout { .. } => FaultLabel::Timeout,
        }
    }

    /// Returns the length of the message in words.
    fn length<C: Context>(&self) -> usize {
        match self {
            Self::Cap { failure: LookupFailure::MissingCapability { .. }, .. } => {
                CapFaultWord::LOOKUP_DETAILS + 1
            }
            Self::Cap { failure: LookupFailure::GuardMismatch { .. }, .. } => {
                CapFaultWord::LOOKUP_DETAILS + 3
            }
            Self::UnknownSyscall { .. } => C::UNKNOWN_SYSCALL.len() + 1,
            Self::UserException { .. } => C::USER_EXCEPTION.len() + 1 + C::EXCEPTION_CODE_WORDS,
            Self::Timeout { .. } => TimeoutWord::LENGTH,
            Self::Vm { .. } => VmFaultWord::LENGTH,
        }
    }

    /// Returns the registers in the reply, for faults whose reply lists most registers of the thread.
    #[inline]
    fn listed_registers<C: Context>(self) -> Option<&'static [usize]> {
        match self {
            Self::UnknownSyscall { .. } => Some(C::UNKNOWN_SYSCALL),
            Self::Timeout { .. } => Some(C::TIMEOUT),
            Self::Cap { .. } | Self::Vm { .. } | Self::UserException { .. } => None,
        }
    }

    /// Returns the registers of the thread that the message contains, as positions.
    pub(crate) fn message_registers<C: Context>(self) -> &'static [usize] {
        match self {
            Self::UnknownSyscall { .. } => C::UNKNOWN_SYSCALL,
            Self::UserException { .. } => C::USER_EXCEPTION,
            Self::Cap { .. } | Self::Vm { .. } => const { &[C::PC] },
            Self::Timeout { .. } => &[],
        }
    }

    /// Returns the registers that a reply may set, as positions.
    pub(crate) fn replied_registers<C: Context>(self) -> &'static [usize] {
        match self {
            Self::UserException { .. } => C::USER_EXCEPTION,
            _ => self.listed_registers::<C>().unwrap_or(&[]),
        }
    }

    /// Returns whether the reply fits into registers.
    #[inline]
    pub(crate) fn has_short_answer<C: Context>(self) -> bool {
        self.listed_registers::<C>().is_none()
    }

    /// Returns the words of the message that are sent in registers, for a thread with these registers.
    fn first_words<C: Context>(&self, context: &C) -> [u64; REGISTER_WORDS] {
        let pc = context.register(C::PC);
        match *self {
            Self::Cap { cptr, phase, failure } => {
                [pc, cptr, u64::from(phase == Phase::Receive), failure_word(failure, 0)]
            }
            Self::UnknownSyscall { number } => {
                [0, 1, 2, 3].map(|at| register_or(context, C::UNKNOWN_SYSCALL, at, [number, 0]))
            }
            Self::UserException { number, code } => {
                [0, 1, 2, 3].map(|at| register_or(context, C::USER_EXCEPTION, at, [number, code]))
            }
            Self::Vm { address, access, status } => {
                [pc, address, u64::from(access == Access::Instruction), status]
            }
            Self::Timeout { data, consumed_us } => [data, consumed_us, 0, 0],
        }
    }

    /// Returns a word of the message beyond the first ones, or one in a list of registers.
    fn later_word<C: Context>(&self, position: usize, context: &C) -> u64 {
        match *self {
            Self::Cap { failure, .. } => failure_word(failure, position - CapFaultWord::LOOKUP_FAILURE),
            Self::UnknownSyscall { number } => {
                register_or(context, C::UNKNOWN_SYSCALL, position, [number, 0])
            }
            Self::UserException { number, code } => {
                register_or(context, C::USER_EXCEPTION, position, [number, code])
            }
            Self::Vm { .. } | Self::Timeout { .. } => 0,
        }
    }
}

/// Returns a word of the description of a lookup failure: its number, then its details.
fn failure_word(failure: LookupFailure, position: usize) -> u64 {
    let words = match failure {
        LookupFailure::MissingCapability { bits_left } => {
            [FailureNumber::MissingCapability as u64, u64::from(bits_left), 0, 0]
        }
        LookupFailure::GuardMismatch { bits_left, guard_bits } => {
            [FailureNumber::GuardMismatch as u64, u64::from(bits_left), 0, u64::from(guard_bits)]
        }
    };
    words.get(position).copied().unwrap_or(0)
}

/// Returns a word of a message that begins with registers.
#[inline]
fn register_or<C: Context>(context: &C, registers: &[usize], position: usize, rest: [u64; 2]) -> u64 {
    match registers.get(position) {
        Some(register) => context.register(*register),
        None => rest.get(position - registers.len()).copied().unwrap_or(0),
    }
}

impl<M: Machine> Kernel<M> {
    /// Stops a faulting thread and reports the fault to its handler.
    #[inline(never)]
    pub(crate) fn deliver_fault(&mut self, thread: ThreadId, fault: Fault) -> Outcome {
        let handler = match self.threads[thread].fault_handler {
            Cap::Null => self.serve_faulting(thread),
            handler => handler,
        };
        self.report(thread, fault, handler)
    }

    /// Reports that the budget of the current thread is used up. Returns `None` if it has no timeout handler.
    #[cold]
    pub(crate) fn deliver_timeout(&mut self, thread: ThreadId) -> Option<Outcome> {
        let id = self.threads[thread].sched_context.filter(|id| self.sporadic_servers[*id].is_limited())?;
        let (Cap::Endpoint { .. } | Cap::Elsewhere { .. }) = self.threads[thread].timeout_handler else {
            return None;
        };
        let consumed_us = self.take_consumed(id);
        let fault = Fault::Timeout { data: self.sporadic_servers[id].data, consumed_us };
        Some(self.report(thread, fault, self.threads[thread].timeout_handler))
    }

    #[inline]
    fn report(&mut self, thread: ThreadId, fault: Fault, handler: Cap) -> Outcome {
        self.print_fault(thread, &fault, handler);
        let (id, badge, rights) = match handler {
            Cap::Endpoint { id, badge, rights } if rights.can_send() => (id, badge, rights),
            _ => {
                if let Some(handler) = handler.as_elsewhere() {
                    return self.report_elsewhere(thread, fault, handler);
                }
                self.threads[thread].state = State::Inactive;
                return Outcome::BLOCKS;
            }
        };
        self.report_to(thread, fault, id, badge, rights)
    }

    /// Reports a fault to an endpoint of this processor.
    #[inline]
    pub(crate) fn report_to(
        &mut self,
        thread: ThreadId,
        fault: Fault,
        id: EndpointId,
        badge: u64,
        rights: Rights,
    ) -> Outcome {
        let after = match fault {
            _ if !rights.can_call() => AfterSend::Stop,
            Fault::Timeout { .. } => AfterSend::AwaitReplyOnly,
            _ => AfterSend::AwaitReply,
        };
        self.threads[thread].fault = Some(fault);
        let Some(receiver) = self.take_receiver(id) else {
            return self.block_sending(thread, id, badge, after, Restart::ProgramCounter);
        };
        self.transfer_fault(thread, receiver, badge);
        let reply = self.end_receiving(receiver);
        self.await_reply(thread, receiver, reply, after, Restart::ProgramCounter);
        Outcome { current: Next::Blocks, woken: self.with_time(receiver) }
    }

    /// Transfers the fault of `from` to `to` as a message.
    pub(crate) fn transfer_fault(&mut self, from: ThreadId, to: ThreadId, badge: u64) {
        if let Some(fault) = self.threads[from].fault {
            self.write_fault(&fault, from, to, badge);
        }
    }

    /// Writes the message about a fault of `from` to `to`.
    #[inline(always)]
    pub(crate) fn write_fault(&mut self, fault: &Fault, from: ThreadId, to: ThreadId, badge: u64) {
        let length = fault.length::<M::Context>();
        let first = fault.first_words(&self.threads[from].context);
        match *fault {
            Fault::UserException { number, code } => {
                for position in REGISTER_WORDS..length {
                    let registers = M::Context::USER_EXCEPTION;
                    let word = register_or(&self.threads[from].context, registers, position, [number, code]);
                    self.machine.buffers()[to].set_word(BufferWord::MESSAGE + position, word);
                }
            }
            _ if length > REGISTER_WORDS => self.write_later_words(fault, from, to, length),
            _ => {}
        }
        let context = &mut self.threads[to].context;
        context.set_words(first, length.min(REGISTER_WORDS));
        context.set_badge(badge);
        context.set_info(MessageInfo::new(fault.label().as_raw(), length));
    }

    #[inline(never)]
    fn write_later_words(&mut self, fault: &Fault, from: ThreadId, to: ThreadId, length: usize) {
        for position in REGISTER_WORDS..length {
            let word = fault.later_word(position, &self.threads[from].context);
            self.set_message_word(to, position, word);
        }
    }

    /// Applies a handler's reply: sets the registers that the fault allows, then resumes the thread or stops it.
    pub(crate) fn answer_fault(&mut self, thread: ThreadId, handler: ThreadId, info: MessageInfo) {
        self.visitors[thread].replied = info.length();
        let Some(registers) = self.threads[thread].fault.and_then(Fault::listed_registers::<M::Context>)
        else {
            if self.end_short_fault(thread, handler, info) {
                self.resume_or_stop(thread, info);
            } else {
                self.threads[thread].state = State::Runnable;
            }
            return;
        };
        self.threads[thread].fault = None;
        // The budget may have run out while the thread executed a service.
        if info.length() != 0 {
            self.abandon_work(thread);
        }
        for (position, register) in registers.iter().enumerate().take(info.length()) {
            let value = self.message_word(handler, position);
            self.threads[thread].context.set_register(*register, value);
        }
        self.resume_or_stop(thread, info);
    }

    /// Ends a fault that [has a short answer](Fault::has_short_answer), and sets the registers that it allows. Returns
    /// whether the label of the reply may stop the thread.
    #[inline(always)]
    pub(crate) fn end_short_fault(&mut self, thread: ThreadId, handler: ThreadId, info: MessageInfo) -> bool {
        let Some(Fault::UserException { .. }) = self.threads[thread].fault.take() else { return false };
        const { assert!(M::Context::USER_EXCEPTION.len() <= REGISTER_WORDS) };
        let words = self.threads[handler].context.words();
        let context = &mut self.threads[thread].context;
        for (register, word) in M::Context::USER_EXCEPTION.iter().zip(words).take(info.length()) {
            context.set_register(*register, word);
        }
        true
    }

    /// Resumes or stops the thread as the label of the reply says.
    #[inline(always)]
    fn resume_or_stop(&mut self, thread: ThreadId, info: MessageInfo) {
        let restart = info.label() == FaultLabel::NullFault.as_raw();
        self.threads[thread].state = if restart { State::Runnable } else { State::Inactive };
    }
}
