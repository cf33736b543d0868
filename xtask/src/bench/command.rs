//! `./x bench`: boots the systems under `bench/` in deterministic emulation and reports their figures.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use lexopt::prelude::*;
use limen_report::{
    Changes, ColdRecord, Comparison, Difference, Floors, Golden, Page, Reference, Results, Sections,
};

use crate::bench::counting::Counting;
use crate::bench::environment;
use crate::bench::growth;
use crate::bench::kept::Start;
use crate::bench::listing;
use crate::bench::measure;
use crate::bench::native;
use crate::bench::order;
use crate::bench::trace::MOST_GIB;
use crate::command::{Command, number, one_of, only};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::run::project::Project;
use crate::sdk::{self, generate};
use crate::shell::files;
use crate::simulated_core;
use crate::test::suite::Verdict;
use crate::workspace::{Workspace, configs};

/// The command.
pub const COMMAND: Command =
    Command { name: "bench", summary: "measure every path and compare with the reference", help: HELP, run };

const HELP: &str = "
usage: ./x bench --native [--record]
       ./x bench [FILTER] [--board BOARD]... [--variant NAME]... [--from RUN]... [--compare RUN]...
                 [--json FILE] [--html FILE] [--quick] [--cold] [--record] [--resume] [--model]
       ./x bench PATH [--config CONFIG] [--board BOARD]... [--compare RUN]... [--json FILE] ...
       ./x bench SYSTEM --trace ROW [--trace-limit GIB] [--board BOARD]...
       ./x bench --order [--board BOARD]...

Boots every system under bench/ in its release configuration on an emulator that counts instructions exactly,
so that every machine prints the same figures. Prints them beside the reference and the targets.

  FILTER              measure only systems whose name contains this, as in bench/ppc
  PATH                measure a system of your own: a folder with a Makefile, outside of bench/. The rows are those that
                      it prints
  --config CONFIG     its configuration: debug, release or benchmark, or the same with smp-; default: release
  --board BOARD       default: qemu_virt_aarch64; may be repeated to measure several boards in turn
  --variant NAME      another machine or option of the board, see its data file; may be repeated
  --from RUN          read the figures from a file that --json has written, instead of measuring; may be repeated
  --compare RUN       show the changes since the run in this file; may be repeated for several boards
  --json FILE         write the figures of one board for other programs
  --html FILE         write a page with tables and charts
  --model             instead of measuring, estimate the cycles of some paths with models of processors; with --record,
                      record them
  --trace ROW         instead of measuring, list the instructions of one sample of a row, those of programs by address, as in
                      ./x bench bench/ppc --trace 'ppc_rt server=passive words=0 fpu=off'. On a simulated core with
                      what each waited for, and a table of functions
  --trace-limit GIB   the largest trace file, after which the emulator is stopped; default: 2
  --order             instead of measuring, write the order of the kernel's functions, in which the next build places
                      them: those that measured paths execute, as they first run
  --native            time the programs of bench/native on this machine instead; only ratios within a run count. With
                      --record, record them
  --quick             fewer repetitions (programs are built with QUICK=1)
  --cold              also count the cache lines and pages of the kernel that one operation of each row touches
  --resume            use the figures of systems that an earlier run of the same commit has measured; a run keeps those of
                      each system as soon as it has them, so one that ended early loses nothing
  --record            record the figures in bench/golden, with which `./x test` compares, quickly; with --cold, those
                      counts too. With FILTER, only the rows of these systems; those that they no longer print stay.
                      Tables in documents that show them are rewritten

On a simulated core, as --variant rocket of qemu_virt_riscv64, the figures are cycles, and without FILTER only some systems
run, because each takes minutes. docs/hardware.md describes the core.
";

#[derive(Default)]
struct Options {
    filter: String,
    boards: Vec<String>,
    variants: Vec<String>,
    from: Vec<PathBuf>,
    compare: Vec<PathBuf>,
    json: Option<PathBuf>,
    html: Option<PathBuf>,
    quick: bool,
    start: Start,
    native: bool,
    order: bool,
    counting: Counting<'static>,
    model: bool,
    record: bool,
    trace: Option<String>,
    trace_limit: Option<u32>,
    config: Option<String>,
}

