//! Counts the cache lines and pages of the kernel that one operation of a row touches. The cost of a crossing depends on
//! them when caches are cold.
//!
//! An operation is what executes between two consecutive reads of the counter by programs, where samples begin and end. The
//! emulator's plugin streams every instruction and every access to memory of the measured run. A row is matched with the
//! operations that have as many instructions as its median.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use limen_report::{Cold, Row};

use crate::{Account, Block, Event, KERNEL, Listener, UNCOUNTED};

const LINE_BYTES: u64 = 64;
const PAGE_LINES: u64 = 4096 / LINE_BYTES;

/// The lines of the kernel that an operation touches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// The first executed address of each line and each block, in the order of execution.
    code: Vec<u64>,
    read: BTreeSet<u64>,
    written: BTreeSet<u64>,
}

impl Footprint {
    /// The first executed address of each line and each block, in the order of execution.
    pub fn code(&self) -> &[u64] {
        &self.code
    }

    /// The lines that this operation and the next one touch.
    fn and(&self, next: &Self) -> Self {
        let mut code = self.code.clone();
        code.extend(next.code.iter().filter(|address| !self.code.contains(address)));
        Self { code, read: &self.read | &next.read, written: &self.written | &next.written }
    }

    /// The number of lines and pages.
    fn cold(&self) -> Cold {
        let code = self.code.iter().map(|address| address / LINE_BYTES).collect();
        let data = &self.read | &self.written;
        let count = |lines: &BTreeSet<u64>| lines.len() as u64;
        let pages = |lines: &BTreeSet<u64>| count(&lines.iter().map(|line| line / PAGE_LINES).collect());
        Cold {
            code_lines: count(&code),
            data_lines: count(&data),
            read_lines: count(&self.read),
            written_lines: count(&self.written),
            code_pages: pages(&code),
            data_pages: pages(&data),
        }
    }
}

/// Numbers of instructions, those of programs included, and footprints, of operations of the kernel; with the position of the
/// first such operation among the kinds, and their number.
type Kinds = HashMap<(usize, Footprint), (usize, usize)>;

/// The operations of a run. Most of them are repetitions.
#[derive(Debug, Default)]
pub struct Operations {
    kinds: Kinds,
    /// Two consecutive operations each: a program on the way reads the counter, too.
    pairs: Kinds,
    /// The previous operation, if the kernel has a part in it.
    previous: Option<(usize, Footprint)>,
    /// Numbers of instructions of operations in which the kernel has no part.
    of_programs: HashSet<usize>,
    /// Whether the counter was read before: an operation has begun.
    has_begun: bool,
    instructions: usize,
    present: Footprint,
    /// Lines and blocks of the code of the present footprint.
    lines: HashSet<u64>,
    starts: HashSet<u64>,
    is_in_kernel: bool,
}

impl Listener for Operations {
    fn take(&mut self, blocks: &[Block], event: Event, _: Account) {
        match event {
            Event::Run { block, first, count } => {
                let code = blocks.get(block).and_then(|block| block.code.get(first..first + count));
                let code = code.unwrap_or_default();
                let Some((first, last)) = code.first().zip(code.last()) else { return };
                self.is_in_kernel = first.address >= KERNEL;
                if self.is_in_kernel {
                    self.instructions += code.len();
                    self.execute(first.address, last.end());
                } else {
                    for step in code {
                        self.instructions += 1;
                        if step.reads_counter {
                            self.finish();
                        }
                    }
                }
            }
            Event::Access { address, is_store } if self.is_in_kernel && self.has_begun => {
                let present = &mut self.present;
                let lines = if is_store { &mut present.written } else { &mut present.read };
                lines.insert(address / LINE_BYTES);
            }
            Event::Access { .. } | Event::Processor(_) => {}
        }
    }
}

impl Operations {
    /// Takes instructions of the kernel that follow each other. They may begin a function that shares its line with the one
    /// before it.
    fn execute(&mut self, start: u64, end: u64) {
        if !self.has_begun {
            return;
        }
        if self.starts.insert(start) {
            self.present.code.push(start);
        }
        for line in start / LINE_BYTES..end.div_ceil(LINE_BYTES) {
            let first = start.max(line * LINE_BYTES);
            if self.lines.insert(line) && first != start {
                self.present.code.push(first);
            }
        }
    }

