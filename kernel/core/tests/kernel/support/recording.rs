//! Recordings of a kernel on the host, and their replay.

use std::sync::atomic::Ordering;

use limen_abi::recording::TAKEN;
use limen_abi::trace::{HeaderWord, RecordWord};
use limen_image::Options;
use limen_replay::replay::{Ending, Replayed, replay};
use proptest::prelude::*;

use super::context::{COUNT, PC, SP, SPSR};
use super::system::System;

/// Slots of the ring.
const SLOTS: usize = 1 << 14;

impl System {
    /// Records every event from now on. The system has just booted: its threads get the registers of such a system.
    pub(crate) fn start_recording(&mut self) {
        for thread in self.threads() {
            let context = self.context_mut(thread);
            for position in (0..COUNT).filter(|position| ![PC, SP, SPSR].contains(position)) {
                context.registers[position] = 0;
            }
        }
        self.kernel.machine.make_trace(SLOTS);
        self.kernel.machine.is_recording = true;
        self.kernel.options |= Options::RECORDING;
        self.kernel.record_boot();
        self.take_recording();
    }

    /// Takes what was recorded, like a reader on the host.
    pub(crate) fn take_recording(&mut self) {
        let ring = &self.kernel.machine.trace;
        let capacity = SLOTS * RecordWord::LENGTH;
        let count = ring[HeaderWord::COUNT].load(Ordering::Acquire) as usize;
        let taken = self.recorded.len()..count;
        let word = |number: usize| ring[HeaderWord::LENGTH + number % capacity].load(Ordering::Relaxed);
        self.recorded.extend(taken.map(word));
        let pieces = count / (capacity / limen_abi::recording::PIECES as usize);
        ring[TAKEN].store(pieces as u64 & 0xff, Ordering::Release);
    }

    /// Replays what was recorded.
    pub(crate) fn replay(&self) -> Result<Replayed, Ending> {
        replay(&self.image, &self.names, self.recorded.iter().copied())
    }
}

/// Replays a recording of which a bit of the word at a place is changed, or whose end from there on is missing. Returns 0 if the
/// replay does not notice, 1 if it calls the recording damaged, 2 if an outcome differs.
pub(crate) fn replay_damaged(
    system: &mut System,
    place: prop::sample::Index,
    bit: u32,
    is_cut: bool,
) -> usize {
    let place = place.index(system.recorded.len());
    if is_cut {
        system.recorded.truncate(place);
    } else {
        system.recorded[place] ^= 1 << bit;
    }
    match system.replay() {
        // A word that only the program reads, or the end of an event.
        Ok(_) => 0,
        Err(Ending::Damaged { .. }) => 1,
        Err(Ending::Differs(_)) => 2,
        Err(Ending::Image(reason)) => panic!("{reason}"),
    }
}
