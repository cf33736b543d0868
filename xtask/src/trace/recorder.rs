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
        let options = memory.options(self.board)?;
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        let extra = [counts, &options, self.extra].concat();
        let boot = Boot {
            board: self.board,
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
            let (end, mut reader) = recorded.map_err(|failure| explained(&failure, &session))?;
            reader.cut(self.nanoseconds);
            if matches!(end, End::Console | End::Idle) {
                reader.cut_idle_end();
            }
            Ok(Recorded { reader, session, end })
        })
    }
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
    fn run(&mut self, has_ended: &AtomicBool) -> Outcome<End> {
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
