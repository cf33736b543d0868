//! Measures what it costs the program to enter the kernel and to return. See the book's chapter on crossings.
//!
//! All functions fail with `InvalidCapability` unless the description has `<probe/>`.

use limen_abi::limits::PAGE_BYTES;
use limen_abi::probe::{ProbeOption, ProbeWord};
use limen_abi::ring::RingWord;
use limen_abi::slot::PROBE;
use limen_abi::{Label, Syscall};

use crate::buffer;
use crate::channel::Channel;
use crate::invoke::{Error, invoke, invoke_plain};
use crate::message::word;
use crate::region::Region;
use crate::ring::{Line, Reader};

pub use limen_abi::ProbeEvent;

/// One entry into the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The event and its stamps, if there was a sample.
    pub entry: Option<Entry>,
    /// Samples since the start for which there was no room.
    pub dropped: u64,
    /// Whether every crossing switches page tables, against Meltdown.
    pub is_page_table_switched: bool,
    /// Entries into the kernel since the return from the last event.
    pub interruptions_after: u64,
}

/// The kernel's side of one event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The number of its [`ProbeEvent`].
    pub event: u64,
    /// The value of the program's stamp register.
    pub user: u64,
    /// The counter in the kernel.
    pub entry: u64,
    /// Other entries into the kernel between arming and the event.
    pub interruptions: u64,
}

/// Samples that the kernel writes to the program's ring, without system calls.
#[derive(Clone, Debug)]
pub struct Samples(Reader);

impl Samples {
    /// The samples of this ring, which [`sample_ring!`](crate::sample_ring) defines, from the oldest on. [`start`] clears
    /// it; begin anew then.
    #[must_use]
    pub fn new(ring: &Region<Line>) -> Self {
        Self(Reader::new(ring.elements()))
    }

    /// The next sample. Of an event that stays armed, `interruptions` counts from the return from the last one.
    pub fn next_entry(&mut self) -> Option<Entry> {
        let words = self.0.next_record()?;
        Some(Entry {
            event: words[ProbeWord::EVENT],
            user: words[ProbeWord::USER],
            entry: words[ProbeWord::ENTRY],
            interruptions: words[ProbeWord::INTERRUPTIONS],
        })
    }

    /// Samples that were overwritten before they were read.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.0.lost()
    }

    /// Whether every crossing switches page tables; known once probing has started.
    #[must_use]
    pub fn is_page_table_switched(&self) -> bool {
        self.0.header(RingWord::PAGE_TABLE_SWITCH) != 0
    }
}

/// Begins to probe. The kernel patches its code, on the caller's time.
///
/// # Errors
/// `IllegalOperation` if it has begun.
pub fn start() -> Result<(), Error> {
    invoke_plain(PROBE, Label::ProbeStart)
}

/// Stops probing. Stopping the program does the same.
///
/// # Errors
/// `IllegalOperation` if it has not begun.
pub fn stop() -> Result<(), Error> {
    invoke_plain(PROBE, Label::ProbeStop)
}

/// Takes the oldest of up to eight samples. A program with a ring has none here.
///
/// # Errors
/// `IllegalOperation` if probing has not begun.
pub fn read() -> Result<Sample, Error> {
    let words = invoke(PROBE, Label::ProbeRead, 0, [0; 4])?;
    let entry = Entry {
        event: words[ProbeWord::EVENT],
        user: words[ProbeWord::USER],
        entry: words[ProbeWord::ENTRY],
        interruptions: word(ProbeWord::INTERRUPTIONS),
    };
    Ok(Sample {
        entry: (words[ProbeWord::VALID] != 0).then_some(entry),
        dropped: word(ProbeWord::DROPPED),
        is_page_table_switched: word(ProbeWord::PAGE_TABLE_SWITCH) != 0,
        interruptions_after: word(ProbeWord::INTERRUPTIONS_AFTER),
    })
}

/// An event that the program causes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// None: the crossing reads the counter where the kernel would, once, into `exit`. So `exit - user` is what reading
    /// alone adds to the way in, and `after - exit` what it adds to the way out.
    Nothing,
    /// A write to the page between stack and IPC buffer, which is never mapped.
    PageFault,
    /// An instruction that does not exist.
    Undefined,
    /// A breakpoint instruction.
    Breakpoint,
    /// A system call that notifies the other side of a channel, which the description must allow: the program faults
    /// otherwise.
    Notify(Channel),
    /// The next interrupt. The program waits for it in a loop.
    Interrupt,
}

/// Whether a barrier precedes each read of the counter, as far as the processor has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamps {
    /// No barrier.
    Plain,
    /// A barrier in the program and at the kernel's exit.
    Serialised,
}

/// Input of a crossing, and the program's side of the measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Crossing {
    target: u64,
    info: u64,
    number: u64,
    reply: u64,
    /// The program's stamp.
    pub user: u64,
    /// The kernel's stamp.
    pub exit: u64,
    /// The counter then.
    pub after: u64,
}

/// Code that reads the counter with the fewest instructions around it and causes an event.
type Code = unsafe extern "C" fn(&mut Crossing);

/// The functions of one event, and where the program is to go on: plain, then serialised.
macro_rules! codes {
    ($($cross:ident $crossed:ident, $cross_serialised:ident $crossed_serialised:ident;)+) => {
        #[expect(unsafe_code, reason = "assembly")]
        unsafe extern "C" {
            $(
                fn $cross(crossing: &mut Crossing);
                fn $crossed();
                fn $cross_serialised(crossing: &mut Crossing);
                fn $crossed_serialised();
            )+
            fn limen_crossing_interrupt();
            fn limen_crossing_interrupt_serialised();
        }
    };
}

