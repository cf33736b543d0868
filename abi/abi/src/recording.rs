//! The recording of a run: what the kernel read in each event, and what it did, as words in the memory of the trace.
//!
//! An image with the recording on has the ring of a [trace](crate::trace), whose memory holds words instead of records
//! behind the header. The kernel never overwrites a word that the reader has not taken: it waits. Word `n` of the recording is
//! word `n % capacity` of the memory. [`HeaderWord::COUNT`] is the number of words written. The reader takes the memory in
//! [`PIECES`], and stores the number of those that it has taken in [`TAKEN`]: one byte, because a reader that accesses the
//! machine's memory as a file can write no more at once.
//!
//! With several processors, each has a ring, and a recording of its own: what its kernel got from others is a part of it.
//!
//! Words form *parts*: a [`head`], the number of the event, and the contents. Each event has a begin and an end.
//!
//! | part | contents |
//! |---|---|
//! | [`Part::Boot`] | the state after boot, as at the end of an event; the ticks per second; the options of the floating-point unit; the number of the processor; whether every crossing switches page tables |
//! | [`Part::Entry`] | for each trap, before the event that it leads to (none if it only lets work go on): the [`ProbeEvent`] or [`NO_PROBE_EVENT`], the counter at the entry, the program counter of the running thread then |
//! | [`Part::Begin`] | kind and four arguments of the event ([`EventKind`]); whether the kernel prints faults; the running thread and its registers; the thread that the last event left, and its registers; the message beyond the registers; the extra capabilities |
//! | [`Part::Mail`] | what the event takes from its mailbox: threads whose letters have come, recalled threads, notifications and processors with a message about code, one bit each |
//! | [`Part::Letter`] | for each of those letters: the thread; the words of the letter, with their number; the message beyond the registers; the extra capabilities |
//! | [`Part::Recall`] | for each recall that is handled: the thread, and the number of the recalled request |
//! | [`Part::Patching`] | for each time that branches of a key, or those to the probes, are patched: whether all of them follow, and how many more the event may patch |
//! | [`Part::Signals`] | a notification, and the bits that other processors have signalled |
//! | [`Part::End`] | the interrupt ([`NO_INTERRUPT`], [`TIMER_LINE`] or a line); the readings of the clock, with their number; the state |
//!
//! A state is: the thread that runs and its registers, its message beyond the registers with its length, and the
//! [`StateWord`]s. Registers are in the order of `seL4_UserContext`; [`NO_THREAD`] stands for no thread and has none.
//!
//! [`HeaderWord::COUNT`]: crate::trace::HeaderWord::COUNT
//! [`ProbeEvent`]: crate::probe::ProbeEvent
//! [`TIMER_LINE`]: crate::trace::TIMER_LINE
//! [`NO_THREAD`]: crate::trace::NO_THREAD

use crate::named::named_numbers;

/// The word of the ring's header that the reader writes: in [`TAKEN_MASK`], the number of pieces that it has taken, modulo 256.
pub const TAKEN: usize = 6;
/// The bits of [`TAKEN`] that the reader writes.
pub const TAKEN_MASK: u64 = 0xff;
/// The number of pieces of the memory.
pub const PIECES: u64 = 64;
/// Most words in a part.
pub const MOST_WORDS: u64 = 512;
/// Most readings of the clock in an event.
pub const MOST_READINGS: usize = 16;
/// The line of an event without an interrupt.
pub const NO_INTERRUPT: u64 = 0xffff_fffe;
/// The event of an entry that programs cannot arm a probe for.
pub const NO_PROBE_EVENT: u64 = u64::MAX;
/// The upper half of each [`head`], by which a reader notices that it has lost its place.
const MARK: u64 = 0x4c52_4543 << 32;
/// Position of the part in a head; the number of words of its contents is below it.
const PART_SHIFT: u32 = 16;

named_numbers! {
    /// Parts of a recording.
    pub enum Part: u64 {
        /// The state after boot.
        Boot = 0 => "boot",
        /// An event, before it is handled.
        Begin = 1 => "begin",
        /// The same event, when it was handled.
        End = 2 => "end",
        /// Mail that the event takes.
        Mail = 3 => "mail",
        /// A letter in the mailbox.
        Letter = 4 => "letter",
        /// Signals of other processors.
        Signals = 5 => "signals",
        /// Branches were patched.
        Patching = 6 => "patching",
        /// An entry that a probe sees.
        Entry = 7 => "entry",
        /// A recall is handled.
        Recall = 8 => "recall",
    }
}

named_numbers! {
    /// Kinds of events, and their arguments.
    pub enum EventKind: u64 {
        /// A system call: its number.
        Syscall = 0 => "system call",
        /// A page fault by data: address and status.
        DataFault = 1 => "page fault",
        /// A page fault by an instruction: address and status.
        InstructionFault = 2 => "page fault of an instruction",
        /// Another exception: number and code.
        Exception = 3 => "exception",
        /// The first use of the floating-point unit: number and code.
        FpuUse = 4 => "use of the floating-point unit",
        /// An interrupt.
        Interrupt = 5 => "interrupt",
        /// The end of the work of a service: its result.
        WorkDone = 6 => "end of work",
        /// A fault that a probe has sampled: it is not delivered.
        Sampled = 7 => "sampled fault",
    }
}

/// Words at the end of a state.
#[derive(Debug)]
pub struct StateWord;
impl StateWord {
    /// The time of the last charge.
    pub const SINCE: usize = 0;
    /// The programmed time of the timer.
    pub const PROGRAMMED: usize = 1;
    /// The end of the domain's slot.
    pub const SLOT_END: usize = 2;
    /// The running domain.
    pub const DOMAIN: usize = 3;
    /// The scheduling context that is charged, or [`NO_THREAD`](crate::trace::NO_THREAD).
    pub const CHARGED: usize = 4;
    /// The rest of its slice.
    pub const REMAINING: usize = 5;
    /// The owner of the floating-point registers, or [`NO_THREAD`](crate::trace::NO_THREAD).
    pub const FPU_OWNER: usize = 6;
    /// Whether programs can use the unit.
    pub const FPU_IS_ON: usize = 7;
    /// Words in a state.
    pub const LENGTH: usize = 8;
}

/// The first word of a part with so many words of contents.
#[must_use]
pub const fn head(part: Part, length: u64) -> u64 {
    MARK | (part as u64) << PART_SHIFT | length
}

/// The part and the number of words that a head tells; `None` if it is none.
#[must_use]
pub fn part_of(head: u64) -> Option<(Part, u64)> {
    let part = Part::from_raw((head ^ MARK) >> PART_SHIFT)?;
    let length = head & ((1 << PART_SHIFT) - 1);
    (length < MOST_WORDS).then_some((part, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_its_part_and_length() {
        assert_eq!(part_of(head(Part::End, 17)), Some((Part::End, 17)));
        for wrong in [0, 1, head(Part::End, 17) ^ 1 << 40, head(Part::End, MOST_WORDS), u64::MAX] {
            assert_eq!(part_of(wrong), None, "{wrong:#x}");
        }
    }
}
