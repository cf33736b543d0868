//! Parts of a recording, read from its words. Any words are read without a panic.

use core::fmt;

use limen_abi::limits::THREADS;
use limen_abi::message::{MAX_LENGTH, REGISTER_WORDS};
use limen_abi::recording::{EventKind, MOST_READINGS, Part, StateWord, part_of};
use limen_abi::trace::NO_THREAD;

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
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its number, from 1.
    pub number: u64,
    /// Its kind.
    pub kind: EventKind,
    /// The arguments of the kind.
    pub arguments: [u64; REGISTER_WORDS],
    /// The thread that ran.
    pub entered: Option<Recorded>,
    /// The thread that the last event left.
    pub left: Option<Recorded>,
    /// The words of the running thread's message that are not in registers.
    pub message: Vec<u64>,
    /// The extra capabilities of that message.
    pub extra: Vec<u64>,
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
        let boot = Boot { state: part.state()?, frequency: part.word()?, fpu_options: part.word()? };
        part.end()?;
        if boot.frequency == 0 { Err(Damage::Contents) } else { Ok(boot) }
    }

    /// Reads the next event; `None` at the end, and if the last event has not ended.
    ///
    /// # Errors
    /// When the words are no event, or end within it.
    pub fn event(&mut self) -> Result<Option<Event>, Damage> {
        self.number += 1;
        let Some(begin) = self.part(Part::Begin)? else { return Ok(None) };
        // The machine may stop during an event.
        let Some(end) = self.part(Part::End)? else { return Ok(None) };
        let mut part = Contents { words: &begin, registers: self.registers };
        let kind = EventKind::from_raw(part.word()?).ok_or(Damage::Contents)?;
        let mut arguments = [0; REGISTER_WORDS];
        for argument in &mut arguments {
            *argument = part.word()?;
        }
        let (entered, left) = (part.thread()?, part.thread()?);
        let (message, extra) = (part.list(MAX_LENGTH)?, part.list(MAX_LENGTH)?);
        part.end()?;
        let mut part = Contents { words: &end, registers: self.registers };
        let (interrupt, readings, state) = (part.word()?, part.list(MOST_READINGS)?, part.state()?);
        part.end()?;
        let number = self.number;
        Ok(Some(Event { number, kind, arguments, entered, left, message, extra, interrupt, readings, state }))
    }

    /// The contents of the next part; `None` at the end of the words.
    fn part(&mut self, due: Part) -> Result<Option<Vec<u64>>, Damage> {
        let Some(head) = self.words.next() else { return Ok(None) };
        let length = match part_of(head) {
            Some((part, length)) if part == due && length != 0 => length,
            _ => return Err(Damage::NoPart),
        };
        let contents: Vec<u64> = self.words.by_ref().take(length as usize).collect();
        match contents.split_first() {
            Some((number, rest)) if contents.len() as u64 == length => {
                if *number == self.number {
                    Ok(Some(rest.to_vec()))
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
        let number = self.word()?;
        if number == NO_THREAD {
            return Ok(None);
        }
        let thread = usize::try_from(number).ok().filter(|thread| *thread < THREADS);
        Ok(Some(Recorded { thread: thread.ok_or(Damage::Contents)?, registers: self.words(self.registers)? }))
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
