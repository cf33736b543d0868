//! A machine that answers with what the target's machine answered.

use core::cell::{Cell, RefCell};
use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::Range;
use std::collections::VecDeque;
use std::rc::Rc;

use limen_abi::{KernelKey, limits};
use limen_core::arena::{KeyId, ServiceId, ThreadId};
use limen_core::boot::{caps, place};
use limen_core::cap::{CapTable, RootTable};
use limen_core::kernel::{Keys, MessageBuffers, PerThread, SampleRings, Services, Threads};
use limen_core::machine::{
    CacheOperation, Context, CounterAccess, Interrupt, Line, Machine, Patching, PortWidth, Ticks,
};
use limen_core::message::MessageBuffer;
use limen_core::object::irq::State;
use limen_core::object::secure_monitor::REGISTERS;
use limen_core::processors::mailbox::Mailboxes;
use limen_core::ring::SampleRing;
use limen_core::trace::TraceRing;
use limen_fpu::mask::{Low4, Mask};
use limen_fpu::{Fpu, FpuUnit, InterruptContext, SectionUnit};
use limen_image::{Image, Options};
use limen_spec::hardware::Request;

use crate::abstraction::{maintenance, port_write, read_only_pages};
use crate::context::{Plain, Registers};
use crate::reader::Boot;

const US_PER_SECOND: u64 = 1_000_000;

/// An address space: its index in the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Space(pub u64);

/// Answers of the target's machine during an event.
#[derive(Debug, Default)]
pub struct Answers {
    /// The clock, while no readings are left.
    pub time: Ticks,
    /// The readings of the clock.
    pub readings: VecDeque<Ticks>,
    /// The interrupt.
    pub interrupt: Option<Interrupt>,
    /// The words of the message that the running thread gets: an answer of the hardware is one of these.
    pub words: [u64; REGISTERS],
    /// The results of patching: whether all branches follow, and how many more the event may patch.
    pub patchings: VecDeque<(bool, u64)>,
    /// Whether the core has patched when none of these was left.
    pub has_patched_more: bool,
}

impl Answers {
    fn patch(&mut self, room: &mut usize) -> Patching {
        self.has_patched_more |= self.patchings.is_empty();
        let (is_done, left) = self.patchings.pop_front().unwrap_or((true, 0));
        *room = left as usize;
        if is_done { Patching::Done } else { Patching::More }
    }
}

/// Pages that programs cannot write, by address space.
type ReadOnly = Vec<(usize, Range<u64>)>;

/// The machine.
#[derive(Debug)]
pub struct ReplayMachine<A> {
    /// Answers that no state determines.
    pub answers: RefCell<Answers>,
    time: Cell<Ticks>,
    frequency: u64,
    fpu_options: u64,
    switches_page_tables: bool,
    tables: Rc<PerThread<CapTable>>,
    roots: Box<PerThread<RootTable>>,
    buffers: Box<MessageBuffers>,
    rings: Box<SampleRings>,
    mailboxes: Mailboxes,
    /// For each key the number of its branches in programs.
    branches: Vec<u64>,
    /// Keys that make the kernel print faults.
    printing_keys: Vec<usize>,
    /// Whether the target prints faults during the event.
    pub is_printing: bool,
    read_only: ReadOnly,
    /// Services that ran in an interrupt or fault.
    pub served: Vec<usize>,
    /// The last request of a program to the hardware.
    pub asked: Option<Request>,
    /// The answer to it.
    pub answer: [u64; REGISTERS],
    last_line: Option<Line>,
    of: PhantomData<A>,
}

/// A reference to a capability table, which does not change after boot.
#[derive(Clone, Debug)]
pub struct Caps(Option<(Rc<PerThread<CapTable>>, ThreadId)>);

impl core::ops::Deref for Caps {
    type Target = CapTable;

    fn deref(&self) -> &CapTable {
        static EMPTY: CapTable = CapTable::EMPTY;
        self.0.as_ref().map_or(&EMPTY, |(tables, thread)| &tables[*thread])
    }
}

