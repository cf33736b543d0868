//! Creates the kernel's objects from a boot image.
//!
//! The image has been validated, so all indices are in range; a record with an index out of range would be skipped.

use limen_abi::{FpuPolicy, slot};
use limen_image::{CapKind, Image, NONE, ThreadFlags};

use crate::arena::{Id, ThreadId};
use crate::cap::{Cap, CapTable, Rights, RootTable};
use crate::inbox::Inbox;
use crate::kernel::{
    Endpoints, Irqs, Kernel, Keys, Notifications, Replies, SampleRings, SchedContexts, Services, Threads,
    Vspaces,
};
use crate::machine::{Context, CounterAccess, Line, Machine, Ticks};
use crate::object::io_port::Ports;
use crate::object::irq::{self, Irq};
use crate::object::key::Key;
use crate::object::service::Service;
use crate::object::thread::State;
use crate::processors::keeper::KEEPER;
use crate::processors::mailbox::bit;

/// Iterates over all capabilities of the image, with their thread and slot.
pub fn caps<M: Machine>(image: &Image<'_>) -> impl Iterator<Item = (ThreadId, u64, Cap)> {
    let are_several = image.processors() > 1;
    image.caps().filter_map(move |record| {
        let cap = cap::<M>(&record)?;
        let cap = if are_several { seen_from_home(image, &record, cap) } else { cap };
        Some((Threads::<M>::id(record.table)?, record.slot, cap))
    })
}

/// Returns a capability as the home of its holder has it.
fn seen_from_home(image: &Image<'_>, record: &limen_image::Cap, cap: Cap) -> Cap {
    let home = |thread| image.thread(thread).map_or(0, |thread| thread.processor);
    let object = match cap {
        Cap::Thread(_) => home(record.object),
        Cap::Endpoint { .. } => image.endpoint_home(record.object),
        Cap::Notification { .. } => image.notification_home(record.object),
        Cap::SchedContext(_) => {
            image.sched_contexts().nth(record.object as usize).map_or(0, |record| record.processor)
        }
        Cap::Interrupt(_) => {
            image.interrupts().nth(record.object as usize).map_or(0, |record| record.processor)
        }
        // The kernel that may look at the thread begins a reset.
        Cap::Service(_) => match image.services().nth(record.object as usize) {
            Some(service) if service.owner != NONE => home(service.owner),
            _ => return cap,
        },
        // Also on the keeper's own processor.
        Cap::Key(_) | Cap::Probe => return cap.elsewhere(KEEPER).unwrap_or(cap),
        _ => return cap,
    };
    if object == home(record.table) { cap } else { cap.elsewhere(object as u8).unwrap_or(cap) }
}

/// Places a capability into a slot of a thread's tables.
pub fn place(table: &mut CapTable, root: &mut RootTable, slot: u64, cap: Cap) {
    match slot.checked_sub(slot::ROOT) {
        None => table.place(slot, cap),
        Some(root_slot) => root.place(root_slot, cap),
    }
}

fn cap<M: Machine>(record: &limen_image::Cap) -> Option<Cap> {
    let (object, badge) = (record.object, record.badge);
    let rights = Rights::from_bits(record.rights);
    Some(match CapKind::from_raw(record.kind)? {
        CapKind::Thread => Cap::Thread(Threads::<M>::id(object)?),
        CapKind::Endpoint => Cap::Endpoint { id: Endpoints::id(object)?, badge, rights },
        CapKind::Notification => Cap::Notification { id: Notifications::id(object)?, badge, rights },
        CapKind::Reply => Cap::Reply(Replies::id(object)?),
        CapKind::SchedContext => Cap::SchedContext(SchedContexts::id(object)?),
        CapKind::Vspace => Cap::Vspace(Vspaces::<M>::id(object)?),
        CapKind::SchedControl => Cap::SchedControl,
        CapKind::Interrupt => Cap::Interrupt(Irqs::id(object)?),
        CapKind::SecureMonitor => Cap::SecureMonitor,
        CapKind::FpuCounters => Cap::FpuCounters,
        CapKind::FpuPolicy => Cap::FpuPolicy,
        CapKind::Probe => Cap::Probe,
        CapKind::Key => Cap::Key(Keys::id(object)?),
        CapKind::Service => Cap::Service(Services::<M>::id(object)?),
        CapKind::IoPort => {
            Cap::IoPort { ports: Ports { first: object as u16, last: badge as u16 }.as_word() }
        }
    })
}