/// The figures of a board, measured or read.
struct Run {
    board: Board,
    results: Results,
}

fn run(workspace: &Workspace, arguments: lexopt::Parser) -> Outcome {
    let options = parse(arguments)?;
    if options.native {
        let recording = if options.record { native::Recording::On } else { native::Recording::Off };
        return native::run(workspace, recording);
    }
    if let Some(row) = &options.trace {
        return trace(workspace, &options, row);
    }
    if options.order {
        return order(workspace, &options);
    }
    if options.counting.is_on() || options.model {
        boards(workspace, &options)?
            .iter()
            .try_for_each(|board| board.check_emulated("--cold or --model"))?;
    }
    let older = options.compare.iter().map(|file| read(workspace, file)).collect::<Outcome<Vec<_>>>()?;
    let own = own_project(workspace, &options)?;
    let runs = runs(workspace, &options, own.as_ref(), &older)?;
    let in_instructions = Reference::built_in().map_err(Failure::new)?;
    let in_cycles = Reference::in_cycles().map_err(Failure::new)?;
    let comparisons = runs.iter().map(|Run { board, results }| {
        let reference = if board.is_simulated { &in_cycles } else { &in_instructions };
        Comparison::new(results, reference, board.machine())
    });
    let comparisons: Vec<_> = comparisons.collect();
    let changes = changes(&options.compare, &older, &runs)?;
    comparisons.iter().for_each(|comparison| print!("{}", comparison.to_text()));
    changes.iter().for_each(|changes| print!("\n{}", changes.to_text()));
    if options.record && options.model {
        record_models(workspace, &runs)?;
    } else if options.record {
        record(workspace, &runs, &options.filter)?;
    }
    if let (Some(file), [run]) = (&options.json, runs.as_slice()) {
        files::write(&workspace.called_from(file), run.results.to_json())?;
    }
    if let Some(file) = &options.html {
        let sections = Sections::built_in().map_err(Failure::new)?;
        let floors = Floors::built_in().map_err(Failure::new)?;
        let page = Page { runs: &comparisons, changes: &changes, sections: &sections, floors: &floors };
        files::write(&workspace.called_from(file), page.to_html())?;
    }
    Ok(())
}

fn parse(mut arguments: lexopt::Parser) -> Outcome<Options> {
    let (mut options, mut filter) = (Options::default(), None);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("board") => options.boards.push(arguments.value()?.string()?),
            Long("variant") => options.variants.push(arguments.value()?.string()?),
            Long("from") => options.from.push(arguments.value()?.into()),
            Long("compare") => options.compare.push(arguments.value()?.into()),
            Long("json") => options.json = Some(arguments.value()?.into()),
            Long("html") => options.html = Some(arguments.value()?.into()),
            Long("quick") => options.quick = true,
            Long("resume") => options.start = Start::Resumed,
            Long("model") => options.model = true,
            Long("trace") => options.trace = Some(arguments.value()?.string()?),
            Long("trace-limit") => {
                let gib: NonZeroU32 =
                    number(&mut arguments, "--trace-limit", "a whole number of GiB above 0")?;
                options.trace_limit = Some(gib.get());
            }
            Long("config") => {
                options.config = Some(one_of("configuration", arguments.value()?.string()?, &configs())?)
            }
            Long("cold") => options.counting = Counting::Cold,
            Long("order") => options.order = true,
            Long("native") => options.native = true,
            Long("record") => (options.record, options.quick) = (true, true),
            Value(name) => only(&mut filter, name)?,
            other => return Err(other.unexpected().into()),
        }
    }
    // A shell completes folders with a slash.
    options.filter = filter.unwrap_or_default().trim_end_matches('/').to_owned();
    if options.boards.is_empty() && options.from.is_empty() {
        options.boards.push(board::DEFAULT.to_owned());
    }
    options.check()?;
    Ok(options)
}

