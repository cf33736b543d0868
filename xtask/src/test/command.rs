//! `./x test`: host tests, headers, then every on-target suite and example on every board.

use std::time::Instant;

use limen_nearest::advice;

use crate::command::Command;
use crate::failure::{Failure, Outcome};
use crate::run::board;
use crate::run::project::Project;
use crate::sdk;
use crate::shell::progress;
use crate::simulated_core;
use crate::test::boot_case::{CASES, Case};
use crate::test::busy::Busy;
use crate::test::cothreads;
use crate::test::coverage::Coverage;
use crate::test::docs;
use crate::test::host_coverage;
use crate::test::large;
use crate::test::options::{self, Options};
use crate::test::plan::{FIGURES, FULL_FIGURES, HEADERS, HOST, Plan, SDK};
use crate::test::random;
use crate::test::record::{self, Phase};
use crate::test::suite::Verdict;
use crate::test::tally::{Tally, Terms};
use crate::test::traces;
use crate::workspace::{CONFIGS, Workspace};

/// The command.
pub const COMMAND: Command =
    Command { name: "test", summary: "host tests, then every suite and example in QEMU", help: HELP, run };

const HELP: &str = "
usage: ./x test [FILTER] [--board BOARD] [--all] [--coverage] [--trace-limit GIB]
       ./x test FILTER --board BOARD --variant NAME
       ./x test --quick [--board BOARD]
       ./x test --replay FILTER [--board BOARD]
       ./x test --repeat N FILTER [--beside M] [--board BOARD] [--replay]
       ./x test --failed [--repeat N [--beside M]]

Runs the tests of the host crates (`host`) and of the cothread library on this machine (`cothreads on the host`), tests the
finished SDK (`sdk`), and records and reads traces of systems (`traces`). With --all, also compiles every header of the SDK
(`headers`), checks how the tool's cost grows with descriptions (`large descriptions`), compares thousands of systems with the
specification (`random systems`), runs the commands that the documents show (`docs`; `docs NAME` runs those of the pages
with NAME in their names), and compares figures of runs with all samples (`full figures`). Then boots, on every board, the suites
under tests/ in debug and release, the examples with an expected.txt in debug or where their suite.toml says, and unusual
boots (`boot/...`). Replays a suite on one board of each instruction set, and compares the cost of paths with the records in
bench/golden (`figures`). Suites and examples that ask for variants of a board boot once more with them, in debug. Ends with
the slowest tests, and a line `N passed, N failed`.

Without FILTER, --board and --all, each system boots on the usual board of each instruction set, in one of its configurations
in turn; those that depend on a board's devices boot on every board. Further boards than the default one compare a sample of
their figures. docs/testing.md has the rules. build/test.json has the result and the time of each test.

  FILTER              run only tests whose name contains this, as in `host` or `tests/calls on qemu_virt_aarch64`
  --board BOARD       run only on this board; older names work as well
  --variant NAME      run only on this variant of the board: another machine, or a simulated core, on which suites that
                      need the emulator are left out; may be repeated
  --all               run everything: each system in all configurations on every board, some on a simulated core, and
                      all figures
  --quick             run what a change reaches: the host tests of the crates whose files differ from origin/main and of
                      those that use them, and changed or chosen suites in debug on one board of each instruction set
  --failed            run exactly those tests that failed when they last ran
  --repeat N          run everything that FILTER selects N times, count how often each test passed, and fail if one failed
  --beside M          start M busy processes beside the repeated runs, and stop them at the end
  --replay            run only systems: the kernel records each event, and a program on the host executes it with the
                      kernel's core and compares the outcomes
  --coverage          run only systems and the kernel's host tests, slowly: print which part of each file of the kernel
                      they execute, and write a page with the lines that they do not
  --trace-limit GIB   the largest trace file of a suite that injects events, after which the emulator is stopped; default: 2
";

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let mut options = options::parse(arguments)?;
    if options.failed {
        let failing = record::failing(workspace)?;
        if failing.is_empty() {
            println!("nothing to repeat: every test passed when it last ran\n0 passed, 0 failed");
            return Ok(());
        }
        options.only = Some(failing);
    }
    let boards = match &options.board {
        Some(name) => vec![board::named(workspace, name)?.with(&options.variants)?],
        None => board::all_names(workspace)?,
    };
    let plan = Plan::of(workspace, &boards, &options)?;
    let (partly, repeats) = (plan.partly(), options.repeat.is_some());
    let mut terms = Terms { partly, repeats, ..Terms::default() };
    if let Some(only) = &options.only {
        let names = plan.names();
        terms.gone = only.difference(&names).cloned().collect();
        for name in &terms.gone {
            println!("gone   {name}: there is no such test any more");
        }
    } else if plan.is_empty() && options.quick {
        println!("nothing to run\n0 passed, 0 failed");
        return Ok(());
    } else if plan.is_empty() {
        return Err(no_test(workspace, &options)?);
    }
    let mut tally = Tally::begin();
    if options.coverage {
        cover(workspace, &plan, &mut tally)?;
        return tally.finish(workspace, &terms);
    }
    build_cores(workspace, &plan)?;
    let has_sdk = plan.needs_sdk() && build_sdk(workspace, &mut tally);
    let _busy = Busy::start(options.beside)?;
    for _ in 0..options.repeat.unwrap_or(1) {
        plan.run(workspace, has_sdk, &mut tally);
    }
    if tally.is_empty() && options.only.is_none() {
        return Err(no_test(workspace, &options)?);
    }
    tally.finish(workspace, &terms)
}

