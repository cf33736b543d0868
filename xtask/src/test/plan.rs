//! The parts of a run of `./x test`: tests without a system, systems to boot, and figures to compare.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::bench;
use crate::bench::Rows;
use crate::check;
use crate::failure::Outcome;
use crate::run::board::Board;
use crate::shell::concurrent;
use crate::shell::progress::Steps;
use crate::test::boots;
use crate::test::cothreads;
use crate::test::coverage::Coverage;
use crate::test::docs;
use crate::test::host_tests;
use crate::test::injection::Places;
use crate::test::jobs::{self, Job};
use crate::test::large;
use crate::test::options::Options;
use crate::test::quick::Choice;
use crate::test::random;
use crate::test::record::Phase;
use crate::test::screen::Screen;
use crate::test::sdk_tests;
use crate::test::suite::Verdict;
use crate::test::tally::Tally;
use crate::test::traces;
use crate::workspace::Workspace;

/// The host tests.
pub const HOST: &str = "host";
/// The test that compiles the headers of the SDK.
pub const HEADERS: &str = "headers";
/// The test of the finished SDK.
pub const SDK: &str = "sdk";
/// The first word of the name of a comparison with recorded figures.
pub const FIGURES: &str = "figures";

/// The first words of the name of a comparison of a full run.
pub const FULL_FIGURES: &str = "full figures";

/// The tests of a run.
pub struct Plan<'a> {
    pub options: &'a Options,
    /// The tests that a change reaches, for a quick run.
    pub quick: Option<Choice>,
    pub boards: &'a [Board],
    /// The tests without a system.
    pub parts: Vec<&'static Part>,
    pub jobs: Vec<Job>,
    /// The boards of which figures are compared, and which figures.
    compared: Vec<(&'a Board, Rows)>,
}

/// A test without a system, or with systems of its own.
pub struct Part {
    pub name: &'static str,
    phase: Phase,
    needs_sdk: bool,
    judge: fn(&Workspace, &Plan<'_>) -> Outcome<Verdict>,
}

/// Every such test, in the order in which they begin. Those that need no SDK run beside systems, the others after them, one by
/// one: they build the same systems.
static PARTS: [Part; 8] = [
    Part {
        name: HOST,
        phase: Phase::HostTests,
        needs_sdk: false,
        judge: |workspace, plan| match &plan.quick {
            Some(choice) => host_tests::run_quickly(workspace, choice),
            None => host_tests::run(workspace),
        },
    },
    Part {
        name: random::TEST,
        phase: Phase::HostTests,
        needs_sdk: false,
        judge: |workspace, _| random::run(workspace),
    },
    Part {
        name: cothreads::NAME,
        phase: Phase::HostTests,
        needs_sdk: false,
        judge: |workspace, _| cothreads::run(workspace),
    },
    Part {
        name: HEADERS,
        phase: Phase::SdkTests,
        needs_sdk: true,
        judge: |workspace, _| Ok(Verdict::single(check::sdk_headers(workspace))),
    },
    Part {
        name: SDK,
        phase: Phase::SdkTests,
        needs_sdk: true,
        judge: |workspace, _| Ok(sdk_tests::run(workspace)),
    },
    Part {
        name: large::TEST,
        phase: Phase::SdkTests,
        needs_sdk: true,
        judge: |workspace, _| large::run(workspace),
    },
    Part {
        name: traces::TEST,
        phase: Phase::SdkTests,
        needs_sdk: true,
        judge: |workspace, plan| Ok(traces::run(workspace, plan.boards)),
    },
    Part {
        name: docs::TEST,
        phase: Phase::SdkTests,
        needs_sdk: true,
        judge: |workspace, plan| {
            docs::run(workspace, docs::pages_of(&plan.options.filter).unwrap_or_default())
        },
    },
];

impl<'a> Plan<'a> {
    /// The tests that the options select.
    ///
    /// # Errors
    /// When a suite cannot be read, or git or cargo fails.
    pub fn of(workspace: &Workspace, boards: &'a [Board], options: &'a Options) -> Outcome<Self> {
        let quick = options.quick.then(|| Choice::of(workspace)).transpose()?;
        let mut jobs = jobs::select(workspace, boards, options, quick.as_ref())?;
        if let Some(choice) = &quick {
            choice.notes.iter().for_each(|note| println!("{note}"));
            for Job { project, boards, .. } in choice.limit(&mut jobs, |job| &job.project.name) {
                println!("left out: {} on {}", project.name, boards[0].name);
            }
        }
        let has_only_systems = options.coverage || options.replay;
        let selects = |part: &&Part| match (&quick, part.name) {
            (Some(choice), name) => choice.selects_part(name),
            (None, HOST) if options.coverage => options.select(HOST),
            (None, name) => !has_only_systems && options.selects_part(name),
        };
        let parts = PARTS.iter().filter(selects).collect();
        let has_figures = quick.is_none() && !has_only_systems;
        let comparisons = |board| options.comparisons(board).map(move |rows| (board, rows));
        let compared = boards.iter().filter(|_| has_figures).flat_map(comparisons).collect();
        Ok(Self { options, quick, boards, parts, jobs, compared })
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.jobs.is_empty() && self.compared.is_empty()
    }