impl<A: Registers> ReplayMachine<A> {
    /// The machine of an image, as it was at boot.
    #[must_use]
    pub fn new(image: &Image<'_>, boot: &Boot) -> Self {
        let mut tables = Box::new(PerThread::new([CapTable::EMPTY; limits::THREADS]));
        let mut roots = Box::new(PerThread::new([RootTable::EMPTY; limits::THREADS]));
        for (thread, slot, cap) in caps::<Self>(image) {
            place(&mut tables[thread], &mut roots[thread], slot, cap);
        }
        let branches_of = |key| image.key_sites().filter(|site| site.key == key).count() as u64;
        Self {
            answers: RefCell::default(),
            time: Cell::new(0),
            frequency: boot.frequency,
            fpu_options: boot.fpu_options,
            switches_page_tables: boot.switches_page_tables,
            tables: tables.into(),
            roots,
            buffers: Box::new(MessageBuffers::new([const { MessageBuffer::new() }; limits::THREADS])),
            rings: Box::new(SampleRings::new([const { SampleRing::new() }; limits::SAMPLE_RINGS])),
            mailboxes: Mailboxes::new(),
            branches: (0..image.keys().count() as u64).map(branches_of).collect(),
            printing_keys: image
                .keys()
                .enumerate()
                .filter(|(_, key)| key.kernel == KernelKey::Printing as u64)
                .map(|(index, _)| index)
                .collect(),
            is_printing: image.options() & Options::PRINTING != 0,
            read_only: read_only_pages(image).collect(),
            served: Vec::new(),
            asked: None,
            answer: [0; REGISTERS],
            last_line: None,
            of: PhantomData,
        }
    }

    /// The time that the kernel has last read.
    #[must_use]
    pub fn time(&self) -> Ticks {
        self.time.get()
    }
}

impl<A: Registers> FpuUnit<ThreadId> for ReplayMachine<A> {
    fn exchange(&mut self, _: Option<ThreadId>, _: ThreadId) {}

    fn save(&mut self, _: ThreadId) {}

    fn load(&mut self, _: Option<ThreadId>) {}

    fn renew(&mut self, _: Option<ThreadId>) {}

    fn enable(&mut self) {}

    fn disable(&mut self) {}
}

impl<A: Registers> SectionUnit<ThreadId> for ReplayMachine<A> {
    const IS_ALWAYS_REACHED: bool = false;

    fn is_up(&self) -> bool {
        true
    }

    fn save_for_section<M: Mask>(&mut self, _: Option<ThreadId>) {}

    fn restore_after_section<M: Mask>(&mut self, _: Option<ThreadId>) {}
}

impl<A: Registers> Machine for ReplayMachine<A> {
    type Context = Plain<A>;
    type ThreadFiller = ();
    const THREAD_FILLER: () = ();
    type Space = Space;
    const NO_SPACE: Space = Space(u64::MAX);

    type Caps = Caps;
    const NO_CAPS: Caps = Caps(None);

    fn caps(&self, thread: ThreadId) -> Caps {
        Caps(Some((self.tables.clone(), thread)))
    }

    fn cap_table(&self, thread: ThreadId) -> &CapTable {
        &self.tables[thread]
    }

    fn root_table(&self, thread: ThreadId) -> &RootTable {
        &self.roots[thread]
    }

    fn buffers(&self) -> &MessageBuffers {
        &self.buffers
    }

    fn mailboxes(&self) -> &Mailboxes {
        &self.mailboxes
    }

    /// Does nothing: messages to others are in their recordings.
    fn interrupt_processor(&mut self, _: u8) {}

    fn sample_rings(&self) -> &SampleRings {
        &self.rings
    }

