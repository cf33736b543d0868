//! The complete state of the kernel.

use limen_abi::limits;

use crate::arena::{Arena, IrqId, ThreadId, tag};
use crate::cap::{Cap, LookupFailure};
use crate::machine::Machine;
use crate::message::MessageBuffer;
use crate::object::endpoint::Endpoint;
use crate::object::immediate::{ServedFault, ServedInterrupt};
use crate::object::irq::Irq;
use crate::object::key::Key;
use crate::object::notification::Notification;
use crate::object::probe::Probe;
use crate::object::reply::Reply;
use crate::object::sched_context::{SchedContext, Slice};
use crate::object::service::{Service, Work};
use crate::object::thread::{self, Thread};
use crate::processor::Processor;
use crate::processors::holder::Holders;
use crate::processors::keeper::Keeper;
use crate::processors::outbox::Outbox;
use crate::processors::visitor::Visitor;
use crate::ring::SampleRing;
use crate::sched::domain::{DomainQueues, Schedule};
use crate::sched::lines::DomainLines;
use crate::sched::queue::{Links, ThreadLinks};
use crate::sched::sporadic_server::SporadicServer;
use crate::trace::Trace;
use crate::utilisation::Utilisation;

/// Threads by id.
pub type Threads<M> = Arena<tag::Thread, Thread<M>, { limits::THREADS }>;
/// Endpoints by id.
pub type Endpoints = Arena<tag::Endpoint, Endpoint, { limits::ENDPOINTS }>;
/// Notifications by id.
pub type Notifications = Arena<tag::Notification, Notification, { limits::NOTIFICATIONS }>;
/// Reply objects by id.
pub type Replies = Arena<tag::Reply, Reply, { limits::REPLIES }>;
/// Scheduling contexts by id.
pub type SchedContexts = Arena<tag::SchedContext, SchedContext, { limits::SCHED_CONTEXTS }>;
/// The limits of scheduling contexts, by scheduling-context id.
pub type SporadicServers = Arena<tag::SchedContext, SporadicServer, { limits::SCHED_CONTEXTS }>;
/// Interrupts by id.
pub type Irqs = Arena<tag::Irq, Irq, { limits::INTERRUPTS }>;
/// Static keys by id.
pub type Keys = Arena<tag::Key, Key, { limits::KEYS }>;
/// Slices, by scheduling-context id.
pub type Slices = Arena<tag::SchedContext, Slice, { limits::SCHED_CONTEXTS }>;
/// One value per thread, by thread id.
pub type PerThread<T> = Arena<tag::Thread, T, { limits::THREADS }>;
/// Address spaces by id, as the processor enters them; the port owns their page tables.
pub type Vspaces<M> = Arena<tag::Vspace, Option<<M as Machine>::Space>, { limits::VSPACES }>;
/// Services by id.
pub type Services<M> = Arena<tag::Service, Option<Service<<M as Machine>::Space>>, { limits::SERVICES }>;
/// Message buffers by thread.
pub type MessageBuffers = PerThread<MessageBuffer>;
/// Rings of samples by id.
pub type SampleRings = Arena<tag::SampleRing, SampleRing, { limits::SAMPLE_RINGS }>;

/// The distance of the processor's state from the start of a page. Page tables of programs and message buffers are used
/// from the start of their pages, and a first-level cache whose ways are a page long holds few lines with the same
/// offset: without the distance, a call evicts lines that it needs again.
const LEAD_BYTES: usize = 320;

/// A field that starts at a multiple of the size of a thread and takes no space.
#[derive(Debug)]
#[repr(align(512))]
pub struct ThreadBoundary;

const _: () = assert!(align_of::<ThreadBoundary>() == thread::BYTES);

