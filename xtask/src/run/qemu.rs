//! Boots a system in QEMU and follows its console until it reports the end of the run.
//!
//! A system ends a run by printing a line: `LIMEN|DONE`, or `LIMEN|FAIL` and a reason.

use std::io::{ErrorKind, IsTerminal, Read, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use limen_inspect::{Progress, View};

use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::inspection::{Inspection, Look};
use crate::run::patience;
use crate::shell::console;
use crate::shell::process;

/// How long a system may print nothing before it counts as hung.
pub const SILENCE: Duration = Duration::from_secs(60);

/// The same on an emulator that counts instructions. How long a figure takes depends on the caches and processors that other
/// programs leave, and its system prints only when it has it.
pub const COUNTED_SILENCE: Duration = Duration::from_secs(15 * 60);

/// Options of an emulator that counts: one instruction takes one nanosecond of machine time, and idle time is skipped.
/// The real-time clock follows the same time, from a fixed date.
pub const DETERMINISTIC: [&str; 4] = ["-icount", "shift=0,sleep=off", "-rtc", "base=2000-01-01,clock=vm"];

/// The limit on console lines of an unattended system; one that faults in a loop never stops printing.
const MOST_LINES: usize = 100_000;

/// The user of the console while the system runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A person: the console is shown as it comes, and a terminal's keys reach the system.
    Person,
    /// A person with a debugger: as for a person, but the run ends only with the emulator.
    Debugger,
    /// None: the console is only collected.
    Nobody,
    /// None, but a test types.
    Typist,
}

impl Audience {
    fn is_person(self) -> bool {
        matches!(self, Self::Person | Self::Debugger)
    }
}

/// Why a run ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// The system printed `LIMEN|DONE`, or the debugger ended the emulator.
    Done,
    /// The caller has seen what it waited for.
    Seen,
    /// The system printed `LIMEN|FAIL` with this reason.
    Failed(String),
    /// QEMU ended on its own; with its error output.
    Exited(ExitStatus, String),
    /// The system printed more lines than any test needs.
    Endless,
    /// The system printed nothing for this long; with QEMU's error output.
    Silent(Duration, String),
    /// No thread can run, and no interrupt can wake one.
    Stuck,
    /// The kernel reported that it stopped.
    KernelStopped,
    /// The time of the caller is over.
    TimeIsOver,
    /// The simulator ended on its own; with its error output, unless that was shown.
    Simulated(String),
}

impl Ending {
    /// Success, or a sentence that describes the ending.
    ///
    /// # Errors
    /// For every ending but `Done`, `Seen` and `TimeIsOver`.
    pub fn outcome(&self) -> Outcome {
        let sentence = match self {
            Self::Done | Self::Seen | Self::TimeIsOver => return Ok(()),
            Self::Failed(reason) => format!("the system reports failure: {reason}"),
            Self::Exited(status, said) => {
                format!(
                    "QEMU ended ({status}) before the system reported the end of the run{}",
                    indented(said)
                )
            }
            Self::Endless => format!("the system printed more than {MOST_LINES} lines and was stopped"),
            Self::Stuck => {
                "the system stands still: each thread is stopped or waits for another one, and no interrupt \
                            wakes one"
                    .to_owned()
            }
            Self::KernelStopped => "the kernel stopped".to_owned(),
            Self::Simulated(said) => {
                format!("the simulator ended before the system reported the end of the run{}", indented(said))
            }
            Self::Silent(time, said) => format!(
                "the system printed nothing for {} seconds and was stopped{}",
                time.as_secs(),
                indented(said)
            ),
        };
        Err(Failure::new(sentence))
    }
}

/// The output and ending of a run.
#[derive(Debug)]
pub struct Session {
    /// The console's complete lines, without line ends.
    pub lines: Vec<String>,
    /// Why it ended.
    pub ending: Ending,
    /// The threads at the end of a silent run, or everything if the caller asked for it.
    pub state: Option<String>,
}

