//! The contract with the hardware. A port implements [`Machine`]; the tests implement it with plain data.
//!
//! Everything that the core asks for is listed here. None of it can fail.

use core::fmt::Debug;
use core::ops::{Deref, Range};

use limen_abi::MessageInfo;
use limen_fpu::{Fpu, FpuUnit};

use crate::arena::{KeyId, ServiceId, ThreadId};
use crate::cap::{CapTable, RootTable};
use crate::kernel::MessageBuffers;
use crate::object::irq;
use crate::object::secure_monitor::REGISTERS;

/// Time in ticks of the kernel's timer, from boot. It does not wrap in the lifetime of a machine.
pub type Ticks = u64;

/// One processor, its timer and its debug console. Its floating-point unit has an area for each thread.
pub trait Machine: FpuUnit<ThreadId> {
    /// The registers of a thread.
    type Context: Context;
    /// What the processor needs to enter an address space.
    type Space: Copy + PartialEq + Debug;
    /// No address space. Nobody enters it; a value of its own kind, so that one comparison tells spaces apart.
    const NO_SPACE: Self::Space;

    /// How a thread refers to its capability table.
    type Caps: Deref<Target = CapTable> + Debug;
    /// A table without capabilities.
    const NO_CAPS: Self::Caps;

    /// The capability table of a thread of the image, filled before the first event.
    fn cap_table(&self, thread: ThreadId) -> &CapTable;

    /// That table, for the thread to keep.
    fn caps(&self, thread: ThreadId) -> Self::Caps;

    /// The root slots of a thread of the image, filled before the first event.
    fn root_table(&self, thread: ThreadId) -> &RootTable;

    /// The message buffers of the threads; user mode sees them, too.
    fn buffers(&self) -> &MessageBuffers;

    /// The current time.
    fn now(&self) -> Ticks;

    /// The cycle counter.
    fn cycles(&self) -> u64;

    /// Ticks in this many microseconds, rounded up.
    fn ticks_from_us(&self, us: u64) -> Ticks;

    /// Microseconds in this many ticks, rounded down.
    fn us_from_ticks(&self, ticks: Ticks) -> u64;

    /// Asks for a timer interrupt at or after `deadline`; replaces an earlier request. May lie in the past.
    fn set_deadline(&mut self, deadline: Ticks);

    /// Whether to notice that an address space is entered already is worth more than it costs.
    const NOTICES_SAME_SPACE: bool;

    /// Makes `space` the address space of user mode.
    fn switch_space(&mut self, space: Self::Space);

    /// What goes with every floating-point policy on this processor, whoever chooses it: see [`limen_abi::fpu::FpuOption`].
    fn fpu_options(&self) -> u64;

    /// Allows or forbids user mode to read the cycle counter.
    fn set_user_counter(&mut self, access: CounterAccess);

    /// The interrupt that is waiting to be served, if any.
    ///
    /// A line that it names does not interrupt again before [`Self::complete_interrupt`], with one exception: where the
    /// controller would forget an edge that comes meanwhile, that edge interrupts, too.
    fn acknowledge_interrupt(&mut self) -> Option<Interrupt>;

    /// The program has served the interrupt of a line that [`Self::acknowledge_interrupt`] named.
    fn complete_interrupt(&mut self, line: Line);

    /// Keeps a line from interrupting, at the price that an edge may be forgotten.
    fn mask_line(&mut self, line: Line);

    /// Lets a line interrupt that was masked.
    fn unmask_line(&mut self, line: Line);

    /// Keeps a line from interrupting until [`Self::resume_line`], whether it is in service or masked or not. What comes
    /// meanwhile waits in the controller, as far as that can be done: an edge may be forgotten if it is over before
    /// the line is resumed, and what has no line, the message of a device, interrupts all the same.
    ///
    /// The other methods may be called for a suspended line.
    fn suspend_line(&mut self, line: Line);

    /// Undoes [`Self::suspend_line`]; `state` is what became of the line's interrupt meanwhile. A line whose edge was not
    /// acknowledged may interrupt once more for it.
    fn resume_line(&mut self, line: Line, state: irq::State);

    /// Reads an I/O port. Only an image for x86 has capabilities that lead here.
    fn read_port(&mut self, port: u16, width: PortWidth) -> u32;

    /// Writes the lower bytes of a value to an I/O port.
    fn write_port(&mut self, port: u16, width: PortWidth, value: u32);

    /// Where user addresses end, if caches are maintained by user address; `None` where address spaces have no methods.
    const CACHED_USER_END: Option<u64>;

    /// Whether there is a page at this address of `space` that user mode may not write.
    fn is_read_only(&self, space: Self::Space, address: u64) -> bool;

    /// Maintains the caches for these addresses of `space`, which are in one page. Does nothing if it is not mapped.
    fn maintain_cache(&mut self, space: Self::Space, operation: CacheOperation, addresses: Range<u64>);

    /// Calls the secure monitor. Only an image for AArch64 has a capability that leads here.
    fn call_secure_monitor(&mut self, registers: [u64; REGISTERS]) -> [u64; REGISTERS];

    /// Makes more of the branches on a static key follow its state: as many as may be exchanged in one go. The state may be
    /// another before all do.
    fn follow_key(&mut self, key: KeyId, state: bool) -> Patching;

    /// Makes every trap and every return pass the probes, or none.
    fn set_probing(&mut self, state: bool);

    /// Whether every entry into the kernel and every return switches page tables.
    fn switches_page_tables(&self) -> bool;

    /// Makes `context` begin the work of a service. Once it runs, and before it can be interrupted, the port notes in
    /// `program`, which are the registers of the program for which it is, those that compiled code preserves. It ends
    /// with [`Event::WorkDone`](crate::event::Event::WorkDone).
    fn begin_work(&mut self, service: ServiceId, context: &mut Self::Context, program: &mut Self::Context);

