//! Runs of the emulator with the plugin: what executes goes to a listener.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use limen_executed::{Account, Accounts, Block, Event, Listener, Stream};

use crate::bench::environment;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::shell::files;
use crate::shell::process;
use crate::workspace::Workspace;

/// The plugin's source. It is compiled on this machine, because its interface depends on the emulator's version.
const SOURCE: &str = include_str!("plugin.c");

/// A system in which no program executes for this long has nothing left to do.
const QUIET: Duration = Duration::from_millis(500);
/// How long a system that has printed its last line may go on before it is stopped anyway.
const MOST_AFTER_END: Duration = Duration::from_secs(10);
/// `O_NONBLOCK` of Linux on all of its common instruction sets.
const NONBLOCKING: i32 = 0o4000;

/// The contents of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Executed instructions.
    Instructions,
    /// And accesses to memory.
    Memory,
    /// And those of the kernel's instructions. Programs execute most instructions of many systems.
    KernelMemory,
}

/// State that the two threads of a watched run share.
#[derive(Default)]
struct State {
    /// Events on other accounts than that of the idle processor. An idle kernel may still serve its timer.
    events: AtomicU64,
    is_idle: AtomicBool,
}

impl State {
    /// Blocks until no program has anything left to do; false if the system does not become idle.
    fn becomes_quiet(&self) -> bool {
        let end = Instant::now() + MOST_AFTER_END;
        let (mut events, mut since) = (self.events.load(Ordering::Relaxed), Instant::now());
        while Instant::now() < end {
            thread::sleep(QUIET / 20);
            let now = self.events.load(Ordering::Relaxed);
            if now != events || !self.is_idle.load(Ordering::Relaxed) {
                (events, since) = (now, Instant::now());
            } else if since.elapsed() >= QUIET {
                return true;
            }
        }
        false
    }
}

/// An emulator that is about to run, or runs, with the plugin.
pub struct Listening<L> {
    plugin: String,
    pipe: PathBuf,
    state: Arc<State>,
    reader: JoinHandle<io::Result<(Vec<Block>, L)>>,
}

impl<L: Listener + Send + 'static> Listening<L> {
    /// Prepares to watch one run of a board's emulator. `folder` is the image's.
    ///
    /// # Errors
    /// When the plugin cannot be compiled.
    pub fn start(
        workspace: &Workspace,
        board: &Board,
        folder: &Path,
        detail: Detail,
        listener: L,
    ) -> Outcome<Self> {
        /// Variants of a board may run at the same time, with images in the same folder.
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let plugin = compiled(workspace, board)?;
        let pipe = folder.join(format!("events-{}.pipe", STARTED.fetch_add(1, Ordering::Relaxed)));
        // It is there if an earlier command was interrupted.
        _ = fs::remove_file(&pipe);
        process::capture(Command::new("mkfifo").arg(&pipe))?;
        let memory = match detail {
            Detail::Instructions => "",
            Detail::Memory => ",memory=all",
            Detail::KernelMemory => ",memory=kernel",
        };
        let plugin = format!("file={},out={}{memory}", word(&plugin), word(&pipe));
        let state = Arc::new(State::default());
        let (from, architecture, shared) = (pipe.clone(), board.architecture.clone(), Arc::clone(&state));
        let reader = thread::spawn(move || read(&from, &architecture, listener, &shared));
        Ok(Self { plugin, pipe, state, reader })
    }

    /// The options with which the emulator must be started.
    pub fn options(&self) -> [&str; 2] {
        ["-plugin", &self.plugin]
    }

    /// Blocks until no program has anything left to do; false if that does not happen soon.
    pub fn becomes_idle(&self) -> bool {
        self.state.becomes_quiet()
    }

    /// All translated blocks, and the listener. The emulator has ended, or could not be started.
    ///
    /// # Errors
    /// When the stream could not be read, or is damaged.
    pub fn finish(self) -> Outcome<(Vec<Block>, L)> {
        // Without the plugin, the reader still waits for a writer. If it does not, this fails.
        _ = OpenOptions::new().write(true).custom_flags(NONBLOCKING).open(&self.pipe);
        let read =
            self.reader.join().map_err(|_| Failure::new("the reader of the emulator's stream failed"))?;
        _ = fs::remove_file(&self.pipe);
        read.context(|| "cannot read what executes".to_owned())
    }
}

