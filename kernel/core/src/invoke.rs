//! Turns the invocation of a capability into a request to an object.
//!
//! A request is *decoded* with `&Kernel`, which may fail and changes nothing, then *performed* with `&mut Kernel`,
//! which cannot fail. Messages and signals need no such split and are handled elsewhere.

use limen_abi::error::ErrorCode;
use limen_abi::message::BufferWord;
use limen_abi::{Label, MessageInfo};

use crate::arena::ThreadId;
use crate::cap::{Cap, Elsewhere, ObjectKind};
use crate::event::Outcome;
use crate::fault::{Fault, Phase};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::message::Answer;
use crate::object::io_port::{self, Ports};
use crate::object::{
    fpu, irq, key, priority, probe, sched_context, sched_control, secure_monitor, service, thread, vspace,
};

/// The reason for refusing a request; the caller receives it as an error code with details.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvokeError {
    /// The invoked capability (0) or an argument (from 1) is empty or of the wrong kind.
    InvalidCapability {
        /// The position.
        index: u64,
    },
    /// The object has no such method, or does not allow it in its current state.
    IllegalOperation,
    /// The value of an argument is not allowed.
    InvalidArgument {
        /// The position, from 0.
        index: u64,
    },
    /// A value is out of range.
    Range {
        /// The smallest allowed value.
        min: u64,
        /// The largest allowed value.
        max: u64,
    },
    /// The message is too short.
    TruncatedMessage,
}

impl InvokeError {
    /// Returns the error code, the message words and their number.
    #[must_use]
    pub fn message(self) -> (ErrorCode, [u64; 4], usize) {
        match self {
            Self::InvalidCapability { index } => (ErrorCode::InvalidCapability, [index, 0, 0, 0], 1),
            Self::InvalidArgument { index } => (ErrorCode::InvalidArgument, [index, 0, 0, 0], 1),
            Self::IllegalOperation => (ErrorCode::IllegalOperation, [0; 4], 0),
            Self::Range { min, max } => (ErrorCode::RangeError, [min, max, 0, 0], 2),
            Self::TruncatedMessage => (ErrorCode::TruncatedMessage, [0; 4], 0),
        }
    }
}

/// The message of an invocation, as decoders see it.
#[derive(Debug)]
pub struct Arguments<'a, M: Machine> {
    kernel: &'a Kernel<M>,
    caller: ThreadId,
    info: MessageInfo,
}

impl<M: Machine> Arguments<'_, M> {
    /// Returns the method, if the label is known.
    pub(crate) fn label(&self) -> Option<Label> {
        Label::from_raw(self.info.label())
    }

    /// Returns the calling thread.
    pub(crate) fn caller(&self) -> ThreadId {
        self.caller
    }

    /// Returns whether the caller probes itself.
    pub(crate) fn is_probing(&self) -> bool {
        self.kernel.probes[self.caller].is_on()
    }

    /// Returns the number of words in the message.
    pub(crate) fn length(&self) -> usize {
        self.info.length()
    }

    /// Returns the first `N` words.
    pub(crate) fn words<const N: usize>(&self) -> Result<[u64; N], InvokeError> {
        if self.length() < N {
            return Err(InvokeError::TruncatedMessage);
        }
        Ok(core::array::from_fn(|position| self.kernel.message_word(self.caller, position)))
    }

    /// Returns the capability argument at this position. [`Kernel::bad_argument`] has checked that it can be looked
    /// up.
    pub(crate) fn extra_cap(&self, position: usize) -> Result<Cap, InvokeError> {
        let cap = self.kernel.argument(self.caller, self.info, position)?;
        let number = self.kernel.processor.number;
        if self.kernel.homes[self.caller] == number {
            return Ok(cap);
        }
        // For the capabilities of a visitor, other objects are here.
        Ok(cap
            .as_elsewhere()
            .filter(|object| object.processor == number)
            .map_or(Cap::Null, Elsewhere::at_home))
    }

    /// Returns the highest priority that the thread in this capability argument may set. The home of that thread knows it:
    /// for an argument of a visitor, its home has checked the priority, and 255 is returned.
    pub(crate) fn authority(&self, position: usize) -> Result<u8, InvokeError> {
        let Self { kernel, caller, info } = *self;
        let cap = kernel.argument(caller, info, position)?;
        let cap = cap.as_elsewhere().map_or(cap, Elsewhere::at_home);
        let number = kernel.processor.number;
        match cap {
            Cap::Thread(thread) if kernel.homes[thread] == number => Ok(kernel.threads[thread].max_priority),
            Cap::Thread(thread)
                if kernel.homes[caller] != number && kernel.homes[thread] == kernel.homes[caller] =>
            {
                Ok(u8::MAX)
            }
            _ => Err(InvokeError::InvalidCapability { index: 1 }),
        }
    }
}

/// A decoded request, ready to be performed.
#[derive(Clone, PartialEq, Debug)]
enum Request<M: Machine> {
    Thread(thread::Request),
    SchedContext(sched_context::Request),
    SchedControl(sched_control::Request),
    Fpu(fpu::Request),
    IoPort(io_port::Request),
    Interrupt(irq::Request),
    Key(key::Request),
    Vspace(vspace::Request<M::Space>),
    SecureMonitor(secure_monitor::Request),
    Service(service::Request),
}

