//! Fault injection into a running suite: interrupts at chosen instructions of the kernel, and flipped bits of memory.
//!
//! ```toml
//! [injection]
//! program = "tester.elf"           # runs in rounds, between its functions round_begins and round_ends
//! policies = 3                     # this many of its tests, of a round or more each, take interrupts
//! bits = false                     # the next takes bits; default: true
//! sample = 4                       # `./x test` takes every fourth place, unless it runs everything; default: 1, each
//!
//! [injection.raise]                # makes a device of each board interrupt, see debugger.rs
//! x86_64_generic = ["outb 0x64 0xd3", "outb 0x60 0"]
//!
//! [injection.unmasked]             # events that no mask holds back; by board
//! x86_64_generic = ["nmi"]
//!
//! [injection.routines]             # of the kernel, in each of which an interrupt must be raised; by board and variants
//! x86_64_generic = ["simd_chacha20_four"]
//! ```
//!
//! First the emulator records what the kernel executes in a round, and in one with an interrupt in the middle of a
//! digest. Then an interrupt is raised at every one of these instructions, in a round for each. Instructions in loops and
//! in the named routines, which are all alike to an interrupt, are sampled, and so are those that another policy, or the
//! other interrupt, has executed as well. The program prints its own checks as tests. What it cannot know is checked here:
//! that the machine reached each instruction, that the interrupt was served, and that boot code is unmapped.

mod places;
mod unmasked;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use crate::bench::trace::{self, Limit};
use crate::check::boot_code;
use crate::check::symbols::Symbols;
use crate::failure::{Context, Failure, Outcome};
use crate::run::qemu::{Boot, Session};
use crate::test::debugger::{self, Debugger};
use crate::test::suite::Verdict;
use places::{Repeated, every_nth, executed_in_most, in_rounds, inserted_after, new_in_each};
use unmasked::{Event, Raiser};

/// How many rounds may miss an instruction: some are executed only occasionally.
const ATTEMPTS: usize = 4096;
/// Recorded rounds without an interrupt, beside the first: interrupts come at instructions that most of them execute, and not in
/// another program's digest, which is in few rounds.
const UNDISTURBED: usize = 4;
/// Recorded rounds with an interrupt in the middle. In some of them it hits another program's digest; if in all, the recording
/// is repeated.
const DISTURBED: usize = 8;
/// Bits that are flipped in each piece of memory.
const BITS: usize = 32;
/// Takes every n-th place in compiled code for an event that no mask holds back.
const UNMASKED_STEP: usize = 16;
/// How long the whole run may be silent.
const SILENCE: Duration = Duration::from_secs(3600);

/// The program's variable, as offsets of its words.
const MARK: u64 = 0;
const LEFT: u64 = 8;
const INTERRUPTS: u64 = 16;
const CHANGED: u64 = 24;
/// The value of its first word.
const MARKED: u64 = 0x1_1e7e_c7ed;

/// The table `injection`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Injection {
    program: String,
    policies: usize,
    #[serde(default = "by_default")]
    bits: bool,
    #[serde(default = "each")]
    sample: NonZeroUsize,
    raise: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    routines: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    unmasked: BTreeMap<String, Vec<Event>>,
}

/// Which of the chosen instructions take an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// All of them.
    All,
    /// As many as the suite's `sample` says.
    Sample,
}

/// No place is left out unless the suite says otherwise.
const fn each() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// Bits are flipped unless the suite says otherwise.
const fn by_default() -> bool {
    true
}

impl Injection {
    /// Whether a sample leaves out places.
    pub fn is_sampled(&self) -> bool {
        self.sample.get() > 1
    }

