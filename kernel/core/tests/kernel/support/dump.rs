//! A textual dump of a system's state, for failed tests.

use core::fmt::Write;

use limen_core::object::endpoint::Endpoint as EndpointState;
use limen_core::object::notification::Notification as NotificationState;
use limen_core::object::reply::Reply as ReplyState;
use limen_core::object::sched_context::SchedContext as SchedContextState;

use super::context::{PC, X0};
use super::system::System;

impl System {
    /// Describes threads, objects in use, and the processor.
    pub(crate) fn dump(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("writing to a string cannot fail");
        out
    }

    fn write(&self, out: &mut String) -> core::fmt::Result {
        let kernel = &self.kernel;
        let current = self.current().map_or("no thread", |thread| self.name(thread));
        let (core, machine) = (&kernel.processor, &kernel.machine);
        writeln!(out, "{current} runs at {}, timer at {}", machine.now, core.programmed)?;
        for thread in self.threads() {
            let state = &kernel.threads[thread.id()];
            let registers = &state.context.registers;
            write!(out, "  {:?} {} [{}]", thread.id(), self.name(thread), state.priority)?;
            write!(out, " {:?} on {:?}, bound to ", state.state, state.sched_context)?;
            write!(out, "{:?}, fault {:x?}", state.notification, state.fault)?;
            writeln!(out, ", pc {:#x}, x0.. {:x?}", registers[PC], &registers[X0..X0 + 8])?;
        }
        let ready: Vec<_> = core.queues.ready.iter(&kernel.links).collect();
        writeln!(out, "  ready {ready:?}")?;
        for (id, endpoint) in kernel.endpoints.iter().filter(|(_, e)| **e != EndpointState::Idle) {
            writeln!(out, "  endpoint {id:?}: {endpoint:?}")?;
        }
        for (id, state) in kernel.notifications.iter().filter(|(_, n)| **n != NotificationState::IDLE) {
            writeln!(out, "  notification {id:?}: {state:?}")?;
        }
        for (id, reply) in kernel.replies.iter().filter(|(_, r)| **r != ReplyState::Free) {
            writeln!(out, "  reply {id:?}: {reply:?}")?;
        }
        for (id, state) in kernel.sched_contexts.iter().filter(|(_, s)| **s != SchedContextState::UNUSED) {
            writeln!(out, "  scheduling context {id:?}: {state:?}")?;
        }
        Ok(())
    }
}
