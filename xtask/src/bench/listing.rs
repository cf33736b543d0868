//! Lists the instructions of one sample of a row, in execution order.

use std::collections::HashMap;

use crate::bench::growth::Owners;
use crate::bench::measure::{self, CONFIG};
use crate::bench::trace::{Recording, Step};
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
        if let Some(steps) = found.and_then(|row| recording.sample(row)) {
            return Ok(disassembly.list(&format!("{row} on {}", board.title()), steps, &owners));
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

    fn list(&self, title: &str, steps: &[Step], owners: &Owners) -> String {
        let mut text = format!("{title}: {} instructions\n", steps.len());
        let mut last = "";
        for (number, step) in steps.iter().enumerate() {
            let owner = owners.of_address(step.address);
            if owner != last {
                text += &format!("{owner}\n");
                last = owner;
            }
            let instruction = self.0.get(&step.address).map_or("", String::as_str);
            text += &format!("{:5}  {:x}  {instruction}\n", number + 1, step.address);
        }
        text
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
    fn a_build_with_another_fpu_setting_or_several_processors_lacks_the_row() {
        let build = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(may_have(&build("FPU=on"), "notify fpu=on") && !may_have(&build("FPU=off"), "notify fpu=on"));
        assert!(!may_have(&build("CONFIG=smp-release FPU=on"), "notify fpu=on"));
        assert!(may_have(&build("KEYS=keys"), "notify fpu=on") && may_have(&build("FPU=on"), "boot"));
    }
}
