//! Parts of a recording, read from its words. Any words are read without a panic.

use core::fmt;

use limen_abi::limits::THREADS;
use limen_abi::message::{MAX_LENGTH, REGISTER_WORDS};
use limen_abi::probe::ProbeEvent;
use limen_abi::recording::{EventKind, MOST_READINGS, MOST_WORDS, NO_PROBE_EVENT, Part, StateWord, part_of};
use limen_abi::trace::NO_THREAD;
use limen_core::processors::mailbox;

/// No counter has such a frequency, in hertz, or a higher one. With a lower one, sums and products of times do not overflow.
const MOST_FREQUENCY: u64 = 1 << 34;

/// The damage of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// It ends within an event.
    Truncated,
    /// Words are not a part, or not the part of the event that is due.
    NoPart,
    /// The contents of a part are not what the part has.
    Contents,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the recording ends within an event",
            Self::NoPart => "the recording is damaged: words are not the part of an event that is due",
            Self::Contents => "the recording is damaged: a part has wrong contents",
        })
    }
}

/// A thread and its registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// The index of the thread.
    pub thread: usize,
    /// The registers.
    pub registers: Vec<u64>,
}

/// The state at the end of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The thread that runs.
    pub runs: Option<Recorded>,
    /// The words of its message that are not in registers.
    pub message: Vec<u64>,
    /// See [`StateWord`].
    pub words: [u64; StateWord::LENGTH],
}

/// The state after boot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Boot {
    /// The state.
    pub state: State,
    /// Ticks per second.
    pub frequency: u64,
    /// The options of the floating-point unit.
    pub fpu_options: u64,
    /// The number of the processor.
    pub processor: u8,
    /// Whether every crossing switches page tables.
    pub switches_page_tables: bool,
}

/// The entry of an event, as probes see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The event; `None` if programs cannot arm it.
    pub event: Option<ProbeEvent>,
    /// The counter at the entry.
    pub stamp: u64,
    /// The program counter at the entry.
    pub pc: u64,
}

/// Mail that an event takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mail {
    /// Threads whose letters have come, recalled threads, and notifications.
    pub mail: mailbox::Mail,
    /// Processors with a message about code.
    pub code: u64,
    /// The letters.
    pub letters: Vec<Letter>,
}

/// A letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letter {
    /// The thread.
    pub thread: usize,
    /// The words.
    pub words: Vec<u64>,
    /// The words of the message that are not in registers.
    pub message: Vec<u64>,
    /// The extra capabilities of the message.
    pub extra: Vec<u64>,
}

/// Bits that other processors have signalled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signals {
    /// The index of the notification.
    pub notification: u64,
    /// The bits.
    pub badge: u64,
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its number, from 1.
    pub number: u64,
    /// Its entry; none for the end of work.
    pub entry: Option<Entry>,
    /// Its kind.
    pub kind: EventKind,
    /// The arguments of the kind.
    pub arguments: [u64; REGISTER_WORDS],
    /// Whether the kernel prints faults.
    pub prints: bool,
    /// The thread that ran.
    pub entered: Option<Recorded>,
    /// The thread that the last event left.
    pub left: Option<Recorded>,
    /// The words of the running thread's message that are not in registers.
    pub message: Vec<u64>,
    /// The extra capabilities of that message.
    pub extra: Vec<u64>,
    /// Mail from other processors.
    pub mail: Option<Mail>,
    /// Recalls that are handled: the thread, and the number of the request.
    pub recalls: Vec<(usize, u64)>,
    /// Signals of other processors.
    pub signals: Vec<Signals>,
    /// The results of patching: whether all branches follow, and how many more the event may patch.
    pub patchings: Vec<(bool, u64)>,
    /// The line that interrupted.
    pub interrupt: u64,
    /// The readings of the clock.
    pub readings: Vec<u64>,
    /// The state afterwards.
    pub state: State,
}

