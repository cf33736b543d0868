//! Selects the kernel's instructions for interrupts from those that it has executed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

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

/// The instructions of a round that at least half of the others execute as well.
pub(super) fn executed_in_most(round: &[u64], others: &[Vec<u64>]) -> Vec<u64> {
    let others: Vec<BTreeSet<_>> = others.iter().map(|other| other.iter().collect()).collect();
    let rounds = |address: &u64| others.iter().filter(|other| other.contains(address)).count();
    round.iter().copied().filter(|address| 2 * rounds(address) >= others.len()).collect()
}

/// Each instruction once, and a sample of those in loops and routines.
fn chosen(executed: &[u64], routines: &[Range<u64>]) -> Vec<u64> {
    let repeated = Repeated::of(executed);
    let is_in_routine = |address| routines.iter().any(|routine| routine.contains(&address));
    sampled(executed, |address| repeated.0.contains(&address) || is_in_routine(address))
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

/// Takes every n-th place, and all in routines, of which only a sample is left.
pub(super) fn every_nth(step: usize, places: &[u64], routines: &[Range<u64>]) -> Vec<u64> {
    let is_in_routine = |place: &u64| routines.iter().any(|routine| routine.contains(place));
    let places = places.iter().copied().enumerate();
    places.filter(|(at, place)| at % step == 0 || is_in_routine(place)).map(|(_, place)| place).collect()
}

/// For each round, all instructions that were not in earlier ones, and a sample of the others and of those in routines.
pub(super) fn new_in_each(rounds: &[impl AsRef<[u64]>], routines: &[Range<u64>]) -> Vec<Vec<u64>> {
    let mut known = BTreeSet::<u64>::new();
    let places = rounds.iter().map(AsRef::as_ref).map(|round| {
        let places = sampled(&chosen(round, routines), |address| known.contains(&address));
        known.extend(round);
        places
    });
    places.collect()
}

/// The instructions of the interrupt that was raised at this place, in the first of these rounds that has one. It occurs at the
/// place, or where interrupts are on again. Leaves out what most of the other rounds with one do not execute, such as the end of
/// a slice at that moment, which could hardly be met again.
pub(super) fn inserted_after(place: u64, undisturbed: &[u64], disturbed: &[Vec<u64>]) -> Outcome<Vec<u64>> {
    let usual: BTreeSet<_> = undisturbed.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let inserted = disturbed.iter().filter_map(|round| inserted(place, &usual, round));
    let inserted: Vec<_> = inserted.filter(|round| !round.is_empty()).collect();
    let is_usual =
        |address: &u64| 2 * inserted.iter().filter(|round| round.contains(address)).count() > inserted.len();
    let first =
        inserted.first().ok_or_else(|| Failure::new("no interrupt occurred in the middle of a digest"))?;
    Ok(first.iter().copied().filter(is_usual).collect())
}

fn inserted<'a>(place: u64, usual: &BTreeSet<(u64, u64)>, round: &'a [u64]) -> Option<&'a [u64]> {
    // The emulator logs some instructions that it then interrupts, and logs them again when it executes them. Others it only
    // logs then, such as the place itself: the interrupt may follow the instruction before it.
    let first = round.iter().position(|address| *address == place || usual.contains(&(*address, place)))?;
    let rest = &round[first..];
    let before = rest.windows(2).position(|pair| !usual.contains(&(pair[0], pair[1])))?;
    let interrupted = rest[before];
    let resumes = |address| address == interrupted || usual.contains(&(interrupted, address));
    let rest = &rest[before + 1..];
    Some(&rest[..rest.iter().position(|address| resumes(*address))?])
}

