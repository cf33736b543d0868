//! Hardware that has the memory of threads, and nothing else.

use core::ops::Range;

use limen_core::arena::{KeyId, ServiceId, ThreadId};
use limen_core::cap::{CapTable, RootTable};
use limen_core::kernel::{MessageBuffers, SampleRings};
use limen_core::machine::{
    CacheOperation, CounterAccess, Interrupt, Line, Machine, Patching, PortWidth, Ticks,
};
use limen_core::object::irq::State;
use limen_core::object::secure_monitor::REGISTERS;
use limen_core::processors::mailbox::Mailboxes;
use limen_core::trace::TraceRing;
use limen_fpu::{Fpu, FpuUnit};

use crate::arch::context::Context;
use crate::thread_memory;

/// The hardware.
#[derive(Debug)]
pub(crate) struct Hardware;

impl Hardware {
    /// As before boot.
    pub(crate) const UNKNOWN: Self = Self;
}

impl FpuUnit<ThreadId> for Hardware {
    fn exchange(&mut self, _: Option<ThreadId>, _: ThreadId) {}
    fn save(&mut self, _: ThreadId) {}
    fn load(&mut self, _: Option<ThreadId>) {}
    fn renew(&mut self, _: Option<ThreadId>) {}
    fn enable(&mut self) {}
    fn disable(&mut self) {}
}

impl Machine for Hardware {
    type Context = Context;
    type ThreadFiller = ();
    const THREAD_FILLER: () = ();
    type Space = u64;
    const NO_SPACE: u64 = u64::MAX;
    type Caps = &'static CapTable;
    const NO_CAPS: &'static CapTable = &thread_memory::NO_CAPS;
    const NOTICES_SAME_SPACE: bool = false;
    const READS_AHEAD: bool = true;
    const CACHED_USER_END: Option<u64> = None;

    fn caps(&self, thread: ThreadId) -> &'static CapTable {
        thread_memory::cap_table(thread)
    }

    fn cap_table(&self, thread: ThreadId) -> &CapTable {
        thread_memory::cap_table(thread)
    }

    fn root_table(&self, thread: ThreadId) -> &RootTable {
        thread_memory::root_table(thread)
    }

    fn buffers(&self) -> &MessageBuffers {
        thread_memory::message_buffers()
    }

    fn mailboxes(&self) -> &Mailboxes {
        thread_memory::mailboxes()
    }

    fn interrupt_processor(&mut self, _: u8) {}

    fn is_recording(&self) -> bool {
        false
    }

    fn frequency(&self) -> u64 {
        1_000_000
    }

    fn forget_interrupt(&mut self) {}

    fn sample_rings(&self) -> &SampleRings {
        thread_memory::sample_rings()
    }

    fn trace_ring(&self) -> Option<TraceRing<'_>> {
        None
    }

    fn trace_groups(&self) -> u64 {
        0
    }

    fn last_interrupt(&self) -> Option<Line> {
        None
    }

    fn key_branches(&self, _: KeyId) -> u64 {
        0
    }

    fn service_bytes(&self, _: ServiceId) -> u64 {
        0
    }

    fn now(&self) -> Ticks {
        0
    }

    fn cycles(&self) -> u64 {
        0
    }

    fn ticks_from_us(&self, us: u64) -> Ticks {
        us
    }

    fn us_from_ticks(&self, ticks: Ticks) -> u64 {
        ticks
    }

    fn set_deadline(&mut self, _: Ticks) {}
    fn switch_space(&mut self, _: u64) {}

    fn fpu_options(&self) -> u64 {
        0
    }

    fn set_user_counter(&mut self, _: CounterAccess) {}

    fn acknowledge_interrupt(&mut self) -> Option<Interrupt> {
        None
    }

    fn complete_interrupt(&mut self, _: Line) {}
    fn mask_line(&mut self, _: Line) {}
    fn unmask_line(&mut self, _: Line) {}
    fn suspend_line(&mut self, _: Line) {}
    fn resume_line(&mut self, _: Line, _: State) {}

    fn read_port(&mut self, _: u16, _: PortWidth) -> u32 {
        0
    }

    fn write_port(&mut self, _: u16, _: PortWidth, _: u32) {}

    fn is_read_only(&self, _: u64, _: u64) -> bool {
        false
    }

    fn maintain_cache(&mut self, _: u64, _: CacheOperation, _: Range<u64>) {}

    fn call_secure_monitor(&mut self, registers: [u64; REGISTERS]) -> [u64; REGISTERS] {
        registers
    }

    fn patch_key(&mut self, _: KeyId, _: bool, _: &mut usize) -> Patching {
        Patching::Done
    }

    fn set_probing(&mut self, _: bool) -> Patching {
        Patching::Done
    }

    fn synchronise_code(&mut self) {}
    fn note_synchronised(&mut self) {}

    fn switches_page_tables(&self) -> bool {
        false
    }

    fn begin_work(&mut self, _: ServiceId, _: &mut Context, _: &mut Context) {}
    fn prepare_work(&mut self, _: ServiceId, _: &mut Context, _: &mut Context) {}
    fn reset_fpu(&mut self, _: ThreadId) {}
    fn serve_at_once(&mut self, _: &mut Fpu<ThreadId>, _: ServiceId) {}

    fn is_printing(&self) -> bool {
        false
    }

    fn put_char(&mut self, _: u8) {}
}
