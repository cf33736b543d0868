//! Traces of measured systems: every executed instruction, as the emulator or the simulated core logs it, and the part that
//! belongs to a row.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use limen_executed::{KERNEL, UNCOUNTED, reads_counter};
use limen_report::Row;

use crate::bench::environment;
use crate::bench::measure;
use crate::bench::waits::Waits;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::{Build, Project};
use crate::run::qemu::{Audience, Boot, Session};
use crate::workspace::Workspace;

/// Logs every instruction, with its encoding when it is first translated.
const WRITTEN: [&str; 4] = ["-d", "exec,nochain,in_asm", "-D", "{folder}/trace.txt"];
/// Translates one instruction at a time: the option since QEMU 8.1, and the one before.
const SINGLE: [&str; 2] = ["-accel", "tcg,one-insn-per-tb=on"];
const SINGLE_BEFORE_8_1: [&str; 1] = ["-singlestep"];
/// Logs every instruction of the simulated core, with the cycles that it waited.
const TIMED: [&str; 2] = ["--trace", "{folder}/trace.txt"];
/// Logs the reads of the simulated core's counter by programs, with what passed in between.
pub const READS: [&str; 4] = ["--trace", "{folder}/trace.txt", "--trace-reads", "1"];
/// The trace file, in the image's folder.
pub const FILE: &str = "trace.txt";

/// Largest trace file in GiB, unless the user allows more: about fifteen million instructions each.
pub const MOST_GIB: u32 = 2;
/// The unit in which POSIX shells limit the size of files.
const BLOCK_BYTES: u64 = 512;

/// How long a traced system may print nothing: boot alone takes half a minute.
pub const SILENCE: Duration = Duration::from_secs(600);

/// Reads from the first to the last of a sample: two programs on its way may read the counter.
const MOST_READS: usize = 3;

/// A traced run of a system.
pub struct Recording {
    /// The printed rows.
    pub rows: Vec<Row>,
    trace: Trace,
    /// The instruction set.
    architecture: String,
}

/// An executed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its address.
    pub address: u64,
    code: usize,
}

#[cfg(test)]
impl Step {
    /// An instruction of no known encoding.
    pub const fn at(address: u64) -> Self {
        Self { address, code: 0 }
    }
}

/// When an instruction retired on a simulated core, and in how many cycles since the one before in the trace the core waited, by
/// reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Since the core's reset.
    pub cycle: usize,
    /// Instructions that retired since the one before in the trace, with this one.
    pub instructions: usize,
    /// For walks of the page tables, which may read lines.
    pub walks: usize,
    /// For lines of the data cache.
    pub data: usize,
    /// For lines of the instruction cache.
    pub code: usize,
}

/// Two reads of the counter, as indices of steps, and the time that a read takes.
struct Window {
    first: usize,
    last: usize,
    overhead: usize,
}

#[derive(Default)]
struct Trace {
    steps: Vec<Step>,
    /// Of each step on a simulated core; empty in the emulator.
    timings: Vec<Timing>,
    /// Encodings, as bytes in memory order.
    codes: Vec<Vec<u8>>,
}

/// The options that make a board's emulator write a trace.
///
/// # Errors
/// When the emulator cannot be started.
pub fn options(board: &Board) -> Outcome<Vec<&'static str>> {
    if board.is_simulated {
        return Ok(TIMED.to_vec());
    }
    let single: &[&str] =
        if environment::emulator_version(board)? < (8, 1) { &SINGLE_BEFORE_8_1 } else { &SINGLE };
    Ok([single, &WRITTEN].concat())
}

