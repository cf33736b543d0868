//! Tasks that run at the same time, as many as the machine has processors.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::failure::Outcome;

/// The largest number of tasks at a time: each may be an emulator with more than one busy thread.
const MOST: usize = 8;

/// Does `work` for each task; returns the results in the order of the tasks.
pub fn map<T: Send, R: Send>(tasks: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let at_once = thread::available_parallelism().map_or(1, |count| count.get().min(MOST));
    map_with(at_once, tasks, work)
}

/// As [`map`], but no task begins after one has failed.
///
/// # Errors
/// The failure of the first task in the list that has failed.
pub fn try_map<T: Send, R: Send>(tasks: Vec<T>, work: impl Fn(T) -> Outcome<R> + Sync) -> Outcome<Vec<R>> {
    let has_failed = AtomicBool::new(false);
    let unless_failed = |task| {
        let result = (!has_failed.load(Ordering::Relaxed)).then(|| work(task))?;
        has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
        Some(result)
    };
    map(tasks, unless_failed).into_iter().flatten().collect()
}

fn map_with<T: Send, R: Send>(at_once: usize, tasks: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let queue = Mutex::new(tasks.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let results = Mutex::new(Vec::new());
    let work_through = || {
        while let Some((place, task)) = next() {
            let result = work(task);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((place, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(work_through);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::failure::Failure;

    #[test]
    fn results_have_the_order_of_the_tasks() {
        let squares = map_with(4, (0..100_u64).collect(), |number| {
            thread::sleep(Duration::from_micros(number % 7));
            number * number
        });
        assert_eq!(squares, (0..100).map(|number| number * number).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_is_the_result() {
        let fail = |number| if number % 2 == 1 { Err(Failure::new(format!("{number}"))) } else { Ok(number) };
        assert_eq!(try_map(vec![0, 2, 4], fail).unwrap(), [0, 2, 4]);
        assert_eq!(try_map(vec![0, 1, 2], fail).unwrap_err().to_string(), "1");
    }
}
