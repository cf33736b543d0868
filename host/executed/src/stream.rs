//! The plugin's stream: records of 64-bit little-endian words, whose first word has the kind in its two low bits.
//!
//! | kind | first word | further words |
//! |---|---|---|
//! | 0 run | bits 2 to 16: number of instructions; 17 to 31: index of the first; 32 to 63: block | |
//! | 0 with no instructions: processor | bits 32 to 63: the processor that executes what follows, at first 0 | |
//! | 1 load, 2 store | bits 2 to 63: low bits of the address | |
//! | 3 block | bits 2 to 31: number of instructions; 32 to 63: block | address; place in the emulator's memory; two for each instruction: its size in the first byte, then its bytes |
//!
//! A block is streamed when it is translated, before its first run. An access that crosses a cache line is two records.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use crate::flow::{self, Flow};

/// The kinds.
const LOAD: u64 = 1;
const STORE: u64 = 2;
const BLOCK: u64 = 3;

/// More than the emulator puts into a block.
const MOST_INSTRUCTIONS: u64 = 4096;

const BUFFER_BYTES: usize = 1 << 16;

/// More than an emulated machine has.
const MOST_PROCESSORS: usize = 64;

/// A straight-line piece of code, as it was translated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Place in the emulator's memory; zero if it is not RAM or ROM.
    pub place: u64,
    /// Its instructions; never empty.
    pub code: Vec<Instruction>,
}

/// An instruction of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The flow of control after it.
    pub flow: Flow,
    /// Whether it reads the counter of instructions.
    pub reads_counter: bool,
}

impl Instruction {
    /// An instruction of this instruction set.
    pub fn new(architecture: &str, address: u64, bytes: Vec<u8>) -> Self {
        let flow = flow::of(architecture, &bytes);
        Self { address, flow, reads_counter: crate::reads_counter(architecture, &bytes), bytes }
    }

    /// The address of the instruction that follows.
    pub fn end(&self) -> u64 {
        self.address.wrapping_add(self.bytes.len() as u64)
    }
}

impl Block {
    /// The address of its first instruction.
    pub fn address(&self) -> u64 {
        self.code.first().map_or(0, |first| first.address)
    }
}

/// An event on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Instructions of a block were started, the last one perhaps without success.
    Run {
        /// Index of the block.
        block: usize,
        /// Index of the first.
        first: usize,
        /// How many; at least one.
        count: usize,
    },
    /// Another processor executes what follows.
    Processor(usize),
    /// The last instruction accessed memory.
    Access {
        /// Virtual address.
        address: u64,
        /// Whether it was a store.
        is_store: bool,
    },
}

/// Reads a stream.
pub struct Stream<'a> {
    input: Box<dyn Read + 'a>,
    buffer: Box<[u8]>,
    unread: Range<usize>,
    architecture: String,
    blocks: Vec<Block>,
}

impl<'a> Stream<'a> {
    /// A stream from an emulator of this instruction set.
    pub fn new(input: impl Read + 'a, architecture: &str) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into();
        Self {
            input: Box::new(input),
            buffer,
            unread: 0..0,
            architecture: architecture.to_owned(),
            blocks: Vec::new(),
        }
    }

    /// The blocks that were translated so far.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks of a stream that was read.
    pub fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// The next event; `None` at the end. A record that is cut off ends the stream, as when the emulator is killed.
    ///
    /// # Errors
    /// When the stream cannot be read, or is damaged.
    pub fn event(&mut self) -> io::Result<Option<Event>> {
        loop {
            let Some(word) = self.word()? else { return Ok(None) };
            match word & 3 {
                BLOCK => {
                    if !self.take_block(word >> 2 & 0x3fff_ffff, word >> 32)? {
                        return Ok(None);
                    }
                }
                kind @ (LOAD | STORE) => {
                    // The address is canonical, so its upper bits are copies.
                    let address = (word.cast_signed() >> 2).cast_unsigned();
                    return Ok(Some(Event::Access { address, is_store: kind == STORE }));
                }
                _ => return self.run(word).map(Some),
            }
        }
    }

    fn run(&self, word: u64) -> io::Result<Event> {
        let field = |shift: u64, bits: u64| (word >> shift & ((1 << bits) - 1)) as usize;
        let (count, first, block) = (field(2, 15), field(17, 15), field(32, 32));
        if (count, first) == (0, 0) {
            return if block < MOST_PROCESSORS {
                Ok(Event::Processor(block))
            } else {
                Err(damaged("it names a processor that it does not have"))
            };
        }
        match self.blocks.get(block) {
            Some(known) if count > 0 && first + count <= known.code.len() => {
                Ok(Event::Run { block, first, count })
            }
            _ => Err(damaged("it names instructions that it does not have")),
        }
    }

