//! Lists the instructions of one sample of a row, in execution order; on a simulated core with their cycles, and what each
//! waited for.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::bench::growth::Owners;
use crate::bench::measure::{self, CONFIG};
use crate::bench::trace::{Recording, Step, Timing};
use crate::check::disassembly::{self, instructions};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::Project;
use crate::workspace::Workspace;

/// The kernel's instruction at each address.
struct Disassembly(HashMap<u64, String>);

/// Lists the instructions of a row with their functions. `system` is the name of a folder under `bench`, or a path. The
/// trace file may grow to `most_gib`.
///
/// # Errors
/// When the system cannot be traced, or none of its builds has a contiguous sample of the row.
pub fn of(workspace: &Workspace, board: &Board, system: &str, row: &str, most_gib: u32) -> Outcome<String> {
    if has_several_processors(row) {
        return Err(Failure::new(
            "the emulator's trace does not tell processors apart; choose a row without 'processors'",
        ));
    }
    let project = Project::locate_on(workspace, &["bench"], system)?;
    let disassembly = Disassembly::of(workspace, board)?;
    let owners = Owners::of(workspace, board)?;
    for build in measure::builds(&project)?.iter().filter(|build| may_have(build, row)) {
        let Some(machine) = measure::machine_of(board, build) else { continue };
        eprintln!("tracing {system} on {} {}", machine.title(), build.join(" "));
        let recording =
            Recording::of(workspace, &machine, &project, build, most_gib).context(|| system.to_owned())?;
        let found = recording.rows.iter().find(|found| found.title() == row);
        let Some(found) = found else { continue };
        if let Some(steps) = recording.sample(found) {
            let (title, timings) = (format!("{row} on {}", board.title()), recording.timings(found));
            let sums = Waits::sums(steps, timings, &owners);
            return Ok(sums + &disassembly.list(&title, steps, timings, &owners));
        }
    }
    Err(Failure::new(format!(
        "no build of {system} has a sample of '{row}'; `./x bench {system}` shows the rows"
    )))
}

/// Whether a row is of a system that uses several processors.
fn has_several_processors(row: &str) -> bool {
    row.split(' ').any(|parameter| parameter.starts_with("processors="))
}

/// Whether a build for one processor can have a row: if both name a use of the floating-point unit, it must be the same.
fn may_have(build: &[String], row: &str) -> bool {
    if measure::is_smp(build) {
        return false;
    }
    let fpu = build.iter().find_map(|variable| variable.strip_prefix("FPU="));
    let wanted = row.split(' ').find_map(|parameter| parameter.strip_prefix("fpu="));
    fpu.is_none() || wanted.is_none() || fpu == wanted
}

impl Disassembly {
    fn of(workspace: &Workspace, board: &Board) -> Outcome<Self> {
        let listing = disassembly::listing(&workspace.kernel(&board.name, CONFIG))?;
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self(instructions(&listing).map(|found| (found.address, words(found.text))).collect()))
    }

    fn list(&self, title: &str, steps: &[Step], timings: &[Timing], owners: &Owners) -> String {
        let mut text = format!("{title}: {} instructions\n", steps.len());
        let mut last = "";
        for (number, step) in steps.iter().enumerate() {
            let owner = owners.of_address(step.address);
            if owner != last {
                text += &format!("{owner}\n");
                last = owner;
            }
            let instruction = self.0.get(&step.address).map_or("", String::as_str);
            let line = format!("{:5}  {:x}  {instruction}", number + 1, step.address);
            let waits = Waits::of(timings, number).shown();
            text +=
                if waits.is_empty() { line + "\n" } else { format!("{line:WAITS_AT$}  {waits}\n") }.as_str();
        }
        text
    }
}

/// Column at which the waits of an instruction stand in its line.
const WAITS_AT: usize = 70;

/// Cycles of instructions, and what they waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Waits {
    instructions: usize,
    cycles: usize,
    walks: usize,
    data: usize,
    code: usize,
}

impl Waits {
    /// Of an instruction. Nothing in the emulator; of the first instruction of a sample, only the waits are known.
    fn of(timings: &[Timing], at: usize) -> Self {
        let Some(Timing { cycle, walks, data, code }) = timings.get(at).copied() else {
            return Self::default();
        };
        let before = at.checked_sub(1).and_then(|before| timings.get(before));
        let cycles = before.map_or(1 + walks + data + code, |before| cycle - before.cycle);
        Self { instructions: 1, cycles, walks, data, code }
    }

    /// Cycles in which an instruction waits for nothing that the simulator sees: the result of another, a branch, a trap.
    fn pipeline(&self) -> usize {
        self.cycles.saturating_sub(self.instructions + self.walks + self.data + self.code)
    }

    fn add(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.cycles += other.cycles;
        self.walks += other.walks;
        self.data += other.data;
        self.code += other.code;
    }

    /// As in `walks 12, data line 20`.
    fn shown(&self) -> String {
        let parts = [
            ("walks", self.walks),
            ("data line", self.data),
            ("code line", self.code),
            ("pipeline", self.pipeline()),
        ];
        let parts = parts.iter().filter(|(_, cycles)| *cycles > 0);
        parts.map(|(name, cycles)| format!("{name} {cycles}")).collect::<Vec<_>>().join(", ")
    }

    /// A table of all functions, the longest first. Empty in the emulator.
    fn sums(steps: &[Step], timings: &[Timing], owners: &Owners) -> String {
        if timings.is_empty() {
            return String::new();
        }
        let (mut all, mut by_owner) = (Self::default(), HashMap::<&str, Self>::new());
        for (at, step) in steps.iter().enumerate() {
            let waits = Self::of(timings, at);
            all.add(waits);
            by_owner.entry(owners.of_address(step.address)).or_default().add(waits);
        }
        let mut sums: Vec<_> = by_owner.into_iter().collect();
        sums.sort_by_key(|(owner, waits)| (Reverse(waits.cycles), *owner));
        sums.push(("all", all));
        let mut text =
            "  cycles  instructions  walks  data lines  code lines  pipeline  function\n".to_owned();
        for (owner, waits) in sums {
            let Self { instructions, cycles, walks, data, code } = waits;
            let pipeline = waits.pipeline();
            text += &format!(
                "{cycles:8}  {instructions:12}  {walks:5}  {data:10}  {code:10}  {pipeline:8}  {owner}\n"
            );
        }
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_several_processors_is_known_by_its_parameter() {
        assert!(
            has_several_processors("notify fpu=on processors=4") && !has_several_processors("notify fpu=on")
        );
    }

    #[test]
    fn an_instruction_says_what_it_waited_for() {
        let timings = [
            Timing { cycle: 10, walks: 0, data: 3, code: 0 },
            Timing { cycle: 11, ..Timing::default() },
            Timing { cycle: 73, walks: 30, data: 20, code: 5 },
        ];
        let shown = |at| Waits::of(&timings, at).shown();
        assert_eq!([shown(0), shown(1)], ["data line 3", ""]);
        assert_eq!(shown(2), "walks 30, data line 20, code line 5, pipeline 6");
        assert_eq!(Waits::of(&[], 0).shown(), "");
    }

    #[test]
    fn a_build_with_another_fpu_setting_or_several_processors_lacks_the_row() {
        let build = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(may_have(&build("FPU=on"), "notify fpu=on") && !may_have(&build("FPU=off"), "notify fpu=on"));
        assert!(!may_have(&build("CONFIG=smp-release FPU=on"), "notify fpu=on"));
        assert!(may_have(&build("KEYS=keys"), "notify fpu=on") && may_have(&build("FPU=on"), "boot"));
    }
}