/// All objects, and the processor that uses them.
///
/// Objects refer to each other by id only. Capability tables, message buffers and rings are placed by the port:
/// the tables are read-only after boot, and the others are shared with user mode. What calls use comes first and is small, so
/// that the fields of the threads behind it are also within reach of one instruction's offset. The alignment to a page
/// shortens the instruction sequence that forms the address.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct Kernel<M: Machine> {
    /// Unused bytes, so that what follows is in other cache sets than starts of pages.
    pub lead: [u64; LEAD_BYTES / 8],
    /// The processor.
    pub processor: Processor<M::Space>,
    /// Endpoints.
    pub endpoints: Endpoints,
    /// Reply objects.
    pub replies: Replies,
    /// The queue links of each thread.
    pub links: ThreadLinks,
    /// A multiple of the size of a thread.
    pub boundary: ThreadBoundary,
    /// Unused bytes after it: without them, one of eight threads would start at the start of a page.
    pub threads_lead: [u64; 8],
    /// Threads.
    pub threads: Threads<M>,
    /// Notifications.
    pub notifications: Notifications,
    /// Scheduling contexts.
    pub sched_contexts: SchedContexts,
    /// The hardware.
    pub machine: M,
    /// The options of the image: see [`limen_image::Options`].
    pub options: u64,
    /// The limits of the scheduling contexts with less budget than their period.
    pub sporadic_servers: SporadicServers,
    /// The slices of the scheduling contexts.
    pub slices: Slices,
    /// The domain schedule.
    pub schedule: Schedule,
    /// The queues of the domains that are not running.
    pub other_queues: [DomainQueues; limits::DOMAINS],
    /// Interrupts.
    pub irqs: Irqs,
    /// The interrupt of each line.
    pub irq_of_line: [Option<IrqId>; limits::INTERRUPT_LINES as usize],
    /// Address spaces.
    pub vspaces: Vspaces<M>,
    /// The interrupts of each domain.
    pub domain_lines: DomainLines,
    /// Processor time by thread.
    pub utilisation: Utilisation,
    /// Static keys.
    pub keys: Keys,
    /// The number of static keys.
    pub key_count: usize,
    /// The probe of each thread.
    pub probes: PerThread<Probe>,
    /// The number of probes that are on.
    pub probing: usize,
    /// Services.
    pub services: Services<M>,
    /// Interrupts that wipe or seal memory.
    pub served_interrupts: [Option<ServedInterrupt>; limits::SERVED_INTERRUPTS],
    /// Threads whose faults wipe memory.
    pub served_faults: PerThread<Option<ServedFault>>,
    /// The service that each thread executes, if any.
    pub works: PerThread<Option<Work<M::Context, M::Space>>>,
    /// The number of faults that were printed, by thread.
    pub printed_faults: PerThread<u8>,
    /// The trace.
    pub trace: Trace,
    /// The number of processors.
    pub processors: u8,
    /// The home processor of each thread.
    pub homes: PerThread<u8>,
    /// The place of the letter of each thread of this processor.
    pub outboxes: PerThread<Outbox>,
    /// The number of requests to other processors.
    pub requests: u64,
    /// The scheduling contexts of this processor that are in use at another one, one bit each.
    pub sched_contexts_away: u64,
    /// The entries of scheduling contexts that those of other processors may use as guests, one bit each.
    pub guest_entries: u64,
    /// Threads of other processors that use objects of this one.
    pub visitors: PerThread<Visitor>,
    /// Threads of this processor that use static keys or probes.
    pub holders: Holders,
    /// Changes of static keys for all processors.
    pub keeper: Keeper,
}

impl<M: Machine> Kernel<M> {
    /// Creates a kernel without threads.
    pub const fn new(machine: M) -> Self {
        Self {
            lead: [0; LEAD_BYTES / 8],
            processor: Processor::idle(M::NO_SPACE),
            machine,
            options: 0,
            links: ThreadLinks::new([Links::NONE; limits::THREADS]),
            boundary: ThreadBoundary,
            threads_lead: [0; 8],
            threads: Threads::new([const { Thread::INACTIVE }; limits::THREADS]),
            endpoints: Endpoints::new([Endpoint::Idle; limits::ENDPOINTS]),
            notifications: Notifications::new([Notification::IDLE; limits::NOTIFICATIONS]),
            replies: Replies::new([Reply::Free; limits::REPLIES]),
            sched_contexts: SchedContexts::new([SchedContext::UNUSED; limits::SCHED_CONTEXTS]),
            sporadic_servers: SporadicServers::new([SporadicServer::UNLIMITED; limits::SCHED_CONTEXTS]),
            slices: Slices::new([Slice::UNUSED; limits::SCHED_CONTEXTS]),
            schedule: Schedule::NONE,
            other_queues: [DomainQueues::EMPTY; limits::DOMAINS],
            irqs: Irqs::new([Irq::UNUSED; limits::INTERRUPTS]),
            irq_of_line: [None; limits::INTERRUPT_LINES as usize],
            vspaces: Vspaces::<M>::new([None; limits::VSPACES]),
            domain_lines: DomainLines::NONE,
            utilisation: Utilisation::NONE,
            keys: Keys::new([const { Key::new(false) }; limits::KEYS]),
            key_count: 0,
            probes: PerThread::new([Probe::OFF; limits::THREADS]),
            probing: 0,
            services: Services::<M>::new([None; limits::SERVICES]),
            served_interrupts: [None; limits::SERVED_INTERRUPTS],
            served_faults: PerThread::new([None; limits::THREADS]),
            works: PerThread::new([const { None }; limits::THREADS]),
            printed_faults: PerThread::new([0; limits::THREADS]),
            trace: Trace::EMPTY,
            processors: 1,
            homes: PerThread::new([0; limits::THREADS]),
            outboxes: PerThread::new([Outbox::Home; limits::THREADS]),
            requests: 0,
            sched_contexts_away: 0,
            guest_entries: u64::MAX,
            visitors: PerThread::new([Visitor::NONE; limits::THREADS]),
            holders: Holders::NONE,
            keeper: Keeper::NEW,
        }
    }

    /// Returns the capability that `cptr` names in the tables of `thread`.
    #[inline]
    pub(crate) fn lookup(&self, thread: ThreadId, cptr: u64) -> Result<Cap, LookupFailure> {
        // By reference, because an out-of-line call would return the capability through memory.
        let slot = match self.machine.cap_table(thread).lookup(cptr) {
            Some(slot) => slot,
            None => self.lookup_root(thread, cptr).ok_or(LookupFailure::TOO_LARGE)?,
        };
        Ok(*slot)
    }

    #[cold]
    fn lookup_root(&self, thread: ThreadId, cptr: u64) -> Option<&Cap> {
        self.machine.root_table(thread).lookup(cptr)
    }
}