    /// Boots the system repeatedly, and returns the session of the last boot. Trace files may grow to the limit.
    ///
    /// # Errors
    /// When no injection is possible.
    pub fn run(
        &self,
        boot: &Boot<'_>,
        kernel: &Path,
        limit: Limit,
        places: Places,
    ) -> Outcome<(Session, Verdict)> {
        let board = &boot.board.name;
        let raise = self.raise.get(board);
        let raise = raise.ok_or_else(|| Failure::new(format!("'raise' does not say how on {board}")))?;
        let program = Symbols::of(&boot.image.with_file_name(&self.program))?;
        let kernel = Symbols::of(kernel)?;
        let program = Program::of(&program, self.bits)?;
        let scene = Scene { boot, raise, program, symbols: &kernel, limit };
        let mut undisturbed = scene.recorded(self.policies, |_| Ok(()))?;
        let first = undisturbed.first().cloned().unwrap_or_default();
        let others = scene.recorded(UNDISTURBED, |machine| machine.begin_test())?;
        if let Some(usual) = undisturbed.first_mut() {
            *usual = executed_in_most(&first, &others);
        }
        let usual = undisturbed.first().map_or(&[][..], Vec::as_slice);
        let over = Repeated::of(usual).middle(usual)?;
        let record_over = || {
            let disturbed = scene.recorded(DISTURBED, |machine| {
                // The test must have more than one round.
                machine.begin_test()?;
                machine.interrupt_at(over).map(drop)
            })?;
            inserted_after(over, &first, &disturbed).context(|| kernel.function_at(over).to_owned())
        };
        let inserted = record_over().or_else(|_| record_over()).or_else(|_| record_over())?;
        let routines = self.routines.get(&boot.board.title()).map_or(&[][..], Vec::as_slice);
        let routines = routines.iter().map(|name| kernel.range(name)).collect::<Outcome<Vec<_>>>()?;
        let step = match places {
            Places::All => 1,
            Places::Sample => self.sample.get(),
        };
        let taken = |places: Vec<u64>| every_nth(step, &places, &routines);
        let places_over = new_in_each(&[usual, &inserted], &routines).pop().unwrap_or_default();
        let plan = Plan {
            places: new_in_each(&undisturbed, &routines).into_iter().map(taken).collect(),
            over,
            places_over: taken(places_over),
        };
        plan.check_routines(&routines, &kernel)?;
        scene.stopped(&[], |machine| {
            let raiser = Raiser::of(&kernel, &boot.board.architecture)?;
            let events = self.unmasked.get(board).map_or(&[][..], Vec::as_slice);
            let findings = self.carry_out(&plan, machine, &raiser, events)?;
            machine.debugger.detach()?;
            Ok(findings)
        })
    }

    fn carry_out(
        &self,
        plan: &Plan,
        machine: &mut Machine<'_>,
        raiser: &Raiser,
        events: &[Event],
    ) -> Outcome<Verdict> {
        let mut findings = Verdict::default();
        for (policy, places) in plan.places.iter().enumerate() {
            machine.begin_test()?;
            let places = places.iter().map(|place| (None, *place));
            let over = plan.places_over.iter().map(|place| (Some(plan.over), *place));
            for (first, place) in places.chain(over.filter(|_| policy == 0)) {
                findings.complaints.extend(machine.try_interrupts(first, place)?);
            }
            for (event, place) in chosen_for(events, &plan.places[policy], raiser) {
                findings.complaints.extend(machine.try_unmasked(event, place, raiser)?);
            }
            machine.end_test()?;
        }
        let counts: Vec<_> = plan.places.iter().map(|places| places.len().to_string()).collect();
        findings.notes.push(format!(
            "interrupts at {} instructions of the kernel by one policy after the other, and at {} over another interrupt",
            counts.join(", "),
            plan.places_over.len()
        ));
        if machine.reported > 0 {
            findings.notes.push(format!("{} reports of events that no mask holds back", machine.reported));
        }
        if let Some(flipped) = machine.program.flipped.clone() {
            machine.begin_test()?;
            let entry = plan.entry()?;
            findings.complaints.extend(machine.wrongly_mapped(entry)?);
            let bits = machine.change_bits(&flipped, entry, &mut findings.complaints)?;
            machine.end_test()?;
            findings.notes.push(format!("{bits} bits of memory changed, one after the other"));
        }
        findings.passed += usize::from(findings.complaints.is_empty());
        Ok(findings)
    }
}