impl Options {
    /// Rejects contradictory options before anything is measured.
    fn check(&self) -> Outcome {
        let sentence = if self.trace.is_some() && self.filter.is_empty() {
            "--trace needs the system of the row: ./x bench bench/ppc --trace ROW"
        } else if self.trace_limit.is_some() && self.trace.is_none() {
            "--trace-limit is the largest file of a trace: give --trace ROW as well"
        } else if self.trace.is_some() && self.writes_or_reads_runs() {
            "--trace measures nothing: omit --from, --compare, --json, --html, --record and --model"
        } else if self.start == Start::Resumed && (self.model || self.trace.is_some() || self.native) {
            "--resume continues a measurement: omit --model, --trace and --native"
        } else if self.order
            && (!self.filter.is_empty() || self.trace.is_some() || self.writes_or_reads_runs())
        {
            "--order has its own systems and measures nothing: omit FILTER and all options but --board"
        } else if self.counting.is_on() && (self.model || self.trace.is_some() || self.native) {
            "--cold counts what measured systems touch: omit --model, --trace and --native"
        } else if self.model && !self.filter.is_empty() {
            "--model has its own systems: omit FILTER"
        } else if self.record && !self.from.is_empty() {
            "a record needs a new measurement: omit --from"
        } else if self.json.is_some() && self.boards.len() + self.from.len() > 1 {
            "--json writes the run of one board: measure each with its own file, and combine them with --from"
        } else {
            return Ok(());
        };
        Err(Failure::new(sentence))
    }

    /// Whether the options ask for figures, which a trace does not produce.
    fn writes_or_reads_runs(&self) -> bool {
        let files = self.from.len() + self.compare.len();
        files != 0 || self.json.is_some() || self.html.is_some() || self.record || self.model
    }
}

/// The boards that the options name.
fn boards(workspace: &Workspace, options: &Options) -> Outcome<Vec<Board>> {
    options.boards.iter().map(|name| board::named(workspace, name)?.with(&options.variants)).collect()
}

fn order(workspace: &Workspace, options: &Options) -> Outcome {
    let boards = boards(workspace, options)?;
    boards.iter().try_for_each(|board| board.check_emulated("--order"))?;
    sdk::build(workspace)?;
    boards.iter().try_for_each(|board| order::write(workspace, board))
}

fn trace(workspace: &Workspace, options: &Options, row: &str) -> Outcome {
    let boards = boards(workspace, options)?;
    simulated_core::build(workspace, &boards)?;
    sdk::build(workspace)?;
    boards.iter().try_for_each(|board| {
        print!(
            "{}",
            listing::of(workspace, board, &options.filter, row, options.trace_limit.unwrap_or(MOST_GIB))?
        );
        Ok(())
    })
}

/// All runs, starting with those read from files. Errors in files are reported before a board is measured.
fn runs(
    workspace: &Workspace,
    options: &Options,
    own: Option<&Project>,
    older: &[Results],
) -> Outcome<Vec<Run>> {
    let from = options.from.iter().map(|file| {
        let results = read(workspace, file)?;
        let board = board::titled(workspace, &results.board).context(|| file.display().to_string())?;
        Ok(Run { board, results })
    });
    let mut runs = from.collect::<Outcome<Vec<_>>>()?;
    let config = options.config.as_deref().unwrap_or(measure::CONFIG);
    let boards = boards(workspace, options)?.into_iter().map(|board| board.for_config(config));
    let boards = boards.collect::<Outcome<Vec<_>>>()?;
    let titles: Vec<_> =
        runs.iter().map(|run| run.results.board.clone()).chain(boards.iter().map(Board::title)).collect();
    are_of_boards(&options.compare, older, &titles)?;
    if own.is_none() {
        measure::find(workspace, &options.filter)?;
    }
    simulated_core::build(workspace, &boards)?;
    if !boards.is_empty() {
        sdk::build_with(workspace, config)?;
    }
    for board in boards {
        let results = if options.model {
            measure::model(workspace, &board)?
        } else if let Some(project) = own {
            measure::of_project(workspace, &board, project, config, options.quick, options.counting)?
        } else {
            measure::run(workspace, &board, &options.filter, options.quick, options.start, options.counting)?
        };
        runs.push(Run { board, results });
    }
    Ok(runs)
}

