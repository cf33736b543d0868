//! The contents of a letter: what a thread asks of an object elsewhere, or the answer.
//!
//! A letter is an array of words in the memory that processors share. The words of a message that do not fit into registers
//! stay in the thread's message buffer, which is shared anyway.

use super::atomic::{AtomicU64, Ordering};

use limen_abi::MessageInfo;
use limen_abi::message::REGISTER_WORDS;

use crate::cap::LookupFailure;
use crate::cap::{Elsewhere, ObjectKind, Rights};
use crate::fault::{Access, Fault, Phase};
use crate::machine::Context;
use crate::object::endpoint::SendMode;
use crate::sched::sporadic_server::SporadicServer;

/// The registers that a letter has room for, by position.
const REGISTERS: usize = 40;

/// Positions of the words.
#[derive(Debug)]
struct Word;

impl Word {
    const KIND: usize = 0;
    const NUMBER: usize = 1;
    const RECALLED: usize = 2;
    const OBJECT: usize = 3;
    const BADGE: usize = 4;
    const INFO: usize = 5;
    const PRIORITY: usize = 6;
    const MESSAGE: usize = 7;
    const FAULT: usize = Self::MESSAGE + REGISTER_WORDS;
    const REPLIED: usize = Self::FAULT + FAULT_WORDS;
    const TIME: usize = Self::REPLIED + 1;
    const SHARE: usize = Self::TIME + TIME_WORDS;
    const REGISTERS: usize = Self::SHARE + SporadicServer::WORDS;
    const COUNT: usize = Self::REGISTERS + REGISTERS;
}

const FAULT_WORDS: usize = 4;
const TIME_WORDS: usize = 6;

/// The letter of a thread. It fills whole cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub struct Letter {
    words: [AtomicU64; Word::COUNT],
}

/// A request to an object of another processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Errand {
    /// Send its message to an endpoint.
    Send(SendMode),
    /// Report its fault to an endpoint.
    Report(Fault),
    /// Invoke a method of an object. The answer is for a call only.
    Invoke(SendMode),
    /// Release its holds of static keys, and end its probe: it was stopped.
    Release,
}

/// The effect of an errand on the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    /// Its message is received: it continues.
    Sent,
    /// It continues with this message.
    Message,
    /// It continues with the registers in the letter.
    Resumed,
    /// It stops, with the registers in the letter.
    Stopped,
    /// It is as if it had not asked.
    Undone,
    /// It repeats its system call with another message info, to continue.
    Repeat,
    /// Its holds of static keys are released.
    Released,
    /// It begins the work of the service that it has called: the registers of the thread to reset are reset.
    Work,
}

/// A request as it arrives, without time and registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    /// The errand.
    pub(crate) errand: Errand,
    /// The object.
    pub(crate) object: Elsewhere,
    /// The number of the request, by which a recall names it.
    pub(crate) number: u64,
    /// The priority of the thread.
    pub(crate) priority: u8,
    /// The message.
    pub(crate) message: Message,
}

/// A message in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    /// The badge; of an answer.
    pub(crate) badge: u64,
    /// The message info.
    pub(crate) info: MessageInfo,
    /// The words.
    pub(crate) words: [u64; REGISTER_WORDS],
}

/// A scheduling context in a letter, without its share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Time {
    /// The length of a slice, or the budget of a share.
    pub(crate) budget: u64,
    /// The rest of a slice.
    pub(crate) remaining: u64,
    /// Ticks used since the count was last read.
    pub(crate) consumed: u64,
    /// The priority at which the slice began.
    pub(crate) priority: u8,
    /// Whether the letter has its share, too.
    pub(crate) is_limited: bool,
}

const SEND: u64 = 0;
const REPORT: u64 = 1;
const INVOKE: u64 = 2;
const ANSWER: u64 = 3;
const RELEASE: u64 = 4;

/// The kind of a letter and a detail of it, in one word.
const DETAIL_SHIFT: u32 = 8;

const REPLIES: [Reply; 8] = [
    Reply::Sent,
    Reply::Message,
    Reply::Resumed,
    Reply::Stopped,
    Reply::Undone,
    Reply::Repeat,
    Reply::Released,
    Reply::Work,
];
const MODES: [SendMode; 4] = [SendMode::Send, SendMode::NonBlocking, SendMode::Donating, SendMode::Call];

