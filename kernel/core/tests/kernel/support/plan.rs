//! Plans: descriptions of systems with threads, objects and capabilities, from which boot images are made.
//!
//! Every thread has its own address space, capability table and reply object (in slot [`REPLY`]), like a protection
//! domain.

use limen_abi::limits::{PAGE_BYTES, USER_TOP_AARCH64};
use limen_abi::{KernelKey, ServiceKind, trace};
use limen_core::arena::{EndpointId, IrqId, NotificationId, ReplyId, SchedContextId, ThreadId};
use limen_core::kernel::{Endpoints, Irqs, Notifications, Replies, SchedContexts, Threads};
use limen_core::machine::{Line, Ticks};
use limen_image::{
    Architecture, Board, Cap, CapKind, DomainSlot, Home, ImageWriter, Interrupt as InterruptRecord,
    InterruptSource, Key as KeyRecord, Mapping, MappingFlags, NONE, Options, Range, Region, RegionKind,
    Rights, Ring, RingKind, SchedContext as SchedRecord, Service as ServiceRecord, Thread as ThreadRecord,
    ThreadFlags,
};

use super::controller::{Controller, Wiring};
use super::machine::{Clock, HostMachine, Shared};
use super::processors::Processors;
use super::syscalls::REPLY;
use super::system::System;

/// The nominal physical address of the image.
const IMAGE_PADDR: u64 = 0x4100_0000;
/// The physical address of the memory that services need.
const WORK_PADDR: u64 = 0x4400_0000;
/// The physical address of the ring of the trace.
const TRACE_PADDR: u64 = 0x4700_0000;
/// The address of the memory that a service works on, in each address space for work.
const WORK_TARGET: u64 = 0x20_0000;
/// The address of the stack of services, in each address space for work.
const WORK_STACK: u64 = 0x40_0000;
/// The first slot that [`Plan::grant`] uses.
const FIRST_FREE_SLOT: u64 = 10;
/// The address of a ring of samples, in each address space.
const RING: u64 = 0x60_0000;
/// The entry point of the first thread; the others follow at this distance.
pub(crate) const ENTRY: u64 = 0x20_0000;
/// The initial stack pointer of the first thread; the others follow at the distance of [`ENTRY`].
pub(crate) const STACK: u64 = 0x80_0000_0000;
/// The default length of a slice in microseconds.
pub(crate) const SLICE_US: u64 = 1000;

macro_rules! handle {
    ($(#[$meta:meta])* $Name:ident => $Id:ty, $arena:ty) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) struct $Name(pub(crate) u64);

        impl $Name {
            /// Its id in the kernel.
            pub(crate) fn id(self) -> $Id {
                <$arena>::id(self.0).expect("a plan fits into the kernel")
            }
        }
    };
}

handle!(/// A thread of the plan.
    Thread => ThreadId, Threads<HostMachine>);
handle!(/// An endpoint of the plan.
    Endpoint => EndpointId, Endpoints);
handle!(/// A notification of the plan.
    Notification => NotificationId, Notifications);
handle!(/// A reply object of the plan.
    Reply => ReplyId, Replies);
handle!(/// An interrupt of the plan.
    Interrupt => IrqId, Irqs);
handle!(/// A scheduling context of the plan.
    SchedContext => SchedContextId, SchedContexts);

/// A capability that has not been placed yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    pub(crate) kind: CapKind,
    pub(crate) object: u64,
    pub(crate) badge: u64,
    pub(crate) rights: u64,
}

impl Grant {
    const fn plain(kind: CapKind, object: u64) -> Self {
        Self { kind, object, badge: 0, rights: 0 }
    }

    /// A capability to the I/O ports from `first` to `last`.
    pub(crate) const fn ports(first: u64, last: u64) -> Self {
        Self { badge: last, ..Self::plain(CapKind::IoPort, first) }
    }

    /// The right to configure scheduling contexts.
    pub(crate) const fn sched_control() -> Self {
        Self::plain(CapKind::SchedControl, 0)
    }

