//! Static keys with several processors: the kernel of one, the *keeper*, changes the code that all of them execute.
//!
//! Every request to a key, or to turn a probe on or off, is a letter to the keeper, also from a thread of its own
//! processor. The keeper handles one letter at a time, and starts a *round* after each that wrote code:
//!
//! ```text
//!   keeper                                          each other processor
//!   waiting: letters that have arrived
//!   take_turn: reads a letter, writes code
//!   begin_round ------------ message, interrupt --> follow_code_messages: synchronises
//!   (runs threads)       <-- message, interrupt --- answers
//!   end_round: answers the letter; or it waits for another turn, if branches or steps are left
//! ```
//!
//! Between two writes every processor synchronises, so a port may write an instruction in several steps. No kernel waits: the
//! thread that asked is away, as for any other request. Turns go round in the order of the threads, and each continues what an
//! earlier one has begun, so a thread waits at most for those changes that the others have asked for. If a thread is stopped in
//! the middle of its change, the keeper completes the change.
//!
//! ```text
//!              take_turn, writes            the last processor answers
//!     Idle ---------------------> Round ---------------------------------> Idle
//!      '---- take_turn, writes nothing: answers the letter ----'
//! ```

use limen_abi::message::REGISTER_WORDS;
use limen_abi::{Label, MessageInfo};

use super::letter::{Errand, Message, Reply, Request};
use super::mailbox::{bit, take_lowest};
use crate::arena::{KeyId, ThreadId};
use crate::cap::Cap;
use crate::invoke::InvokeError;
use crate::kernel::{Kernel, Keys};
use crate::machine::{Machine, Patching};
use crate::object::endpoint::SendMode;
use crate::object::key::{self, Change};

/// The processor whose kernel is the keeper.
pub const KEEPER: u8 = 0;

/// The state of the keeper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keeper {
    /// Threads whose letter waits for its turn, one bit each.
    pub waiting: u64,
    /// The thread whose letter is answered, or waits again, at the end of the round.
    pub writer: Option<(ThreadId, Patching)>,
    /// Processors that have not synchronised in this round, one bit each; zero between rounds.
    pub round: u64,
    /// Keys with branches that do not follow yet, one bit each.
    pub unpatched: u64,
    /// Threads that probe, one bit each.
    pub probing: u64,
    /// Whether traps go through the probes, and whether all branches follow.
    probes: (bool, Patching),
    /// The thread that had the last turn.
    pub last: ThreadId,
}

/// The result of a turn.
struct Turn {
    /// Whether code was written.
    writes: bool,
    /// Whether the letter needs another turn.
    patching: Patching,
    /// The answer, or the reason for refusing.
    answer: Result<Message, InvokeError>,
}

impl Turn {
    const NOTHING: Self = Self { writes: false, patching: Patching::Done, answer: Ok(EMPTY) };
}

/// The answer of a request without results.
const EMPTY: Message = Message { badge: 0, info: MessageInfo::new(0, 0), words: [0; REGISTER_WORDS] };

impl Keeper {
    /// A keeper without requests.
    pub const NEW: Self = Self {
        waiting: 0,
        writer: None,
        round: 0,
        unpatched: 0,
        probing: 0,
        probes: (false, Patching::Done),
        last: ThreadId::ANY,
    };

    /// Returns whether a turn can be taken.
    pub(super) fn has_turn(&self) -> bool {
        self.round == 0 && (self.waiting != 0 || self.has_unfinished())
    }

    /// Returns whether some branches do not follow.
    fn has_unfinished(&self) -> bool {
        self.unpatched != 0 || self.probes.1 == Patching::More
    }

    /// Notes whether a thread probes.
    fn set_probing(&mut self, thread: ThreadId, state: bool) {
        self.probing = self.probing & !bit(thread) | if state { bit(thread) } else { 0 };
        if (self.probing != 0) != self.probes.0 {
            self.probes.1 = Patching::More;
        }
    }

    /// Returns whether the letter of a thread is here.
    #[must_use]
    pub fn has_letter(&self, thread: ThreadId) -> bool {
        self.waiting & bit(thread) != 0 || self.writer.is_some_and(|(writer, _)| writer == thread)
    }

