//! The hardware interface. Each port implements [`Machine`]; the tests implement it with plain data.
//!
//! The core uses no other hardware operations. None of these can fail.

use core::fmt::Debug;
use core::ops::{Deref, Range};

use limen_abi::MessageInfo;
use limen_fpu::{Fpu, FpuUnit};

use crate::arena::{KeyId, ServiceId, ThreadId};
use crate::cap::{CapTable, RootTable};
use crate::kernel::{MessageBuffers, SampleRings};
use crate::object::irq;
use crate::object::secure_monitor::REGISTERS;
use crate::processors::mailbox::Mailboxes;
use crate::trace::TraceRing;

/// Time since boot, in ticks of the kernel's timer. It does not wrap within the lifetime of a machine.
pub type Ticks = u64;

/// One processor with its timer and debug console. Its floating-point unit has a save area per thread.
pub trait Machine: FpuUnit<ThreadId> {
    /// The registers of a thread.
    type Context: Context;
    /// Unused bytes that fill a [thread control block](crate::object::thread) up to its size; `()` if the size does not matter.
    type ThreadFiller: Debug;
    /// The filler's only value.
    const THREAD_FILLER: Self::ThreadFiller;

    /// The value that selects an address space.
    type Space: Copy + PartialEq + Debug;
    /// No address space; never entered. It is a `Space`, so that comparing spaces takes one comparison.
    const NO_SPACE: Self::Space;

    /// A thread's reference to its capability table.
    type Caps: Deref<Target = CapTable> + Debug;
    /// The reference to an empty table.
    const NO_CAPS: Self::Caps;

    /// Returns the capability table of a thread of the image. It is filled before the first event.
    fn cap_table(&self, thread: ThreadId) -> &CapTable;

    /// Returns the reference to that table for the thread to keep.
    fn caps(&self, thread: ThreadId) -> Self::Caps;

    /// Returns the root table of a thread of the image. It is filled before the first event.
    fn root_table(&self, thread: ThreadId) -> &RootTable;

    /// Returns the message buffers of all threads, which are shared with user mode.
    fn buffers(&self) -> &MessageBuffers;

    /// Returns the memory through which the processors exchange messages. It is the same on all of them.
    fn mailboxes(&self) -> &Mailboxes;

    /// Interrupts a processor, by its number. It takes [`Interrupt::Message`] soon.
    fn interrupt_processor(&mut self, number: u8);

    /// Returns the rings of samples, which user mode may read.
    fn sample_rings(&self) -> &SampleRings;

    /// Returns the ring of the trace, if the image has one.
    fn trace_ring(&self) -> Option<TraceRing<'_>>;

    /// Returns the groups of the trace that are on, as options of an image; none without a ring.
    fn trace_groups(&self) -> u64;

    /// Returns whether every event is recorded.
    fn is_recording(&self) -> bool;

    /// Returns the ticks per second.
    fn frequency(&self) -> u64;

    /// Returns the line of the last interrupt that was acknowledged; `None` for the timer.
    fn last_interrupt(&self) -> Option<Line>;

    /// Until the next interrupt is acknowledged, the last one is [`Line::NONE`].
    fn forget_interrupt(&mut self);

    /// Returns the number of branches on a static key in programs.
    fn key_branches(&self, key: KeyId) -> u64;

    /// Returns the size of the memory that a service works on.
    fn service_bytes(&self, service: ServiceId) -> u64;

    /// Returns the current time.
    fn now(&self) -> Ticks;

    /// Returns the cycle counter.
    fn cycles(&self) -> u64;

    /// Converts microseconds to ticks, rounded up.
    fn ticks_from_us(&self, us: u64) -> Ticks;

    /// Converts ticks to microseconds, rounded down.
    fn us_from_ticks(&self, ticks: Ticks) -> u64;

    /// Requests a timer interrupt at or after `deadline`, instead of the one requested before. The deadline may be in
    /// the past.
    fn set_deadline(&mut self, deadline: Ticks);

    /// Whether skipping a switch to the current address space is worth the comparison.
    const NOTICES_SAME_SPACE: bool;
    /// Whether facts that are needed after a change of address space are read before it. A processor that executes in order would
    /// wait for them twice: for the change, and then for memory.
    const READS_AHEAD: bool;

    /// Has the compiler read a word from memory here, although it is needed only behind a later test. A processor that executes
    /// in order then waits for it meanwhile. Others need no such order.
    #[inline(always)]
    fn read_ahead(_word: u64) {}

    /// Makes `space` the address space of user mode.
    fn switch_space(&mut self, space: Self::Space);

    /// Returns the options that every floating-point policy must have on this processor: see
    /// [`limen_abi::fpu::FpuOption`].
    fn fpu_options(&self) -> u64;

    /// Allows or forbids reading the cycle counter in user mode.
    fn set_user_counter(&mut self, access: CounterAccess);

