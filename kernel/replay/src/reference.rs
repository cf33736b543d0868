//! The specification beside a kernel.

use limen_spec::state::Schedule;
use limen_spec::time::Time;
use limen_spec::{Event, System};

use crate::abstraction::difference;

/// The specification beside a kernel.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The state that the kernel should have.
    pub state: System,
    /// The number of events compared.
    pub compared: u64,
    /// The number of events after which the kernel's state was taken over.
    pub skipped: u64,
}

impl Reference {
    /// The specification in this state.
    #[must_use]
    pub fn new(state: System) -> Self {
        Self { state, compared: 0, skipped: 0 }
    }

    /// Takes over the state of a kernel after an event that cannot be compared.
    pub fn skip(&mut self, mut found: System) {
        found.schedule.turn = turn_until(&self.state.schedule, found.schedule.end);
        self.skipped += 1;
        self.state = found;
    }

    /// Compares the state that a kernel stands for with the specification after an event. `preserved` are the positions of
    /// registers that the port adds to those of the program when work begins.
    ///
    /// # Errors
    /// The parts of the state in which they differ.
    pub fn compare(&mut self, event: &Event, found: System, preserved: &[usize]) -> Result<(), String> {
        let keys = found.keys.iter().enumerate().filter(|(_, key)| key.writer.is_some());
        let unwritten: Vec<_> = keys.map(|(index, _)| index).collect();
        let outcomes = [false, true].map(|end_is_known| {
            let mut outcome = System { end_is_known, unwritten: unwritten.clone(), ..self.state.clone() };
            outcome.hardware.answer = found.hardware.answer;
            outcome.handle(event);
            (outcome.end_is_known, outcome.unwritten, outcome.entry) = (false, Vec::new(), None);
            outcome
        });
        let [first, second] = outcomes;
        self.compared += 1;
        let is_right =
            |expected: &System| settled(&self.as_expected(&found, expected, preserved)) == settled(expected);
        let right = if is_right(&first) { Some(first.clone()) } else { Some(second).filter(is_right) };
        let Some(mut right) = right else {
            let found = self.as_expected(&found, &first, preserved);
            return Err(difference(&settled(&found), &settled(&first)));
        };
        for (time, found) in right.times.iter_mut().zip(&found.times) {
            if found.share.as_ref().is_some_and(|share| share.usage.is_none()) {
                settle_used_up(time);
            }
        }
        self.state = right;
        Ok(())
    }

    /// The state that was found, with the parts that the kernel leaves open as they are expected.
    fn as_expected(&self, found: &System, expected: &System, preserved: &[usize]) -> System {
        let mut found = found.clone();
        found.schedule.turn = expected.schedule.turn;
        for (thread, old) in found.threads.iter_mut().zip(&self.state.threads) {
            if thread.works.is_some() && old.works.is_none() {
                for position in preserved {
                    thread.registers.values[*position] = old.registers.values[*position];
                }
            }
        }
        found
    }
}

/// The turn that ends at this time. The kernel shows only the domain, which may have several turns.
fn turn_until(before: &Schedule, end: u64) -> usize {
    let Schedule { turns, mut turn, end: mut reached, .. } = before.clone();
    while reached < end && !turns.is_empty() {
        turn = (turn + 1) % turns.len();
        reached += turns[turn].1;
    }
    turn
}

/// The state after what was used of shares is charged to their lists, where a whole refill was used up: until the timer
/// fires, the kernel has done that or not.
fn settled(state: &System) -> System {
    let mut state = state.clone();
    state.times.iter_mut().for_each(settle_used_up);
    state
}

/// Charges what was used of a share to its list if that is a whole refill.
fn settle_used_up(time: &mut Time) {
    if let Some(share) = time.share.as_mut().filter(|share| share.is_used_up()) {
        share.settle(time.period);
    }
}