    /// Removes the thread whose turn it is: the next after the last one, all in a circle.
    fn next(&mut self) -> Option<ThreadId> {
        let above = self.waiting & !(bit(self.last) | (bit(self.last) - 1));
        let next = take_lowest(&mut if above != 0 { above } else { self.waiting })?;
        self.waiting &= !bit(next);
        self.last = next;
        Some(next)
    }
}

impl<M: Machine> Kernel<M> {
    /// Takes in a letter that has arrived, if it is for the keeper.
    pub(super) fn keep_letter(&mut self, thread: ThreadId) -> bool {
        let is_for_keeper = self.machine.mailboxes().letter(thread).is_for_keeper();
        if is_for_keeper {
            self.keeper.waiting |= bit(thread);
        }
        is_for_keeper
    }

    /// Sends a letter back whose thread no longer waits.
    pub(super) fn return_letter(&mut self, thread: ThreadId) {
        self.keeper.waiting &= !bit(thread);
        self.keeper.writer = self.keeper.writer.filter(|(writer, _)| *writer != thread);
        self.send_back(thread, Reply::Undone);
    }

    /// Handles messages about patched code.
    pub(super) fn take_code_messages(&mut self) {
        let from = self.machine.mailboxes().take_code(self.processor.number);
        if from != 0 {
            self.follow_code_messages(from);
        }
    }

    /// Handles messages about patched code from these processors.
    #[cold]
    #[inline(never)]
    pub(super) fn follow_code_messages(&mut self, from: u64) {
        let number = self.processor.number;
        if number != KEEPER {
            self.machine.synchronise_code();
            self.trace.forget_groups(self.machine.trace_groups());
            let attention = self.machine.mailboxes().send_code(KEEPER, number);
            return self.attract(KEEPER, attention);
        }
        self.keeper.round &= !from;
        if self.keeper.round == 0 {
            self.end_round();
        }
    }

    /// Asks every other processor to synchronise.
    fn begin_round(&mut self, writer: Option<(ThreadId, Patching)>) {
        self.keeper.writer = writer;
        for number in (0..self.processors).filter(|number| *number != KEEPER) {
            self.keeper.round |= 1 << number;
            let attention = self.machine.mailboxes().send_code(number, KEEPER);
            self.attract(number, attention);
        }
    }

    fn end_round(&mut self) {
        self.machine.note_synchronised();
        match self.keeper.writer.take() {
            Some((thread, Patching::More)) => self.keeper.waiting |= bit(thread),
            Some((thread, Patching::Done)) => self.answer_letter(thread, Ok(EMPTY)),
            None => {}
        }
    }

    /// Handles the next letter. If none waits, patches the branches that an earlier change has left. Called between rounds only.
    #[cold]
    #[inline(never)]
    pub(super) fn take_turn(&mut self) {
        let thread = self.keeper.next();
        let Turn { writes, patching, answer } = match thread {
            Some(thread) => self.turn_of(thread),
            // The thread that has begun this does not wait any more.
            None => self.continue_patching(self.keeper.last, self.keys_on()),
        };
        match thread {
            _ if writes => self.begin_round(thread.map(|thread| (thread, patching))),
            Some(thread) if patching == Patching::Done => self.answer_letter(thread, answer),
            Some(thread) => self.keeper.waiting |= bit(thread),
            None => {}
        }
    }

    fn turn_of(&mut self, thread: ThreadId) -> Turn {
        let letter = self.machine.mailboxes().letter(thread);
        let Some(Request { errand, object, message, .. }) = letter.request() else { return Turn::NOTHING };
        match (errand, object.at_home()) {
            (Errand::Release, _) => {
                self.keeper.set_probing(thread, false);
                let on = self.keys_on();
                self.release_holds(thread);
                self.continue_patching(thread, on)
            }
            // The sending half of a system call that also receives has no effect on a key, as with one processor.
            (Errand::Invoke(SendMode::Donating), Cap::Key(_)) => Turn::NOTHING,
            (Errand::Invoke(_), Cap::Key(id)) => self.turn_of_key(thread, id, message.info),
            (Errand::Invoke(_), Cap::Probe) => {
                let starts = Label::from_raw(message.info.label()) == Some(Label::ProbeStart);
                self.keeper.set_probing(thread, starts);
                self.continue_patching(thread, self.keys_on())
            }
            _ => Turn::NOTHING,
        }
    }