    /// The right to call the secure monitor.
    pub(crate) const fn secure_monitor() -> Self {
        Self::plain(CapKind::SecureMonitor, 0)
    }

    /// The right to read the floating-point counters.
    pub(crate) const fn fpu_counters() -> Self {
        Self::plain(CapKind::FpuCounters, 0)
    }

    /// The right to set the floating-point policy.
    pub(crate) const fn fpu_policy() -> Self {
        Self::plain(CapKind::FpuPolicy, 0)
    }

    /// The right to probe one's own kernel entries and returns.
    pub(crate) const fn probe() -> Self {
        Self::plain(CapKind::Probe, 0)
    }

    /// A capability to a static key.
    pub(crate) const fn key(index: u64) -> Self {
        Self::plain(CapKind::Key, index)
    }

    /// A capability to a service, for the thread that it belongs to.
    pub(crate) const fn service(index: u64) -> Self {
        Self::plain(CapKind::Service, index)
    }

    /// A capability to the address space of a thread.
    pub(crate) const fn vspace(thread: Thread) -> Self {
        Self::plain(CapKind::Vspace, thread.0)
    }
}

impl Thread {
    /// A capability to control the thread.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::Thread, self.0)
    }
}

impl Endpoint {
    /// A capability with these rights.
    pub(crate) const fn with(self, badge: u64, rights: u64) -> Grant {
        Grant { kind: CapKind::Endpoint, object: self.0, badge, rights }
    }

    /// A capability to call.
    pub(crate) const fn caller(self, badge: u64) -> Grant {
        self.with(badge, Rights::SEND | Rights::GRANT_REPLY)
    }

    /// A capability to send without receiving a reply.
    pub(crate) const fn sender(self, badge: u64) -> Grant {
        self.with(badge, Rights::SEND)
    }

    /// A capability to receive.
    pub(crate) const fn receiver(self) -> Grant {
        self.with(0, Rights::RECEIVE)
    }
}

impl Notification {
    /// A capability with these rights.
    pub(crate) const fn with(self, badge: u64, rights: u64) -> Grant {
        Grant { kind: CapKind::Notification, object: self.0, badge, rights }
    }

    /// A capability to signal.
    pub(crate) const fn signaller(self, badge: u64) -> Grant {
        self.with(badge, Rights::SEND)
    }

    /// A capability to wait.
    pub(crate) const fn waiter(self) -> Grant {
        self.with(0, Rights::RECEIVE)
    }
}

impl Reply {
    /// A capability to the reply object.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::Reply, self.0)
    }
}

impl Interrupt {
    /// A capability to acknowledge the interrupt.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::Interrupt, self.0)
    }

    /// Its line.
    pub(crate) const fn line(self) -> Line {
        Line(Controller::FIRST_LINE + self.0 as u32)
    }
}

impl SchedContext {
    /// A capability to control the scheduling context.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::SchedContext, self.0)
    }
}

/// A system under construction.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The contents of the image.
    pub(crate) writer: ImageWriter,
    names: Vec<String>,
    next_slots: Vec<u64>,
    clock: Clock,
    wirings: Vec<Wiring>,
    /// Whether a system records every event from boot on.
    pub(crate) is_recorded: bool,
    has_trace: bool,
}

impl Plan {
    /// Creates a system without threads, with one timer tick per microsecond.
    pub(crate) fn new() -> Self {
        let mut writer = ImageWriter::new(Architecture::Aarch64);
        writer.board = Board {
            user_top: USER_TOP_AARCH64,
            interrupt_lines: 288,
            timer_interrupt: 27,
            ..Board::default()
        };
        writer.ram = vec![Range { start: 0x4000_0000, end: 0x4800_0000 }];
        writer.reserved = vec![Range { start: 0x4000_0000, end: 0x4200_0000 }];
        writer.pool = Range { start: 0x4200_0000, end: 0x4300_0000 };
        Self {
            writer,
            names: Vec::new(),
            next_slots: Vec::new(),
            clock: Clock::PLAIN,
            wirings: Vec::new(),
            is_recorded: false,
            has_trace: false,
        }
    }

