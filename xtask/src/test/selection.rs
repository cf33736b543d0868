//! Which systems a complete `./x test` boots: a part of the matrix of boards and configurations that follows from fixed
//! rules, never from chance. `docs/testing.md` states them; `--all`, `--board` and a filter boot everything that matches.

use crate::run::board::{Board, USUAL};

/// Suites and examples that depend on the devices and the boot of a board.
const OF_BOARDS: [&str; 6] = [
    "examples/hello",
    "tests/domain_interrupts",
    "tests/interrupts",
    "tests/processors",
    "tests/serial",
    "tests/timer",
];

/// Suites that inject an event at each instruction of a path, for minutes on each board.
const LONG: [&str; 2] = ["tests/injection", "tests/injection_seals"];

/// Systems that also boot on a simulated core, by its name as a variant. Of a system's configurations, it runs in the last that
/// the core has. All of them take less than ten minutes of processor time.
const ON_CORES: [(&str, &str); 6] = [
    ("examples/hello", "rocket"),
    ("tests/calls", "rocket"),
    ("tests/elsewhere", "rocket_4"),
    ("tests/faults_parent", "rocket"),
    ("tests/keys", "rocket"),
    ("tests/notifications", "rocket"),
];

/// Those of them that boot in every run, if the simulator is there.
const ALWAYS_ON_CORES: [&str; 2] = ["examples/hello", "tests/keys"];

/// A board on which a project runs, and the configurations that it has there.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// The board.
    pub board: &'a Board,
    /// The configurations, in the order of `suite.toml`; at least one.
    pub configs: Vec<String>,
}

/// Whether the project is such a suite.
pub fn is_long(project: &str) -> bool {
    LONG.contains(&project)
}

/// The simulated cores on which a project boots, as variants of a board; `is_whole` if not only a part of the tests runs.
pub fn cores(project: &str, is_whole: bool) -> impl Iterator<Item = &'static str> {
    let runs = is_whole || ALWAYS_ON_CORES.contains(&project);
    ON_CORES.iter().filter(move |(name, _)| runs && *name == project).map(|(_, core)| *core)
}

/// Returns the candidates that boot the project, each with its part of the configurations.
///
/// These are the usual boards, or, where the project does not run on one, the first of each instruction set; and for projects
/// that depend on the board, all; long suites run on one. The configurations go round, from a place that depends on the
/// project's name: each is in one place at least, and each place has one.
pub fn places<'a>(project: &str, mut candidates: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
    let usual = |candidate: &Candidate<'_>| USUAL.iter().position(|name| *name == candidate.board.name);
    if !OF_BOARDS.contains(&project) {
        let mut first = first_of_each_architecture(&candidates).into_iter();
        candidates.retain(|_| first.next() == Some(true));
    }
    candidates.sort_by_key(|candidate| usual(candidate).unwrap_or(USUAL.len()));
    if LONG.contains(&project) {
        candidates.truncate(1);
    }
    let (count, start) = (candidates.len(), start(project));
    for (place, candidate) in candidates.iter_mut().enumerate() {
        candidate.configs = part(&candidate.configs, (start + place) % count, count);
    }
    candidates
}

/// Whether each candidate is the first of its instruction set: usual boards come first, then the names decide.
pub fn first_of_each_architecture(candidates: &[Candidate<'_>]) -> Vec<bool> {
    candidates.iter().map(|candidate| is_first(candidate, candidates)).collect()
}

/// Whether the project runs on no board of the same instruction set that comes before this one; usual boards come first.
fn is_first(candidate: &Candidate<'_>, candidates: &[Candidate<'_>]) -> bool {
    let board = candidate.board;
    let rivals = candidates.iter().map(|rival| rival.board);
    let rivals = rivals.filter(|rival| rival.architecture == board.architecture);
    rivals.min_by_key(|rival| (!rival.is_usual(), &rival.name)).is_some_and(|first| first.name == board.name)
}

/// The place at which a project's configurations begin: the sum of the letters of its name, which no other project changes.
fn start(project: &str) -> usize {
    project.bytes().map(usize::from).sum()
}

