//! The division of the cycles of a simulated core into what they go to.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use limen_report::Row;

use crate::bench::trace::{Recording, Step, Timing};
use crate::failure::{Context, Failure, Outcome};

/// The systems whose rows are divided.
pub const SYSTEMS: [&str; 3] = ["bench/fault", "bench/notify", "bench/ppc"];

/// The rows that are.
const ROWS: [&str; 4] = ["fault_rt", "notify", "notify_rt", "ppc_rt"];

/// Cycles of instructions, and what they waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// That retired.
    pub instructions: usize,
    /// All of them.
    pub cycles: usize,
    /// Those with a walk of the page tables.
    pub walks: usize,
    /// Those of the others in which the data cache read a line.
    pub data: usize,
    /// Those of the others in which the instruction cache did.
    pub code: usize,
}

impl Waits {
    /// From a cycle until an instruction retired.
    pub fn between(before: usize, timing: Timing) -> Self {
        let Timing { cycle, instructions, walks, data, code } = timing;
        Self { instructions, cycles: cycle - before, walks, data, code }
    }

    /// Of an instruction in a trace. Nothing in the emulator; of the first instruction, only the waits are known.
    pub fn of(timings: &[Timing], at: usize) -> Self {
        let Some(timing) = timings.get(at).copied() else { return Self::default() };
        let before = at.checked_sub(1).and_then(|before| timings.get(before));
        let known = timing.instructions + timing.walks + timing.data + timing.code;
        Self::between(before.map_or(timing.cycle - known, |before| before.cycle), timing)
    }

    /// Cycles in which an instruction waits for nothing that the simulator sees: the result of another, a branch, a trap.
    pub fn pipeline(&self) -> usize {
        self.cycles.saturating_sub(self.instructions + self.walks + self.data + self.code)
    }

    /// Adds those of other instructions.
    pub fn add(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.cycles += other.cycles;
        self.walks += other.walks;
        self.data += other.data;
        self.code += other.code;
    }

    /// As in `walks 12, data lines 20`.
    pub fn shown(&self) -> String {
        let parts = self.parts().into_iter().filter(|(_, cycles)| *cycles > 0);
        parts
            .map(|(name, cycles)| format!("{} {cycles}", name.replace('_', " ")))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn parts(&self) -> [(&'static str, usize); 4] {
        [
            ("walks", self.walks),
            ("data_lines", self.data),
            ("code_lines", self.code),
            ("pipeline", self.pipeline()),
        ]
    }
}

/// Rows with the parts of these, from a trace of the counter's reads, which is removed.
///
/// # Errors
/// When the trace cannot be read or does not have the samples of a row.
pub fn rows(file: &Path, rows: &[Row]) -> Outcome<Vec<Row>> {
    let recording = Recording::of_core(file);
    let removed = fs::remove_file(file).context(|| format!("cannot remove {}", file.display()));
    let recording = recording?;
    removed?;
    let (mut divided, mut after) = (Vec::new(), 0);
    for row in rows.iter().filter(|row| row.n > 1 && ROWS.contains(&row.name.as_str())) {
        let found = recording.waits(row, after);
        let (waits, end) = found.ok_or_else(|| {
            Failure::new(format!("the trace does not have the samples of '{}'", row.title()))
        })?;
        divided.extend(parts(row, &waits));
        after = end;
    }
    Ok(divided)
}

/// A table of all functions of a trace, the longest first. Empty in the emulator.
pub fn by_function<'a>(steps: &[Step], timings: &[Timing], function: impl Fn(u64) -> &'a str) -> String {
    if timings.is_empty() {
        return String::new();
    }
    let (mut all, mut of_function) = (Waits::default(), HashMap::<_, Waits>::new());
    for (at, step) in steps.iter().enumerate() {
        let waits = Waits::of(timings, at);
        all.add(waits);
        of_function.entry(function(step.address)).or_default().add(waits);
    }
    let mut sums: Vec<_> = of_function.into_iter().collect();
    sums.sort_by_key(|(function, waits)| (Reverse(waits.cycles), *function));
    sums.push(("all", all));
    let mut text = "  cycles  instructions  walks  data lines  code lines  pipeline  function\n".to_owned();
    for (function, waits) in sums {
        let Waits { instructions, cycles, walks, data, code } = waits;
        let pipeline = waits.pipeline();
        text += &format!(
            "{cycles:8}  {instructions:12}  {walks:5}  {data:10}  {code:10}  {pipeline:8}  {function}\n"
        );
    }
    text + "\n"
}

fn parts(row: &Row, waits: &Waits) -> Vec<Row> {
    let of = |name: &str, reason: Option<&str>, value: usize| {
        let first = ("of".to_owned(), row.name.clone());
        let last = reason.map(|reason| ("for".to_owned(), reason.to_owned()));
        let params = [first].into_iter().chain(row.params.clone()).chain(last).collect();
        Row::single(name, params, value as u64)
    };
    let waits_for = waits.parts().map(|(reason, cycles)| of("waits", Some(reason), cycles));
    [of("retired", None, waits.instructions)].into_iter().chain(waits_for).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_divided_into_instructions_and_waits() {
        let row = Row::titled("ppc_rt words=0 fpu=off", 506);
        let waits = Waits { instructions: 336, cycles: 506, walks: 55, data: 7, code: 0 };
        let rows: Vec<_> = parts(&row, &waits).iter().map(|row| (row.title(), row.median)).collect();
        let expected = [
            ("retired of=ppc_rt words=0 fpu=off", 336),
            ("waits of=ppc_rt words=0 fpu=off for=walks", 55),
            ("waits of=ppc_rt words=0 fpu=off for=data_lines", 7),
            ("waits of=ppc_rt words=0 fpu=off for=code_lines", 0),
            ("waits of=ppc_rt words=0 fpu=off for=pipeline", 108),
        ];
        assert_eq!(rows, expected.map(|(title, median)| (title.to_owned(), median)));
        assert_eq!(waits.shown(), "walks 55, data lines 7, pipeline 108");
    }
    #[test]
    fn an_instruction_says_what_it_waited_for() {
        let shown = |at| Waits::of(&timings(), at).shown();
        assert_eq!([shown(0), shown(1)], ["data lines 3", ""]);
        assert_eq!(shown(2), "walks 30, data lines 20, code lines 5, pipeline 6");
        assert_eq!(Waits::of(&[], 0).shown(), "");
    }

    #[test]
    fn cycles_are_summed_by_function_with_the_longest_first() {
        let steps = [0x1000, 0x1004, 0x2000].map(Step::at);
        let function = |address| if address < 0x2000 { "short" } else { "long" };
        let expected = "  cycles  instructions  walks  data lines  code lines  pipeline  function\n      \
            62             1     30          20           5         6  long\n       \
            5             2      0           3           0         0  short\n      \
            67             3     30          23           5         6  all\n\n";
        assert_eq!(by_function(&steps, &timings(), function), expected);
        assert_eq!(by_function(&steps, &[], function), "");
    }

    fn timings() -> [Timing; 3] {
        [
            Timing { cycle: 10, instructions: 1, walks: 0, data: 3, code: 0 },
            Timing { cycle: 11, instructions: 1, ..Timing::default() },
            Timing { cycle: 73, instructions: 1, walks: 30, data: 20, code: 5 },
        ]
    }
}