    /// Adds a thread with its own scheduling context, which has the same index.
    pub(crate) fn thread(&mut self, name: &str, priority: u8) -> Thread {
        let thread = self.passive(name, priority);
        let sched_context = self.sched_context(SLICE_US);
        self.record(thread).sched_context = sched_context.0;
        thread
    }

    /// Adds a thread without a scheduling context.
    pub(crate) fn passive(&mut self, name: &str, priority: u8) -> Thread {
        let index = self.writer.threads.len() as u64;
        self.writer.threads.push(ThreadRecord {
            name: limen_image::name_words(name),
            priority: u64::from(priority),
            vspace: index,
            entry: ENTRY + index * ENTRY,
            stack_top: STACK + index * ENTRY,
            ipc_buffer: PAGE_BYTES,
            sched_context: NONE,
            notification: NONE,
            fault_slot: NONE,
            timeout_slot: NONE,
            domain: 0,
            processor: 0,
            flags: 0,
        });
        self.writer.counts.vspaces += 1;
        self.names.push(name.to_owned());
        self.next_slots.push(FIRST_FREE_SLOT);
        let reply = self.reply();
        self.place(Thread(index), REPLY, reply.control());
        Thread(index)
    }

    /// Adds an unbound scheduling context.
    pub(crate) fn sched_context(&mut self, slice_us: u64) -> SchedContext {
        let index = self.writer.sched_contexts.len() as u64;
        self.writer.sched_contexts.push(SchedRecord {
            budget_us: slice_us,
            period_us: slice_us,
            processor: 0,
        });
        SchedContext(index)
    }

    /// Returns the scheduling context with which a thread starts.
    pub(crate) fn sched_context_of(&mut self, thread: Thread) -> SchedContext {
        SchedContext(self.record(thread).sched_context)
    }

    /// Sets the length of a thread's slices.
    pub(crate) fn slice(&mut self, thread: Thread, slice_us: u64) {
        let index = self.sched_context_of(thread).0 as usize;
        let record = &mut self.writer.sched_contexts[index];
        (record.budget_us, record.period_us) = (slice_us, slice_us);
    }

    /// Limits a thread to a share of the processor.
    pub(crate) fn share(&mut self, thread: Thread, budget_us: u64, period_us: u64) {
        let index = self.sched_context_of(thread).0 as usize;
        let record = &mut self.writer.sched_contexts[index];
        (record.budget_us, record.period_us) = (budget_us, period_us);
    }

    /// Puts a thread into a domain.
    pub(crate) fn set_domain(&mut self, thread: Thread, domain: u64) {
        self.record(thread).domain = domain;
    }

    /// Adds a slot of a domain to the schedule of processor 0, in ticks.
    pub(crate) fn turn(&mut self, domain: u64, ticks: u64) {
        self.turn_on(0, domain, ticks);
    }

    /// Adds a slot of a domain to the schedule of a processor, in ticks.
    pub(crate) fn turn_on(&mut self, processor: u64, domain: u64, ticks: u64) {
        let slot = DomainSlot { processor, domain, duration_us: 0, duration_ticks: ticks };
        self.writer.domain_schedule.push(slot);
    }

    /// Sets the timeout handler of a thread.
    pub(crate) fn handle_timeouts(&mut self, thread: Thread, handler: Grant) {
        self.record(thread).timeout_slot = self.grant(thread, handler);
    }

    /// Moves a thread with its scheduling context and the objects that it receives with to another processor.
    pub(crate) fn set_processor(&mut self, thread: Thread, processor: u64) {
        self.writer.processors = self.writer.processors.max(processor + 1);
        let record = self.record(thread);
        record.processor = processor;
        let sched_context = record.sched_context;
        if sched_context != NONE {
            self.writer.sched_contexts[sched_context as usize].processor = processor;
        }
    }

    /// Adds an endpoint.
    pub(crate) fn endpoint(&mut self) -> Endpoint {
        self.writer.counts.endpoints += 1;
        Endpoint(self.writer.counts.endpoints - 1)
    }