impl<M: Machine> Request<M> {
    fn decode(
        kernel: &Kernel<M>,
        caller: ThreadId,
        cap: Cap,
        info: MessageInfo,
    ) -> Result<Self, InvokeError> {
        let arguments = Arguments { kernel, caller, info };
        match cap {
            Cap::Thread(id) => thread::Request::decode(kernel, id, &arguments).map(Self::Thread),
            Cap::SchedContext(id) => {
                sched_context::Request::decode(kernel, id, &arguments).map(Self::SchedContext)
            }
            Cap::Interrupt(id) => irq::Request::decode(id, &arguments).map(Self::Interrupt),
            Cap::Key(id) => key::Request::decode(kernel, id, &arguments).map(Self::Key),
            Cap::IoPort { ports } => {
                io_port::Request::decode(Ports::from_word(ports), &arguments).map(Self::IoPort)
            }
            Cap::Vspace(id) => vspace::Request::decode(kernel, id, &arguments).map(Self::Vspace),
            Cap::SecureMonitor => {
                secure_monitor::Request::decode(caller, &arguments).map(Self::SecureMonitor)
            }
            Cap::Service(id) => service::Request::decode(kernel, id, &arguments).map(Self::Service),
            Cap::SchedControl => sched_control::Request::decode(kernel, &arguments).map(Self::SchedControl),
            Cap::FpuCounters => fpu::Request::decode_read(&arguments).map(Self::Fpu),
            Cap::FpuPolicy => fpu::Request::decode_policy(&arguments).map(Self::Fpu),
            // `invoke` handles probes before this.
            Cap::Probe
            | Cap::Null
            | Cap::Endpoint { .. }
            | Cap::Notification { .. }
            | Cap::Reply(_)
            | Cap::Elsewhere { .. } => Err(InvokeError::InvalidCapability { index: 0 }),
        }
    }

    fn perform(self, kernel: &mut Kernel<M>, caller: ThreadId) -> (Answer, Outcome) {
        match self {
            Self::Thread(request) => request.perform(kernel, caller),
            Self::SchedContext(request) => request.perform(kernel),
            Self::SchedControl(request) => request.perform(kernel),
            Self::Fpu(request) => request.perform(kernel),
            Self::IoPort(request) => request.perform(kernel),
            Self::Interrupt(request) => request.perform(kernel),
            Self::Key(request) => request.perform(kernel),
            Self::Vspace(request) => request.perform(kernel, caller),
            Self::SecureMonitor(request) => request.perform(kernel),
            Self::Service(request) => request.perform(),
        }
    }
}

impl<M: Machine> Kernel<M> {
    /// Returns the fault of an invocation with a capability argument that cannot be looked up, whether the method uses
    /// it or not.
    pub(crate) fn bad_argument(&self, caller: ThreadId, info: MessageInfo) -> Option<Fault> {
        (0..info.extra_caps()).map(|position| self.argument_cptr(caller, position)).find_map(|cptr| {
            let failure = self.lookup(caller, cptr).err()?;
            Some(Fault::Cap { cptr, phase: Phase::Send, failure })
        })
    }

    /// Checks the part of an invocation on another processor that only this one can: the authority of a thread of this
    /// processor to set a priority.
    pub(crate) fn check_authority(
        &self,
        caller: ThreadId,
        object: Elsewhere,
        info: MessageInfo,
    ) -> Result<(), InvokeError> {
        let arguments = Arguments { kernel: self, caller, info };
        let sets_priority =
            matches!(arguments.label(), Some(Label::TcbSetPriority | Label::TcbSetMcPriority));
        if object.kind != ObjectKind::Thread || !sets_priority {
            return Ok(());
        }
        match self.argument(caller, info, 0)? {
            Cap::Thread(_) => priority::decode_priority(&arguments).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Returns the capability argument at this position of the message of `caller`.
    pub(crate) fn argument(
        &self,
        caller: ThreadId,
        info: MessageInfo,
        position: usize,
    ) -> Result<Cap, InvokeError> {
        if position >= info.extra_caps() {
            return Err(InvokeError::TruncatedMessage);
        }
        let cptr = self.argument_cptr(caller, position);
        Ok(self.lookup(caller, cptr).unwrap_or_default())
    }

    fn argument_cptr(&self, caller: ThreadId, position: usize) -> u64 {
        self.machine.buffers()[caller].word(BufferWord::CAPS_OR_BADGES + position)
    }

    /// Returns the arguments of a request without words and capabilities.
    pub(crate) fn arguments_of(&self, caller: ThreadId, info: MessageInfo) -> Arguments<'_, M> {
        Arguments { kernel: self, caller, info }
    }

    /// Invokes a probe. Separate, because its request would make the request type of all others larger.
    #[cold]
    fn invoke_probe(
        &mut self,
        caller: ThreadId,
        info: MessageInfo,
    ) -> Result<(Answer, Outcome), InvokeError> {
        let request = probe::Request::decode(&Arguments { kernel: self, caller, info })?;
        Ok(request.perform(self, caller))
    }

    /// Invokes an object.
    pub(crate) fn invoke(
        &mut self,
        caller: ThreadId,
        cap: Cap,
        info: MessageInfo,
    ) -> Result<(Answer, Outcome), InvokeError> {
        if cap == Cap::Probe {
            return self.invoke_probe(caller, info);
        }
        let request = Request::decode(self, caller, cap, info)?;
        Ok(request.perform(self, caller))
    }
}
