//! Replays: while a system runs, the kernel records each event in the machine's memory, and a process on the host
//! executes the same events with the kernel's core and the specification. See `docs/testing.md`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use limen_abi::recording::{PIECES, TAKEN};
use limen_abi::trace::{HEADER_BYTES, HeaderWord, RECORD_BYTES};
use limen_trace::System;
use limen_trace::ring::Place;

use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::shell::{files, process};
use crate::test::suite::Verdict;
use crate::trace::memory::{Memory, Recorded};
use crate::workspace::Workspace;

/// The package of the program that replays.
const PACKAGE: &str = "limen-replay";
/// The suites that a complete run of `./x test` replays, and their configurations.
pub const SUITES: [(&str, &str); 2] = [("tests/calls", "release"), ("tests/elsewhere", "smp-release")];
/// How often to look for new words.
const INTERVAL: Duration = Duration::from_millis(2);
/// Bytes of a word.
const WORD: u64 = 8;

/// Builds the program that replays, once.
///
/// # Errors
/// When it does not build.
pub fn build() -> Outcome {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    let build = || process::capture(Command::new("cargo").args(["build", "--quiet", "-p", PACKAGE]));
    let built = BUILT.get_or_init(|| build().map(drop).map_err(|failure| failure.to_string()));
    built.clone().map_err(Failure::new)
}

/// A run that is recorded and replayed.
pub struct Replay {
    options: Vec<String>,
    has_ended: Arc<AtomicBool>,
    /// One for each processor.
    followers: Vec<JoinHandle<Outcome<Followed>>>,
}

/// Findings of the program that replays.
struct Followed {
    is_same: bool,
    said: String,
}

impl Replay {
    /// Prepares to replay one run of an image on a board's emulator.
    ///
    /// # Errors
    /// When the report of the image has no recording, or the program cannot be started.
    pub fn start(workspace: &Workspace, board: &Board, image: &Path) -> Outcome<Self> {
        let folder = image.parent().unwrap_or(Path::new("."));
        let report = files::read(&image.with_file_name("report.json"))?;
        let system = System::new(&report, &[]).map_err(Failure::new)?;
        let place = system.place();
        if place.bytes == 0 {
            return Err(Failure::new("the image records nothing"));
        }
        let memory = Memory::new(folder);
        let options = memory.options(board)?;
        let has_ended = Arc::new(AtomicBool::new(false));
        let memory = Arc::new(memory);
        let follow = |processor| {
            let mut command = Command::new(workspace.path("target/debug").join(PACKAGE));
            command.args((0..limen_abi::limits::THREADS as u16).map(|number| system.thread(number)));
            let follower = Follower {
                memory: Arc::clone(&memory),
                place,
                processor,
                has_ended: Arc::clone(&has_ended),
                taken: 0,
            };
            thread::spawn(move || follower.run(command))
        };
        let followers = (0..place.rings).map(follow).collect();
        Ok(Self { options, has_ended, followers })
    }

    /// The options with which the emulator must be started.
    pub fn options(&self) -> impl Iterator<Item = &str> {
        self.options.iter().map(String::as_str)
    }

    /// The verdict on the events. The emulator has ended, or could not be started.
    ///
    /// # Errors
    /// When the machine's memory could not be read.
    pub fn finish(self) -> Outcome<Verdict> {
        self.has_ended.store(true, Ordering::Relaxed);
        let (mut notes, mut complaints) = (Vec::new(), Vec::new());
        let are_several = self.followers.len() > 1;
        for (number, follower) in self.followers.into_iter().enumerate() {
            let stopped = |_| Failure::new("the reader of the recording stopped with a panic");
            let Followed { is_same, said } = follower.join().map_err(stopped)??;
            let said = if are_several { format!("processor {number}: {said}") } else { said };
            if is_same {
                notes.push(said);
            } else {
                complaints.push(format!("replay: {said}"));
            }
        }
        let passed = usize::from(complaints.is_empty());
        Ok(Verdict { passed, notes, complaints })
    }
}

/// Passes the words of a recording to the program that replays them.
struct Follower {
    memory: Arc<Memory>,
    place: Place,
    processor: u64,
    has_ended: Arc<AtomicBool>,
    /// The number of words taken.
    taken: u64,
}

impl Follower {
    fn run(mut self, mut command: Command) -> Outcome<Followed> {
        let recorded = loop {
            let is_last = self.has_ended.load(Ordering::Relaxed);
            if let Some(recorded) = Recorded::find(&self.memory, self.place, self.processor)?
                && recorded.word(HeaderWord::COUNT as u64 * WORD)? != 0
            {
                break recorded;
            }
            if is_last {
                return Err(Failure::new("the kernel has recorded nothing"));
            }
            thread::sleep(INTERVAL);
        };
        let about = || format!("cannot run {PACKAGE}");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context(about)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let said = thread::spawn(move || {
            let mut said = String::new();
            output.map(|mut output| output.read_to_string(&mut said));
            said
        });
        if let Some(mut input) = input {
            let image = recorded.image()?;
            // The program ends early if it finds a difference; the system still runs to its end.
            let mut listens = write(&mut input, &[image.len() as u64]) && write(&mut input, &image);
            loop {
                let is_last = self.has_ended.load(Ordering::Relaxed);
                let words = self.take(&recorded)?;
                listens = listens && write(&mut input, &words);
                if words.is_empty() {
                    if is_last {
                        break;
                    }
                    thread::sleep(INTERVAL);
                }
            }
        }
        let status = child.wait().context(about)?;
        let said = said.join().unwrap_or_default().trim_end().to_owned();
        Ok(Followed { is_same: status.success(), said })
    }

    /// Takes the next words, up to the end of the memory.
    fn take(&mut self, recorded: &Recorded) -> Outcome<Vec<u64>> {
        let count = recorded.word(HeaderWord::COUNT as u64 * WORD)?;
        let words = (self.place.bytes - limen_abi::limits::PAGE_BYTES) / WORD;
        let start = self.taken % words;
        let length = (count - self.taken).min(words - start).min(words / PIECES);
        let mut bytes = vec![0; (length * WORD) as usize];
        recorded.read(HEADER_BYTES + start * WORD, &mut bytes)?;
        self.taken += length;
        let pieces = self.taken / (words / PIECES);
        recorded.write_byte(TAKEN as u64 * WORD, pieces as u8)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }
}

/// Writes words, and returns whether the program still reads them.
fn write(input: &mut impl Write, words: &[u64]) -> bool {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    input.write_all(&bytes).is_ok()
}

const _: () = assert!(RECORD_BYTES.is_multiple_of(WORD));