    fn take_block(&mut self, count: u64, number: u64) -> io::Result<bool> {
        if number != self.blocks.len() as u64 || count == 0 || count > MOST_INSTRUCTIONS {
            return Err(damaged("a block has a wrong number"));
        }
        let (Some(mut address), Some(place)) = (self.word()?, self.word()?) else { return Ok(false) };
        let mut code = Vec::new();
        for _ in 0..count {
            let (Some(low), Some(high)) = (self.word()?, self.word()?) else { return Ok(false) };
            let bytes = [low.to_le_bytes(), high.to_le_bytes()].concat();
            let bytes =
                bytes.get(1..1 + usize::from(bytes[0])).ok_or_else(|| damaged("a size is wrong"))?.to_vec();
            let instruction = Instruction::new(&self.architecture, address, bytes);
            address = instruction.end();
            code.push(instruction);
        }
        self.blocks.push(Block { place, code });
        Ok(true)
    }

    fn word(&mut self) -> io::Result<Option<u64>> {
        loop {
            if let Some(bytes) = self.buffer.get(self.unread.clone()).and_then(<[u8]>::first_chunk) {
                self.unread.start += bytes.len();
                return Ok(Some(u64::from_le_bytes(*bytes)));
            }
            self.buffer.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
            match self.input.read(self.buffer.get_mut(self.unread.end..).unwrap_or_default()) {
                Ok(0) => return Ok(None),
                Ok(count) => self.unread.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the emulator's stream is damaged: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a block of RISC-V code.
    fn block(number: u64, address: u64, place: u64, code: &[&[u8]]) -> Vec<u64> {
        let mut words = vec![BLOCK | (code.len() as u64) << 2 | number << 32, address, place];
        for bytes in code {
            let mut padded = [0; 16];
            padded[0] = bytes.len() as u8;
            padded[1..=bytes.len()].copy_from_slice(bytes);
            let (low, high) = padded.split_at(8);
            words.extend([low, high].map(|half| u64::from_le_bytes(half.try_into().unwrap())));
        }
        words
    }

    /// The word of a run.
    fn run(block: u64, first: u64, count: u64) -> u64 {
        count << 2 | first << 17 | block << 32
    }

    /// The bytes of words.
    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn events(input: &[u8]) -> io::Result<Vec<Event>> {
        let mut stream = Stream::new(input, "riscv64");
        let mut events = Vec::new();
        while let Some(event) = stream.event()? {
            events.push(event);
        }
        Ok(events)
    }

    const RETURN: &[u8] = &[0x82, 0x80];
    const CALL: &[u8] = &[0xef, 0, 0x80, 0];

    #[test]
    fn runs_and_accesses_are_read() {
        let top = 0xffff_ffff_8000_1000_u64;
        let words = [
            &block(0, top, 7, &[CALL, RETURN])[..],
            &[run(0, 0, 1), top << 2 | LOAD, 0x40 << 2 | STORE, run(3, 0, 0), run(0, 1, 1)],
        ];
        assert_eq!(
            events(&bytes(&words.concat())).unwrap(),
            [
                Event::Run { block: 0, first: 0, count: 1 },
                Event::Access { address: top, is_store: false },
                Event::Access { address: 0x40, is_store: true },
                Event::Processor(3),
                Event::Run { block: 0, first: 1, count: 1 },
            ]
        );
        let input = bytes(&words.concat());
        let mut stream = Stream::new(&input[..], "riscv64");
        stream.event().unwrap();
        let code = &stream.blocks()[0].code;
        assert_eq!((code[0].flow, code[1].flow, code[1].address), (Flow::Call, Flow::Return, top + 4));
    }

    #[test]
    fn a_stream_may_end_anywhere() {
        let whole = bytes(&[&block(0, 0x1000, 0, &[RETURN])[..], &[run(0, 0, 1)]].concat());
        assert_eq!(events(&whole).unwrap().len(), 1);
        for end in 0..whole.len() {
            assert_eq!(events(&whole[..end]).unwrap(), [], "{end}");
        }
    }

    #[test]
    fn damage_is_an_error() {
        let good = block(0, 0x1000, 0, &[RETURN]);
        for bad in
            [run(0, 0, 2), run(0, 1, 1), run(1, 0, 1), run(0, 1, 0), run(64, 0, 0), block(2, 0, 0, &[])[0]]
        {
            let failure = events(&bytes(&[&good[..], &[bad]].concat())).unwrap_err();
            assert!(failure.to_string().starts_with("the emulator's stream is damaged"), "{failure}");
        }
    }
}