    /// Ends an operation, and begins the next one.
    fn finish(&mut self) {
        let instructions = std::mem::take(&mut self.instructions);
        if !std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        if self.present.code.is_empty() {
            self.of_programs.insert(instructions);
            self.previous = None;
            return;
        }
        let kind = (instructions, std::mem::take(&mut self.present));
        if let Some((before, footprint)) = self.previous.replace(kind.clone()) {
            add(&mut self.pairs, (before + instructions, footprint.and(&kind.1)));
        }
        add(&mut self.kinds, kind);
        self.lines.clear();
        self.starts.clear();
    }

    /// The footprint of each row: of the kind of operation with as many instructions as the row's median that occurred most
    /// often. Of several, it is the first one that is not an earlier row's: rows that take turns are printed in that order.
    /// Without any, it is that of two consecutive operations which occurred for most samples.
    /// `None` if there is no such operation, the kernel has no part in it, or the row is a single figure.
    pub fn footprints<'a>(&'a self, rows: &[Row]) -> Vec<Option<&'a Footprint>> {
        let all = || self.kinds.keys().map(|(instructions, _)| instructions).chain(&self.of_programs);
        let overhead = all().min();
        let mut taken = BTreeSet::new();
        let mut footprint = |row: &Row| {
            let length = usize::try_from(row.median).ok()?.checked_add(*overhead?)?;
            let distance = |instructions: usize| instructions.abs_diff(length);
            let nearest = all().map(|instructions| distance(*instructions)).min()?;
            let of_length = |kinds: &'a Kinds, far: usize, least: u64| {
                let near = kinds.iter().filter(move |((instructions, _), (_, count))| {
                    distance(*instructions) == far && *count as u64 >= least
                });
                near.max_by_key(|(_, (position, count))| {
                    (*count, !taken.contains(position), Reverse(*position))
                })
            };
            let found = if row.n < 2 {
                None
            } else if nearest <= UNCOUNTED {
                of_length(&self.kinds, nearest, 1)
            } else {
                (0..=UNCOUNTED).find_map(|far| of_length(&self.pairs, far, row.n / 2 + 1))
            };
            let ((_, footprint), (position, _)) = found?;
            taken.insert(*position);
            Some(footprint)
        };
        rows.iter().map(&mut footprint).collect()
    }

    /// Adds the counts to the rows.
    pub fn count(&self, rows: &mut [Row]) {
        let counts: Vec<_> =
            self.footprints(rows).into_iter().map(|footprint| footprint.map(Footprint::cold)).collect();
        rows.iter_mut().zip(counts).for_each(|(row, cold)| row.cold = cold);
    }
}

