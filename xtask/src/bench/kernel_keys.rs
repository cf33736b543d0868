//! The cost of the kernel's own static keys: rows of kernels without branches, and with branches that load and test.
//!
//! The row of the kernel whose branches are patched is the one of the system itself.

use limen_report::Row;

use crate::bench::measure::{self, CONFIG};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::{Build, Project};
use crate::sdk::unpatched;
use crate::workspace::Workspace;

/// The name by which filters select these rows.
pub const NAME: &str = "bench/kernel_keys";

/// The measured systems of `bench`, and their rows that are kept.
const PATHS: [(&str, &[&str]); 3] = [
    (
        "bench/fault",
        &[
            "fault_rt kind=exception parent=active fpu=on",
            "fault_rt kind=vm parent=active fpu=on",
            "fault_rt kind=vm parent=passive fpu=on",
        ],
    ),
    ("bench/notify", &["notify fpu=on", "notify_rt server=active_hi fpu=on"]),
    ("bench/ppc", &["ppc_rt server=passive words=0 fpu=on"]),
];

/// The rows `kernel_keys of=NAME ... branches=none` and `branches=fallback` of a board.
///
/// # Errors
/// When a kernel or a system does not build, or a row is missing.
pub fn rows(workspace: &Workspace, board: &Board) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for branches in unpatched::BRANCHES {
        let sdk = unpatched::sdk(workspace, board, CONFIG, branches)?;
        let variable = format!("BRANCHES={branches}");
        let variables = ["FPU=on", "QUICK=1", &variable];
        for (system, titles) in PATHS {
            let project = Project::locate(workspace, system)?;
            let image = project.build_with(
                workspace,
                &Build { board, config: CONFIG, variables: &variables },
                &sdk,
            )?;
            let measured = measure::boot_image(workspace, &project, board, &image);
            let measured = measured.context(|| format!("{system} with {variable}"))?;
            let of_title = |title: &&str| {
                let row = measured.iter().find(|row| row.title() == **title);
                row.map(|row| keyed(row, branches))
                    .ok_or_else(|| Failure::new(format!("{system} prints no row {title}")))
            };
            rows.extend(titles.iter().map(of_title).collect::<Outcome<Vec<_>>>()?);
        }
    }
    Ok(rows)
}

/// A row under the name by which it is recorded.
fn keyed(row: &Row, branches: &str) -> Row {
    let first = ("of".to_owned(), row.name.clone());
    let last = ("branches".to_owned(), branches.to_owned());
    let params = [first].into_iter().chain(row.params.clone()).chain([last]).collect();
    Row { name: "kernel_keys".to_owned(), params, ..row.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_its_conditions_and_figures() {
        let row = Row::titled("notify fpu=on", 7);
        let keyed = keyed(&row, "none");
        assert_eq!(keyed.title(), "kernel_keys of=notify fpu=on branches=none");
        assert_eq!((keyed.median, keyed.n), (7, 1));
    }
}