/// The user's own system, if the filter is the path of one.
fn own_project(workspace: &Workspace, options: &Options) -> Outcome<Option<Project>> {
    let typed = if options.filter.is_empty() { None } else { Project::typed(workspace, &options.filter)? };
    let own = typed.filter(|project| !project.name.starts_with("bench/"));
    if own.is_some() && options.record {
        return Err(Failure::new("--record is for the systems of bench/: omit PATH"));
    }
    if own.is_none() && options.config.is_some() {
        return Err(Failure::new(
            "--config needs PATH, a system outside of bench/: measured paths have the release configuration",
        ));
    }
    Ok(own)
}

/// Checks that each earlier run has a run to compare with.
fn are_of_boards(files: &[PathBuf], older: &[Results], titles: &[String]) -> Outcome {
    let mut others = files.iter().zip(older).filter(|(_, old)| !titles.contains(&old.board));
    let Some((file, old)) = others.next() else { return Ok(()) };
    Err(Failure::new(format!(
        "{} is a run on {}, but this one is on {}: compare runs on the same board",
        file.display(),
        old.board,
        titles.join(", ")
    )))
}

fn read(workspace: &Workspace, file: &Path) -> Outcome<Results> {
    let text = files::read(&workspace.called_from(file))?;
    Results::from_json(&text).map_err(|reason| Failure::new(format!("{}: {reason}", file.display())))
}

fn changes<'a>(files: &[PathBuf], older: &'a [Results], runs: &'a [Run]) -> Outcome<Vec<Changes<'a>>> {
    let of_file = |(file, old): (&PathBuf, &'a Results)| {
        let same = runs.iter().filter(|run| run.results.board == old.board);
        let changes = same.map(|run| {
            let changes = Changes::between(old, &run.results);
            changes.map_err(|reason| Failure::new(format!("{}: {reason}", file.display())))
        });
        changes.collect::<Vec<_>>()
    };
    files.iter().zip(older).flat_map(of_file).collect()
}

fn record(workspace: &Workspace, runs: &[Run], filter: &str) -> Outcome {
    if !filter.is_empty() {
        runs.iter().try_for_each(|run| record_some(workspace, run))?;
        return generate::write_figures(workspace);
    }
    runs.iter().try_for_each(|run| {
        files::write(&golden(workspace, &run.board), Golden::of(&run.results).to_text())?;
        let cold = ColdRecord::of(&run.results);
        if cold.is_empty() {
            Ok(())
        } else {
            files::write(&golden_cold(workspace, &run.board), cold.to_text())
        }
    })?;
    // Traces take minutes; they neither delay the tables nor depend on their comments.
    let tables = generate::write_figures(workspace);
    let mut counted = runs.iter().filter(|run| !run.board.is_simulated);
    counted.try_for_each(|run| growth::record(workspace, &run.board))?;
    tables
}

/// Records the figures of a run among those of other systems.
fn record_some(workspace: &Workspace, run: &Run) -> Outcome {
    let file = golden(workspace, &run.board);
    if !file.exists() {
        return files::write(&file, Golden::of(&run.results).to_text());
    }
    let mut golden = recorded(workspace, &file)?;
    let others = golden.other_tools(&run.results.environment);
    if !others.is_empty() {
        let others = others.join(", ");
        return Err(Failure::new(format!("the record was made with other tools ({others}): omit FILTER")));
    }
    golden.update(&run.results);
    files::write(&file, golden.to_text())?;
    if run.board.is_simulated {
        return Ok(());
    }
    let mut cold = recorded_cold(workspace, &run.board)?;
    cold.update(&run.results);
    files::write(&golden_cold(workspace, &run.board), cold.to_text())
}

/// Records the modelled cycles of runs, and rewrites the tables that show them.
fn record_models(workspace: &Workspace, runs: &[Run]) -> Outcome {
    for run in runs {
        let file = workspace.path("bench/golden").join(run.board.title() + ".model.txt");
        files::write(&file, Golden::of(&run.results).to_text())?;
    }
    generate::write_figures(workspace)
}

