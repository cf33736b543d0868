//! Debugging a system with gdb: an emulator that waits for it, and a script that tells it about the system.
//!
//! The emulator listens on a socket in the image's folder, not on a port: its debugger can execute commands on the host,
//! and other users can connect to ports.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::shell::files;
use crate::workspace::Workspace;

/// The debugger, which knows all instruction sets.
pub const GDB: &str = "gdb-multiarch";
/// The socket, in the image's folder.
pub const SOCKET: &str = "gdb.socket";
/// Options of an emulator that waits for gdb.
pub const STOPPED: [&str; 3] = ["-S", "-gdb", "unix:{folder}/gdb.socket,server=on,wait=off"];
/// Linux: the size of `sun_path`, with its final zero.
const SOCKET_BYTES: usize = 108;

/// Writes the script for the system with this image; returns its path.
///
/// # Errors
/// When the build wrote no report, the socket's path is too long, or the script cannot be written.
pub fn write_script(workspace: &Workspace, board: &Board, config: &str, image: &Path) -> Outcome<PathBuf> {
    let report = image.with_file_name("report.json");
    if !report.exists() {
        return Err(Failure::new(
            "the debugger needs report.json beside the image: pass `-r report.txt` to the tool in the Makefile",
        ));
    }
    let socket = image.with_file_name(SOCKET);
    if socket.as_os_str().len() >= SOCKET_BYTES {
        return Err(Failure::new(format!(
            "the path {} is too long for a socket: move the repository to a folder with a shorter path",
            socket.display()
        )));
    }
    match fs::remove_file(&socket) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).context(|| format!("cannot remove {}", socket.display()));
        }
        _ => {}
    }
    let script = image.with_file_name("debug.gdb");
    let text = format!(
        "# Loads the symbols of a system and connects to its emulator; `./x run --gdb` writes it.\n\
         source {}\nlimen system {} --kernel {}\ntarget remote {}\n",
        workspace.sdk().join("gdb/limen_gdb.py").display(),
        report.display(),
        workspace.kernel(&board.name, config).display(),
        socket.display()
    );
    files::write(&script, text)?;
    Ok(script)
}