/// Counts an operation.
fn add(kinds: &mut Kinds, kind: (usize, Footprint)) {
    let next = kinds.len();
    let (_, count) = kinds.entry(kind).or_insert((next, 0));
    *count += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_block as block;

    const READ: [u8; 4] = 0xc000_2573_u32.to_le_bytes();
    const OTHER: [u8; 4] = [0x13, 0, 0, 0];

    /// An event on the machine: a program reads the counter, executes something else, stores; or the kernel executes
    /// four instructions at one of two places, or accesses memory.
    #[derive(Clone, Copy)]
    enum Step {
        Read,
        Else,
        Store,
        Kernel(usize),
        Load(u64),
        Write(u64),
    }
    use Step::{Else, Kernel, Load, Read, Store, Write};

    fn run(steps: &[Step]) -> Operations {
        let blocks = [
            block(0x200, &[READ, OTHER]),
            block(KERNEL | 0x38, &[OTHER; 4]),
            block(KERNEL | 0x2000, &[OTHER; 4]),
        ];
        let mut operations = Operations::default();
        for step in steps {
            let event = match *step {
                Read => Event::Run { block: 0, first: 0, count: 1 },
                Else => Event::Run { block: 0, first: 1, count: 1 },
                Store => Event::Access { address: 0x5000, is_store: true },
                Kernel(place) => Event::Run { block: 1 + place, first: 0, count: 4 },
                Load(address) => Event::Access { address, is_store: false },
                Write(address) => Event::Access { address, is_store: true },
            };
            operations.take(&blocks, event, Account::Boot);
        }
        operations
    }

    fn row(n: u64, median: u64) -> Row {
        Row { n, ..Row::single("x", Vec::new(), median) }
    }

    fn counts(operations: &Operations, rows: &[Row]) -> Vec<Option<[u64; 6]>> {
        let mut rows = rows.to_vec();
        operations.count(&mut rows);
        rows.iter().map(|row| row.cold.map(|cold| cold.counts())).collect()
    }

    #[test]
    fn lines_and_pages_of_the_kernel_count_once() {
        let around =
            |inside: &[Step]| run(&[&[Read, Read, Else, Store], inside, &[Else, Store, Read]].concat());
        let accesses =
            [Load(KERNEL), Load(KERNEL + 8), Write(KERNEL + 64), Write(KERNEL + 4096), Load(KERNEL + 4096)];
        let inside = [&[Kernel(0)][..], &accesses, &[Kernel(0)]].concat();
        // Two lines of one page are executed. Three lines of two pages are accessed: two are read, two are written.
        assert_eq!(counts(&around(&inside), &[row(9, 10)]), [Some([2, 3, 2, 2, 1, 2])]);
        assert_eq!(counts(&around(&[Kernel(0), Kernel(1)]), &[row(9, 10)]), [Some([3, 0, 0, 0, 2, 0])]);
    }

    #[test]
    fn an_operation_ends_where_the_counter_is_read() {
        let operations = run(&[Read, Read, Kernel(1), Read, Kernel(0), Load(KERNEL), Read, Kernel(1)]);
        assert_eq!(counts(&operations, &[row(9, 4)]), [Some([1, 0, 0, 0, 1, 0])]);
        let mut lengths: Vec<_> = operations.kinds.keys().map(|(instructions, _)| *instructions).collect();
        lengths.extend(&operations.of_programs);
        assert_eq!(lengths, [5, 5, 1]);
    }

    #[test]
    fn a_row_has_the_most_frequent_operation_of_its_length() {
        let operations = run(&[Read, Read, Kernel(0), Read, Kernel(1), Read, Kernel(1), Read]);
        assert_eq!(counts(&operations, &[row(9, 4)]), [Some([1, 0, 0, 0, 1, 0])]);
    }

    #[test]
    fn a_read_on_the_way_divides_no_operation() {
        let round = [Kernel(0), Write(KERNEL), Read, Kernel(1), Load(KERNEL), Read, Else, Read];
        let operations = run(&[&[Read, Read][..], &round, &round].concat());
        // Nine instructions, one of which is the read on the way.
        assert_eq!(counts(&operations, &[row(2, 9)]), [Some([3, 1, 1, 1, 2, 1])]);
        assert_eq!(counts(&operations, &[row(9, 9)]), [None], "two operations are not most of nine samples");
    }

    #[test]
    fn rows_that_take_turns_have_an_operation_each() {
        let operations =
            run(&[Read, Read, Kernel(0), Read, Kernel(1), Read, Kernel(0), Read, Kernel(1), Read]);
        let (call, answer) = (Some([2, 0, 0, 0, 1, 0]), Some([1, 0, 0, 0, 1, 0]));
        assert_eq!(counts(&operations, &[row(9, 4), row(9, 4), row(9, 4)]), [call, answer, call]);
    }

    #[test]
    fn a_row_without_an_operation_is_not_counted() {
        let operations = run(&[Read, Read, Kernel(0), Read, Else, Else, Else, Else, Else, Read]);
        // Of another length, of programs only, of a single sample, and too large.
        let rows = [row(9, 40), row(9, 8), row(1, 4), row(9, u64::MAX)];
        assert_eq!(counts(&operations, &rows), [None; 4]);
        assert!(counts(&run(&[]), &[row(9, 4)])[0].is_none());
    }
}
