//! Counts what the kernel executes on the processor of a program between two of its stores to a *mark*, a word in memory.
//!
//! A program that maps a region at [`MARKS`] stores to word k before and after an operation, and prints a row `marks=k` for each
//! part of the run. The operations of a mark belong to its rows in turn, the same number to each. Rows of one name must have
//! the same median in all parts of the run. In each, some samples may differ from the median; how many may vary by an eighth
//! of the samples. Operations of a row `marks=k,timed` wait for the timer, and its medians may differ by one percent.
//!
//! Firmware and programs are left out. So are other processors, whose work the counter of programs includes in an emulator.

use std::collections::BTreeMap;

use limen_report::Row;

use crate::{Account, Block, Event, KERNEL, Listener};

/// The parameter of rows that are counted so.
const PARAMETER: &str = "marks";

/// Suffix of the mark of a row whose operations include timer interrupts.
const TIMED: &str = ",timed";

/// The part of a median, as a divisor, by which those of such rows may differ: what the timer interrupts, and which events come
/// together, differs by some instructions.
const TIMED_PARTS: u64 = 100;

/// The part of a row's samples, as a divisor, that may be unusual in one row and not in the other: the timer interrupts them, at
/// an instant that depends on how the emulator divides its time among processors.
const MOST_UNUSUAL: usize = 8;

/// Place of the program's marks. No other program of the system maps anything there.
const MARKS: u64 = 0x500_0000;
const MARKS_BYTES: u64 = 0x1000;
const MARK_BYTES: u64 = 8;

/// The mark of a row, if it is counted so.
fn mark(row: &Row) -> Option<u64> {
    let value = row.param(PARAMETER)?;
    value.strip_suffix(TIMED).unwrap_or(value).parse().ok()
}

/// Whether timer interrupts belong to the operations of a row.
fn is_timed(row: &Row) -> bool {
    row.param(PARAMETER).is_some_and(|value| value.ends_with(TIMED))
}

/// Counts of a run.
#[derive(Debug, Default)]
pub struct Marks {
    /// Instructions of the kernel so far, by processor.
    counts: BTreeMap<usize, u64>,
    now: usize,
    /// The count at the first of two stores, by mark.
    open: BTreeMap<u64, u64>,
    done: BTreeMap<u64, Vec<u64>>,
}

impl Listener for Marks {
    fn take(&mut self, blocks: &[Block], event: Event, account: Account) {
        match event {
            Event::Processor(number) => self.now = number,
            Event::Run { block, first, count } => {
                let code = blocks.get(block).and_then(|block| block.code.get(first..first + count));
                let kernel = code.unwrap_or_default().iter().filter(|step| step.address >= KERNEL);
                *self.counts.entry(self.now).or_default() += kernel.count() as u64;
            }
            Event::Access { address, is_store: true } if matches!(account, Account::Program(_)) => {
                let offset = address.checked_sub(MARKS).filter(|offset| *offset < MARKS_BYTES);
                offset.into_iter().for_each(|offset| self.store(offset / MARK_BYTES));
            }
            Event::Access { .. } => {}
        }
    }
}

impl Marks {
    /// Whether a row is counted so.
    #[must_use]
    pub fn counts(row: &Row) -> bool {
        mark(row).is_some()
    }

    fn store(&mut self, mark: u64) {
        let count = self.counts.get(&self.now).copied().unwrap_or(0);
        match self.open.remove(&mark) {
            None => drop(self.open.insert(mark, count)),
            Some(before) => self.done.entry(mark).or_default().push(count.saturating_sub(before)),
        }
    }

    /// The samples of each row with a mark.
    fn samples<'a>(&'a self, rows: &'a [Row]) -> Result<Vec<(&'a Row, &'a [u64])>, String> {
        let with_mark = |row: &'a Row| Some((row, mark(row)?));
        let marked: Vec<_> = rows.iter().filter_map(with_mark).collect();
        let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
        let samples = |(row, mark): &(&'a Row, u64)| {
            let values = self.done.get(mark).map_or(&[][..], Vec::as_slice);
            let parts = marked.iter().filter(|(_, other)| other == mark).count();
            if values.is_empty() || !values.len().is_multiple_of(parts) {
                return Err(format!("{} operations at mark {mark}, but {parts} rows", values.len()));
            }
            let part = seen.entry(*mark).or_default();
            let each = values.len() / parts;
            let own = values.get(*part * each..(*part + 1) * each).unwrap_or_default();
            *part += 1;
            Ok((*row, own))
        };
        marked.iter().map(samples).collect()
    }

    /// The rows with what was counted. The others stay as they are.
    ///
    /// # Errors
    /// When the operations are not those of the rows, or samples of the same name differ.
    pub fn rows(&self, rows: &[Row]) -> Result<Vec<Row>, String> {
        let samples = self.samples(rows)?;
        for (index, (row, values)) in samples.iter().enumerate() {
            let earlier = samples.iter().take(index).find(|(other, _)| other.name == row.name);
            let Some((other, expected)) = earlier else { continue };
            let medians = [*values, *expected].map(median);
            let unusual = [*values, *expected].map(unusual);
            let apart = medians[0].abs_diff(medians[1]);
            let are_alike = match is_timed(row) {
                true => apart * TIMED_PARTS <= medians[1],
                false => apart == 0 && unusual[0].abs_diff(unusual[1]) <= values.len() / MOST_UNUSUAL,
            };
            if !are_alike {
                let says = |row: &Row, median: u64, unusual: usize| {
                    format!("{median} in '{}', with {unusual} of {} others", title(row), values.len())
                };
                let [one, two] = [says(row, medians[0], unusual[0]), says(other, medians[1], unusual[1])];
                return Err(format!("the kernel executes {one}, but {two}"));
            }
        }
        let counted = |row: &Row| match samples.iter().find(|(marked, _)| std::ptr::eq(*marked, row)) {
            Some((_, values)) => Row::of_samples(&row.name, unmarked(row), values.to_vec()),
            None => row.clone(),
        };
        Ok(rows.iter().map(counted).collect())
    }
}

