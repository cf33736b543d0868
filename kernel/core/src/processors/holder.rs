//! Threads of this processor that use static keys or probes, which the [keeper](super::keeper) changes for all processors.
//!
//! ```text
//!                 asks the keeper                    stopped, and its letter is here
//!   holds nothing ---------------> may hold keys ------------------------------------> releasing
//!         ^                                                                                |
//!         '------------------------- the keeper has released its holds --------------------'
//! ```
//!
//! A stopped thread sends its letter to the keeper to release its holds. The letter takes its time along, so the thread
//! does not run before its holds are released and all branches follow. If the letter is still out for another reason, the thread
//! sends it when it is back.

use limen_abi::{Label, MessageInfo};

use super::keeper::KEEPER;
use super::letter::Errand;
use super::mailbox::bit;
use super::outbox::{Awaited, Outbox};
use crate::arena::ThreadId;
use crate::cap::{Cap, Elsewhere, ObjectKind, Rights};
use crate::event::Outcome;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};
use crate::message::Answer;
use crate::object::endpoint::SendMode;
use crate::object::thread::State;

/// The threads of this processor that have asked the keeper, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holders {
    /// Threads that may hold keys, or probe.
    pub holding: u64,
    /// Threads whose holds must be released.
    pub releasing: u64,
    /// Threads that wait for the keeper's answer.
    pub asking: u64,
}

impl Holders {
    /// No thread has asked anything.
    pub const NONE: Self = Self { holding: 0, releasing: 0, asking: 0 };
}

/// The keeper, as the object of a request that names none.
const TO_KEEPER: Elsewhere =
    Elsewhere { rights: Rights::NONE, kind: ObjectKind::Probe, processor: KEEPER, index: 0, badge: 0 };

impl<M: Machine> Kernel<M> {
    /// Notes that a thread sends a request to an object elsewhere.
    pub(super) fn note_request(&mut self, thread: ThreadId, object: Elsewhere, awaited: Awaited) {
        if matches!(object.kind, ObjectKind::Key | ObjectKind::Probe) {
            self.holders.holding |= bit(thread);
            if awaited == Awaited::Yes {
                self.holders.asking |= bit(thread);
            }
        }
    }

    /// Returns whether a thread that is away waits for the keeper. Such a thread is not interrupted by a resume, because
    /// its request would be carried out twice.
    pub(crate) fn asks_keeper(&self, thread: ThreadId) -> bool {
        self.holders.asking & bit(thread) != 0
    }

    /// Invokes the probe of a thread. To turn it on or off also switches a static key.
    pub(super) fn invoke_probe_elsewhere(
        &mut self,
        current: ThreadId,
        object: Elsewhere,
        info: MessageInfo,
        mode: SendMode,
    ) -> Outcome {
        let label = Label::from_raw(info.label());
        if matches!(label, Some(Label::ProbeStart | Label::ProbeStop))
            && self.outboxes[current] != Outbox::Home
        {
            // The system call repeats once the letter is back.
            return self.send_or_post(current, object, Errand::Invoke(mode), mode);
        }
        match self.invoke(current, Cap::Probe, info) {
            Ok(_) if matches!(label, Some(Label::ProbeStart | Label::ProbeStop)) => {
                self.send_or_post(current, object, Errand::Invoke(mode), mode)
            }
            Ok((answer, outcome)) if mode == SendMode::Call => {
                self.answer_probe(current, answer);
                outcome
            }
            Ok((_, outcome)) => outcome,
            Err(error) if mode == SendMode::Call => self.refuse(current, error),
            Err(_) => Outcome::NOTHING,
        }
    }

    fn answer_probe(&mut self, current: ThreadId, answer: Answer) {
        let info = self.write_answer(current, answer);
        let context = &mut self.threads[current].context;
        context.set_badge(0);
        context.set_info(info);
    }

    /// Releases the holds of a thread that is stopped or restarted.
    #[cold]
    #[inline(never)]
    pub(crate) fn release_elsewhere(&mut self, thread: ThreadId) {
        if self.holders.holding & bit(thread) == 0 {
            return;
        }
        if self.processor.current != Some(thread) {
            self.leave_queues(thread);
        }
        self.threads[thread].state = State::Inactive;
        self.holders.releasing |= bit(thread);
        if self.outboxes[thread] == Outbox::Home {
            self.send_letter(thread, TO_KEEPER, Errand::Release, Awaited::Recalled { end: None });
        }
    }

    /// Takes note of a letter that is back. Returns whether it goes to the keeper again, to release holds. `has_run` if the
    /// thread can have run in the meantime.
    pub(super) fn release_after_answer(
        &mut self,
        thread: ThreadId,
        is_released: bool,
        has_run: bool,
    ) -> bool {
        self.holders.asking &= !bit(thread);
        if is_released {
            self.holders.holding &= !bit(thread);
            self.holders.releasing &= !bit(thread);
        }
        let must_release = self.holders.releasing & bit(thread) != 0;
        if must_release {
            // A thread that runs keeps its time.
            let awaited = if has_run { Awaited::No } else { Awaited::Recalled { end: None } };
            self.send_letter(thread, TO_KEEPER, Errand::Release, awaited);
        }
        must_release
    }
}