impl Recording {
    /// Builds a system with few samples and runs it. The trace file may grow to this many GiB.
    ///
    /// # Errors
    /// When it does not build, fails, or the emulator logs nothing or too much.
    pub fn of(
        workspace: &Workspace,
        board: &Board,
        project: &Project,
        build: &[String],
        most_gib: u32,
    ) -> Outcome<Self> {
        let own = [Some("TRACE=1"), board.is_simulated.then_some(measure::SIMULATED_BUILD)];
        let variables: Vec<_> = build.iter().map(String::as_str).chain(own.into_iter().flatten()).collect();
        let image = project
            .build(workspace, &Build { board, config: measure::config_of(build), variables: &variables })?;
        let file = image.with_file_name(FILE);
        let extra = [board.deterministic(), &options(board)?].concat();
        let session = limited(board, &image, &extra, &file, Limit::of_gib(most_gib));
        let recording = session.and_then(|session| {
            let rows = measure::printed(&session)?;
            let trace = match board.is_simulated {
                true => Trace::read_timed(&file)?,
                false => Trace::read(&file, board.architecture != "x86_64")?,
            };
            Ok(Self { rows, trace, architecture: board.architecture.clone() })
        });
        // A failed run leaves no large file either.
        let removed = fs::remove_file(&file).context(|| format!("cannot remove {}", file.display()));
        let recording = recording?;
        removed.map(|()| recording)
    }

    /// The trace of a simulated core.
    ///
    /// # Errors
    /// When the file cannot be read or is malformed.
    pub fn of_core(file: &Path) -> Outcome<Self> {
        Ok(Self { rows: Vec::new(), trace: Trace::read_timed(file)?, architecture: "riscv64".to_owned() })
    }

    /// The instructions between the two counter reads of a sample of a row: as many as its median, plus those that
    /// faulted. Programs in between may read the counter a few times. `None` if there is no such pair.
    pub fn sample(&self, row: &Row) -> Option<&[Step]> {
        self.trace.steps.get(self.place(row)?)
    }

    /// The timings of a sample's instructions. Empty in the emulator.
    pub fn timings(&self, row: &Row) -> &[Timing] {
        self.place(row).and_then(|place| self.trace.timings.get(place)).unwrap_or_default()
    }

    /// Division of the cycles of the median sample of a row on a simulated core, and the step after the row's samples. These
    /// are as many pairs of reads as the row has samples, at the same two addresses, after a step, with the row's smallest,
    /// median and largest value.
    pub fn waits(&self, row: &Row, after: usize) -> Option<(Waits, usize)> {
        let mut reads: Vec<_> = self.counter_reads().collect();
        let overhead = self.overhead(&reads)?;
        reads.retain(|at| *at >= after);
        let count = usize::try_from(row.n).ok().filter(|count| *count > 0)?;
        let value =
            |(first, last): &(usize, usize)| (self.time(*last) - self.time(*first)).checked_sub(overhead);
        let samples = (1..=MOST_READS).find_map(|apart| {
            let mut of_place = BTreeMap::<_, Vec<_>>::new();
            for pair in reads.iter().copied().zip(reads.iter().copied().skip(apart)) {
                let place = (self.trace.steps[pair.0].address, self.trace.steps[pair.1].address);
                of_place.entry(place).or_default().push(pair);
            }
            let runs = of_place.values().flat_map(|pairs| pairs.windows(count));
            let is_row = |pairs: &&[(usize, usize)]| {
                let mut values: Vec<_> = pairs.iter().filter_map(value).collect();
                values.sort_unstable();
                let found = [values.first(), values.get(count / 2), values.last()];
                found.map(|value| value.and_then(|value| u64::try_from(*value).ok()))
                    == [row.min, row.median, row.max].map(Some)
            };
            runs.filter(is_row).min_by_key(|pairs| pairs[0].0).map(<[_]>::to_vec)
        })?;
        let median = usize::try_from(row.median).ok()?;
        let (first, last) = *samples.iter().find(|pair| value(pair) == Some(median))?;
        let mut waits = Waits::default();
        let timings = self.trace.timings.get(first..=last)?;
        timings.windows(2).for_each(|pair| waits.add(Waits::between(pair[0].cycle, pair[1])));
        // The last read is not part of the sample.
        waits.instructions -= 1;
        waits.cycles -= overhead;
        Some((waits, samples.last()?.1 + 1))
    }

