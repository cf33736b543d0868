//! Open calls: a call updates the objects only if something other than its reply happens next.
//!
//! Most servers reply at once. A full call would record that the caller blocks on the reply object and lends its time, and
//! the reply would undo both. So a call to a server that waits alone transfers its message, switches to the server, and
//! stays *open*: the kernel notes only the caller and the endpoint. If the next event is the reply, it transfers its message
//! and switches back. Signals that switch to no other thread leave it open. A call by the server to one of a higher
//! priority opens another one:
//!
//! ```text
//!   client --call--> A --call--> B       open_call: caller A, endpoint of B
//!                                        A serves: caller client, endpoint of A
//! ```
//!
//! At most four stay open; the next one flushes the oldest.
//!
//! Any other event *flushes* the open calls first: it updates the objects as the slow path would have. Until then the
//! objects show each server as it was before the call: waiting at its endpoint.
//!
//! A call is open only while its server, or one that this calls, runs, and only where there is one domain. With several
//! domains no thread is known to have the highest priority, so no domain can observe how another one left the kernel.

use crate::arena::{EndpointId, ThreadId};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::object::endpoint::Endpoint;
use crate::object::thread::{Restart, State};

/// A call or fault whose server runs and has not entered the kernel since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenCall {
    /// The thread that called or faulted.
    pub caller: ThreadId,
    /// The endpoint that it called. It still holds the server as its lone receiver.
    pub endpoint: EndpointId,
}

/// The largest number of open calls. Flushing all of them is part of one kernel entry.
const MAX_OPEN_CALLS: usize = 4;

impl<M: Machine> Kernel<M> {
    /// Flushes the open calls, if there are any. Required before objects are inspected from outside.
    #[inline(always)]
    pub fn flush_open_call(&mut self) {
        if let Some(call) = self.processor.open_call {
            self.flush(call, 0);
        }
    }

    /// Flushes the open calls of a server that makes a system call, and serves that.
    #[inline(never)]
    pub(super) fn flush_and_serve(&mut self, number: i64) -> Option<&mut M::Context> {
        self.flush_open_call();
        self.serve_syscall(number)
    }

    /// The open calls, the newest first.
    fn open_calls(&self) -> impl Iterator<Item = OpenCall> + '_ {
        core::iter::successors(self.processor.open_call, |call| self.threads[call.caller].serves)
            .take(MAX_OPEN_CALLS)
    }

    /// Whether the thread that waits at this endpoint may be serving an open call, the newest of which is `open`.
    #[inline(always)]
    pub(super) fn may_serve(&self, endpoint: EndpointId, open: OpenCall) -> bool {
        open.endpoint == endpoint || self.threads[open.caller].serves.is_some()
    }

    /// Whether no further call can be left open.
    #[inline(always)]
    pub(super) fn has_most_open_calls(&self) -> bool {
        self.open_calls().count() == MAX_OPEN_CALLS
    }

    /// Flushes the oldest open call, and serves one that can be left open in its place.
    #[inline(never)]
    pub(super) fn flush_oldest_and_serve_call(&mut self) -> Option<&mut M::Context> {
        if let Some(call) = self.processor.open_call {
            self.flush(call, MAX_OPEN_CALLS - 1);
        }
        self.serve_call()
    }

    /// Flushes the open calls that are older than the newest `kept`.
    #[inline(never)]
    fn flush(&mut self, newest: OpenCall, kept: usize) {
        let mut calls = [newest; MAX_OPEN_CALLS];
        let mut count = 0;
        for (place, call) in calls.iter_mut().zip(self.open_calls()) {
            *place = call;
            count += 1;
        }
        if kept == 0 {
            self.processor.open_call = None;
        }
        let older = calls.get(kept..count).unwrap_or_default();
        older.iter().rev().for_each(|call| self.flush_one(*call));
    }

    fn flush_one(&mut self, OpenCall { caller, endpoint }: OpenCall) {
        let Endpoint::LoneReceiver { thread: server, reply } = self.endpoints[endpoint] else { return };
        self.threads[server].serves = None;
        self.endpoints[endpoint] = Endpoint::Idle;
        self.threads[server].state = State::Runnable;
        self.owe_and_lend(reply, caller, server);
        let has_fault = self.threads[caller].fault.is_some();
        let again = if has_fault { Restart::ProgramCounter } else { Restart::SystemCall };
        self.threads[caller].state = State::Calling { reply, again };
    }
}