/// Looks at the machine while it runs.
#[derive(Debug)]
pub struct Watch {
    /// The look.
    pub inspection: Inspection,
    /// The lists of a run that ends in silence or when its time is over.
    pub views: &'static [View],
    /// The time after which the run ends with all lists, whatever the machine does. A run that ends earlier lists them as
    /// well.
    pub after: Option<Duration>,
    /// The file that gets a dump instead of the lists.
    pub keep: Option<PathBuf>,
}

impl Watch {
    /// Makes the lists or the dump that the caller asked for. Returns the lists, or a failure.
    fn report(&mut self) -> Option<String> {
        let Some(file) = &self.keep else { return Some(text(self.inspection.look(self.views))) };
        let dumped = self.inspection.dump_to(file);
        dumped.err().map(|failure| format!("{failure}\n"))
    }
}

fn text(look: Outcome<Look>) -> String {
    look.map_or_else(|failure| format!("{failure}\n"), |look| look.lists)
}

/// A system to boot.
pub struct Boot<'a> {
    /// The board whose QEMU command is used.
    pub board: &'a Board,
    /// The boot image.
    pub image: &'a Path,
    /// Arguments added to the board's; `{folder}` stands for the image's folder.
    pub extra: &'a [&'a str],
    /// The user of the console.
    pub audience: Audience,
    /// How long the system may be silent; `None` waits forever. Time counts while the emulator could run, see
    /// [`patience`].
    pub silence: Option<Duration>,
}

impl Boot<'_> {
    /// Boots and follows the console until an [`Ending`]. `until` sees every line and may end the run.
    ///
    /// # Errors
    /// When QEMU cannot be started.
    pub fn run(&self, mut until: impl FnMut(&str) -> bool) -> Outcome<Session> {
        self.run_typing(|line, _| until(line))
    }

    /// As [`Self::run`]; `until` also gets the sender for typed keys, if the audience is a typist.
    ///
    /// # Errors
    /// When QEMU cannot be started.
    pub fn run_typing(&self, until: impl FnMut(&str, Option<&Sender<Vec<u8>>>) -> bool) -> Outcome<Session> {
        self.run_watching(None, until)
    }

    /// As [`Self::run_typing`]; looks at the machine when it is silent, and ends the run if nothing can happen.
    ///
    /// # Errors
    /// When QEMU cannot be started.
    pub fn run_watching(
        &self,
        mut watch: Option<Watch>,
        mut until: impl FnMut(&str, Option<&Sender<Vec<u8>>>) -> bool,
    ) -> Outcome<Session> {
        let mut command = self.command();
        command.extend(watch.iter().flat_map(|watch| watch.inspection.arguments()));
        let mut qemu = Emulator::start(&command, self.audience, self.errors())?;
        let mut console = Console { pending: Vec::new(), lines: Vec::new() };
        // The simulator counts silence in cycles itself.
        let silence = self.silence.filter(|_| !self.board.is_simulated);
        let mut patience = Patience::new(silence, watch.as_ref().and_then(|watch| watch.after));
        let mut state = None;
        let ending = loop {
            match qemu.next(patience.next_wait(watch.is_some())) {
                Ok(bytes) => {
                    patience.hears();
                    let endless = !self.audience.is_person() && console.lines.len() > MOST_LINES;
                    let keys = qemu.keys.clone();
                    // Line by line, so that the caller can print below a line.
                    let ending = bytes.split_inclusive(|byte| *byte == b'\n').find_map(|piece| {
                        if self.audience.is_person() {
                            console::show(piece);
                        }
                        let ending = console.take(piece, &mut |line| {
                            if self.audience != Audience::Debugger {
                                patience.reads(line);
                            }
                            until(line, keys.as_ref())
                        });
                        ending.filter(|_| self.audience != Audience::Debugger)
                    });
                    let ending = ending.or_else(|| endless.then_some(Ending::Endless));
                    let over =
                        || patience.is_over().then(|| patience.gives_up(watch.as_mut(), &mut state))?;
                    let ending = ending.or_else(over);
                    if let Some(ending) = ending {
                        let asked = watch.as_mut().filter(|watch| watch.after.is_some());
                        if let Some(watch) = asked.filter(|_| ending != Ending::TimeIsOver) {
                            state = watch.report();
                        }
                        qemu.stop();
                        break ending;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let (status, said) = qemu.finish()?;
                    let is_wanted = self.audience == Audience::Debugger && status.success();
                    break match is_wanted {
                        true => Ending::Done,
                        false if self.board.is_simulated => Ending::Simulated(said),
                        false => Ending::Exited(status, said),
                    };
                }
                Err(RecvTimeoutError::Timeout) => {
                    let Some(ending) = patience.gives_up(watch.as_mut(), &mut state) else { continue };
                    qemu.stop();
                    let (_, said) = qemu.finish()?;
                    break match ending {
                        Ending::Silent(time, _) => Ending::Silent(time, without_our_signal(&said)),
                        ending => ending,
                    };
                }
            }
        };
        Ok(Session { lines: console.lines, ending, state })
    }

    /// The simulator shows a person its progress, and at the end what the run took.
    fn errors(&self) -> fn() -> Stdio {
        let are_shown = self.board.is_simulated && self.audience.is_person();
        if are_shown { Stdio::inherit } else { Stdio::piped }
    }

    fn command(&self) -> Vec<String> {
        let image = self.image.display().to_string();
        let folder = self.image.parent().unwrap_or(Path::new(".")).display().to_string();
        let words = self.board.qemu.iter();
        let words = words.map(|word| word.replace("{image}", &image).replace("{folder}", &folder));
        let mut command = interruptible(words.collect());
        command.extend(self.extra.iter().map(|word| word.replace("{folder}", &folder)));
        command
    }
}

