//! Messages between threads: four words in registers, the rest in the message buffers of sender and receiver.

use core::sync::atomic::{AtomicU64, Ordering};

use limen_abi::MessageInfo;
use limen_abi::fpu::FpuCounterWord;
use limen_abi::key::KeyWord;
use limen_abi::message::{BufferWord, REGISTER_WORDS};
use limen_abi::probe::ProbeWord;

use crate::arena::{KeyId, ServiceId, ThreadId};
use crate::kernel::Kernel;
use crate::machine::{Context, Machine, Patching};

/// The page that a thread shares with the kernel. The thread may change it at any time.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct MessageBuffer {
    words: [AtomicU64; BufferWord::COUNT],
}

impl MessageBuffer {
    /// Creates a zeroed buffer.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: [const { AtomicU64::new(0) }; BufferWord::COUNT] }
    }

    /// Returns the word at this offset; zero past the end.
    #[must_use]
    #[inline]
    pub fn word(&self, offset: usize) -> u64 {
        self.words.get(offset).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// Sets the word at this offset; does nothing past the end.
    #[inline]
    pub fn set_word(&self, offset: usize, value: u64) {
        if let Some(word) = self.words.get(offset) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Copies the message words that are not in registers; `length` is the length of the whole message.
    #[inline]
    fn copy_from(&self, from: &Self, length: usize) {
        const FIRST: usize = BufferWord::MESSAGE + REGISTER_WORDS;
        let words = FIRST..BufferWord::MESSAGE + length;
        if let (Some(to), Some(from)) = (self.words.get(words.clone()), from.words.get(words)) {
            for (to, from) in to.iter().zip(from) {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
    }
}

impl Default for MessageBuffer {
    fn default() -> Self {
        Self::new()
    }
}

/// The result of an invocation. It is written only for a call; a caller that used another kind of send gets no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Success, no words.
    Empty,
    /// The result of this service, once its work is done.
    Work(ServiceId),
    /// Not finished: the system call restarts and continues with the rest.
    Again,
    /// One result word.
    Word(u64),
    /// This many words, already in the message.
    Written(usize),
    /// The counts of floating-point saves, loads, enables, disables and faults.
    FpuCounters,
    /// The state of a static key.
    Key(KeyId),
    /// The oldest sample of a probe.
    Sample(ThreadId),
    /// Registers in `seL4_UserContext` order.
    Registers {
        /// The thread.
        thread: ThreadId,
        /// The number of registers.
        count: usize,
    },
}

impl Answer {
    /// Returns this answer if patching is done, else [`Self::Again`].
    pub(crate) fn once(self, patching: Patching) -> Self {
        match patching {
            Patching::Done => self,
            Patching::More => Self::Again,
        }
    }
}

impl<M: Machine> Kernel<M> {
    /// Transfers the message of `from` to `to`.
    #[inline]
    pub(crate) fn transfer(&mut self, from: ThreadId, to: ThreadId, badge: u64, info: MessageInfo) {
        if info.claimed_length() > REGISTER_WORDS {
            return self.transfer_long(from, to, badge, info);
        }
        let words = self.threads[from].context.words();
        let context = &mut self.threads[to].context;
        context.set_badge(badge);
        context.set_info(info.without_caps());
        context.set_words(words, info.claimed_length());
    }

    /// Transfers a message that does not fit into registers.
    #[inline(always)]
    pub(crate) fn transfer_long(&mut self, from: ThreadId, to: ThreadId, badge: u64, info: MessageInfo) {
        let words = self.threads[from].context.words();
        let context = &mut self.threads[to].context;
        context.set_badge(badge);
        context.set_info(info.delivered());
        context.set_words(words, REGISTER_WORDS);
        let buffers = self.machine.buffers();
        buffers[to].copy_from(&buffers[from], info.length());
    }

    /// Returns a word of the message that `thread` sends.
    pub(crate) fn message_word(&self, thread: ThreadId, position: usize) -> u64 {
        match self.threads[thread].context.words().get(position) {
            Some(word) => *word,
            None => self.machine.buffers()[thread].word(BufferWord::MESSAGE + position),
        }
    }

    /// Sets a word of the message that `thread` receives.
    pub(crate) fn set_message_word(&mut self, thread: ThreadId, position: usize, value: u64) {
        let context = &mut self.threads[thread].context;
        let mut words = context.words();
        match words.get_mut(position) {
            Some(word) => {
                *word = value;
                context.set_words(words, REGISTER_WORDS);
            }
            None => self.machine.buffers()[thread].set_word(BufferWord::MESSAGE + position, value),
        }
    }

    /// Writes an answer into the message words of `caller`. Returns the message info: label 0 and the number of words.
    pub(crate) fn write_answer(&mut self, caller: ThreadId, answer: Answer) -> MessageInfo {
        let length = match answer {
            Answer::Empty | Answer::Work(_) | Answer::Again => 0,
            Answer::Word(word) => {
                self.set_message_word(caller, 0, word);
                1
            }
            Answer::Written(count) => count,
            Answer::FpuCounters => {
                for (position, count) in self.fpu_counts().into_iter().enumerate() {
                    self.set_message_word(caller, position, count);
                }
                FpuCounterWord::LENGTH
            }
            Answer::Key(key) => {
                for (position, word) in self.key_words(key, caller).into_iter().enumerate() {
                    self.set_message_word(caller, position, word);
                }
                KeyWord::LENGTH
            }
            Answer::Sample(thread) => {
                for (position, word) in self.take_sample(thread).into_iter().enumerate() {
                    self.set_message_word(caller, position, word);
                }
                ProbeWord::LENGTH
            }
            Answer::Registers { thread, count } => {
                self.read_registers(thread, caller, count);
                count
            }
        };
        MessageInfo::new(0, length)
    }
}
