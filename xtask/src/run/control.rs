//! Stops an emulated machine, dumps its memory and gives commands to its monitor, over QEMU's machine protocol (QMP).
//!
//! Source: QEMU, docs/interop/qmp-spec.rst: one JSON object per line; an answer has `return` or `error`, events neither.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::failure::{Context, Failure, Outcome};

/// How long the emulator may take to answer. A dump of a loaded host's emulator takes some seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Makes the sockets of one process differ.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The control socket of an emulator.
#[derive(Debug)]
pub struct Control {
    socket: PathBuf,
    connection: Option<BufReader<UnixStream>>,
}

impl Control {
    /// A socket that no other run uses. Its path is short, because such paths have at most some hundred bytes.
    pub fn new() -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let socket = std::env::temp_dir().join(format!("limen-{}-{number}.qmp", process::id()));
        Self { socket, connection: None }
    }

    /// The arguments that make the emulator listen.
    pub fn arguments(&self) -> [String; 2] {
        ["-qmp".to_owned(), format!("unix:{},server=on,wait=off", self.socket.display())]
    }

    /// Stops the machine, writes physical memory and registers to a file, and resumes the machine.
    ///
    /// # Errors
    /// When the emulator does not answer or refuses.
    pub fn dump(&mut self, file: &Path, (start, bytes): (u64, u64)) -> Outcome {
        self.ask("{\"execute\":\"stop\"}")?;
        let name = file.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        let dumped = self.ask(&format!(
            "{{\"execute\":\"dump-guest-memory\",\"arguments\":{{\"paging\":false,\"protocol\":\"file:{name}\",\
             \"begin\":{start},\"length\":{bytes}}}}}"
        ));
        self.ask("{\"execute\":\"cont\"}")?;
        dumped
    }

    /// Gives a command of the emulator's monitor for people.
    ///
    /// # Errors
    /// When the emulator does not answer.
    pub fn give(&mut self, command: &str) -> Outcome {
        self.ask(&format!(
            "{{\"execute\":\"human-monitor-command\",\"arguments\":{{\"command-line\":\"{command}\"}}}}"
        ))
    }

    /// Gives a command. A connection on which no answer came is closed, so that a late answer is not taken for that of the
    /// next command.
    fn ask(&mut self, command: &str) -> Outcome {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let answer = answer(&mut connection, command)?;
        self.connection = Some(connection);
        if answer.starts_with("{\"return\"") {
            return Ok(());
        }
        Err(Failure::new(format!("the emulator refuses {command}: {}", answer.trim_end())))
    }

    fn connect(&self) -> Outcome<BufReader<UnixStream>> {
        let stream = UnixStream::connect(&self.socket).context(lost)?;
        stream.set_read_timeout(Some(PATIENCE)).context(lost)?;
        let mut connection = BufReader::new(stream);
        answer(&mut connection, "{\"execute\":\"qmp_capabilities\"}")?;
        Ok(connection)
    }
}

/// Sends a command, and returns the answer to it.
fn answer(connection: &mut BufReader<UnixStream>, command: &str) -> Outcome<String> {
    connection.get_mut().write_all(format!("{command}\n").as_bytes()).context(lost)?;
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line).context(lost)? == 0 {
            return Err(Failure::new(lost()));
        }
        if line.starts_with("{\"return\"") || line.starts_with("{\"error\"") {
            return Ok(line);
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // The emulator removes it unless it was killed.
        _ = fs::remove_file(&self.socket);
    }
}

fn lost() -> String {
    "the connection with the emulator's monitor failed".to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;

    /// An emulator that gives these answers.
    fn answers(answers: &'static [&'static str]) -> (Control, thread::JoinHandle<Vec<String>>) {
        let control = Control::new();
        let listener = UnixListener::bind(&control.socket).unwrap();
        let emulator = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(stream);
            lines.get_mut().write_all(b"{\"QMP\": {}}\r\n").unwrap();
            let mut asked = Vec::new();
            for answer in answers {
                let mut line = String::new();
                lines.read_line(&mut line).unwrap();
                asked.push(line);
                lines
                    .get_mut()
                    .write_all(format!("{{\"timestamp\": 1}}\r\n{answer}\r\n").as_bytes())
                    .unwrap();
            }
            asked
        });
        (control, emulator)
    }

    #[test]
    fn a_dump_stops_and_resumes_the_machine() {
        let ok = "{\"return\": {}}";
        let (mut control, emulator) = answers(&["{\"return\": {}}"; 4]);
        assert!(ok.starts_with("{\"return\""));
        control.dump(Path::new("/a \"b\""), (16, 32)).unwrap();
        let asked = emulator.join().unwrap();
        let commands: Vec<_> = asked.iter().filter_map(|line| line.split('"').nth(3)).collect();
        assert_eq!(commands, ["qmp_capabilities", "stop", "dump-guest-memory", "cont"]);
        assert!(asked[2].contains("file:/a \\\"b\\\"\",\"begin\":16,\"length\":32"), "{}", asked[2]);
    }

    #[test]
    fn a_refused_dump_still_resumes_the_machine() {
        let (mut control, emulator) = answers(&[
            "{\"return\": {}}",
            "{\"return\": {}}",
            "{\"error\": {\"desc\": \"full\"}}",
            "{\"return\": {}}",
        ]);
        let failure = control.dump(Path::new("x"), (0, 1)).unwrap_err().to_string();
        assert!(failure.contains("the emulator refuses") && failure.contains("full"), "{failure}");
        assert!(emulator.join().unwrap()[3].contains("cont"));
    }

    #[test]
    fn a_command_after_one_without_an_answer_has_a_connection_of_its_own() {
        let mut control = Control::new();
        let listener = UnixListener::bind(&control.socket).unwrap();
        let emulator = thread::spawn(move || {
            for answers in [1, 2] {
                let (stream, _) = listener.accept().unwrap();
                let mut lines = BufReader::new(stream);
                for _ in 0..answers {
                    lines.read_line(&mut String::new()).unwrap();
                    lines.get_mut().write_all(b"{\"return\": {}}\r\n").unwrap();
                }
                lines.read_line(&mut String::new()).unwrap();
            }
        });
        assert_eq!(control.ask("one").unwrap_err().to_string(), lost());
        control.ask("two").unwrap();
        drop(control);
        emulator.join().unwrap();
    }

    #[test]
    fn an_emulator_that_has_ended_is_reported() {
        assert!(Control::new().dump(Path::new("x"), (0, 1)).unwrap_err().to_string().starts_with(&lost()));
    }
}