/// The figures in a file.
fn recorded(workspace: &Workspace, file: &Path) -> Outcome<Golden> {
    Golden::parse(&files::read(file)?)
        .map_err(|reason| Failure::new(format!("{}: {reason}", workspace.display(file))))
}

/// The file with a board's recorded figures.
fn golden(workspace: &Workspace, board: &Board) -> PathBuf {
    workspace.path("bench/golden").join(board.file_name() + ".txt")
}

/// The file with a board's recorded counts of the kernel's memory.
fn golden_cold(workspace: &Workspace, board: &Board) -> PathBuf {
    workspace.path("bench/golden").join(board.file_name() + ".cold.txt")
}

/// A board's recorded counts; empty without a record.
fn recorded_cold(workspace: &Workspace, board: &Board) -> Outcome<ColdRecord> {
    let file = golden_cold(workspace, board);
    if !file.exists() {
        return Ok(ColdRecord::default());
    }
    ColdRecord::parse(&files::read(&file)?)
        .map_err(|reason| Failure::new(format!("{}: {reason}", workspace.display(&file))))
}

/// The systems whose rows [`Rows::Sample`] compares: calls, signals and faults.
const SAMPLE: [&str; 3] = ["bench/fault", "bench/notify", "bench/ppc"];

/// Which recorded rows to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// All, and the cold counts.
    All,
    /// Those of [`SAMPLE`].
    Sample,
    /// Those that a full run shares with the record.
    Full,
}

impl Rows {
    /// Whether a difference of such a run from the record matters. A full run names some rows by its number of rounds, has
    /// some that are not recorded, and may round a median to the other side.
    fn matters(self, difference: &Difference) -> bool {
        match (self, difference) {
            (Self::Sample, Difference::Gone { .. }) => false,
            (Self::Full, Difference::Gone { .. } | Difference::New { .. }) => false,
            (Self::Full, Difference::Changed { from, to, .. }) => from.abs_diff(*to) > 1,
            _ => true,
        }
    }
}

/// Compares the board's figures with the recorded ones; `None` if nothing is recorded. If tools have other versions
/// than in the record, nothing is measured, and a note says so.
pub fn compare_with_record(workspace: &Workspace, board: &Board, rows: Rows) -> Option<Outcome<Verdict>> {
    let file = golden(workspace, board);
    file.exists().then(|| compare_with(workspace, board, &file, rows))
}

