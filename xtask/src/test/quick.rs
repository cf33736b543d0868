//! `./x test --quick`: the tests that a change reaches, by the table in `docs/testing.md`.

use std::collections::BTreeSet;

use crate::failure::Outcome;
use crate::test::changes::{self, Crates};
use crate::test::cothreads;
use crate::test::plan::HOST;
use crate::test::selection::{self, Candidate};
use crate::workspace::Workspace;

/// In this configuration the kernel checks itself.
const CONFIG: &str = "debug";

/// Suites that cover most paths of the kernel, and the smallest example.
const LIST: [&str; 10] = [
    "tests/calls",
    "tests/domains",
    "tests/faults_parent",
    "tests/fpu",
    "tests/interrupts",
    "tests/notifications",
    "tests/passive",
    "tests/registers",
    "tests/scheduling",
    "examples/hello",
];

/// The system that shows that the tool and these commands still work together.
const SMALLEST: &str = "examples/hello";
/// The crates of both.
const TOOLS: [&str; 2] = ["microkit", "xtask"];

/// The largest number of systems that boot, as many as the list has on the usual boards. Those of changed folders come first.
const MOST_BOOTS: usize = 30;

const ARCHITECTURES: [&str; 3] = ["aarch64", "riscv64", "x86_64"];

/// Files that every crate and kernel is built with.
const OF_ALL: [&str; 3] = ["Cargo.lock", "Cargo.toml", "rust-toolchain.toml"];

/// The tests that changed files reach.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The crates whose host tests run.
    pub crates: BTreeSet<String>,
    /// Whether the models of memory orders run.
    pub orders: bool,
    /// Whether the tests of the cothread library on the host run.
    pub cothreads: bool,
    /// The instruction sets on whose usual boards the list runs.
    architectures: BTreeSet<&'static str>,
    /// The boards on which it runs because their data files have changed.
    boards: BTreeSet<String>,
    /// The projects that have changed.
    projects: BTreeSet<String>,
    /// Sentences about changes that no quick test covers.
    pub notes: Vec<String>,
}

impl Choice {
    /// The tests for the working tree as it is.
    ///
    /// # Errors
    /// When git or cargo fails.
    pub fn of(workspace: &Workspace) -> Outcome<Self> {
        let changed = changes::files(workspace)?.unwrap_or_default();
        Ok(Self::reached_by(&changed, &Crates::of(workspace)?))
    }

    /// The tests that these files reach.
    fn reached_by(changed: &BTreeSet<String>, crates: &Crates) -> Self {
        if changed.is_empty() {
            let note = "nothing has changed: the usual selection runs".to_owned();
            let architectures = ARCHITECTURES.into();
            return Self { crates: crates.names(), architectures, notes: vec![note], ..Self::default() };
        }
        let mut choice = Self::default();
        let unreached: Vec<_> = changed.iter().filter(|file| !choice.add(file, crates)).cloned().collect();
        choice.crates = crates.reached(&choice.crates);
        if TOOLS.iter().any(|tool| choice.crates.contains(*tool)) {
            choice.projects.insert(SMALLEST.to_owned());
        }
        if !unreached.is_empty() {
            choice.notes.push(format!("no quick test covers the change of {}", unreached.join(", ")));
        }
        let long: Vec<_> = choice.projects.iter().filter(|name| selection::is_long(name)).cloned().collect();
        for project in long {
            choice.projects.remove(&project);
            choice.notes.push(format!("{project} has changed but takes minutes: run ./x test {project}"));
        }
        choice
    }

    /// Adds what a changed file reaches; returns whether it reaches anything.
    fn add(&mut self, file: &str, crates: &Crates) -> bool {
        let parts: Vec<_> = file.split('/').collect();
        if OF_ALL.contains(&file) {
            self.crates.extend(crates.names());
            self.architectures.extend(ARCHITECTURES);
            return true;
        }
        if file.ends_with(".md") && !parts.contains(&"golden") {
            return false;
        }
        let owner = crates.owner(file);
        self.crates.extend(owner.map(str::to_owned));
        match parts.as_slice() {
            ["tests", "native", ..] => self.orders = true,
            [shelf @ ("tests" | "examples"), name, _, ..] if *name != "support" => {
                _ = self.projects.insert(format!("{shelf}/{name}"))
            }
            ["host", "builder", "boards", board] => {
                self.boards.extend(board.strip_suffix(".toml").map(str::to_owned));
            }
            // They do not run on the target.
            ["kernel", "replay" | "spec", ..] | ["kernel", _, "tests" | "examples", ..] => {}
            ["kernel" | "abi" | "user", ..] | ["tests", "support", ..] => {
                let is_of = |architecture: &&str| {
                    parts.iter().any(|part| part.split('.').next() == Some(*architecture))
                };
                let own: Vec<_> = ARCHITECTURES.into_iter().filter(is_of).collect();
                self.architectures.extend(if own.is_empty() { ARCHITECTURES.to_vec() } else { own });
                self.orders |= file.starts_with("kernel/core/src/processors/");
                self.cothreads |= file.starts_with("user/libmicrokitco/");
            }
            _ => return owner.is_some(),
        }
        true
    }

