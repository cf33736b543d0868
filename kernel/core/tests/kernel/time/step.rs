//! A random step: the running thread computes for a while, late timer interrupts come, then the thread performs an
//! operation.

use limen_abi::{ErrorCode, Label, Syscall};
use limen_core::event::Event;
use limen_core::fault::{Access, Fault};
use limen_core::machine::{Context, Interrupt, Line, Ticks};
use proptest::prelude::*;

use super::record::Record;
use super::world::{self, CALL, CONTROL, RECEIVE, SERVICE, SIGNAL, THREAD, TIME, WAIT, World, budgets};
use crate::support::{Arguments, Thread};

/// A random step.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// How long the running thread computes first.
    ticks: Ticks,
    /// The lateness of timer interrupts in that time.
    late: Ticks,
    /// Whether the thread enters the kernel before a late interrupt.
    races: bool,
    action: u8,
    worker: u64,
    limit: (u64, u64),
}

/// Random steps.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    let ticks = prop_oneof![4 => 0..20u64, 3 => 0..150u64, 1 => 0..3000u64];
    (ticks, 0..40u64, any::<bool>(), any::<u8>(), 0..7u64, budgets()).prop_map(
        |(ticks, late, races, action, worker, limit)| Step { ticks, late, races, action, worker, limit },
    )
}

impl Step {
    /// Performs the step.
    pub(super) fn perform(&self, world: &mut World, record: &mut Record) {
        let mut left = self.ticks;
        while let Some(until_interrupt) = self.until_interrupt(world).filter(|until| *until <= left) {
            record.pass(world, until_interrupt);
            left -= until_interrupt;
            if self.races && left < 100 {
                self.act(world, record);
            }
            interrupt(world, record, Interrupt::Timer);
        }
        record.pass(world, left);
        self.act(world, record);
    }

    /// Returns the ticks until the timer interrupt is taken. An interrupt that becomes due in the kernel is taken at
    /// once.
    fn until_interrupt(&self, world: &World) -> Option<Ticks> {
        let machine = &world.system.kernel.machine;
        if machine.deadline == Ticks::MAX {
            return None;
        }
        let late = self.late.min(world.latest);
        Some(machine.deadline.saturating_add(late).saturating_sub(machine.time()))
    }

    fn act(&self, world: &mut World, record: &mut Record) {
        let Some(thread) = world.system.current() else {
            return interrupt(world, record, Interrupt::Line(Line(1000)));
        };
        record.open(world);
        let index = self.worker % world.workers;
        if world.system.kernel.is_at_work() {
            return self.continue_work(world, record, thread);
        }
        if thread == world.handler {
            world.system.reply_recv(thread, RECEIVE, 0, &[]);
        } else if thread.0 < world.workers {
            self.work(world, thread, index);
        } else {
            self.supervise(world, thread, index);
        }
        record.close(world, self.read_time(world, thread, index));
    }

    /// Continues or ends the work of a service.
    fn continue_work(&self, world: &mut World, record: &mut Record, thread: Thread) {
        if self.action.is_multiple_of(2) {
            world.system.finish_work(thread, [1, 2, 3, 4]);
        } else {
            world.system.kernel.machine.interrupt = Some(Interrupt::Line(Line(1000)));
            world.system.event(Event::Interrupt);
        }
        record.close(world, None);
    }

    /// The operations of workers.
    fn work(&self, world: &mut World, thread: Thread, index: u64) {
        let system = &mut world.system;
        match self.action % 20 {
            0..=3 => system.call(thread, CALL + index, 0, &[]),
            4..=8 => system.reply_recv(thread, RECEIVE, 0, &[]),
            9 | 10 => system.wait(thread, WAIT),
            11 => system.signal(thread, SIGNAL + index),
            12 => system.run_service(thread, SERVICE),
            13 => system.yield_slice(thread),
            14 => system.nb_send(thread, CALL + index, 0, &[]),
            15 => system.nb_send_recv(thread, SIGNAL + index, RECEIVE, 0, &[]),
            16 => system.fault(thread, Fault::Vm { address: 8, access: Access::Data, status: 0 }),
            _ => self.control(world, thread, index, self.action),
        }
    }

    /// The operations of supervisors, which never block.
    fn supervise(&self, world: &mut World, thread: Thread, index: u64) {
        match self.action % 8 {
            0..=2 => world.system.signal(thread, SIGNAL + index),
            3 if self.races => self.disturb(world, thread, index),
            3 => world.system.yield_slice(thread),
            4 => world.system.call(thread, THREAD + index, Label::TcbResume.as_raw(), &[]),
            _ => self.control(world, thread, index, self.action / 8),
        }
    }

    /// Invocations that change nothing for a program but abandon its work.
    fn disturb(&self, world: &mut World, thread: Thread, index: u64) {
        let label = [Label::TcbWriteRegisters, Label::TcbSetFlags][usize::from(self.late.is_multiple_of(2))];
        world.system.call(thread, THREAD + index, label.as_raw(), &[0, 0]);
    }

    /// Invocations of another worker or of the thread itself.
    fn control(&self, world: &mut World, thread: Thread, index: u64, action: u8) {
        match action % 6 {
            0 => self.configure(world, thread, index),
            1 => world.system.call(thread, THREAD + index, Label::TcbSuspend.as_raw(), &[]),
            2 => world.system.call(thread, THREAD + index, Label::TcbResume.as_raw(), &[]),
            _ => world.system.call(thread, TIME + index, Label::SchedContextConsumed.as_raw(), &[]),
        }
    }

    fn configure(&self, world: &mut World, thread: Thread, index: u64) {
        let (budget, period) = self.limit;
        let words = [budget, period, 0, 0, 0];
        let label = Label::SchedControlConfigureFlags.as_raw();
        world.system.syscall(
            thread,
            Syscall::Call,
            CONTROL,
            &Arguments { label, words: &words, caps: &[TIME + index] },
        );
        assert_eq!(world.system.context(thread).info().label(), ErrorCode::NoError.as_raw());
        let time = world.times[index as usize].0 as usize;
        world.limits[time] = world::limit(budget, period);
    }

    /// Returns the scheduling context whose consumed time the last call read, and that time.
    fn read_time(&self, world: &World, thread: Thread, index: u64) -> Option<(usize, Ticks)> {
        let reads = |action: u8| action % 6 > 2;
        let is_read = if thread.0 < world.workers {
            self.action % 20 > 16 && reads(self.action)
        } else {
            thread != world.handler && self.action % 8 > 4 && reads(self.action / 8)
        };
        is_read.then(|| (world.times[index as usize].0 as usize, world.system.message_word(thread, 0)))
    }
}

fn interrupt(world: &mut World, record: &mut Record, interrupt: Interrupt) {
    record.open(world);
    world.system.kernel.machine.interrupt = Some(interrupt);
    world.system.event(Event::Interrupt);
    record.close(world, None);
}
