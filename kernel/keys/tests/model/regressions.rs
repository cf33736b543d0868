//! The Linux implementation of 2024, in three versions: the search finds each defect, and the schedule that exposes it
//! succeeds with this crate's logic.
//!
//! Source: the reports and commit messages of "Fix concurrency issues in static_key_slow_dec()" (83ab38ef0a0b) and "Fix
//! static_key_slow_dec() yet again" (de752774f38b, 1d7f856c2ca4).

use limen_keys::count::{Count, CountError, Operation};

use crate::cores::{Outcome, System};
use crate::logic::{CRATE, DECREMENTS_A_MARK, DECREMENTS_ZERO, EXCHANGES_ONE_FIRST, Logic};
use crate::search::explore;

const INC: Operation = Operation::Inc;
const DEC: Operation = Operation::Dec;

/// Steps cores in this order, then each to its end. Skips a core that must wait.
fn replay(logic: Logic, start: Count, programs: &[Vec<Operation>], schedule: &[usize]) -> Outcome {
    let mut system = System::new(start, programs.len());
    let mut step = |index: usize| match system.step(logic, index, &programs[index]) {
        Some(next) => {
            system = next;
            true
        }
        None => false,
    };
    schedule.iter().for_each(|index| assert!(step(*index), "core {index} can step"));
    for _ in 0..programs.len() {
        (0..programs.len()).for_each(|index| while step(index) {});
    }
    assert!((0..programs.len()).all(|index| !system.waits(index)));
    system.outcome(programs).expect("an end")
}

#[test]
fn a_decrement_during_the_first_increment_is_refused() {
    let programs = [vec![INC], vec![DEC]];
    // Core 0 marks the key, core 1 decrements.
    let schedule = [0, 0, 0, 0, 1];
    assert!(explore(DECREMENTS_A_MARK, Count::Off, &programs).unwrap_err().contains("no order"));
    assert!(explore(CRATE, Count::Off, &programs).is_ok());
    let outcome = replay(CRATE, Count::Off, &programs, &schedule);
    let refused = vec![Err(CountError::Underflow)];
    assert_eq!(outcome, Outcome { count: Count::On(1), results: vec![vec![Ok(())], refused] });
}

#[test]
fn a_decrement_that_lost_its_exchange_is_not_lost() {
    let programs = [vec![DEC], vec![INC, DEC]];
    // Core 0 sees 1 and takes the lock; core 1 makes it 2 before core 0 loads it again, and 1 afterwards.
    let schedule = [0, 1, 1, 0, 0, 1, 1];
    assert!(explore(EXCHANGES_ONE_FIRST, Count::On(1), &programs).unwrap_err().contains("no order"));
    assert!(explore(CRATE, Count::On(1), &programs).is_ok());
    let told = replay(EXCHANGES_ONE_FIRST, Count::On(1), &programs, &schedule);
    assert_eq!(told.results[0], [Err(CountError::Underflow)]);
    let outcome = replay(CRATE, Count::On(1), &programs, &schedule);
    assert_eq!(outcome, Outcome { count: Count::Off, results: vec![vec![Ok(())], vec![Ok(()), Ok(())]] });
}

#[test]
fn a_decrement_of_zero_leaves_no_mark() {
    let programs = [vec![DEC, INC], vec![INC]];
    assert!(explore(DECREMENTS_ZERO, Count::Off, &programs).unwrap_err().contains("no core patches it"));
    assert!(explore(CRATE, Count::Off, &programs).is_ok());
    let outcome = replay(CRATE, Count::Off, &programs, &[0]);
    let results = vec![vec![Err(CountError::Underflow), Ok(())], vec![Ok(())]];
    assert_eq!(outcome, Outcome { count: Count::On(2), results });
}