/// Builds the simulated cores of the plan. Says so if this machine cannot build those that the user has not named.
fn build_cores(workspace: &Workspace, plan: &Plan<'_>) -> Outcome {
    let cores = plan.cores();
    let is_lacking = cores.iter().any(|core| !simulated_core::is_built(workspace, core));
    if is_lacking
        && plan.options.variants.is_empty()
        && let Some(reason) = simulated_core::not_buildable(workspace)?
    {
        println!("left out: systems on simulated cores; {reason}");
        return Ok(());
    }
    simulated_core::build(workspace, &cores)
}

/// Builds the SDK; returns whether it exists.
fn build_sdk(workspace: &Workspace, tally: &mut Tally) -> bool {
    let begun = Instant::now();
    match sdk::build(workspace) {
        Ok(()) => {
            tally.built_sdk(begun.elapsed());
            true
        }
        Err(failure) => {
            tally.add(SDK, Phase::Building, begun, &Verdict::failed(failure));
            false
        }
    }
}

/// Runs systems and host tests, and reports which lines of the kernel they execute.
fn cover(workspace: &Workspace, plan: &Plan<'_>, tally: &mut Tally) -> Outcome {
    sdk::build(workspace)?;
    let mut by_host_tests = None;
    if plan.parts.iter().any(|part| part.name == HOST) {
        progress::show("building and running host tests of the kernel");
        let begun = Instant::now();
        let (verdict, lines) = host_coverage::run(workspace)?;
        tally.add(HOST, Phase::HostTests, begun, &verdict);
        by_host_tests = Some(lines);
    }
    let usual = plan.boards.iter().filter(|board| plan.options.run_everything_on(board));
    let kernels = usual.map(|board| workspace.kernel(&board.name, CONFIGS[0]));
    let coverage = Coverage::new(kernels, by_host_tests);
    plan.run_beside(workspace, Vec::new(), &plan.jobs, Some(&coverage), tally);
    coverage.report(workspace)
}

/// The failure for a filter that matches no name. Boards and configurations follow the word `on`.
fn no_test(workspace: &Workspace, options: &Options) -> Outcome<Failure> {
    let filter = &options.filter;
    let parts = [HOST, random::TEST, cothreads::NAME, HEADERS, SDK, large::TEST, traces::TEST, docs::TEST];
    let mut names = [parts.as_slice(), &[FIGURES, FULL_FIGURES]]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    for shelf in ["tests", "examples"] {
        names.extend(Project::on_shelf(workspace, shelf)?.into_iter().map(|project| project.name));
    }
    names.extend(CASES.iter().map(Case::title));
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let wanted = filter.split(" on ").next().unwrap_or_default();
    let is_system = wanted.contains('/');
    let advice = if names.contains(&wanted) && !is_system && options.replay {
        "--replay runs only systems".to_owned()
    } else if names.contains(&wanted) && !is_system && options.coverage {
        "--coverage runs only systems and `host`".to_owned()
    } else if names.contains(&wanted) {
        format!("`./x test {wanted}` runs it on all of its boards")
    } else {
        advice(wanted, &names, "./x test --help lists the names")
    };
    Ok(Failure::new(format!("no test has '{filter}' in its name; {advice}")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_closest_name_is_suggested_for_a_filter_without_a_test() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let with = |words: &[&str]| {
            let options = options::parse(lexopt::Parser::from_args(words)).unwrap();
            no_test(&Workspace::at(&root, &root), &options).unwrap().to_string()
        };
        let said = |filter: &str| with(&[filter]);
        assert!(with(&["--replay", "docs"]).ends_with("; --replay runs only systems"));
        assert!(with(&["--coverage", "sdk"]).ends_with("; --coverage runs only systems and `host`"));
        assert_eq!(said("hots"), "no test has 'hots' in its name; did you mean `host`?");
        assert_eq!(
            said("tests/timr on zcu102"),
            "no test has 'tests/timr on zcu102' in its name; did you mean `tests/timer`?"
        );
        assert_eq!(
            said("tests/timer on pdp11"),
            "no test has 'tests/timer on pdp11' in its name; `./x test tests/timer` runs it on all of its boards"
        );
        assert!(said("kitchen").ends_with("; ./x test --help lists the names"));
    }
}