/// The kernel's instructions in each complete round.
pub(super) fn in_rounds(executed: &[u64], begins: u64, ends: u64) -> Vec<Vec<u64>> {
    let (mut round, mut rounds) = (None, Vec::new());
    for &address in executed {
        if address == begins {
            round = Some(Vec::new());
        } else if address == ends {
            rounds.extend(round.take());
        } else if let Some(round) = round.as_mut().filter(|_| address >= limen_executed::KERNEL) {
            round.push(address);
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: u64 = limen_executed::KERNEL;

    #[test]
    fn a_round_lies_between_its_markers() {
        let executed = [K, 1, K + 1, 9, 2, K + 2, 1, 1, K + 3, 2, 1, K + 4];
        assert_eq!(in_rounds(&executed, 1, 2), [vec![K + 1], vec![K + 3]]);
    }

    #[test]
    fn instructions_of_an_interrupt_are_found() {
        let undisturbed = [K, K + 1, K + 2, K + 3, K + 2];
        let found = |round: &[u64]| inserted_after(K + 2, &undisturbed, &[round.to_vec()]).ok();
        assert_eq!(found(&[K, K + 1, K + 8, K + 9, K + 2, K + 3, K + 2]), Some(vec![K + 8, K + 9]));
        let written_twice = [K, K + 1, K + 2, K + 8, K + 9, K + 2, K + 3, K + 2];
        assert_eq!(found(&written_twice), Some(vec![K + 8, K + 9]));
        let masked_at_the_place = [K, K + 1, K + 2, K + 3, K + 8, K + 9, K + 2];
        assert_eq!(found(&masked_at_the_place), Some(vec![K + 8, K + 9]));
        let before_the_place = [K, K + 8, K + 1, K + 2, K + 3, K + 2];
        assert_eq!(found(&before_the_place), None);
        assert_eq!(found(&undisturbed), None);
    }

    #[test]
    fn what_few_interrupts_execute_is_left_out() {
        let undisturbed = [K, K + 1, K + 2, K + 3, K + 2];
        let usual = vec![K, K + 1, K + 2, K + 8, K + 9, K + 2, K + 3, K + 2];
        let with_end_of_slice = vec![K, K + 1, K + 2, K + 8, K + 20, K + 9, K + 2, K + 3, K + 2];
        let found = inserted_after(K + 2, &undisturbed, &[with_end_of_slice, usual.clone(), usual]);
        assert_eq!(found.unwrap(), [K + 8, K + 9]);
    }

    #[test]
    fn instructions_in_loops_are_sampled() {
        let executed: Vec<_> = (0..64).chain(100..104).chain(0..2).collect();
        assert_eq!(sampled(&executed, |address| address < 64), [0, 16, 32, 48, 100, 101, 102, 103]);
        let looping: Vec<_> = [[7, 8]; LOOP].concat().into_iter().chain([9]).collect();
        assert_eq!(chosen(&looping, &[]), [7, 9]);
        assert_eq!(chosen(&executed, &[0..64, 100..104]), [0, 16, 32, 48, 100]);
        assert_eq!(Repeated::of(&looping).middle(&looping).unwrap(), 7);
        assert!(Repeated::of(&[9]).middle(&[9]).is_err());
        let other_digest = [looping.clone(), vec![5; 4 * LOOP]].concat();
        assert_eq!(Repeated::of(&other_digest).middle(&other_digest).unwrap(), 5);
        assert_eq!(
            executed_in_most(&other_digest, &[looping.clone(), looping.clone(), other_digest.clone()]),
            looping
        );
    }

    #[test]
    fn a_part_of_the_places_has_all_in_routines() {
        let places: Vec<_> = (0..10).collect();
        assert_eq!(every_nth(1, &places, &[]), places);
        assert_eq!(every_nth(4, &places, &[5..7, 8..9]), [0, 4, 5, 6, 8]);
    }

    #[test]
    fn another_policy_adds_its_new_instructions() {
        assert_eq!(
            new_in_each(&[vec![1, 2, 3], vec![1, 2, 4], vec![5]], &[]),
            [vec![1, 2, 3], vec![1, 4], vec![5]]
        );
    }
}