/// Each of these events at each place in assembly; at a sample of the others, one after the other.
fn chosen_for<'a>(
    events: &'a [Event],
    places: &'a [u64],
    raiser: &'a Raiser,
) -> impl Iterator<Item = (Event, u64)> {
    places.iter().enumerate().flat_map(move |(index, place)| {
        let is_alike = !raiser.is_assembly(*place);
        let is_chosen = move |turn: usize| !is_alike || index % UNMASKED_STEP == turn;
        events.iter().enumerate().filter(move |(turn, _)| is_chosen(*turn)).map(|(_, event)| (*event, *place))
    })
}

/// The places of interrupts.
struct Plan {
    /// By policy.
    places: Vec<Vec<u64>>,
    /// The number of places over another interrupt.
    over: u64,
    places_over: Vec<u64>,
}

impl Plan {
    /// Checks that there is a place in each of these routines.
    fn check_routines(&self, routines: &[Range<u64>], kernel: &Symbols) -> Outcome {
        let has_place =
            |routine: &&Range<u64>| self.places.iter().flatten().any(|place| routine.contains(place));
        routines.iter().find(|routine| !has_place(routine)).map_or(Ok(()), |routine| {
            let name = kernel.function_at(routine.start);
            Err(Failure::new(format!("no interrupt would be raised in '{name}'")))
        })
    }

    /// The kernel's entry point.
    fn entry(&self) -> Outcome<u64> {
        self.places.iter().flatten().next().copied().ok_or_else(|| Failure::new("the kernel was not entered"))
    }
}

/// The constant context of a suite's injections.
struct Scene<'a> {
    boot: &'a Boot<'a>,
    raise: &'a [String],
    program: Program,
    symbols: &'a Symbols,
    limit: Limit,
}

/// Addresses in the program that runs in rounds.
#[derive(Clone)]
struct Program {
    begins: u64,
    ends: u64,
    rounds: u64,
    /// Memory whose bits are flipped; `None` if the suite flips none.
    flipped: Option<Flipped>,
}

/// Memory that the program digests.
#[derive(Clone)]
struct Flipped {
    /// The variable with the address of the memory region that the program may only read.
    region: u64,
    /// A function that is executed after the last test only.
    unused: Range<u64>,
}

impl Program {
    fn of(symbols: &Symbols, has_flipped: bool) -> Outcome<Self> {
        Ok(Self {
            begins: symbols.address("round_begins")?,
            ends: symbols.address("round_ends")?,
            rounds: symbols.address("rounds")?,
            flipped: has_flipped.then(|| Flipped::of(symbols)).transpose()?,
        })
    }
}

impl Flipped {
    fn of(symbols: &Symbols) -> Outcome<Self> {
        Ok(Self { region: symbols.address("text")?, unused: symbols.range("suite_end")? })
    }
}