/// The documented `-serial mon:stdio` passes Ctrl-C to the guest, but users expect it to end the run.
fn interruptible(mut command: Vec<String>) -> Vec<String> {
    let Some(at) = command.windows(2).position(|pair| pair == ["-serial", "mon:stdio"]) else {
        return command;
    };
    let long =
        ["-chardev", "stdio,id=console,mux=on,signal=on", "-serial", "chardev:console", "-mon", "console"];
    command.splice(at..at + 2, long.map(str::to_owned));
    command
}

/// The first look at a silent machine; each further one comes after twice the time.
const FIRST_LOOK: Duration = Duration::from_millis(500);
/// How long a kernel may take to print the rest of its report, after the line that begins it.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The beginning of that line.
const KERNEL_STOPPED: &str = "The kernel stopped: ";

/// How long the run waits for more output.
struct Patience {
    silence: Option<Duration>,
    /// When the caller ends the run.
    end: Option<Instant>,
    /// Silent for so long.
    silent: Duration,
    /// The time of the current wait.
    wait: Duration,
    has_stopped: bool,
}

impl Patience {
    fn new(silence: Option<Duration>, after: Option<Duration>) -> Self {
        let end = after.map(|after| Instant::now() + after);
        Self { silence, end, silent: Duration::ZERO, wait: Duration::ZERO, has_stopped: false }
    }

    /// How long to wait for output; `None` without an end.
    fn next_wait(&mut self, watches: bool) -> Option<Duration> {
        let look = if self.silent.is_zero() { FIRST_LOOK } else { self.silent };
        let limits = [
            self.silence.map(|limit| limit.saturating_sub(self.silent)),
            (watches && self.silence.is_some()).then_some(look),
            self.end.map(|end| end.saturating_duration_since(Instant::now())),
            self.has_stopped.then_some(LAST_WORDS),
        ];
        let wait = limits.into_iter().flatten().min();
        self.wait = wait.unwrap_or_default();
        wait
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| end <= Instant::now())
    }

    fn hears(&mut self) {
        self.silent = Duration::ZERO;
    }

    fn reads(&mut self, line: &str) {
        self.has_stopped |= line.starts_with(KERNEL_STOPPED);
    }

    /// After a wait without output: why the run ends, if it does.
    fn gives_up(&mut self, watch: Option<&mut Watch>, state: &mut Option<String>) -> Option<Ending> {
        self.silent += self.wait;
        if self.has_stopped {
            return Some(Ending::KernelStopped);
        }
        let is_silent = self.silence.is_some_and(|limit| self.silent >= limit);
        let watch = match watch {
            Some(watch) => watch,
            None => return is_silent.then(|| Ending::Silent(self.silent, String::new())),
        };
        if self.is_over() {
            *state = watch.report();
            return Some(Ending::TimeIsOver);
        }
        let look = watch.inspection.look(watch.views);
        if is_silent {
            *state = Some(text(look));
            return Some(Ending::Silent(self.silent, String::new()));
        }
        // A machine whose kernel has not started cannot be inspected yet.
        let look = look.ok().filter(|look| look.progress == Progress::Impossible)?;
        *state = Some(look.lists);
        Some(Ending::Stuck)
    }
}