    /// Returns the pending interrupt, if any.
    ///
    /// Its line does not interrupt again before [`Self::complete_interrupt`], with one exception: if the controller
    /// would lose an edge that comes in the meantime, that edge interrupts, too.
    fn acknowledge_interrupt(&mut self) -> Option<Interrupt>;

    /// Ends the service of an interrupt that [`Self::acknowledge_interrupt`] returned.
    fn complete_interrupt(&mut self, line: Line);

    /// Masks a line. Edges may be lost while it is masked.
    fn mask_line(&mut self, line: Line);

    /// Unmasks a line.
    fn unmask_line(&mut self, line: Line);

    /// Suspends a line until [`Self::resume_line`], whether or not it is in service or masked. Interrupts that come in
    /// the meantime stay pending in the controller as far as possible: an edge may be lost if the signal ends before
    /// the line is resumed, and message-signalled interrupts, which have no line, interrupt anyway.
    ///
    /// The other methods may be called for a suspended line.
    fn suspend_line(&mut self, line: Line);

    /// Resumes a suspended line. `state` is the current state of its interrupt. A line with an unacknowledged edge may
    /// interrupt once more for that edge.
    fn resume_line(&mut self, line: Line, state: irq::State);

    /// Reads an I/O port. Only images for x86 contain capabilities for this.
    fn read_port(&mut self, port: u16, width: PortWidth) -> u32;

    /// Writes the low bytes of a value to an I/O port.
    fn write_port(&mut self, port: u16, width: PortWidth, value: u32);

    /// The end of user addresses, if caches are maintained by user address; `None` where address spaces have no
    /// methods.
    const CACHED_USER_END: Option<u64>;

    /// Returns whether this address of `space` is mapped and user mode may not write it.
    fn is_read_only(&self, space: Self::Space, address: u64) -> bool;

    /// Maintains the caches for a range of addresses within one page of `space`. Does nothing if the page is not
    /// mapped.
    fn maintain_cache(&mut self, space: Self::Space, operation: CacheOperation, addresses: Range<u64>);

    /// Calls the secure monitor. Only images for AArch64 contain a capability for this.
    fn call_secure_monitor(&mut self, registers: [u64; REGISTERS]) -> [u64; REGISTERS];

    /// Patches more branches of a static key to follow `state`, at most `room`, and subtracts their number. The state may
    /// change before all are done. With several processors, a change of a branch takes [steps](Self::synchronise_code).
    fn patch_key(&mut self, key: KeyId, state: bool, room: &mut usize) -> Patching;

    /// Routes every trap and return through the probes, or none. With several processors, this takes
    /// [steps](Self::synchronise_code).
    fn set_probing(&mut self, state: bool) -> Patching;

    /// Makes this processor execute the code that another one has written. With several processors, a branch is written in
    /// steps: between two calls that may write the same branch, every other processor calls this.
    fn synchronise_code(&mut self);

    /// Notes that every other processor has called [`synchronise_code`](Self::synchronise_code) since the last write.
    fn note_synchronised(&mut self);

    /// Returns whether every kernel entry and return switches page tables.
    fn switches_page_tables(&self) -> bool;

    /// Prepares `context` to run the work of a service. When it first runs, before it can be interrupted, the port
    /// saves the callee-saved registers in `program`, the registers of the program that asked for the work. The work
    /// ends with [`Event::WorkDone`](crate::event::Event::WorkDone).
    fn begin_work(&mut self, service: ServiceId, context: &mut Self::Context, program: &mut Self::Context);

    /// The same for a thread that was switched away: all registers of its program are in `program`.
    fn prepare_work(&mut self, service: ServiceId, context: &mut Self::Context, program: &mut Self::Context);

    /// Writes the initial floating-point registers to a thread's save area. The unit does not hold the thread's registers.
    fn reset_fpu(&mut self, thread: ThreadId);

    /// Wipes or seals the memory of a service at once. `fpu` holds the owner of the floating-point unit, whose registers a
    /// section of kernel floating-point code must preserve.
    fn serve_at_once(&mut self, fpu: &mut Fpu<ThreadId>, service: ServiceId);

    /// Returns whether programs may print on the debug console.
    fn is_printing(&self) -> bool;

    /// Prints one byte on the debug console.
    fn put_char(&mut self, byte: u8);
}

/// Whether user mode may read the cycle counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CounterAccess {
    /// Reading it raises an exception.
    #[default]
    Denied,
    /// Reading it works.
    Granted,
}

/// The progress of patching the branches of a static key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patching {
    /// All branches are patched.
    Done,
    /// Some branches remain.
    More,
}

/// A cache operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheOperation {
    /// Write dirty lines to memory.
    Clean,
    /// Discard lines.
    Invalidate,
    /// Write dirty lines to memory and discard them.
    CleanInvalidate,
    /// Make written instructions visible to instruction fetch.
    Unify,
}

/// The width of an I/O port access, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortWidth {
    /// One byte.
    Byte = 1,
    /// Two bytes, from two ports.
    TwoBytes = 2,
    /// Four bytes, from four ports.
    FourBytes = 4,
}