/// Reads the parts of a recording, on an instruction set with so many registers.
#[derive(Debug)]
pub struct Reader<I> {
    words: I,
    registers: usize,
    number: u64,
}

impl<I: Iterator<Item = u64>> Reader<I> {
    /// Reads from these words.
    pub fn new(words: I, registers: usize) -> Self {
        Self { words, registers, number: 0 }
    }

    /// Reads the state after boot, which comes first.
    ///
    /// # Errors
    /// When the words are something else.
    pub fn boot(&mut self) -> Result<Boot, Damage> {
        let contents = self.part(Part::Boot)?.ok_or(Damage::Truncated)?;
        let mut part = Contents { words: &contents, registers: self.registers };
        let (state, frequency, fpu_options) = (part.state()?, part.word()?, part.word()?);
        let processor = u8::try_from(part.word()?).map_err(|_| Damage::Contents)?;
        let switches_page_tables = part.word()? != 0;
        part.end()?;
        if !(1..MOST_FREQUENCY).contains(&frequency) {
            return Err(Damage::Contents);
        }
        Ok(Boot { state, frequency, fpu_options, processor, switches_page_tables })
    }

    /// Reads the next event; `None` at the end, and if the last event has not ended.
    ///
    /// # Errors
    /// When the words are no event, or end within it.
    pub fn event(&mut self) -> Result<Option<Event>, Damage> {
        self.number += 1;
        let mut entry = None;
        let begin = loop {
            match self.any_part()? {
                None => return Ok(None),
                Some((Part::Begin, begin)) => break begin,
                // One without an event lets work go on, and probes ignore a thread at work: the last one counts.
                Some((Part::Entry, contents)) => {
                    entry = Some(Contents { words: &contents, registers: self.registers }.entry()?);
                }
                Some(_) => return Err(Damage::NoPart),
            }
        };
        let (mut mail, mut recalls, mut signals, mut patchings) = (None, Vec::new(), Vec::new(), Vec::new());
        let end = loop {
            // The machine may stop during an event.
            let Some((kind, contents)) = self.any_part()? else { return Ok(None) };
            let mut part = Contents { words: &contents, registers: self.registers };
            match kind {
                Part::Mail if mail.is_none() => mail = Some(part.mail()?),
                Part::Letter => mail.as_mut().ok_or(Damage::NoPart)?.letters.push(part.letter()?),
                Part::Recall => recalls.push((thread_index(part.word()?)?, part.word()?)),
                Part::Signals => signals.push(part.signals()?),
                Part::Patching => patchings.push((part.word()? != 0, part.word()?)),
                Part::End => break contents,
                Part::Boot | Part::Entry | Part::Begin | Part::Mail => return Err(Damage::NoPart),
            }
            part.end()?;
        };
        let mut part = Contents { words: &begin, registers: self.registers };
        let kind = EventKind::from_raw(part.word()?).ok_or(Damage::Contents)?;
        if kind == EventKind::Sampled && entry.is_none() {
            return Err(Damage::NoPart);
        }
        let mut arguments = [0; REGISTER_WORDS];
        for argument in &mut arguments {
            *argument = part.word()?;
        }
        let prints = part.word()? != 0;
        let (entered, left) = (part.thread()?, part.thread()?);
        let (message, extra) = (part.list(MAX_LENGTH)?, part.list(MAX_LENGTH)?);
        part.end()?;
        let mut part = Contents { words: &end, registers: self.registers };
        let (interrupt, readings, state) = (part.word()?, part.list(MOST_READINGS)?, part.state()?);
        part.end()?;
        // No line has a larger number.
        if u32::try_from(interrupt).is_err() {
            return Err(Damage::Contents);
        }
        Ok(Some(Event {
            number: self.number,
            entry,
            kind,
            arguments,
            prints,
            entered,
            left,
            message,
            extra,
            mail,
            recalls,
            signals,
            patchings,
            interrupt,
            readings,
            state,
        }))
    }

