//! Records the trace of a system in the emulator: freezes it again and again before the ring is full, and copies the ring. With
//! several processors, the emulator's clock is that of the host, which a frozen emulator would see jump, so it runs on.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use limen_trace::ring::Place;
use limen_trace::{Reader, System};

use crate::failure::{Failure, Outcome};
use crate::run::board::Board;
use crate::run::patience::Watch;
use crate::run::qemu::{self, Audience, Boot, Ending, Session};
use crate::shell::{process, progress};
use crate::trace::memory::{Emulator, Memory, freeze, thaw};

/// The shortest and the longest time between two copies.
const INTERVALS: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(80)];
/// How long a system may write no records. As in [`crate::run::patience`], time in the run queue does not count.
const IDLE: Duration = Duration::from_secs(5);
/// How long the emulator may work without a record behind the last line of the console. It works even while the machine is idle,
/// but not while it waits for a disk, or while this computer is paused.
const QUIET: Duration = Duration::from_millis(100);

/// A run to record.
pub struct Run<'r> {
    /// The board.
    pub board: &'r Board,
    /// The image, with its report beside it.
    pub image: &'r Path,
    /// Further arguments of the emulator.
    pub extra: &'r [&'r str],
    /// The time of the machine to record, in nanoseconds.
    pub nanoseconds: u64,
}

/// Records and console of a run.
pub struct Recorded {
    /// The records.
    pub reader: Reader,
    /// The console.
    pub session: Session,
    /// Why recording ended.
    pub end: End,
}

/// Why recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The machine's time is over.
    Time,
    /// The console shows that the run is complete, or the emulator has ended.
    Console,
    /// The system wrote no records for some time.
    Idle,
    /// Further records do not fit into memory.
    Full,
}

impl Run<'_> {
    /// Runs the system until it is done, idle or out of time; `until` sees each line of the console and says whether the
    /// run is complete.
    ///
    /// # Errors
    /// When the emulator cannot be started, or the image has no ring.
    pub fn record(&self, system: &System, mut until: impl FnMut(&str) -> bool) -> Outcome<Recorded> {
        if system.ring().is_none() {
            return Err(Failure::new(
                "the image has no ring for records: its report has no 'trace'; does the Makefile build it with MICROKIT_SDK's tool, and write report.json beside it?",
            ));
        }
        let place = system.place();
        // An emulator that counts instructions runs one processor after the other, each for up to 0.1 s.
        let (counts, emulator): (&[&str], _) = match place.rings {
            1 => (&qemu::DETERMINISTIC, Emulator::Frozen),
            _ => (&[], Emulator::Runs),
        };
        let folder = self.image.parent().unwrap_or(Path::new("."));
        let memory = Memory::new(folder);
        let board = Board { qemu: without_terminal(&self.board.qemu), ..self.board.clone() };
        let options = memory.options(&board)?;
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        let extra = [counts, &options, self.extra].concat();
        let boot = Boot {
            board: &board,
            image: self.image,
            extra: &extra,
            audience: Audience::Nobody,
            silence: None,
        };
        let (has_ended, (asks, asked), (answers, answered)) = (AtomicBool::new(false), channel(), channel());
        let mut recorder = Recorder {
            memory,
            place,
            emulator,
            nanoseconds: self.nanoseconds,
            reader: Reader::default(),
            asked,
            answers,
        };
        thread::scope(|scope| {
            let recording = scope.spawn(|| recorder.run(&has_ended).map(|end| (end, recorder.reader)));
            let session = boot.run(|line| {
                let is_complete = until(line) || line == "LIMEN|DONE" || line.starts_with("LIMEN|FAIL");
                if is_complete && asks.send(()).is_ok() {
                    // The emulator ends behind the last line: first comes the last copy.
                    _ = answered.recv();
                }
                is_complete
            });
            has_ended.store(true, Ordering::Relaxed);
            let recorded = recording.join().map_err(|_| Failure::new("the recorder stopped with a panic"))?;
            progress::clear();
            let session = session?;
            let (end, reader) = recorded.map_err(|failure| explained(&failure, &session))?;
            Ok(Recorded { reader, session, end })
        })
    }
}

/// The command of an emulator whose console is a file. If standard input and output are its console, QEMU sets up the terminal
/// again after the signal CONT, in a handler that changes `errno`. A machine that starts meanwhile may then stop with an error.
fn without_terminal(command: &[String]) -> Vec<String> {
    let mut command = command.to_vec();
    if let Some(at) = command.windows(2).position(|pair| pair == ["-serial", "mon:stdio"]) {
        let words = ["-serial", "file:/dev/stdout", "-monitor", "none"];
        command.splice(at..at + 2, words.map(str::to_owned));
    }
    command
}