codes! {
    limen_cross_nothing limen_crossed_nothing, limen_cross_nothing_serialised limen_crossed_nothing_serialised;
    limen_cross_page_fault limen_crossed_page_fault,
        limen_cross_page_fault_serialised limen_crossed_page_fault_serialised;
    limen_cross_undefined limen_crossed_undefined, limen_cross_undefined_serialised limen_crossed_undefined_serialised;
    limen_cross_breakpoint limen_crossed_breakpoint,
        limen_cross_breakpoint_serialised limen_crossed_breakpoint_serialised;
    limen_cross_syscall limen_crossed_syscall, limen_cross_syscall_serialised limen_crossed_syscall_serialised;
    limen_cross_interrupt limen_crossed_interrupt, limen_cross_interrupt_serialised limen_crossed_interrupt_serialised;
}

/// The code of an event, its kind, and between which addresses the program is then.
macro_rules! code {
    ($stamps:expr, $event:expr, $cross:ident $first:ident $last:ident, $cross_too:ident $first_too:ident $last_too:ident) => {
        match $stamps {
            Stamps::Plain => ($cross as Code, $event, $first as *const (), $last as *const ()),
            Stamps::Serialised => {
                ($cross_too as Code, $event, $first_too as *const (), $last_too as *const ())
            }
        }
    };
}

/// Arms an event and causes it. [`read`] or the ring then has the kernel's sample.
///
/// # Errors
/// `IllegalOperation` if probing has not begun.
pub fn cross(event: Event, stamps: Stamps) -> Result<Crossing, Error> {
    Ok(Armed::new(event, stamps, 0)?.cross())
}

/// Arms an event until the program arms another or stops.
///
/// # Errors
/// `IllegalOperation` if probing has not begun.
pub fn keep_armed(event: Event, stamps: Stamps) -> Result<Armed, Error> {
    Armed::new(event, stamps, ProbeOption::EVERY)
}

/// An event that the program can cause. Once it is no longer armed, it is a fault of the program, or a system call, or
/// does not end.
#[derive(Clone, Copy, Debug)]
pub struct Armed {
    code: Code,
    crossing: Crossing,
}

impl Armed {
    fn new(event: Event, stamps: Stamps, options: u64) -> Result<Self, Error> {
        let (crossing, code, armed) = choose(event, stamps);
        if let Some((kind, first, last)) = armed {
            arm(kind, first, last, stamps, options)?;
        }
        Ok(Self { code, crossing })
    }

    /// Causes the event.
    #[must_use]
    pub fn cross(&self) -> Crossing {
        let mut crossing = self.crossing;
        #[expect(unsafe_code, reason = "assembly")]
        // SAFETY: the code keeps to the calling convention and writes the crossing only. If its event is armed, the
        // program goes on behind it; else it is a fault, and the page between stack and IPC buffer holds nothing. The
        // notification needs no message.
        unsafe {
            (self.code)(&mut crossing);
        }
        crossing
    }
}

/// The input and code of an event; for the kernel its kind, and the addresses between which the program is then.
fn choose(event: Event, stamps: Stamps) -> (Crossing, Code, Option<(ProbeEvent, u64, u64)>) {
    let mut crossing = Crossing::default();
    let (code, kind, first, last) = match event {
        Event::Nothing => code!(stamps, None,
            limen_cross_nothing limen_cross_nothing limen_crossed_nothing,
            limen_cross_nothing_serialised limen_cross_nothing_serialised limen_crossed_nothing_serialised),
        Event::PageFault => {
            crossing.target = buffer::ADDRESS - PAGE_BYTES;
            code!(stamps, Some(ProbeEvent::PageFault),
                limen_cross_page_fault limen_cross_page_fault limen_crossed_page_fault,
                limen_cross_page_fault_serialised limen_cross_page_fault_serialised limen_crossed_page_fault_serialised)
        }
        Event::Undefined => code!(stamps, Some(ProbeEvent::Undefined),
            limen_cross_undefined limen_cross_undefined limen_crossed_undefined,
            limen_cross_undefined_serialised limen_cross_undefined_serialised limen_crossed_undefined_serialised),
        Event::Breakpoint => code!(stamps, Some(ProbeEvent::Breakpoint),
            limen_cross_breakpoint limen_cross_breakpoint limen_crossed_breakpoint,
            limen_cross_breakpoint_serialised limen_cross_breakpoint_serialised limen_crossed_breakpoint_serialised),
        Event::Notify(channel) => {
            crossing.target = channel.notification();
            crossing.number = Syscall::Send.as_raw().cast_unsigned();
            code!(stamps, Some(ProbeEvent::Syscall),
                limen_cross_syscall limen_cross_syscall limen_crossed_syscall,
                limen_cross_syscall_serialised limen_cross_syscall_serialised limen_crossed_syscall_serialised)
        }
        Event::Interrupt => code!(stamps, Some(ProbeEvent::Interrupt),
            limen_cross_interrupt limen_crossing_interrupt limen_crossed_interrupt,
            limen_cross_interrupt_serialised limen_crossing_interrupt_serialised limen_crossed_interrupt_serialised),
    };
    (crossing, code, kind.map(|kind| (kind, first.addr() as u64, last.addr() as u64)))
}

/// Arms one event, with the stamp of the return.
fn arm(event: ProbeEvent, first: u64, last: u64, stamps: Stamps, options: u64) -> Result<(), Error> {
    let option = match stamps {
        Stamps::Plain => ProbeOption::EXIT,
        Stamps::Serialised => ProbeOption::EXIT_SERIALISED,
    };
    invoke(PROBE, Label::ProbeArm, 4, [event.as_raw(), first, last, option | options]).map(drop)
}
