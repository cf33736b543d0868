//! The order of the kernel's functions: those of a path lie together, in the order in which they first run, so that the path
//! touches few cache lines and pages.
//!
//! `kernel/entry/src/arch/NAME/order.ld`, which the kernel's linker script includes, lists the functions that measured paths
//! execute. A pattern has no hash, which changes with every build, and one that fits no function selects nothing: the list
//! may be older than the code.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::bench::measure::{self, CONFIG};
use crate::check::symbols::Symbols;
use crate::failure::{Context, Outcome};
use crate::run::board::Board;
use crate::run::project::{Build, Project};
use crate::shell::files;
use crate::workspace::Workspace;

/// The systems whose paths are placed, the most frequent ones first.
const SYSTEMS: [&str; 8] = [
    "bench/ppc",
    "bench/notify",
    "bench/irq",
    "bench/fault",
    "bench/servers",
    "bench/budgets",
    "bench/fpu",
    "bench/domains",
];

/// The one whose functions begin at cache lines.
const ALIGNED: &str = "bench/ppc";
/// The architecture without such gaps, whose code has the least room.
const DENSE: &str = "x86_64";

/// The beginning of mangled names of Rust, and that of the hash at their end.
const MANGLED: &str = "_ZN";
const HASH: &str = "17h";

/// Runs the systems on a board, and writes the order of the kernel's functions for its architecture.
///
/// # Errors
/// When a system does not run, or the kernel has no functions.
pub fn write(workspace: &Workspace, board: &Board) -> Outcome {
    let symbols = Symbols::of(&workspace.kernel(&board.name, CONFIG))?;
    let mut order = Order::default();
    for system in SYSTEMS {
        let project = Project::locate(workspace, system)?;
        for build in measure::builds(&project)?.into_iter().filter(|build| !measure::is_smp(build)) {
            eprintln!("watching {system} on {} {}", board.title(), build.join(" "));
            let paths = paths(workspace, board, &project, &build).context(|| system.to_owned())?;
            let is_aligned = system == ALIGNED && board.architecture != DENSE;
            paths.iter().for_each(|code| order.take(code, &symbols, is_aligned));
        }
    }
    files::write(&file(workspace, board), order.to_text())
}

fn file(workspace: &Workspace, board: &Board) -> PathBuf {
    workspace.path("kernel/entry/src/arch").join(&board.architecture).join("order.ld")
}

/// The executed addresses of the rows of a system.
fn paths(
    workspace: &Workspace,
    board: &Board,
    project: &Project,
    build: &[String],
) -> Outcome<Vec<Vec<u64>>> {
    let variables: Vec<_> = build.iter().map(String::as_str).collect();
    let build = Build { board, config: measure::config_of(build), variables: &variables };
    let (rows, operations) = measure::watched(workspace, project, &build)?;
    let code = operations.footprints(&rows).into_iter().flatten().map(|footprint| footprint.code().to_vec());
    Ok(code.collect())
}

/// Functions in the order in which they first run, as patterns of section names.
#[derive(Debug, Default)]
struct Order {
    /// Names, and whether they begin at a cache line.
    names: Vec<(String, bool)>,
    known: HashSet<String>,
}

impl Order {
    /// Takes the executed addresses of an operation.
    fn take(&mut self, code: &[u64], symbols: &Symbols, is_aligned: bool) {
        for address in code {
            let Some(name) = path(symbols.function_at(*address)) else { continue };
            if self.known.insert(name.to_owned()) {
                self.names.push((name.to_owned(), is_aligned));
            }
        }
    }

    /// The list for the linker script. Compilers put functions that they believe to be rare into sections of another prefix.
    fn to_text(&self) -> String {
        let head = "/* Functions of measured paths, in the order in which they first run: `./x bench --order` writes this. */\n";
        let line = |(name, is_aligned): &(String, bool)| {
            let start = if *is_aligned { ". = ALIGN(64);\n" } else { "" };
            format!("{start}*(.text.*{name}{HASH}*)\n")
        };
        head.to_owned() + &self.names.iter().map(line).collect::<String>()
    }
}

/// A mangled name without its hash; `None` for trap code, whose place is fixed.
fn path(name: &str) -> Option<&str> {
    let (path, hash) = name.strip_prefix(MANGLED)?.rsplit_once(HASH)?;
    let is_hash = hash.len() == 17 && hash.ends_with('E');
    (is_hash && !path.is_empty()).then(|| &name[..MANGLED.len() + path.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::symbols::tests::functions;

    const CALL: &str = "_ZN10limen_core4call10serve_call17h1db02c303192756fE";
    const REPLY: &str = "_ZN10limen_core5reply5serve17h0123456789abcdefE";

    #[test]
    fn functions_are_listed_once_in_the_order_of_execution() {
        let symbols = functions(&[("trap", 0), (CALL, 0x10), (REPLY, 0x20)]);
        let mut order = Order::default();
        order.take(&[0, 0x24, 0x2c], &symbols, true);
        order.take(&[0x10, 0x20], &symbols, false);
        let text = order.to_text();
        let list: Vec<_> = text.lines().skip(1).collect();
        assert_eq!(
            list,
            [
                ". = ALIGN(64);",
                "*(.text.*_ZN10limen_core5reply5serve17h*)",
                "*(.text.*_ZN10limen_core4call10serve_call17h*)",
            ]
        );
    }

    #[test]
    fn names_without_a_hash_have_no_pattern() {
        assert_eq!(path(CALL), Some("_ZN10limen_core4call10serve_call"));
        for name in ["trap_vectors", "_ZN", "_ZN17h1db02c303192756fE", "_ZN10limen_core17h12E", "?"] {
            assert_eq!(path(name), None, "{name}");
        }
    }
}
