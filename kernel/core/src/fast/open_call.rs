//! Open calls: a call updates the objects only if something other than its reply happens next.
//!
//! Most servers reply at once. A full call would record that the caller blocks on the reply object and lends its time, and
//! the reply would undo both. So a call to a server that waits alone transfers its message, switches to the server, and
//! stays *open*: the kernel notes only the caller and the endpoint. If the next event is the reply, it transfers its message
//! and switches back. Any other event *flushes* the call first: it updates the objects as the slow path would have.
//!
//! A call is open only while its server runs, and only where there is one domain. With several domains no thread is known
//! to have the highest priority, so no domain can observe how another one left the kernel.

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

impl<M: Machine> Kernel<M> {
    /// Flushes the open call, if there is one. Required before objects are inspected from outside.
    #[inline(always)]
    pub fn flush_open_call(&mut self) {
        if let Some(call) = self.processor.open_call {
            self.flush(call);
        }
    }

    /// Flushes the open call of a server that makes a system call, and serves that.
    #[inline(never)]
    pub(super) fn flush_and_serve(&mut self, number: i64) -> Option<&mut M::Context> {
        self.flush_open_call();
        self.serve_syscall(number)
    }

    #[inline(never)]
    fn flush(&mut self, OpenCall { caller, endpoint }: OpenCall) {
        self.processor.open_call = None;
        let Endpoint::LoneReceiver { thread: server, reply } = self.endpoints[endpoint] else { return };
        self.endpoints[endpoint] = Endpoint::Idle;
        self.threads[server].state = State::Runnable;
        self.owe_and_lend(reply, caller, server);
        let has_fault = self.threads[caller].fault.is_some();
        let again = if has_fault { Restart::ProgramCounter } else { Restart::SystemCall };
        self.threads[caller].state = State::Calling { reply, again };
    }
}