    /// Clears the memory of a service, at once. `fpu` says whose registers are in the unit: for a section, which leaves
    /// them as they are.
    fn wipe(&mut self, fpu: &mut Fpu<ThreadId>, service: ServiceId);

    /// Whether programs may print on the debug console.
    fn is_printing(&self) -> bool;

    /// Prints one byte on the debug console.
    fn put_char(&mut self, byte: u8);
}

/// Whether user mode may read the cycle counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CounterAccess {
    /// Reading it is an exception.
    #[default]
    Denied,
    /// Reading it works.
    Granted,
}

/// Whether the branches on a static key are patched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patching {
    /// All of them are.
    Done,
    /// Others remain.
    More,
}

/// What is done to the caches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheOperation {
    /// Write data to memory.
    Clean,
    /// Forget data.
    Invalidate,
    /// Write data to memory and forget it.
    CleanInvalidate,
    /// Make written instructions visible to fetches.
    Unify,
}

/// How much of an I/O port is accessed, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortWidth {
    /// One.
    Byte = 1,
    /// Two, from two ports.
    TwoBytes = 2,
    /// Four, from four ports.
    FourBytes = 4,
}

/// Something that happened outside the running program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// The deadline has passed.
    Timer,
    /// A line of a device.
    Line(Line),
}

/// The first `N` registers in `seL4_UserContext` order.
#[must_use]
pub const fn first_registers<const N: usize>() -> [usize; N] {
    let mut registers = [0; N];
    let mut position = 0;
    while position < N {
        registers[position] = position;
        position += 1;
    }
    registers
}

/// A line of the interrupt controller, by the controller's own number; on x86, the processor's vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line(pub u32);

/// Where a context keeps the parts of a system call, in the port's own numbering of its words.
#[derive(Clone, Copy, Debug)]
pub struct Convention {
    /// Capability pointer in, badge out.
    pub cptr: usize,
    /// Message info in and out.
    pub info: usize,
    /// Message words 0 to 3.
    pub words: [usize; 4],
    /// The reply object's capability pointer.
    pub reply: usize,
    /// The destination of NBSendRecv's send.
    pub send: usize,
}

/// The registers of a thread, as far as the core needs to know them.
///
/// Source: spec of the system-call convention in [`limen_abi::register`].
pub trait Context: Copy + Debug {
    /// Registers of a thread that never ran: all zero.
    const ZERO: Self;
    /// Registers in `seL4_UserContext` order.
    const REGISTERS: usize;
    /// Position of the program counter in that order.
    const PC: usize;
    /// Position of the stack pointer in that order.
    const SP: usize;
    /// Position in that order of the register for thread-local storage.
    const TLS_BASE: usize;
    /// Position in that order of the register in which a program leaves its stamp for a probe. Saved at every entry.
    const STAMP: usize;
    /// Registers of an UnknownSyscall message, before the system-call number.
    const UNKNOWN_SYSCALL: &'static [usize];
    /// Registers that the answer to a Timeout message may set: all that a program can, but thread pointers.
    const TIMEOUT: &'static [usize];
    /// Registers of a UserException message, before number and code.
    const USER_EXCEPTION: &'static [usize];
    /// Code words of a UserException message after the number: 1 where the message has a code.
    const EXCEPTION_CODE_WORDS: usize;

    /// Which word carries what in a system call.
    const CONVENTION: Convention;

    /// A word of the context by the port's own numbering, that of [`Self::CONVENTION`].
    fn word(&self, place: usize) -> u64;
    /// Sets a word of the context by the port's own numbering.
    fn set_word(&mut self, place: usize, value: u64);

    /// The capability pointer of a system call.
    #[inline]
    fn cptr(&self) -> u64 {
        self.word(Self::CONVENTION.cptr)
    }

    /// The message info of a system call, as the program wrote it.
    #[inline]
    fn info(&self) -> MessageInfo {
        MessageInfo::from_raw(self.word(Self::CONVENTION.info))
    }

    /// The reply object's capability pointer of a system call.
    #[inline]
    fn reply_cptr(&self) -> u64 {
        self.word(Self::CONVENTION.reply)
    }

    /// The destination of NBSendRecv's send.
    #[inline]
    fn send_cptr(&self) -> u64 {
        self.word(Self::CONVENTION.send)
    }

    /// Message words 0 to 3.
    #[inline]
    fn words(&self) -> [u64; 4] {
        Self::CONVENTION.words.map(|place| self.word(place))
    }

    /// Sets the first `length` of message words 0 to 3; the others keep what the receiver left there.
    #[inline]
    fn set_words(&mut self, words: [u64; 4], length: usize) {
        let places = Self::CONVENTION.words.into_iter().zip(words);
        if length >= words.len() {
            // Without a count, so that it becomes plain stores.
            places.for_each(|(place, value)| self.set_word(place, value));
        } else if length != 0 {
            places.take(length).for_each(|(place, value)| self.set_word(place, value));
        }
    }

    /// Sets the badge that a receiver sees.
    #[inline]
    fn set_badge(&mut self, badge: u64) {
        self.set_word(Self::CONVENTION.cptr, badge);
    }

    /// Sets the message info that a receiver sees.
    #[inline]
    fn set_info(&mut self, info: MessageInfo) {
        self.set_word(Self::CONVENTION.info, info.as_raw());
    }

    /// A register by its position in `seL4_UserContext` order; zero past the end.
    fn register(&self, position: usize) -> u64;
    /// Sets a register by position, limited to values that user mode may have; ignored past the end.
    fn set_register(&mut self, position: usize, value: u64);
    /// Moves the program counter back to the system-call instruction that was just executed.
    fn rewind_syscall(&mut self);
}
