//! A machine of plain data: the test advances the time, and the kernel's operations are recorded.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use limen_abi::trace::{HeaderWord, RecordWord};
use limen_abi::{KernelKey, limits};
use limen_core::arena::{KeyId, ServiceId, ThreadId};
use limen_core::cap::{CapTable, RootTable};
use limen_core::kernel::{Keys, MessageBuffers, PerThread, SampleRings, Services};
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
use limen_replay::abstraction::{maintenance, port_write};
use limen_spec::hardware::Request;

use super::context::{PC, TestContext, position};
use super::controller::Controller;

/// An address space: its index in the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Space(pub(crate) u64);

/// The rate of the clock, and its value at boot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Timer ticks per microsecond.
    pub(crate) ticks_per_us: u64,
    /// The time at boot.
    pub(crate) start: Ticks,
}

impl Clock {
    /// One tick per microsecond, from zero.
    pub(crate) const PLAIN: Self = Self { ticks_per_us: 1, start: 0 };
}

/// A floating-point unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct HostFpu {
    /// The thread whose registers it contains, even if that no longer owns it.
    pub(crate) holds: Option<ThreadId>,
    /// Whether user mode can use it.
    pub(crate) is_on: bool,
}

/// The test machine.
#[derive(Debug)]
pub(crate) struct HostMachine {
    /// The current time, without the time spent in the kernel.
    pub(crate) now: Ticks,
    /// How long reading the clock takes, so that time passes in the kernel, too.
    ticks_per_read: Ticks,
    /// How often the kernel read the clock since `ticks_per_read` was set.
    reads: Cell<u64>,
    /// Timer ticks per microsecond.
    pub(crate) ticks_per_us: u64,
    /// The programmed deadline of the timer.
    pub(crate) deadline: Ticks,
    /// How often the timer was set.
    pub(crate) deadlines_set: usize,
    /// The current address space.
    pub(crate) space: Space,
    /// The number of switches of the address space.
    pub(crate) spaces_entered: usize,
    /// The floating-point unit.
    pub(crate) fpu: HostFpu,
    /// Threads whose save area was reset, in order.
    pub(crate) fpu_resets: Vec<ThreadId>,
    /// The options that every floating-point policy must have on this machine.
    pub(crate) fpu_options: u64,
    /// The access of user mode to the cycle counter.
    pub(crate) counter: CounterAccess,
    /// The pending interrupt; it takes precedence over the controller's lines.
    pub(crate) interrupt: Option<Interrupt>,
    /// The device lines.
    pub(crate) controller: Controller,
    /// Static keys that were patched completely, with their new state.
    pub(crate) key_flips: Vec<(u64, bool)>,
    /// The number of steps that patching a key takes, at least one.
    pub(crate) key_steps: u32,
    /// The progress of patching each key that was changed; 0 is off.
    pub(crate) key_places: BTreeMap<u64, u32>,
    /// The history of probing.
    pub(crate) probing: Vec<bool>,
    /// Services whose work has begun.
    pub(crate) works_begun: Vec<usize>,
    /// Services that ran in an interrupt or fault.
    pub(crate) served: Vec<usize>,
    /// Whether programs may print.
    pub(crate) is_printing: bool,
    /// Output of the programs.
    pub(crate) console: Vec<u8>,
    /// Writes to I/O ports.
    pub(crate) ports_written: Vec<(u16, PortWidth, u32)>,
    /// The capability tables.
    pub(crate) tables: Box<PerThread<CapTable>>,
    /// The root tables.
    pub(crate) roots: Box<PerThread<RootTable>>,
    /// Cache operations.
    pub(crate) caches_maintained: Vec<(Space, CacheOperation, Range<u64>)>,
    /// The number of the processor.
    number: usize,
    /// The memory that processors share.
    pub(crate) shared: Shared,
    /// Processors that were interrupted and have not taken the interrupt, one bit each.
    pub(crate) interrupted: u64,
    rings: Box<SampleRings>,
    /// The ring of the trace; empty without one.
    pub(crate) trace: Vec<AtomicU64>,
    /// The groups of the trace that are on.
    pub(crate) trace_groups: u64,
    /// For each key of the image the kernel's key that it is.
    pub(crate) kernel_keys: Vec<Option<KernelKey>>,
    /// The last request to the hardware, for the specification.
    pub(crate) asked: Option<Request>,
    /// The answer to it.
    pub(crate) answer: [u64; REGISTERS],
    /// Whether every event is recorded.
    pub(crate) is_recording: bool,
    last_line: Option<Line>,
}

