//! Lists the instructions of one sample of a row, in execution order; on a simulated core with their cycles, and what each
//! waited for.

use std::collections::HashMap;

use crate::bench::growth::Owners;
use crate::bench::measure::{self, CONFIG};
use crate::bench::trace::{Recording, Step, Timing};
use crate::bench::waits::{self, Waits};
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
    if let Some(reason) = untraceable(row) {
        return Err(Failure::new(reason));
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
            let sums = waits::by_function(steps, timings, |address| owners.of_address(address));
            return Ok(sums + &disassembly.list(&title, steps, timings, &owners));
        }
    }
    Err(Failure::new(format!(
        "no build of {system} has a sample of '{row}'; `./x bench {system}` shows the rows"
    )))
}

/// The reason why a row has no samples in a trace, if it has none.
fn untraceable(row: &str) -> Option<&'static str> {
    row.split(' ').find_map(|parameter| match parameter {
        "from=wire" => {
            Some("these samples do not begin with a read of the counter; choose the row without 'from=wire'")
        }
        _ if parameter.starts_with("processors=") => {
            Some("the emulator's trace does not tell processors apart; choose a row without 'processors'")
        }
        _ => None,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_whose_samples_no_trace_shows_are_refused() {
        let advice = |row| untraceable(row).map(|reason| reason.split_once("; choose ").unwrap().1);
        assert_eq!(advice("notify fpu=on processors=4"), Some("a row without 'processors'"));
        assert_eq!(advice("irq_latency from=wire fpu=on"), Some("the row without 'from=wire'"));
        assert_eq!(advice("notify fpu=on"), None);
    }

    #[test]
    fn a_build_with_another_fpu_setting_or_several_processors_lacks_the_row() {
        let build = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(may_have(&build("FPU=on"), "notify fpu=on") && !may_have(&build("FPU=off"), "notify fpu=on"));
        assert!(!may_have(&build("CONFIG=smp-release FPU=on"), "notify fpu=on"));
        assert!(may_have(&build("KEYS=keys"), "notify fpu=on") && may_have(&build("FPU=on"), "boot"));
    }
}