    /// The place of a sample.
    fn place(&self, row: &Row) -> Option<RangeInclusive<usize>> {
        let Window { first, last, overhead } = self.window(row)?;
        let end = (first..last).rev().find(|at| self.time(*at) + overhead <= self.time(last))?;
        Some(first + 1..=end)
    }

    /// When a step was: on a simulated core in cycles, else in instructions.
    fn time(&self, at: usize) -> usize {
        self.trace.timings.get(at).map_or(at, |timing| timing.cycle)
    }

    /// The two reads around a sample: on a simulated core, as many cycles apart as the row's median.
    fn window(&self, row: &Row) -> Option<Window> {
        let reads: Vec<_> = self.counter_reads().collect();
        let overhead = self.overhead(&reads)?;
        let length = usize::try_from(row.median).ok()?.checked_add(overhead)?;
        let distance =
            |(first, last): &(usize, usize)| (self.time(*last) - self.time(*first)).abs_diff(length);
        let (first, last) = (1..=MOST_READS).find_map(|apart| {
            let pairs = reads.iter().copied().zip(reads.iter().copied().skip(apart));
            pairs.min_by_key(distance).filter(|pair| distance(pair) <= UNCOUNTED)
        })?;
        Some(Window { first, last, overhead })
    }

    /// The steps in which programs read the counter.
    fn counter_reads(&self) -> impl Iterator<Item = usize> {
        let steps = &self.trace.steps;
        // The emulator logs an instruction that is interrupted at once, and again when it is executed.
        let is_next = |at: usize| steps.get(at + 1).is_some_and(|next| next.address == steps[at].address);
        let is_again = move |at| self.trace.timings.is_empty() && is_next(at);
        (0..steps.len()).filter(move |at| self.reads(steps[*at]) && !is_again(*at))
    }

    /// The time between two reads with nothing in between.
    fn overhead(&self, reads: &[usize]) -> Option<usize> {
        reads.windows(2).map(|pair| self.time(pair[1]) - self.time(pair[0])).min()
    }

    /// The encoding of an instruction.
    pub fn code(&self, step: Step) -> &[u8] {
        self.trace.codes.get(step.code).map_or(&[], Vec::as_slice)
    }

    /// Whether a program reads the counter.
    fn reads(&self, step: Step) -> bool {
        step.address < KERNEL && reads_counter(&self.architecture, self.code(step))
    }
}

/// A limit on the size of a trace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    bytes: u64,
}

impl Limit {
    /// A limit in GiB.
    pub fn of_gib(gib: u32) -> Self {
        Self { bytes: u64::from(gib) << 30 }
    }

    /// The board with an emulator that may write no larger file.
    pub fn on(self, board: &Board) -> Board {
        // The kernel ends a process at its limit, so the file is never larger, however fast it grows.
        let limits = format!("ulimit -c 0; ulimit -f {} && exec \"$@\"", self.bytes / BLOCK_BYTES);
        let shell = ["sh", "-c", &limits, "sh"].map(str::to_owned);
        Board { qemu: shell.into_iter().chain(board.qemu.iter().cloned()).collect(), ..board.clone() }
    }

    /// Checks that the emulator was not stopped because of a file.
    ///
    /// # Errors
    /// When it was; with `advice` on how to make the file shorter.
    pub fn check(self, file: &Path, advice: &str) -> Outcome {
        if fs::metadata(file).is_ok_and(|facts| facts.len() >= self.bytes) {
            return Err(Failure::new(format!(
                "the trace reached the limit of {} MiB, and the emulator was stopped. {advice}; --trace-limit GIB raises the limit",
                self.bytes >> 20
            )));
        }
        Ok(())
    }
}

/// Boots an image on an emulator that writes a trace to `file`.
fn limited(board: &Board, image: &Path, extra: &[&str], file: &Path, limit: Limit) -> Outcome<Session> {
    let board = limit.on(board);
    let boot = Boot { board: &board, image, extra, audience: Audience::Nobody, silence: Some(SILENCE) };
    let session = boot.run(|_| false)?;
    limit.check(
        file,
        "For a shorter trace, take fewer samples when the Makefile gets TRACE=1, or trace a system with fewer rows",
    )?;
    session.ending.outcome()?;
    Ok(session)
}