/// The entry point of work.
pub(crate) const WORK_PC: u64 = 0xffff_0000;
/// The position of a register that the port adds to a program's saved registers when work begins.
pub(crate) const PRESERVED: usize = position("x20");
/// The value of that register.
pub(crate) const PRESERVED_VALUE: u64 = 0x20_20;

/// A page that is read-only for user mode in every address space.
pub(crate) const READ_ONLY_PAGE: u64 = 0x5000;
/// Its addresses.
pub(crate) const READ_ONLY: Range<u64> = READ_ONLY_PAGE..READ_ONLY_PAGE + limits::PAGE_BYTES;

/// The memory that the kernels of all processors share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    buffers: Rc<MessageBuffers>,
    /// The memory for messages between processors.
    pub(crate) mailboxes: Rc<Mailboxes>,
    /// The code that all processors execute.
    pub(crate) code: Rc<Code>,
}

/// How often shared code was written, and what each processor has seen of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Code {
    /// The number of writes.
    pub(crate) written: Cell<u64>,
    /// The number of writes that each processor had seen when it last synchronised. Empty with one processor.
    pub(crate) seen: Vec<Cell<u64>>,
    /// The number of writes when the branches of each key were last written.
    last: RefCell<BTreeMap<u64, u64>>,
}

/// Stands for the key of the probes.
const PROBES: u64 = u64::MAX;

impl Code {
    /// Returns whether every processor executes the code as it is now.
    pub(crate) fn is_synchronised(&self) -> bool {
        self.seen.iter().all(|seen| *seen == self.written)
    }

    /// The first processor writes branches of a key. The others must have seen what it wrote there before.
    fn write(&self, key: u64) {
        let last = self.last.borrow().get(&key).copied().unwrap_or(0);
        let is_seen = self.seen.iter().all(|seen| seen.get() >= last);
        assert!(is_seen, "branches are written while a processor may execute what was there before");
        self.written.set(self.written.get() + 1);
        self.last.borrow_mut().insert(key, self.written.get());
        self.see(0);
    }

    fn see(&self, number: usize) {
        self.seen.get(number).into_iter().for_each(|seen| seen.set(self.written.get()));
    }

    /// Restores an earlier state.
    pub(crate) fn restore(&self, from: &Self) {
        self.written.set(from.written.get());
        self.last.borrow_mut().clone_from(&from.last.borrow());
        self.seen.iter().zip(&from.seen).for_each(|(seen, from)| seen.set(from.get()));
    }
}

impl Shared {
    /// Creates zeroed memory.
    pub(crate) fn new(processors: usize) -> Self {
        let buffers = MessageBuffers::new([const { MessageBuffer::new() }; limits::THREADS]);
        let code = Code { seen: vec![Cell::new(0); processors], ..Code::default() };
        Self { buffers: Rc::new(buffers), mailboxes: Rc::new(Mailboxes::new()), code: Rc::new(code) }
    }
}

impl HostMachine {
    /// Creates a machine of one processor with these capability tables.
    pub(crate) fn new(tables: Box<PerThread<CapTable>>, clock: Clock) -> Self {
        Self::sharing(0, tables, clock, Shared::new(0))
    }