/// Splits console bytes into lines.
struct Console {
    pending: Vec<u8>,
    lines: Vec<String>,
}

impl Console {
    fn take(&mut self, bytes: &[u8], until: &mut impl FnMut(&str) -> bool) -> Option<Ending> {
        for &byte in bytes {
            if byte != b'\n' {
                self.pending.push(byte);
                continue;
            }
            let line = String::from_utf8_lossy(&self.pending).trim_end().to_owned();
            self.pending.clear();
            let seen = until(&line).then_some(Ending::Seen);
            let ending = last_word(&line).or(seen);
            self.lines.push(line);
            if ending.is_some() {
                return ending;
            }
        }
        None
    }
}

/// Whether a system says with this line that it is done, or that it failed.
pub fn is_last(line: &str) -> bool {
    last_word(line).is_some()
}

fn last_word(line: &str) -> Option<Ending> {
    if line == "LIMEN|DONE" {
        return Some(Ending::Done);
    }
    let reason = line.strip_prefix("LIMEN|FAIL")?.trim();
    Some(Ending::Failed(if reason.is_empty() { "no reason given".to_owned() } else { reason.to_owned() }))
}

/// QEMU's error output, without the message about our signal.
fn without_our_signal(said: &str) -> String {
    let own = said.lines().filter(|line| !line.contains(": terminating on signal 15 from pid "));
    own.collect::<Vec<_>>().join("\n")
}

fn indented(said: &str) -> String {
    said.lines().map(|line| format!("\n  {line}")).collect()
}

/// A running QEMU with threads that drain its output.
struct Emulator {
    child: Child,
    console: Receiver<Vec<u8>>,
    keys: Option<Sender<Vec<u8>>>,
    errors: Option<JoinHandle<String>>,
}

impl Emulator {
    fn start(command: &[String], audience: Audience, errors: fn() -> Stdio) -> Outcome<Self> {
        let mut child =
            spawn(command, audience, errors).context(|| format!("cannot start {}", command[0]))?;
        let (bytes, console) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || forward(output, &bytes));
        }
        let keys = child.stdin.take().map(|input| {
            let (keys, typed) = channel();
            thread::spawn(move || type_in(input, &typed));
            keys
        });
        let errors = child.stderr.take().map(|stderr| thread::spawn(move || collect(stderr)));
        Ok(Self { child, console, keys, errors })
    }

    /// The next output. The time in which the emulator could not run does not count, see [`patience`].
    fn next(&self, wait: Option<Duration>) -> Result<Vec<u8>, RecvTimeoutError> {
        let Some(limit) = wait else {
            return self.console.recv().map_err(|_| RecvTimeoutError::Disconnected);
        };
        let receive = |limit| match self.console.recv_timeout(limit) {
            Err(RecvTimeoutError::Timeout) => None,
            received => Some(received),
        };
        patience::wait(self.child.id(), limit, receive).unwrap_or(Err(RecvTimeoutError::Timeout))
    }

    /// Terminates QEMU, so that it restores the terminal; kills it if it does not end.
    fn stop(&mut self) {
        let asked = process::signal(self.child.id(), "TERM");
        let ends = |_: &u32| {
            thread::sleep(Duration::from_millis(10));
            matches!(self.child.try_wait(), Ok(Some(_)))
        };
        if !asked || (0..200).find(ends).is_none() {
            // This fails only if QEMU has already ended.
            _ = self.child.kill();
            _ = self.child.wait();
        }
    }

    fn finish(&mut self) -> Outcome<(ExitStatus, String)> {
        let status = self.child.wait().context(|| "cannot wait for QEMU".to_owned())?;
        let said = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Ok((status, said))
    }
}