    /// Adds a notification.
    pub(crate) fn notification(&mut self) -> Notification {
        self.writer.counts.notifications += 1;
        Notification(self.writer.counts.notifications - 1)
    }

    /// Adds a notification that is bound to this thread.
    pub(crate) fn bound_notification(&mut self, thread: Thread) -> Notification {
        let notification = self.notification();
        self.record(thread).notification = notification.0;
        notification
    }

    /// Adds an interrupt that signals these bits.
    pub(crate) fn interrupt(&mut self, wiring: Wiring, notification: Notification, badge: u64) -> Interrupt {
        let interrupt = Interrupt(self.wirings.len() as u64);
        self.wirings.push(wiring);
        self.writer.interrupts.push(InterruptRecord {
            line: u64::from(interrupt.line().0),
            source: InterruptSource::Line as u64,
            unit: 0,
            input: 0,
            flags: 0,
            notification: notification.0,
            badge,
            processor: 0,
        });
        interrupt
    }

    /// Adds a reply object.
    pub(crate) fn reply(&mut self) -> Reply {
        self.writer.counts.replies += 1;
        Reply(self.writer.counts.replies - 1)
    }

    /// Returns the reply object in slot [`REPLY`] of a thread.
    pub(crate) const fn reply_of(&self, thread: Thread) -> Reply {
        Reply(thread.0)
    }

    /// Places a capability into a free slot and returns the slot.
    pub(crate) fn grant(&mut self, thread: Thread, grant: Grant) -> u64 {
        let next = &mut self.next_slots[thread.0 as usize];
        let slot = *next;
        *next += 1;
        self.place(thread, slot, grant);
        slot
    }

    /// Places a capability into this slot.
    pub(crate) fn place(&mut self, thread: Thread, slot: u64, grant: Grant) {
        let Grant { kind, object, badge, rights } = grant;
        self.writer.caps.push(Cap { table: thread.0, slot, kind: kind as u64, object, badge, rights });
    }

    /// Sets the fault handler of a thread.
    pub(crate) fn handle_faults(&mut self, thread: Thread, handler: Grant) {
        self.record(thread).fault_slot = self.grant(thread, handler);
    }

    /// Allows a thread to read the cycle counter.
    pub(crate) fn grant_counter(&mut self, thread: Thread) {
        self.record(thread).flags |= ThreadFlags::COUNTER;
    }

    /// Forbids a thread the floating-point unit.
    pub(crate) fn deny_fpu(&mut self, thread: Thread) {
        self.record(thread).flags |= ThreadFlags::FPU_DISABLED;
    }

    /// Selects an architecture that has I/O ports. Its interrupts come from pins.
    pub(crate) fn for_ports(&mut self) {
        self.writer.architecture = Architecture::X86_64;
    }

    /// Adds a static key and returns its index.
    pub(crate) fn key(&mut self, default: bool) -> u64 {
        self.writer.keys.push(KeyRecord { kernel: NONE, default: u64::from(default), group: NONE });
        self.writer.keys.len() as u64 - 1
    }

    /// Adds a key of the kernel and returns its index. A group of the trace needs a ring to be on.
    pub(crate) fn kernel_key(&mut self, default: bool, key: KernelKey) -> u64 {
        if default {
            self.writer.options |= key.option();
        }
        self.writer.keys.push(KeyRecord { kernel: key as u64, default: u64::from(default), group: NONE });
        self.writer.keys.len() as u64 - 1
    }

    /// Gives the system a ring for its trace.
    pub(crate) fn trace(&mut self) {
        self.has_trace = true;
    }

    /// Adds a static key of a group and returns its index.
    pub(crate) fn key_of_group(&mut self, default: bool, group: u64) -> u64 {
        self.writer.keys.push(KeyRecord { kernel: NONE, default: u64::from(default), group });
        self.writer.keys.len() as u64 - 1
    }