    /// Creates one of several processors, which share memory.
    pub(crate) fn sharing(
        number: usize,
        tables: Box<PerThread<CapTable>>,
        Clock { ticks_per_us, start }: Clock,
        shared: Shared,
    ) -> Self {
        Self {
            now: start,
            ticks_per_read: 0,
            reads: Cell::new(0),
            ticks_per_us,
            deadline: Ticks::MAX,
            deadlines_set: 0,
            space: Self::NO_SPACE,
            spaces_entered: 0,
            fpu: HostFpu::default(),
            fpu_resets: Vec::new(),
            fpu_options: 0,
            counter: CounterAccess::Denied,
            interrupt: None,
            controller: Controller::default(),
            key_flips: Vec::new(),
            key_steps: 1,
            key_places: BTreeMap::new(),
            probing: Vec::new(),
            works_begun: Vec::new(),
            served: Vec::new(),
            is_printing: false,
            console: Vec::new(),
            ports_written: Vec::new(),
            tables,
            roots: Box::new(PerThread::new([RootTable::EMPTY; limits::THREADS])),
            caches_maintained: Vec::new(),
            number,
            shared,
            interrupted: 0,
            rings: Box::new(SampleRings::new([const { SampleRing::new() }; limits::SAMPLE_RINGS])),
            trace: Vec::new(),
            trace_groups: 0,
            kernel_keys: Vec::new(),
            asked: None,
            answer: [0; REGISTERS],
            is_recording: false,
            last_line: None,
        }
    }

    /// Gives the trace an empty ring.
    pub(crate) fn make_trace(&mut self, slots: usize) {
        let words = HeaderWord::LENGTH + slots * RecordWord::LENGTH;
        self.trace = (0..words).map(|_| AtomicU64::new(0)).collect();
    }

    /// All branches on a key are patched: as in the ports, one of the kernel begins or ends to have its effect.
    fn switch_kernel(&mut self, key: u64, state: bool) {
        match self.kernel_keys.get(key as usize) {
            Some(Some(KernelKey::Printing)) => self.is_printing = state,
            Some(Some(own)) if own.is_trace() && !self.trace.is_empty() => {
                self.trace_groups = self.trace_groups & !own.option() | if state { own.option() } else { 0 };
            }
            _ => {}
        }
    }

    /// Sets how long reading the clock takes.
    pub(crate) fn slow_clock(&mut self, ticks_per_read: Ticks) {
        self.now = self.time();
        self.ticks_per_read = ticks_per_read;
        self.reads.set(0);
    }

    /// Returns the current time. This read takes no time.
    pub(crate) fn time(&self) -> Ticks {
        self.now + self.time_in_kernel()
    }

    /// Returns how long the kernel has spent reading the clock.
    pub(crate) fn time_in_kernel(&self) -> Ticks {
        self.reads.get() * self.ticks_per_read
    }

    /// Creates empty capability tables.
    pub(crate) fn empty_tables() -> Box<PerThread<CapTable>> {
        Box::new(PerThread::new([CapTable::EMPTY; limits::THREADS]))
    }
}

/// A copy of a thread's capability table, which does not change after boot.
#[derive(Debug)]
pub(crate) struct Caps(Option<Box<CapTable>>);

impl Deref for Caps {
    type Target = CapTable;

    fn deref(&self) -> &CapTable {
        static EMPTY: CapTable = CapTable::EMPTY;
        self.0.as_deref().unwrap_or(&EMPTY)
    }
}

impl FpuUnit<ThreadId> for HostMachine {
    fn exchange(&mut self, from: Option<ThreadId>, to: ThreadId) {
        self.save(from.expect("the unit is on but has no owner"));
        self.load(Some(to));
    }

    fn save(&mut self, to: ThreadId) {
        assert!(self.fpu.is_on, "registers are saved while the unit is off");
        assert_eq!(Some(to), self.fpu.holds, "the unit contains the registers of another thread");
    }

    fn load(&mut self, from: Option<ThreadId>) {
        assert!(self.fpu.is_on, "registers are loaded while the unit is off");
        self.fpu.holds = from;
    }

    fn renew(&mut self, owner: Option<ThreadId>) {
        owner.into_iter().for_each(|owner| {
            self.enable();
            self.save(owner);
        });
        self.fpu.holds = None;
        self.disable();
    }

    fn enable(&mut self) {
        self.fpu.is_on = true;
    }