/// The part of the configurations for one of `count` places.
fn part(configs: &[String], place: usize, count: usize) -> Vec<String> {
    let own = configs.iter().skip(place).step_by(count.max(1)).cloned();
    let own: Vec<_> = own.collect();
    if own.is_empty() { configs.iter().cycle().skip(place).take(1).cloned().collect() } else { own }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::run::board;
    use crate::run::project::Project;
    use crate::test::suite::Suite;
    use crate::workspace::Workspace;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn configurations_go_round() {
        let parts = |text: &str| [0, 1, 2].map(|place| part(&words(text), place, 3).join(" "));
        assert_eq!(parts("debug release"), ["debug", "release", "debug"]);
        assert_eq!(parts("release"), ["release"; 3]);
        assert_eq!(parts("a b c d"), ["a d", "b", "c"]);
        assert_eq!(part(&words("debug release"), 0, 1), ["debug", "release"]);
    }

    /// Compares the places of each suite with all boards and configurations that it could run on.
    #[test]
    fn every_project_runs_on_each_instruction_set_and_in_each_configuration() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::at(&root, &root);
        let boards = board::all_names(&workspace).unwrap();
        for project in Project::on_shelf(&workspace, "tests").unwrap() {
            let suite = Suite::of(&project).unwrap();
            let candidates = || {
                let pairs =
                    boards.iter().map(|board| Candidate { board, configs: suite.configs(&board.name) });
                let runs = |candidate: &Candidate<'_>| !candidate.configs.is_empty();
                pairs.filter(runs).collect::<Vec<_>>()
            };
            let sets = |places: &[Candidate<'_>]| {
                places.iter().map(|place| place.board.architecture.clone()).collect::<BTreeSet<_>>()
            };
            let configs = |places: &[Candidate<'_>]| {
                places.iter().flat_map(|place| place.configs.clone()).collect::<BTreeSet<_>>()
            };
            let (all, chosen) = (candidates(), places(&project.name, candidates()));
            if !LONG.contains(&project.name.as_str()) {
                assert_eq!(sets(&chosen), sets(&all), "{}", project.name);
            }
            assert_eq!(configs(&chosen), configs(&all), "{}", project.name);
            assert!(chosen.iter().all(|place| !place.configs.is_empty()), "{}", project.name);
        }
    }

    #[test]
    fn projects_on_simulated_cores_need_no_emulator() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::at(&root, &root);
        let board = board::named(&workspace, "qemu_virt_riscv64").unwrap();
        for (name, core) in ON_CORES {
            let suite = Suite::of(&Project::locate(&workspace, name).unwrap()).unwrap();
            assert!(board.with(&[core.to_owned()]).unwrap().is_simulated, "{name}");
            assert!(!suite.needs_emulator() && !is_long(name), "{name}");
        }
        for (name, core) in ON_CORES {
            let always = ALWAYS_ON_CORES.contains(&name);
            assert_eq!(cores(name, false).collect::<Vec<_>>(), if always { vec![core] } else { Vec::new() });
            assert_eq!(cores(name, true).collect::<Vec<_>>(), [core]);
        }
    }

    #[test]
    fn each_instruction_set_has_release_for_some_projects() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::at(&root, &root);
        let boards = USUAL.map(|name| board::named(&workspace, name).unwrap());
        let mut releases = [0; USUAL.len()];
        let projects = Project::on_shelf(&workspace, "tests").unwrap();
        for project in &projects {
            let candidates =
                boards.iter().map(|board| Candidate { board, configs: words("debug release") }).collect();
            let places = places(&project.name, candidates);
            for (count, place) in releases.iter_mut().zip(&places) {
                *count += usize::from(place.configs.iter().any(|config| config == "release"));
            }
        }
        assert!(
            releases.iter().all(|count| *count > projects.len() / 5),
            "{releases:?} of {}",
            projects.len()
        );
    }

    #[test]
    fn projects_that_depend_on_the_board_run_on_all() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let boards = board::all(&Workspace::at(&root, &root)).unwrap();
        let candidates = || {
            let of = |board| Candidate { board, configs: words("debug release") };
            boards.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(places("tests/timer", candidates()).len(), boards.len());
        let names = |places: Vec<Candidate<'_>>| {
            places.iter().map(|place| place.board.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(places("tests/calls", candidates())), USUAL);
        for project in OF_BOARDS.into_iter().chain(LONG) {
            assert!(root.join(project).join("Makefile").exists(), "{project}");
        }
    }
}
