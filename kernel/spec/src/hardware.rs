//! Requests of programs to the hardware: I/O ports, maintenance of caches, calls to the secure monitor, and output.
//!
//! The hardware itself is outside: what it is asked is a part of the state, and what it answers is an input.

use std::ops::Range;
use std::rc::Rc;

use limen_abi::limits::{CACHE_CHUNK_BYTES, LARGE_PAGE_BYTES};
use limen_abi::{ErrorCode, Label};

use crate::method::{Answer, Refusal, Request as Message};
use crate::state::{System, ThreadId};

/// The registers of a call to the secure monitor.
pub const MONITOR_REGISTERS: usize = 8;

/// An address space, by index.
pub type SpaceId = usize;

/// The hardware behind the methods of this module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hardware {
    /// The end of the addresses whose caches programs may maintain; `None` where they may maintain none.
    pub caches_end: Option<u64>,
    /// Pages that programs cannot write, by address space.
    pub read_only: Rc<Vec<(SpaceId, Range<u64>)>>,
    /// The request of the last event.
    pub asked: Option<Request>,
    /// An input: the answer to the request of the next event. A port that is read answers with the first word.
    pub answer: [u64; MONITOR_REGISTERS],
}

/// A request to the hardware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// To read an I/O port.
    Read {
        /// The port.
        port: u16,
        /// The width of the access.
        bytes: u64,
    },
    /// To write an I/O port.
    Write {
        /// The port.
        port: u16,
        /// The width of the access.
        bytes: u64,
        /// The value.
        value: u64,
    },
    /// To maintain caches.
    Maintain {
        /// The address space.
        space: SpaceId,
        /// The method.
        method: Label,
        /// The addresses.
        addresses: Range<u64>,
    },
    /// To call the secure monitor with these registers.
    Monitor([u64; MONITOR_REGISTERS]),
    /// To print a byte.
    Print(u8),
}

impl System {
    /// A method of a range of I/O ports. All of an access lies in the range.
    pub(crate) fn invoke_ports(
        &mut self,
        caller: ThreadId,
        ports: (u16, u16),
        label: Option<Label>,
    ) -> Result<Answer, Refusal> {
        let (bytes, writes) = match label {
            Some(Label::X86IoPortIn8) => (1, false),
            Some(Label::X86IoPortIn16) => (2, false),
            Some(Label::X86IoPortIn32) => (4, false),
            Some(Label::X86IoPortOut8) => (1, true),
            Some(Label::X86IoPortOut16) => (2, true),
            Some(Label::X86IoPortOut32) => (4, true),
            _ => return Err((ErrorCode::IllegalOperation, Vec::new())),
        };
        let message = Message { system: self, caller };
        let [number, value] = if writes { message.words()? } else { [message.words::<1>()?[0], 0] };
        let (first, last) = (u128::from(ports.0), u128::from(ports.1));
        let access = u128::from(number)..u128::from(number) + bytes;
        if access.start < first || access.end > last + 1 {
            return Err((ErrorCode::IllegalOperation, Vec::new()));
        }
        let (port, bytes) = (number as u16, bytes as u64);
        if writes {
            let value = value & (u64::MAX >> (u64::BITS as u64 - 8 * bytes));
            self.hardware.asked = Some(Request::Write { port, bytes, value });
            return Ok(Some(Vec::new()));
        }
        self.hardware.asked = Some(Request::Read { port, bytes });
        Ok(Some(vec![self.hardware.answer[0]]))
    }

    /// A method of an address space. One entry maintains what lies in one chunk; the call restarts behind it.
    pub(crate) fn invoke_space(
        &mut self,
        caller: ThreadId,
        space: SpaceId,
        label: Option<Label>,
    ) -> Result<Answer, Refusal> {
        let refuse = |code, words: &[u64]| Err((code, words.to_vec()));
        let method = match label {
            Some(
                label @ (Label::ArmVspaceCleanData
                | Label::ArmVspaceInvalidateData
                | Label::ArmVspaceCleanInvalidateData
                | Label::ArmVspaceUnifyInstruction),
            ) => label,
            _ => return refuse(ErrorCode::IllegalOperation, &[]),
        };
        let Some(caches_end) = self.hardware.caches_end else {
            return refuse(ErrorCode::IllegalOperation, &[]);
        };
        let [start, end] = Message { system: self, caller }.words()?;
        if start >= end {
            return refuse(ErrorCode::InvalidArgument, &[1]);
        }
        if end > caches_end {
            return refuse(ErrorCode::IllegalOperation, &[]);
        }
        let end_of = |block: u64| (start / block + 1) * block;
        if end > end_of(LARGE_PAGE_BYTES) {
            return refuse(ErrorCode::RangeError, &[start, end_of(LARGE_PAGE_BYTES)]);
        }
        let is_read_only =
            self.hardware.read_only.iter().any(|(owner, page)| *owner == space && page.contains(&start));
        if method == Label::ArmVspaceInvalidateData && is_read_only {
            return refuse(ErrorCode::IllegalOperation, &[]);
        }
        let next = end.min(end_of(CACHE_CHUNK_BYTES));
        self.hardware.asked = Some(Request::Maintain { space, method, addresses: start..next });
        if next == end {
            return Ok(Some(Vec::new()));
        }
        self.threads[caller].registers.set_word(0, next);
        self.restart_syscall(caller);
        Ok(None)
    }

    /// A method of the secure monitor. The message has its answer even if the caller does not wait for one.
    pub(crate) fn invoke_monitor(
        &mut self,
        caller: ThreadId,
        label: Option<Label>,
    ) -> Result<Answer, Refusal> {
        let Some(Label::ArmSmcCall) = label else { return Err((ErrorCode::IllegalOperation, Vec::new())) };
        let registers = Message { system: self, caller }.words()?;
        self.hardware.asked = Some(Request::Monitor(registers));
        let answer = self.hardware.answer;
        for (index, word) in answer.into_iter().enumerate() {
            self.threads[caller].registers.set_word(index, word);
        }
        Ok(Some(answer.to_vec()))
    }
}