    fn disable(&mut self) {
        self.fpu.is_on = false;
    }
}

impl SectionUnit<ThreadId> for HostMachine {
    const IS_ALWAYS_REACHED: bool = false;

    fn is_up(&self) -> bool {
        true
    }

    fn save_for_section<M: Mask>(&mut self, owner: Option<ThreadId>) {
        owner.into_iter().for_each(|owner| self.save(owner));
    }

    fn restore_after_section<M: Mask>(&mut self, owner: Option<ThreadId>) {
        owner.into_iter().for_each(|owner| self.load(Some(owner)));
    }
}

impl Machine for HostMachine {
    type Context = TestContext;
    type ThreadFiller = ();
    const THREAD_FILLER: () = ();
    type Space = Space;

    type Caps = Caps;
    const NO_CAPS: Caps = Caps(None);

    fn caps(&self, thread: ThreadId) -> Caps {
        Caps(Some(Box::new(self.tables[thread].clone())))
    }

    fn cap_table(&self, thread: ThreadId) -> &CapTable {
        &self.tables[thread]
    }

    fn root_table(&self, thread: ThreadId) -> &RootTable {
        &self.roots[thread]
    }

    fn buffers(&self) -> &MessageBuffers {
        &self.shared.buffers
    }

    fn mailboxes(&self) -> &Mailboxes {
        &self.shared.mailboxes
    }

    fn interrupt_processor(&mut self, number: u8) {
        self.interrupted |= 1 << number;
    }

    fn sample_rings(&self) -> &SampleRings {
        &self.rings
    }

