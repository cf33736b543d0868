//! Divides operations that cross between processors into what each of them executes.
//!
//! ```text
//!   processor 0     reads the counter --send--> interrupt                     wakes --resume--> reads the counter
//!                                                   \                          /
//!   another one                                    wakes --receive--> reads  --answer--> interrupt
//! ```
//!
//! A row with `part=together` is one whose operation begins and ends with a read on processor 0. If the other program does not
//! read the counter, because only its kernel answers, the middle is one part, `serve`. The critical path is `send`, all that the
//! other processor executes until its interrupt, and `resume`. Firmware is left out, and so are the reads.

use limen_report::Row;

use crate::{Account, Block, Event, Flow, KERNEL, Listener};

/// The parameter of rows to divide, and its value there.
const PART: (&str, &str) = ("part", "together");

/// The kernel's windows to devices; see `kernel/mmu/src/layout.rs`.
const WINDOWS: u64 = 0xffff_ffff_bfe0_0000;
const PAGE_BYTES: u64 = 4096;

/// Whether a store of a processor to this address interrupts another one.
///
/// Sources: GICv2 (ARM IHI 0048), GICD_SGIR; SiFive CLINT, `msip`, a word for each hart, which only firmware accesses, and clears
/// on the hart that was interrupted; Intel SDM, volume 3, ICR.
fn interrupts(architecture: &str, processor: usize, address: u64) -> bool {
    let is_register = |offset| address >= WINDOWS && address % PAGE_BYTES == offset;
    match architecture {
        "aarch64" => is_register(0xf00),
        "riscv64" => {
            (0x200_0000..0x200_4000).contains(&address) && (address - 0x200_0000) / 4 != processor as u64
        }
        "x86_64" => is_register(0x300),
        _ => false,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Processor {
    /// Instructions so far.
    count: u64,
    /// Those before it last woke.
    woke: u64,
    waits: bool,
}

/// The other processor of an operation: counts there.
#[derive(Clone, Copy, Debug)]
struct Far {
    processor: usize,
    woke: u64,
    read: Option<u64>,
    sent: Option<u64>,
}

/// An operation under way: counts of processor 0, and the other one.
#[derive(Clone, Copy, Debug)]
struct Operation {
    start: u64,
    sent: Option<u64>,
    far: Option<Far>,
}

/// The parts of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Divided {
    send: u64,
    /// Until the program on the other processor reads the counter, and from there until the interrupt back.
    middle: [Option<u64>; 2],
    serve: u64,
    resume: u64,
}

impl Divided {
    fn parts(self) -> Vec<(&'static str, u64)> {
        let Self { send, middle, serve, resume } = self;
        let middle = match middle {
            [Some(receive), Some(answer)] => vec![("receive", receive), ("answer", answer)],
            _ => vec![("serve", serve)],
        };
        let critical = ("critical", send + serve + resume);
        [vec![("send", send)], middle, vec![("resume", resume), critical]].concat()
    }
}

/// The divided operations of a run.
#[derive(Debug)]
pub struct Parts {
    architecture: String,
    processors: Vec<Processor>,
    now: usize,
    operation: Option<Operation>,
    done: Vec<Divided>,
}

impl Listener for Parts {
    fn take(&mut self, blocks: &[Block], event: Event, account: Account) {
        match event {
            Event::Processor(number) => {
                self.now = number;
                let known = self.processors.len().max(number + 1);
                self.processors.resize(known, Processor::default());
            }
            Event::Run { block, first, count } => {
                let code = blocks.get(block).and_then(|block| block.code.get(first..first + count));
                let is_program = matches!(account, Account::Program(_));
                for step in code.unwrap_or_default() {
                    let Some(here) = self.processors.get_mut(self.now) else { return };
                    if std::mem::take(&mut here.waits) {
                        here.woke = here.count;
                    }
                    here.waits = step.flow == Flow::Wait;
                    if is_program && step.reads_counter {
                        self.read();
                    } else {
                        here.count += u64::from(is_program || step.address >= KERNEL);
                    }
                }
            }
            Event::Access { address, is_store: true }
                if interrupts(&self.architecture, self.now, address) =>
            {
                self.send()
            }
            Event::Access { .. } => {}
        }
    }
}

impl Parts {
    /// Whether a row is one to divide.
    #[must_use]
    pub fn divides(row: &Row) -> bool {
        row.params.iter().any(|(name, value)| (name.as_str(), value.as_str()) == PART)
    }

    /// Makes a row that is to be divided one that is not, because it was measured by the clock.
    pub fn leave_whole(row: &mut Row) {
        row.params.retain(|(name, value)| (name.as_str(), value.as_str()) != PART);
    }

    /// No operations yet.
    pub fn of(architecture: &str) -> Self {
        Self {
            architecture: architecture.to_owned(),
            processors: vec![Processor::default()],
            now: 0,
            operation: None,
            done: Vec::new(),
        }
    }

    fn here(&self) -> Processor {
        self.processors.get(self.now).copied().unwrap_or_default()
    }

    /// The other processor, in an operation whose interrupt was sent.
    fn far(&mut self) -> Option<&mut Far> {
        let (processor, Processor { woke, .. }) = (self.now, self.here());
        let operation = self.operation.as_mut().filter(|operation| operation.sent.is_some())?;
        let far = operation.far.get_or_insert(Far { processor, woke, read: None, sent: None });
        (far.processor == processor).then_some(far)
    }

    /// Takes a read of the counter by a program.
    fn read(&mut self) {
        let Processor { count, woke, .. } = self.here();
        if self.now != 0 {
            self.far().into_iter().for_each(|far| far.read = far.read.or(Some(count)));
            return;
        }
        match self.operation.take() {
            None => self.operation = Some(Operation { start: count, sent: None, far: None }),
            Some(Operation { start, sent: Some(sent), far: Some(far) }) if woke > start => {
                let Some(answered) = far.sent else { return };
                let between = |from: Option<u64>, to: Option<u64>| Some(to?.saturating_sub(from?));
                self.done.push(Divided {
                    send: sent - start,
                    middle: [between(Some(far.woke), far.read), between(far.read, far.sent)],
                    serve: answered.saturating_sub(far.woke),
                    resume: count - woke,
                });
            }
            Some(_) => {}
        }
    }

    /// Takes an interrupt to another processor.
    fn send(&mut self) {
        let count = self.here().count;
        if self.now != 0 {
            self.far().into_iter().for_each(|far| far.sent = far.sent.or(Some(count)));
        } else if let Some(operation) = &mut self.operation {
            operation.sent = operation.sent.or(Some(count));
        }
    }

    /// The rows of the parts of each divided row, in their order. Each had as many operations, the last `n` of which are samples.
    ///
    /// # Errors
    /// When the operations are not those of the rows.
    pub fn rows(&self, rows: &[Row]) -> Result<Vec<Vec<Row>>, String> {
        let whole: Vec<_> = rows.iter().filter(|row| Self::divides(row)).collect();
        let each = self.done.len() / whole.len().max(1);
        let samples = whole.iter().map(|row| row.n as usize).max().unwrap_or(0);
        if each < samples || each * whole.len() != self.done.len() {
            let (done, whole) = (self.done.len(), whole.len());
            return Err(format!("{done} operations between processors, but {whole} rows"));
        }
        let divide = |(row, operations): (&&Row, &[Divided])| {
            let operations = operations.get(each - row.n as usize..).unwrap_or_default();
            let mut values: Vec<(&str, Vec<u64>)> = Vec::new();
            for (name, value) in operations.iter().flat_map(|operation| operation.parts()) {
                match values.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, samples)) => samples.push(value),
                    None => values.push((name, vec![value])),
                }
            }
            let part = |(name, samples): (&str, Vec<u64>)| {
                let params = row.params.iter().map(|(key, value)| {
                    (key.clone(), if key == PART.0 { name.to_owned() } else { value.clone() })
                });
                Row::of_samples(&row.name, params.collect(), samples)
            };
            values.into_iter().map(part).collect()
        };
        Ok(whole.iter().zip(self.done.chunks(each.max(1))).map(divide).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_block as block;

    const READ: [u8; 4] = 0xc000_2573_u32.to_le_bytes();
    const OTHER: [u8; 4] = [0x13, 0, 0, 0];
    const WAIT: [u8; 4] = 0x1050_0073_u32.to_le_bytes();
    const PROGRAM: Account = Account::Program(0);

    /// An event: another processor executes, a program reads the counter, the kernel executes this many instructions or waits,
    /// firmware executes one, or interrupts a processor.
    #[derive(Clone, Copy)]
    enum Step {
        On(usize),
        Read,
        Kernel(usize),
        Wait,
        Firmware,
        Interrupt(u64),
    }
    use Step::{Firmware, Interrupt, Kernel, On, Read, Wait};

    fn run(steps: &[Step]) -> Parts {
        let blocks = [
            block(0x200, &[READ]),
            block(KERNEL, &[OTHER; 9]),
            block(KERNEL, &[WAIT]),
            block(0x8000, &[OTHER]),
        ];
        let mut parts = Parts::of("riscv64");
        for step in steps {
            let (event, account) = match *step {
                On(number) => (Event::Processor(number), Account::Idle),
                Read => (Event::Run { block: 0, first: 0, count: 1 }, PROGRAM),
                Kernel(count) => (Event::Run { block: 1, first: 0, count }, Account::Idle),
                Wait => (Event::Run { block: 2, first: 0, count: 1 }, Account::Idle),
                Firmware => (Event::Run { block: 3, first: 0, count: 1 }, Account::Idle),
                Interrupt(hart) => {
                    (Event::Access { address: 0x200_0000 + 4 * hart, is_store: true }, Account::Idle)
                }
            };
            parts.take(&blocks, event, account);
        }
        parts
    }

    /// A crossing; `far` is what the other processor does between its start and its interrupt.
    fn crossing(far: &[Step]) -> Vec<Step> {
        let there = [Read, Kernel(3), Firmware, Interrupt(1), Kernel(2), Wait, On(1), Firmware, Kernel(4)];
        let back = [Interrupt(0), Kernel(1), Wait, On(0), Kernel(6), Read];
        [&there[..], far, &back].concat()
    }

    fn row(part: &str, n: u64) -> Row {
        Row { n, ..Row::single("x", vec![("part".to_owned(), part.to_owned())], 0) }
    }

    fn medians(parts: &Parts, rows: &[Row]) -> Vec<Vec<(String, u64)>> {
        let part = |row: &Row| (row.params[0].1.clone(), row.median);
        parts.rows(rows).unwrap().iter().map(|rows| rows.iter().map(part).collect()).collect()
    }

    #[test]
    fn a_crossing_is_divided_at_reads_and_interrupts() {
        let parts = run(&crossing(&[Read, Kernel(5)]));
        let expected = [("send", 3), ("receive", 4), ("answer", 5), ("resume", 6), ("critical", 18)];
        let expected: Vec<_> = expected.map(|(part, count)| (part.to_owned(), count)).into();
        assert_eq!(medians(&parts, &[row("together", 1), row("other", 1)]), [expected]);
    }

    #[test]
    fn without_a_read_on_the_other_processor_the_middle_is_one_part() {
        // It clears its own interrupt, which interrupts no one.
        let parts = run(&crossing(&[Interrupt(1), Kernel(2)]));
        let expected = [("send", 3), ("serve", 6), ("resume", 6), ("critical", 15)];
        let expected: Vec<_> = expected.map(|(part, count)| (part.to_owned(), count)).into();
        assert_eq!(medians(&parts, &[row("together", 1)]), [expected]);
    }

    #[test]
    fn reads_come_in_pairs_and_the_last_operations_are_samples() {
        let first = crossing(&[Kernel(9)]);
        let second = crossing(&[Kernel(1)]);
        // A pair around nothing, and what lies between pairs, are no operations.
        let parts =
            run(&[&[Read, Kernel(7), Read][..], &first, &[Interrupt(1), Kernel(1)], &second].concat());
        let parts = medians(&parts, &[row("together", 1)]);
        assert_eq!(parts[0][1], ("serve".to_owned(), 5));
    }

    #[test]
    fn operations_that_do_not_fit_the_rows_are_an_error() {
        let parts = run(&crossing(&[]));
        assert!(parts.rows(&[row("together", 2)]).is_err());
        assert!(parts.rows(&[row("together", 1), row("together", 1)]).is_err());
        assert!(run(&[]).rows(&[row("together", 1)]).is_err());
    }

    #[test]
    fn interrupts_are_stores_to_a_register() {
        assert!(interrupts("aarch64", 0, WINDOWS + 0x1f00) && !interrupts("aarch64", 0, WINDOWS + 0x1f04));
        assert!(interrupts("x86_64", 0, WINDOWS + 0x1300) && !interrupts("x86_64", 0, 0x300));
        assert!(interrupts("riscv64", 0, 0x200_0004) && !interrupts("riscv64", 1, 0x200_0004));
        assert!(!interrupts("mips", 0, 0x200_0004));
    }
    #[test]
    fn a_row_of_a_clock_has_no_parts() {
        let params = |part: &[(&str, &str)]| -> Vec<(String, String)> {
            let own = part.iter().chain(&[("fpu", "off")]);
            own.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let mut row = Row::single("elsewhere_notify", params(&[PART]), 1991);
        assert!(Parts::divides(&row));
        Parts::leave_whole(&mut row);
        assert!(!Parts::divides(&row));
        assert_eq!(row.params, params(&[]));
    }
}