fn compare_with(workspace: &Workspace, board: &Board, file: &Path, rows: Rows) -> Outcome<Verdict> {
    let golden = recorded(workspace, file)?;
    let others = golden.other_tools(&environment::of(board)?);
    if !others.is_empty() {
        let note = format!("nothing is compared: {}; the record was made with the latter", others.join(", "));
        return Ok(Verdict { notes: vec![note], ..Verdict::default() });
    }
    let quick = rows != Rows::Full;
    let measure = |filter, counting| measure::run(workspace, board, filter, quick, Start::Anew, counting);
    let (mut results, mut cold) = (None, ColdRecord::default());
    match rows {
        Rows::All => {
            cold = recorded_cold(workspace, board)?;
            let counting = if cold.is_empty() { Counting::Off } else { Counting::AsRecorded(&cold) };
            results = Some(measure("", counting)?);
        }
        Rows::Full => results = Some(measure("", Counting::Off)?),
        Rows::Sample => {
            for system in SAMPLE {
                let further = measure(system, Counting::Off)?;
                match &mut results {
                    None => results = Some(further),
                    Some(results) => results.rows.extend(further.rows),
                }
            }
        }
    }
    let Some(results) = results else { return Ok(Verdict::default()) };
    // The simulator repeats every run to the cycle.
    let mut differences = match board.is_simulated {
        true => golden.differences_above(0, &results),
        false => golden.differences(&results),
    };
    differences.retain(|difference| rows.matters(difference));
    let mut sentences: Vec<_> = differences.iter().map(ToString::to_string).collect();
    sentences.extend(cold.differences(&results));
    if sentences.is_empty() {
        return Ok(Verdict::single(Ok(())));
    }
    let told: String = sentences.iter().map(|sentence| format!("{sentence}\n")).collect();
    let changed: Vec<_> = differences.iter().map(Difference::row).collect();
    let reasons =
        if board.is_simulated { String::new() } else { growth::explain(workspace, board, &changed)? };
    let cold = if cold.is_empty() { "" } else { "--cold " };
    let variants: String = board.chosen.iter().map(|name| format!("--variant {name} ")).collect();
    let way_out = match rows {
        Rows::Full => format!(
            "If ./x test 'figures on {}' passes, these rows depend on the number of samples: change their systems",
            board.title()
        ),
        Rows::All | Rows::Sample => {
            format!("If the change is intended: ./x bench --board {} {variants}{cold}--record", board.name)
        }
    };
    Err(Failure::new(told + &reasons + &way_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_run_is_compared_by_the_rows_that_it_shares() {
        let row = "x".to_owned();
        let all = [
            Difference::Changed { row: row.clone(), from: 34, to: 35 },
            Difference::Changed { row: row.clone(), from: 34, to: 36 },
            Difference::New { row: row.clone(), to: 7 },
            Difference::Gone { row },
        ];
        let matters = |rows: Rows| all.each_ref().map(|difference| rows.matters(difference));
        assert_eq!(matters(Rows::All), [true; 4]);
        assert_eq!(matters(Rows::Sample), [true, true, true, false]);
        assert_eq!(matters(Rows::Full), [false, true, false, false]);
    }

    #[test]
    fn an_unknown_system_is_named_before_anything_is_built() {
        let workspace = Workspace::locate().unwrap();
        let failure = measure::find(&workspace, "bench/notfy").unwrap_err().to_string();
        assert!(failure.contains("no measured system has 'bench/notfy'"), "{failure}");
        assert!(failure.contains("did you mean `bench/notify`?"), "{failure}");
        for known in ["", "bench/ppc", "large", "irq"] {
            measure::find(&workspace, known).unwrap();
        }
    }

    fn options(words: &[&str]) -> Outcome<Options> {
        parse(lexopt::Parser::from_args(words))
    }

    #[test]
    fn contradictions_are_reported_before_anything_is_measured() {
        for (words, sentence) in [
            (&["--model", "bench/ppc"][..], "--model has its own systems"),
            (&["--order", "bench/ppc"], "--order has its own systems"),
            (&["--order", "--record"], "--order has its own systems"),
            (&["--cold", "--model"], "--cold counts what measured systems touch"),
            (&["--record", "--from", "run.json"], "omit --from"),
            (&["--json", "run.json", "--board", "a", "--board", "b"], "the run of one board"),
            (&["--trace", "notify fpu=off"], "--trace needs the system"),
            (&["bench/notify", "--trace-limit", "4"], "give --trace ROW as well"),
            (
                &["bench/notify", "--trace", "notify fpu=off", "--trace-limit", "0"],
                "--trace-limit takes a whole number of GiB above 0, not '0'",
            ),
            (
                &["bench/notify", "--trace", "notify fpu=off", "--json", "run.json"],
                "--trace measures nothing",
            ),
        ] {
            let failure = options(words).err().map(|failure| failure.to_string()).unwrap_or_default();
            assert!(failure.contains(sentence), "{words:?}: {failure}");
        }
    }

    #[test]
    fn a_run_from_a_file_is_not_measured() {
        assert_eq!(options(&[]).unwrap().boards, [board::DEFAULT]);
        assert!(options(&["--from", "run.json"]).unwrap().boards.is_empty());
    }

    #[test]
    fn a_run_on_another_board_is_named() {
        let json = r#"{"schema":1,"board":"a","config":"c","unit":"u","commit":"v","rows":[]}"#;
        let older = [Results::from_json(json).unwrap()];
        let files = [PathBuf::from("old.json")];
        assert!(are_of_boards(&files, &older, &["a".to_owned()]).is_ok());
        let failure = are_of_boards(&files, &older, &["b".to_owned()]).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "old.json is a run on a, but this one is on b: compare runs on the same board"
        );
    }
}
