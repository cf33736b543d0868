//! Domains: groups of threads that take turns by a fixed schedule, and cannot change each other's turns.
//!
//! The queues of the domain that runs are in the core, those of the others are put away: what is done with the
//! scheduler in one domain reads and writes nothing that belongs to another. The end of a slot is counted from the end
//! of the slot before, so a late switch takes from the slot that begins and moves no other.

use limen_abi::limits;
use limen_image::Image;

use super::queue::{Queue, ThreadLinks};
use super::ready::ReadyQueues;
use crate::arena::ThreadId;
use crate::kernel::Kernel;
use crate::machine::{Machine, Ticks};

/// Whether there is more than one domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domains {
    /// One: no thread is ever in another domain than the current one.
    One,
    /// As many as the schedule names.
    Many,
}

/// The threads of a domain that wait for the processor.
#[derive(Clone, Copy, Debug)]
pub struct DomainQueues {
    /// Those that could run.
    pub ready: ReadyQueues,
    /// Those without time, in the order in which they are released.
    pub postponed: Queue,
}

impl DomainQueues {
    /// Queues without threads.
    pub const EMPTY: Self = Self { ready: ReadyQueues::EMPTY, postponed: Queue::EMPTY };
}

/// A turn of a domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Whose.
    pub domain: u8,
    /// How long; zero ends the schedule.
    pub duration: Ticks,
}

/// The turns of all domains, in order.
#[derive(Debug)]
pub struct Schedule {
    slots: [Slot; limits::DOMAIN_SCHEDULE],
    start: usize,
    position: usize,
}

impl Schedule {
    /// One domain that runs for ever.
    pub const NONE: Self =
        Self { slots: [Slot { domain: 0, duration: 0 }; limits::DOMAIN_SCHEDULE], start: 0, position: 0 };

    /// The schedule of an image; none if it has no slots.
    pub(crate) fn of<M: Machine>(image: &Image<'_>, machine: &M) -> Self {
        let mut schedule = Self::NONE;
        schedule.start = image.counts().domain_start as usize;
        schedule.position = schedule.start;
        for (to, slot) in schedule.slots.iter_mut().zip(image.domain_schedule()) {
            let duration = machine.ticks_from_us(slot.duration_us) + slot.duration_ticks;
            *to = Slot { domain: slot.domain as u8, duration };
        }
        schedule
    }

    /// The slot that runs, if there is a schedule.
    #[must_use]
    pub fn current(&self) -> Option<Slot> {
        self.slots.get(self.position).copied().filter(|slot| slot.duration != 0)
    }

    /// Goes on to the next slot: behind the last one and an end marker, to that at the start.
    fn advance(&mut self) -> Option<Slot> {
        self.position += 1;
        self.current().or_else(|| {
            self.position = self.start;
            self.current()
        })
    }
}

impl<M: Machine> Kernel<M> {
    /// The queues of a domain, and the links in them.
    #[inline]
    pub(crate) fn queues_of(&mut self, domain: u8) -> (&mut DomainQueues, &mut ThreadLinks) {
        let queues = if domain == self.processor.domain {
            &mut self.processor.queues
        } else {
            &mut self.other_queues[usize::from(domain) % limits::DOMAINS]
        };
        (queues, &mut self.links)
    }

    /// Puts away the queues of the current domain and brings those of another. Its own place among the others holds what
    /// it had there, until it is put away again.
    fn change_domain(&mut self, domain: u8) {
        let place = |domain: u8| usize::from(domain) % limits::DOMAINS;
        self.other_queues[place(self.processor.domain)] = self.processor.queues;
        self.processor.queues = self.other_queues[place(domain)];
        self.processor.domain = domain;
    }

    /// Starts with the first slot of the image's schedule, if it has one.
    pub(crate) fn populate_domains(&mut self, image: &Image<'_>) {
        self.schedule = Schedule::of(image, &self.machine);
        if let Some(slot) = self.schedule.current() {
            self.processor.domain = slot.domain;
            self.processor.queues.ready.expect_domains();
            self.other_queues.iter_mut().for_each(|queues| queues.ready.expect_domains());
        }
    }

    /// When the slot that begins now ends.
    pub(crate) fn first_slot_end(&self) -> Ticks {
        self.schedule.current().map_or(Ticks::MAX, |slot| self.processor.since.saturating_add(slot.duration))
    }

    /// Queues the current thread in its domain. A budget that ends together with the slot is told of as at any other time.
    fn leave_slot(&mut self, current: ThreadId) {
        if self.has_turn(current) {
            self.processor.queues.ready.push_front(&mut self.links, current, self.threads[current].priority);
        } else if let Some(outcome) = self.deliver_timeout(current) {
            outcome.woken.into_iter().for_each(|woken| self.enqueue(woken));
        } else {
            self.enqueue(current);
        }
    }

    /// The current domain's time is over: the current thread is set aside, and the next domain runs. Everything was
    /// charged.
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