impl Trace {
    /// `words`: encodings are logged as numbers instead of bytes.
    fn read(file: &Path, words: bool) -> Outcome<Self> {
        let input = File::open(file).context(|| format!("cannot open {}", file.display()))?;
        let mut reader = Reader { trace: Self::default(), words, known: HashMap::new(), translated: None };
        for line in BufReader::new(input).lines() {
            reader.take(&line.context(|| format!("cannot read {}", file.display()))?);
        }
        if reader.trace.steps.is_empty() {
            return Err(Failure::new(format!("the emulator wrote nothing to {}", file.display())));
        }
        Ok(reader.trace)
    }

    /// The trace of a simulated core.
    fn read_timed(file: &Path) -> Outcome<Self> {
        let input = File::open(file).context(|| format!("cannot open {}", file.display()))?;
        let (mut trace, mut known) = (Self::default(), HashMap::new());
        for (number, line) in BufReader::new(input).lines().enumerate() {
            let line = line.context(|| format!("cannot read {}", file.display()))?;
            let place =
                || Failure::new(format!("{}:{}: '{line}' is no instruction", file.display(), number + 1));
            let (address, word, timing) = timed(&line).ok_or_else(place)?;
            let before = trace.timings.last().map_or(0, |before| before.cycle);
            let waited = [timing.instructions, timing.walks, timing.data, timing.code];
            let waited = waited.iter().try_fold(0_usize, |sum, part| sum.checked_add(*part));
            if timing.cycle < before || waited.is_none_or(|sum| sum > timing.cycle) {
                return Err(place());
            }
            let code = *known.entry(word).or_insert_with(|| {
                trace.codes.push(word.to_le_bytes().to_vec());
                trace.codes.len() - 1
            });
            trace.steps.push(Step { address, code });
            trace.timings.push(timing);
        }
        Ok(trace)
    }
}

struct Reader {
    trace: Trace,
    words: bool,
    /// Encodings by the address of the translated block.
    known: HashMap<u64, usize>,
    /// The encoding of the instruction that was just translated.
    translated: Option<Vec<u8>>,
}

impl Reader {
    fn take(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("Trace ") {
            self.step(rest);
        } else if line.starts_with("IN:") {
            self.translated = Some(Vec::new());
        } else if line.starts_with("0x")
            && let Some(code) = &mut self.translated
        {
            code.extend(encoding(line, self.words));
        }
    }

    fn step(&mut self, line: &str) {
        let Some((made, address)) = executed(line) else { return };
        if let Some(code) = self.translated.take() {
            self.known.insert(made, self.trace.codes.len());
            self.trace.codes.push(code);
        }
        if let Some(code) = self.known.get(&made) {
            self.trace.steps.push(Step { address, code: *code });
        }
    }
}

/// The address, encoding and timing in a line of the simulated core: `1206 ffffffff80001234 c0002573 1 12 0 20`.
fn timed(line: &str) -> Option<(u64, u32, Timing)> {
    let fields: Vec<_> = line.split(' ').collect();
    let [cycle, address, word, instructions, walks, data, code] = fields[..] else { return None };
    let count = |text: &str| text.parse().ok();
    let timing = Timing {
        cycle: count(cycle)?,
        instructions: count(instructions)?,
        walks: count(walks)?,
        data: count(data)?,
        code: count(code)?,
    };
    Some((u64::from_str_radix(address, 16).ok()?, u32::from_str_radix(word, 16).ok()?, timing))
}

/// The addresses of the translated block and of the instruction in a log line: `0: 0x7f6cfc000100
/// [0000000000000000/0000000070000000/00000061/ff020201]`
pub fn executed(line: &str) -> Option<(u64, u64)> {
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let (made, place) = line.split_once(": 0x")?.1.split_once(" [")?;
    Some((number(made)?, place.split('/').nth(1).and_then(number)?))
}

