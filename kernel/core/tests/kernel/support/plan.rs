//! Describing a system: threads, objects and capabilities, as they go into a boot image.
//!
//! Every thread has its own address space, capability table and reply object (in slot [`REPLY`]), like a protection
//! domain.

use limen_abi::ServiceKind;
use limen_abi::limits::{PAGE_BYTES, USER_TOP_AARCH64};
use limen_core::arena::{EndpointId, IrqId, NotificationId, ReplyId, SchedContextId, ThreadId};
use limen_core::kernel::{Endpoints, Irqs, Notifications, Replies, SchedContexts, Threads};
use limen_core::machine::{Line, Ticks};
use limen_image::{
    Architecture, Board, Cap, CapKind, DomainSlot, ImageWriter, Interrupt as InterruptRecord,
    InterruptSource, Key as KeyRecord, Mapping, MappingFlags, NONE, Options, Range, Region, RegionKind,
    Rights, SchedContext as SchedRecord, Service as ServiceRecord, Thread as ThreadRecord, ThreadFlags,
};

use super::controller::{Controller, Wiring};
use super::machine::{Clock, HostMachine};
use super::syscalls::REPLY;
use super::system::System;

/// Where the image pretends to lie.
const IMAGE_PADDR: u64 = 0x4100_0000;
/// Where the memory begins that services need.
const WORK_PADDR: u64 = 0x4400_0000;
/// What services work on, in each address space for work.
const WORK_TARGET: u64 = 0x20_0000;
/// The stack of services, in each address space for work.
const WORK_STACK: u64 = 0x40_0000;
/// First slot that [`Plan::grant`] gives away.
const FIRST_FREE_SLOT: u64 = 10;
/// First instruction of the first thread; the others follow at this distance.
pub(crate) const ENTRY: u64 = 0x20_0000;
/// First stack pointer of the first thread; the others follow at the distance of [`ENTRY`].
pub(crate) const STACK: u64 = 0x80_0000_0000;
/// Length of a slice where a test does not say otherwise, in microseconds.
pub(crate) const SLICE_US: u64 = 1000;

macro_rules! handle {
    ($(#[$meta:meta])* $Name:ident => $Id:ty, $arena:ty) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) struct $Name(pub(crate) u64);

        impl $Name {
            /// Its name in the kernel.
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

/// A capability without a place.
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

    /// I/O ports from `first` to `last`.
    pub(crate) const fn ports(first: u64, last: u64) -> Self {
        Self { badge: last, ..Self::plain(CapKind::IoPort, first) }
    }

    /// The right to configure scheduling contexts.
    pub(crate) const fn sched_control() -> Self {
        Self::plain(CapKind::SchedControl, 0)
    }

    /// Calls to the secure monitor.
    pub(crate) const fn secure_monitor() -> Self {
        Self::plain(CapKind::SecureMonitor, 0)
    }

    /// The right to read how often floating-point registers were switched.
    pub(crate) const fn fpu_counters() -> Self {
        Self::plain(CapKind::FpuCounters, 0)
    }

    /// The right to choose when they are.
    pub(crate) const fn fpu_policy() -> Self {
        Self::plain(CapKind::FpuPolicy, 0)
    }

    /// The right to sample its own crossings.
    pub(crate) const fn probe() -> Self {
        Self::plain(CapKind::Probe, 0)
    }

    /// A static key.
    pub(crate) const fn key(index: u64) -> Self {
        Self::plain(CapKind::Key, index)
    }

    /// A service, for the thread that it is for.
    pub(crate) const fn service(index: u64) -> Self {
        Self::plain(CapKind::Service, index)
    }

    /// An address space.
    pub(crate) const fn vspace(thread: Thread) -> Self {
        Self::plain(CapKind::Vspace, thread.0)
    }
}

impl Thread {
    /// The right to control it.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::Thread, self.0)
    }
}

impl Endpoint {
    /// Any rights.
    pub(crate) const fn with(self, badge: u64, rights: u64) -> Grant {
        Grant { kind: CapKind::Endpoint, object: self.0, badge, rights }
    }

    /// The right to call.
    pub(crate) const fn caller(self, badge: u64) -> Grant {
        self.with(badge, Rights::SEND | Rights::GRANT_REPLY)
    }

    /// The right to send, but not to be answered.
    pub(crate) const fn sender(self, badge: u64) -> Grant {
        self.with(badge, Rights::SEND)
    }

    /// The right to receive.
    pub(crate) const fn receiver(self) -> Grant {
        self.with(0, Rights::RECEIVE)
    }
}

impl Notification {
    /// Any rights.
    pub(crate) const fn with(self, badge: u64, rights: u64) -> Grant {
        Grant { kind: CapKind::Notification, object: self.0, badge, rights }
    }

    /// The right to signal.
    pub(crate) const fn signaller(self, badge: u64) -> Grant {
        self.with(badge, Rights::SEND)
    }

    /// The right to wait.
    pub(crate) const fn waiter(self) -> Grant {
        self.with(0, Rights::RECEIVE)
    }
}

impl Reply {
    /// The right to use it.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::Reply, self.0)
    }
}

impl Interrupt {
    /// The right to acknowledge it.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::Interrupt, self.0)
    }

    /// The line that it comes from.
    pub(crate) const fn line(self) -> Line {
        Line(Controller::FIRST_LINE + self.0 as u32)
    }
}