    /// The contents of the next part, which is due; `None` at the end of the words.
    fn part(&mut self, due: Part) -> Result<Option<Vec<u64>>, Damage> {
        match self.any_part()? {
            Some((part, contents)) if part == due => Ok(Some(contents)),
            Some(_) => Err(Damage::NoPart),
            None => Ok(None),
        }
    }

    /// The next part of this event and its contents; `None` at the end of the words.
    fn any_part(&mut self) -> Result<Option<(Part, Vec<u64>)>, Damage> {
        let Some(head) = self.words.next() else { return Ok(None) };
        let Some((part, length @ 1..)) = part_of(head) else { return Err(Damage::NoPart) };
        let contents: Vec<u64> = self.words.by_ref().take(length as usize).collect();
        match contents.split_first() {
            Some((number, rest)) if contents.len() as u64 == length => {
                if *number == self.number {
                    Ok(Some((part, rest.to_vec())))
                } else {
                    Err(Damage::NoPart)
                }
            }
            _ => Err(Damage::Truncated),
        }
    }
}

/// The contents of a part that are not read yet.
struct Contents<'a> {
    words: &'a [u64],
    registers: usize,
}

impl Contents<'_> {
    fn word(&mut self) -> Result<u64, Damage> {
        let (word, rest) = self.words.split_first().ok_or(Damage::Contents)?;
        self.words = rest;
        Ok(*word)
    }

    fn words(&mut self, count: usize) -> Result<Vec<u64>, Damage> {
        let (words, rest) = self.words.split_at_checked(count).ok_or(Damage::Contents)?;
        self.words = rest;
        Ok(words.to_vec())
    }

    fn list(&mut self, most: usize) -> Result<Vec<u64>, Damage> {
        let count = usize::try_from(self.word()?).ok().filter(|count| *count <= most);
        self.words(count.ok_or(Damage::Contents)?)
    }

    fn thread(&mut self) -> Result<Option<Recorded>, Damage> {
        match self.word()? {
            NO_THREAD => Ok(None),
            number => {
                let thread = thread_index(number)?;
                Ok(Some(Recorded { thread, registers: self.words(self.registers)? }))
            }
        }
    }

    fn entry(mut self) -> Result<Entry, Damage> {
        let event = match self.word()? {
            NO_PROBE_EVENT => None,
            number => Some(ProbeEvent::from_raw(number).ok_or(Damage::Contents)?),
        };
        let (stamp, pc) = (self.word()?, self.word()?);
        self.end()?;
        Ok(Entry { event, stamp, pc })
    }

    fn mail(&mut self) -> Result<Mail, Damage> {
        let [letters, recalls, signals, code] = [self.word()?, self.word()?, self.word()?, self.word()?];
        let mail = mailbox::Mail { letters, recalls, signals };
        Ok(Mail { mail, code, letters: Vec::new() })
    }

    fn letter(&mut self) -> Result<Letter, Damage> {
        let (thread, words) = (thread_index(self.word()?)?, self.list(MOST_WORDS as usize)?);
        Ok(Letter { thread, words, message: self.list(MAX_LENGTH)?, extra: self.list(MAX_LENGTH)? })
    }

    fn signals(&mut self) -> Result<Signals, Damage> {
        Ok(Signals { notification: self.word()?, badge: self.word()? })
    }

    fn state(&mut self) -> Result<State, Damage> {
        let (runs, message) = (self.thread()?, self.list(MAX_LENGTH)?);
        let mut words = [0; StateWord::LENGTH];
        for word in &mut words {
            *word = self.word()?;
        }
        Ok(State { runs, message, words })
    }

    fn end(self) -> Result<(), Damage> {
        if self.words.is_empty() { Ok(()) } else { Err(Damage::Contents) }
    }
}

fn thread_index(number: u64) -> Result<usize, Damage> {
    let index = usize::try_from(number).ok().filter(|index| *index < THREADS);
    index.ok_or(Damage::Contents)
}