impl Scene<'_> {
    /// The instructions that the kernel executes in each of some rounds, which `disturb` may influence.
    fn recorded(
        &self,
        rounds: usize,
        mut disturb: impl FnMut(&mut Machine<'_>) -> Outcome + Send,
    ) -> Outcome<Vec<Vec<u64>>> {
        let limited = self.limit.on(self.boot.board);
        let boot = Boot { board: &limited, ..*self.boot };
        let Self { raise, symbols, limit, .. } = *self;
        let scene = Scene { boot: &boot, raise, program: self.program.clone(), symbols, limit };
        let recording = scene.stopped(&trace::options(self.boot.board)?, |machine| {
            for _ in 0..rounds {
                machine.to(self.program.begins)?;
                disturb(machine)?;
                machine.to(self.program.ends)?;
            }
            // One more step, so that the end of the last round is executed as well.
            machine.debugger.step()
        });
        let file = self.boot.image.with_file_name(trace::FILE);
        let checked = self.limit.check(&file, "For a shorter trace, shorten the rounds of the suite");
        let executed = checked.and(recording).and_then(|_| trace::addresses(&file));
        // A failed run leaves no large file either.
        let removed = fs::remove_file(&file).context(|| format!("cannot remove {}", file.display()));
        let executed = executed?;
        removed?;
        Ok(in_rounds(&executed, self.program.begins, self.program.ends))
    }

    /// Boots the machine stopped, and calls `act` with it. Ends the emulator afterwards unless `act` has resumed it.
    fn stopped<R: Send>(
        &self,
        extra: &[&str],
        act: impl FnOnce(&mut Machine<'_>) -> Outcome<R> + Send,
    ) -> Outcome<(Session, R)> {
        let extra = [self.boot.extra, &debugger::STOPPED, extra].concat();
        let boot = Boot { extra: &extra, silence: Some(SILENCE), ..*self.boot };
        let folder = self.boot.image.parent().unwrap_or(Path::new("."));
        let has_ended = AtomicBool::new(false);
        let drive = || {
            let debugger = Debugger::attach(folder, &self.boot.board.architecture, &has_ended)?;
            let mut machine = Machine {
                debugger,
                raise: self.raise,
                program: self.program.clone(),
                symbols: self.symbols,
                reported: 0,
            };
            act(&mut machine)
        };
        thread::scope(|scope| {
            let driver = scope.spawn(drive);
            let session = boot.run(|_| false);
            has_ended.store(true, Ordering::Relaxed);
            let outcome =
                driver.join().unwrap_or_else(|_| Err(Failure::new("what drives the machine has failed")));
            let session = session?;
            // If the emulator failed, the debugger only knows that the connection is lost.
            let outcome = outcome.map_err(|failure| match session.ending.outcome() {
                Ok(()) => failure,
                Err(ending) => Failure::new(format!("{failure}\n{ending}")),
            });
            outcome.map(|found| (session, found))
        })
    }
}

/// A stopped machine.
struct Machine<'a> {
    debugger: Debugger,
    raise: &'a [String],
    program: Program,
    symbols: &'a Symbols,
    /// Reports of events that no mask holds back.
    reported: usize,
}