/// The addresses of all instructions, in execution order.
///
/// # Errors
/// When the file cannot be read.
pub fn addresses(file: &Path) -> Outcome<Vec<u64>> {
    let input = File::open(file).context(|| format!("cannot open {}", file.display()))?;
    let lines = BufReader::new(input).lines();
    let executed =
        lines.map_while(Result::ok).filter_map(|line| Some(executed(line.strip_prefix("Trace ")?)?.1));
    Ok(executed.collect())
}

/// The bytes of a line such as `0x70000000:  d2a10009  movz     x9, #0x800, lsl #16`.
fn encoding(line: &str, words: bool) -> Vec<u8> {
    let Some((_, rest)) = line.split_once(':') else { return Vec::new() };
    let digits = rest.trim_start().split("  ").next().unwrap_or_default();
    let byte = |text: &str| u8::from_str_radix(text, 16).ok();
    let digits: String = digits.chars().filter(|digit| !digit.is_whitespace()).collect();
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok().and_then(byte));
    let mut bytes: Vec<u8> = pairs.collect::<Option<_>>().unwrap_or_default();
    if words {
        bytes.reverse();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::data;

    fn read(text: &str, words: bool) -> Trace {
        let mut reader = Reader { trace: Trace::default(), words, known: HashMap::new(), translated: None };
        text.lines().for_each(|line| reader.take(line));
        reader.trace
    }

    #[test]
    fn executed_instructions_have_their_encodings() {
        let trace = read(
            "IN: \n0x70000000:  d2a10009  movz     x9, #0x800\n\nTrace 0: 0x7f00 [0/70000000/61/ff]\n\
             Trace 0: 0x7f00 [0/70000000/61/ff]\nIN: \n0x70000004:  8082  ret\n\nTrace 0: 0x7f80 [0/70000004/61/ff]\n",
            true,
        );
        assert_eq!(
            trace.steps.iter().map(|step| (step.address, step.code)).collect::<Vec<_>>(),
            [(0x7000_0000, 0), (0x7000_0000, 0), (0x7000_0004, 1)]
        );
        assert_eq!(trace.codes, [vec![0x09, 0x00, 0xa1, 0xd2], vec![0x82, 0x80]]);
    }

    #[test]
    fn encodings_in_bytes_continue_on_the_next_line() {
        let text = "IN: \n0x1:  48 b8 00 00 00 00 00 00  movabsq  $0, %rax\n0x9:  00 00\n\nTrace 0: 0x7f [0/1/0/0]\n";
        assert_eq!(read(text, false).codes, [vec![0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0]]);
    }

    #[test]
    fn reads_of_the_counter_are_recognised() {
        assert!(reads_counter("aarch64", &0xd53b_9d05_u32.to_le_bytes()));
        assert!(reads_counter("riscv64", &0xc000_2573_u32.to_le_bytes()));
        assert!(reads_counter("x86_64", &[0x0f, 0x31]));
        assert!(
            !reads_counter("aarch64", &0xd53b_d045_u32.to_le_bytes())
                && !reads_counter("riscv64", &[0x82, 0x80])
        );
    }

    #[test]
    fn a_program_on_the_way_may_read_the_counter() {
        // Reads (1) and other instructions (0), of which a pair of reads has one.
        let pattern = [1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1];
        let step = |(at, code): (usize, &usize)| Step { address: 4 * at as u64, code: *code };
        let steps = pattern.iter().enumerate().map(step).collect();
        let codes = vec![vec![0; 4], 0xd53b_9d00_u32.to_le_bytes().to_vec()];
        let trace = Trace { steps, codes, timings: Vec::new() };
        let recording = Recording { rows: Vec::new(), trace, architecture: "aarch64".to_owned() };
        let of = |median| {
            let steps = recording.sample(&Row::titled("row", median))?;
            Some((steps.first()?.address / 4, steps.len()))
        };
        // From one read to the next, and over one read.
        assert_eq!(of(3), Some((7, 3)));
        assert_eq!(of(7), Some((3, 7)));
        assert_eq!(of(40), None);
    }

    #[test]
    fn a_sample_of_a_simulated_core_is_as_many_cycles_as_its_row() {
        // Two reads in turn, then one after three instructions, of which the second waits for lines.
        let trace = "10 1000 c0002573 1 0 0 0\n12 1004 c00025f3 1 0 0 0\n13 1008 13 1 0 0 0\n\
                     73 ffffffff80000000 13 1 30 20 5\n74 100c 13 1 0 0 0\n76 1010 c0002673 1 0 0 0\n";
        let file = std::env::temp_dir().join(format!("limen-timed-{}", std::process::id()));
        fs::write(&file, trace).unwrap();
        let of_core = |trace| Recording { rows: Vec::new(), trace, architecture: "riscv64".to_owned() };
        let recording = of_core(Trace::read_timed(&file).unwrap());
        let row = Row::titled("row", 62);
        let addresses: Vec<_> = recording.sample(&row).unwrap().iter().map(|step| step.address).collect();
        assert_eq!(addresses, [0x1008, 0xffff_ffff_8000_0000, 0x100c]);
        let waited = Timing { cycle: 73, instructions: 1, walks: 30, data: 20, code: 5 };
        assert_eq!(recording.timings(&row)[1], waited);
        assert_eq!(recording.sample(&Row::titled("row", 40)), None);
        // Cycles 12 to 76 without the two of the read; the pipeline has 62 - 3 - 55.
        let (whole, end) = recording.waits(&row, 0).unwrap();
        assert_eq!(end, 6);
        assert_eq!((whole.instructions, whole.cycles, whole.pipeline()), (3, 62, 4));
        // The same from the reads alone.
        let reads = "10 1000 c0002573 5 0 0 0\n12 1004 c00025f3 1 0 0 0\n76 1010 c0002673 4 30 20 5\n";
        fs::write(&file, reads).unwrap();
        let of_reads = of_core(Trace::read_timed(&file).unwrap());
        assert_eq!(of_reads.waits(&row, 0), Some((whole, 3)));
        assert_eq!(of_reads.waits(&row, 3), None);
        assert_eq!(of_reads.waits(&Row { max: 63, ..row }, 0), None);
        fs::write(&file, "10 1000 c0002573 1 0 0 0\n12 100").unwrap();
        let failure = Trace::read_timed(&file).err().unwrap().to_string();
        assert!(failure.ends_with(":2: '12 100' is no instruction"), "{failure}");
        // Time that goes back, and waits longer than the time since the reset.
        for second in ["9 1004 c00025f3 1 0 0 0", "12 1004 c00025f3 1 12 0 0"] {
            fs::write(&file, format!("10 1000 c0002573 1 0 0 0\n{second}\n")).unwrap();
            let failure = Trace::read_timed(&file).err().unwrap().to_string();
            assert!(failure.ends_with(&format!(":2: '{second}' is no instruction")), "{failure}");
        }
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn the_trace_file_ends_at_its_limit() {
        let folder = std::env::temp_dir().join(format!("limen-trace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(FILE);
        let write = |bytes: u64| {
            let script = format!("head -c {bytes} /dev/zero > {} && echo LIMEN\\|DONE", file.display());
            let facts =
                format!("architecture = 'none'\nplatform = 'none'\nqemu = ['sh', '-c', '''{script}''']");
            let board = data::parse::<Board>(&facts, "board.toml").unwrap();
            let limit = Limit { bytes: 1 << 20 };
            limited(&board, &folder.join("image"), &[], &file, limit).map(|_| ())
        };
        write((1 << 20) - 1).unwrap();
        let failure = write(1 << 24).unwrap_err().to_string();
        assert!(failure.starts_with("the trace reached the limit of 1 MiB"), "{failure}");
        assert_eq!(fs::metadata(&file).unwrap().len(), 1 << 20);
        fs::remove_dir_all(folder).unwrap();
    }
}