    /// Adds a service that computes the digest of some memory for a thread. Returns its index.
    pub(crate) fn digest(&mut self, thread: Thread) -> u64 {
        self.service(ServiceKind::Digest, thread, NONE, NONE)
    }

    /// Adds a service that computes the digest of the kernel for a thread. Returns its index.
    pub(crate) fn kernel_digest(&mut self, thread: Thread) -> u64 {
        let index = self.service(ServiceKind::KernelDigest, thread, NONE, NONE);
        let record = &mut self.writer.services[index as usize];
        (record.target, record.bytes) = (0, 0);
        index
    }

    /// Adds a service with which a thread resets the memory of another one. Returns its index.
    pub(crate) fn reset(&mut self, thread: Thread, owner: Thread) -> u64 {
        self.service(ServiceKind::Reset, thread, owner.0, NONE)
    }

    /// Adds memory that an interrupt of a thread wipes. Returns the index of the service.
    pub(crate) fn wipe_by_interrupt(&mut self, thread: Thread, interrupt: Interrupt) -> u64 {
        self.service(ServiceKind::Wipe, thread, NONE, interrupt.0)
    }

    /// Adds memory that the faults of a thread wipe. Returns the index of the service.
    pub(crate) fn wipe_by_fault(&mut self, thread: Thread) -> u64 {
        self.service(ServiceKind::Wipe, thread, NONE, NONE)
    }

    /// Adds a ring of samples for a thread, after those of earlier threads.
    pub(crate) fn sample_ring(&mut self, thread: Thread) {
        let kind = RingKind::Samples;
        let ring = Ring { kind: kind as u64, thread: thread.0, vaddr: RING, bytes: kind.bytes() };
        self.writer.rings.push(ring);
    }

    /// Adds records that a thread may seal, and that an interrupt seals, if there is one. Returns the index of the
    /// service.
    pub(crate) fn seal(&mut self, thread: Thread, interrupt: Option<Interrupt>) -> u64 {
        let index =
            self.service(ServiceKind::Seal, thread, NONE, interrupt.map_or(NONE, |interrupt| interrupt.0));
        let record = &mut self.writer.services[index as usize];
        (record.source, record.source_bytes, record.record_bytes) = (WORK_TARGET, PAGE_BYTES, 64);
        record.key = WORK_TARGET;
        index
    }

    fn service(&mut self, kind: ServiceKind, thread: Thread, owner: u64, interrupt: u64) -> u64 {
        self.writer.services.push(ServiceRecord {
            kind: kind as u64,
            thread: thread.0,
            vspace: 0,
            stack_top: WORK_STACK + ServiceRecord::STACK_BYTES,
            target: WORK_TARGET,
            bytes: PAGE_BYTES,
            owner,
            interrupt,
            ..ServiceRecord::default()
        });
        self.writer.services.len() as u64 - 1
    }

    /// Allows programs to print through the kernel.
    pub(crate) fn allow_printing(&mut self) {
        self.writer.options |= Options::PRINTING;
    }

    /// Sets the number of timer ticks per microsecond.
    pub(crate) fn ticks_per_us(&mut self, ticks: u64) {
        self.clock.ticks_per_us = ticks;
    }

    /// Sets the time at boot.
    pub(crate) fn clock_starts_at(&mut self, start: Ticks) {
        self.clock.start = start;
    }

    /// Builds the image of the system.
    pub(crate) fn image(&self) -> Vec<u64> {
        let mut writer = self.writer.clone();
        writer.caps.sort_by_key(|cap| (cap.table, cap.slot));
        place_services(&mut writer);
        place_homes(&mut writer);
        if writer.architecture == Architecture::X86_64 {
            for (pin, interrupt) in (0..).zip(&mut writer.interrupts) {
                (interrupt.source, interrupt.input) = (InterruptSource::Pin as u64, pin);
            }
        }
        if self.has_trace {
            let bytes = PAGE_BYTES + trace::MIN_BYTES;
            let kind = RegionKind::Zero as u64;
            writer.regions.push(Region { paddr: TRACE_PADDR, bytes, kind, ..Region::default() });
            writer.counts.trace = writer.regions.len() as u64;
        }
        writer.finish(IMAGE_PADDR, writer.tables_bytes())
    }

