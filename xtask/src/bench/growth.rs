//! Attributes the instructions of a path to functions. The counts are stored with the recorded figures, so that the
//! function that made a path longer can be named.
//!
//! `bench/golden/BOARD.functions.txt` lists, below each row, its functions and their instructions in one sample.
//! Inlined code counts for the function that it is inlined into.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use crate::bench::measure::CONFIG;
use crate::bench::trace::{MOST_GIB, Recording};
use crate::check::symbols::Symbols;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::Project;
use crate::shell::files;
use crate::workspace::Workspace;

/// The traced systems of `bench`, and their rows whose functions are recorded.
const PATHS: [(&str, &[&str]); 4] = [
    (
        "bench/ppc",
        &[
            "ppc_rt server=passive words=0 fpu=off",
            "ppc_rt server=passive words=4 fpu=off",
            "ppc_rt server=passive words=5 fpu=off",
            "ppc_rt server=active words=0 fpu=off",
        ],
    ),
    (
        "bench/notify",
        &["notify fpu=off", "notify_rt server=active_hi fpu=off", "notify_rt server=passive_hi fpu=off"],
    ),
    (
        "bench/fault",
        &["fault_rt kind=exception parent=passive fpu=off", "fault_rt kind=vm parent=passive fpu=off"],
    ),
    ("bench/irq", &["irq_ack fpu=off"]),
];

/// The traced build of each.
const BUILD: &str = "FPU=off";

/// The label for code outside the kernel.
const PROGRAMS: &str = "programs";
const FIRMWARE: &str = "firmware";
/// The addresses of RISC-V firmware in QEMU.
const FIRMWARE_AT: Range<u64> = 0x8000_0000..0x8020_0000;

/// The functions of a path with their numbers of instructions.
type Functions = BTreeMap<String, u64>;

/// Maps addresses to functions.
pub struct Owners {
    symbols: Symbols,
    has_firmware: bool,
}

impl Owners {
    /// The functions of the kernel that a board is measured with.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(workspace: &Workspace, board: &Board) -> Outcome<Self> {
        let symbols = Symbols::readable(&workspace.kernel(&board.name, CONFIG))?;
        Ok(Self { symbols, has_firmware: board.architecture == "riscv64" })
    }

    /// The kernel's function at an address, or the label of its other owner.
    pub fn of_address(&self, address: u64) -> &str {
        match address {
            limen_executed::KERNEL.. => self.symbols.function_at(address),
            _ if self.has_firmware && FIRMWARE_AT.contains(&address) => FIRMWARE,
            _ => PROGRAMS,
        }
    }
}

/// Traces all paths of a board and records their functions.
///
/// # Errors
/// When a system cannot be traced.
pub fn record(workspace: &Workspace, board: &Board) -> Outcome {
    let mut text = String::new();
    for (system, rows) in PATHS {
        for (row, functions) in traced(workspace, board, system, rows)? {
            text += &format!("{row}\n");
            functions.iter().for_each(|(function, count)| text += &format!("  {count} {function}\n"));
        }
    }
    files::write(&file(workspace, board), text)
}

/// A sentence for each of these rows with recorded functions: the functions whose number of instructions has changed.
///
/// # Errors
/// When a system cannot be traced, or the record cannot be read.
pub fn explain(workspace: &Workspace, board: &Board, rows: &[&str]) -> Outcome<String> {
    let file = file(workspace, board);
    if !file.exists() {
        return Ok(String::new());
    }
    let recorded = parse(&files::read(&file)?).context(|| workspace.display(&file))?;
    let mut sentences = String::new();
    for (system, known) in PATHS {
        let wanted: Vec<_> = known.iter().copied().filter(|row| rows.contains(row)).collect();
        if wanted.is_empty() {
            continue;
        }
        for (row, functions) in traced(workspace, board, system, &wanted)? {
            let nothing = Functions::new();
            sentences +=
                &format!("{row}: {}\n", difference(recorded.get(&row).unwrap_or(&nothing), &functions));
        }
    }
    Ok(sentences)
}

fn file(workspace: &Workspace, board: &Board) -> PathBuf {
    workspace.path("bench/golden").join(board.title() + ".functions.txt")
}

fn traced(
    workspace: &Workspace,
    board: &Board,
    system: &str,
    rows: &[&str],
) -> Outcome<Vec<(String, Functions)>> {
    eprintln!("tracing {system} on {}", board.title());
    let owners = Owners::of(workspace, board)?;
    let project = Project::locate(workspace, system)?;
    let recording = Recording::of(workspace, board, &project, &[BUILD.to_owned()], MOST_GIB)
        .context(|| system.to_owned())?;
    let functions_of = |title: &&str| {
        let row = recording.rows.iter().find(|row| row.title() == **title);
        let steps = row.and_then(|row| recording.sample(row));
        let steps = steps.ok_or_else(|| Failure::new(format!("the trace has no sample of {title}")))?;
        let mut functions = Functions::new();
        for step in steps {
            *functions.entry(owners.of_address(step.address).to_owned()).or_default() += 1;
        }
        Ok(((*title).to_owned(), functions))
    };
    rows.iter().map(functions_of).collect()
}

/// Reads a record.
fn parse(text: &str) -> Outcome<BTreeMap<String, Functions>> {
    let mut rows = BTreeMap::<String, Functions>::new();
    let mut last = String::new();
    for line in text.lines() {
        let Some(function) = line.strip_prefix("  ") else {
            last = line.to_owned();
            rows.insert(last.clone(), Functions::new());
            continue;
        };
        let (count, name) = function.split_once(' ').unwrap_or_default();
        let count = count.parse().context(|| format!("'{line}' is not a count and a function"))?;
        rows.entry(last.clone()).or_default().insert(name.to_owned(), count);
    }
    Ok(rows)
}

/// The changes, largest growth first.
fn difference(from: &Functions, to: &Functions) -> String {
    let count = |functions: &Functions, name: &str| functions.get(name).copied().unwrap_or(0);
    let names: BTreeSet<_> = from.keys().chain(to.keys()).collect();
    let mut changed: Vec<_> = names
        .into_iter()
        .map(|name| (name, count(from, name), count(to, name)))
        .filter(|(_, from, to)| from != to)
        .collect();
    changed.sort_by_key(|(_, from, to)| Reverse(to.cast_signed() - from.cast_signed()));
    let told: Vec<_> = changed.iter().map(|(name, from, to)| format!("{name} {from} to {to}")).collect();
    if told.is_empty() {
        "no function has changed its number of instructions".to_owned()
    } else {
        told.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(list: &[(&str, u64)]) -> Functions {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn the_function_that_grew_most_is_named_first() {
        let from = functions(&[("trap", 60), ("call", 40), ("gone", 5), ("same", 1)]);
        let to = functions(&[("trap", 62), ("call", 50), ("new", 3), ("same", 1)]);
        assert_eq!(difference(&from, &to), "call 40 to 50, new 0 to 3, trap 60 to 62, gone 5 to 0");
        assert_eq!(difference(&to, &to), "no function has changed its number of instructions");
    }

    #[test]
    fn a_record_is_read() {
        let text = "ppc_rt words=0\n  62 trap_vectors\n  7 limen_core::call<a, b>\nnotify\n  9 programs\n";
        let rows = parse(text).unwrap();
        assert_eq!(rows["ppc_rt words=0"], functions(&[("trap_vectors", 62), ("limen_core::call<a, b>", 7)]));
        assert_eq!(rows["notify"], functions(&[("programs", 9)]));
        assert!(parse("row\n  many words\n").is_err());
    }
}