impl SchedContext {
    /// The right to control it.
    pub(crate) const fn control(self) -> Grant {
        Grant::plain(CapKind::SchedContext, self.0)
    }
}

/// A system under construction.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What goes into the image.
    pub(crate) writer: ImageWriter,
    names: Vec<String>,
    next_slots: Vec<u64>,
    clock: Clock,
    wirings: Vec<Wiring>,
}

impl Plan {
    /// A system without threads, whose timer has one tick per microsecond.
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
        Self { writer, names: Vec::new(), next_slots: Vec::new(), clock: Clock::PLAIN, wirings: Vec::new() }
    }

    /// A thread that runs on a scheduling context of its own; it has the same index.
    pub(crate) fn thread(&mut self, name: &str, priority: u8) -> Thread {
        let thread = self.passive(name, priority);
        let sched_context = self.sched_context(SLICE_US);
        self.record(thread).sched_context = sched_context.0;
        thread
    }

    /// A thread without a scheduling context.
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
            flags: 0,
        });
        self.writer.counts.vspaces += 1;
        self.names.push(name.to_owned());
        self.next_slots.push(FIRST_FREE_SLOT);
        let reply = self.reply();
        self.place(Thread(index), REPLY, reply.control());
        Thread(index)
    }

    /// A scheduling context that nobody has yet.
    pub(crate) fn sched_context(&mut self, slice_us: u64) -> SchedContext {
        let index = self.writer.sched_contexts.len() as u64;
        self.writer.sched_contexts.push(SchedRecord { budget_us: slice_us, period_us: slice_us });
        SchedContext(index)
    }

    /// The scheduling context that a thread starts with.
    pub(crate) fn sched_context_of(&mut self, thread: Thread) -> SchedContext {
        SchedContext(self.record(thread).sched_context)
    }

    /// Changes the length of a thread's slices.
    pub(crate) fn slice(&mut self, thread: Thread, slice_us: u64) {
        let index = self.sched_context_of(thread).0 as usize;
        self.writer.sched_contexts[index] = SchedRecord { budget_us: slice_us, period_us: slice_us };
    }

    /// Gives a thread less than the whole processor.
    pub(crate) fn share(&mut self, thread: Thread, budget_us: u64, period_us: u64) {
        let index = self.sched_context_of(thread).0 as usize;
        self.writer.sched_contexts[index] = SchedRecord { budget_us, period_us };
    }

    /// Puts a thread into a domain.
    pub(crate) fn put_into_domain(&mut self, thread: Thread, domain: u64) {
        self.record(thread).domain = domain;
    }

    /// Adds a turn of a domain to the schedule, in ticks; a turn of no ticks ends the schedule.
    pub(crate) fn turn(&mut self, domain: u64, ticks: u64) {
        let slot = DomainSlot { domain, duration_us: 0, duration_ticks: ticks };
        self.writer.domain_schedule.push(slot);
    }

    /// Reports an exhausted budget to an endpoint.
    pub(crate) fn handle_timeouts(&mut self, thread: Thread, handler: Grant) {
        self.record(thread).timeout_slot = self.grant(thread, handler);
    }

    /// An endpoint.
    pub(crate) fn endpoint(&mut self) -> Endpoint {
        self.writer.counts.endpoints += 1;
        Endpoint(self.writer.counts.endpoints - 1)
    }

    /// A notification.
    pub(crate) fn notification(&mut self) -> Notification {
        self.writer.counts.notifications += 1;
        Notification(self.writer.counts.notifications - 1)
    }

    /// A notification that is bound to this thread.
    pub(crate) fn bound_notification(&mut self, thread: Thread) -> Notification {
        let notification = self.notification();
        self.record(thread).notification = notification.0;
        notification
    }

    /// An interrupt that signals these bits.
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
        });
        interrupt
    }

    /// A reply object.
    pub(crate) fn reply(&mut self) -> Reply {
        self.writer.counts.replies += 1;
        Reply(self.writer.counts.replies - 1)
    }

    /// The reply object that a thread has in slot [`REPLY`].
    pub(crate) const fn reply_of(&self, thread: Thread) -> Reply {
        Reply(thread.0)
    }

    /// Puts a capability into a free slot.
    pub(crate) fn grant(&mut self, thread: Thread, grant: Grant) -> u64 {
        let next = &mut self.next_slots[thread.0 as usize];
        let slot = *next;
        *next += 1;
        self.place(thread, slot, grant);
        slot
    }

    /// Puts a capability into this slot.
    pub(crate) fn place(&mut self, thread: Thread, slot: u64, grant: Grant) {
        let Grant { kind, object, badge, rights } = grant;
        self.writer.caps.push(Cap { table: thread.0, slot, kind: kind as u64, object, badge, rights });
    }

    /// Sends a thread's faults to an endpoint.
    pub(crate) fn handle_faults(&mut self, thread: Thread, handler: Grant) {
        self.record(thread).fault_slot = self.grant(thread, handler);
    }

    /// Lets a thread read the cycle counter.
    pub(crate) fn grant_counter(&mut self, thread: Thread) {
        self.record(thread).flags |= ThreadFlags::COUNTER;
    }

    /// Forbids a thread the floating-point unit.
    pub(crate) fn deny_fpu(&mut self, thread: Thread) {
        self.record(thread).flags |= ThreadFlags::FPU_DISABLED;
    }

    /// Makes this a system for an architecture that has I/O ports.
    pub(crate) fn for_ports(&mut self) {
        self.writer.architecture = Architecture::X86_64;
    }

    /// A static key; gives its index.
    pub(crate) fn key(&mut self, default: bool) -> u64 {
        self.writer.keys.push(KeyRecord { kernel: NONE, default: u64::from(default) });
        self.writer.keys.len() as u64 - 1
    }

    /// The service that tells a thread the digest of some memory; gives its index.
    pub(crate) fn digest(&mut self, thread: Thread) -> u64 {
        self.service(ServiceKind::Digest, thread, NONE)
    }

    /// The service that tells a thread the digest of the kernel; gives its index.
    pub(crate) fn kernel_digest(&mut self, thread: Thread) -> u64 {
        let index = self.service(ServiceKind::KernelDigest, thread, NONE);
        let record = &mut self.writer.services[index as usize];
        (record.target, record.bytes) = (0, 0);
        index
    }

    /// The service with which a thread puts the memory of another one back; gives its index.
    pub(crate) fn reset(&mut self, thread: Thread, owner: Thread) -> u64 {
        self.service(ServiceKind::Reset, thread, owner.0)
    }

    /// Memory that an interrupt of a thread wipes; gives its index.
    pub(crate) fn wipe_by_interrupt(&mut self, thread: Thread, interrupt: Interrupt) -> u64 {
        self.service(ServiceKind::Wipe, thread, interrupt.0)
    }

    /// Memory that the faults of a thread wipe; gives its index.
    pub(crate) fn wipe_by_fault(&mut self, thread: Thread) -> u64 {
        self.service(ServiceKind::Wipe, thread, NONE)
    }

    fn service(&mut self, kind: ServiceKind, thread: Thread, owner: u64) -> u64 {
        self.writer.services.push(ServiceRecord {
            kind: kind as u64,
            thread: thread.0,
            vspace: 0,
            stack_top: WORK_STACK + ServiceRecord::STACK_BYTES,
            target: WORK_TARGET,
            bytes: PAGE_BYTES,
            source: 0,
            source_bytes: 0,
            owner,
        });
        self.writer.services.len() as u64 - 1
    }

    /// Lets programs print through the kernel.
    pub(crate) fn allow_printing(&mut self) {
        self.writer.options |= Options::PRINTING;
    }

    /// Sets how many timer ticks a microsecond has.
    pub(crate) fn ticks_per_us(&mut self, ticks: u64) {
        self.clock.ticks_per_us = ticks;
    }

    /// Sets what the clock shows at boot.
    pub(crate) fn clock_starts_at(&mut self, start: Ticks) {
        self.clock.start = start;
    }

    /// The image of the system.
    pub(crate) fn image(&self) -> Vec<u64> {
        let mut writer = self.writer.clone();
        writer.caps.sort_by_key(|cap| (cap.table, cap.slot));
        place_services(&mut writer);
        writer.finish(IMAGE_PADDR, writer.tables_bytes())
    }

    /// Boots the system: afterwards the most important thread runs its first instruction.
    pub(crate) fn boot(&self) -> System {
        System::boot(&self.image(), self.names.clone(), self.clock, &self.wirings)
    }

    /// What the image says about a thread.
    pub(crate) fn record(&mut self, thread: Thread) -> &mut ThreadRecord {
        &mut self.writer.threads[thread.0 as usize]
    }
}

/// Gives every thread with services an address space for their work, which follow those of the threads in the order of the
/// first service of each, and in it a page to work on and a stack.
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