    fn trace_ring(&self) -> Option<TraceRing<'_>> {
        None
    }

    fn trace_groups(&self) -> u64 {
        0
    }

    fn is_recording(&self) -> bool {
        false
    }

    fn frequency(&self) -> u64 {
        self.frequency
    }

    fn last_interrupt(&self) -> Option<Line> {
        self.last_line
    }

    fn forget_interrupt(&mut self) {
        self.last_line = Some(Line::NONE);
    }

    fn key_branches(&self, key: KeyId) -> u64 {
        self.branches.get(Keys::index_of(key)).copied().unwrap_or(0)
    }

    fn service_bytes(&self, _: ServiceId) -> u64 {
        0
    }

    fn now(&self) -> Ticks {
        let mut answers = self.answers.borrow_mut();
        let now = answers.readings.pop_front().unwrap_or(answers.time);
        self.time.set(now);
        now
    }

    fn cycles(&self) -> u64 {
        0
    }

    fn ticks_from_us(&self, us: u64) -> Ticks {
        us.saturating_mul(self.frequency).div_ceil(US_PER_SECOND)
    }

    fn us_from_ticks(&self, ticks: Ticks) -> u64 {
        let (seconds, rest) = (ticks / self.frequency, ticks % self.frequency);
        seconds.saturating_mul(US_PER_SECOND).saturating_add(rest * US_PER_SECOND / self.frequency)
    }

    fn set_deadline(&mut self, _: Ticks) {}

    const NOTICES_SAME_SPACE: bool = true;
    const READS_AHEAD: bool = false;

    fn switch_space(&mut self, _: Space) {}

    fn fpu_options(&self) -> u64 {
        self.fpu_options
    }

    fn set_user_counter(&mut self, _: CounterAccess) {}

    fn acknowledge_interrupt(&mut self) -> Option<Interrupt> {
        let interrupt = self.answers.borrow_mut().interrupt.take();
        match interrupt {
            Some(Interrupt::Line(line)) => self.last_line = Some(line),
            Some(Interrupt::Timer | Interrupt::Message) => self.last_line = None,
            None => {}
        }
        interrupt
    }

    fn complete_interrupt(&mut self, _: Line) {}

    fn mask_line(&mut self, _: Line) {}

    fn unmask_line(&mut self, _: Line) {}

    fn suspend_line(&mut self, _: Line) {}

    fn resume_line(&mut self, _: Line, _: State) {}

    fn read_port(&mut self, port: u16, width: PortWidth) -> u32 {
        self.asked = Some(Request::Read { port, bytes: width as u64 });
        let [word, ..] = self.answers.borrow().words;
        let value = match width {
            PortWidth::Byte => word as u32 & 0xff,
            PortWidth::TwoBytes => word as u32 & 0xffff,
            PortWidth::FourBytes => word as u32,
        };
        self.answer[0] = u64::from(value);
        value
    }

    fn write_port(&mut self, port: u16, width: PortWidth, value: u32) {
        self.asked = Some(port_write(port, width, value));
    }

    const CACHED_USER_END: Option<u64> = A::CACHED_USER_END;

    fn is_read_only(&self, space: Space, address: u64) -> bool {
        self.read_only.iter().any(|(vspace, pages)| *vspace as u64 == space.0 && pages.contains(&address))
    }

    fn maintain_cache(&mut self, space: Space, operation: CacheOperation, addresses: Range<u64>) {
        self.asked = Some(maintenance(space.0, operation, addresses));
    }

    fn call_secure_monitor(&mut self, registers: [u64; REGISTERS]) -> [u64; REGISTERS] {
        self.asked = Some(Request::Monitor(registers));
        self.answer = self.answers.borrow().words;
        self.answer
    }

    /// As in the ports, the key that makes the kernel print has its effect when all branches follow.
    fn patch_key(&mut self, key: KeyId, state: bool, room: &mut usize) -> Patching {
        let patching = self.answers.borrow_mut().patch(room);
        if patching == Patching::Done && self.printing_keys.contains(&Keys::index_of(key)) {
            self.is_printing = state;
        }
        patching
    }

    fn set_probing(&mut self, _: bool) -> Patching {
        self.answers.borrow_mut().patch(&mut 0)
    }

    fn synchronise_code(&mut self) {}
    fn note_synchronised(&mut self) {}

    fn switches_page_tables(&self) -> bool {
        self.switches_page_tables
    }

    fn begin_work(&mut self, _: ServiceId, context: &mut Plain<A>, _: &mut Plain<A>) {
        *context = Plain::ZERO;
    }

    fn prepare_work(&mut self, service: ServiceId, context: &mut Plain<A>, program: &mut Plain<A>) {
        self.begin_work(service, context, program);
    }

    fn reset_fpu(&mut self, _: ThreadId) {}

    fn serve_at_once(&mut self, fpu: &mut Fpu<ThreadId>, service: ServiceId) {
        self.served.push(Services::<Self>::index_of(service));
        if let Some(mut context) = InterruptContext::new(fpu, self) {
            context.section::<Low4, _>(|_| ());
        }
    }

    fn is_printing(&self) -> bool {
        self.is_printing
    }

    fn put_char(&mut self, byte: u8) {
        self.asked = Some(Request::Print(byte));
    }
}

/// The index of a thread.
pub(crate) fn index_of<A: Registers>(thread: ThreadId) -> usize {
    Threads::<ReplayMachine<A>>::index_of(thread)
}