/// Starts QEMU so that it ends with this thread, however the thread ends. On the signal TERM it restores a person's
/// terminal; but while it emulates an idle machine with `-icount`, it does not react to that signal.
fn spawn(command: &[String], audience: Audience, errors: fn() -> Stdio) -> std::io::Result<Child> {
    let start = |words: &[String], prefix: &[&str]| {
        let mut all = prefix.iter().copied().chain(words.iter().map(String::as_str));
        let program = all.next().unwrap_or_default();
        let keys = stdin().is_terminal();
        Command::new(program)
            .args(all)
            .stdin(match audience {
                Audience::Typist => Stdio::piped(),
                Audience::Person | Audience::Debugger if keys => Stdio::inherit(),
                Audience::Person | Audience::Debugger | Audience::Nobody => Stdio::null(),
            })
            .stdout(Stdio::piped())
            .stderr(errors())
            .spawn()
    };
    let signal = if audience.is_person() { "TERM" } else { "KILL" };
    match start(command, &["setpriv", "--pdeathsig", signal, "--"]) {
        Err(error) if error.kind() == ErrorKind::NotFound => start(command, &[]),
        started => started,
    }
}

fn forward(mut output: ChildStdout, bytes: &Sender<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        if bytes.send(buffer[..count].to_vec()).is_err() {
            return;
        }
    }
}

