//! Domains: groups of threads that run in turn by a fixed schedule and cannot influence each other's slots.
//!
//! The queues of the running domain are in the processor; those of the other domains are stored in `other_queues`, so
//! scheduling in one domain reads and writes nothing that belongs to another. Each slot ends relative to the end of
//! the slot before, so a late switch shortens the slot that begins and shifts no other.
//!
//! Every processor has a schedule, and all begin at the same instant. So slots that the schedules of two processors begin at
//! the same time do begin together, each as exactly as on one processor.

use limen_abi::limits;
use limen_image::{DomainSlot, Image};

use super::queue::{Queue, ThreadLinks};
use super::ready::ReadyQueues;
use crate::arena::ThreadId;
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};

/// Whether there is more than one domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domains {
    /// One: every thread is always in the current domain.
    One,
    /// All domains that the schedule names.
    Many,
}

/// The threads of a domain that wait for the processor or for budget.
#[derive(Clone, Copy, Debug)]
pub struct DomainQueues {
    /// Threads that are ready to run.
    pub ready: ReadyQueues,
    /// Threads without budget, ordered by release time.
    pub postponed: Queue,
}

impl DomainQueues {
    /// Empty queues.
    pub const EMPTY: Self = Self { ready: ReadyQueues::EMPTY, postponed: Queue::EMPTY };
}

/// One entry of the domain schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The domain.
    pub domain: u8,
    /// Its length.
    pub duration: Ticks,
}

/// The domain schedule of a processor.
#[derive(Debug)]
pub struct Schedule {
    slots: [Slot; limits::DOMAIN_SCHEDULE],
    length: usize,
    position: usize,
}

impl Schedule {
    /// No schedule: one domain, forever.
    pub const NONE: Self =
        Self { slots: [Slot { domain: 0, duration: 0 }; limits::DOMAIN_SCHEDULE], length: 0, position: 0 };

    /// Reads the schedule of a processor; none if the image has no slots. Called once.
    fn read<M: Machine>(&mut self, image: &Image<'_>, processor: u8, machine: &M) {
        let is_here = |slot: &DomainSlot| slot.processor == u64::from(processor);
        for (to, slot) in self.slots.iter_mut().zip(image.domain_schedule().filter(is_here)) {
            let duration = machine.ticks_from_us(slot.duration_us) + slot.duration_ticks;
            *to = Slot { domain: slot.domain as u8, duration };
            self.length += 1;
        }
    }

    /// Returns the running slot, if there is a schedule.
    #[must_use]
    pub fn current(&self) -> Option<Slot> {
        self.slots.get(..self.length)?.get(self.position).copied()
    }

    /// Advances to the next slot; the first one follows the last.
    fn advance(&mut self) -> Option<Slot> {
        self.position += 1;
        self.current().or_else(|| {
            self.position = 0;
            self.current()
        })
    }
}

impl<M: Machine> Kernel<M> {
    /// Returns the queues of a domain and the links they use.
    #[inline]
    pub(crate) fn queues_of(&mut self, domain: u8) -> (&mut DomainQueues, &mut ThreadLinks) {
        let queues = if domain == self.processor.domain {
            &mut self.processor.queues
        } else {
            &mut self.other_queues[usize::from(domain) % limits::DOMAINS]
        };
        (queues, &mut self.links)
    }

    /// Stores the queues of the current domain and loads those of another. The new domain's entry in `other_queues` is
    /// stale until its queues are stored again.
    fn change_domain(&mut self, domain: u8) {
        let place = |domain: u8| usize::from(domain) % limits::DOMAINS;
        self.other_queues[place(self.processor.domain)] = self.processor.queues;
        self.processor.queues = self.other_queues[place(domain)];
        self.processor.domain = domain;
    }

    /// Selects the first slot of this processor's schedule, if there is one.
    pub(crate) fn populate_domains(&mut self, image: &Image<'_>) {
        self.schedule.read(image, self.processor.number, &self.machine);
        if let Some(slot) = self.schedule.current() {
            self.processor.domain = slot.domain;
            self.processor.queues.ready.expect_domains();
            self.other_queues.iter_mut().for_each(|queues| queues.ready.expect_domains());
        }
    }

    /// Returns when the first slot ends.
    pub(crate) fn first_slot_end(&self) -> Ticks {
        self.schedule.current().map_or(Ticks::MAX, |slot| self.processor.since.saturating_add(slot.duration))
    }

    /// Enqueues the current thread in its domain. If its budget ends together with the slot, the timeout fault is
    /// delivered as usual.
    fn leave_slot(&mut self, current: ThreadId) {
        if self.has_slice_left(current) {
            self.processor.queues.ready.push_front(&mut self.links, current, self.threads[current].priority);
        } else if let Some(outcome) = self.deliver_timeout(current) {
            outcome.woken.into_iter().for_each(|woken| self.enqueue(woken));
        } else {
            self.enqueue(current);
        }
    }

    /// Ends the slot of the current domain: enqueues the current thread and switches to the next domain. Time must
    /// have been charged up to now.
    #[cold]
    pub(crate) fn end_domain_slot(&mut self) {
        self.processor.sched_context = None;
        if let Some(current) = self.processor.current {
            self.leave_slot(current);
        }
        let left = self.processor.domain;
        while self.processor.slot_end <= self.processor.since {
            let Some(slot) = self.schedule.advance() else { return };
            self.processor.slot_end = self.processor.slot_end.saturating_add(slot.duration);
            self.change_domain(slot.domain);
        }
        if self.processor.domain != left {
            self.exchange_lines(left);
            self.processor.fpu.leave_domain(&mut self.machine);
        }
        self.arm_for_slot();
        self.release_due();
        self.run_highest();
    }
}