    /// Boots the system. Afterwards the thread of the highest priority is at its first instruction.
    pub(crate) fn boot(&self) -> System {
        let mut system = System::boot(&self.image(), self.names.clone(), self.clock, &self.wirings);
        if self.is_recorded {
            system.start_recording();
        }
        system
    }

    /// Boots a kernel for each processor, which share memory.
    pub(crate) fn boot_processors(&self) -> Processors {
        let shared = Shared::new(self.writer.processors as usize);
        let image = self.image();
        let systems = (0..self.writer.processors as u8).map(|number| {
            let tables = HostMachine::empty_tables();
            let machine = HostMachine::sharing(number.into(), tables, self.clock, shared.clone());
            System::boot_on(number, machine, &image, self.names.clone(), &self.wirings)
        });
        let homes = self.writer.threads.iter().map(|thread| thread.processor as usize).collect();
        Processors::new(systems.collect(), homes)
    }

    /// Returns the image record of a thread.
    pub(crate) fn record(&mut self, thread: Thread) -> &mut ThreadRecord {
        &mut self.writer.threads[thread.0 as usize]
    }
}

/// Gives every object the home of the thread that receives with it, if there are several processors.
fn place_homes(writer: &mut ImageWriter) {
    if writer.processors == 1 {
        return;
    }
    let home_of = |kind: CapKind, object: u64| {
        let receives = |cap: &&Cap| cap.kind == kind as u64 && cap.object == object;
        let receives = writer.caps.iter().filter(receives);
        let mut receives = receives.filter(|cap| kind == CapKind::Reply || cap.rights & Rights::RECEIVE != 0);
        let bound = || {
            let is_bound = |thread: &&ThreadRecord| thread.notification == object;
            writer.threads.iter().find(is_bound).filter(|_| kind == CapKind::Notification)
        };
        let processor = receives.next().map_or(0, |cap| writer.threads[cap.table as usize].processor);
        Home { processor: bound().map_or(processor, |thread| thread.processor) }
    };
    let counts = writer.counts;
    let endpoints = (0..counts.endpoints).map(|object| home_of(CapKind::Endpoint, object));
    let notifications = (0..counts.notifications).map(|object| home_of(CapKind::Notification, object));
    let replies = (0..counts.replies).map(|object| home_of(CapKind::Reply, object));
    writer.homes = endpoints.chain(notifications).chain(replies).collect();
}

/// Gives every thread with services an address space for their work, with a page to work on and a stack. These address
/// spaces follow those of the threads, in the order of each thread's first service.
fn place_services(writer: &mut ImageWriter) {
    let mut clients: Vec<u64> = Vec::new();
    for service in &mut writer.services {
        let known = clients.iter().position(|client| *client == service.thread);
        let position = known.unwrap_or(clients.len());
        if known.is_none() {
            clients.push(service.thread);
        }
        service.vspace = writer.counts.vspaces + position as u64;
    }
    let bytes = PAGE_BYTES + ServiceRecord::STACK_BYTES;
    let flags = MappingFlags::READ | MappingFlags::WRITE | MappingFlags::PRIVILEGED;
    for index in 0..clients.len() as u64 {
        let kind = RegionKind::Zero as u64;
        let paddr = WORK_PADDR + index * bytes;
        writer.regions.push(Region { paddr, bytes, kind, ..Region::default() });
        let target = Mapping {
            vspace: writer.counts.vspaces + index,
            vaddr: WORK_TARGET,
            bytes: PAGE_BYTES,
            region: index,
            offset: 0,
            flags,
        };
        let stack =
            Mapping { vaddr: WORK_STACK, bytes: ServiceRecord::STACK_BYTES, offset: PAGE_BYTES, ..target };
        writer.mappings.extend([target, stack]);
    }
    writer.counts.vspaces += clients.len() as u64;
}