/// Blocks while the machine has no room for input; ends with the emulator.
fn type_in(mut input: ChildStdin, typed: &Receiver<Vec<u8>>) {
    while let Ok(keys) = typed.recv() {
        if input.write_all(&keys).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn collect(mut stderr: ChildStderr) -> String {
    let mut said = Vec::new();
    // Output before a read error is still worth showing.
    _ = stderr.read_to_end(&mut said);
    String::from_utf8_lossy(&said).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::process::ExitStatusExt;

    use super::*;
    use crate::run::board::BootProtocol;

    fn shell(script: &str, silence: Duration) -> Session {
        shell_for(Audience::Nobody, script, Some(silence))
    }

    fn shell_for(audience: Audience, script: &str, silence: Option<Duration>) -> Session {
        let words = ["sh", "-c", script].map(str::to_owned);
        let board = Board {
            name: "shell".into(),
            aliases: Vec::new(),
            renamed: None,
            architecture: "none".into(),
            platform: "none".into(),
            boot: BootProtocol::Loader,
            qemu: words.to_vec(),
            qemu_smp: Vec::new(),
            processors: 1,
            variants: BTreeMap::new(),
            simulated: BTreeMap::new(),
            repeatable_with: Vec::new(),
            chosen: Vec::new(),
            is_simulated: false,
            file: "shell.toml".into(),
        };
        let boot = Boot { board: &board, image: Path::new("none"), extra: &[], audience, silence };
        boot.run(|line| line == "enough").unwrap()
    }

    #[test]
    fn a_system_that_is_done_is_stopped() {
        let session = shell("echo one; printf 'LIMEN|DO'; echo NE; exec sleep 1000", SILENCE);
        assert_eq!(session.ending, Ending::Done);
        assert_eq!(session.lines, ["one", "LIMEN|DONE"]);
    }

    #[test]
    fn a_reported_failure_carries_its_reason() {
        let session = shell("echo 'LIMEN|FAIL out of luck'; exec sleep 1000", SILENCE);
        assert_eq!(session.ending, Ending::Failed("out of luck".into()));
    }

    #[test]
    fn the_caller_sees_the_last_line_too() {
        let (mut console, mut lines) = (Console { pending: Vec::new(), lines: Vec::new() }, Vec::new());
        let ending = console.take(b"one\nLIMEN|DONE\n", &mut |line: &str| {
            lines.push(line.to_owned());
            false
        });
        assert_eq!((ending, lines.len()), (Some(Ending::Done), 2));
    }

    #[test]
    fn the_caller_can_end_the_run() {
        assert_eq!(shell("echo enough; exec sleep 1000", SILENCE).ending, Ending::Seen);
    }

    #[test]
    fn an_emulator_that_ends_on_its_own_is_an_error() {
        let session = shell("echo broken >&2; exit 3", SILENCE);
        let sentence = session.ending.outcome().unwrap_err().to_string();
        assert!(sentence.contains("exit status: 3") && sentence.contains("broken"), "{sentence}");
    }

    #[test]
    fn a_system_that_never_stops_printing_is_stopped() {
        assert_eq!(shell("exec yes", SILENCE).ending, Ending::Endless);
    }

    #[test]
    fn a_kernel_that_stopped_ends_the_run_after_its_last_words() {
        let session =
            shell("echo 'The kernel stopped: x'; sleep 0.2; echo '  in y'; exec sleep 1000", SILENCE);
        assert_eq!(session.ending, Ending::KernelStopped);
        assert_eq!(session.lines, ["The kernel stopped: x", "  in y"]);
        assert_eq!(session.ending.outcome().unwrap_err().to_string(), "the kernel stopped");
    }

    #[test]
    fn looks_at_a_silent_machine_become_rarer() {
        let mut patience = Patience::new(Some(Duration::from_secs(3)), None);
        let mut waits = Vec::new();
        let ending = (0..9).find_map(|_| {
            waits.push(patience.next_wait(true).unwrap().as_millis());
            patience.gives_up(None, &mut None)
        });
        assert_eq!(waits, [500, 500, 1000, 1000]);
        assert_eq!(ending, Some(Ending::Silent(Duration::from_secs(3), String::new())));
        patience.hears();
        assert_eq!(patience.next_wait(true), Some(FIRST_LOOK));
        assert_eq!(Patience::new(None, None).next_wait(true), None);
    }

    #[test]
    fn a_debugged_system_ends_with_its_emulator() {
        let lines = "echo 'The kernel stopped: by a test'; echo 'LIMEN|DONE'; echo last";
        let session = shell_for(Audience::Debugger, lines, None);
        assert_eq!((session.ending, session.lines.len()), (Ending::Done, 3));
        let session = shell_for(Audience::Debugger, "exit 3", None);
        assert!(matches!(session.ending, Ending::Exited(..)));
    }

    #[test]
    fn a_silent_system_is_stopped() {
        let session = shell("exec sleep 1000", Duration::from_millis(50));
        assert!(matches!(session.ending, Ending::Silent(..)));
    }

    #[test]
    fn an_unattended_emulator_ends_with_its_thread_even_if_it_ignores_signals() {
        let words = ["sh", "-c", "trap '' TERM INT; echo ready; exec sleep 20"].map(str::to_owned);
        let start = move || {
            let mut child = spawn(&words, Audience::Nobody, Stdio::piped).unwrap();
            let mut ready = [0; 6];
            child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
            child
        };
        let status = thread::spawn(start).join().unwrap().wait().unwrap();
        assert_eq!(status.signal(), Some(9));
    }

    #[test]
    fn the_message_about_our_signal_is_not_shown() {
        let signal = "qemu-system-aarch64: terminating on signal 15 from pid 7 (<unknown process>)";
        assert_eq!(without_our_signal(&format!("one\n{signal}\ntwo")), "one\ntwo");
        let ending = Ending::Silent(SILENCE, without_our_signal(signal));
        let sentence = ending.outcome().unwrap_err().to_string();
        assert_eq!(sentence, "the system printed nothing for 60 seconds and was stopped");
    }

    #[test]
    fn control_c_reaches_the_emulator() {
        let command = ["qemu", "-serial", "mon:stdio", "-m", "1G"].map(str::to_owned).to_vec();
        let rewritten = interruptible(command);
        assert!(rewritten.contains(&"stdio,id=console,mux=on,signal=on".to_owned()));
        assert_eq!(rewritten.last().map(String::as_str), Some("1G"));
    }
}
