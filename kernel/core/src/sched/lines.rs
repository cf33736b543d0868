//! Interrupt lines by domain: those of a domain that does not run are suspended, so that its devices interrupt no other.
//!
//! A line belongs to the domain of the thread that its notification is bound to at boot. One whose notification is bound to
//! nobody belongs to none, and interrupts whoever runs. All lines of a domain are suspended and resumed together,
//! whatever has become of them meanwhile: how long that takes says nothing about them.

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
    /// Finds the domains of the lines, if there are domains. After threads and interrupts.
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

    /// Suspends the lines of all domains but the one that begins.
    pub(crate) fn begin_lines(&mut self) {
        let running = self.processor.domain;
        (0..limits::DOMAINS as u8)
            .filter(|domain| *domain != running)
            .for_each(|other| self.suspend_lines(other));
    }

    /// The current domain has taken the place of another.
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