/// The median, as rows have it.
fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

/// How many samples are not the median.
fn unusual(values: &[u64]) -> usize {
    let median = median(values);
    values.iter().filter(|value| **value != median).count()
}

/// The parameters of a row without its mark.
fn unmarked(row: &Row) -> Vec<(String, String)> {
    row.params.iter().filter(|(name, _)| name != PARAMETER).cloned().collect()
}

fn title(row: &Row) -> String {
    Row::single(&row.name, unmarked(row), 0).title()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_block;

    /// An event: another processor executes, the kernel or a program executes this many instructions, a program or the kernel
    /// stores.
    #[derive(Clone, Copy)]
    enum Step {
        On(usize),
        Kernel(usize),
        Program(usize),
        Store(u64),
        KernelStore(u64),
    }
    use Step::{Kernel, KernelStore, On, Program, Store};

    fn run(steps: &[Step]) -> Marks {
        let blocks = [0x20_0000, KERNEL].map(|address| test_block(address, &[[0; 4]; 200]));
        let run = |block, count| Event::Run { block, first: 0, count };
        let store = |mark| Event::Access { address: MARKS + mark * MARK_BYTES, is_store: true };
        let mut marks = Marks::default();
        for step in steps {
            let (event, account) = match *step {
                On(number) => (Event::Processor(number), Account::Idle),
                Kernel(count) => (run(1, count), Account::Kernel(0)),
                Program(count) => (run(0, count), Account::Program(0)),
                Store(mark) => (store(mark), Account::Program(0)),
                KernelStore(mark) => (store(mark), Account::Kernel(0)),
            };
            marks.take(&blocks, event, account);
        }
        marks
    }

    fn row(name: &str, other: &str, mark: &str) -> Row {
        let params = [("other", other), ("marks", mark)];
        Row::single(name, params.map(|(key, value)| (key.to_owned(), value.to_owned())).into(), 0)
    }

    #[test]
    fn the_kernel_of_the_own_processor_is_counted_between_two_stores() {
        let operation =
            [Store(3), Program(2), Kernel(4), On(1), Kernel(9), On(0), KernelStore(3), Kernel(1), Store(3)];
        let marks = run(&[&[Kernel(7)][..], &operation, &[Kernel(2)], &operation].concat());
        let rows = marks.rows(&[row("x", "idle", "3"), Row::single("y", vec![], 1)]).unwrap();
        let (title, median) = (rows[0].title(), rows[0].median);
        assert_eq!((title.as_str(), rows[0].n, median, rows[1].median), ("x other=idle", 2, 5, 1));
    }

    #[test]
    fn a_sample_that_differs_between_rows_of_a_name_is_an_error() {
        let rows = [row("x", "idle", "0"), row("x", "busy", "0")];
        let of = |counts: [[usize; 8]; 2]| {
            let operation = |count: &usize| [Store(0), Kernel(*count), Store(0)];
            run(&counts.as_flattened().iter().flat_map(operation).collect::<Vec<_>>()).rows(&rows)
        };
        let usual = [2; 8];
        assert!(of([usual, usual]).is_ok());
        assert!(of([usual, [9, 2, 2, 2, 2, 2, 2, 2]]).is_ok());
        let timed = [row("x", "idle", "0,timed"), row("x", "busy", "0,timed")];
        let operation = |count| [Store(0), Kernel(count), Store(0)];
        let of_timed = |counts: [usize; 6]| {
            let steps: Vec<_> = counts.into_iter().flat_map(operation).collect();
            run(&steps).rows(&timed)
        };
        assert!(of_timed([100, 100, 100, 99, 101, 200]).is_ok());
        assert!(of_timed([100, 100, 100, 102, 102, 102]).is_err());
        for (other, says) in [
            ([9, 2, 2, 2, 2, 2, 2, 9], "2 in 'x other=busy', with 2"),
            ([3; 8], "3 in 'x other=busy', with 0"),
        ] {
            let error = of([usual, other]).unwrap_err();
            let expected = format!(
                "the kernel executes {says} of 8 others, but 2 in 'x other=idle', with 0 of 8 others"
            );
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn operations_that_do_not_fit_the_rows_are_an_error() {
        let marks = run(&[Store(0), Kernel(1), Store(0)]);
        assert!(marks.rows(&[row("x", "idle", "0"), row("x", "busy", "0")]).is_err());
        assert!(marks.rows(&[row("x", "idle", "1")]).is_err());
    }
}
