//! Checks after every event: the kernel's own invariants, the agreement of hardware and kernel state, and properties
//! that the kernel does not check itself.

use core::fmt::Debug;

use limen_abi::limits::PAUSE_US;
use limen_core::machine::Machine as _;
use limen_core::object::reply::Reply;
use limen_core::object::thread::State;

use super::system::System;

impl System {
    /// Fails if a check fails after `what`.
    pub(crate) fn verify(&self, what: impl Debug) {
        let checks = [
            self.kernel.check_invariants(),
            self.check_hardware(),
            self.check_idle(),
            self.check_loans(),
            self.check_waiting_reply_objects(),
        ];
        if let Some(broken) = checks.into_iter().find_map(Result::err) {
            self.fail(&format!("after {what:?}: {broken}"));
        }
    }

    /// Timer, address space, floating-point unit and counter are in the state that the kernel assumes.
    fn check_hardware(&self) -> Result<(), &'static str> {
        let (core, machine) = (&self.kernel.processor, &self.kernel.machine);
        ensure(machine.deadline == core.programmed, "the timer is not set to the kernel's value")?;
        let owner = core.fpu.owner();
        ensure(
            owner.is_none() || machine.fpu.holds == owner,
            "the unit does not contain its owner's registers",
        )?;
        ensure(machine.fpu.is_on == core.fpu.is_on(), "the unit is not on or off as the kernel assumes")?;
        ensure(machine.space == core.space, "the address space is not the one that the kernel assumes")?;
        ensure(machine.counter == core.counter, "access to the counter is not as the kernel assumes")?;
        ensure(core.since <= machine.time(), "time was charged that has not passed yet")
    }

    /// The processor idles only if no thread is ready, or until the timer continues a search.
    fn check_idle(&self) -> Result<(), &'static str> {
        let none_ready = self.kernel.processor.queues.ready.iter(&self.kernel.links).next().is_none();
        let machine = &self.kernel.machine;
        let is_short = self.current().is_some()
            || none_ready
            || !self.kernel.processor.mail.is_empty()
            || machine.deadline <= machine.time() + machine.ticks_from_us(PAUSE_US);
        ensure(is_short, "the processor idles while a thread is ready")
    }

    /// A call that has lent a scheduling context is on the stack of that scheduling context.
    fn check_loans(&self) -> Result<(), &'static str> {
        let kernel = &self.kernel;
        for (id, reply) in kernel.replies.iter() {
            let Reply::Owed { loan: Some(loan), .. } = reply else { continue };
            let mut next = kernel.sched_contexts[loan.sched_context].top;
            while let Some(above) = next.filter(|above| *above != id) {
                let Reply::Owed { loan: Some(loan), .. } = kernel.replies[above] else { break };
                next = loan.below;
            }
            ensure(next == Some(id), "a loan is not on the stack of its scheduling context")?;
        }
        Ok(())
    }

    /// The reply object of a receiver is free, and no other receiver has it.
    fn check_waiting_reply_objects(&self) -> Result<(), &'static str> {
        let waits_with = |state| match state {
            State::Receiving { reply, .. } => reply,
            _ => None,
        };
        let waiting: Vec<_> =
            self.kernel.threads.iter().filter_map(|(_, thread)| waits_with(thread.state)).collect();
        for (index, reply) in waiting.iter().enumerate() {
            ensure(
                self.kernel.replies[*reply] == Reply::Free,
                "a receiver waits with a reply object that is owed",
            )?;
            ensure(!waiting[..index].contains(reply), "two receivers wait with the same reply object")?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(otherwise) }
}