    fn trace_ring(&self) -> Option<TraceRing<'_>> {
        let [header, ..] = self.trace.as_chunks().0 else { return None };
        Some(TraceRing { header, slots: self.trace[HeaderWord::LENGTH..].as_chunks().0 })
    }

    fn trace_groups(&self) -> u64 {
        self.trace_groups
    }

    fn is_recording(&self) -> bool {
        self.is_recording
    }

    fn frequency(&self) -> u64 {
        self.ticks_per_us * 1_000_000
    }

    fn forget_interrupt(&mut self) {
        self.last_line = Some(Line::NONE);
    }

    fn last_interrupt(&self) -> Option<Line> {
        self.last_line
    }

    fn key_branches(&self, _: KeyId) -> u64 {
        u64::from(self.key_steps)
    }

    fn service_bytes(&self, service: ServiceId) -> u64 {
        0x1000 + Services::<Self>::index_of(service) as u64
    }

    fn now(&self) -> Ticks {
        let now = self.time();
        self.reads.set(self.reads.get() + 1);
        now
    }

    fn cycles(&self) -> u64 {
        self.time()
    }

    fn ticks_from_us(&self, us: u64) -> Ticks {
        us * self.ticks_per_us
    }

    fn us_from_ticks(&self, ticks: Ticks) -> u64 {
        ticks / self.ticks_per_us
    }

    fn set_deadline(&mut self, deadline: Ticks) {
        self.deadline = deadline;
        self.deadlines_set += 1;
    }

    const NOTICES_SAME_SPACE: bool = true;
    const READS_AHEAD: bool = true;

    fn switch_space(&mut self, space: Space) {
        self.space = space;
        self.spaces_entered += 1;
    }

    fn fpu_options(&self) -> u64 {
        self.fpu_options
    }

    fn set_user_counter(&mut self, access: CounterAccess) {
        self.counter = access;
    }

    fn acknowledge_interrupt(&mut self) -> Option<Interrupt> {
        let interrupt = self.interrupt.take().or_else(|| self.controller.acknowledge().map(Interrupt::Line));
        match interrupt {
            Some(Interrupt::Line(line)) => self.last_line = Some(line),
            Some(Interrupt::Timer) => self.last_line = None,
            // As on hardware, it leaves the last one.
            Some(Interrupt::Message) => {}
            None => {}
        }
        interrupt
    }

    fn complete_interrupt(&mut self, line: Line) {
        self.controller.complete(line);
    }

    fn mask_line(&mut self, line: Line) {
        self.controller.set_masked(line, true);
    }

    fn unmask_line(&mut self, line: Line) {
        self.controller.set_masked(line, false);
    }

    fn suspend_line(&mut self, line: Line) {
        self.controller.suspend(line);
    }

    fn resume_line(&mut self, line: Line, state: State) {
        self.controller.resume(line, state);
    }

    fn read_port(&mut self, port: u16, width: PortWidth) -> u32 {
        self.asked = Some(Request::Read { port, bytes: width as u64 });
        let value = u32::from(port) << 8 | width as u32;
        self.answer[0] = u64::from(value);
        value
    }

    fn write_port(&mut self, port: u16, width: PortWidth, value: u32) {
        self.asked = Some(port_write(port, width, value));
        self.ports_written.push((port, width, value));
    }

    const NO_SPACE: Space = Space(u64::MAX);
    const CACHED_USER_END: Option<u64> = Some(1 << 40);

    fn is_read_only(&self, _: Space, address: u64) -> bool {
        READ_ONLY.contains(&address)
    }

    fn maintain_cache(&mut self, space: Space, operation: CacheOperation, addresses: Range<u64>) {
        self.asked = Some(maintenance(space.0, operation, addresses.clone()));
        self.caches_maintained.push((space, operation, addresses));
    }

    fn call_secure_monitor(&mut self, registers: [u64; REGISTERS]) -> [u64; REGISTERS] {
        self.asked = Some(Request::Monitor(registers));
        self.answer = registers.map(|register| register.wrapping_add(1));
        self.answer
    }

    fn patch_key(&mut self, key: KeyId, state: bool, room: &mut usize) -> Patching {
        let key = Keys::index_of(key) as u64;
        self.shared.code.write(key);
        let (start, end) = if state { (0, self.key_steps) } else { (self.key_steps, 0) };
        let place = self.key_places.entry(key).or_insert(start);
        *place = if state { end.min(*place + 1) } else { place.saturating_sub(1) };
        if *place != end {
            *room = 0;
            return Patching::More;
        }
        self.key_flips.push((key, state));
        self.switch_kernel(key, state);
        Patching::Done
    }

    fn set_probing(&mut self, state: bool) -> Patching {
        self.shared.code.write(PROBES);
        self.probing.push(state);
        Patching::Done
    }

    fn synchronise_code(&mut self) {
        self.shared.code.see(self.number);
    }

    fn note_synchronised(&mut self) {
        assert!(self.shared.code.is_synchronised(), "a round ends though a processor may execute old code");
    }

    fn switches_page_tables(&self) -> bool {
        true
    }

    fn begin_work(&mut self, service: ServiceId, context: &mut TestContext, program: &mut TestContext) {
        self.works_begun.push(Services::<Self>::index_of(service));
        // The port saves callee-saved registers here.
        program.registers[PRESERVED] = PRESERVED_VALUE;
        *context = TestContext::ZERO;
        context.registers[PC] = WORK_PC;
    }

    fn prepare_work(&mut self, service: ServiceId, context: &mut TestContext, _: &mut TestContext) {
        self.works_begun.push(Services::<Self>::index_of(service));
        *context = TestContext::ZERO;
        context.registers[PC] = WORK_PC;
    }

    fn reset_fpu(&mut self, thread: ThreadId) {
        assert_ne!(
            self.fpu.holds.filter(|_| self.fpu.is_on),
            Some(thread),
            "the unit contains the registers"
        );
        self.fpu_resets.push(thread);
    }

    fn serve_at_once(&mut self, fpu: &mut Fpu<ThreadId>, service: ServiceId) {
        let context = InterruptContext::new(fpu, self);
        context.expect("the unit is up").section::<Low4, _>(|_| ());
        self.served.push(Services::<Self>::index_of(service));
    }

    fn is_printing(&self) -> bool {
        self.is_printing
    }

    fn put_char(&mut self, byte: u8) {
        self.asked = Some(Request::Print(byte));
        self.console.push(byte);
    }
}