/// The failure of the connection, with what the emulator said.
fn explained(failure: &Failure, session: &Session) -> Failure {
    match session.ending.outcome() {
        Err(ending) => Failure::new(format!("{ending}\n{failure}")),
        Ok(()) => Failure::new(failure.to_string()),
    }
}

struct Recorder {
    memory: Memory,
    place: Place,
    /// The wanted state of the emulator during a copy.
    emulator: Emulator,
    nanoseconds: u64,
    reader: Reader,
    /// Requests for the last copy.
    asked: Receiver<()>,
    answers: Sender<()>,
}

impl Recorder {
    /// Records the run until an instant of the machine. Which end the recorder notices first depends on the host: the last line,
    /// an idle system, or the end of the time. A system that is idle from its last line on gives the same records for all three.
    fn run(&mut self, has_ended: &AtomicBool) -> Outcome<End> {
        let end = self.copy_until_end(has_ended)?;
        self.reader.cut(self.nanoseconds);
        self.reader.cut_idle_end();
        Ok(end)
    }

    /// Copies the rings again and again.
    fn copy_until_end(&mut self, has_ended: &AtomicBool) -> Outcome<End> {
        let (mut interval, mut idle) = (INTERVALS[0], None::<Watch>);
        // The machine's time when the console was seen to be complete. The host sees it at another time in each run.
        let mut completed = None;
        loop {
            let is_complete = !matches!(self.asked.recv_timeout(interval), Err(RecvTimeoutError::Timeout));
            if has_ended.load(Ordering::Relaxed) {
                // The file outlives the emulator.
                self.copy(Emulator::Frozen)?;
                return Ok(End::Console);
            }
            let Some(emulator) = self.memory.process() else {
                if is_complete || completed.is_some() {
                    return Ok(End::Console);
                }
                continue;
            };
            let copied = match self.emulator {
                Emulator::Runs => self.copy(Emulator::Runs),
                Emulator::Frozen => {
                    let state = freeze(emulator);
                    let frozen = Instant::now();
                    let copied = self.copy(state);
                    thaw(emulator);
                    if let Some(watch) = idle.as_mut().filter(|_| state == Emulator::Frozen) {
                        watch.leave_out(frozen.elapsed());
                    }
                    copied
                }
            };
            let fresh = *copied.as_ref().unwrap_or(&0);
            let watch =
                idle.take().filter(|_| fresh == 0 && !is_complete).unwrap_or_else(|| Watch::of(emulator));
            if is_complete {
                completed = Some(self.reader.nanoseconds());
            }
            let end = if let Some(completed) = completed {
                self.is_over(completed, &watch).then_some(End::Console)
            } else if self.reader.nanoseconds() >= self.nanoseconds {
                Some(End::Time)
            } else if self.reader.is_full() {
                Some(End::Full)
            } else {
                let limit = if self.reader.is_empty() { qemu::SILENCE } else { IDLE };
                (watch.had() >= limit).then_some(End::Idle)
            };
            idle = Some(watch);
            if copied.is_err() || end.is_some_and(|end| end != End::Console) {
                process::signal(emulator, "KILL");
            }
            copied?;
            if let Some(end) = end {
                _ = self.answers.send(());
                return Ok(end);
            }
            interval = self.next_interval(interval, fresh);
            let time = Duration::from_nanos(self.reader.nanoseconds());
            progress::show(&format!("recording: {} records in {time:.1?}", self.reader.len()));
        }
    }

    /// Whether nothing follows the last line, or more than is recorded.
    fn is_over(&mut self, completed: u64, watch: &Watch) -> bool {
        let goes_on = self.reader.end_soon_after(completed) || self.reader.is_full();
        let is_quiet = || watch.worked() >= QUIET || watch.had() >= IDLE;
        goes_on || matches!(self.emulator, Emulator::Runs) || is_quiet()
    }

    /// Copies the rings, and returns the most new records of one; 0 if they are not there yet.
    fn copy(&mut self, emulator: Emulator) -> Outcome<usize> {
        let copies = self.memory.rings(self.place, emulator)?;
        // Boot writes the count of records last.
        Ok(copies.iter().filter_map(|copy| self.reader.add(copy).ok()).max().unwrap_or(0))
    }

    /// A ring that fills quickly is copied more often.
    fn next_interval(&self, interval: Duration, fresh: usize) -> Duration {
        let slots = self.place.bytes / limen_abi::trace::RECORD_BYTES;
        let next = match fresh as u64 {
            fresh if fresh > slots / 4 => interval / 2,
            fresh if fresh < slots / 16 => interval * 2,
            _ => interval,
        };
        next.clamp(INTERVALS[0], INTERVALS[1])
    }
}