fn read<L: Listener>(
    pipe: &Path,
    architecture: &str,
    mut listener: L,
    state: &State,
) -> io::Result<(Vec<Block>, L)> {
    let mut stream = Stream::new(File::open(pipe)?, architecture);
    let (mut accounts, mut processor, mut events) = (vec![Accounts::boot()], 0, 0);
    let mut account = Account::Boot;
    while let Some(event) = stream.event()? {
        match event {
            Event::Processor(number) => {
                accounts.resize_with(accounts.len().max(number + 1), Accounts::further);
                processor = number;
            }
            Event::Run { block, first, count } => {
                if let Some(block) = stream.blocks().get(block)
                    && let Some(last) = block.code.get(first + count - 1)
                    && let Some(here) = accounts.get_mut(processor)
                {
                    account = here.take(block, last.flow);
                    let is_idle = accounts.iter().all(|accounts| accounts.now() == Account::Idle);
                    state.is_idle.store(is_idle, Ordering::Relaxed);
                }
            }
            Event::Access { .. } => {}
        }
        events += u64::from(account != Account::Idle);
        state.events.store(events, Ordering::Relaxed);
        listener.take(stream.blocks(), event, account);
    }
    Ok((stream.into_blocks(), listener))
}

/// A path as part of an option of the emulator.
fn word(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

/// The plugin for a board's emulator.
fn compiled(workspace: &Workspace, board: &Board) -> Outcome<PathBuf> {
    compile(&workspace.path("build/emulator_plugin"), interface(environment::emulator_version(board)?))
}

/// Compiles the plugin unless it is there. Systems that run side by side ask for it at once.
fn compile(folder: &Path, interface: u32) -> Outcome<PathBuf> {
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let _turn = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (source, library) =
        (folder.join(format!("plugin-{interface}.c")), folder.join(format!("plugin-{interface}.so")));
    if library.exists() && files::read(&source).is_ok_and(|present| present == SOURCE) {
        return Ok(library);
    }
    files::write(&source, SOURCE)?;
    let fresh = library.with_added_extension("new");
    let mut compiler = Command::new("cc");
    compiler.args([
        "-std=gnu11",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        "-fvisibility=hidden",
    ]);
    process::capture(compiler.arg(format!("-DAPI={interface}")).arg("-o").arg(&fresh).arg(&source))?;
    fs::rename(&fresh, &library).context(|| format!("cannot replace {}", library.display()))?;
    Ok(library)
}

/// The plugin interface of a version of the emulator. Later emulators accept earlier ones, but not the first, which QEMU
/// dropped with 9.0; with the third, `qemu_plugin_insn_data` copies.
fn interface(version: (u32, u32)) -> u32 {
    match version {
        (..=8, _) => 1,
        (9, 0) => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interface_follows_from_the_version() {
        assert_eq!([(7, 2), (8, 2), (9, 0), (9, 1), (10, 0)].map(interface), [1, 1, 2, 3, 3]);
    }

    #[test]
    fn systems_that_run_side_by_side_compile_one_plugin() {
        let folder = Workspace::locate().unwrap().path("build/test/emulator_plugin");
        _ = fs::remove_dir_all(&folder);
        let compiled: Vec<_> = thread::scope(|scope| {
            let started =
                [(); 4].map(|()| scope.spawn(|| compile(&folder, 1).map_err(|failure| failure.to_string())));
            started.into_iter().map(|compiling| compiling.join().unwrap()).collect()
        });
        assert_eq!(compiled, vec![Ok(folder.join("plugin-1.so")); 4]);
    }

    #[test]
    fn commas_in_paths_are_doubled() {
        assert_eq!(word(Path::new("/a,b/c")), "/a,,b/c");
    }
}