impl<M: Machine> Kernel<M> {
    /// Creates the objects of the image whose home is the processor with this number, and makes their threads ready.
    /// `enter_space` returns the address space that the port built for an index; the port may record it in the registers of
    /// the thread. A thread without an address space never runs.
    pub fn populate(
        &mut self,
        image: &Image<'_>,
        number: u8,
        enter_space: impl Fn(u64, &mut M::Context) -> Option<M::Space>,
    ) {
        let is_here = |processor: u64| processor == u64::from(number);
        self.processor.number = number;
        self.processors = image.processors() as u8;
        self.options = image.options();
        self.trace.threads = image.thread_count() as usize;
        self.processor.programmed = Ticks::MAX;
        self.set_fpu_policy(FpuPolicy::SemiLazy, 0);
        self.populate_domains(image);
        for (index, record) in
            image.sched_contexts().enumerate().filter(|(_, record)| is_here(record.processor))
        {
            if let Some(id) = SchedContexts::id(index as u64) {
                self.configure(id, record.budget_us, record.period_us, Ticks::MAX);
                self.guest_entries &= !bit(id);
            }
        }
        for (index, record) in image.interrupts().enumerate().filter(|(_, record)| is_here(record.processor))
        {
            self.populate_interrupt(index as u64, &record);
        }
        if number == 0 {
            self.populate_keys(image);
        }
        for (index, record) in image.threads().enumerate() {
            if let Some(id) = Threads::<M>::id(index as u64) {
                let thread = &mut self.threads[id];
                let Some(space) = enter_space(record.vspace, &mut thread.context) else { continue };
                thread.space = space;
                if let Some(vspace) = Vspaces::<M>::id(record.vspace) {
                    self.vspaces[vspace] = Some(space);
                }
                self.homes[id] = record.processor as u8;
                if is_here(record.processor) {
                    self.processor.residents |= bit(id);
                    self.populate_thread(id, &record);
                }
            }
        }
        for (index, record) in image.services().enumerate() {
            let mut unused = M::Context::ZERO;
            let space = enter_space(record.vspace, &mut unused);
            if let (Some(id), Some(space)) = (Services::<M>::id(index as u64), space) {
                let thread = |index: u64| {
                    Some((Threads::<M>::id(index)?, image.threads().nth(usize::try_from(index).ok()?)?))
                };
                self.services[id] = Service::new(&record, space, thread);
                self.populate_trigger(id, &record);
            }
        }
        for (index, record) in image.rings().enumerate() {
            if let Some(thread) = Threads::<M>::id(record.thread) {
                self.probes[thread].set_ring(SampleRings::id(index as u64));
            }
        }
        self.populate_lines(image);
        self.populate_counter(image);
    }

    /// If all threads have the same access to the cycle counter, sets it once.
    fn populate_counter(&mut self, image: &Image<'_>) {
        let grants = |thread: limen_image::Thread| thread.flags & ThreadFlags::COUNTER != 0;
        self.processor.counters_differ = image.threads().any(grants) && !image.threads().all(grants);
        if !self.processor.counters_differ && image.threads().any(grants) {
            self.allow_counter(CounterAccess::Granted);
        }
    }

    /// Dispatches the first thread, whose time and slot begin at `begin`: now, or with several processors, where it is the same for
    /// all, a moment ago. The image is no longer needed.
    pub fn start(&mut self, begin: Ticks) {
        self.processor.since = begin;
        self.processor.slot_end = self.first_slot_end();
        self.arm(self.processor.slot_end);
        self.begin_lines();
        self.run_highest();
        self.hide();
    }

    fn populate_keys(&mut self, image: &Image<'_>) {
        for (index, record) in image.keys().enumerate() {
            if let Some(id) = Keys::id(index as u64) {
                self.keys[id] = Key::new(record.default != 0);
                self.key_count = index + 1;
            }
        }
        for (index, record) in image.keys().enumerate().filter(|(_, record)| record.group != NONE) {
            if let (Some(id), Some(group)) = (Keys::id(index as u64), Keys::id(record.group)) {
                self.enter_group(id, group);
            }
        }
    }

    fn populate_interrupt(&mut self, index: u64, record: &limen_image::Interrupt) {
        let (Some(id), Some(notification)) = (Irqs::id(index), Notifications::id(record.notification)) else {
            return;
        };
        let line = Line(record.line as u32);
        self.irqs[id] = Irq { state: irq::State::Armed, line, notification, badge: record.badge };
        if let Some(place) = self.irq_of_line.get_mut(line.0 as usize) {
            *place = Some(id);
        }
    }

    fn populate_thread(&mut self, id: ThreadId, record: &limen_image::Thread) {
        let table = self.machine.cap_table(id);
        let inbox = Inbox::of(table, Inbox::INPUT, Inbox::REPLY);
        let (fault_handler, timeout_handler) =
            (table.slot(record.fault_slot), table.slot(record.timeout_slot));
        let sched_context = optional(record.sched_context, SchedContexts::id);
        let notification = optional(record.notification, Notifications::id);
        let caps = self.machine.caps(id);
        let thread = &mut self.threads[id];
        thread.caps = caps;
        thread.context.set_register(M::Context::PC, record.entry);
        thread.context.set_register(M::Context::SP, record.stack_top);
        thread.priority = record.priority as u8;
        thread.max_priority = thread.priority;
        thread.fault_handler = fault_handler;
        thread.timeout_handler = timeout_handler;
        thread.inbox = inbox;
        thread.domain = record.domain as u8;
        thread.sched_context = sched_context;
        thread.notification = notification;
        thread.state = State::Runnable;
        thread.fpu = (record.flags & ThreadFlags::FPU_DISABLED == 0).then_some(id);
        if record.flags & ThreadFlags::COUNTER != 0 {
            thread.counter = CounterAccess::Granted;
        }
        if let Some(notification) = notification {
            self.notifications[notification].thread = Some(id);
        }
        if let Some(sched_context) = sched_context {
            self.sched_contexts[sched_context].thread = Some(id);
            self.enqueue(id);
        }
    }
}

fn optional<Tag>(index: u64, id: impl Fn(u64) -> Option<Id<Tag>>) -> Option<Id<Tag>> {
    if index == NONE { None } else { id(index) }
}
