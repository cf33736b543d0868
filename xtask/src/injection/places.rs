//! Which instructions of the kernel an interrupt is to come at, out of those that it has executed.

use std::collections::{BTreeMap, BTreeSet};

use crate::failure::{Failure, Outcome};
use crate::trace;

/// How often an instruction is executed in a round at least that counts as one of a loop.
const LOOP: usize = 8;
/// Of loops, and of what another policy has executed, too, every so manieth instruction.
const STEP: usize = 16;

/// The instructions that are executed again and again.
pub(super) struct Repeated(BTreeSet<u64>);

impl Repeated {
    pub(super) fn of(executed: &[u64]) -> Self {
        let mut counts = BTreeMap::<u64, usize>::new();
        for address in executed {
            *counts.entry(*address).or_default() += 1;
        }
        Self(counts.into_iter().filter(|(_, count)| *count >= LOOP).map(|(address, _)| address).collect())
    }

    /// The one that is executed when half of this is done: in the middle of a digest.
    pub(super) fn middle(&self, executed: &[u64]) -> Outcome<u64> {
        let loops: Vec<_> = executed.iter().filter(|address| self.0.contains(address)).collect();
        let middle = loops.get(loops.len() / 2).map(|address| **address);
        middle.ok_or_else(|| Failure::new("no digest was made"))
    }
}

/// Each of these once, but of loops only some.
fn chosen(executed: &[u64]) -> Vec<u64> {
    let repeated = Repeated::of(executed);
    sampled(executed, |address| repeated.0.contains(&address))
}

/// Each address once, but of those for which `is_alike` says so only some.
fn sampled(executed: &[u64], is_alike: impl Fn(u64) -> bool) -> Vec<u64> {
    let (mut seen, mut alike) = (BTreeSet::new(), 0);
    let mut is_chosen = |address: u64| {
        let (is_new, is_alike) = (seen.insert(address), is_alike(address));
        alike += usize::from(is_new && is_alike);
        is_new && (!is_alike || alike % STEP == 1)
    };
    executed.iter().copied().filter(|address| is_chosen(*address)).collect()
}

/// Of each round all that was not in those before it, and some of what was.
pub(super) fn new_in_each(rounds: &[impl AsRef<[u64]>]) -> Vec<Vec<u64>> {
    let mut known = BTreeSet::<u64>::new();
    let places = rounds.iter().map(AsRef::as_ref).map(|round| {
        let places = sampled(&chosen(round), |address| known.contains(&address));
        known.extend(round);
        places
    });
    places.collect()
}

/// What was executed right before this instruction when something came in between.
pub(super) fn inserted_before<'a>(
    place: u64,
    undisturbed: &[u64],
    disturbed: &'a [u64],
) -> Outcome<&'a [u64]> {
    let usual: BTreeSet<_> = undisturbed.windows(2).map(|pair| (pair[0], pair[1])).collect();
    // The emulator writes down some instructions that it then interrupts, and again when it executes them.
    let is_near = |address| address == place || usual.contains(&(address, place));
    let is_break = |pair: &[u64]| is_near(pair[0]) && !usual.contains(&(pair[0], pair[1]));
    let inserted = disturbed.windows(2).position(is_break).and_then(|before| {
        let rest = &disturbed[before + 1..];
        Some(&rest[..rest.iter().position(|address| *address == place)?])
    });
    inserted.ok_or_else(|| Failure::new("no interrupt came in the middle of a digest"))
}

/// What of the kernel was executed in each complete round.
pub(super) fn in_rounds(executed: &[u64], begins: u64, ends: u64) -> Vec<Vec<u64>> {
    let (mut round, mut rounds) = (None, Vec::new());
    for &address in executed {
        if address == begins {
            round = Some(Vec::new());
        } else if address == ends {
            rounds.extend(round.take());
        } else if let Some(round) = round.as_mut().filter(|_| address >= trace::KERNEL) {
            round.push(address);
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: u64 = trace::KERNEL;

    #[test]
    fn a_round_is_between_its_beginning_and_its_end() {
        let executed = [K, 1, K + 1, 9, 2, K + 2, 1, 1, K + 3, 2, 1, K + 4];
        assert_eq!(in_rounds(&executed, 1, 2), [vec![K + 1], vec![K + 3]]);
    }

    #[test]
    fn what_an_interrupt_inserts_is_found() {
        let undisturbed = [K, K + 1, K + 2, K + 3, K + 2];
        let disturbed = [K, K + 1, K + 8, K + 9, K + 2, K + 3, K + 2];
        assert_eq!(inserted_before(K + 2, &undisturbed, &disturbed).unwrap(), [K + 8, K + 9]);
        let written_twice = [K, K + 1, K + 2, K + 8, K + 9, K + 2, K + 3, K + 2];
        assert_eq!(inserted_before(K + 2, &undisturbed, &written_twice).unwrap(), [K + 8, K + 9]);
        assert!(inserted_before(K + 2, &undisturbed, &undisturbed).is_err());
    }

    #[test]
    fn instructions_that_are_alike_are_sampled() {
        let executed: Vec<_> = (0..64).chain(100..104).chain(0..2).collect();
        assert_eq!(sampled(&executed, |address| address < 64), [0, 16, 32, 48, 100, 101, 102, 103]);
        let looping: Vec<_> = [[7, 8]; LOOP].concat().into_iter().chain([9]).collect();
        assert_eq!(chosen(&looping), [7, 9]);
        assert_eq!(Repeated::of(&looping).middle(&looping).unwrap(), 7);
        assert!(Repeated::of(&[9]).middle(&[9]).is_err());
    }

    #[test]
    fn another_policy_adds_what_is_new_with_it() {
        assert_eq!(
            new_in_each(&[vec![1, 2, 3], vec![1, 2, 4], vec![5]]),
            [vec![1, 2, 3], vec![1, 4], vec![5]]
        );
    }
}
