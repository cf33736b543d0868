//! What is checked after every event: the kernel's own invariants, that the hardware is what the kernel believes, and
//! what the kernel does not check itself.

use core::fmt::Debug;

use limen_abi::limits::PAUSE_US;
use limen_core::machine::Machine as _;
use limen_core::object::reply::Reply;
use limen_core::object::thread::State;

use super::system::System;

impl System {
    /// Fails if something does not hold after `what`.
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

    /// Timer, address space, floating-point unit and counter are set for the thread that runs.
    fn check_hardware(&self) -> Result<(), &'static str> {
        let (core, machine) = (&self.kernel.processor, &self.kernel.machine);
        ensure(machine.deadline == core.programmed, "the timer is not set to what the kernel believes")?;
        let owner = core.fpu.owner();
        ensure(owner.is_none() || machine.fpu.holds == owner, "the unit is not whose the kernel believes")?;
        ensure(machine.fpu.is_on == core.fpu.is_on(), "the unit is not on as the kernel believes")?;
        ensure(machine.space == core.space, "the address space is not what the kernel believes")?;
        ensure(machine.counter == core.counter, "the counter is not as the kernel believes")?;
        ensure(core.since <= machine.time(), "time was charged that has not passed")
    }

    /// The processor idles only if nobody could run, or the timer is about to go on.
    fn check_idle(&self) -> Result<(), &'static str> {
        let nobody = self.kernel.processor.queues.ready.iter(&self.kernel.links).next().is_none();
        let machine = &self.kernel.machine;
        let is_short = self.current().is_some()
            || nobody
            || machine.deadline <= machine.time() + machine.ticks_from_us(PAUSE_US);
        ensure(is_short, "the processor idles while a thread could run")
    }

    /// A call that has lent a scheduling context is found in the stack of that scheduling context.
    fn check_loans(&self) -> Result<(), &'static str> {
        let kernel = &self.kernel;
        for (id, reply) in kernel.replies.iter() {
            let Reply::Owed { loan: Some(loan), .. } = reply else { continue };
            let mut next = kernel.sched_contexts[loan.sched_context].top;
            while let Some(above) = next.filter(|above| *above != id) {
                let Reply::Owed { loan: Some(loan), .. } = kernel.replies[above] else { break };
                next = loan.below;
            }
            ensure(next == Some(id), "a call has lent what its stack does not know of")?;
        }
        Ok(())
    }

    /// A reply object that a receiver waits with is free, and no other receiver waits with it.
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
                "a receiver waits with a reply object in use",
            )?;
            ensure(!waiting[..index].contains(reply), "two receivers wait with one reply object")?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(otherwise) }
}