/// [`Word::TIME`] of a letter without time. The position of a scheduling context has one of the following bits.
const NO_TIME: u64 = 0;
/// Its home has kept it as it is, out of use.
const KEPT: u64 = 1 << 32;
/// The same, and the letter has a copy, for a server that needs it.
const OFFERED: u64 = 1 << 33;
/// A server runs on the copy.
const LENT: u64 = 1 << 34;
/// A server has used the copy: it replaces what the home has kept.
const USED: u64 = 1 << 35;
/// The bits of the position.
const INDEX: u64 = KEPT - 1;

impl Letter {
    /// Creates an empty letter.
    pub(crate) const fn new() -> Self {
        Self { words: [const { AtomicU64::new(0) }; Word::COUNT] }
    }

    /// Copies all words of another letter; for models that return to an earlier state.
    pub(super) fn copy_from(&self, from: &Self) {
        (0..Word::COUNT).for_each(|position| self.set(position, from.get(position)));
    }

    /// Iterates over all words, for a recording.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.words.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// Writes all words, for a replay.
    pub(super) fn set_words(&self, words: &[u64]) {
        words.iter().enumerate().for_each(|(position, word)| self.set(position, *word));
    }

    /// Returns the parts that distinguish the letter in a model: its kind, the object, the position of the scheduling context plus one
    /// or zero, and whether it was recalled.
    pub(super) fn summary(&self) -> [u64; 4] {
        let is_recalled = self.get(Word::RECALLED) == self.get(Word::NUMBER);
        [
            self.get(Word::KIND),
            self.get(Word::OBJECT),
            self.time_index().map_or(0, |index| index + 1),
            u64::from(is_recalled),
        ]
    }