impl Recorded {
    /// Whether the run ended well: completely, or because it was recorded for long enough.
    ///
    /// # Errors
    /// A sentence about the ending.
    pub fn outcome(&self) -> Outcome {
        match (&self.session.ending, self.end) {
            // The recorder ends the emulator.
            (Ending::Exited(..), End::Time | End::Idle | End::Full) => Ok(()),
            (ending, _) => ending.outcome(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;
    use std::sync::atomic::AtomicUsize;

    use limen_abi::TraceKind;
    use limen_abi::trace::{EntryReason, HEADER_BYTES, HeaderWord, MAGIC, NO_THREAD, RECORD_BYTES, what};
    use limen_trace::Recording;

    use super::*;
    use crate::run::board;
    use crate::trace::memory::{MEMORY, PROCESS};
    use crate::workspace::Workspace;

    const SLOTS: u64 = 16;
    const PADDR: u64 = 0x4000_0000;
    /// The time to record.
    const NANOSECONDS: u64 = 50_000_000;

    /// The memory of a machine, of which only the ring is there: a thread runs and stops, and interrupts of an idle machine follow
    /// at these times.
    fn machine(interrupts: &[u64]) -> Vec<u8> {
        let mut records = vec![
            (0, what(TraceKind::Switch, NO_THREAD, 0)),
            (1, what(TraceKind::Exit, 0, 0)),
            (1000, what(TraceKind::Entry, 0, 0)),
            (1001, what(TraceKind::Switch, 0, NO_THREAD)),
            (1002, what(TraceKind::Exit, NO_THREAD, 0)),
        ];
        for time in interrupts {
            records.push((*time, what(TraceKind::Entry, NO_THREAD, EntryReason::Interrupt as u64)));
            records.push((time + 1, what(TraceKind::Exit, NO_THREAD, 0)));
        }
        let mut words = vec![0; ((HEADER_BYTES + SLOTS * RECORD_BYTES) / 8) as usize];
        words[HeaderWord::MAGIC] = MAGIC;
        words[HeaderWord::COUNT] = records.len() as u64;
        words[HeaderWord::SLOTS] = SLOTS;
        words[HeaderWord::FREQUENCY] = 1_000_000_000;
        words[HeaderWord::PADDR] = PADDR;
        let slots = words[HeaderWord::LENGTH..].as_chunks_mut::<4>().0;
        for ((number, (time, what)), slot) in (0..).zip(records).zip(slots) {
            *slot = [number, time, what, 0];
        }
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    /// Records a machine that prints its last line before the first copy, or none. Instead of an emulator, a shell works.
    fn recorded(interrupts: &[u64], prints: bool) -> (End, Vec<Recording>) {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let run = format!("limen-recorder-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(run);
        fs::create_dir_all(&folder).unwrap();
        let memory = Memory::new(&folder);
        fs::write(folder.join(MEMORY), machine(interrupts)).unwrap();
        let mut shell = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        fs::write(folder.join(PROCESS), shell.id().to_string()).unwrap();
        let ((asks, asked), (answers, _answered)) = (channel(), channel());
        if prints {
            asks.send(()).unwrap();
        }
        let mut recorder = Recorder {
            memory,
            place: Place { paddr: Some(PADDR), bytes: HEADER_BYTES + SLOTS * RECORD_BYTES, rings: 1 },
            emulator: Emulator::Frozen,
            nanoseconds: NANOSECONDS,
            reader: Reader::default(),
            asked,
            answers,
        };
        let end = recorder.run(&AtomicBool::new(false));
        _ = shell.kill();
        shell.wait().unwrap();
        let recordings = recorder.reader.finish().unwrap();
        drop(recorder.memory);
        fs::remove_dir(&folder).unwrap();
        (end.unwrap(), recordings)
    }

    #[test]
    fn a_recorded_emulator_has_no_terminal_on_any_board() {
        let boards = board::all(&Workspace::locate().unwrap()).unwrap();
        for board in boards.iter().filter(|board| !board.qemu.is_empty()) {
            let command = without_terminal(&board.qemu).join(" ");
            assert!(!command.contains("stdio") && command.contains("-monitor none"), "{command}");
        }
    }

    #[test]
    fn a_recording_is_the_same_whether_its_last_line_or_its_end_is_noticed_first() {
        // The machine is idle from 1002 ns on, and skips time.
        let early = recorded(&[], true);
        let late = recorded(&[1_000_000, NANOSECONDS + 1], false);
        let both = recorded(&[1_000_000, NANOSECONDS + 1], true);
        assert_eq!([early.0, late.0, both.0], [End::Console, End::Time, End::Console]);
        assert_eq!(early.1[0].records.last().map(|record| record.time), Some(1002));
        assert_eq!((&late.1, &both.1), (&early.1, &early.1));
    }
}