    /// Whether a test uses the SDK.
    pub fn needs_sdk(&self) -> bool {
        !self.jobs.is_empty() || !self.compared.is_empty() || self.parts.iter().any(|part| part.needs_sdk)
    }

    /// The simulated cores that it uses.
    pub fn cores(&self) -> Vec<Board> {
        let booted = self.jobs.iter().flat_map(|job| &job.boards);
        let measured = self.compared.iter().map(|(board, _)| *board);
        booted.chain(measured).filter(|board| board.is_simulated).cloned().collect()
    }

    /// The name of each test.
    pub fn names(&self) -> BTreeSet<String> {
        let parts = self.parts.iter().map(|part| part.name.to_owned());
        let boots = self.jobs.iter().flat_map(|job| job.boards.iter().map(|board| job.name(board)));
        parts.chain(boots).chain(self.compared.iter().map(|(board, rows)| figures(board, *rows))).collect()
    }

    /// The tests of which this run executes only a part.
    pub fn partly(&self) -> Vec<String> {
        let host = (self.options.quick || self.options.coverage).then(|| HOST.to_owned());
        let pages = docs::pages_of(&self.options.filter).filter(|pages| !pages.is_empty());
        let samples = self.compared.iter().filter(|(_, rows)| *rows == Rows::Sample);
        let places = self.jobs.iter().filter(|job| job.places == Places::Sample);
        let boots = places.flat_map(|job| job.boards.iter().map(|board| job.name(board)));
        host.into_iter()
            .chain(pages.map(|_| docs::TEST.to_owned()))
            .chain(samples.map(|(board, rows)| figures(board, *rows)))
            .chain(boots)
            .collect()
    }

    /// Runs everything that can run without the SDK, or everything.
    pub fn run(&self, workspace: &Workspace, has_sdk: bool, tally: &mut Tally) {
        let parts = self.parts.iter().copied().filter(|part| has_sdk || !part.needs_sdk);
        let (jobs, compared) =
            if has_sdk { (self.jobs.as_slice(), self.compared.as_slice()) } else { (&[][..], &[][..]) };
        let (on_sdk, others): (Vec<_>, Vec<_>) = parts.partition(|part| part.needs_sdk);
        self.run_beside(workspace, others, jobs, None, tally);
        let mut steps = Steps::new(on_sdk.len() + compared.len());
        for part in on_sdk {
            steps.next(part.name);
            let begun = Instant::now();
            let verdict = (part.judge)(workspace, self).unwrap_or_else(Verdict::failed);
            tally.add(part.name, part.phase, begun, &verdict);
        }
        for (board, rows) in compared {
            let name = figures(board, *rows);
            steps.next(&name);
            let begun = Instant::now();
            if let Some(outcome) = bench::compare_with_record(workspace, board, *rows) {
                tally.add(&name, Phase::Figures, begun, &outcome.unwrap_or_else(Verdict::failed));
            }
        }
    }

