//! The reference count of a key, explored: every interleaving of every short program on two and three cores.
//!
//! A core loads the count, decides, and exchanges it, in the same steps as the crate; other cores may run between
//! steps. The requirements are:
//!
//! - a core that sees the count on executes patched code, and no core waits forever;
//! - the results of the operations and the final count are those of some sequential order of the operations that agrees
//!   with the order on each core.
//!
//! The same search finds the defects of three versions of the Linux implementation of 2024, so it would find them here.

#![expect(clippy::expect_used, clippy::panic, reason = "a test may fail")]

mod cores;
mod logic;
mod regressions;
mod search;

use limen_keys::count::{Count, Operation};
use search::explore;

const OPERATIONS: [Operation; 4] = [Operation::Inc, Operation::Dec, Operation::Enable, Operation::Disable];

/// All non-empty programs of up to `longest` operations.
fn programs(longest: usize) -> Vec<Vec<Operation>> {
    let mut all: Vec<Vec<Operation>> = vec![Vec::new()];
    let mut begun = 0;
    for _ in 0..longest {
        let next: Vec<_> = all[begun..]
            .iter()
            .flat_map(|program| OPERATIONS.map(|operation| [program.as_slice(), &[operation]].concat()))
            .collect();
        begun = all.len();
        all.extend(next);
    }
    all.split_off(1)
}

fn explore_all(cores: usize, longest: usize) {
    let programs = programs(longest);
    let mut chosen = vec![0; cores];
    loop {
        // The order of cores does not matter.
        if chosen.is_sorted() {
            let system: Vec<_> = chosen.iter().map(|index: &usize| programs[*index].clone()).collect();
            for start in [Count::Off, Count::On(1), Count::On(2)] {
                if let Err(found) = explore(logic::CRATE, start, &system) {
                    panic!("{system:?} from {start:?}: {found}");
                }
            }
        }
        let Some(core) = chosen.iter().position(|index| index + 1 < programs.len()) else { return };
        chosen[core] += 1;
        chosen[..core].fill(0);
    }
}

#[test]
fn two_cores_with_three_operations_each() {
    explore_all(2, 3);
}

#[test]
fn three_cores_with_two_operations_each() {
    explore_all(3, 2);
}