    fn turn_of_key(&mut self, thread: ThreadId, id: KeyId, info: MessageInfo) -> Turn {
        match key::Request::decode(self, id, &self.arguments_of(thread, info)) {
            Err(error) => Turn { answer: Err(error), ..Turn::NOTHING },
            Ok(key::Request::Read(id)) => {
                let mut words = [0; REGISTER_WORDS];
                self.mark_unpatched(thread);
                let state = self.key_words(id, thread);
                self.note_unpatched();
                words.iter_mut().zip(state).for_each(|(word, value)| *word = value);
                let message = Message { badge: 0, info: MessageInfo::new(0, state.len()), words };
                Turn { answer: Ok(message), ..Turn::NOTHING }
            }
            Ok(key::Request::Change { key, caller, change }) => {
                // When it is its turn again, its hold is counted.
                let rest = MessageInfo::new(Label::KeyFollow.as_raw(), 0);
                self.machine.mailboxes().letter(thread).write_message(&Message { info: rest, ..EMPTY });
                let on = self.keys_on();
                if change == Change::None {
                    return self.continue_patching(thread, on);
                }
                self.end_turn_of_key(thread, on, |kernel| kernel.change_and_patch(key, caller, change))
            }
        }
    }

    /// Makes a thread the one that patches the branches that are left.
    fn mark_unpatched(&mut self, patcher: ThreadId) {
        let mut unpatched = core::mem::take(&mut self.keeper.unpatched);
        while let Some(id) = take_lowest(&mut unpatched) {
            self.keys[id].set_patcher(Some(patcher));
        }
    }

    /// Notes which branches are left, so that no thread patches them by itself.
    fn note_unpatched(&mut self) {
        for id in self.all_keys() {
            if self.keys[id].set_patcher(None).is_some() {
                self.keeper.unpatched |= 1 << Keys::index_of(id);
            }
        }
    }

    /// Patches branches after a change. `on` are the keys that were on before it.
    fn end_turn_of_key(
        &mut self,
        thread: ThreadId,
        on: u64,
        patch: impl FnOnce(&mut Self) -> Patching,
    ) -> Turn {
        let was_unpatched = self.keeper.unpatched != 0;
        self.mark_unpatched(thread);
        let patching = patch(self);
        self.note_unpatched();
        let writes = was_unpatched || self.keys_on() != on;
        if writes || patching == Patching::More {
            // A later turn leads the traps.
            let patching = if self.keeper.probes.1 == Patching::More { Patching::More } else { patching };
            return Turn { writes, patching, answer: Ok(EMPTY) };
        }
        self.continue_probes()
    }

    /// Patches branches that do not follow, of any key. `on` are the keys that were on at the beginning of the turn.
    #[inline(never)]
    fn continue_patching(&mut self, thread: ThreadId, on: u64) -> Turn {
        self.end_turn_of_key(thread, on, |kernel| kernel.patch_keys(thread, thread))
    }

    /// Leads traps through the probes while a thread probes.
    fn continue_probes(&mut self) -> Turn {
        if self.keeper.probes.1 == Patching::Done {
            return Turn::NOTHING;
        }
        let is_on = self.keeper.probing != 0;
        let patching = self.machine.set_probing(is_on);
        if self.is_recorded() {
            self.record_patching(patching, 0);
        }
        self.keeper.probes = (is_on, patching);
        Turn { writes: true, patching, answer: Ok(EMPTY) }
    }

    fn answer_letter(&mut self, thread: ThreadId, answer: Result<Message, InvokeError>) {
        let letter = self.machine.mailboxes().letter(thread);
        let reply = match letter.request().map(|request| request.errand) {
            Some(Errand::Release) => Reply::Released,
            Some(Errand::Invoke(SendMode::Call)) => {
                letter.write_message(&answer.unwrap_or_else(refusal));
                Reply::Message
            }
            _ => Reply::Sent,
        };
        self.send_back(thread, reply);
    }

    /// Sends a letter home, with the time that came with it.
    fn send_back(&mut self, thread: ThreadId, reply: Reply) {
        let mailboxes = self.machine.mailboxes();
        mailboxes.letter(thread).write_answer(reply);
        let home = self.homes[thread];
        let attention = mailboxes.send_letter(home, thread);
        self.attract(home, attention);
    }
}

fn refusal(error: InvokeError) -> Message {
    let (code, words, length) = error.message();
    Message { badge: 0, info: MessageInfo::new(code.as_raw(), length), words }
}
