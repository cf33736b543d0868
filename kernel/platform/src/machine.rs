//! The hardware, as the core sees it, on the architecture that this kernel is built for.

use core::num::NonZeroU64;
use core::ops::Range;

use limen_core::arena::{KeyId, ServiceId, ThreadId};
use limen_core::cap::{CapTable, RootTable};
use limen_core::kernel::{MessageBuffers, SampleRings};
use limen_core::machine::{
    CacheOperation, CounterAccess, Interrupt, Line, Machine, Patching, PortWidth, Ticks,
};
use limen_core::object::irq::State;
use limen_core::object::secure_monitor::REGISTERS;
use limen_core::object::thread::{self, Thread};
use limen_core::processors::mailbox::Mailboxes;
use limen_core::trace::TraceRing;
use limen_fpu::{Fpu, InterruptContext};
use limen_image::Board;

use crate::arch::{cache, context, cpu, firmware, fpu, irq, ports, text, timer};
use crate::keys::{self, SystemKeys};
use crate::panic::fatal;
use crate::{console, service_work, thread_memory};

const US_PER_SECOND: u64 = 1_000_000;

/// Facts about the machine that boot finds out.
#[derive(Debug)]
pub struct Hardware {
    /// Interrupt line of the kernel's timer.
    timer_line: u32,
    /// Ticks per second.
    frequency: NonZeroU64,
    /// The static keys, once boot has linked them.
    keys: Option<&'static mut SystemKeys>,
    /// The ring of the trace that this processor writes.
    trace: Option<TraceRing<'static>>,
    /// The line of the last interrupt that was acknowledged.
    last_line: u32,
}

impl Hardware {
    /// A machine about which nothing is known yet.
    pub const UNKNOWN: Self =
        Self { timer_line: 0, frequency: NonZeroU64::MIN, keys: None, trace: None, last_line: 0 };

    /// The machine that this code runs on.
    pub fn probe(
        board: &Board,
        keys: Option<&'static mut SystemKeys>,
        trace: Option<TraceRing<'static>>,
    ) -> Self {
        let frequency = NonZeroU64::new(timer::frequency(board))
            .unwrap_or_else(|| fatal(format_args!("the frequency of the timer is unknown")));
        Self { timer_line: board.timer_interrupt as u32, frequency, keys, trace, last_line: 0 }
    }
}

const _: () = assert!(size_of::<Thread<Hardware>>() == thread::BYTES, "the filler has the wrong size");

impl Machine for Hardware {
    type Context = context::Context;
    type ThreadFiller = [u64; thread::filler_words(size_of::<context::Context>())];
    const THREAD_FILLER: Self::ThreadFiller = [0; thread::filler_words(size_of::<context::Context>())];

    type Space = cpu::SpaceRegister;
    const NO_SPACE: cpu::SpaceRegister = cpu::SpaceRegister::NONE;

    type Caps = &'static CapTable;
    const NO_CAPS: &'static CapTable = &thread_memory::NO_CAPS;

