//! A suite under gdb: `debugger = "session.gdb"` in `suite.toml` names its commands.
//!
//! The emulator waits for gdb, which loads the script that `./x run --gdb` writes, and executes the commands. Its output
//! is judged together with the console. The last command must let the system run to its end, or be
//! `kill`.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command as Process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::bench::trace;
use crate::failure::{Context, Failure, Outcome};
use crate::run::debug::{self, GDB};
use crate::run::qemu::{Boot, Ending, Session};
use crate::workspace::Workspace;

/// A packet of gdb's protocol.
const DETACH: &[u8] = b"$D#44";
/// The interval between looks whether the emulator listens.
const PAUSE: Duration = Duration::from_millis(20);

/// Boots the system and debugs it; `see` gets each line of the console. The session's lines are those of the console, then those of gdb.
///
/// # Errors
/// When the emulator or gdb cannot be started.
pub fn run(
    workspace: &Workspace,
    boot: &Boot<'_>,
    config: &str,
    commands: &Path,
    mut see: impl FnMut(&str),
) -> Outcome<Session> {
    let script = debug::write_script(workspace, boot.board, config, boot.image)?;
    let socket = boot.image.with_file_name(debug::SOCKET);
    let extra = [boot.extra, &debug::STOPPED].concat();
    // The emulator sleeps while gdb works, and gdb may have to queue for a processor.
    let boot = Boot { extra: &extra, silence: Some(trace::SILENCE), ..*boot };
    let has_ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let gdb = scope.spawn(|| {
            while !socket.exists() && !has_ended.load(Ordering::Relaxed) {
                thread::sleep(PAUSE);
            }
            let mut gdb = Process::new(GDB);
            gdb.args(["-nx", "-batch", "-x"]).arg(script).arg("-x").arg(commands);
            let said = gdb.output().context(|| format!("cannot start {GDB}; `./x setup` installs it"));
            resume(&socket);
            said
        });
        let session = boot.run(|line| {
            see(line);
            false
        });
        has_ended.store(true, Ordering::Relaxed);
        let said = gdb.join().unwrap_or_else(|_| Err(Failure::new("the thread that starts gdb has failed")));
        let (mut session, said) = (session?, said?);
        for bytes in [said.stdout, said.stderr] {
            session.lines.extend(String::from_utf8_lossy(&bytes).lines().map(str::to_owned));
        }
        if matches!(&session.ending, Ending::Exited(status, _) if status.success()) {
            session.ending = Ending::Done;
        }
        Ok(session)
    })
}

/// Lets the machine run, in case gdb has failed and left it stopped.
fn resume(socket: &Path) {
    // The emulator may have ended.
    let Ok(mut stream) = UnixStream::connect(socket) else { return };
    if stream.write_all(DETACH).is_ok() {
        _ = stream.read(&mut [0; 16]);
    }
}
