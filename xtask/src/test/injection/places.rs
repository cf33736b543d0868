//! Selects the kernel's instructions for interrupts from those that it has executed.

use std::collections::{BTreeMap, BTreeSet};

use crate::bench::trace;
use crate::failure::{Failure, Outcome};

/// The executions per round from which on an instruction counts as part of a loop.
const LOOP: usize = 8;
/// Takes every n-th instruction of loops, and of those that another policy has executed as well.
const STEP: usize = 16;

/// The instructions in loops.
pub(super) struct Repeated(BTreeSet<u64>);

impl Repeated {
    pub(super) fn of(executed: &[u64]) -> Self {
        let mut counts = BTreeMap::<u64, usize>::new();
        for address in executed {
            *counts.entry(*address).or_default() += 1;
        }
        Self(counts.into_iter().filter(|(_, count)| *count >= LOOP).map(|(address, _)| address).collect())
    }

    /// The one at half of their executions: in the middle of a digest.
    pub(super) fn middle(&self, executed: &[u64]) -> Outcome<u64> {
        let loops: Vec<_> = executed.iter().filter(|address| self.0.contains(address)).collect();
        let middle = loops.get(loops.len() / 2).map(|address| **address);
        middle.ok_or_else(|| Failure::new("no digest was computed"))
    }
}

/// Each instruction once, and a sample of those in loops.
fn chosen(executed: &[u64]) -> Vec<u64> {
    let repeated = Repeated::of(executed);
    sampled(executed, |address| repeated.0.contains(&address))
}

/// Each address once, and a sample of those for which `is_alike` is true.
fn sampled(executed: &[u64], is_alike: impl Fn(u64) -> bool) -> Vec<u64> {
    let (mut seen, mut alike) = (BTreeSet::new(), 0);
    let mut is_chosen = |address: u64| {
        let (is_new, is_alike) = (seen.insert(address), is_alike(address));
        alike += usize::from(is_new && is_alike);
        is_new && (!is_alike || alike % STEP == 1)
    };
    executed.iter().copied().filter(|address| is_chosen(*address)).collect()
}

/// For each round, all instructions that were not in earlier ones, and a sample of the others.
pub(super) fn new_in_each(rounds: &[impl AsRef<[u64]>]) -> Vec<Vec<u64>> {
    let mut known = BTreeSet::<u64>::new();
    let places = rounds.iter().map(AsRef::as_ref).map(|round| {
        let places = sampled(&chosen(round), |address| known.contains(&address));
        known.extend(round);
        places
    });
    places.collect()
}

/// The instructions executed right before this one, if an interrupt occurred there.
pub(super) fn inserted_before<'a>(
    place: u64,
    undisturbed: &[u64],
    disturbed: &'a [u64],
) -> Outcome<&'a [u64]> {
    let usual: BTreeSet<_> = undisturbed.windows(2).map(|pair| (pair[0], pair[1])).collect();
    // The emulator logs some instructions that it then interrupts, and logs them again when it executes them.
    let is_near = |address| address == place || usual.contains(&(address, place));
    let is_break = |pair: &[u64]| is_near(pair[0]) && !usual.contains(&(pair[0], pair[1]));
    let inserted = disturbed.windows(2).position(is_break).and_then(|before| {
        let rest = &disturbed[before + 1..];
        Some(&rest[..rest.iter().position(|address| *address == place)?])
    });
    inserted.ok_or_else(|| Failure::new("no interrupt occurred in the middle of a digest"))
}

/// The kernel's instructions in each complete round.
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
    fn a_round_lies_between_its_markers() {
        let executed = [K, 1, K + 1, 9, 2, K + 2, 1, 1, K + 3, 2, 1, K + 4];
        assert_eq!(in_rounds(&executed, 1, 2), [vec![K + 1], vec![K + 3]]);
    }

    #[test]
    fn instructions_of_an_interrupt_are_found() {
        let undisturbed = [K, K + 1, K + 2, K + 3, K + 2];
        let disturbed = [K, K + 1, K + 8, K + 9, K + 2, K + 3, K + 2];
        assert_eq!(inserted_before(K + 2, &undisturbed, &disturbed).unwrap(), [K + 8, K + 9]);
        let written_twice = [K, K + 1, K + 2, K + 8, K + 9, K + 2, K + 3, K + 2];
        assert_eq!(inserted_before(K + 2, &undisturbed, &written_twice).unwrap(), [K + 8, K + 9]);
        assert!(inserted_before(K + 2, &undisturbed, &undisturbed).is_err());
    }

    #[test]
    fn instructions_in_loops_are_sampled() {
        let executed: Vec<_> = (0..64).chain(100..104).chain(0..2).collect();
        assert_eq!(sampled(&executed, |address| address < 64), [0, 16, 32, 48, 100, 101, 102, 103]);
        let looping: Vec<_> = [[7, 8]; LOOP].concat().into_iter().chain([9]).collect();
        assert_eq!(chosen(&looping), [7, 9]);
        assert_eq!(Repeated::of(&looping).middle(&looping).unwrap(), 7);
        assert!(Repeated::of(&[9]).middle(&[9]).is_err());
    }

    #[test]
    fn another_policy_adds_its_new_instructions() {
        assert_eq!(
            new_in_each(&[vec![1, 2, 3], vec![1, 2, 4], vec![5]]),
            [vec![1, 2, 3], vec![1, 4], vec![5]]
        );
    }
}