/// The source of an interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// The timer: the deadline has passed.
    Timer,
    /// Another processor, or this one: the mailbox may contain a message.
    Message,
    /// A device line.
    Line(Line),
}

/// Returns the positions of the first `N` registers in `seL4_UserContext` order.
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

/// A line of the interrupt controller, in the controller's numbering; on x86, the vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line(pub u32);

impl Line {
    /// The number of no line.
    pub const NONE: Self = Self(limen_abi::recording::NO_INTERRUPT as u32);
}

/// The registers of a system call, in the port's numbering of the context's words.
#[derive(Clone, Copy, Debug)]
pub struct Convention {
    /// The capability pointer on entry, the badge on return.
    pub cptr: usize,
    /// The message info on entry and return.
    pub info: usize,
    /// Message words 0 to 3.
    pub words: [usize; 4],
    /// The reply object's capability pointer.
    pub reply: usize,
    /// The capability pointer for the send of `NBSendRecv`.
    pub send: usize,
}

/// The registers of a thread, as far as the core uses them.
///
/// Source: the system-call convention in [`limen_abi::register`].
pub trait Context: Copy + Debug {
    /// The registers of a thread that has never run: all zero.
    const ZERO: Self;
    /// The number of registers in `seL4_UserContext` order.
    const REGISTERS: usize;
    /// The position of the program counter in that order.
    const PC: usize;
    /// The position of the stack pointer in that order.
    const SP: usize;
    /// The position of the register with the return address in that order, if there is one.
    const LINK: Option<usize>;
    /// The position of the thread-local storage register in that order.
    const TLS_BASE: usize;
    /// The position in that order of the register that holds a program's stamp for a probe. Saved on every entry.
    const STAMP: usize;
    /// The registers in an UnknownSyscall message; the system-call number follows them.
    const UNKNOWN_SYSCALL: &'static [usize];
    /// The registers that the reply to a Timeout message may set: all that user mode can set except thread pointers.
    const TIMEOUT: &'static [usize];
    /// The registers in a UserException message; number and code follow them.
    const USER_EXCEPTION: &'static [usize];
    /// The number of code words after the number in a UserException message: 0 or 1.
    const EXCEPTION_CODE_WORDS: usize;

    /// The registers of a system call.
    const CONVENTION: Convention;

    /// Returns a word of the context, in the numbering of [`Self::CONVENTION`].
    fn word(&self, place: usize) -> u64;
    /// Sets a word of the context, in the numbering of [`Self::CONVENTION`].
    fn set_word(&mut self, place: usize, value: u64);

    /// Returns the capability pointer of a system call.
    #[inline]
    fn cptr(&self) -> u64 {
        self.word(Self::CONVENTION.cptr)
    }

    /// Returns the message info of a system call, as the program wrote it.
    #[inline]
    fn info(&self) -> MessageInfo {
        MessageInfo::from_raw(self.word(Self::CONVENTION.info))
    }

    /// Returns the capability pointer of the reply object of a system call.
    #[inline]
    fn reply_cptr(&self) -> u64 {
        self.word(Self::CONVENTION.reply)
    }

    /// Returns the capability pointer for the send of `NBSendRecv`.
    #[inline]
    fn send_cptr(&self) -> u64 {
        self.word(Self::CONVENTION.send)
    }

    /// Returns message words 0 to 3.
    #[inline]
    fn words(&self) -> [u64; 4] {
        Self::CONVENTION.words.map(|place| self.word(place))
    }

    /// Sets the first `length` of message words 0 to 3. The others keep the receiver's values. Word 0 is last, because all
    /// lengths have it: compilers let the lengths share their last store.
    #[inline]
    fn set_words(&mut self, words: [u64; 4], length: usize) {
        let Convention { words: [place_0, place_1, place_2, place_3], .. } = Self::CONVENTION;
        if length == 0 {
            return;
        }
        if length >= words.len() {
            self.set_word(place_3, words[3]);
            self.set_word(place_2, words[2]);
            self.set_word(place_1, words[1]);
        } else if length > 1 {
            if length > 2 {
                self.set_word(place_2, words[2]);
            }
            self.set_word(place_1, words[1]);
        }
        self.set_word(place_0, words[0]);
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

    /// Returns a register by its position in `seL4_UserContext` order; zero past the end.
    fn register(&self, position: usize) -> u64;
    /// Sets a register by position, restricted to values allowed in user mode. Does nothing past the end.
    fn set_register(&mut self, position: usize, value: u64);
    /// Sets a register by position to what it is in the context of the same thread on another processor, where it may have a value
    /// that user mode does not allow, such as the target of a jump that faulted. The thread does not run with this context.
    #[inline]
    fn copy_register(&mut self, position: usize, value: u64) {
        self.set_register(position, value);
    }
    /// Moves the program counter back to the system-call instruction just executed.
    fn rewind_syscall(&mut self);
}