    /// Runs tests that need no SDK, and systems, several at a time: systems use the processor that a test leaves idle.
    pub fn run_beside(
        &self,
        workspace: &Workspace,
        parts: Vec<&'static Part>,
        jobs: &[Job],
        coverage: Option<&Coverage>,
        tally: &mut Tally,
    ) {
        let boots: usize = jobs.iter().map(|job| job.boards.len()).sum();
        let screen = Screen::new(parts.len() + boots, tally);
        let tasks = parts.into_iter().map(Task::Part).chain(jobs.iter().map(Task::Job));
        concurrent::map(tasks.collect(), |task| match task {
            Task::Part(part) => screen.run(part.name, part.phase, |_| (part.judge)(workspace, self)),
            Task::Job(job) => boots::run(workspace, job, &screen, coverage),
        });
    }
}

/// A test that runs beside others.
enum Task<'a> {
    Part(&'static Part),
    Job(&'a Job),
}

/// The name of a comparison with recorded figures, for display and filters.
pub fn figures(board: &Board, rows: Rows) -> String {
    let figures = if rows == Rows::Full { FULL_FIGURES } else { FIGURES };
    format!("{figures} on {}", board.title())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::run::board;
    use crate::test::options::parse;

    /// This workspace and its boards.
    fn everything() -> (Workspace, Vec<Board>) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::at(&root, &root);
        let boards = board::all_names(&workspace).unwrap();
        (workspace, boards)
    }

    #[test]
    fn failures_are_selected_by_their_complete_names() {
        let (workspace, boards) = everything();
        let names = [
            HEADERS,
            "boot/damaged_image on zcu102 (release)",
            "figures on x86_64_generic",
            "full figures on qemu_virt_riscv64",
            "replay of tests/timer on qemu_virt_riscv64 (debug)",
            "tests/calls on qemu_virt_aarch64 (release)",
        ];
        let mut options = parse(lexopt::Parser::from_args(["--failed"])).unwrap();
        let selected = |options: &Options| Plan::of(&workspace, &boards, options).unwrap().names();
        let wanted: BTreeSet<_> = names.map(str::to_owned).into();
        options.only = Some(&wanted | &BTreeSet::from(["tests/gone on zcu102 (debug)".to_owned()]));
        assert_eq!(selected(&options), wanted);
        options.only = Some(BTreeSet::from(["tests/calls".to_owned()]));
        assert!(selected(&options).is_empty());
    }

    #[test]
    fn only_all_tests_compare_full_runs() {
        let (workspace, boards) = everything();
        let figures = |words: &[&str]| {
            let options = parse(lexopt::Parser::from_args(words)).unwrap();
            let plan = Plan::of(&workspace, &boards, &options).unwrap();
            let compared = plan.compared.iter().filter(|(board, _)| board.name == board::DEFAULT);
            compared.map(|(_, rows)| *rows).collect::<Vec<_>>()
        };
        assert_eq!(figures(&[]), [Rows::All]);
        assert_eq!(figures(&["--all"]), [Rows::All, Rows::Full]);
        assert_eq!(figures(&["figures"]), [Rows::All]);
        assert_eq!(figures(&["full figures"]), [Rows::Full]);
        assert_eq!(figures(&["calls"]), []);
    }

    #[test]
    fn all_tests_boot_systems_on_simulated_cores() {
        let (workspace, boards) = everything();
        let on_cores = |words: &[&str]| {
            let options = parse(lexopt::Parser::from_args(words)).unwrap();
            let names = Plan::of(&workspace, &boards, &options).unwrap().names();
            names.into_iter().filter(|name| name.contains(" with rocket")).collect::<BTreeSet<_>>()
        };
        let all = on_cores(&["--all"]);
        assert!(all.contains("examples/hello on qemu_virt_riscv64 with rocket (debug)"), "{all:?}");
        assert!(all.contains("tests/calls on qemu_virt_riscv64 with rocket (release)"), "{all:?}");
        assert!(all.contains("tests/elsewhere on qemu_virt_riscv64 with rocket_4 (smp-release)"), "{all:?}");
        for words in [["--coverage"], ["--replay"]] {
            assert!(on_cores(&words).is_empty(), "{words:?}");
        }
    }

    #[test]
    fn some_pages_are_a_part_of_the_documents() {
        let (workspace, boards) = everything();
        let docs = vec![docs::TEST.to_owned()];
        for (filter, partly) in [("docs debugging", docs.clone()), ("docs", Vec::new())] {
            let options = parse(lexopt::Parser::from_args([filter])).unwrap();
            let plan = Plan::of(&workspace, &boards, &options).unwrap();
            assert_eq!(plan.names().into_iter().collect::<Vec<_>>(), docs, "{filter}");
            assert_eq!(plan.partly(), partly, "{filter}");
        }
    }

    #[test]
    fn a_suite_with_a_sample_of_places_is_partly_tested() {
        let (workspace, boards) = everything();
        let partly = |words: &[&str]| {
            let options = parse(lexopt::Parser::from_args(words)).unwrap();
            Plan::of(&workspace, &boards, &options).unwrap().partly()
        };
        let is_sampled = |name: &&String| name.starts_with("tests/injection_seals on ");
        let sampled = partly(&[]);
        assert_eq!(sampled.iter().filter(is_sampled).count(), 1, "{sampled:?}");
        assert!(!sampled.iter().any(|name| name.starts_with("tests/injection on ")));
        for whole in ["--all", "injection"] {
            assert_eq!(partly(&[whole]).iter().find(is_sampled), None, "{whole}");
        }
    }
}