    /// The places in which a project runs, of its candidates.
    pub fn places<'a>(&self, project: &str, candidates: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
        let (has_changed, is_listed) = (self.has_changed(project), LIST.contains(&project));
        let first = selection::first_of_each_architecture(&candidates);
        let runs = |(candidate, is_first): &(Candidate<'a>, bool)| {
            let board = candidate.board;
            let of_list = self.architectures.contains(board.architecture.as_str());
            *is_first && (has_changed || is_listed && of_list)
                || is_listed && self.boards.contains(&board.name)
        };
        let mut places: Vec<_> =
            candidates.into_iter().zip(first).filter(runs).map(|(candidate, _)| candidate).collect();
        for place in &mut places {
            let usual = place.configs.iter().position(|config| config == CONFIG).unwrap_or(0);
            place.configs = place.configs.drain(usual..=usual).collect();
        }
        places
    }

    /// Keeps as many jobs as may run, those of changed projects first, and returns the others. `project` names a job's
    /// project.
    pub fn limit<T>(&self, jobs: &mut Vec<T>, project: impl Fn(&T) -> &str) -> Vec<T> {
        jobs.sort_by_key(|job| !self.has_changed(project(job)));
        jobs.split_off(jobs.len().min(MOST_BOOTS))
    }

    /// Whether the test without a system with this name runs.
    pub fn selects_part(&self, name: &str) -> bool {
        match name {
            HOST => !self.crates.is_empty() || self.orders,
            cothreads::NAME => self.cothreads,
            _ => false,
        }
    }

    fn has_changed(&self, project: &str) -> bool {
        self.projects.contains(project)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::run::board::{self, Board, USUAL};
    use crate::run::project::Project;
    use crate::test::suite::Suite;

    fn workspace() -> Workspace {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        Workspace::at(&root, &root)
    }

    fn choice(files: &[&str]) -> Choice {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        Choice::reached_by(&files, &Crates::of(&workspace()).unwrap())
    }

    /// The systems that boot, as in `tests/calls on zcu102 (debug)`.
    fn boots(choice: &Choice, boards: &[Board]) -> Vec<String> {
        let workspace = workspace();
        let projects = ["tests", "examples"].map(|shelf| Project::on_shelf(&workspace, shelf).unwrap());
        let mut boots = Vec::new();
        for project in projects.concat() {
            let suite = Suite::of(&project).unwrap();
            let configs = |board: &Board| match project.name.starts_with("tests/") {
                true => suite.configs(&board.name),
                false => suite.example_configs(&board.name),
            };
            let candidates = boards.iter().map(|board| Candidate { board, configs: configs(board) });
            let candidates = candidates.filter(|candidate| !candidate.configs.is_empty()).collect();
            for Candidate { board, configs } in choice.places(&project.name, candidates) {
                boots.extend(
                    configs.iter().map(|config| format!("{} on {} ({config})", project.name, board.name)),
                );
            }
        }
        boots
    }

    fn all_boots(files: &[&str]) -> Vec<String> {
        boots(&choice(files), &board::all(&workspace()).unwrap())
    }

    #[test]
    fn without_a_change_the_list_runs_in_debug_on_every_usual_board() {
        let boots = all_boots(&[]);
        let wanted = LIST.map(|project| USUAL.map(|board| format!("{project} on {board} (debug)"))).concat();
        assert_eq!(boots.iter().collect::<BTreeSet<_>>(), wanted.iter().collect::<BTreeSet<_>>());
        assert_eq!(boots.len(), MOST_BOOTS);
        assert!(choice(&[]).crates.contains("limen-core"));
    }

    #[test]
    fn documents_reach_nothing() {
        let found = choice(&["docs/testing.md", "kernel/core/README.md", "tests/README.md", "docs/tour.svg"]);
        let note = "no quick test covers the change of docs/testing.md, docs/tour.svg, kernel/core/README.md, tests/README.md";
        assert_eq!(found, Choice { notes: vec![note.to_owned()], ..Choice::default() });
        assert!(choice(&["host/sdf/tests/golden/files/folder/README.md"]).crates.contains("limen-sdf"));
    }

    #[test]
    fn a_file_that_everything_is_built_with_reaches_all() {
        for file in OF_ALL {
            let found = choice(&[file]);
            assert_eq!(
                (found.crates, found.architectures),
                (choice(&[]).crates, ARCHITECTURES.into()),
                "{file}"
            );
        }
    }

    #[test]
    fn the_kernel_reaches_the_list_and_a_port_only_its_board() {
        let of = |file: &str| choice(&[file]).architectures.into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(of("kernel/core/src/lib.rs"), "aarch64 riscv64 x86_64");
        assert_eq!(of("kernel/platform/src/arch/riscv64/boot.S"), "riscv64");
        assert_eq!(of("kernel/keys/src/arch/x86_64.rs"), "x86_64");
        assert_eq!(of("user/libmicrokit/include/limen/riscv64.h"), "riscv64");
        assert_eq!(of("user/monitor/src/main.c"), "aarch64 riscv64 x86_64");
        assert_eq!(of("abi/abi/src/lib.rs"), "aarch64 riscv64 x86_64");
        assert_eq!(of("tests/support/system.mk"), "aarch64 riscv64 x86_64");
        assert_eq!(of("tests/support/aarch64/uart.c"), "aarch64");
        assert_eq!(of("kernel/core/tests/kernel/main.rs"), "");
        assert_eq!(of("kernel/spec/src/lib.rs"), "");
        let both = choice(&["kernel/mmu/src/aarch64/mod.rs", "kernel/mmu/src/riscv64/mod.rs"]);
        assert_eq!(both.architectures, ["aarch64", "riscv64"].into());
        assert_eq!(all_boots(&["kernel/entry/src/arch/x86_64/trap.S"]).len(), LIST.len());
    }

    #[test]
    fn a_crate_reaches_its_users() {
        let found = choice(&["host/nearest/src/lib.rs"]);
        assert!(found.crates.contains("limen-nearest") && found.crates.contains("xtask"));
        assert!(!found.crates.contains("limen-core"));
        assert!(found.notes.is_empty());
        assert_eq!(
            boots(&found, &board::all(&workspace()).unwrap()),
            USUAL.map(|board| format!("{SMALLEST} on {board} (debug)"))
        );
        assert!(all_boots(&["host/fuzz/src/lib.rs"]).is_empty());
    }

    #[test]
    fn a_board_s_file_reaches_the_list_on_this_board() {
        let boots = all_boots(&["host/builder/boards/zcu102.toml"]);
        let own: Vec<_> = boots.iter().filter(|boot| boot.contains(" on zcu102 ")).collect();
        assert_eq!(own.len(), LIST.len(), "{boots:?}");
    }

    #[test]
    fn a_changed_project_runs_on_the_first_board_of_each_instruction_set() {
        let wanted = USUAL.map(|board| format!("tests/timer on {board} (debug)"));
        assert_eq!(all_boots(&["tests/timer/tester.c"]), wanted);
        assert_eq!(
            all_boots(&["tests/soak/tester.c", "tests/gone/suite.toml"])[0],
            "tests/soak on qemu_virt_aarch64 (smp-debug)"
        );
        let boards = [board::named(&workspace(), "zcu102").unwrap()];
        assert_eq!(boots(&choice(&["tests/timer/tester.c"]), &boards), ["tests/timer on zcu102 (debug)"]);
    }

    #[test]
    fn a_long_suite_is_only_named() {
        let found = choice(&["tests/injection/suite.toml"]);
        assert!(found.projects.is_empty());
        assert_eq!(
            found.notes,
            ["tests/injection has changed but takes minutes: run ./x test tests/injection"]
        );
    }

    #[test]
    fn the_number_of_boots_is_limited_and_changed_projects_come_first() {
        let choice = choice(&["tests/timer/tester.c"]);
        let mut jobs = [&["tests/calls"; MOST_BOOTS][..], &["tests/timer"; 2]].concat();
        let left_out = choice.limit(&mut jobs, |name| name);
        assert_eq!(left_out, ["tests/calls"; 2]);
        assert_eq!(
            (jobs.len(), &jobs[..3]),
            (MOST_BOOTS, &["tests/timer", "tests/timer", "tests/calls"][..])
        );
        assert!(choice.limit(&mut jobs, |name| name).is_empty());
    }

    #[test]
    fn parts_beside_crates_are_reached() {
        let parts =
            |file: &str| [HOST, cothreads::NAME, "sdk"].map(|part| choice(&[file]).selects_part(part));
        assert_eq!(parts("docs/testing.md"), [false; 3]);
        assert_eq!(parts("user/libmicrokitco/host/Makefile"), [false, true, false]);
        assert_eq!(parts("tests/native/mailbox/src/lib.rs"), [true, false, false]);
        assert!(choice(&["tests/native/mailbox/src/lib.rs"]).orders);
        assert!(choice(&["kernel/core/src/processors/mailbox.rs"]).orders);
        assert!(choice(&["user/libmicrokitco/libmicrokitco.h"]).cothreads);
        assert_eq!(
            choice(&["bench/ppc/Makefile", "x"]).notes,
            ["no quick test covers the change of bench/ppc/Makefile, x"]
        );
    }
}
