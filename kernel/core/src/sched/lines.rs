//! Interrupt lines by domain. The lines of domains that do not run are suspended, so their devices cannot interrupt
//! the running domain.
//!
//! A line belongs to the domain of the thread to which its notification is bound at boot. If the notification is not
//! bound, the line belongs to no domain and may interrupt any of them. All lines of a domain are suspended and resumed
//! together, whatever their state, so the time that takes reveals nothing about them.

use limen_abi::limits;
use limen_image::Image;

use crate::arena::{Arena, IrqId, tag};
use crate::kernel::{Irqs, Kernel};
use crate::machine::Machine;

/// The lines of each domain.
#[derive(Debug)]
pub struct DomainLines {
    first: [Option<IrqId>; limits::DOMAINS],
    next: Arena<tag::Irq, Option<IrqId>, { limits::INTERRUPTS }>,
}

impl DomainLines {
    /// No domain has lines.
    pub const NONE: Self =
        Self { first: [None; limits::DOMAINS], next: Arena::new([None; limits::INTERRUPTS]) };

    fn add(&mut self, domain: u8, id: IrqId) {
        let first = &mut self.first[usize::from(domain) % limits::DOMAINS];
        self.next[id] = first.replace(id);
    }

    fn first_of(&self, domain: u8) -> Option<IrqId> {
        self.first[usize::from(domain) % limits::DOMAINS]
    }
}

impl<M: Machine> Kernel<M> {
    /// Assigns lines to domains, if there are domains. Threads and interrupts must be populated already.
    pub(crate) fn populate_lines(&mut self, image: &Image<'_>) {
        if self.schedule.current().is_none() {
            return;
        }
        for id in (0..image.interrupts().count() as u64).filter_map(Irqs::id) {
            if let Some(driver) = self.notifications[self.irqs[id].notification].thread {
                self.domain_lines.add(self.threads[driver].domain, id);
            }
        }
    }

    /// Suspends the lines of all domains but the first one that runs.
    pub(crate) fn begin_lines(&mut self) {
        let running = self.processor.domain;
        (0..limits::DOMAINS as u8)
            .filter(|domain| *domain != running)
            .for_each(|other| self.suspend_lines(other));
    }

    /// Suspends the lines of the domain `left` and resumes those of the current one.
    pub(crate) fn exchange_lines(&mut self, left: u8) {
        self.suspend_lines(left);
        self.resume_lines(self.processor.domain);
    }

    fn suspend_lines(&mut self, domain: u8) {
        let mut next = self.domain_lines.first_of(domain);
        while let Some(id) = next {
            self.machine.suspend_line(self.irqs[id].line);
            next = self.domain_lines.next[id];
        }
    }

    fn resume_lines(&mut self, domain: u8) {
        let mut next = self.domain_lines.first_of(domain);
        while let Some(id) = next {
            let irq = &self.irqs[id];
            self.machine.resume_line(irq.line, irq.state);
            next = self.domain_lines.next[id];
        }
    }
}