    fn caps(&self, thread: ThreadId) -> &'static CapTable {
        thread_memory::cap_table(thread)
    }

    #[inline]
    fn cap_table(&self, thread: ThreadId) -> &CapTable {
        thread_memory::cap_table(thread)
    }

    #[inline]
    fn root_table(&self, thread: ThreadId) -> &RootTable {
        thread_memory::root_table(thread)
    }

    #[inline]
    fn buffers(&self) -> &MessageBuffers {
        thread_memory::message_buffers()
    }

    #[inline]
    fn mailboxes(&self) -> &Mailboxes {
        thread_memory::mailboxes()
    }

    #[inline]
    fn interrupt_processor(&mut self, number: u8) {
        irq::interrupt_processor(number);
    }

    #[inline]
    fn sample_rings(&self) -> &SampleRings {
        thread_memory::sample_rings()
    }

    #[inline]
    fn trace_ring(&self) -> Option<TraceRing<'_>> {
        self.trace
    }

    #[inline]
    fn trace_groups(&self) -> u64 {
        self.keys.as_ref().map_or_else(keys::shared_groups, |keys| keys.groups())
    }

    #[inline]
    fn is_recording(&self) -> bool {
        keys::is_recording()
    }

    fn frequency(&self) -> u64 {
        self.frequency.get()
    }

    fn forget_interrupt(&mut self) {
        self.last_line = Line::NONE.0;
    }

    fn last_interrupt(&self) -> Option<Line> {
        (self.last_line != self.timer_line).then_some(Line(self.last_line))
    }

    fn key_branches(&self, key: KeyId) -> u64 {
        self.keys.as_ref().map_or(0, |keys| keys.branches(key))
    }

    fn service_bytes(&self, service: ServiceId) -> u64 {
        service_work::target_bytes(service)
    }

    #[inline]
    fn now(&self) -> Ticks {
        timer::now()
    }

    fn cycles(&self) -> u64 {
        cpu::cycles()
    }

    fn ticks_from_us(&self, us: u64) -> Ticks {
        us.saturating_mul(self.frequency.get()).div_ceil(US_PER_SECOND)
    }

    fn us_from_ticks(&self, ticks: Ticks) -> u64 {
        let (seconds, rest) = (ticks / self.frequency, ticks % self.frequency);
        seconds * US_PER_SECOND + rest * US_PER_SECOND / self.frequency
    }

    #[inline]
    fn set_deadline(&mut self, deadline: Ticks) {
        timer::set_deadline(deadline);
    }

    const NOTICES_SAME_SPACE: bool = cpu::NOTICES_SAME_SPACE;
    const READS_AHEAD: bool = cpu::READS_AHEAD;

    #[inline(always)]
    fn read_ahead(word: u64) {
        cpu::read_ahead(word);
    }

    #[inline]
    fn switch_space(&mut self, space: cpu::SpaceRegister) {
        cpu::switch_space(space);
    }

    fn fpu_options(&self) -> u64 {
        fpu::options()
    }

    #[inline]
    fn set_user_counter(&mut self, access: CounterAccess) {
        cpu::set_user_counter(access);
    }

    #[inline]
    fn acknowledge_interrupt(&mut self) -> Option<Interrupt> {
        let line = match irq::acknowledge() {
            Ok(line) => line,
            Err(word) => return irq::take_message(word).then_some(Interrupt::Message),
        };
        // A store costs as little as the branch that would avoid it.
        self.last_line = line;
        if line == self.timer_line {
            irq::end(line);
            Some(Interrupt::Timer)
        } else {
            irq::hold(line);
            Some(Interrupt::Line(Line(line)))
        }
    }

    fn complete_interrupt(&mut self, line: Line) {
        irq::complete(line.0);
    }

    fn mask_line(&mut self, line: Line) {
        irq::mask(line.0);
    }

    fn unmask_line(&mut self, line: Line) {
        irq::unmask(line.0);
    }

    fn suspend_line(&mut self, line: Line) {
        irq::suspend(line.0);
    }

    fn resume_line(&mut self, line: Line, state: State) {
        irq::resume(line.0, state);
    }

    fn read_port(&mut self, port: u16, width: PortWidth) -> u32 {
        ports::read(port, width)
    }

    fn write_port(&mut self, port: u16, width: PortWidth, value: u32) {
        ports::write(port, width, value);
    }

    const CACHED_USER_END: Option<u64> = cache::USER_END;

    fn is_read_only(&self, space: cpu::SpaceRegister, address: u64) -> bool {
        cache::is_read_only(space, address)
    }

    fn maintain_cache(
        &mut self,
        space: cpu::SpaceRegister,
        operation: CacheOperation,
        addresses: Range<u64>,
    ) {
        cache::maintain(space, operation, addresses);
    }

    fn call_secure_monitor(&mut self, registers: [u64; REGISTERS]) -> [u64; REGISTERS] {
        firmware::call_secure_monitor(registers)
    }

    fn patch_key(&mut self, key: KeyId, state: bool, room: &mut usize) -> Patching {
        self.keys.as_mut().map_or(Patching::Done, |keys| keys.patch(key, state, room))
    }

    fn set_probing(&mut self, state: bool) -> Patching {
        self.keys.as_mut().map_or(Patching::Done, |keys| keys.set_probing(state))
    }

    fn synchronise_code(&mut self) {
        text::synchronise();
    }

    fn note_synchronised(&mut self) {
        self.keys.iter_mut().for_each(|keys| keys.note_synchronised());
    }

    fn switches_page_tables(&self) -> bool {
        cpu::switches_page_tables()
    }

    fn begin_work(
        &mut self,
        service: ServiceId,
        context: &mut context::Context,
        program: &mut context::Context,
    ) {
        service_work::begin(service, context, program);
    }

    fn prepare_work(
        &mut self,
        service: ServiceId,
        context: &mut context::Context,
        program: &mut context::Context,
    ) {
        service_work::prepare(service, context, program);
    }

    fn reset_fpu(&mut self, thread: ThreadId) {
        crate::fpu::reset(thread);
    }

    fn serve_at_once(&mut self, fpu: &mut Fpu<ThreadId>, service: ServiceId) {
        service_work::serve_at_once(service, InterruptContext::new(fpu, self));
    }

    #[inline]
    fn is_printing(&self) -> bool {
        keys::is_printing()
    }

    fn put_char(&mut self, byte: u8) {
        console::put(byte);
    }
}