impl Machine<'_> {
    /// Runs to the first round of a test, and makes the test have many rounds.
    fn begin_test(&mut self) -> Outcome {
        self.to(self.program.begins)?;
        self.debugger.set_word(self.program.rounds + LEFT, u64::MAX)
    }

    /// Makes the current round the last one of the test.
    fn end_test(&mut self) -> Outcome {
        self.to(self.program.ends)?;
        self.debugger.set_word(self.program.rounds + LEFT, 1)
    }

    /// Runs until the program, and no other, is at this instruction.
    fn to(&mut self, address: u64) -> Outcome {
        loop {
            self.debugger.stop_at(address)?;
            let stopped_at = self.debugger.run()?;
            self.debugger.pass(address)?;
            if stopped_at == address && self.word(MARK)? == MARKED {
                return Ok(());
            }
            self.debugger.step()?;
        }
    }

    /// A word of the program's variable; zero if another program is running.
    fn word(&mut self, offset: u64) -> Outcome<u64> {
        Ok(self.debugger.word(self.program.rounds + offset)?.unwrap_or(0))
    }

    /// The interrupts served so far.
    fn interrupts(&mut self) -> Outcome<u64> {
        let count = self.word(INTERRUPTS)?;
        self.mapped_word(count)
    }

    /// Runs until the machine is at this instruction (true), or the round ends (false).
    fn reach(&mut self, address: u64) -> Outcome<bool> {
        self.go_to(address, |_| Ok(()))
    }

    /// The same, in the kernel's mode. On RISC-V work arrives at its instructions in user mode first, where it faults.
    fn reach_in_kernel(&mut self, address: u64) -> Outcome<bool> {
        while self.reach(address)? {
            if self.debugger.word(address)?.is_some() {
                return Ok(true);
            }
            self.debugger.step()?;
        }
        Ok(false)
    }

    fn interrupt_at(&mut self, address: u64) -> Outcome<bool> {
        self.go_to(address, |machine| machine.debugger.access(machine.raise))
    }

    fn go_to(&mut self, address: u64, act: impl FnOnce(&mut Self) -> Outcome) -> Outcome<bool> {
        self.debugger.stop_at(address)?;
        self.debugger.stop_at(self.program.ends)?;
        let is_there = self.debugger.run()? == address;
        if is_there {
            act(self)?;
        }
        self.debugger.pass(address)?;
        self.debugger.pass(self.program.ends)?;
        Ok(is_there)
    }

    /// Runs rounds until an interrupt has occurred at this place; after the interrupt at `first` in the same round, if
    /// given.
    fn try_interrupts(&mut self, first: Option<u64>, place: u64) -> Outcome<Option<String>> {
        for _ in 0..ATTEMPTS {
            self.to(self.program.begins)?;
            let before = self.interrupts()?;
            let is_ready = first.map_or(Ok(true), |first| self.interrupt_at(first))?;
            let has_come = is_ready && self.interrupt_at(place)?;
            // A machine at the end of a round has already arrived there.
            if is_ready && has_come {
                self.to(self.program.ends)?;
                let is_served = self.interrupts()? > before;
                return Ok((!is_served).then(|| format!("an interrupt {} was not served", self.shown(place))));
            }
        }
        Ok(Some(format!("no interrupt could come {}", self.shown(place))))
    }

    /// Runs rounds until this event has occurred at this place, and then to the end of the round.
    fn try_unmasked(&mut self, event: Event, place: u64, raiser: &Raiser) -> Outcome<Option<String>> {
        for _ in 0..ATTEMPTS {
            self.to(self.program.begins)?;
            if self.reach_in_kernel(place)? {
                let title = format!("{event:?} {}", self.shown(place));
                if Raiser::is_programs(event, place, &mut self.debugger).context(|| title.clone())? {
                    self.to(self.program.ends)?;
                    return Ok(None);
                }
                let complaint = raiser.try_event(event, place, &mut self.debugger);
                let complaint = complaint.context(|| title.clone())?.map(|what| format!("{title}: {what}"));
                self.to(self.program.ends)?;
                self.reported += 1;
                return Ok(complaint);
            }
        }
        Ok(Some(format!("{event:?} could not be raised {}", self.shown(place))))
    }

    /// Runs to the kernel's entry point, and checks whether boot code is still mapped.
    fn wrongly_mapped(&mut self, entry: u64) -> Outcome<Vec<String>> {
        self.reach_kernel(entry)?;
        let mut complaints = Vec::new();
        for ([start, _], stays) in [
            (boot_code::BOOT, false),
            (boot_code::CHECKS, false),
            (boot_code::SEALS, false),
            (boot_code::DIGESTS, true),
            (boot_code::STAYING, true),
        ] {
            let is_mapped = self.debugger.word(self.symbols.address(start)?)?.is_some();
            if is_mapped != stays {
                let not = if is_mapped { "" } else { " not" };
                complaints.push(format!("after boot, what begins at {start} is{not} mapped"));
            }
        }
        Ok(complaints)
    }

    /// Runs until the program enters the kernel. Another program may preempt it and enter first; then nothing of the
    /// program is mapped.
    fn reach_kernel(&mut self, entry: u64) -> Outcome {
        while self.reach(entry)? {
            if self.word(MARK)? == MARKED {
                return Ok(());
            }
            self.debugger.step()?;
        }
        Err(Failure::new("the program did not enter the kernel"))
    }

    fn shown(&self, place: u64) -> String {
        format!("at {place:#x} in {}", self.symbols.function_at(place))
    }

    /// Flips bits of memory that the program digests, one in each round.
    ///
    /// In the kernel it flips bits of code that formats messages, which is executed only for a last message. `entry` is
    /// the kernel's entry point.
    fn change_bits(&mut self, flipped: &Flipped, entry: u64, complaints: &mut Vec<String>) -> Outcome<usize> {
        const REGION: u64 = 1 << 0;
        const KERNEL: u64 = 1 << 1;
        const PROGRAM: u64 = 1 << 2;
        const PAGE: u64 = 0x1000;
        let region = self.mapped_word(flipped.region)?;
        let texts = self.symbols.functions().filter(|(name, _)| name.contains("4core3fmt"));
        let pieces = [
            ("a region", REGION, words(region..region + PAGE)),
            ("the program", PROGRAM, words(flipped.unused.clone())),
            ("the kernel", KERNEL, texts.flat_map(|(_, range)| words(range)).collect()),
        ];
        let mut count = 0;
        for (what, wanted, words) in pieces {
            if words.is_empty() {
                complaints.push(format!("{what} has no word to flip a bit of"));
            }
            for (address, bit) in spread(&words) {
                let place = Place { address, bit, entry: (wanted == KERNEL).then_some(entry) };
                self.flip(place)?;
                self.to(self.program.ends)?;
                let changed = self.word(CHANGED)?;
                if changed != wanted {
                    complaints.push(format!(
                        "after bit {bit} at {address:#x} in {what} was flipped, digests {changed:#b} changed, not {wanted:#b}"
                    ));
                }
                self.to(self.program.begins)?;
                self.flip(place)?;
                self.to(self.program.ends)?;
                self.to(self.program.begins)?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Flips a bit; in the kernel, the next time it runs.
    fn flip(&mut self, place: Place) -> Outcome {
        if let Some(entry) = place.entry {
            self.reach_kernel(entry)?;
        }
        let old = self.mapped_word(place.address)?;
        self.debugger.set_word(place.address, old ^ (1 << place.bit))
    }

    fn mapped_word(&mut self, address: u64) -> Outcome<u64> {
        let word = self.debugger.word(address)?;
        word.ok_or_else(|| Failure::new(format!("nothing is mapped at {address:#x}")))
    }
}

/// Bytes per write.
const WORD_BYTES: u64 = 8;

/// A bit of memory.
#[derive(Clone, Copy)]
struct Place {
    address: u64,
    bit: usize,
    /// The instruction at which the memory is mapped; `None` if it always is.
    entry: Option<u64>,
}

/// The whole words of a piece of memory.
fn words(memory: Range<u64>) -> Vec<u64> {
    let count = (memory.end - memory.start) / WORD_BYTES;
    (0..count).map(|index| memory.start + index * WORD_BYTES).collect()
}

/// Words spread over the memory, with a different bit in each.
fn spread(words: &[u64]) -> impl Iterator<Item = (u64, usize)> {
    (0..BITS).filter_map(|index| Some((*words.get(index * words.len() / BITS)?, (index * 37) % 64)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::test::debugger::tests::scripted;

    #[test]
    fn another_program_that_enters_the_kernel_first_is_skipped() {
        const ENTRY: u64 = 0xe000;
        const MARK_FOUND: &str = "edc77e1e01000000";
        let (debugger, emulator) = scripted(&[
            ("Z0,e000,1", "OK"),
            ("Z0,2000,1", "OK"),
            ("c", "T05thread:01;"),
            ("p20", "00e0000000000000"),
            ("z0,e000,1", "OK"),
            ("z0,2000,1", "OK"),
            // Another program is running here, which has nothing mapped there.
            ("m3000,8", "E14"),
            ("s", "T05thread:01;"),
            ("Z0,e000,1", "OK"),
            ("Z0,2000,1", "OK"),
            ("c", "T05thread:01;"),
            ("p20", "00e0000000000000"),
            ("z0,e000,1", "OK"),
            ("z0,2000,1", "OK"),
            ("m3000,8", MARK_FOUND),
        ]);
        let program = Program { begins: 0x1000, ends: 0x2000, rounds: 0x3000, flipped: None };
        let symbols = Symbols::default();
        Machine { debugger, raise: &[], program, symbols: &symbols, reported: 0 }
            .reach_kernel(ENTRY)
            .unwrap();
        emulator.join().unwrap();
    }

    #[test]
    fn flipped_bits_are_spread_over_all_words() {
        let places: Vec<_> = spread(&words(0x100..0x300)).collect();
        assert_eq!(places.len(), BITS);
        assert_eq!((places[0], places[BITS - 1].0), ((0x100, 0), 0x2f0));
        assert_eq!(places.iter().map(|(_, bit)| bit).collect::<BTreeSet<_>>().len(), BITS);
        assert_eq!(spread(&[]).count(), 0);
    }
}
