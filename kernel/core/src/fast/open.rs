//! Open calls: what a call changes is written down only if something else happens before its answer.
//!
//! Most servers answer at once. Until then nothing has to be known but who called where: the caller would wait on the
//! reply object and lend its time, and the answer would undo both. So a call to a server that waits alone hands over its
//! message, lets the server run, and stays *open*; the answer that comes next hands over its message and lets the caller
//! run. Whatever comes instead *flushes* the call first: then everything is as after a call on the general path.
//!
//! A call is open only while its server runs, and only where there is one domain: elsewhere no short way finds that nobody
//! is more important, so no domain can see how another one left the kernel.

use crate::arena::{EndpointId, ThreadId};
use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::object::endpoint::Endpoint;
use crate::object::thread::{Restart, State};

/// A call or fault whose server runs, and has not done anything yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenCall {
    /// Who called or faulted.
    pub caller: ThreadId,
    /// Where. The endpoint still says who serves it, as if the server waited.
    pub endpoint: EndpointId,
}

impl<M: Machine> Kernel<M> {
    /// Writes down what an open call has left out, if there is one. Who looks at objects from outside does this first.
    #[inline(always)]
    pub fn flush_open_call(&mut self) {
        if let Some(call) = self.processor.open_call {
            self.flush(call);
        }
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