    fn get(&self, position: usize) -> u64 {
        self.words.get(position).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    fn set(&self, position: usize, value: u64) {
        if let Some(word) = self.words.get(position) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Writes a request, without time and registers.
    pub(crate) fn write_request(&self, request: &Request) {
        let (kind, detail) = match request.errand {
            Errand::Send(mode) => (SEND, mode as u64),
            Errand::Report(fault) => {
                for (place, word) in fault_words(fault).into_iter().enumerate() {
                    self.set(Word::FAULT + place, word);
                }
                (REPORT, 0)
            }
            Errand::Invoke(mode) => (INVOKE, mode as u64),
            Errand::Release => (RELEASE, 0),
        };
        self.set(Word::KIND, kind | detail << DETAIL_SHIFT);
        self.set(Word::NUMBER, request.number);
        let Elsewhere { rights, kind, processor, index, badge } = request.object;
        let object = [rights.as_bits(), kind as u8, processor, 0];
        self.set(Word::OBJECT, u64::from(u32::from_le_bytes(object)) | u64::from(index) << 32);
        self.set(Word::PRIORITY, u64::from(request.priority));
        self.write_message(&Message { badge, ..request.message });
    }

    /// Reads how and to which object a message is to be sent; `None` if the letter asks for something else.
    #[inline(always)]
    pub(crate) fn sending(&self) -> Option<(SendMode, Elsewhere)> {
        let kind = self.get(Word::KIND);
        if kind & 0xff != SEND {
            return None;
        }
        Some((*MODES.get((kind >> DETAIL_SHIFT) as usize)?, self.object()?))
    }

    /// Reads the fault that is reported; `None` if the letter asks for something else.
    #[inline(always)]
    pub(crate) fn reported(&self) -> Option<Fault> {
        if self.get(Word::KIND) & 0xff == REPORT { self.fault() } else { None }
    }

    /// Reads the number of a request.
    #[inline(always)]
    pub(crate) fn number(&self) -> u64 {
        self.get(Word::NUMBER)
    }

    /// Reads the priority of the thread that asks.
    #[inline(always)]
    pub(crate) fn priority(&self) -> u8 {
        self.get(Word::PRIORITY) as u8
    }

    /// Reads a request; `None` if the letter has none.
    pub(crate) fn request(&self) -> Option<Request> {
        let kind = self.get(Word::KIND);
        let mode = *MODES.get((kind >> DETAIL_SHIFT) as usize)?;
        let errand = match kind & 0xff {
            SEND => Errand::Send(mode),
            REPORT => Errand::Report(self.fault()?),
            INVOKE => Errand::Invoke(mode),
            RELEASE => Errand::Release,
            _ => return None,
        };
        Some(Request {
            errand,
            object: self.object()?,
            number: self.number(),
            priority: self.priority(),
            message: self.message(),
        })
    }

    /// Reads the object of a request, or of the request that an answer without a message is for.
    #[inline(always)]
    pub(crate) fn object(&self) -> Option<Elsewhere> {
        let object = self.get(Word::OBJECT);
        let [rights, kind, processor, _] = (object as u32).to_le_bytes();
        Some(Elsewhere {
            rights: Rights::from_raw(rights),
            kind: ObjectKind::from_raw(kind)?,
            processor,
            index: (object >> 32) as u16,
            badge: self.get(Word::BADGE),
        })
    }

    /// Returns whether it reports a fault, or has the answer to such a report. Its home may ask also while the letter is
    /// elsewhere: the kernel there changes only one to the other.
    pub(crate) fn is_report(&self) -> bool {
        let kind = self.get(Word::KIND);
        kind & 0xff == REPORT || matches!(self.answer(), Some(Reply::Resumed | Reply::Stopped))
    }

    /// Makes the letter an answer.
    pub(crate) fn write_answer(&self, reply: Reply) {
        self.set(Word::KIND, ANSWER | (reply as u64) << DETAIL_SHIFT);
    }

    /// Reads an answer; `None` if the letter has none.
    pub(crate) fn answer(&self) -> Option<Reply> {
        let kind = self.get(Word::KIND);
        if kind & 0xff != ANSWER {
            return None;
        }
        REPLIES.get((kind >> DETAIL_SHIFT) as usize).copied()
    }

    /// Writes a message.
    pub(crate) fn write_message(&self, message: &Message) {
        self.set(Word::BADGE, message.badge);
        self.set(Word::INFO, message.info.as_raw());
        for (place, word) in message.words.into_iter().enumerate() {
            self.set(Word::MESSAGE + place, word);
        }
    }

    /// Reads a message.
    pub(crate) fn message(&self) -> Message {
        Message {
            badge: self.get(Word::BADGE),
            info: MessageInfo::from_raw(self.get(Word::INFO)),
            words: core::array::from_fn(|place| self.get(Word::MESSAGE + place)),
        }
    }

    /// Writes the number of the request that is recalled. Its home writes this while the letter is elsewhere.
    pub(crate) fn write_recall(&self, number: u64) {
        self.set(Word::RECALLED, number);
    }

    /// Reads the number of the request that was recalled last.
    pub(crate) fn recalled(&self) -> u64 {
        self.get(Word::RECALLED)
    }

    /// Writes registers of a thread, by position.
    pub(crate) fn write_registers<C: Context>(&self, registers: &[usize], context: &C) {
        const { assert!(C::REGISTERS <= REGISTERS) };
        for position in registers.iter().copied().filter(|position| *position < REGISTERS) {
            self.set(Word::REGISTERS + position, context.register(position));
        }
    }

    /// Reads registers of a thread, by position, and gives each to `set`.
    #[inline]
    pub(crate) fn read_registers(&self, registers: &[usize], mut set: impl FnMut(usize, u64)) {
        for position in registers.iter().copied().filter(|position| *position < REGISTERS) {
            set(position, self.get(Word::REGISTERS + position));
        }
    }

    /// Writes a scheduling context, at this position of its home, which a server may use.
    pub(crate) fn offer_time(&self, index: u64, time: Time, share: &SporadicServer) {
        self.set(Word::TIME, index | OFFERED);
        self.write_time(time, share);
    }

    /// Writes the state of the scheduling context after a server has used it.
    pub(crate) fn return_time(&self, time: Time, share: &SporadicServer) {
        self.set(Word::TIME, self.get(Word::TIME) & INDEX | USED);
        self.write_time(time, share);
    }

    #[inline(never)]
    fn write_time(&self, time: Time, share: &SporadicServer) {
        let Time { budget, remaining, consumed, priority, is_limited } = time;
        let words = [budget, remaining, consumed, u64::from(priority), u64::from(is_limited)];
        for (place, word) in words.into_iter().enumerate() {
            self.set(Word::TIME + 1 + place, word);
        }
        if is_limited {
            share.words().enumerate().for_each(|(place, word)| self.set(Word::SHARE + place, word));
        }
    }

    /// Writes that the letter has no scheduling context.
    pub(crate) fn write_no_time(&self) {
        self.set(Word::TIME, NO_TIME);
    }

    /// Writes the position of a scheduling context that no thread may use until the letter is back.
    pub(crate) fn write_kept_time(&self, index: u64) {
        self.set(Word::TIME, index | KEPT);
    }

    /// Reads the position, at its home, of the scheduling context that the letter keeps from use.
    pub(crate) fn time_index(&self) -> Option<u64> {
        let word = self.get(Word::TIME);
        (word != NO_TIME).then_some(word & INDEX)
    }

    /// Returns whether a server has used the scheduling context.
    pub(crate) fn is_time_used(&self) -> bool {
        self.get(Word::TIME) & USED != 0
    }

    /// Takes the offer of a scheduling context for a server. Returns false if there is none, or a server has taken it.
    pub(crate) fn accept_time(&self) -> bool {
        let word = self.get(Word::TIME);
        let is_offered = word & OFFERED != 0;
        if is_offered {
            self.set(Word::TIME, word & INDEX | LENT);
        }
        is_offered
    }

    /// Reads a scheduling context that was offered or returned.
    pub(crate) fn time(&self) -> Time {
        let [budget, remaining, consumed, priority, is_limited] =
            core::array::from_fn(|place| self.get(Word::TIME + 1 + place));
        Time { budget, remaining, consumed, priority: priority as u8, is_limited: is_limited != 0 }
    }

    /// Reads the share of a scheduling context that is limited.
    pub(crate) fn share(&self) -> SporadicServer {
        SporadicServer::from_words(|place| self.get(Word::SHARE + place))
    }

    /// Returns whether it asks for a method.
    pub(crate) fn is_invocation(&self) -> bool {
        self.get(Word::KIND) & 0xff == INVOKE
    }

    /// Returns whether it is for the keeper: a method of a static key or the probe, or the end of its sender's holds.
    pub(crate) fn is_for_keeper(&self) -> bool {
        let [_, kind, ..] = self.get(Word::OBJECT).to_le_bytes();
        let is_code = kind == ObjectKind::Key as u8 || kind == ObjectKind::Probe as u8;
        match self.get(Word::KIND) & 0xff {
            INVOKE => is_code,
            RELEASE => true,
            _ => false,
        }
    }

    /// Writes how many registers the reply to a fault has set.
    pub(crate) fn write_replied(&self, count: usize) {
        self.set(Word::REPLIED, count as u64);
    }

    /// Returns the registers that the reply to a fault has set, as positions.
    pub(crate) fn replied_registers<C: Context>(&self) -> &'static [usize] {
        let registers = self.fault().map_or(&[][..], Fault::replied_registers::<C>);
        registers.get(..self.get(Word::REPLIED) as usize).unwrap_or(registers)
    }

    /// Reads the fault that the thread has reported; `None` if the request was another one.
    fn fault(&self) -> Option<Fault> {
        fault_of(core::array::from_fn(|place| self.get(Word::FAULT + place)))
    }
}

const CAP_FAULT: u64 = 0;
const UNKNOWN_SYSCALL: u64 = 1;
const USER_EXCEPTION: u64 = 2;
const VM_FAULT: u64 = 3;
const TIMEOUT: u64 = 4;

/// A fault in words: its kind with flags from bit 8 on, and up to three values.
fn fault_words(fault: Fault) -> [u64; FAULT_WORDS] {
    match fault {
        Fault::Cap { cptr, phase, failure } => {
            let receives = u64::from(phase == Phase::Receive);
            let (guard, bits, guard_bits) = match failure {
                LookupFailure::MissingCapability { bits_left } => (0, bits_left, 0),
                LookupFailure::GuardMismatch { bits_left, guard_bits } => (1, bits_left, guard_bits),
            };
            [CAP_FAULT | receives << 8 | guard << 9, cptr, u64::from(bits), u64::from(guard_bits)]
        }
        Fault::UnknownSyscall { number } => [UNKNOWN_SYSCALL, number, 0, 0],
        Fault::UserException { number, code } => [USER_EXCEPTION, number, code, 0],
        Fault::Vm { address, access, status } => {
            [VM_FAULT | u64::from(access == Access::Instruction) << 8, address, status, 0]
        }
        Fault::Timeout { data, consumed_us } => [TIMEOUT, data, consumed_us, 0],
    }
}

fn fault_of([kind, first, second, third]: [u64; FAULT_WORDS]) -> Option<Fault> {
    let flag = |position: u32| kind >> position & 1 != 0;
    Some(match kind & 0xff {
        CAP_FAULT => Fault::Cap {
            cptr: first,
            phase: if flag(8) { Phase::Receive } else { Phase::Send },
            failure: if flag(9) {
                LookupFailure::GuardMismatch { bits_left: second as u8, guard_bits: third as u8 }
            } else {
                LookupFailure::MissingCapability { bits_left: second as u8 }
            },
        },
        UNKNOWN_SYSCALL => Fault::UnknownSyscall { number: first },
        USER_EXCEPTION => Fault::UserException { number: first, code: second },
        VM_FAULT => Fault::Vm {
            address: first,
            access: if flag(8) { Access::Instruction } else { Access::Data },
            status: second,
        },
        TIMEOUT => Fault::Timeout { data: first, consumed_us: second },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(errand: Errand) -> Request {
        Request {
            errand,
            object: Elsewhere {
                rights: Rights::from_bits(limen_image::Rights::ALL),
                kind: ObjectKind::Endpoint,
                processor: 3,
                index: 63,
                badge: 0x1234_5678_9abc_def0,
            },
            number: 7,
            priority: 254,
            message: Message {
                badge: 0x1234_5678_9abc_def0,
                info: MessageInfo::new(5, 4),
                words: [1, 2, 3, u64::MAX],
            },
        }
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let letter = Letter::new();
        let failures = [
            LookupFailure::MissingCapability { bits_left: 64 },
            LookupFailure::GuardMismatch { bits_left: 58, guard_bits: 49 },
        ];
        let caps = failures.into_iter().flat_map(|failure| {
            [Phase::Send, Phase::Receive].map(|phase| Fault::Cap { cptr: 99, phase, failure })
        });
        let others = [
            Fault::UnknownSyscall { number: u64::MAX },
            Fault::UserException { number: 3, code: 4 },
            Fault::Vm { address: 5, access: Access::Data, status: 6 },
            Fault::Vm { address: 5, access: Access::Instruction, status: 6 },
            Fault::Timeout { data: 8, consumed_us: 9 },
        ];
        let faults = caps.chain(others).map(Errand::Report);
        let messages = MODES.into_iter().flat_map(|mode| [Errand::Send(mode), Errand::Invoke(mode)]);
        for errand in faults.chain(messages).chain([Errand::Release]) {
            letter.write_request(&request(errand));
            assert_eq!((letter.request(), letter.answer()), (Some(request(errand)), None));
        }
    }

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let letter = Letter::new();
        for reply in REPLIES {
            letter.write_answer(reply);
            assert_eq!((letter.answer(), letter.request()), (Some(reply), None));
        }
    }

    #[test]
    fn time_is_read_as_it_was_written() {
        let letter = Letter::new();
        for (index, is_limited) in [(0, false), (63, true)] {
            let time = Time { budget: 100, remaining: 7, consumed: 8, priority: 9, is_limited };
            let share = SporadicServer::new(30, 100, 400, 20, 1000);
            letter.offer_time(index, time, &share);
            assert_eq!((letter.time_index(), letter.time()), (Some(index), time));
            assert_eq!(letter.share() == share, is_limited);
            assert_eq!((letter.accept_time(), letter.accept_time()), (true, false));
            assert!(!letter.is_time_used());
            letter.return_time(Time { remaining: 5, ..time }, &share);
            assert!(letter.is_time_used() && !letter.accept_time());
            assert_eq!((letter.time_index(), letter.time().remaining), (Some(index), 5));
            letter.write_kept_time(index);
            assert_eq!(letter.time_index(), Some(index));
            assert!(!letter.is_time_used() && !letter.accept_time());
        }
        letter.write_no_time();
        assert_eq!((letter.time_index(), letter.is_time_used(), letter.accept_time()), (None, false, false));
    }
}
